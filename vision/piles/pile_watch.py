"""Watches piles through a series of pictures: reads only changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import Floats, Image, Singles
from vision.piles.observations import SLOW_NS, PilePlace, PileSight
from vision.piles.pile_reader import PrintTableReader
from vision.piles.small_copies import (
    FROM_MIDDLE,
    LEAST_CELLS,
    MIDDLE,
    ROUND_IT,
    SMALL,
    Cells,
    cells_at,
    changed_cells,
    is_bare,
    small_of,
    veiled,
)
from vision.table import Table

_DOUBTFUL = ("covered", "unclear")
_VEILED = 0.6
_RESTS_NS = 300_000_000
_NEVER_NS = -1
_AGAIN = 30  # pictures after which one place is read without any change: slow changes of light must not deceive
MOST_SEARCHED = 2


@dataclass
class _Pile:
    """One pile: its place, last sight, and last face with its time.

    Small copies of it: when it was last `read`, in the `last` picture, `bare`, and `clear`, fully visible. rest: since
    when it rests, and its copy then. searched: it was read for a ring in its present state. glanced: it is read again
    as soon as it rests. left: the last picture of it was left unread. read_ns: when.
    """

    place: PilePlace
    sight: PileSight | None = None
    face_px: Floats | None = None
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
    """Follows the piles at some places of a table."""

    def __init__(self, reader: PrintTableReader, table: Table, places: Sequence[PilePlace] = ()) -> None:
        self._reader, self._table = reader, table
        self._piles: list[_Pile] = []
        self.follow(places)
        self._looks = 0
        self._has_settled = False  # whether a place that has come to rest was read in this picture
        self._t_ns = _NEVER_NS

    def follow(self, places: Sequence[PilePlace]) -> None:
        """Watch these places; those that stay keep their state."""
        known = {pile.place: pile for pile in self._piles}
        self._piles = [known.get(place) or _Pile(place) for place in places]

    def know_bare(self, images_bgr: Mapping[int, Sequence[Image]]) -> None:
        """Learn the uncovered table at seats' places, from pictures (h, w, 3) before the first card.

        Without them, the grain of wood or a cloth's pattern may look like something in the way.
        """
        for pile in self._piles:
            pile.bare = tuple(small_of(pile.place.crop(image)) for image in images_bgr.get(pile.place.seat, ()))

    def look(self, image_bgr: Image, t_ns: int) -> tuple[PileSight, ...]:
        """Take the next picture, (h, w, 3) uint8 BGR; return the sight of each place, in their order.

        Raises:
            ValueError: the picture has another size than the reader's, or is not newer than the one before.
        """
        if image_bgr.shape[1::-1] != self._table.size_px:
            raise ValueError(f"expected a picture of {self._table.size_px}, found {image_bgr.shape[1::-1]}")
        if t_ns <= self._t_ns:
            raise ValueError(f"expected a picture newer than {self._t_ns}, found {t_ns}")
        self._t_ns, self._has_settled = t_ns, False
        sights = []
        for number, pile in enumerate(self._piles):
            due = self._looks % (_AGAIN * len(self._piles)) == number * _AGAIN
            self._keep(pile, sight := self._sight(image_bgr, pile, due=due))
            sights.append(sight)
        self._looks += 1
        return tuple(sights)

    def look_closely(self, image_bgr: Image) -> tuple[PileSight, ...]:
        """Read the last picture once more, because of a ring; return the sights that it changes.

        These are places left unread, and faces with a fingertip across their edge. At most MOST_SEARCHED of the latter
        are searched, and none twice while nothing changes there.
        """
        left = [pile for pile in self._piles if pile.left]
        doubtful = [
            pile
            for pile in self._piles
            if pile.sight is not None and pile.sight.kind in _DOUBTFUL and not pile.searched and not pile.left
        ]
        # The place covered last is where somebody has just turned a card.
        doubtful.sort(key=lambda pile: -pile.face_ns)
        found = []
        for number, pile in enumerate((*left, *doubtful[:MOST_SEARCHED])):
            sight = self._read(image_bgr, pile, small_of(pile.place.crop(image_bgr)))
            pile.searched = True
            if number < len(left) or sight.kind == "face":
                self._keep(pile, sight)
                found.append(sight)
        return tuple(found)

    def _sight(self, image_bgr: Image, pile: _Pile, *, due: bool) -> PileSight:
        before, small = pile.sight, small_of(pile.place.crop(image_bgr))
        if before is None:
            pile.last = small
            return self._read(image_bgr, pile, small)
        moves = int(changed_cells(pile.last, small).sum()) >= LEAST_CELLS
        pile.last, pile.left = small, False
        settles = pile.glanced and not moves
        if settles and self._has_settled:
            # An arm has swept several places at once: one of them is read in each picture.
            pile.left = True
            return before
        self._has_settled |= settles
        if not due and not settles:
            changed = changed_cells(pile.read, small)
            if int(changed.sum()) < LEAST_CELLS:
                return self._unless_bare(before, pile, small)
            # An arm that passes by, or the draw pile beside, hides nothing of the top.
            if before.kind == "face" and not (changed & _top_cells(pile.place, before)).any():
                return before
            if self._reader.still_there(image_bgr, self._table, before, moves=moves):
                pile.read, pile.glanced = small, moves
                return before
            if moves and self._t_ns - pile.read_ns < SLOW_NS:
                pile.left = pile.glanced = True
                return before
        return self._read(image_bgr, pile, small, moves=moves)

    def _read(self, image_bgr: Image, pile: _Pile, small: Singles, *, moves: bool = False) -> PileSight:
        pile.read, pile.read_ns, pile.searched, pile.left = small, self._t_ns, False, False
        sight = self._reader.read_pile(image_bgr, self._table, pile.place, pile.face_px, moves=moves)
        sight = self._unless_bare(sight, pile, small)
        pile.glanced = moves and sight.kind not in ("face", "back")
        if sight.kind == "empty" and _is_veiled(pile, small):
            return replace(sight, kind="covered")
        if sight.kind in ("face", "empty"):
            pile.clear = small
        return sight

    def _keep(self, pile: _Pile, sight: PileSight) -> None:
        pile.sight = sight
        if sight.kind == "face":
            pile.face_px, pile.face_ns = sight.corners_px, self._t_ns

    def _unless_bare(self, sight: PileSight, pile: _Pile, small: Singles) -> PileSight:
        """Return the sight of a place, or an empty one: checks and grain may look like a tilted card.

        An object at rest beside it is not an arm that lays a card: the draw pile has grown, or a hand is there.
        """
        if sight.kind not in ("covered", "turning"):
            return sight
        since = pile.rest
        if since is None or int((changed_cells(since[1], small) & (FROM_MIDDLE < MIDDLE)).sum()) >= LEAST_CELLS:
            pile.rest = since = self._t_ns, small
        rests = self._t_ns - since[0] >= _RESTS_NS
        if not any(is_bare(bare, small, rests=rests) for bare in pile.bare):
            return sight
        return PileSight(sight.seat, "empty")


def _top_cells(place: PilePlace, sight: PileSight) -> Cells:
    """Return the cells of a place's small copy with the top card, and the table's edge round it."""
    if sight.corners_px is None:
        return np.ones(SMALL, np.bool_)
    left, top, right, bottom = place.part
    return cells_at([(sight.corners_px - (left, top)) / (right - left, bottom - top)], SMALL)


def _is_veiled(pile: _Pile, small: Singles) -> bool:
    """Return whether the table all round a place looks different from when it was last fully visible.

    A hand close to the lens is as even as an uncovered table.
    """
    looks = pile.bare if pile.clear is None else (pile.clear, *pile.bare)
    veils = [float(veiled(look, small)[FROM_MIDDLE > ROUND_IT].mean()) for look in looks]
    return bool(veils) and min(veils) > _VEILED
