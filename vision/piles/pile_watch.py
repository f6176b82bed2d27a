"""Watches piles through a series of pictures: reads only changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.arrays import Image, Singles
from vision.piles.observations import SLOW_NS, PileSight
from vision.piles.pile_reader import PrintPiles
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

_DOUBTFUL = ("covered", "unclear")
_VEILED = 0.6
_RESTS_NS = 300_000_000
_NEVER_NS = -1
_AGAIN = 30  # pictures after which one place is read without any change: slow changes of light must not deceive
MOST_SEARCHED = 2


@dataclass
class _Place:
    """One place: its last sight, and when a face was seen last.

    Small copies of it: when it was last `read`, in the `last` picture, `bare`, and `clear`, fully visible. rest: since
    when it rests, and its copy then. searched: it was read for a ring in its present state. glanced: it is read again
    as soon as it rests. left: the last picture of it was left unread. read_ns: when.
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
    left: bool = False
    read_ns: int = -SLOW_NS


class PileWatch:
    """Follows the piles of one reader."""

    def __init__(self, reader: PrintPiles) -> None:
        self.reader = reader
        self._places = [_Place() for _ in reader.places]
        self._looks = 0
        self._has_settled = False  # whether a place that has come to rest was read in this picture
        self._t_ns = _NEVER_NS

    def follow(self, reader: PrintPiles) -> None:
        """Watch another reader's places on the same table; places that stay keep their state."""
        known = dict(zip(self.reader.places, self._places, strict=True))
        self.reader, self._places = reader, [known.get(place) or _Place() for place in reader.places]

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
        if image_bgr.shape[1::-1] != self.reader.table.size_px:
            raise ValueError(f"expected a picture of {self.reader.table.size_px}, found {image_bgr.shape[1::-1]}")
        if t_ns <= self._t_ns:
            raise ValueError(f"expected a picture newer than {self._t_ns}, found {t_ns}")
        self._t_ns, self._has_settled = t_ns, False
        sights = []
        for number, place in enumerate(self._places):
            self._keep(place, sight := self._sight(image_bgr, number))
            sights.append(sight)
        self._looks += 1
        return tuple(sights)

    def look_closely(self, image_bgr: Image) -> tuple[PileSight, ...]:
        """Read the last picture once more, because of a ring; return the sights that it changes.

        These are places left unread, and faces with a fingertip across their edge. At most MOST_SEARCHED of the latter
        are searched, and none twice while nothing changes there.
        """
        left = [number for number, place in enumerate(self._places) if place.left]
        doubtful = [
            number
            for number, place in enumerate(self._places)
            if place.sight is not None and place.sight.kind in _DOUBTFUL and not place.searched and not place.left
        ]
        # The place covered last is where somebody has just turned a card.
        doubtful.sort(key=lambda number: -self._places[number].face_ns)
        found = []
        for number in (*left, *doubtful[:MOST_SEARCHED]):
            place = self._places[number]
            sight = self._read(image_bgr, number, small_of(self.reader.regions[number].crop(image_bgr)))
            place.searched = True
            if number in left or sight.kind == "face":
                self._keep(place, sight)
                found.append(sight)
        return tuple(found)

    def _sight(self, image_bgr: Image, number: int) -> PileSight:
        place = self._places[number]
        before, small = place.sight, small_of(self.reader.regions[number].crop(image_bgr))
        moves = before is not None and int(changed_cells(place.last, small).sum()) >= LEAST_CELLS
        place.last, place.left = small, False
        due = self._looks % (_AGAIN * len(self._places)) == number * _AGAIN
        settles = place.glanced and not moves
        if before is not None and settles and self._has_settled:
            # An arm has swept several places at once: one of them is read in each picture.
            place.left = True
            return before
        self._has_settled |= settles
        if before is not None and not due and not settles:
            changed = changed_cells(place.read, small)
            if int(changed.sum()) < LEAST_CELLS:
                return self._unless_bare(before, place, small)
            # An arm that passes by, or the draw pile beside, hides nothing of the top.
            if before.kind == "face" and not (changed & self._top_cells(number, before)).any():
                return before
            if self.reader.still_there(image_bgr, before, moves=moves):
                place.read, place.glanced = small, moves
                return before
            if moves and self._t_ns - place.read_ns < SLOW_NS:
                place.left = place.glanced = True
                return before
        return self._read(image_bgr, number, small, moves=moves)

    def _read(self, image_bgr: Image, number: int, small: Singles, *, moves: bool = False) -> PileSight:
        place = self._places[number]
        place.read, place.read_ns, place.searched, place.left = small, self._t_ns, False, False
        sight = self._unless_bare(self.reader.read_place(image_bgr, number, moves=moves), place, small)
        place.glanced = moves and sight.kind not in ("face", "back")
        if sight.kind == "empty" and _is_veiled(place, small):
            return replace(sight, kind="covered")
        if sight.kind in ("face", "empty"):
            place.clear = small
        return sight

    def _keep(self, place: _Place, sight: PileSight) -> None:
        place.sight = sight
        place.face_ns = self._t_ns if sight.kind == "face" else place.face_ns

    def _unless_bare(self, sight: PileSight, place: _Place, small: Singles) -> PileSight:
        """Return the sight of a place, or an empty one: checks and grain may look like a tilted card.

        An object at rest beside it is not an arm that lays a card: the draw pile has grown, or a hand is there.
        """
        if sight.kind not in ("covered", "turning"):
            return sight
        since = place.rest
        if since is None or int((changed_cells(since[1], small) & (FROM_MIDDLE < MIDDLE)).sum()) >= LEAST_CELLS:
            place.rest = since = self._t_ns, small
        rests = self._t_ns - since[0] >= _RESTS_NS
        if not any(is_bare(bare, small, rests=rests) for bare in place.bare):
            return sight
        return PileSight(sight.seat, "empty")

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
