"""Which clock a camera stamps its frames with."""

from __future__ import annotations

import time

from hardware.camera.frames import SECOND_NS


def boottime_ns() -> int:
    """Read CLOCK_BOOTTIME, ns: the monotonic clock plus the time the machine was asleep."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def clock_offset_ns(stamp_ns: object, monotonic_ns: int, boottime_ns: int) -> int | None:
    """Find what to add to a sensor's stamp to have it on the monotonic clock, ns, or None if it is on neither clock.

    A frame just received was stamped less than a second ago.
    """
    if not isinstance(stamp_ns, int):
        return None
    if 0 <= monotonic_ns - stamp_ns < SECOND_NS:
        return 0
    if 0 <= boottime_ns - stamp_ns < SECOND_NS:
        return monotonic_ns - boottime_ns
    return None
