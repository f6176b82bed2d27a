"""Settles poses with the crop network: cells of a crop vote for where the four sides of its card are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.edges import edges_beside, equations_of_lines
from vision.find.network import CropNetwork
from vision.find.scale import CARD_PX, CROP_CELL_PX, CROP_PX, FINE

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

_MIDDLE, _HALF = CROP_PX / 2, CARD_PX / 2
_CENTRES = np.asarray((np.arange(CROP_PX // CROP_CELL_PX) + 0.5) * CROP_CELL_PX - _MIDDLE, np.float32)
_HOME = np.array([-_HALF, _HALF, -_HALF, _HALF], np.float32)  # of the left, right, top and bottom side
_PLACES = np.tile(_CENTRES.reshape(2, -1), (2, 1))  # of the cells in a row whose nearer side that is
_ROUNDS = 3  # of weighing down votes that contradict the others
_TOGETHER = 400.0  # votes of neighbouring cells err together: so many count as one
# How far a side may be from the hypothesis: its shift in px, turn in rad, size in parts.
_FREE_SHIFT, _FREE_TURN, _FREE_SIZE, _FIXED_SIZE = 13.0, 0.25, 0.12, 0.006
_OWN_SHIFT, _OWN_SLOPE = 1.5, 0.03  # of a single side against its rectangle, in px and px a px
# Logistic regression on 1,700 hypotheses of 260 synthetic tables, 100 of them without cards.
_SCORE = (-0.97, 2.01, 1.04)
_SPREAD_PX = 8.0  # standard error of the centre at which a score is halved


@dataclass(frozen=True, eq=False)
class Settled:
    """Cards after a pass over crops, as parallel arrays of length n; px of the view.

    `poses` (n, 5): x, y, turn of the first side, width, height; `quads` (n, 4, 2): corners where each side follows its
    own votes; `in_sight` (n,): visible share, 0..1; `scores` (n,): probability of a card, fitted to synthetic tables;
    `edges` (n,): strength of the picture's edges along visible sides, 0..1; `changes` (n, 4, 3): of the colour at the
    sides; `votes` (n,): mean probability of the card network's votes.
    """

    poses: Floats
    quads: Floats
    in_sight: Floats
    scores: Floats
    edges: Floats
    changes: Floats
    votes: Floats

    @classmethod
    def unsettled(cls, poses: Floats, votes: Floats) -> Settled:
        """Cards before the first pass."""
        nothing = np.zeros(len(poses))
        return cls(poses, corners_of(poses), nothing, nothing, nothing, np.zeros((len(poses), 4, 3)), votes)

    @classmethod
    def joined(cls, parts: Sequence[Settled]) -> Settled:
        """The cards of all parts."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    def __getitem__(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Settled:
        return Settled(*(getattr(self, field.name)[rows] for field in fields(self)))

    def __len__(self) -> int:
        return len(self.poses)


def crop_maps(poses: NDArray[np.floating]) -> Floats:
    """(n, 2, 3) affine maps from crops to the view, for poses (n, 5) x, y, turn of the first side, width, height."""
    x, y, turn, width, height = np.asarray(poses, np.float64).T
    wide, high = np.stack([np.cos(turn), np.sin(turn)]) * width, np.stack([-np.sin(turn), np.cos(turn)]) * height
    linear = np.stack([wide, high], -1).swapaxes(0, 1) / CARD_PX
    return np.concatenate([linear, np.stack([x, y], -1)[..., None] - _MIDDLE * linear.sum(2, keepdims=True)], 2)


def cut(fine: Image, marks: Image, maps: Floats) -> Image:
    """(n, CROP_PX, CROP_PX, 4) of a picture (h, w, 3) at FINE and the marks of known cards in a view.

    `maps` (n, 2, 3) lead from crops to the view.
    """
    size, ways = (CROP_PX, CROP_PX), maps.copy()
    ways[:, :, 2] += ways[:, :, :2].sum(2) / 2 - 0.5  # px centres are at 0.5
    finer = FINE * ways + (0, 0, (FINE - 1) / 2)
    colours = [cv2.warpAffine(fine, way, size, flags=cv2.WARP_INVERSE_MAP | cv2.INTER_LINEAR) for way in finer]
    covers = [cv2.warpAffine(marks, way, size, flags=cv2.WARP_INVERSE_MAP | cv2.INTER_NEAREST) for way in ways]
    return np.asarray([cv2.merge(pair) for pair in zip(colours, covers, strict=True)], np.uint8)


def near(on: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, rows, columns) the largest value within 6 px: cells beside an edge vote, too: their errors cancel."""
    return np.stack([np.asarray(cv2.dilate(one, np.ones((7, 7), np.uint8)), np.float32) for one in on])


def corners_of(poses: Floats) -> Floats:
    """(n, 4, 2) corners of poses (n, 5), clockwise from the first side."""
    return in_view(_HALF * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), crop_maps(poses))


def in_view(points: NDArray[np.floating], maps: Floats) -> Floats:
    """(n, k, 2) px of the view of points (k, 2) or (n, k, 2) from the crops' middles."""
    linear = maps[..., :2].swapaxes(1, 2)
    return np.asarray(points @ linear + (_MIDDLE * linear.sum(1) + maps[..., 2])[:, None], np.float64)


