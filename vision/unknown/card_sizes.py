"""How large the cards of a picture are: the outermost edges that lie equally far apart on most of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.channels import largest
from vision.quads import apart, within_quads
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_poses import (
    STEP,
    Evidence,
    Poses,
    look_beside,
    poses_of,
    profiles_beside,
    settled,
    side_ends,
    sides_of,
    steepness_beside,
)
from vision.unknown.edge_ends import are_ruled_round
from vision.unknown.edge_pairs import edge_pairs, outward
from vision.unknown.line_segments import meet_sides
from vision.unknown.paper import is_darker
from vision.unknown.weighted_lab import as_bgr

_REACH = 0.15  # of the card's shorter side: how far off its edge a frame may lie that was taken for it
_FEWEST = 2
_MOST = 16
_ALIKE_PX = 0.7
_ROUGH, _FINE = (0.015, 0.3), (0.007, 0.04)  # by the card's side: how much equal cards differ as seen, and may grow
_LEAST_PAIR = 0.3
_SHARED = 0.9
_APART = 4  # places, of half a pixel: as far inside an edge one sees what it surrounds
_BRIGHT = 80  # percentile
_PLAIN = 8.0  # weighted 8-bit Lab
_ACROSS = np.array([-0.6, 0.0, 0.6])  # of half a side
_AS_STRONG = 0.25
_LARGER = 0.03  # of the logarithm of a side
_LESS_SURE = 0.1  # certainty
_NEARBY_PX = 4.0  # off its outline, a card's edge is looked for
_EVEN, _MOST_UNEVEN, _SEVERAL = 0.03, 2.5, 4  # by how much equal cards usually differ at most, and times that
_VERY_ROUGHLY = 0.25


@dataclass(frozen=True, eq=False)
class Stock:
    """What all cards of a picture have in common: the plane with their size, and the `step` (3,) at their edges.

    The step is the direction, in weighted 8-bit Lab, in which the colour changes outward, or 0 if cards differ.
    `votes` says how well they agree on the size, from 0 to 1.
    """

    plane: CardPlane
    step: Floats
    votes: float = 0.0


def size_of_cards(image_lab: NDArray[np.uint8], plane: CardPlane, quads: NDArray[np.float32]) -> Stock:
    """The agreed size of cards that lie roughly at `quads` (n, 4, 2), the best first, unless it is that of ruled cells.

    Lines ruled on a sheet beneath the cards are as far apart about each of them. But they run on beyond the corners;
    the cards' own edges end, and are seen better, all four of them.
    """
    stock = agreed_size(image_lab, plane, quads)
    if len(quads) < _FEWEST or np.log(np.divide(stock.plane.size, plane.size)).max() < _LARGER:
        return stock
    rough, wider = (poses_of(each, quads[:_MOST]) for each in (plane, stock.plane))
    own, sure = settled(image_lab, plane, rough, _NEARBY_PX)
    larger, sure_of_larger = settled(image_lab, stock.plane, wider, _NEARBY_PX, stock.step)
    ruled = sure_of_larger.mean() < sure.mean() - _LESS_SURE
    ruled = ruled and are_ruled_round(image_lab, own.quads(plane), larger.quads(stock.plane))
    return agreed_size(image_lab, plane, quads, is_rough=False) if ruled else stock


def agreed_size(
    image_lab: NDArray[np.uint8], plane: CardPlane, quads: NDArray[np.float32], is_rough: bool = True
) -> Stock:
    """The stock of cards that lie roughly at `quads` (n, 4, 2), the best first; with the same size if they do not tell.

    Opposite edges of a card change the colour the same way: so neither a frame and an edge nor an edge and its
    shadow's end make a pair. Frames make pairs as well as edges do: the outermost that nearly as many cards have count.
    If `is_rough` the quadrilaterals may be frames, or half frame and half edge.
    """
    poses = poses_of(plane, quads[:_MOST])
    stock = Stock(plane, np.zeros(3))
    for alike, most in (_ROUGH, _FINE) if is_rough else (_FINE,):
        if len(poses.centre) < _FEWEST:
            break
        reach = max(4.0, _REACH * plane.size[0])
        seen = look_beside(image_lab, plane, poses, reach, reach)
        sure, change, turns = _peaks(image_lab, plane, poses, seen)
        sure[_on_the_table(image_lab, plane, poses, reach)] = 0
        sure[at_another(plane, poses, seen.offsets)] = 0
        pairs = []
        for axis, sides in enumerate(([1, 3], [0, 2])):
            spread = _ALIKE_PX + alike * plane.size[axis]
            pairs.append(edge_pairs(seen.offsets, sure[:, sides], change[:, sides], most * plane.size[axis], spread))
        found = outward(pairs)
        if found is None:
            return stock
        way, (wider, longer) = found
        (right_left, sure_across), (top_bottom, sure_along) = (
            each.nearest(way, size) for each, size in zip(pairs, (wider, longer), strict=True)
        )
        votes = float(np.sqrt(sure_across * sure_along).mean())
        good = (sure_across > _LEAST_PAIR) & (sure_along > _LEAST_PAIR)
        offsets = np.stack([top_bottom[:, 0], right_left[:, 0], top_bottom[:, 1], right_left[:, 1]], axis=1)[good]
        ends = side_ends(plane, poses.take(good), offsets, turns[good])
        rough = poses.take(good).quads(plane)
        plane = plane.resized(plane.size[0] + wider, plane.size[1] + longer)
        seen_quads = meet_sides(ends, rough, reach)
        if good.sum() >= _FEWEST:
            refitted = plane.refitted(seen_quads, np.minimum(sure_across, sure_along)[good])
            if np.median(refitted.deviation(seen_quads)) < np.median(plane.deviation(seen_quads)):
                plane = refitted
        poses = poses_of(plane, seen_quads)
        stock = Stock(plane, _step_at(seen.offsets, change[good], offsets), votes)
    return stock


def _step_at(offsets: Floats, change: NDArray[np.float32], places: Floats) -> Floats:
    """The direction of the changes (n, 4, k, 3) at `places` (n, 4) that most sides share, or 0."""
    index = np.rint((places - offsets[0]) / STEP).astype(int)
    at_edge = np.take_along_axis(change, index[..., None, None], axis=2).reshape(-1, 3)
    return common_step(at_edge, 0.0, _SHARED)


def common_step(steps: NDArray[np.float32], along: float, share: float) -> Floats:
    """The direction (3,) along which more than a `share` of the steps (n, 3) go by more than `along`, or 0."""
    if len(steps) == 0:
        return np.zeros(3)
    usual = np.asarray(np.median(steps, axis=0), np.float64)
    usual /= max(float(np.linalg.norm(usual)), 1e-6)
    return usual if float((steps @ usual > along).mean()) > share else np.zeros(3)


def _peaks(
    image_lab: NDArray[np.uint8], plane: CardPlane, poses: Poses, seen: Evidence
) -> tuple[NDArray[np.float32], NDArray[np.float32], Floats]:
    """How sure an edge peaks at each offset from the sides (n, 4, k), the change there (n, 4, k, 3), the turns (n, 4).

    Each side is looked at along the direction in which its edges are sharpest.
    """
    best = np.square(seen.strength).sum(axis=3).argmax(axis=1)
    turn = best[:, None, :, None]
    strength, sure = (np.take_along_axis(each, turn, axis=1)[:, 0] for each in (seen.strength, seen.certainty()))
    # All that is plain to see is equally strong.
    steepness = steepness_beside(image_lab, plane, poses, seen.offsets, seen.turns[best])
    peak = np.where(strength < _PLAIN, _highest(strength), _highest(steepness))
    change = np.take_along_axis(seen.change, turn[..., None], axis=1)[:, 0]
    return np.where(peak, sure, 0).astype(np.float32), change, seen.turns[best]


def _highest(values: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which of the values (n, 4, k) are the highest within a pixel."""
    padded = np.pad(values, ((0, 0), (0, 0), (2, 2)), mode="edge")
    return np.asarray(values >= np.max([padded[..., k : k + values.shape[2]] for k in range(5)], axis=0))


