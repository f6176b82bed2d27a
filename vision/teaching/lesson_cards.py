"""Finds the cards in the pictures of a lesson, and their common size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.arrays import Flags, Floats, Image
from vision.find.any_deck import cards_without_size, reason_of, sure_table
from vision.find.unknown import KnownSize
from vision.image import Picture
from vision.markers import Marker, markers_in
from vision.quads import shared_area, stacked
from vision.table import Table

TOUCHED = "touched by another card"
CUT_OR_COVERED = frozenset({"covered", "edge of picture", TOUCHED})

_ALIKE = 0.06  # tolerance of a card's side against the others, as a share; outlines are off by 1 or 2 %
_SQUARE = 0.03
_CERTAIN, _SOME = 0.5, 0.2  # score and visible share of a card that is learned or outlined; a lesson's lowest was 0.66
_OVERLAP = 0.08  # of an area: by errors alone, close neighbours overlap less
_NOMINAL_MM = 63.0  # the shorter side of an unknown size
_FOCAL = 0.8  # by the picture's longer side; from 0.7 to 1.0 the shape of three decks changes by 1 %


@dataclass(frozen=True)
class TeachingPicture:
    """A picture of the lesson; `load` reads it again each time, so that a lesson never holds all of them."""

    name: str
    load: Callable[[], Picture]


@dataclass(frozen=True, eq=False)
class LaidCards:
    """The cards in one picture of a lesson.

    `quads_px` (n, 4, 2), clockwise from the top left corner in the picture; the first side is the card's width.
    `unclear` are other cards with their reasons. `size_mm` (n, 2): widths and lengths, in pixels where `table` is None.
    `size_px`: the picture's width and height.
    """

    quads_px: Floats
    unclear: tuple[tuple[Floats, str], ...]
    size_mm: Floats
    markers: tuple[Marker, ...]
    table: Table | None
    size_px: tuple[int, int]

    def in_file(self, picture: Picture) -> LaidCards:
        """Return the same outlines in the pixels of the picture's file."""
        unclear = tuple((picture.to_file(quad), reason) for quad, reason in self.unclear)
        return replace(self, quads_px=picture.to_file(self.quads_px), unclear=unclear)


@dataclass(frozen=True)
class CardSize:
    """Size of all cards of a lesson, width by length; `is_true` is False where only their ratio is known."""

    mm: tuple[float, float]
    is_true: bool


def lay_out(image_bgr: Image, size: CardSize | None = None) -> LaidCards:
    """Return the cards in a picture; `size` is the cards' size so far."""
    markers = markers_in(image_bgr)
    size_px = (image_bgr.shape[1], image_bgr.shape[0])
    table = sure_table(markers, size_px)
    cards = cards_without_size(image_bgr, table, markers, _wanted(size, table))
    found, square = cards.hypotheses, cards.card[1] / cards.card[0] < 1 + _SQUARE
    quads = stacked(_upright(quad, square) for quad in found.corners_px)
    certain = (found.scores >= _CERTAIN) & (found.in_sight >= _SOME)
    reasons = [
        reason_of(quad, seen, size_px) or (TOUCHED if under else None)
        for quad, seen, under in zip(quads, found.in_sight, _under(quads, certain, found.in_sight), strict=True)
    ]
    free = certain & np.array([reason is None for reason in reasons], bool)
    unclear = tuple((quads[k], reasons[k] or "") for k in np.flatnonzero(certain & ~free).tolist())
    sizes = np.array([_size_of(quad, table) for quad in quads]).reshape(-1, 2)
    return LaidCards(quads[free], unclear, sizes[free], markers, table, size_px)


def _under(quads: Floats, certain: Flags, in_sight: Floats) -> Flags:
    """Return which quads (n, 4, 2) overlap a certain one with a larger visible share, (n,): they are below it."""
    under = np.zeros(len(quads), bool)
    for k in range(len(quads)):
        above = np.flatnonzero(certain & (in_sight > in_sight[k]))
        under[k] = any(shared_area(quads[k], quads[j]) > _OVERLAP for j in above)
    return under


