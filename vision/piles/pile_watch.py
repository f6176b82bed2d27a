"""Watches piles through a series of pictures: reads only changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.arrays import Image, Singles
from vision.piles.observations import PileSight, PlaceReader
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


@dataclass
class _Place:
    """One place: its last sight, and when a face was seen last.

    Small copies of it: when it was last `read`, in the `last` picture, `bare`, and `clear`, fully visible. rest: since
    when it rests, and its copy then. searched: it was read closely in its present state. glanced: it got only a glance,
    without a reading of a card.
    """

    sight: PileSight | None = None
    face_ns: int = 0
    read: Singles | None = None
    last: Singles | None = None
    bare: tuple[Singles, ...] = ()
    clear: Singles | None = None
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

    def with_places(self, reader: PlaceReader) -> PileWatch:
        """Return a watch over another reader's places on the same table; places that stay keep their state."""
        watch = PileWatch(reader)
        for number, place in enumerate(reader.places):
            if place in self.reader.places:
                watch._places[number] = self._places[self.reader.places.index(place)]
        watch._t_ns = self._t_ns
        return watch

    def know_bare(self, number: int, images_bgr: Sequence[Image]) -> None:
        """Learn the uncovered table at a place, from pictures (h, w, 3) before the first card.

        Without them, the grain of wood or a cloth's pattern may look like something in the way.
        """
        self._places[number].bare = tuple(small_of(self.reader.regions[number].crop(image)) for image in images_bgr)

    def look(self, image_bgr: Image, t_ns: int) -> tuple[PileSight, ...]:
        """Take the next picture, (h, w, 3) uint8 BGR; return the sight of each place, in their order.

        Raises:
            ValueError: the picture has another size than the reader's, or is not newer than the one before.
        """
        if image_bgr.shape[1::-1] != self.reader.size_px:
            raise ValueError(f"expected a picture of {self.reader.size_px}, found {image_bgr.shape[1::-1]}")
        if self._t_ns is not None and t_ns <= self._t_ns:
            raise ValueError(f"expected a picture newer than {self._t_ns}, found {t_ns}")
        self._has_settled = False
        sights = []
        for number, place in enumerate(self._places):
            place.sight = sight = self._sight(image_bgr, number, t_ns)
            place.face_ns = t_ns if sight.kind == "face" else place.face_ns
            sights.append(sight)
        self._looks += 1
        self._t_ns = t_ns
        return tuple(sights)

    def look_closely(self, image_bgr: Image) -> tuple[PileSight, ...]:
        """Read the last picture once more for faces with a fingertip across their edge; return those that it shows.

        That takes too long for every picture, so it is for those with a decision. At most MOST_SEARCHED places are
        searched, and none twice while nothing changes there.
        """
        doubtful = [
            number
            for number, place in enumerate(self._places)
            if place.sight is not None and place.sight.kind in ("covered", "unclear") and not place.searched
        ]
        # The place covered last is where somebody has just turned a card.
        doubtful.sort(key=lambda number: -self._places[number].face_ns)
        found = []
        for number in doubtful[:MOST_SEARCHED]:
            place = self._places[number]
            place.searched, place.glanced = True, False
            sight = self.reader.read_part(image_bgr, number)
            if sight is None:
                continue
            place.sight, place.face_ns = sight, self._t_ns or 0
            place.read = small_of(self.reader.regions[number].crop(image_bgr))
            found.append(sight)
        return tuple(found)

    def _sight(self, image_bgr: Image, number: int, t_ns: int) -> PileSight:
        place = self._places[number]
        before, small = place.sight, small_of(self.reader.regions[number].crop(image_bgr))
        moves = before is not None and int(changed_cells(place.last, small).sum()) >= LEAST_CELLS
        place.last = small
        due = self._looks % (_AGAIN * len(self._places)) == number * _AGAIN
        settles = place.glanced and not moves
        if before is not None and settles and self._has_settled:
            # An arm has swept several places at once: one of them is read in each picture.
            return before
        self._has_settled |= settles
        if before is not None and not due and not settles:
            changed = changed_cells(place.read, small)
            if int(changed.sum()) < LEAST_CELLS:
                return _unless_bare(before, place, small, t_ns)
            # An arm that passes by, or the draw pile beside, hides nothing of the top.
            if before.kind == "face" and not (changed & self._top_cells(number, before)).any():
                return before
            if self.reader.still_there(image_bgr, before):
                place.read = small
                return before
        place.read = small
        place.searched = False
        sight = _unless_bare(self.reader.read_place(image_bgr, number, moves=moves), place, small, t_ns)
        place.glanced = moves and sight.kind not in ("face", "back")
        if sight.kind == "empty" and _is_veiled(place, small):
            return replace(sight, kind="covered")
        if sight.kind in ("face", "empty"):
            place.clear = small
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
    looks = place.bare if place.clear is None else (place.clear, *place.bare)
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
    return PileSight(sight.seat, "empty")


def _rests(place: _Place, small: Singles, t_ns: int) -> bool:
    """Return whether nothing has moved in the middle of a place for a while."""
    since = place.rest
    if since is None or int((changed_cells(since[1], small) & (FROM_MIDDLE < MIDDLE)).sum()) >= LEAST_CELLS:
        place.rest = since = t_ns, small
    return t_ns - since[0] >= _RESTS_NS
