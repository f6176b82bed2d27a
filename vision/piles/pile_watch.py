"""Watches piles through a series of pictures: reads only changes, and keeps when each face was visible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.arrays import Image, Singles
from vision.piles.observations import Kind, PileSight, PlaceReader
from vision.piles.small_copies import (
    FROM_MIDDLE,
    LEAST_CELLS,
    MIDDLE,
    ROUND_IT,
    SMALL,
    Cells,
    changed_cells,
    is_bare,
    small_of,
    veiled,
)

_VEILED = 0.6
_RESTS_NS = 300_000_000
_AGAIN = 30  # pictures after which one place is read without any change: slow changes of light must not deceive
MOST_SEARCHED = 2


@dataclass(frozen=True, eq=False)
class PileState:
    """State of one pile.

    `kind`: its place in the last picture. `top` is the last certain sight of a face, None before the first and when the
    place is uncovered or shows a back; it stays while a hand covers the pile or a card is being turned over it. The
    face was
    seen from `first_ns` to `last_ns`; `before_ns` is the time of the last picture without it (None: it was there from
    the
    beginning). `gone_ns` is the time of the first picture that certainly showed something else. All times come with the
    pictures.
    """

    number: int
    seat: int
    kind: Kind
    sight: PileSight
    top: PileSight | None = None
    before_ns: int | None = None
    first_ns: int | None = None
    last_ns: int | None = None
    gone_ns: int | None = None

    @property
    def visible(self) -> bool:
        """Return whether the top's face was visible in the last picture."""
        return self.kind == "face"

    def age_ns(self, t_ns: int) -> int | None:
        """Return the time since the top was last seen."""
        return None if self.last_ns is None else t_ns - self.last_ns


@dataclass(frozen=True, eq=False)
class PileChange:
    """A change of a place since the picture before: `before` (None for the first picture) and `after`."""

    t_ns: int
    before: PileState | None
    after: PileState


@dataclass
class _Place:
    """Small copies of one place: when it was last read, in the last picture, uncovered, and fully visible.

    rest: since when it rests, and its copy then. searched: it was read closely in its present state. glanced: it got
    only a
    glance, without a reading of a card.
    """

    state: PileState | None = None
    read: Singles | None = None
    last: Singles | None = None
    bare: tuple[Singles, ...] = ()
    plain: Singles | None = None
    rest: tuple[int, Singles] | None = None
    searched: bool = False
    glanced: bool = False


class PileWatch:
    """Follows the piles of one reader."""

    def __init__(self, reader: PlaceReader) -> None:
        self.reader = reader
        self._places = [_Place() for _ in reader.places]
        self._looks = 0
        self._has_settled = False  # whether a place that has come to rest was read in this picture
        self._t_ns: int | None = None
        self._before_ns: int | None = None

    def with_places(self, reader: PlaceReader) -> PileWatch:
        """Return a watch over another reader's places on the same table; places that stay keep their state."""
        watch = PileWatch(reader)
        for number, place in enumerate(reader.places):
            if place in self.reader.places:
                known = self._places[self.reader.places.index(place)]
                state = None if known.state is None else replace(known.state, number=number)
                watch._places[number] = replace(known, state=state)
        watch._t_ns, watch._before_ns = self._t_ns, self._before_ns
        return watch

    def know_bare(self, number: int, images_bgr: Sequence[Image]) -> None:
        """Learn the uncovered table at a place, from pictures (h, w, 3) before the first card.

        Without them, the grain of wood or a cloth's pattern may look like something in the way.
        """
        self._places[number].bare = tuple(small_of(self.reader.regions[number].crop(image)) for image in images_bgr)

    @property
    def states(self) -> tuple[PileState, ...]:
        """Return the state of every pile that has been read, in the order of the places."""
        return tuple(place.state for place in self._places if place.state is not None)

    def look(self, image_bgr: Image, t_ns: int) -> tuple[PileChange, ...]:
        """Take the next picture, (h, w, 3) uint8 BGR; return the changes.

        Raises:
            ValueError: the picture has another size than the reader's, or is not newer than the one before.
        """
        if image_bgr.shape[1::-1] != self.reader.size_px:
            raise ValueError(f"expected a picture of {self.reader.size_px}, found {image_bgr.shape[1::-1]}")
        if self._t_ns is not None and t_ns <= self._t_ns:
            raise ValueError(f"expected a picture newer than {self._t_ns}, found {t_ns}")
        changes = []
        self._has_settled = False
        for number, place in enumerate(self._places):
            before = place.state
            sight = self._sight(image_bgr, number, t_ns)
            place.state = after = _followed(number, before, sight, t_ns, self._t_ns)
            if before is None or _differ(before, after):
                changes.append(PileChange(t_ns, before, after))
        self._looks += 1
        self._before_ns, self._t_ns = self._t_ns, t_ns
        return tuple(changes)

    def look_closely(self, image_bgr: Image) -> tuple[PileChange, ...]:
        """Read the last picture once more for faces with a fingertip across their edge; return the changes.

        That takes too long for every picture, so it is for those with a decision. At most MOST_SEARCHED places are
        searched, and
        none twice while nothing changes there.
        """
        if self._t_ns is None:
            return ()
        doubtful = [s for s in self.states if s.kind in ("covered", "unclear") and not self._places[s.number].searched]
        # The place covered last is where somebody has just turned a card.
        doubtful.sort(key=lambda state: -(state.last_ns or 0))
        changes = []
        for state in doubtful[:MOST_SEARCHED]:
            place = self._places[state.number]
            place.searched, place.glanced = True, False
            sight = self.reader.read_part(image_bgr, state.number)
            if sight is None:
                continue
            place.state = after = _followed(state.number, state, sight, self._t_ns, self._before_ns)
            place.read = small_of(self.reader.regions[state.number].crop(image_bgr))
            changes.append(PileChange(self._t_ns, state, after))
        return tuple(changes)

    def _sight(self, image_bgr: Image, number: int, t_ns: int) -> PileSight:
        place = self._places[number]
        before, small = place.state, small_of(self.reader.regions[number].crop(image_bgr))
        moves = before is not None and int(changed_cells(place.last, small).sum()) >= LEAST_CELLS
        place.last = small
        due = self._looks % (_AGAIN * len(self._places)) == number * _AGAIN
        settles = place.glanced and not moves
        if before is not None and settles and self._has_settled:
            # An arm has swept several places at once: one of them is read in each picture.
            return before.sight
        self._has_settled |= settles
        if before is not None and not due and not settles:
            changed = changed_cells(place.read, small)
            if int(changed.sum()) < LEAST_CELLS:
                return _unless_bare(before.sight, place, small, t_ns)
            # An arm that passes by, or the draw pile beside, hides nothing of the top.
            if before.kind == "face" and not (changed & self._top_cells(number, before.sight)).any():
                return before.sight
            if self.reader.still_there(image_bgr, before.sight):
                place.read = small
                return before.sight
        place.read = small
        place.searched = False
        sight = _unless_bare(self.reader.read_place(image_bgr, number, moves=moves), place, small, t_ns)
        place.glanced = moves and sight.kind not in ("face", "back")
        if sight.kind == "empty" and _is_veiled(place, small):
            return replace(sight, kind="covered", reason="covered")
        if sight.kind in ("face", "empty"):
            place.plain = small
        return sight

    def _top_cells(self, number: int, sight: PileSight) -> Cells:
        """Return the cells of a region's small copy with the top card, and the table's edge round it."""
        region = self.reader.regions[number]
        if sight.corners_px is None:
            return np.ones(SMALL, np.bool_)
        size = np.array([region.right - region.left, region.bottom - region.top])
        corners = (sight.corners_px - (region.left, region.top)) / size * SMALL
        cells = np.zeros(SMALL, np.uint8)
        cv2.fillConvexPoly(cells, np.floor(corners).astype(np.int32), 1)
        return np.asarray(cv2.dilate(cells, np.ones((3, 3), np.uint8)) > 0)


