"""White cards on a white table by their tint: areas bluer, or yellower, than what lies round them on all sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.quads import apart, hold_any
from vision.unknown.card_grounds import RINGS, even_grounds, printed_share
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_poses import poses_of
from vision.unknown.card_proposals import at_segments, distinct, fair_share
from vision.unknown.card_votes import agree_on_planes
from vision.unknown.closed_lines import four_sides
from vision.unknown.line_segments import meet_sides
from vision.unknown.paper_tints import TintMap

Floats = NDArray[np.float32]

_LEVELS = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.5, 9.5, 12.5, 17.0, 24.0)  # times the noise
_PLAIN_LINES = (np.inf, 6.0, 3.0)  # times the usual: cards side by side are told apart by the line between them
_GAIN = 4.0  # of tints in eight bits
_GRAIN, _OPENED = 9, 5  # pixels of the halved picture: what is thinner is no paper
_SHORTEST_PX, _NARROWEST_PX, _LARGEST = 50, 12, 0.12  # all round; across; of the picture's area
_FULL = 0.75  # of the box round it
_REACHES_PX = (12.0, 6.0, 4.0)
_SEEN, _EVEN, _LEAST_QUALITY = 3.0, 0.5, 0.2  # an area's step: times the noise, by its mean; what counts at all
_AGREE, _ROUGHLY = 0.06, 0.35  # of a side
_FEWEST, _ROUNDS, _MOST = 3, 2, 200
_USUAL, _PLAIN = 3.5, 8.0  # times the noise
_LESS, _MORE = 0.4, 2.5  # times the usual step: where it is more, print lies beside
_NEARLY, _SIDE, _IN_ALL = 0.3, 0.5, 2.6  # shares of three sides, of each, and of all four together
_MOSTLY = 0.5  # of the cards differ from the table on all sides
_SETTLING_PX = (10.0, 8.0, 6.0, 4.0, 3.0)
_LEAST_SAY = 0.05  # of a side beside which no change is seen
_CALM, _STAINED = 8.0, 0.25  # weighted 8-bit Lab, from the ground along the border; share of one side of it
_BARE = 0.012  # of a card's area: less print is a stain


@dataclass(frozen=True, eq=False)
class TintedCards:
    """Cards `quads` (n, 4, 2) on a `plane` that differ from the table in tint.

    `steps` (n, 4) is the share of each side beside which they differ by about the `usual` step, which is by the noise.
    """

    plane: CardPlane
    quads: Floats
    steps: Floats
    usual: float

    def whole(self) -> NDArray[np.bool_]:
        """Which cards (n,) differ from what lies beside them on all four sides."""
        return np.asarray(self.steps.min(axis=1, initial=np.inf) > _SIDE)


def tinted_cards(
    smooth_lab: NDArray[np.uint8], tints: TintMap, dark: Floats, lines: Floats, marks: Floats
) -> TintedCards | None:
    """The cards of a size on which areas of another tint agree, if there are several; all hold one of the `marks`.

    `smooth_lab` is (h, w, 3) 8-bit Lab without grain, `dark` (h, w) says how plain thin dark lines are, by the usual,
    `lines` (n, 4) are straight edges and `marks` (k, 2) what may be printed on cards.
    """
    best, most = None, 0.0
    for way in (1, -1):
        quads, quality = _voters(tints, dark, way, marks)
        for plane in agree_on_planes(quads, quality, (smooth_lab.shape[1], smooth_lab.shape[0])):
            agreeing = quads[plane.deviation(quads) < _AGREE]
            if len(apart(agreeing)) < _FEWEST - 1:
                continue
            found = _found(smooth_lab, tints, way, lines, marks, plane, agreeing, quads)
            votes = 0.0 if found is None else float(found.steps.min(axis=1).sum()) * min(found.usual / _PLAIN, 1)
            if votes > most:
                best, most = found, votes
    return best


def more_of_size(
    smooth_lab: NDArray[np.uint8], tints: TintMap, lines: Floats, marks: Floats, plane: CardPlane, known: Floats
) -> TintedCards | None:
    """The cards of the size of the `known` ones (n, 4, 2) if these, too, differ from the table in tint, and are fewer.

    The rest is as for `tinted_cards`.
    """
    way = 1 if np.median(tints.steps(known)) > 0 else -1
    areas, _ = _voters(tints, None, way, marks)
    return _found(smooth_lab, tints, way, lines, marks, plane, known, np.concatenate([known, areas]), len(known))


def _found(
    smooth_lab: NDArray[np.uint8],
    tints: TintMap,
    way: int,
    lines: Floats,
    marks: Floats,
    plane: CardPlane,
    sure: Floats,
    quads: Floats,
    fewer: int = 0,
) -> TintedCards | None:
    """Cards by straight edges and quadrilaterals (n, 4, 2), with the steps of those that are `sure` (m, 4, 2).

    The plane is found anew from the cards that differ from the table on all sides; there must be several, and at first
    more than are `fewer`.
    """
    usual = float(np.median(way * tints.steps(sure)))
    if usual < _USUAL:
        return None
    search = _Search(smooth_lab, tints, way, usual, lines, marks)
    found = search.of_size(plane, quads)
    if len(found.quads) <= fewer:
        return None
    for _ in range(_ROUNDS):
        whole = found.quads[found.whole()]
        if len(whole) < _FEWEST or not (printed_share(smooth_lab, whole) > _BARE).any():
            return None
        own, _ = tints.moved(whole, way, _SETTLING_PX[-1])
        better = found.plane.refitted(own, np.ones(len(own)))
        again = search.of_size(better, np.concatenate([quads, found.quads]))
        if len(again.quads) < len(found.quads):
            break
        found = again
    return found if found.whole().mean() > _MOSTLY else None


def _voters(tints: TintMap, dark: Floats | None, way: int, marks: Floats) -> tuple[Floats, Floats]:
    """Areas (n, 4, 2) about marks that end on all four sides, yellower than the table if `way` is -1; quality (n,)."""
    quads = np.concatenate([np.zeros((0, 4, 2), np.float32), *(quad[None] for quad in _areas(tints, dark, way, marks))])
    quads = quads[hold_any(quads, marks)]
    strength = np.zeros((len(quads), 4), np.float32)
    for reach in _REACHES_PX:
        quads, strength = tints.moved(quads, way, reach)
    least, mean = strength.min(axis=1, initial=np.inf), strength.mean(axis=1)
    quality = np.clip(least / _SEEN, 0, 1) * np.clip(least / (_EVEN * np.maximum(mean, 1e-3)), 0, 1)
    keep = quality > _LEAST_QUALITY
    return quads[keep], np.asarray(quality[keep], np.float32)


def _areas(tints: TintMap, dark: Floats | None, way: int, marks: Floats) -> Iterator[Floats]:
    """The outlines (4, 2), clockwise, of areas with four sides about marks, bluer, or yellower, than some level."""
    paper = cv2.medianBlur(np.asarray(np.clip(128 + _GAIN * way * tints.values, 0, 255), np.uint8), _GRAIN)
    lines = np.zeros(paper.shape, np.float32)
    if dark is not None:
        cv2.resize(cv2.dilate(dark, np.ones((2, 2))), paper.shape[::-1], lines, interpolation=cv2.INTER_NEAREST)
    kernel = np.ones((_OPENED, _OPENED), np.uint8)
    for plain in _PLAIN_LINES if dark is not None else _PLAIN_LINES[:1]:
        between = lines < plain
        for level in _LEVELS:
            mask = np.asarray((paper > 128 + _GAIN * level) & between, np.uint8)
            for contour in cv2.findContours(
                cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
            )[0]:
                quad = _outline(np.asarray(contour), _LARGEST * paper.size, np.asarray(marks / 2, np.float32))
                if quad is not None:
                    yield np.asarray((quad + 0.5) * 2 - 0.5, np.float32)


def _outline(contour: NDArray[np.integer], largest: float, marks: Floats) -> Floats | None:
    """The four sides of a contour, else of the box round it if it fills that; none if it is too small or large."""
    x, y, width, height = cv2.boundingRect(contour)
    if len(contour) < _SHORTEST_PX or min(width, height) < _NARROWEST_PX:
        return None
    away = marks - (x, y)
    area = cv2.contourArea(contour)
    if area > largest or not ((away > 0) & (away < (width, height))).all(axis=1).any():
        return None
    quad = four_sides(contour)
    if quad is None:
        box = cv2.minAreaRect(contour)
        quad = np.asarray(cv2.boxPoints(box), np.float32) if area > _FULL * box[1][0] * box[1][1] else None
    return quad if quad is None or cv2.contourArea(quad, True) > 0 else quad[::-1]


@dataclass(frozen=True, eq=False)
class _Search:
    """A search for cards bluer than the table by the `usual` step, yellower if `way` is -1; see `tinted_cards`."""

    smooth_lab: NDArray[np.uint8]
    tints: TintMap
    way: int
    usual: float
    lines: Floats
    marks: Floats

    def of_size(self, plane: CardPlane, quads: Floats) -> TintedCards:
        """Cards of the size on a plane by areas (n, 4, 2) or straight edges, moved to where the tint changes most."""
        own = quads[plane.deviation(quads) < _ROUGHLY]
        guesses = np.concatenate([poses_of(plane, own).quads(plane), at_segments(plane, self.lines)])
        guesses = guesses[hold_any(guesses, self.marks)]
        steps = np.sort(self._steps(guesses), axis=1)
        likely = steps[:, 1] > _NEARLY
        guesses = fair_share(distinct(guesses[likely], steps[likely].sum(axis=1)), _MOST)
        for reach in _SETTLING_PX if len(guesses) else ():
            guesses = self._settled(plane, guesses, reach)
        steps = self._steps(guesses)
        order = np.sort(steps, axis=1)
        aspect = plane.size[1] / plane.size[0]
        good = np.flatnonzero((order[:, 1] > _SIDE) & (order.sum(axis=1) > _IN_ALL))
        good = good[_one_paper(self.smooth_lab, guesses[good], aspect)]
        good = good[np.argsort(-steps[good].sum(axis=1), kind="stable")]
        good = good[apart(guesses[good])]
        return TintedCards(plane, guesses[good], steps[good], self.usual)

    def _steps(self, quads: Floats) -> Floats:
        """The share of each side of quadrilaterals (n, 4) beside which the tint differs by about the usual step."""
        times = self.way * self.tints.steps(quads) / self.usual
        return np.asarray(((times > _LESS) & (times < _MORE)).mean(axis=2), np.float32)

    def _settled(self, plane: CardPlane, quads: Floats, reach_px: float) -> Floats:
        """Cards of the size on a plane (n, 4, 2), moved towards where the tint changes beside their sides."""
        moved, strength = self.tints.moved(quads, self.way, reach_px)
        say = np.clip(strength / self.usual, _LEAST_SAY, 1)[..., None, None]
        sides = [np.stack([each, np.roll(each, -1, axis=1)], axis=2) for each in (moved, quads)]
        both = meet_sides(np.asarray(say * sides[0] + (1 - say) * sides[1], np.float32), quads, reach_px)
        return poses_of(plane, both).quads(plane)


def _one_paper(smooth_lab: NDArray[np.uint8], quads: Floats, aspect: float) -> NDArray[np.bool_]:
    """Which cards (n, 4, 2) have one ground along the inside of each of their edges."""
    if len(quads) == 0:
        return np.zeros(0, bool)
    away, _ = even_grounds(smooth_lab, quads, aspect)
    stained = (away > _CALM).reshape(len(quads), RINGS, 4, -1)
    return np.asarray(stained.mean(axis=(1, 3)).max(axis=1, initial=0) < _STAINED)
