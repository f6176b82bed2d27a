"""Lamp and buzzer: the light and sound of each ruling, and back-ends that never block."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, cast

from hardware.edges import Clock
from hardware.gpio import FactoryMaker, driver_faults, lgpio_factory
from hardware.problems import BadSettingError, HardwareError, Health, PinInUseError, Problem, one_line
from hardware.settings import MS, SECOND, LampSettings
from hardware.supervised import SupervisedThread, nothing

Colour = tuple[float, float, float]
DARK: Colour = (0.0, 0.0, 0.0)
GREEN: Colour = (0.0, 1.0, 0.0)
RED: Colour = (1.0, 0.0, 0.0)
YELLOW: Colour = (1.0, 0.6, 0.0)
BLUE: Colour = (0.0, 0.0, 0.35)
WHITE: Colour = (1.0, 1.0, 1.0)


class Signal(Enum):
    """Signals of the lamp."""

    OFF = "off"
    VALID = "valid"
    FALSE = "false"
    UNCLEAR = "unclear"
    TIME_RUNNING = "time_running"
    TIME_OVER = "time_over"


@dataclass(frozen=True)
class LampSignal:
    """A colour (red, green, blue, each 0 to 1) and a sound. length_ns: None until the next signal."""

    colour: Colour
    buzz: bool
    length_ns: int | None


def _steps(*steps: tuple[Colour, bool, int]) -> tuple[LampSignal, ...]:
    """Return signals from (colour, sound, milliseconds)."""
    return tuple(LampSignal(colour, buzz, length_ms * MS) for colour, buzz, length_ms in steps)


# Rhythm distinguishes them for the colour-blind, and sound for the blind.
PATTERNS: dict[Signal, tuple[LampSignal, ...]] = {
    Signal.OFF: (LampSignal(DARK, False, None),),
    Signal.TIME_RUNNING: (LampSignal(BLUE, False, None),),
    Signal.VALID: _steps((GREEN, True, 120), (GREEN, False, 3000)),
    Signal.FALSE: _steps(*((RED, True, 150), (DARK, False, 120)) * 3, *((RED, False, 600), (DARK, False, 200)) * 3),
    Signal.UNCLEAR: _steps(
        *((YELLOW, True, 60), (DARK, False, 300)) * 2, *((YELLOW, False, 700), (DARK, False, 700)) * 2
    ),
    Signal.TIME_OVER: _steps((WHITE, True, 900), *((DARK, False, 100), (WHITE, False, 100)) * 12),
}
LASTING = frozenset({Signal.OFF, Signal.TIME_RUNNING})
# After these no lasting signal returns.
ENDING = frozenset({Signal.TIME_OVER})


class Lamp(Protocol):
    """Shows signals. `show` returns at once and never raises for a fault of the lamp."""

    def show(self, signal: Signal) -> None:
        """Replace the present signal; after a passing signal the last lasting one returns."""

    def mute(self, silent: bool) -> None:
        """Silence the buzzer, or let it sound again."""

    def close(self) -> None:
        """Switch off and free the pins."""


class NullLamp:
    """The lamp of a table without a lamp."""

    show = mute = close = staticmethod(nothing)


class RecordedLamp:
    """Records signals with their times, for tests and the simulated table."""

    close = staticmethod(nothing)

    def __init__(self, clock: Clock = time.monotonic_ns) -> None:
        self._clock = clock
        self.shown: list[tuple[int, Signal]] = []
        self.silent = False

    def show(self, signal: Signal) -> None:
        """Record the signal."""
        self.shown.append((self._clock(), signal))

    def mute(self, silent: bool) -> None:
        """Record whether the buzzer is silent."""
        self.silent = silent


class Led(Protocol):
    """The part of gpiozero's RGBLED that is used."""

    value: Colour

    def close(self) -> None:
        """Free its pins."""


class Buzzer(Protocol):
    """The part of gpiozero's Buzzer that is used."""

    def on(self) -> None:
        """Sound."""

    def off(self) -> None:
        """Be silent."""

    def close(self) -> None:
        """Free its pin."""


