"""The Raspberry Pi's pins through gpiozero and lgpio.

lgpio passes on the kernel's time stamp of each edge, in the order of time over all lines. The stamp is in ns on
CLOCK_MONOTONIC (kernel 5.10 and later). gpiozero passes it to `pin.when_changed` in seconds, exact to some ns.
Debouncing in lgpio and gpiozero stays off: it moves stamps or does nothing.
"""

from __future__ import annotations

import functools
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, cast

from hardware.edges import Clock, Edge, LineSpec, OnEdge, OnHealth, StampCheck
from hardware.problems import (
    BadSettingError,
    DeviceMissingError,
    HardwareError,
    Health,
    NoPermissionError,
    PinInUseError,
    Said,
)
from hardware.settings import SECOND


class InputPin(Protocol):
    """The part of gpiozero's Pin that is used."""

    state: float
    when_changed: Callable[[float, float], None] | None

    def input_with_pull(self, pull: str) -> None:
        """Make it an input, pulled "up", "down" or "floating"."""


class PinFactory(Protocol):
    """The part of gpiozero's Factory that is used, of the real and the mock one."""

    def pin(self, name: int) -> InputPin:
        """Return the pin of that BCM number."""


FactoryMaker = Callable[[], PinFactory]


_opening = threading.Lock()


def lgpio_factory() -> PinFactory:
    """Open the pins of this Raspberry Pi and return gpiozero's factory for them, always the same one.

    One factory serves the process, because gpiozero shares pins among its local factories. Bell, sandtimer and lamp ask
    for it at the same time, each on its own thread.

    Raises HardwareError with a remedy if the pins cannot be opened.
    """
    with _opening:
        return _opened_factory()


@functools.cache
def _opened_factory() -> PinFactory:
    with _lgpio_at_home():
        try:
            import lgpio
            from gpiozero.exc import GPIOZeroError
            from gpiozero.pins.lgpio import LGPIOFactory
        except ImportError as error:
            raise DeviceMissingError(
                "doctor.program_that_reads_pins_is",
                "The program that reads the pins is missing.",
                advice=Said("doctor.install_lgpio", "Install it: sudo apt install python3-lgpio."),
            ) from error
    try:
        return cast(PinFactory, LGPIOFactory())
    except GPIOZeroError as error:
        raise DeviceMissingError(
            "doctor.this_computer_is_no_raspberry_pi_it",
            "This computer is no Raspberry Pi: it has no pins for bell and lamp.",
        ) from error
    except lgpio.error as error:
        raise _why_not_opened() from error


def _why_not_opened() -> HardwareError:
    chips = sorted(Path("/dev").glob("gpiochip*"))
    if not chips:
        return DeviceMissingError(
            "error.hardware.pins_are_not_there_system", "The pins are not there: the system shows no /dev/gpiochip0."
        )
    if not any(os.access(chip, os.R_OK | os.W_OK) for chip in chips):
        return NoPermissionError(
            "error.hardware.this_user_may_not_use",
            "This user may not use the pins.",
            advice=Said("error.hardware.join_gpio", "Run: sudo usermod -aG gpio $USER, then restart."),
        )
    return DeviceMissingError(
        "error.hardware.pins_cannot_be_opened",
        "The pins cannot be opened.",
        advice=Said("error.hardware.free_pins", "Stop other programs that use the pins, or restart the computer."),
    )


@contextmanager
def _lgpio_at_home() -> Iterator[None]:
    """A context in which lgpio is imported without side effects on the working directory.

    On import it makes a pipe `.lgd-nfy0` in the working directory, which may be read-only. LG_WD names another
    directory, but also changes the working directory of the process. The pipe is not needed later.
    """
    here = Path.cwd()
    before = os.environ.get("LG_WD")
    with tempfile.TemporaryDirectory(prefix="ringmaster-") as home:
        os.environ["LG_WD"] = home
        try:
            yield
        finally:
            os.chdir(here)
            if before is None:
                del os.environ["LG_WD"]
            else:
                os.environ["LG_WD"] = before


class _Line:
    """One pin. The caller must keep this object, or edges stop: gpiozero refers only weakly to the callback."""

    def __init__(self, spec: LineSpec, pin: InputPin, lines: GpioLines) -> None:
        self.spec = spec
        self.pin = pin
        self._lines = lines

    def watch(self) -> None:
        pull = self.spec.pin.pull
        self.pin.input_with_pull("floating" if pull == "none" else pull)
        self.pin.when_changed = self.changed

    def level(self) -> bool:
        """Return whether the line is active now."""
        return bool(self.pin.state) is self.spec.pin.active_high

    def changed(self, ticks: float, state: float) -> None:
        """Take an edge from gpiozero; must not raise, which would end lgpio's thread."""
        self._lines._take(self.spec, round(ticks * SECOND), bool(state))

    def release(self) -> None:
        self.pin.when_changed = None


class GpioLines:
    """Input lines of a Raspberry Pi (an `EdgeLines`).

    make_factory: returns gpiozero's pin factory, real or mock. Raises BadSettingError if `specs` is empty.
    """

    def __init__(
        self, specs: Sequence[LineSpec], make_factory: FactoryMaker = lgpio_factory, clock: Clock = time.monotonic_ns
    ) -> None:
        if not specs:
            raise BadSettingError("error.setting.no_pin_is_set_for", "no pin is set for this device")
        self._specs = tuple(specs)
        self._make_factory = make_factory
        self._clock = clock
        self._lines: list[_Line] = []
        self._on_edge: OnEdge | None = None
        self._on_health: OnHealth | None = None
        self.check = StampCheck()

    def open(self, on_edge: OnEdge, on_health: OnHealth) -> Sequence[Edge]:
        """Claim the pins and return their levels. Raises HardwareError, and frees all, if one cannot be claimed."""
        factory = self._make_factory()
        self._on_edge, self._on_health = on_edge, on_health
        try:
            for spec in self._specs:
                line = _Line(spec, factory.pin(spec.pin.number), self)
                line.watch()
                self._lines.append(line)
            return [Edge(self._clock(), line.spec.name, line.level()) for line in self._lines]
        except driver_faults() as error:
            self.close()
            raise PinInUseError(
                "error.hardware.gpio_cannot_be_used",
                "GPIO{number} ({name}) cannot be used: {why}.",
                number=spec.pin.number,
                name=spec.name,
                why=_reason(error),
            ) from error

    def close(self) -> None:
        """Stop watching."""
        self._on_edge = self._on_health = None
        lines, self._lines = self._lines, []
        for line in lines:
            line.release()

    def _take(self, spec: LineSpec, stamp_ns: int, level: bool) -> None:
        arrival_ns = self._clock()
        t_ns = self.check.correct(stamp_ns, arrival_ns)
        on_edge, on_health = self._on_edge, self._on_health
        if on_edge is None or on_health is None:
            return
        if self.check.refused == 1 and t_ns != stamp_ns:
            on_health(Health.CLOCK, "Edges of the pins carry times of another clock; presses count a little late.")
        on_edge(Edge(t_ns, spec.name, level is spec.pin.active_high))


def driver_faults() -> tuple[type[Exception], ...]:
    """Return the errors that a pin can raise: gpiozero's, the system's and, if it drives the pins, lgpio's."""
    from gpiozero.exc import GPIOZeroError

    lgpio = sys.modules.get("lgpio")
    return (GPIOZeroError, OSError) if lgpio is None else (GPIOZeroError, OSError, lgpio.error)


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split()).strip("'. ")
    return "another program or device holds it" if "busy" in text.lower() or "in use" in text.lower() else text
