"""Watches the computer: its heat, its power, its disk, its clock, and the camera's frame rate."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from hardware.camera.frames import SECOND_NS
from referee.doctor.checks import CAPPED, HOT_MILLIDEGREES, LEAST_BYTES, THROTTLED, UNDER_VOLTAGE, power_bits
from referee.doctor.machine import Machine
from referee.match.monitor.mishaps import Mishap

_OVERHEATED = 8
_COOLER_MILLIDEGREES = 5_000
_JUMP_NS = 60 * SECOND_NS
_CLOCK_SHOWN_NS = 60 * SECOND_NS
_WINDOW_NS = 2 * SECOND_NS
_USUAL_WINDOWS = 3
_FEWER = 0.5
_ENOUGH_PER_S = 12.0


class Watching(Protocol):
    """Watches for some mishaps."""

    @property
    def mishaps(self) -> frozenset[Mishap]:
        """Return the mishaps that it watches for."""

    def here(self, now_ns: int) -> frozenset[Mishap]:
        """Return the mishaps at `now_ns` of the monotonic clock."""


class HeatAndPower:
    """Reports of the Raspberry Pi's firmware; a computer without reports has neither mishap."""

    mishaps = frozenset({Mishap.HOT, Mishap.POWER})

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._hot = False

    def here(self, now_ns: int) -> frozenset[Mishap]:
        """Read the firmware and the thermometer; a hot one has cooled down when it is well below the limit."""
        bits = power_bits(self._machine)
        if bits is None:
            return frozenset()
        degrees = self._machine.number("sys/class/thermal/thermal_zone0/temp") or 0
        limit = HOT_MILLIDEGREES - (_COOLER_MILLIDEGREES if self._hot else 0)
        weak = bool(bits & UNDER_VOLTAGE)
        # The firmware slows down for want of power, too.
        self._hot = degrees >= limit or bool(bits & (_OVERHEATED | ((CAPPED | THROTTLED) if not weak else 0)))
        return frozenset({Mishap.HOT} if self._hot else ()) | ({Mishap.POWER} if weak else frozenset())


class DiskFull:
    """Too little room for the journal's pictures."""

    mishaps = frozenset({Mishap.DISK})

    def __init__(self, machine: Machine, folder: Path) -> None:
        self._machine, self._folder = machine, folder
        self._full = False

    def here(self, now_ns: int) -> frozenset[Mishap]:
        """Check the disk; there is room again at a fifth more than too little."""
        try:
            free = self._machine.free_bytes(self._folder)
        except OSError:
            return frozenset({Mishap.DISK} if self._full else ())
        self._full = free < LEAST_BYTES * (1.2 if self._full else 1.0)
        return frozenset({Mishap.DISK} if self._full else ())


class ClockJump:
    """A jump of the wall clock: a Raspberry Pi without a clock chip gets the time late."""

    mishaps = frozenset({Mishap.CLOCK})

    def __init__(self, wall_ns: Callable[[], int]) -> None:
        self._wall_ns = wall_ns
        self._offset_ns: int | None = None
        self._jumped_ns: int | None = None

    def here(self, now_ns: int) -> frozenset[Mishap]:
        """Compare the wall clock with the monotonic one; a jump is shown for a minute."""
        offset_ns = self._wall_ns() - now_ns
        if self._offset_ns is not None and abs(offset_ns - self._offset_ns) > _JUMP_NS:
            self._jumped_ns = now_ns
        self._offset_ns = offset_ns
        lately = self._jumped_ns is not None and now_ns - self._jumped_ns < _CLOCK_SHOWN_NS
        return frozenset({Mishap.CLOCK} if lately else ())


def machine_watchers(folder: Path) -> tuple[Watching, ...]:
    """Return the watchers of this computer; folder: of the journal."""
    machine = Machine()
    return HeatAndPower(machine), DiskFull(machine, folder), ClockJump(time.time_ns)


class Pace:
    """The frame rate, by the buffer's count; the usual rate is the best so far."""

    mishaps = frozenset({Mishap.PACE})

    def __init__(self, pushed: Callable[[], int]) -> None:
        self._pushed = pushed
        self._counts: deque[tuple[int, int]] = deque()
        self._windows = 0
        self._usual = 0.0

    def begin(self) -> None:
        """Forget the usual rate: the camera is another, or was set up."""
        self._counts.clear()
        self._windows, self._usual = 0, 0.0

    def here(self, now_ns: int) -> frozenset[Mishap]:
        """Count the pictures of the last two seconds."""
        self._counts.append((now_ns, self._pushed()))
        while len(self._counts) > 1 and now_ns - self._counts[1][0] >= _WINDOW_NS:
            self._counts.popleft()
        (first_ns, before), (_, count) = self._counts[0], self._counts[-1]
        if now_ns - first_ns < _WINDOW_NS:
            return frozenset()
        rate = (count - before) * SECOND_NS / (now_ns - first_ns)
        self._windows += 1
        few = rate < min(_FEWER * self._usual, _ENOUGH_PER_S)
        if not few:
            self._usual = max(self._usual, rate)
        # No picture at all is the camera's own trouble, and reported as that.
        return frozenset({Mishap.PACE} if few and rate > 0 and self._windows > _USUAL_WINDOWS else ())
