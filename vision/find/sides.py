"""Refines poses: turns and shifts cards to where their four sides are on edges of the picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.scale import CELL_PX, SHORT_PX
from vision.find.votes import Clusters

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]
Singles = NDArray[np.float32]

_TURNS = np.radians(np.arange(-8, 8.1, 2))
_STEP = 0.5  # px between offsets
_OFFSETS = np.arange(-6, 6.1, _STEP)  # px outwards from a side
_ALONG = np.linspace(-0.88, 0.88, 16)  # of half a side: rounded corners are left out
_HALF_STEP = 2  # offsets on either side of an edge between which the colour differs: 2 px in all
_HALF_STRENGTH = 25.0  # levels of change that count half as much as an endless one: peaks stay peaks
_UNSEEN = 0.08  # weight of a part of a side whose inner neighbour votes for another card
_FLOOR = 0.25  # weight of colour alone where the network sees no edge
_INSIDE_PX = 2.5  # from a side to the cell whose vote decides whether the side is in sight
_EDGE_INSIDE_PX = 1.0  # the network's edge is a cell wide, inside the card
_ALONE_TURN_COST = 2.0  # of a side turned by 1 rad against the others
_ALONE_COST = 0.01  # of a side 1 px from where cards of the common size have it
_TURN_COST, _SHIFT_COST, _LEAST_ERROR_PX = 0.25, 0.03, 1.0  # of the largest turn; of a shift by one standard error


@dataclass(frozen=True, eq=False)
class Refined:
    """Cards after refinement, as parallel arrays of length n.

    `poses` (n, 3) as in `Clusters`, of cards of the size that was searched for; `corners` (n, 4, 2), in px of the view,
    where each side by itself is on an edge; `evidence` (n,): how much of the visible outline is on edges, 0..1.
    """

    poses: Floats
    corners: Floats
    evidence: Floats


class _Search:
    """How strong an edge each side of quads has after turns by `turns` and at `offsets` outwards.

    `sums` (n, 4, turns, offsets) are means along the side, 0..1; `seen` (n, 4) is the visible share of it.
    """

    def __init__(
        self, image: NDArray[np.uint8], cells: Singles, owners: Numbers, quads: Floats, finer: int = 1
    ) -> None:
        self.quads = quads
        self.offsets, self.turns, self.step = _OFFSETS / finer, _TURNS / finer, _STEP / finer
        ends = np.roll(quads, -1, 1)
        self.middles = (quads + ends) / 2
        self.half = np.linalg.norm(ends - quads, axis=2) / 2  # (n, 4)
        self.along = (ends - quads) / (2 * np.maximum(self.half, 1e-6))[..., None]
        self.outwards = np.stack([self.along[..., 1], -self.along[..., 0]], -1)
        steps, seen = self._steps(image, cells, owners, finer)
        self.sums, self.seen = self._by_turn(steps), seen.mean(-1)

    def _points(self, offsets: Floats) -> Floats:
        """(n, 4, points, offsets, 2) px of the view: points along the sides and beside them."""
        along = (self.half[..., None] * _ALONG)[..., None] * self.along[:, :, None]
        line = self.middles[:, :, None] + along
        return np.asarray(line[:, :, :, None] + offsets[:, None] * self.outwards[:, :, None, None])

    def _steps(self, image: NDArray[np.uint8], cells: Singles, owners: Numbers, finer: int) -> tuple[Floats, Floats]:
        """How strong an edge is (n, 4, points, offsets), 0..1, and how visible the side is there (n, 4, points)."""
        pad = self.step * np.arange(1, _HALF_STEP + 1)
        wide = np.concatenate([self.offsets[0] - pad[::-1], self.offsets, self.offsets[-1] + pad])
        colours = _sampled(image, self._points(wide), 1 / finer, cv2.INTER_LINEAR)
        change = np.abs(colours[..., 2 * _HALF_STEP :, :] - colours[..., : -2 * _HALF_STEP, :]).max(-1)
        # Inside of a side both the card and its edge are seen; a neighbour's edge has the gap there.
        answers = np.ascontiguousarray(np.clip(cells[..., [0, -1]], -8, 8))
        logits = _sampled(answers, self._points(self.offsets - _EDGE_INSIDE_PX), CELL_PX, cv2.INTER_LINEAR)
        card, edge = np.moveaxis(1 / (1 + np.exp(-logits)), -1, 0)
        inner = self._points(self.offsets - _INSIDE_PX)
        owner = _sampled(owners.astype(np.float32), inner, CELL_PX, cv2.INTER_NEAREST)
        seen = np.where(owner == np.arange(len(owner))[:, None, None, None], 1.0, _UNSEEN)
        strength = change**2 / (change**2 + _HALF_STRENGTH**2)
        steps = strength * (_FLOOR + (1 - _FLOOR) * edge) * card * seen
        return steps, seen[..., len(self.offsets) // 2]

    def _by_turn(self, steps: Floats) -> Floats:
        """Means along each side after each turn, which shears it against its normal: its far end moves inwards."""
        shear = -np.tan(self.turns)[:, None, None] * self.half.mean(0)[:, None] * _ALONG / self.step
        offsets = np.arange(len(self.offsets))
        take = np.clip(offsets + np.round(shear).astype(int)[..., None], 0, len(offsets) - 1)
        sides, points = np.arange(4)[:, None, None], np.arange(len(_ALONG))[:, None]
        sums = np.stack([steps[:, sides, points, one].mean(2) for one in take], 2)
        smooth = 0.5 * sums
        smooth[..., 1:] += 0.25 * sums[..., :-1]
        smooth[..., :-1] += 0.25 * sums[..., 1:]
        return np.asarray(smooth)

    def corners(self, turned: Floats) -> Floats:
        """(n, 4, 2) where sides meet that have the best offset and turn each; all have turned (n,) by about as much."""
        cost = _ALONE_TURN_COST * (self.turns - turned[:, None]) ** 2
        sums = self.sums - _ALONE_COST * self.offsets**2 - cost[:, None, :, None]
        by_turn = sums.max(-1)
        row = np.take_along_axis(sums, by_turn.argmax(-1)[..., None, None], 2)[:, :, 0]
        offset = self.offsets[0] + self.step * _peak(row)
        turn = self.turns[0] + (self.turns[1] - self.turns[0]) * _peak(by_turn)
        point = self.middles + offset[..., None] * self.outwards
        cos, sin = np.cos(turn)[..., None], np.sin(turn)[..., None]
        way = cos * self.along - sin * self.outwards
        before, way_before = np.roll(point, 1, 1), np.roll(way, 1, 1)
        reach = _cross(point - before, way) / _cross(way_before, way)
        return np.asarray(before + reach[..., None] * way_before)


def refined(image: NDArray[np.uint8], cells: Singles, clusters: Clusters, aspect: float) -> Refined:
    """Search turns and shifts of all clusters at once, each side along its own normal."""
    n = len(clusters.poses)
    if not n:
        return Refined(clusters.poses, np.zeros((0, 4, 2)), np.zeros(0))
    search = _Search(image, cells, clusters.owners, corners_of(clusters.poses, SHORT_PX, SHORT_PX * aspect))
    top, right, bottom, left = np.moveaxis(search.sums, 1, 0)
    # Opposite sides keep their distance: the centre's shift moves one out and the other in.
    costs = _shift_costs(clusters)
    pairs = np.stack([right + left[..., ::-1], bottom + top[..., ::-1]], 1) - costs[:, :, None]
    total = pairs.max(-1).sum(1) - _TURN_COST * (_TURNS / _TURNS[-1]) ** 2
    best, rows = total.argmax(1), np.arange(n)
    chosen = pairs[rows, :, best]  # (n, 2, offsets)
    shift = _OFFSETS[0] + _STEP * _peak(chosen)
    turn = clusters.poses[:, 2] + _TURNS[0] + (_TURNS[1] - _TURNS[0]) * _peak(total)
    cos, sin = np.cos(turn), np.sin(turn)
    x = clusters.poses[:, 0] + cos * shift[:, 0] - sin * shift[:, 1]
    y = clusters.poses[:, 1] + sin * shift[:, 0] + cos * shift[:, 1]
    at = np.round((shift - _OFFSETS[0]) / _STEP).astype(int)
    both = chosen[rows[:, None], [[0, 1]], at] + costs[rows[:, None], [[0, 1]], at]
    evidence = np.clip(both.sum(1) / np.maximum(search.seen.sum(1) / 2, 0.2), 0, 1)
    return Refined(np.stack([x, y, turn], -1), search.corners(_TURNS[best]), evidence)


def closer_corners(image: NDArray[np.uint8], cells: Singles, clusters: Clusters, corners: Floats, finer: int) -> Floats:
    """Corners (n, 4, 2) after a search near them that is finer by the factor by which the image is."""
    if not len(corners):
        return corners
    return _Search(image, cells, clusters.owners, corners, finer).corners(np.zeros(len(corners)))


def corners_of(poses: Floats, short: float, long: float) -> Floats:
    """(n, 4, 2) corners of cards at poses (n, 3) x, y, turn of a short side, clockwise from a short side."""
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (short / 2, long / 2)
    cos, sin = np.cos(poses[:, 2])[:, None], np.sin(poses[:, 2])[:, None]
    x = poses[:, :1] + cos * half[:, 0] - sin * half[:, 1]
    y = poses[:, 1:2] + sin * half[:, 0] + cos * half[:, 1]
    return np.stack([x, y], -1)


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _sampled(image: NDArray[np.uint8] | Singles, points: Floats, px: float, way: int) -> Singles:
    """Values of an image with px of a size at points (n, ..., 2)."""
    places = (points / px - 0.5).astype(np.float32).reshape(len(points), -1, 2)
    values = cv2.remap(image, places[..., 0], places[..., 1], way, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(values, np.float32).reshape(*points.shape[:-1], *image.shape[2:])


def _shift_costs(clusters: Clusters) -> Floats:
    """(n, 2, offsets) cost of shifts across and along a card: as much as the votes' own errors speak against them."""
    cos, sin = np.cos(clusters.poses[:, 2]), np.sin(clusters.poses[:, 2])
    axes = np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], 1)  # (n, 2, 2)
    variance = np.einsum("nai,nij,naj->na", axes, clusters.errors, axes)
    variance = np.maximum(variance, _LEAST_ERROR_PX**2)
    return np.asarray(np.minimum(_SHIFT_COST * _OFFSETS**2 / variance[..., None], 1.5))


def _peak(values: Floats) -> Floats:
    """Place of the maximum along the last axis, between samples by a parabola."""
    last = values.shape[-1] - 1
    i = np.clip(values.argmax(-1), 1, last - 1)[..., None]
    low, mid, high = (np.take_along_axis(values, i + d, -1)[..., 0] for d in (-1, 0, 1))
    bend = low - 2 * mid + high
    between = np.where(bend < -1e-9, 0.5 * (low - high) / np.where(bend < -1e-9, bend, -1), 0)
    return np.asarray(i[..., 0] + np.clip(between, -1, 1))