def _on_the_table(image_lab: NDArray[np.uint8], plane: CardPlane, poses: Poses, reach: float) -> NDArray[np.bool_]:
    """Which places (n, 4, k) across the sides of cards have no edge worth the name but outside a far stronger one.

    Ink only takes light away: what is darker than the card, in any colour, is no bare paper round a printed frame. Then
    what counts beyond an edge is an edge nearly as strong, and not a grain, a shadow or the halo of a camera.
    """
    _, colours = profiles_beside(image_lab, plane, poses, reach, reach)
    light = as_bgr(colours)
    inside = np.percentile(light[:, :, : light.shape[2] // 2 - _APART], _BRIGHT, axis=2)
    just_inside = np.roll(light, _APART, axis=2)
    darker = is_darker(just_inside, inside[:, :, None])
    strength = largest(np.abs(np.roll(light, -_APART, axis=2) - just_inside))
    strength[..., :_APART] = strength[..., -_APART:] = 0
    strongest = np.maximum.accumulate(strength, axis=2)
    return np.asarray(darker & (strength < _AS_STRONG * strongest))


def at_another(plane: CardPlane, poses: Poses, offsets: Floats) -> NDArray[np.bool_]:
    """Which places (n, 4, k) outward of the sides of cards are at or beyond the edge of another one."""
    normal, along, half, middle = sides_of(plane, poses)
    line = middle[:, :, None] + (along * half[:, None])[:, :, None] * _ACROSS[:, None]
    points = line[:, :, None] + normal[:, :, None, None] * (offsets + _APART * STEP)[:, None, None]
    quads = plane.to_plane(poses.quads(plane))
    found = np.zeros(points.shape[:4], bool)
    for card in range(len(quads)):
        found[card] = within_quads(points[card], np.delete(quads, card, axis=0))
    found &= (offsets > 0)[:, None]
    return np.asarray(np.maximum.accumulate(found.any(axis=3), axis=2))


def unevenness_of(plane: CardPlane, plain: NDArray[np.floating]) -> float:
    """How many times more than usual the cards in plain sight (n, 4, 2) differ in size: bent ones, seen steeply, do."""
    deviation = plane.deviation(plain)
    near = np.flatnonzero(deviation < _VERY_ROUGHLY)
    near = near[np.argsort(deviation[near], kind="stable")]
    near = near[apart(plain[near])]
    if len(near) < _SEVERAL:
        return 1.0
    return float(np.clip(np.median(deviation[near]) / _EVEN, 1, _MOST_UNEVEN))
