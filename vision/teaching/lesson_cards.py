"""Finds the cards in the pictures of a lesson, and their common size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np

from vision.arrays import Flags, Floats, Image
from vision.errors import BadLessonError
from vision.find.any_deck import CERTAIN, cards_without_size, certain_table, reason_of
from vision.find.finder import WHOLE
from vision.find.unknown import KnownSize
from vision.image import Picture
from vision.markers import Marker, markers_in
from vision.quads import shared_area, stacked
from vision.reading import Card, Reading
from vision.table import Table

MOST_PICTURES, _MOST_NAMED = 300, 3
TOUCHED = "touched by another card"
CUT_OR_COVERED = frozenset({"covered", "edge of picture", TOUCHED})

_ALIKE = 0.06  # tolerance of a card's side against the others, as a share; outlines are off by 1 or 2 %
_SQUARE = 0.03
_SOME = 0.2  # visible share of a card that is outlined
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
    `unclear` are other cards with their reasons. `size_px`: the picture's width and height.
    """

    quads_px: Floats
    unclear: tuple[Card, ...]
    markers: tuple[Marker, ...]
    table: Table | None
    size_px: tuple[int, int]

    @cached_property
    def sizes_mm(self) -> Floats:
        """Return widths and lengths (n, 2); without a table all widths are nominal, and a usual lens gives the rest."""
        if self.table is None:
            return np.array([(_NOMINAL_MM, _NOMINAL_MM * self._ratio(quad)) for quad in self.quads_px]).reshape(-1, 2)
        corners = np.array([self.table.to_mm(quad) for quad in self.quads_px]).reshape(-1, 4, 2)
        sides = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
        return np.sort(sides.reshape(-1, 2, 2).mean(axis=1), axis=1)

    def _ratio(self, quad: Floats) -> float:
        """Return the ratio of a card's length to its width.

        A rectangle's picture gives the ratio of its sides once the focal length is known (Zhang and He, "Whiteboard
        scanning and image enhancement", 2003).
        """
        seen = (quad - np.array(self.size_px) / 2) / (_FOCAL * max(self.size_px))
        unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        across, down, _ = cv2.getPerspectiveTransform(unit, seen.astype(np.float32)).T
        ratio = float(np.linalg.norm(down) / np.linalg.norm(across))
        return max(ratio, 1 / ratio)

    def only(self, right: Flags) -> LaidCards:
        """Return the cards with those that are not right (n,) as unclear because of their size."""
        odd = tuple(nameless(quad, "another size") for quad in self.quads_px[~right])
        return replace(self, quads_px=self.quads_px[right], unclear=self.unclear + odd)

    def in_file(self, picture: Picture) -> Reading:
        """Return the cards, still without faces, in the pixels of the picture's file."""
        unclear = tuple(replace(card, corners_px=picture.to_file(card.corners_px)) for card in self.unclear)
        return Reading(tuple(nameless(picture.to_file(quad)) for quad in self.quads_px), unclear)


@dataclass(frozen=True)
class CardSize:
    """Size of all cards of a lesson, width by length; `is_true` is False where only their ratio is known."""

    mm: tuple[float, float]
    is_true: bool


def nameless(quad_px: Floats, reason: str | None = None) -> Card:
    """Return a card of which only the outline is known; one that teaches nothing has a reason."""
    return Card(None, 1.0, quad_px, None, reason)


