"""Finds the cards in the pictures of a lesson, and agrees on their size over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.find.any_deck import CERTAIN, SURE_SCALE, cards_without_size, confidences_of, reason_of
from vision.find.unknown import Wanted
from vision.markers import Marker, markers_in, table_if_shown
from vision.quads import within_quads
from vision.table import Table
from vision.teaching.card_shape import ratios, seen_shape
from vision.teaching.islands import islands
from vision.teaching.lying_free import crowded, phantoms

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

TOUCHED = "touched by another card"

_ALIKE = 0.06  # how far one card's side may be off the others', as a share: outlines are off by a hundredth or two
_ENOUGH = 4  # cards by which a look at one picture is taken for good
_AS_SOME, _AS_TWO = 0.2, 1.5  # by a card's area: what may be one, and what is more than one
_SQUARE = 0.03
_LEAST_MM = 25.0
_NOMINAL_MM = 63.0  # the shorter side where nobody knows it


@dataclass(frozen=True, eq=False)
class LaidCards:
    """The cards in one picture of a lesson.

    `quads_px` (n, 4, 2), clockwise from the corner that is the top left one as they lie, the first side as wide as the
    cards are; `unclear` are others with their reasons; `size_mm` (n, 2) their widths and lengths, in pixels where
    `table` is None; `size_px` is the picture's width and height.
    """

    quads_px: Floats
    unclear: tuple[tuple[Floats, str], ...]
    size_mm: Floats
    markers: tuple[Marker, ...]
    table: Table | None
    size_px: tuple[int, int]


@dataclass(frozen=True)
class CardSize:
    """What all cards of a lesson measure, width by length; `is_true` is False where only their ratio is known."""

    mm: tuple[float, float]
    is_true: bool


def lay_out(image_bgr: Image, aspect: float | None = None) -> LaidCards:
    """Find the cards that lie apart in a picture; `aspect`: their length by their width, where it is known."""
    markers = markers_in(image_bgr)
    table = table_if_shown(markers, (image_bgr.shape[1], image_bgr.shape[0]))
    if table is not None and table.scale_error > SURE_SCALE:
        table = None
    size_px = (image_bgr.shape[1], image_bgr.shape[0])
    apart = _apart(image_bgr, markers, table)
    if apart is not None and _explains_all(apart):
        return _but_crowded(image_bgr, apart)
    found = cards_without_size(image_bgr, table, markers, Wanted(aspect=aspect)).hypotheses
    certain = confidences_of(found) >= CERTAIN
    quads = found.corners_px[certain]
    reasons = [
        reason_of(quad, in_sight, size_px) for quad, in_sight in zip(quads, found.in_sight[certain], strict=True)
    ]
    look = _looked(quads, reasons, markers, table, size_px)
    if apart is not None and len(apart.quads_px) >= min(_ENOUGH, len(look.quads_px)):
        look = _with_more(apart, look)
    return _but_crowded(image_bgr, look)


def _apart(image_bgr: Image, markers: tuple[Marker, ...], table: Table | None) -> LaidCards | None:
    """What lies on the table by itself; None where nothing tells the table's plane."""
    if table is None:
        return None
    found = islands(image_bgr, table, markers)
    cards, size_px = found.cards_px, (image_bgr.shape[1], image_bgr.shape[0])
    look = _looked(cards, [None] * len(cards), markers, table, size_px)
    if not len(look.size_mm):
        return look
    area = float(np.median(look.size_mm.prod(axis=1)))
    lying = [quad for quad, _ in look.unclear] + list(found.others_px)
    shares = [float(np.prod(_size_of(quad, table))) / area for quad in lying]
    unclear = tuple(
        (quad, TOUCHED if share > _AS_TWO else "another size")
        for quad, share in zip(lying, shares, strict=True)
        if share > _AS_SOME
    )
    return replace(look, unclear=unclear)


def _aspect_of(quads: Floats, table: Table | None) -> float:
    sizes = np.array([_size_of(quad, table) for quad in quads]).reshape(-1, 2)
    return float(np.median(sizes[:, 1] / sizes[:, 0])) if len(sizes) else 1.0


def _explains_all(look: LaidCards) -> bool:
    """Whether enough cards of one size lie there, and nothing else: a piece of a card may be all that stands out."""
    return len(look.quads_px) >= _ENOUGH and not look.unclear


def _with_more(apart: LaidCards, edges: LaidCards) -> LaidCards:
    """What lies there by itself, and cards of the same size of which only edges tell: they are as the table is."""
    if not len(apart.quads_px) or not len(edges.quads_px):
        return apart if len(apart.quads_px) else edges
    alike = np.abs(np.log(edges.size_mm / np.median(apart.size_mm, axis=0))).max(axis=1) < _ALIKE
    middles = edges.quads_px.mean(axis=1)[:, None, None]
    new = alike & ~np.array([within_quads(middle, apart.quads_px).any() for middle in middles])
    more = edges.quads_px[new]
    unclear = tuple(
        (quad, reason)
        for quad, reason in apart.unclear
        if not len(more) or not within_quads(quad.mean(axis=0)[None, None], more).any()
    )
    return replace(
        apart,
        quads_px=np.concatenate([apart.quads_px, more]),
        size_mm=np.concatenate([apart.size_mm, edges.size_mm[new]]),
        unclear=unclear,
    )