def _is_veiled(place: _Place, small: Singles) -> bool:
    """Return whether the table all round a place looks different from when it was last fully visible.

    A hand close to the lens is as even as an uncovered table.
    """
    looks = place.bare if place.plain is None else (place.plain, *place.bare)
    veils = [float(veiled(look, small)[FROM_MIDDLE > ROUND_IT].mean()) for look in looks]
    return bool(veils) and min(veils) > _VEILED


def _unless_bare(sight: PileSight, place: _Place, small: Singles, t_ns: int) -> PileSight:
    """Return the sight of a place, or an empty one: checks and grain may look like a tilted card.

    An object at rest beside it is not an arm that lays a card: the draw pile has grown, or a hand is there.
    """
    if sight.kind not in ("covered", "turning"):
        return sight
    rests = _rests(place, small, t_ns)
    if not any(is_bare(bare, small, rests=rests) for bare in place.bare):
        return sight
    return replace(sight, kind="empty", colour=None, mood=None, confidence=0.0, corners_px=None, reason=None)


def _rests(place: _Place, small: Singles, t_ns: int) -> bool:
    """Return whether nothing has moved in the middle of a place for a while."""
    since = place.rest
    if since is None or int((changed_cells(since[1], small) & (FROM_MIDDLE < MIDDLE)).sum()) >= LEAST_CELLS:
        place.rest = since = t_ns, small
    return t_ns - since[0] >= _RESTS_NS


def _followed(number: int, before: PileState | None, sight: PileSight, t_ns: int, last_t_ns: int | None) -> PileState:
    """Return the state after a picture in which a place showed `sight`."""
    if before is None:
        before = PileState(number, sight.seat, sight.kind, sight)
    now = replace(before, kind=sight.kind, sight=sight)
    if sight.kind == "face":
        if before.top is not None and before.top.face == sight.face and not _replaced(before, sight):
            return replace(now, top=sight, last_ns=t_ns)
        return replace(now, top=sight, before_ns=last_t_ns, first_ns=t_ns, last_ns=t_ns, gone_ns=None)
    if sight.kind in ("back", "empty") and before.top is not None:
        return replace(now, top=None, before_ns=None, first_ns=None, last_ns=None, gone_ns=t_ns)
    return now


def _replaced(before: PileState, sight: PileSight) -> bool:
    """Return whether an equal face is another card: it is elsewhere after something was in the way."""
    if before.kind == "face" or before.top is None or before.top.corners_px is None or sight.corners_px is None:
        return False
    moved = np.linalg.norm(before.top.corners_px - sight.corners_px, axis=1).mean()
    return bool(moved > 0.04 * np.linalg.norm(sight.corners_px[0] - sight.corners_px[2]))


def _differ(before: PileState, after: PileState) -> bool:
    same_top = (before.top is None) == (after.top is None) and before.first_ns == after.first_ns
    return before.kind != after.kind or not same_top