def laid_out(
    pictures: Sequence[TeachingPicture], card_mm: tuple[float, float] | None
) -> tuple[list[LaidCards], CardSize]:
    """Return the cards of all pictures, and their common size.

    Raises:
        BadLessonError: no picture shows a card that touches no other.
        BadImageError: a picture cannot be read.
    """
    if len(pictures) > MOST_PICTURES:
        raise BadLessonError(
            "error.lesson.pictures_are_more_than_deck",
            "{number} pictures are more than a deck needs: at most {most} are taken",
            number=len(pictures),
            most=MOST_PICTURES,
        )
    # People measure to 1 or 2 mm: their size gives the shape, and pictures give the rest.
    given = None if card_mm is None else CardSize((min(card_mm), max(card_mm)), False)
    laid = [lay_out(picture.load().image, given) for picture in pictures]
    size = agreed_size(laid, card_mm)
    right = [np.zeros(0, bool) if size is None else fits(look, size) for look in laid]
    for k, picture in enumerate(pictures):
        if size is not None and not (len(right[k]) and right[k].all()):
            again = lay_out(picture.load().image, size)
            if fits(again, size).sum() > right[k].sum():
                laid[k], right[k] = again, fits(again, size)
    if size is None or not any(one.any() for one in right):
        raise BadLessonError(
            "error.no_cards_that_lie_apart",
            "no cards that lie apart are in {picture}",
            picture=", ".join(picture.name for picture in pictures[:_MOST_NAMED])
            + " …" * (len(pictures) > _MOST_NAMED),
        )
    return [look.only(one) for look, one in zip(laid, right, strict=True)], size


def lay_out(image_bgr: Image, size: CardSize | None = None) -> LaidCards:
    """Return the cards in a picture; `size` is the cards' size so far."""
    markers = markers_in(image_bgr)
    size_px = (image_bgr.shape[1], image_bgr.shape[0])
    table = certain_table(markers, size_px)
    cards = cards_without_size(image_bgr, table, markers, _wanted(size, table))
    square = cards.card[1] / cards.card[0] < 1 + _SQUARE
    found, free, unclear = cards.hypotheses, [], []
    quads = [_upright(quad, square) for quad in found.corners_px]
    certain = np.flatnonzero((found.scores >= CERTAIN) & (found.in_sight >= _SOME)).tolist()
    for k in certain:
        reason = reason_of(quads[k], float(found.in_sight[k]), size_px)
        # Which of two is on top is not known where little of the other is covered.
        whole = [quads[j] for j in certain if j != k and found.in_sight[j] >= WHOLE]
        if reason is None and any(shared_area(quads[k], other) > _OVERLAP for other in whole):
            reason = TOUCHED
        if reason is None:
            free.append(quads[k])
        else:
            unclear.append(nameless(quads[k], reason))
    return LaidCards(stacked(free), tuple(unclear), markers, table, size_px)


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
    shown = [look for look in laid if len(look.quads_px)]
    measured = [look for look in shown if look.table is not None]
    if not shown:
        return None
    width, length = _common(np.concatenate([look.sizes_mm for look in measured or shown]))
    if abs(length / width - 1) < _SQUARE:
        width = length = (width + length) / 2
    return CardSize((round(width, 1), round(length, 1)), bool(measured))


def fits(look: LaidCards, size: CardSize) -> Flags:
    """Return which cards of a picture have the common size, or shape, (n,)."""
    off = np.log(look.sizes_mm / size.mm)
    right = np.abs(off[:, 1] - off[:, 0]) < 2 * _ALIKE
    if look.table is not None and size.is_true:
        right &= np.abs(off).max(axis=1) < 1.5 * _ALIKE
    return np.asarray(right)


def _common(sizes: Floats) -> tuple[float, float]:
    """Return the width and length with the most support among (n, 2)."""
    logs = np.log(sizes)
    near = (np.abs(logs[:, None] - logs[None]).max(axis=2) < _ALIKE).sum(axis=1)
    most = np.abs(logs - logs[int(np.argmax(near))]).max(axis=1) < _ALIKE
    width, length = np.exp(np.median(logs[most], axis=0)).tolist()
    return width, length


def _upright(quad: Floats, square: bool) -> Floats:
    """Return the corners from the top left one, as people in front of the picture see the card."""
    steps = (0, 1, 2, 3) if square else (0, 2)
    return np.asarray(max((np.roll(quad, -step, axis=0) for step in steps), key=_downward))


def _downward(quad: Floats) -> float:
    """Return the downward part of a card's long sides, from its top; for a card on its side, the part to the right."""
    down = quad[2:].mean(axis=0) - quad[:2].mean(axis=0)
    return float(down[1] + 1e-3 * down[0])
