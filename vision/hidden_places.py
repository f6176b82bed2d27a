"""Finds places where a picture may hide a card: under light that clips, under objects, or where the finder sees one.

A table shows the same colours all over, in whatever pattern. An island of a colour of its own, with an edge about it,
is a thing that is there, or a card that was not read: a card fits under it, or it is one. Nothing is asked of what
it may be. A detection of the finder that shows a little of the identified cards' colours is a card that was not read,
whatever is on it or wiped off it. Where all channels clip, nothing could be seen whatever is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats, Image
from vision.channels import largest, smallest
from vision.find.above import TableView, area_in_sight
from vision.find.finder import CardFinder
from vision.quads import card_kernels, enlarged, within_quads
from vision.table import Table

CELL_MM = 4.0
_CLIPPED = 247
_LEAST_CLIPPED = 0.3  # of a card: more of one may go without its marks being lost
_INSIDE_MM = 30.0  # beyond the markers no more of the table can be taken for granted
_GROWN_MM = 5.0  # a known card's rim and shadow
_BINS = (8, 4, 4)  # of 8-bit Lab
_COLOURS = 32
_MOST_ODD, _WIDEST = 0.4, 4.0  # of what is between the seats; else grain or light spreads the colours
# Colours of more of what shows than so many cards are the table's; of more than so many of what is between the seats.
_ALL_OVER, _BETWEEN = 12.0, 6.0
_OPENED_MM = 10.0  # narrower things hide no card
LEAST_OWN, _FITS = 0.65, 0.85  # of a card: under the island, and under it and the cards beside it
# The finder's score, the share of the identified cards that makes a colour theirs, and the share of a card of such
# colours that is not the table's: one that was not read. That doubts 9 of 19 hands that lacked a card on 500 spoiled
# pictures, and 9 of 39 on 500 kept back.
_FAINT, _CARDS_OWN, _SHOWS_CARD = 0.1, 0.1, 0.05
# The finder's score, and the share of a card without the table's colours: 33 of 40 spoilt cards had as much, and none
# of eight sandtimers, whose shares were up to 0.90.
_LIKELY, _NO_TABLE = 0.2, 0.93
_STEP_MM, _STEP, _STEEP = 16.0, 9.0, 0.6  # levels of Lab that an edge has, along so much of the outline
_EXPOSED = 120.0  # grey levels of the table
_SAMPLES, _ROUNDS, _EVEN = 4000, 4, 0.05  # to find how light falls off: cells, rounds, and a table's own unevenness
_LIGHTNESS = 0.4  # of a step in lightness counts: light falls off over a table, too
_SHADE, _SHADE_TINT = 0.12, 0.3  # a shadow leaves more of the light than that, and its tint, as natural logarithms
_SHADE_MM = 200.0


@dataclass(frozen=True, eq=False)
class HiddenPlace:
    """A place of which a picture does not show what is there: cells of `CELL_MM` round places (n, 2) in mm.

    `cause`: `light`, the picture is clipped there; `card`, a card was not read; or `thing`, something is there.
    `middles_mm` (k, 2): where the middle of a card that is there may be. `comes_in`: it reaches in from beyond what
    was looked at, as an arm does.
    """

    places_mm: Floats
    cause: str
    middles_mm: Floats
    comes_in: bool = False


def hidden_places(
    image_bgr: Image,
    table: Table,
    edge_mm: Floats,
    reach_mm: float,
    known_px: Floats,
    card_mm: tuple[float, float],
    least_own: float = LEAST_OWN,
) -> list[HiddenPlace]:
    """Return the places where a card may be unseen in a picture (h, w, 3) of a table.

    `least_own`: share of a card that an object must hide, or cover, beside the identified cards.

    `edge_mm` (4, 2): the rectangle round which people sit, clockwise from bottom right; looked at is what is within
    it, and up to `reach_mm` outside. `known_px` (n, 4, 2): the identified cards and markers.
    """
    board = _Board(image_bgr, table, edge_mm, reach_mm, known_px, card_mm, least_own)
    return [*board.clipped(), *board.cards(image_bgr, table, known_px), *board.things()]


class _Board:
    """A table as a picture shows it from above, in cells of `CELL_MM`; arrays (h, w) of cells."""

    def __init__(
        self,
        image_bgr: Image,
        table: Table,
        edge_mm: Floats,
        reach_mm: float,
        known_px: Floats,
        card_mm: tuple[float, float],
        least_own: float,
    ) -> None:
        self._least_own = least_own
        origin = edge_mm[2]
        across, down = edge_mm[3] - origin, edge_mm[1] - origin
        width, height = float(np.linalg.norm(across)), float(np.linalg.norm(down))
        axes = np.stack([across / width, down / height])
        columns, rows = (round((side + 2 * reach_mm) / CELL_MM) for side in (width, height))
        x, y = np.meshgrid(
            (np.arange(columns) + 0.5) * CELL_MM - reach_mm, (np.arange(rows) + 0.5) * CELL_MM - reach_mm
        )
        self._places = origin + x.reshape(-1, 1) * axes[0] + y.reshape(-1, 1) * axes[1]
        self._shape = x.shape
        self._px = px = table.to_px(self._places)
        size = np.array([image_bgr.shape[1], image_bgr.shape[0]])
        self._seen: Flags = ((px > 2) & (px < size - 2)).all(axis=1).reshape(self._shape)
        self._inside: Flags = (np.maximum(np.abs(x - width / 2) - width / 2, np.abs(y - height / 2) - height / 2)) < (
            _INSIDE_MM
        )
        self._card_cells = card_mm[0] * card_mm[1] / CELL_MM**2
        self._card_mm = card_mm
        self._bgr = _sampled(image_bgr, table, px).reshape(*self._shape, 3)
        known = (table.to_mm(known_px.reshape(-1, 2)) - origin) @ axes.T
        quads = ((known + reach_mm) / CELL_MM - 0.5).reshape(-1, 4, 2)
        self._known: Flags = _drawn(self._shape, quads, _GROWN_MM / CELL_MM)
        self._free: Flags = self._seen & ~self._known

    def clipped(self) -> Iterator[HiddenPlace]:
        """Return where nothing could be seen for light."""
        least = smallest(self._bgr)
        mask = cv2.morphologyEx(((least >= _CLIPPED) & self._free).astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2)))
        _, labels, boxes, _ = cv2.connectedComponentsWithStats(np.asarray(mask, np.uint8), connectivity=4)
        for number in np.flatnonzero(boxes[1:, cv2.CC_STAT_AREA] >= _LEAST_CLIPPED * self._card_cells) + 1:
            places = self._places[(labels == number).ravel()]
            yield HiddenPlace(places, "light", places)

    def cards(self, image_bgr: Image, table: Table, known_px: Floats) -> Iterator[HiddenPlace]:
        """Return the finder's detections beside the known cards that have colours of cards, or none of the table."""
        known = self._known & self._seen
        odd = self._odd(self._free, _ALL_OVER)
        printed = odd & (self._commonness(known, 1.0) > _CARDS_OWN * known.sum())
        found = CardFinder().find(TableView(image_bgr, table, area_in_sight(table)), self._card_mm, list(known_px))
        for quad, score in zip(found.corners_px, found.scores, strict=True):
            own = within_quads(self._px, quad[None]).reshape(self._shape) & self._free
            covers = score >= _LIKELY and own.sum() >= self._least_own * self._card_cells
            is_other = covers and odd[own].mean() >= _NO_TABLE
            if is_other or (score >= _FAINT and (own & printed).sum() >= _SHOWS_CARD * self._card_cells):
                yield HiddenPlace(self._places[own.ravel()], "card", table.to_mm(quad).mean(axis=0)[None])

    def things(self) -> Iterator[HiddenPlace]:
        """An object that is not the table and large enough for a card."""
        between = self._free & self._inside
        for among, most in ((self._free, _ALL_OVER), (between, _BETWEEN)):
            odd = self._odd(among, most)
            shaded = self._shaded(among & ~odd) & odd
            for some in (odd & ~shaded, shaded):
                yield from self._islands(some)

    def _odd(self, among: Flags, most: float) -> Flags:
        """Return which of the cells have a colour of which there is little; most of a table has its common ones."""
        wider = 1.0
        while True:
            odd = among & (self._commonness(among, wider) < most * self._card_cells)
            if wider > _WIDEST or odd[self._inside].sum() <= _MOST_ODD * (among & self._inside).sum():
                return odd
            wider *= 1.5

    def _islands(self, odd: Flags) -> Iterator[HiddenPlace]:
        size = 2 * round(_OPENED_MM / 2 / CELL_MM) + 1
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
        whole = _filled(np.asarray(odd, np.uint8))
        mask = cv2.morphologyEx(whole, cv2.MORPH_OPEN, disc)
        _, labels, boxes, _ = cv2.connectedComponentsWithStats(np.asarray(mask, np.uint8), connectivity=4)
        least, margin = self._least_own * self._card_cells, round(np.hypot(*self._card_mm) / 2 / CELL_MM) + 1
        for number in np.flatnonzero(boxes[1:, cv2.CC_STAT_AREA] >= least) + 1:
            left, top, width, height = boxes[number, :4]
            box = np.s_[max(0, top - margin) : top + height + margin, max(0, left - margin) : left + width + margin]
            filled = _filled(np.asarray(labels[box] == number, np.uint8))
            rim = (cv2.dilate(filled, np.ones((3, 3), np.uint8)) > filled) & ~self._known[box]
            at_border = min(left, top) == 0 or left + width == odd.shape[1] or top + height == odd.shape[0]
            own = (filled > 0) & ~self._known[box]
            comes_in = bool(at_border or (rim & ~self._seen[box]).any())
            if comes_in:
                # Beyond the table's edge is a floor; what comes in from there, over the table, is none.
                own &= self._inside[box]
            if own.sum() < least:
                continue
            rim &= self._seen[box]
            if rim.any() and (self._steps[box][rim] > _STEP).mean() < _STEEP:
                continue
            middles = self._middles(own, self._known[box])
            if middles.any():
                places = self._places.reshape(*self._shape, 2)[box]
                yield HiddenPlace(places[own], "thing", places[middles], comes_in)

    def _middles(self, own: Flags, known: Flags) -> Flags:
        """Return where the middle of a card may be that is under what is hidden, and partly under what is known."""
        under, both = own.astype(np.float32), (own | known).astype(np.float32)
        found = np.zeros(own.shape, bool)
        for card in card_kernels(self._card_mm, CELL_MM):
            share = cv2.filter2D(under, -1, card, borderType=cv2.BORDER_CONSTANT)
            if share.max() >= self._least_own:
                whole = cv2.filter2D(both, -1, card, borderType=cv2.BORDER_CONSTANT)
                found |= (share >= self._least_own) & (whole >= _FITS)
        return found

    @cached_property
    def _lab(self) -> NDArray[np.uint8]:
        """Lab as if the table had been exposed for, in even light: on a dark one, dark things differ by few levels."""
        among = self._free & self._inside
        if not among.any():
            return np.asarray(cv2.cvtColor(self._bgr, cv2.COLOR_BGR2LAB), np.uint8)
        light = self._light(among)
        usual = np.median(light[among], axis=0)
        gain = np.exp(usual - light) * max(1.0, _EXPOSED / float(np.exp(usual.max())))
        even = np.clip(self._bgr * gain, 0, 255).astype(np.uint8)
        return np.asarray(cv2.cvtColor(cv2.medianBlur(even, 3), cv2.COLOR_BGR2LAB), np.uint8)

    def _light(self, among: Flags) -> Floats:
        """(h, w, 3) the logarithm of the light as it falls off over a table: a surface through most of some cells."""
        rows, columns = (2 * np.arange(side) / side - 1 for side in self._shape)
        y, x = np.meshgrid(rows, columns, indexing="ij")
        terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)
        levels = np.log(self._bgr + 4.0)
        some = np.flatnonzero(among)[:: max(1, int(among.sum()) // _SAMPLES)]
        where, seen = terms.reshape(-1, 6)[some], levels.reshape(-1, 3)[some]
        near = np.ones(len(some), bool)
        for _ in range(_ROUNDS):
            fit = np.linalg.lstsq(where[near], seen[near], rcond=None)[0]
            off = np.abs(seen - where @ fit).max(axis=1)
            near = off <= max(2 * float(np.median(off)), _EVEN)
        found = terms @ fit
        return np.asarray(found.clip(found[among].min(axis=0), found[among].max(axis=0)))

    def _commonness(self, among: Flags, wider: float) -> Floats:
        """Return how many of the cells `among` have each cell's colour or nearly so."""
        low = np.array([0, 128 - 64 * wider, 128 - 64 * wider])
        bins = ((self._lab - low) / (np.array(_BINS) * wider)).astype(np.intp).clip(0, _COLOURS - 1)
        index = (bins[..., 0] * _COLOURS + bins[..., 1]) * _COLOURS + bins[..., 2]
        counts = np.bincount(index[among], minlength=_COLOURS**3).astype(np.float64)
        counts = counts.reshape(_COLOURS, _COLOURS, _COLOURS)
        for axis in range(3):
            padded = np.pad(counts, [(1, 1) if axis == other else (0, 0) for other in range(3)])
            near = [np.take(padded, np.arange(_COLOURS) + shift, axis=axis) for shift in range(3)]
            counts = near[0] + near[1] + near[2]
        return np.asarray(counts.ravel()[index])

    @cached_property
    def _steps(self) -> Floats:
        """By how many levels of Lab the picture changes from one side of each cell to the other."""
        lab = cv2.blur(self._lab.astype(np.float32), (2, 2)) * np.array([_LIGHTNESS, 1, 1], np.float32)
        reach = round(_STEP_MM / 2 / CELL_MM)
        found = np.zeros(self._shape, np.float64)
        for axis in (0, 1):
            there, here = (np.roll(lab, way * reach, axis=axis) for way in (1, -1))
            found = np.maximum(found, np.linalg.norm(there - here, axis=2))
        return np.asarray(cv2.dilate(found, np.ones((3, 3), np.uint8)), np.float64)

    def _shaded(self, plain: Flags) -> Flags:
        """Return where the picture is darker than the empty table and of the same tint, as a shadow is."""
        light = np.log((cv2.blur(self._bgr, (3, 3)).astype(np.float32) + 2.0) / 257.0) * 2.2
        weight = plain.astype(np.float32)
        window = 2 * (2 * round(_SHADE_MM / 2 / CELL_MM) + 1,)
        about = cv2.blur(light * weight[..., None], window) / np.maximum(cv2.blur(weight, window), 1e-3)[..., None]
        gap = light - about
        step = gap.mean(axis=2)
        tint = largest(np.abs(gap - step[..., None]))
        return np.asarray((step < 0) & (step > np.log(_SHADE)) & (tint < _SHADE_TINT))


def _sampled(image_bgr: Image, table: Table, px: Floats) -> Image:
    """(n, 3) the picture at places (n, 2) in px, each the mean of about a cell."""
    middle = np.array([[image_bgr.shape[1] / 2, image_bgr.shape[0] / 2]])
    shrink = max(1, int(0.8 * CELL_MM * float(table.px_per_mm(middle)[0])))
    height, width = (side // shrink for side in image_bgr.shape[:2])
    whole = image_bgr[: height * shrink, : width * shrink]
    small = cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA)
    places = ((px + 0.5) / shrink - 0.5).astype(np.float32)
    # OpenCV takes at most 32767 rows, so the places are laid out as a broad picture.
    broad = np.zeros((-(-len(places) // 1024) * 1024, 2), np.float32)
    broad[: len(places)] = places
    x, y = broad.reshape(-1, 1024, 2).transpose(2, 0, 1)
    found = cv2.remap(small, np.ascontiguousarray(x), np.ascontiguousarray(y), cv2.INTER_LINEAR)
    return np.asarray(found.reshape(-1, 3)[: len(places)], np.uint8)


def _drawn(shape: tuple[int, ...], quads: Floats, grown: float) -> Flags:
    """(h, w) where quads (n, 4, 2) lie, each grown by so many cells."""
    mask = np.zeros(shape, np.uint8)
    for quad in quads:
        side = float(np.sqrt(max(cv2.contourArea(quad.astype(np.float32)), 1.0)))
        (larger,) = enlarged(quad[None], 1 + 2 * grown / side)
        cv2.fillConvexPoly(mask, np.rint(larger * 16).astype(np.int32), (1,), shift=4)
    return np.asarray(mask > 0)


def _filled(island: Image) -> Image:
    """An island without its holes."""
    outlines, _ = cv2.findContours(island, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return np.asarray(cv2.drawContours(np.zeros_like(island), outlines, -1, (1,), cv2.FILLED), np.uint8)