def _wanted(size: CardSize | None, table: Table | None) -> KnownSize:
    """Return the known size of the cards: sides in mm where the table has a scale, else at most their shape."""
    if size is None:
        return KnownSize()
    width, length = size.mm
    return KnownSize(card=size.mm) if size.is_true and table is not None else KnownSize(aspect=length / width)


def agreed_size(laid: Sequence[LaidCards], card_mm: tuple[float, float] | None) -> CardSize | None:
    """Return the size that most pictures show, or `card_mm` if a person measured it; None without a card."""
    if card_mm is not None:
        return CardSize((min(card_mm), max(card_mm)), True)
    measured = [look.size_mm for look in laid if look.table is not None and len(look.size_mm)]
    if measured:
        width, length = _common(np.concatenate(measured))
        return CardSize(_rounded(width, length), True)
    shown = _ratios(laid)
    if not len(shown):
        return None
    return CardSize(_rounded(_NOMINAL_MM, _NOMINAL_MM * float(np.median(shown))), False)


def fits(look: LaidCards, size: CardSize) -> Flags:
    """Return which cards of a picture have the common size, or shape, (n,)."""
    if not len(look.size_mm):
        return np.zeros(0, bool)
    ratio = look.size_mm[:, 1] / look.size_mm[:, 0] if look.table is not None else _ratios([look])
    right = np.abs(np.log(ratio / (size.mm[1] / size.mm[0]))) < 2 * _ALIKE
    if look.table is not None and size.is_true:
        right &= np.abs(np.log(look.size_mm / size.mm)).max(axis=1) < 1.5 * _ALIKE
    return np.asarray(right)


def _ratios(laid: Sequence[LaidCards]) -> Floats:
    """Return the ratio of length to width of all cards in some pictures, by a usual lens, (n,).

    A rectangle's picture gives the ratio of its sides once the focal length is known (Zhang and He, "Whiteboard
    scanning and image enhancement", 2003).
    """
    found = []
    for look in laid:
        middle, focal = np.array(look.size_px) / 2, _FOCAL * max(look.size_px)
        for quad in (look.quads_px - middle) / focal:
            unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
            across, down, _ = cv2.getPerspectiveTransform(unit, quad.astype(np.float32)).T
            found.append(float(np.linalg.norm(down) / np.linalg.norm(across)))
    return np.maximum(found, 1 / np.array(found))


def _rounded(width: float, length: float) -> tuple[float, float]:
    if abs(length / width - 1) < _SQUARE:
        width = length = (width + length) / 2
    return round(width, 1), round(length, 1)


def _common(sizes: Floats) -> Floats:
    """Return the width and length (2,) with the most support among (n, 2)."""
    logs = np.log(sizes)
    near = (np.abs(logs[:, None] - logs[None]).max(axis=2) < _ALIKE).sum(axis=1)
    most = np.abs(logs - logs[int(np.argmax(near))]).max(axis=1) < _ALIKE
    return np.asarray(np.exp(np.median(logs[most], axis=0)))


def _size_of(quad: Floats, table: Table | None) -> tuple[float, float]:
    """Return width and length of a card whose first side is one of its shorter ones."""
    corners = quad if table is None else table.to_mm(quad)
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
    one, other = float(sides[0::2].mean()), float(sides[1::2].mean())
    return min(one, other), max(one, other)


def _upright(quad: Floats, square: bool) -> Floats:
    """Return the corners from the top left one, as people in front of the picture see the card."""
    steps = (0, 1, 2, 3) if square else (0, 2)
    return np.asarray(max((np.roll(quad, -step, axis=0) for step in steps), key=_downward))


def _downward(quad: Floats) -> float:
    """Return the downward part of a card's long sides, from its top; for a card on its side, the part to the right."""
    down = quad[2:].mean(axis=0) - quad[:2].mean(axis=0)
    return float(down[1] + 1e-3 * down[0])
