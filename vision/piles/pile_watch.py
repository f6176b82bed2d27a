"""Watches piles through a series of pictures: reads again only what changed, and keeps when each face was visible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.piles.sights import Kind, PileSight, PlaceReader

Image = NDArray[np.uint8]
Singles = NDArray[np.float32]
Cells = NDArray[np.bool_]

_SMALL = (20, 20)
_CHANGED_CELL = 0.12  # of the brightness, in a cell of the small picture
_CHANGED_CELLS = 3
_SHADED = 0.33  # of a bare place: cards cover more of it
_MIDDLE = 0.55  # of a region's half: what a pile there would cover
_CORE = 0.275  # the same: what a card there covers wherever it lies
_BESIDE, _BESIDE_SHADED = 0.1, 0.2  # of a bare place: what may be of another colour or brightness while it rests
_ROUND_IT = 0.8  # of a region's half: the table round a pile
_VEILED = 0.6
_OTHERWISE = 0.15  # of the brightness: no light changes so from one moment to the next, unless a lamp goes on or off
_RESTS_NS = 300_000_000
_AGAIN = 30  # pictures after which one place is read without any change: slow light must not deceive
MOST_SEARCHED = 2

_ROWS, _COLUMNS = np.indices(_SMALL)
_FROM_MIDDLE = np.hypot(_ROWS - (_SMALL[0] - 1) / 2, _COLUMNS - (_SMALL[1] - 1) / 2) / (_SMALL[0] / 2)
"""How far each cell of a small picture is from its middle, by a region's half."""


@dataclass(frozen=True, eq=False)
class PileState:
    """What is known of one pile.

    `kind`: what its place showed in the last picture. `top` is the last certain sight of a face, None before the first
    and when the place is bare or shows a back; it stays while a hand covers the pile or a card is being turned over it.
    The face was seen from `first_ns` to `last_ns`; `before_ns` is the last picture's time in which it was not to be
    seen yet (None: it was there from the beginning). `gone_ns` is the first picture's time that certainly showed
    something else. All times are those that came with the pictures.
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
        """Whether the top's face lies open to be seen in the last picture."""
        return self.kind == "face"

    def age_ns(self, t_ns: int) -> int | None:
        """How long ago the top was last seen."""
        return None if self.last_ns is None else t_ns - self.last_ns


@dataclass(frozen=True, eq=False)
class PileChange:
    """A place shows something else than in the picture before: `before` (None for the first picture) and `after`."""

    t_ns: int
    before: PileState | None
    after: PileState