def settled(
    network: CropNetwork, fine: Image, marks: Image, cards: Settled, size_known: bool = False, on_edges: bool = True,
    way: Floats | None = None,
) -> Settled:  # fmt: skip
    """Cards moved to where the crop network sees their sides; sizes stay if they are known.

    With `on_edges` sides then move to edges of the picture beside them, where there are any: to those at which colours
    change in the direction `way` (3,), if it is given.
    """
    if not len(cards):
        return cards
    poses, votes = cards.poses, cards.votes
    maps = crop_maps(poses)
    cells = network.run(cut(fine, marks, maps))
    on = np.asarray(1 / (1 + np.exp(-cells[..., 0])), np.float32)
    offsets = _by_side(cells[..., 1:3] * np.float32(CARD_PX)) + _PLACES[:, None] - _HOME[:, None, None]
    precision = _by_side(np.exp(np.clip(cells[..., 3:5], -4, 2.5)))
    weight = _by_side(near(on)[..., None].repeat(2, -1)) * precision / np.float32(_TOGETHER)
    basis = _rectangles(poses[:, 4] / poses[:, 3])
    across = basis.swapaxes(1, 2)
    prior = np.array([_FREE_SHIFT, _FREE_SHIFT, _FREE_TURN, *[_FIXED_SIZE if size_known else _FREE_SIZE] * 2]) ** -2.0
    least = 1 / precision
    lines, edges, changes = np.zeros((len(poses), 8)), cards.edges, cards.changes
    for number in range(_ROUNDS + 1):
        offset, slope = np.moveaxis(lines.reshape(-1, 4, 2, 1, 1).astype(np.float32), 2, 0)
        # Laplace distribution: far votes count by their distance, not by its square.
        some = weight / np.maximum(np.abs(offsets - (offset + slope * _CENTRES[:, None])), least)
        normal, right = equations_of_lines(some.sum(-1), (some * offsets).sum(-1), _CENTRES)
        if on_edges and number == _ROUNDS:
            more, also, edges, changes = edges_beside(fine, maps, lines, on, way)
            normal, right = normal + more, right + also
        curvature = across @ normal @ basis + np.diag(prior)
        change = np.linalg.solve(curvature, across @ right[..., None])
        lines = (basis @ change)[..., 0]
    change = change[..., 0]
    own = normal + np.diag(np.array([_OWN_SHIFT, _OWN_SLOPE] * 4) ** -2.0)
    own_lines = lines + np.linalg.solve(own, right[..., None] - normal @ lines[..., None])[..., 0]
    growth, centre = 1 + change[:, 3:], in_view(change[:, None, :2], maps)[:, 0]
    moved = np.c_[centre, poses[:, 2] + change[:, 2], poses[:, 3:] * growth]
    quads = in_view(_corners(own_lines), maps)
    voting = on.sum((1, 2), dtype=np.float64)
    in_sight = np.minimum(1, voting * CROP_CELL_PX**2 / (CARD_PX**2 * growth.prod(1)))
    spread = np.sqrt(np.trace(np.linalg.inv(curvature)[:, :2, :2], axis1=1, axis2=2))
    agreement = (on**2).sum((1, 2)) / np.maximum(voting, 1) / (1 + (spread / _SPREAD_PX) ** 2)
    return Settled(moved, quads, in_sight, _probability(votes, agreement), edges, changes, votes)


def _probability(votes: Floats, agreement: Floats) -> Floats:
    """(n,) probabilities that a card is there, from the card network's votes and the agreement of cells."""
    bias, *weights = _SCORE
    shares = np.clip([votes, agreement], 1e-3, 0.999)
    return np.asarray(1 / (1 + np.exp(-bias - np.array(weights) @ np.log(shares / (1 - shares)))))


def _by_side(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, 4, k, k / 2) of cells (n, k, k, 2) across and along a crop: the half near each side, row by row."""
    n, k = cells.shape[:2]
    rows = np.stack([cells[..., 0], cells[..., 1].swapaxes(1, 2)], 1).reshape(n, 2, k, 2, k // 2)
    return rows.swapaxes(2, 3).reshape(n, 4, k, k // 2)


def _rectangles(aspects: Floats) -> Floats:
    """(n, 8, 5) how the sides' lines follow from shift across and along, turn, growth across and along."""
    basis = np.zeros((len(aspects), 8, 5))
    basis[:, [0, 2], 0] = basis[:, [4, 6], 1] = 1
    basis[:, [1, 3], 2] = -aspects[:, None]
    basis[:, [5, 7], 2] = 1 / aspects[:, None]
    basis[:, [0, 2], 3] = basis[:, [4, 6], 4] = (-_HALF, _HALF)
    return basis


def _corners(lines: Floats) -> Floats:
    """(n, 4, 2) where the sides meet, clockwise from the corner of left and top side, from the crop's middle."""
    left, right, top, bottom = lines.reshape(-1, 4, 2).swapaxes(0, 1) + np.c_[_HOME, np.zeros(4)][:, None]
    across, along = np.stack([left, right, right, left], 1), np.stack([top, top, bottom, bottom], 1)
    x = (across[..., 0] + across[..., 1] * along[..., 0]) / (1 - across[..., 1] * along[..., 1])
    return np.stack([x, along[..., 0] + along[..., 1] * x], -1)
