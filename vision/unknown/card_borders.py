"""What is printed on cards: how much of them, and frames that are plainer than the edge of a card on a pale table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.quads import points_within
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_poses import STEP, Poses, look_beside, profiles_beside
from vision.unknown.paper import is_darker
from vision.unknown.weighted_lab import as_bgr, pixels_at, weighted_at

Floats = NDArray[np.floating]

_WIDEST = 0.13  # of a card's shorter side
_NARROWEST = 0.045
_NARROWEST_PX = 2.5
_SHADOW_PX = 2.0  # how far a card's own shadow reaches
_INWARD, _OUTER = 3.0, 4.0
_ENDS = (-0.5, 0.0, 0.5, 1.0, 1.5)  # where print may end, in pixels from the side
_BLURS = (0.8, 1.2)
_NOISE = 0.25  # weighted 8-bit Lab
_INDEPENDENT = 12  # how many of the colours across a side are worth counting: neighbours are blurred into one another
_LEAST_GAIN, _FULL_GAIN = 1.5, 30.0  # of one side's logarithm of likelihood
_AS_GOOD = 0.9
_LIKELY = 2.5  # the gain of the middle card
_MOST_CARDS_SHARE = 0.75
_MOST_CARDS = 16
_FEWEST_SIDES = 2
_RING, _INSIDE = np.linspace(0.12, 0.88, 20), (0.03, 0.045, 0.06)  # along a side; inside of it, by the card's width
RINGS = len(_INSIDE)  # of places along inside of a card's edges
_PRINT = 12.0  # what differs from a card's ground by more, in 8-bit Lab, is print


def printed_share(image_lab: NDArray[np.uint8], quads: Floats) -> Floats:
    """The share of each card (n,) whose colour is not that of its ground."""
    if len(quads) == 0:
        return np.zeros(0, np.float32)
    t = np.linspace(0.08, 0.92, 24, dtype=np.float32)
    u, v = np.meshgrid(t, t)
    weight = np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v]).reshape(4, -1)
    points = np.einsum("nkc,km->nmc", quads, weight).astype(np.float32)
    colours = pixels_at(image_lab, points).astype(np.float32)
    away = np.linalg.norm(colours - np.median(colours, axis=1, keepdims=True), axis=2)
    return np.asarray((away > _PRINT).mean(axis=1), np.float32)


def along_border(image_lab: NDArray[np.uint8], quads: NDArray[np.float32], aspect: float) -> NDArray[np.float32]:
    """How far the colours all along inside of the edges of cards (n, 4, 2) are from the middle one: (n, places).

    In weighted 8-bit Lab; the cards' first sides are shorter ones and `aspect` is length by width.
    """
    if len(quads) == 0:
        return np.zeros((0, 1), np.float32)
    colours = weighted_at(image_lab, np.asarray(points_within(quads, border_places(aspect)[None]), np.float32))
    return np.asarray(np.linalg.norm(colours - np.median(colours, axis=1, keepdims=True), axis=2), np.float32)


def border_places(aspect: float) -> NDArray[np.float64]:
    """Places (p, 2) all along inside of a card's edges, by its first and second sides; `aspect` is length by width.

    They lie in `RINGS` rings, side after side.
    """
    rings = []
    for inside in _INSIDE:
        x, y = np.full(len(_RING), inside), np.full(len(_RING), inside / aspect)
        rings += [np.stack(side, axis=1) for side in ((_RING, y), (1 - x, _RING), (_RING, 1 - y), (x, _RING))]
    return np.concatenate(rings)


def border_beyond(image_lab: NDArray[np.uint8], plane: CardPlane, poses: Poses) -> float:
    """How far beyond all sides of the cards the same faint edge runs, in the plane's units; else 0.

    Beside each side the colours across are explained by print that ends at the side and a table that changes evenly,
    with and without a border in between; a border must explain more on most cards, with the same colours all round.
    """
    some = poses.take(np.arange(min(len(poses.centre), _MOST_CARDS)))
    widest = max(_WIDEST * plane.size[0], 6.0)
    open_sides = _open_sides(plane, poses, widest + _OUTER)[: len(some.centre)]
    enough = open_sides.sum(axis=1) >= _FEWEST_SIDES
    if not enough.any():
        return 0.0
    some, open_sides = some.take(enough), open_sides[enough]
    offsets, profiles = profiles_beside(image_lab, plane, some, _INWARD, widest + _OUTER)
    margins = np.arange(max(_NARROWEST_PX, _NARROWEST * plane.size[0]), widest, STEP)
    if np.median(_darker(offsets, profiles, margins[0])[open_sides]):
        return 0.0
    # A shadow explains much of a narrow border, and a border much of a shadow: the shadow is tried first.
    for shadow in (True, False):
        gains = _gains(offsets, profiles, open_sides, margins, shadow)
        best = max(gain for gain, _, _ in gains)
        if best <= _LIKELY:
            continue
        # The edge of a shadow may do as well as that of the card, which lies nearer.
        _, share, margin = next(found for found in gains if found[0] >= _AS_GOOD * best)
        if share >= _MOST_CARDS_SHARE and margin > margins[0]:
            return margin if shadow else _sharpened(image_lab, plane, some, margin)
    return 0.0


def _darker(offsets: Floats, profiles: Floats, narrowest: float) -> NDArray[np.bool_]:
    """Beside which sides (n, 4) it is darker, in any colour, than on the card; bare paper cannot be."""
    light = as_bgr(np.asarray(profiles, np.float32))
    inside = light[:, :, offsets < -1].max(axis=2)
    beside = np.median(light[:, :, (offsets > narrowest / 2) & (offsets <= narrowest)], axis=2)
    return is_darker(beside, inside)


def _open_sides(plane: CardPlane, poses: Poses, reach: float) -> NDArray[np.bool_]:
    """Beside which sides (n, 4) no other card lies within `reach`: the gap between two cards is no border."""
    away = poses.centre[None] - poses.centre[:, None]
    u, v = poses.across, np.stack([-poses.across[:, 1], poses.across[:, 0]], axis=1)
    x, y = (np.einsum("nmk,nk->nm", away, axis) for axis in (u, v))
    half = np.array(plane.size) / 2
    # How far each card reaches along the axes of each other one.
    turn = np.abs(u @ u.T), np.abs(u @ v.T)
    wide, high = half[0] * turn[0] + half[1] * turn[1], half[0] * turn[1] + half[1] * turn[0]
    above, beside = np.abs(x) < half[0] + wide, np.abs(y) < half[1] + high
    gaps = [
        (-y, high, half[1], above),
        (x, wide, half[0], beside),
        (y, high, half[1], above),
        (-x, wide, half[0], beside),
    ]
    taken = [((far > 0) & (far - size - own < reach) & level) for far, size, own, level in gaps]
    return np.stack([~(side & ~np.eye(len(u), dtype=bool)).any(axis=1) for side in taken], axis=1)


def _gains(
    offsets: Floats, profiles: Floats, open_sides: NDArray[np.bool_], margins: Floats, shadow: bool
) -> list[tuple[float, float, float]]:
    """For each margin how much a border as wide explains on the middle card, and on which share of cards enough."""
    ways = [(end, blur) for end in _ENDS for blur in _BLURS]
    plain, _ = min(((_misfit(profiles, _design(offsets, None, way, shadow)), way) for way in ways), key=_total)
    if not shadow:
        # A shadow takes no more to tell than a border: that must explain more than what darkens the table.
        shade, way = min(((_misfit(profiles, _design(offsets, None, way, True)), way) for way in ways), key=_total)
        plain = np.where(
            _last(_design(offsets, None, way, True), profiles)[..., 0] < 0, np.minimum(shade, plain), plain
        )
    found = []
    for margin in margins.tolist():
        tried = [(_misfit(profiles, _design(offsets, margin, way, shadow)), way) for way in ways]
        misfit, way = min(tried, key=_total)
        step = _last(_design(offsets, margin, way, shadow), profiles)
        gain = (np.clip(plain - misfit, -_LEAST_GAIN, _FULL_GAIN) * _alike(step)).mean(axis=1, where=open_sides)
        found.append((float(np.median(gain)), float((gain > _LEAST_GAIN).mean()), margin))
    return found


def _sharpened(image_lab: NDArray[np.uint8], plane: CardPlane, poses: Poses, margin: float) -> float:
    """The margin at or a little beyond `margin` at which the edges of most cards peak, if they do."""
    seen = look_beside(image_lab, plane, poses, 0, margin + 4, np.zeros(1))
    typical = np.median(seen.strength[:, 0], axis=(0, 1))
    peak = (typical[1:-1] > typical[:-2]) & (typical[1:-1] >= typical[2:])
    near = np.flatnonzero(peak & (np.abs(seen.offsets[1:-1] - margin - 0.5) < 1.2)) + 1
    return float(seen.offsets[near[typical[near].argmax()]]) if len(near) else margin


def _total(misfit_and_way: tuple[Floats, tuple[float, float]]) -> float:
    return float(misfit_and_way[0].sum())


def _last(design: Floats, profiles: Floats) -> Floats:
    """How much of a design's last column is in each side's colours, (n, 4, 3)."""
    return np.asarray(np.einsum("o,nsoc->nsc", np.linalg.pinv(design)[-1], profiles))


def _alike(steps: Floats) -> Floats:
    """How much the changes of colour (n, 4, 3) at the edges point the way of most: 0 to 1, (n, 4); shadows do not."""
    usual = np.median(steps.reshape(-1, 3), axis=0)
    size = np.linalg.norm(steps, axis=2) * np.linalg.norm(usual)
    return np.asarray(np.clip((steps @ usual) / np.maximum(size, 1e-6), 0, 1))


def _design(offsets: Floats, margin: float | None, way: tuple[float, float], shadow: bool) -> Floats:
    """What may be seen across a side, as columns: an even table, print and its blur and halo, a shadow, a border."""
    end, blur = way
    near = np.exp(-0.5 * ((offsets - end) / blur) ** 2)
    columns = [np.ones_like(offsets), offsets / 10, _step(offsets, end, blur), near, (offsets - end) / blur * near]
    edge = end if margin is None else margin
    if shadow:
        columns.append((1 - _step(offsets, edge, blur)) * np.exp(-np.maximum(offsets - edge, 0) / _SHADOW_PX))
    if margin is not None:
        columns.append(_step(offsets, margin, blur))
    return np.stack(columns, axis=1)


def _step(offsets: Floats, at: float, blur: float) -> Floats:
    """1 inward of `at`, 0 outward; the logistic curve comes close to a blurred edge."""
    return np.asarray(1 / (1 + np.exp((offsets - at) * 1.7 / blur)))


def _misfit(profiles: Floats, design: Floats) -> Floats:
    """What a design leaves unexplained of each side's colours (n, 4, k, 3), as logarithm of its likelihood (n, 4)."""
    basis = np.linalg.qr(design)[0]
    rest = profiles - np.einsum("ok,nskc->nsoc", basis, np.einsum("ok,nsoc->nskc", basis, profiles))
    return np.asarray(_INDEPENDENT / 2 * np.log((rest**2).mean(axis=(2, 3)) + _NOISE**2))