class PileWatch:
    """Follows the piles of one reader."""

    def __init__(self, reader: PlaceReader) -> None:
        self.reader = reader
        self._states: list[PileState | None] = [None] * len(reader.places)
        self._small: list[Singles | None] = [None] * len(reader.places)
        self._bare: list[tuple[Singles, ...]] = [()] * len(reader.places)
        self._rest: list[tuple[int, Singles] | None] = [None] * len(reader.places)  # since when a place rests, and how
        self._plain: list[Singles | None] = [None] * len(reader.places)  # as it was when last plainly seen
        self._looks = 0
        self._t_ns: int | None = None
        self._before_ns: int | None = None
        self._searched: set[int] = set()  # places that were looked at closely as they are now

    def with_places(self, reader: PlaceReader) -> PileWatch:
        """Give a watch over another reader's places on the same table; what is known of those that stay is kept."""
        watch = PileWatch(reader)
        for number, place in enumerate(reader.places):
            if place in self.reader.places:
                before = self.reader.places.index(place)
                state = self._states[before]
                watch._states[number] = None if state is None else replace(state, number=number)
                watch._small[number] = self._small[before]
                watch._bare[number] = self._bare[before]
                watch._rest[number] = self._rest[before]
                watch._plain[number] = self._plain[before]
        watch._t_ns, watch._before_ns = self._t_ns, self._before_ns
        return watch

    def know_bare(self, number: int, images_bgr: Sequence[Image]) -> None:
        """Learn what the table looks like at a place where nothing lay yet, by pictures (h, w, 3) from then.

        The grain of wood or a cloth's pattern may look like something in the way to who has not seen it bare.
        """
        self._bare[number] = tuple(_small(self.reader.regions[number].crop(image)) for image in images_bgr)

    @property
    def states(self) -> tuple[PileState, ...]:
        """The state of every pile that has been looked at, in the order of the places."""
        return tuple(state for state in self._states if state is not None)

    def look(self, image_bgr: Image, t_ns: int) -> tuple[PileChange, ...]:
        """Look at the next picture, (h, w, 3) uint8 BGR; gives what changed.

        Raises:
            ValueError: the picture has another size than the reader's, or is not newer than the one before.
        """
        if image_bgr.shape[1::-1] != self.reader.size_px:
            raise ValueError(f"expected a picture of {self.reader.size_px}, found {image_bgr.shape[1::-1]}")
        if self._t_ns is not None and t_ns <= self._t_ns:
            raise ValueError(f"expected a picture newer than {self._t_ns}, found {t_ns}")
        changes = []
        for number in range(len(self._states)):
            before = self._states[number]
            sight = self._sight(image_bgr, number, before, t_ns)
            after = _followed(number, before, sight, t_ns, self._t_ns)
            self._states[number] = after
            if before is None or _differ(before, after):
                changes.append(PileChange(t_ns, before, after))
        self._looks += 1
        self._before_ns, self._t_ns = self._t_ns, t_ns
        return tuple(changes)

    def look_closely(self, image_bgr: Image) -> tuple[PileChange, ...]:
        """Look at the last picture once more for faces with a fingertip across their edge; gives what is known now.

        That takes too long for every picture, so it is for those on which something hangs; at most MOST_SEARCHED places
        are searched, none twice as long as nothing changes there.
        """
        if self._t_ns is None:
            return ()
        doubtful = [s for s in self.states if s.kind in ("covered", "unclear") and s.number not in self._searched]
        # What was covered last is where somebody has just turned a card.
        doubtful.sort(key=lambda state: -(state.last_ns or 0))
        changes = []
        for state in doubtful[:MOST_SEARCHED]:
            self._searched.add(state.number)
            sight = self.reader.read_part(image_bgr, state.number)
            if sight is None:
                continue
            after = _followed(state.number, state, sight, self._t_ns, self._before_ns)
            self._states[state.number] = after
            self._small[state.number] = _small(self.reader.regions[state.number].crop(image_bgr))
            changes.append(PileChange(self._t_ns, state, after))
        return tuple(changes)

    def _sight(self, image_bgr: Image, number: int, before: PileState | None, t_ns: int) -> PileSight:
        small = _small(self.reader.regions[number].crop(image_bgr))
        due = self._looks % (_AGAIN * len(self._states)) == number * _AGAIN
        if before is not None and not due:
            changed = _changed(self._small[number], small)
            if int(changed.sum()) < _CHANGED_CELLS:
                return self._unless_bare(before.sight, number, small, t_ns)
            # An arm that passes by, or the draw pile beside, hides nothing of the top.
            if before.kind == "face" and not (changed & self._top_cells(number, before.sight)).any():
                return before.sight
            if self.reader.still_there(image_bgr, before.sight):
                self._small[number] = small
                return before.sight
        self._small[number] = small
        self._searched.discard(number)
        sight = self._unless_bare(self.reader.read_place(image_bgr, number), number, small, t_ns)
        if sight.kind == "empty" and self._is_veiled(number, small):
            return replace(sight, kind="covered", reason="covered")
        if sight.kind in ("face", "empty"):
            self._plain[number] = small
        return sight

    def _is_veiled(self, number: int, small: Singles) -> bool:
        """Tell whether the table all round a place looks otherwise than when it was last plainly seen.

        A hand close to the lens is as even as a bare table.
        """
        plain = self._plain[number]
        looks = self._bare[number] if plain is None else (plain, *self._bare[number])
        veils = [float(veiled(look, small)[_FROM_MIDDLE > _ROUND_IT].mean()) for look in looks]
        return bool(veils) and min(veils) > _VEILED

    def _unless_bare(self, sight: PileSight, number: int, small: Singles, t_ns: int) -> PileSight:
        """What a place shows, or that it is bare: checks and grain may look like a card that is held aslant.

        What has been at rest beside it is no arm that lays a card: the draw pile has grown, or a hand lies there.
        """
        if sight.kind not in ("covered", "turning"):
            return sight
        rests = self._rests(number, small, t_ns)
        if not any(_is_bare(bare, small, rests=rests) for bare in self._bare[number]):
            return sight
        return replace(sight, kind="empty", colour=None, mood=None, confidence=0.0, corners_px=None, reason=None)

    def _rests(self, number: int, small: Singles, t_ns: int) -> bool:
        """Tell whether nothing has moved in the middle of a place for a while."""
        since = self._rest[number]
        if since is None or int((_changed(since[1], small) & (_FROM_MIDDLE < _MIDDLE)).sum()) >= _CHANGED_CELLS:
            self._rest[number] = since = t_ns, small
        return t_ns - since[0] >= _RESTS_NS

    def _top_cells(self, number: int, sight: PileSight) -> Cells:
        """Which cells of a region's small copy show the top card, and the table's edge round it."""
        region = self.reader.regions[number]
        if sight.corners_px is None:
            return np.ones(_SMALL, np.bool_)
        size = np.array([region.right - region.left, region.bottom - region.top])
        corners = (sight.corners_px - (region.left, region.top)) / size * _SMALL
        cells = np.zeros(_SMALL, np.uint8)
        cv2.fillConvexPoly(cells, np.floor(corners).astype(np.int32), 1)
        return np.asarray(cv2.dilate(cells, np.ones((3, 3), np.uint8)) > 0)


