"""Finds the ringer of the one bell for all: the arm that is at the bell at that instant, if no other could be.

The bell is assumed in the middle of the table, where everybody reaches it, unless its place is set.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hardware.camera.frames import Frame
from referee.watchers.table_arms import ArmRegion, TableArms

MS = 1_000_000
AT_BELL_MM = 90.0
"""An arm that rings is so near, at least, in the frames round the ring."""
CLEAR_MM = 90.0
"""mm by which every other arm must be further away, or the ringer is unknown."""
FAR_MM = 330.0
"""Nobody's hand comes from so far in the time of a frame."""
FRESH_NS = 50 * MS
WAIT_NS = 150 * MS
FIRST_NS = 200 * MS
"""So long before a ring nobody else's arm may have been as near: a hand that looks like the table goes out of sight."""
CAME_NS = 300 * MS
"""Whoever rings reached for the bell so shortly before."""
LOST_NS = 120 * MS
"""Nobody takes his hand from the bell so shortly before he rings it: it is out of sight, on dark wood."""
HAND_MM = 250.0
"""mm to a sleeve whose hand may be at the bell unseen, because it looks like the table."""
_RESTS_MM, _CAME_MM = 25.0, 15.0  # a hand that rings came there, and comes no nearer in that frame
_KEPT = 48  # more than FIRST_NS and WAIT_NS of a camera that gives 120 frames a second


@dataclass(frozen=True)
class _Look:
    """Distances from the bell, mm, by seat; None as a seat: an arm of which nobody can say whose it is."""

    t_ns: int
    reach_mm: tuple[tuple[int | None, float], ...]

    def of(self, seat: int | None) -> float:
        """Return the distance of a seat's arm, infinite without one."""
        return min((mm for other, mm in self.reach_mm if other == seat), default=float("inf"))

    @property
    def seats(self) -> set[int | None]:
        """Return whose arms are in sight."""
        return {seat for seat, _ in self.reach_mm}


class RingerDetector:
    """Sees who rings.

    place: gives the table as soon as it is known. bell_mm: where the bell stands on it, None: in the middle.
    """

    def __init__(self, place: Callable[[], ArmRegion | None], bell_mm: tuple[float, float] | None = None) -> None:
        self._place = place
        self._bell_mm = bell_mm
        self._arms = TableArms()
        self._looks: deque[_Look] = deque(maxlen=_KEPT)
        self._open: list[int] = []

    def look(self, frame: Frame) -> Sequence[tuple[int, int]]:
        """Take the next frame, and give the rings that are decided by now: when, and by which seat."""
        place = self._place()
        if place is None:
            return ()
        bell_mm = np.array([self._bell_mm or tuple(place.ring.corners_mm.mean(0))])
        bell_px = place.table.to_px(bell_mm)
        px_per_mm = float(place.table.px_per_mm(bell_px)[0])
        arms = self._arms.look(place, frame, bell_px)
        reach = [(seat, arm.reach_px / px_per_mm) for seat, arm in arms]
        self._looks.append(_Look(frame.exposure_end_ns, tuple(reach)))
        decided = [(ring_ns, self._who(ring_ns)) for ring_ns in self._open]
        self._open = [ns for ns, seat in decided if seat is None and frame.exposure_end_ns - ns < WAIT_NS]
        return [(ring_ns, seat) for ring_ns, seat in decided if seat is not None]

    def rang(self, t_ns: int) -> int | None:
        """Take a ring; gives who rang if the frames before it leave no doubt."""
        last = self._looks[-1] if self._looks else None
        if last is not None and t_ns - last.t_ns <= FRESH_NS:
            near = sorted((arm for arm in last.reach_mm if arm[1] < FAR_MM), key=lambda arm: arm[1])
            alone = near and near[0][1] <= AT_BELL_MM and all(self._rests(seat, t_ns) for seat, _ in near[1:])
            if alone and self._was_first(*near[0], t_ns):
                return near[0][0]
        self._open.append(t_ns)
        return None

    def _who(self, ring_ns: int) -> int | None:
        """Return who was at the bell at a ring between the last two frames, None if that is not certain."""
        before = next((look for look in reversed(self._looks) if look.t_ns < ring_ns), None)
        after = next((look for look in self._looks if look.t_ns >= ring_ns), None)
        if before is None or after is None or after.t_ns - before.t_ns > WAIT_NS:
            return None
        share = (ring_ns - before.t_ns) / (after.t_ns - before.t_ns)
        then = {seat: _between(before.of(seat), after.of(seat), share) for seat in before.seats | after.seats}
        nearest = min(then, key=lambda seat: then[seat], default=None)
        if nearest is not None and then[nearest] <= AT_BELL_MM:
            others = [mm for seat, mm in then.items() if seat != nearest]
            clear = min(others, default=FAR_MM) >= then[nearest] + CLEAR_MM
            hidden = any(self._may_ring_unseen(seat, before, after) for seat in then if seat != nearest)
            if clear and not hidden and self._was_first(nearest, then[nearest], ring_ns):
                return nearest
        return self._only_one(ring_ns, after)

    def _rests(self, seat: int | None, ring_ns: int) -> bool:
        """Return whether a seat's arm kept its distance before a ring: it cannot reach the bell within a frame.

        A card just laid down counts as the hand until it belongs to the table.
        """
        looks = self._before(ring_ns, CAME_NS)
        ways = [look.of(seat) for look in looks]
        long_enough = bool(looks) and ring_ns - looks[0].t_ns > CAME_NS - FRESH_NS
        return long_enough and max(ways) - min(ways) < _CAME_MM

    def _was_first(self, seat: int | None, mm: float, ring_ns: int) -> bool:
        """Return whether nobody else was as near to the bell in the frames before a ring."""
        return seat is not None and all(
            other == seat or away >= mm + CLEAR_MM
            for look in self._before(ring_ns, FIRST_NS)
            for other, away in look.reach_mm
        )

    def _may_ring_unseen(self, seat: int | None, before: _Look, after: _Look) -> bool:
        """Return whether a sleeve came and stopped where its hand, which nobody sees, would be at the bell."""
        if min(before.of(seat), after.of(seat)) > HAND_MM or before.of(seat) - after.of(seat) > _RESTS_MM:
            return False
        ways = [look.of(seat) for look in self._before(after.t_ns, CAME_NS)]
        return max(ways, default=0.0) - before.of(seat) > _CAME_MM or before.of(seat) > HAND_MM

    def _only_one(self, ring_ns: int, after: _Look) -> int | None:
        """Give who was seen at the bell just before a ring, if nobody else was to be seen near it: his hand is lost."""
        looks = [*self._before(ring_ns, FIRST_NS), after]
        near = {seat for look in looks for seat, mm in look.reach_mm if mm < FAR_MM}
        if len(near) != 1:
            return None
        seat = near.pop()
        return seat if any(look.of(seat) <= AT_BELL_MM for look in self._before(ring_ns, LOST_NS)) else None

    def _before(self, ring_ns: int, ns: int) -> list[_Look]:
        """Return the looks of so long before a ring."""
        return [look for look in self._looks if 0 < ring_ns - look.t_ns < ns]


def _between(before: float, after: float, share: float) -> float:
    """The distance at an instant between two frames; an arm that is in one only came from, or went, far away."""
    near = min(before, after)
    if near == float("inf"):
        return near
    one, other = (FAR_MM if mm == float("inf") else mm for mm in (before, after))
    return one + (other - one) * share