class GpioLamp:
    """An RGB LED and a buzzer on the Raspberry Pi's pins, played by a thread.

    A pin that fails is reported once by `on_health` and tried again with the next signal.
    """

    def __init__(
        self,
        settings: LampSettings,
        make_factory: FactoryMaker = lgpio_factory,
        on_health: Callable[[Problem], None] | None = None,
    ) -> None:
        """Claim the pins. Raises HardwareError, with all pins free, if one cannot be claimed."""
        self._settings = settings
        self._on_health = on_health
        self._state = Health.OK
        self._silent = settings.quiet
        self._led, self._buzzer = _claim(settings, make_factory)
        self._changed = threading.Condition()
        self._signal: Signal | None = Signal.OFF
        self._fresh = True
        self._thread = SupervisedThread("lamp", self._play, self._failed)
        self._thread.start()

    def show(self, signal: Signal) -> None:
        """Show a signal; the thread begins at once."""
        with self._changed:
            if self._signal is not None:
                self._signal, self._fresh = signal, True
                self._changed.notify()

    def mute(self, silent: bool) -> None:
        """Silence the buzzer from the next step on, or let it sound again."""
        self._silent = silent or self._settings.quiet

    def close(self) -> None:
        """Switch off, free the pins, and end the thread. Harmless when called twice."""
        with self._changed:
            if self._signal is None:
                return
            self._signal, self._fresh = None, True
            self._changed.notify()
        self._thread.stop()
        self._free()

    def _play(self) -> None:
        lasting = Signal.OFF
        steps: Sequence[LampSignal] = PATTERNS[lasting]
        position = 0
        while True:
            with self._changed:
                if self._fresh:
                    self._fresh = False
                    if self._signal is None:
                        break
                    lasting = _lasting_after(self._signal, lasting)
                    steps, position = PATTERNS[self._signal], 0
            if position == len(steps):
                steps, position = PATTERNS[lasting], 0
            step = steps[position]
            self._set(step)
            position += 1
            with self._changed:
                length_s = None if step.length_ns is None else step.length_ns / SECOND
                self._changed.wait_for(lambda: self._fresh, length_s)

    def _free(self) -> None:
        self._set(LampSignal(DARK, False, None))
        for part in (self._led, self._buzzer):
            with contextlib.suppress(*driver_faults()):
                if part is not None:
                    part.close()

    def _set(self, step: LampSignal) -> None:
        red, green, blue = (self._settings.brightness * part for part in step.colour)
        try:
            if self._led is not None:
                self._led.value = (red, green, blue)
            if self._buzzer is not None:
                (self._buzzer.on if step.buzz and not self._silent else self._buzzer.off)()
        except driver_faults() as error:
            self._failed(error)
        else:
            self._report(Health.OK, "")

    def _failed(self, fault: Exception) -> None:
        self._fresh = True
        self._report(Health.MISSING, f"The lamp does not answer: {one_line(fault)}")

    def _report(self, state: Health, message: str) -> None:
        if state is not self._state:
            self._state = state
            if self._on_health is not None:
                self._on_health(Problem("lamp", state, message, t_ns=time.monotonic_ns()))


def _lasting_after(signal: Signal, before: Signal) -> Signal:
    if signal in LASTING:
        return signal
    return Signal.OFF if signal in ENDING else before


def _claim(settings: LampSettings, make_factory: FactoryMaker) -> tuple[Led | None, Buzzer | None]:
    from gpiozero import RGBLED
    from gpiozero import Buzzer as GpioBuzzer

    factory = make_factory()
    led: Led | None = None
    try:
        if settings.red is not None:
            pins = (settings.red, settings.green, settings.blue)
            led = cast(Led, RGBLED(*pins, active_high=not settings.common_anode, pin_factory=factory))
        if settings.buzzer is None:
            return led, None
        active_high = not settings.buzzer_active_low
        return led, cast(Buzzer, GpioBuzzer(settings.buzzer, active_high=active_high, pin_factory=factory))
    except driver_faults() as error:
        if led is not None:
            led.close()
        raise PinInUseError(
            "error.hardware.lamp_and_buzzer_cannot_be",
            "Lamp and buzzer cannot be used: {list}",
            list=one_line(error),
        ) from error


def open_lamp(
    settings: LampSettings,
    make_factory: FactoryMaker = lgpio_factory,
    on_health: Callable[[Problem], None] | None = None,
) -> Lamp:
    """Return the lamp that the settings name; a missing one is reported and replaced by `NullLamp`.

    Raises BadSettingError for an unknown back-end.
    """
    if settings.backend == "none":
        return NullLamp()
    if settings.backend != "gpio":
        raise BadSettingError(
            "error.setting.there_is_no_lamp_of", 'there is no lamp of the kind "{kind}"', kind=settings.backend
        )
    try:
        return GpioLamp(settings, make_factory, on_health)
    except HardwareError as error:
        if on_health is not None:
            on_health(Problem("lamp", Health.MISSING, error.said, t_ns=time.monotonic_ns()))
        return NullLamp()
