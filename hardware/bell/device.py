"""The bell as a device: the back-ends it can have, chosen by the settings."""

from __future__ import annotations

import time
from typing import Protocol

from hardware.bell.bell import BellLogic, bell_lines, bell_seats
from hardware.edges import Clock, EdgeDevice, EdgeLines
from hardware.errors import BadSettingError
from hardware.events import Sink
from hardware.gpio import FactoryMaker, GpioLines, lgpio_factory
from hardware.settings import BellSettings, MicrophoneSettings


class Bell(Protocol):
    """A bell that puts `BellPressed`, `BellEdge` and `DeviceHealth` on its sink."""

    def start(self) -> None:
        """Begin; returns at once and never raises for a missing device: that is reported."""

    def stop(self) -> None:
        """End, free what was held, and wait until that is done."""


class NoBell:
    """No bell at all."""

    def start(self) -> None:
        """Begin nothing."""

    def stop(self) -> None:
        """End nothing."""


def make_bell(
    settings: BellSettings,
    sink: Sink,
    clock: Clock = time.monotonic_ns,
    lines: EdgeLines | None = None,
    make_factory: FactoryMaker = lgpio_factory,
    microphone: MicrophoneSettings | None = None,
) -> Bell:
    """Give the bell that the settings name, not started yet.

    lines: where the edges come from instead of the back-end, such as recorded or simulated ones; their names are those
    of `hardware.bell.bell.bell_lines`. Raises BadSettingError for a back-end that does not exist.
    """
    if lines is not None or settings.backend == "gpio":
        lines = lines or GpioLines(bell_lines(settings), make_factory, clock)
        return EdgeDevice("bell", lines, BellLogic(bell_seats(settings), settings.debounce), sink, clock)
    if settings.backend == "microphone":
        from hardware.bell.microphone import MicrophoneBell

        return MicrophoneBell(microphone or MicrophoneSettings(), sink, clock=clock)
    if settings.backend == "none":
        return NoBell()
    raise BadSettingError(f'there is no bell of the kind "{settings.backend}"')
