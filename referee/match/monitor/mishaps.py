"""The mishaps during a game, and when each counts as begun and as ended. Pure."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from hardware.camera.frames import SECOND_NS


class Mishap(Enum):
    """A mishap; the value is its name in the journal and on the page."""

    MOVED = "moved"
    DARK = "dark"
    BRIGHT = "bright"
    LIGHT = "light"
    BLURRED = "blurred"
    SMEARED = "smeared"
    FLICKER = "flicker"
    LOCK = "lock"
    PACE = "pace"
    HOT = "hot"
    POWER = "power"
    CLOCK = "clock"
    DISK = "disk"

    @property
    def settles(self) -> bool:
        """Return whether setting the camera up again may help."""
        return self in _SETTLED


_SETTLED = frozenset({Mishap.DARK, Mishap.BRIGHT, Mishap.LIGHT, Mishap.BLURRED, Mishap.FLICKER, Mishap.LOCK})


class Lasting:
    """Counts only lasting mishaps: a hand over a marker, a shadow or a passing cloud is not a mishap.

    begins_ns, ends_ns: how long it must have been there, or gone, without a break. on: the present ones.
    """

    def __init__(self, begins_ns: int = 7 * SECOND_NS // 10, ends_ns: int = 2 * SECOND_NS) -> None:
        self._begins_ns, self._ends_ns = begins_ns, ends_ns
        self._since: dict[Mishap, int] = {}
        self._seen: dict[Mishap, int] = {}
        self.on: frozenset[Mishap] = frozenset()

    def take(self, here: Collection[Mishap], asked: Collection[Mishap], t_ns: int) -> frozenset[Mishap]:
        """Take the mishaps `here` of all those checked, `asked`, and return the present ones."""
        on = set(self.on)
        for mishap in asked:
            if mishap in here:
                self._since.setdefault(mishap, t_ns)
                self._seen[mishap] = t_ns
                if t_ns - self._since[mishap] >= self._begins_ns:
                    on.add(mishap)
            else:
                self._since.pop(mishap, None)
                if mishap in on and t_ns - self._seen[mishap] >= self._ends_ns:
                    on.discard(mishap)
        self.on = frozenset(on)
        return self.on