def _small(crop: Image) -> Singles:
    """A tiny copy of a region, (h, w, 3), in which noise does not show."""
    if not crop.size:
        return np.zeros((*_SMALL, 3), np.float32)
    # Rows are left out first: averaging every pixel of four regions would cost more than it tells.
    step = max(1, min(crop.shape[:2]) // (3 * _SMALL[0]))
    return np.asarray(cv2.resize(crop[::step], _SMALL, interpolation=cv2.INTER_AREA), np.float32)


def _changed(before: Singles | None, now: Singles) -> Cells:
    """Which cells changed by more than the light as a whole did."""
    if before is None:
        return np.ones(now.shape[:2], np.bool_)
    gain = float(before.mean() + 1) / float(now.mean() + 1)
    if not 0.8 < gain < 1.25:
        return np.ones(now.shape[:2], np.bool_)
    gap = np.abs(now * gain - before).max(axis=2) / np.maximum(before.max(axis=2), 60)
    return np.asarray(gap > _CHANGED_CELL)


def veiled(before: Singles, now: Singles) -> Cells:
    """Tell which cells (h, w) look otherwise than they did, in brightness or colour, whatever the others do."""
    return np.asarray(np.abs(now - before).max(axis=2) > _OTHERWISE * np.maximum(before.max(axis=2), 60))


def _is_bare(bare: Singles, now: Singles, *, rests: bool) -> bool:
    """Tell whether a place looks as it did when nothing lay there; beside it lies the draw pile.

    rests: nothing has moved there for a while.
    """
    middle = _FROM_MIDDLE < _MIDDLE
    changed = _changed(bare, now) & middle
    # A draw pile that shrinks takes its shadow along: more light or less, of the same colour, in a part too small for
    # a card.
    tinted = int((changed & _tinted(bare, now)).sum())
    if tinted < _CHANGED_CELLS and changed.sum() < _SHADED * middle.sum():
        return True
    aside = tinted < _BESIDE * middle.sum() and changed.sum() < _BESIDE_SHADED * middle.sum()
    return rests and bool(aside and not (changed & (_FROM_MIDDLE < _CORE)).any())


def _tinted(before: Singles, now: Singles) -> Cells:
    """Which cells changed in colour, whatever their brightness."""
    ratio = (now + 1) / (before + 1)
    ratio /= ratio.mean(axis=2, keepdims=True)
    return np.asarray(np.abs(ratio - 1).max(axis=2) > _CHANGED_CELL)


def _followed(number: int, before: PileState | None, sight: PileSight, t_ns: int, last_t_ns: int | None) -> PileState:
    """The state after a picture in which a place showed `sight`."""
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
    """Whether an equal face is another card: it lies elsewhere after something was in the way."""
    if before.kind == "face" or before.top is None or before.top.corners_px is None or sight.corners_px is None:
        return False
    moved = np.linalg.norm(before.top.corners_px - sight.corners_px, axis=1).mean()
    return bool(moved > 0.04 * np.linalg.norm(sight.corners_px[0] - sight.corners_px[2]))


def _differ(before: PileState, after: PileState) -> bool:
    same_top = (before.top is None) == (after.top is None) and before.first_ns == after.first_ns
    return before.kind != after.kind or not same_top