def agreed_size(laid: Sequence[LaidCards], card_mm: tuple[float, float] | None) -> CardSize | None:
    """The size of the cards as most pictures show it; `card_mm` where somebody measured it. None without a card."""
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


def agreed_shape(laid: Sequence[LaidCards]) -> float | None:
    """The length by the width on which enough cards agree already; None before that."""
    if sum(len(look.quads_px) for look in laid) < _ENOUGH:
        return None
    size = agreed_size(laid, None)
    if size is None:
        return None
    alike = sum(int(fits(look, size).sum()) for look in laid)
    return size.mm[1] / size.mm[0] if alike >= _ENOUGH else None


def fits(look: LaidCards, size: CardSize) -> NDArray[np.bool_]:
    """(n,) which cards of a picture are of the size agreed on, in shape at least."""
    if not len(look.size_mm):
        return np.zeros(0, bool)
    ratio = look.size_mm[:, 1] / look.size_mm[:, 0] if look.table is not None else _ratios([look])
    right = np.abs(np.log(ratio / (size.mm[1] / size.mm[0]))) < 2 * _ALIKE
    if look.table is not None and size.is_true:
        right &= np.abs(np.log(look.size_mm / size.mm)).max(axis=1) < 1.5 * _ALIKE
    return np.asarray(right)


def _ratios(laid: Sequence[LaidCards]) -> Floats:
    """(n,) the length by the width of all cards in some pictures, as one lens shows them."""
    seen = [seen_shape(quad, look.size_px) for look in laid for quad in look.quads_px]
    return np.maximum(ratios(seen), 1 / ratios(seen)) if seen else np.zeros(0)


def _rounded(width: float, length: float) -> tuple[float, float]:
    if abs(length / width - 1) < _SQUARE:
        width = length = (width + length) / 2
    return round(width, 1), round(length, 1)


def _but_crowded(image_bgr: Image, look: LaidCards) -> LaidCards:
    if not len(look.quads_px):
        return look
    aspect = float(np.median(look.size_mm[:, 1] / look.size_mm[:, 0]))
    real = ~phantoms(image_bgr, look.quads_px, aspect)
    look = replace(look, quads_px=look.quads_px[real], size_mm=look.size_mm[real])
    touched = crowded(image_bgr, look.quads_px, aspect)
    unclear = look.unclear + tuple((quad, TOUCHED) for quad in look.quads_px[touched])
    return replace(look, quads_px=look.quads_px[~touched], size_mm=look.size_mm[~touched], unclear=unclear)


def _looked(
    quads: Floats,
    reasons: Sequence[str | None],
    markers: tuple[Marker, ...],
    table: Table | None,
    size_px: tuple[int, int],
) -> LaidCards:
    square = _aspect_of(quads, table) < 1 + _SQUARE
    if len(quads) and markers:
        middles = np.array([marker.corners_px.mean(axis=0) for marker in markers])
        # A marker card is one of nobody's deck.
        free = np.array([not within_quads(middles[None], quad[None]).any() for quad in quads])
    else:
        free = np.ones(len(quads), bool)
    sizes = np.array([_size_of(quad, table) for quad in quads]).reshape(-1, 2)
    plain = free & np.array([reason is None for reason in reasons], bool).reshape(-1)
    if len(quads) and table is not None:
        # Smaller than any card: a box that is printed on one.
        plain &= sizes.min(axis=1) >= _LEAST_MM
    odd = np.zeros(len(quads), bool)
    if plain.any() and table is not None:
        common = _common(sizes[plain])
        odd = np.abs(np.log(sizes / common)).max(axis=1) > _ALIKE
    clear = plain & ~odd
    unclear = tuple((quads[k], reasons[k] or "another size") for k in np.flatnonzero(free & ~clear).tolist())
    upright = np.array([_upright(quads[k], square) for k in np.flatnonzero(clear)]).reshape(-1, 4, 2)
    return LaidCards(upright, unclear, sizes[clear], markers, table, size_px)


def _common(sizes: Floats) -> Floats:
    """(2,) the width and length that most of (n, 2) agree on."""
    logs = np.log(sizes)
    near = (np.abs(logs[:, None] - logs[None]).max(axis=2) < _ALIKE).sum(axis=1)
    most = np.abs(logs - logs[int(np.argmax(near))]).max(axis=1) < _ALIKE
    return np.asarray(np.exp(np.median(logs[most], axis=0)))


def _size_of(quad: Floats, table: Table | None) -> tuple[float, float]:
    """Width and length of a card whose first side is one of its shorter ones."""
    corners = quad if table is None else table.to_mm(quad)
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
    one, other = float(sides[0::2].mean()), float(sides[1::2].mean())
    return min(one, other), max(one, other)


def _upright(quad: Floats, square: bool) -> Floats:
    """The corners from the one that is the top left one as people in front of the picture see the card."""
    steps = (0, 1, 2, 3) if square else (0, 2)
    return np.asarray(max((np.roll(quad, -step, axis=0) for step in steps), key=_downward))


def _downward(quad: Floats) -> float:
    """How far down a card's long sides lead from the top; of one that lies on its side, how far to the right."""
    down = quad[2:].mean(axis=0) - quad[:2].mean(axis=0)
    return float(down[1] + 1e-3 * down[0])
