"""The sandtimer as a device: its lines, and the back-ends it can have."""

from __future__ import annotations

import time

from hardware.edges import Clock, Edge, EdgeDevice, EdgeLines, LineSpec
from hardware.errors import BadSettingError
from hardware.events import Sink
from hardware.gpio import FactoryMaker, GpioLines, lgpio_factory
from hardware.sand.sand import BARRIER, FLIP, TILT, SandLogic
from hardware.settings import SandSettings


def sand_lines(settings: SandSettings) -> tuple[LineSpec, ...]:
    """Name the lines of the sensors that are fitted."""
    fitted = ((BARRIER, settings.barrier), (TILT, settings.tilt))
    return tuple(LineSpec(name, pin) for name, pin in fitted if pin is not None)


class NoLines:
    """No sensor at all (an `EdgeLines`): for a timer that is only watched."""

    def open(self, on_edge: object, on_health: object) -> tuple[Edge, ...]:
        """Open nothing."""
        return ()

    def close(self) -> None:
        """Close nothing."""


class Sandtimer:
    """A sandtimer on the clock: sensors' edges in, flipped and run out on the sink."""

    def __init__(
        self,
        settings: SandSettings,
        sink: Sink,
        clock: Clock = time.monotonic_ns,
        lines: EdgeLines | None = None,
        make_factory: FactoryMaker = lgpio_factory,
    ) -> None:
        """lines: where the edges come from, if not from the back-end that the settings name.

        Raises BadSettingError for settings that give no sandtimer.
        """
        self._clock = clock
        self.logic = SandLogic(settings)
        self.device = EdgeDevice(
            "sandtimer", lines or self._make_lines(settings, make_factory), self.logic, sink, clock
        )

    def _make_lines(self, settings: SandSettings, make_factory: FactoryMaker) -> EdgeLines:
        if settings.backend == "gpio":
            return GpioLines(sand_lines(settings), make_factory, self._clock)
        if settings.backend != "watched":
            raise BadSettingError(f'there is no sandtimer of the kind "{settings.backend}"')
        if settings.profile is None:
            raise BadSettingError("a sandtimer without sensors needs its duration: learn it with ringmaster calibrate")
        return NoLines()

    def start(self) -> None:
        """Begin to watch; returns at once."""
        self.device.start()

    def stop(self) -> None:
        """End, and wait for it."""
        self.device.stop()

    def flip(self, t_ns: int | None = None) -> None:
        """Take it that the timer was flipped at `t_ns` (None: now): from a button or the web page; any thread."""
        self.device.command(Edge(self._clock() if t_ns is None else t_ns, FLIP, True))
