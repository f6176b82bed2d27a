"""Whether time stamps from a driver lie on our clock, CLOCK_MONOTONIC."""

from __future__ import annotations

import re
import time

from hardware.settings import MS, SECOND

EARLIEST_KERNEL = (5, 10)


class StampCheck:
    """Compares every stamp with the moment it arrived, and replaces those that cannot be right.

    A stamp is believed if it is not from the future (by more than `future_ns`) and not older than `oldest_ns`.
    """

    def __init__(self, future_ns: int = 1 * MS, oldest_ns: int = 2 * SECOND) -> None:
        self._future_ns = future_ns
        self._oldest_ns = oldest_ns
        self.stamps = 0
        self.refused = 0
        self.worst_lag_ns = 0

    @property
    def agrees(self) -> bool | None:
        """Whether stamp and clock agree; None while there was no stamp."""
        return None if not self.stamps else self.refused == 0

    def correct(self, stamp_ns: int, arrival_ns: int) -> int:
        """Give the time that counts: the stamp, or the arrival if the stamp cannot be right."""
        self.stamps += 1
        lag_ns = arrival_ns - stamp_ns
        if -self._future_ns <= lag_ns <= self._oldest_ns:
            self.worst_lag_ns = max(self.worst_lag_ns, lag_ns)
            return stamp_ns
        self.refused += 1
        return arrival_ns


def name_clock(stamp_ns: int, tolerance_ns: int = 1 * SECOND) -> str | None:
    """Name the clock on which a stamp that was just taken lies, for the doctor; None: none that is known."""
    clocks = {
        "monotonic": time.CLOCK_MONOTONIC,
        "boottime": time.CLOCK_BOOTTIME,
        "realtime": time.CLOCK_REALTIME,
    }
    for name, clock in clocks.items():
        if abs(time.clock_gettime_ns(clock) - stamp_ns) <= tolerance_ns:
            return name
    return None


def kernel_stamps_monotonic(release: str) -> bool:
    """Tell from the kernel's release ("6.6.20-rpi") whether GPIO edges are stamped on CLOCK_MONOTONIC.

    They are with the second version of the GPIO interface, which lgpio 0.2 asks for: kernel 5.10 and later.
    """
    match = re.match(r"(\d+)\.(\d+)", release)
    return match is not None and (int(match[1]), int(match[2])) >= EARLIEST_KERNEL
