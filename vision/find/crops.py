"""Settles poses with the crop network: cells of a crop vote for where the four sides of its card are.

Sides then move to edges of the picture: strong changes of colour within some 3 mm of where votes put a side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.channels import largest
from vision.find.network import CropNetwork
from vision.find.scale import CARD_PX, CROP_CELL_PX, CROP_PX, FINE

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

_MIDDLE, _HALF = CROP_PX / 2, CARD_PX / 2
_CENTRES = np.asarray((np.arange(CROP_PX // CROP_CELL_PX) + 0.5) * CROP_CELL_PX - _MIDDLE, np.float32)
_HOME = np.array([-_HALF, _HALF, -_HALF, _HALF], np.float32)  # of the left, right, top and bottom side
_PLACES = np.tile(_CENTRES.reshape(2, -1), (2, 1))  # of the cells in a row whose nearer side that is
_PROFILE = np.arange(-4, 4.1, 0.5)  # px from a side at which the colour is sampled
_ALONG = np.linspace(-0.86, 0.86, 20) * CARD_PX / 2  # px of a crop along a side; rounded corners are left out


@dataclass(frozen=True)
class SideParams:
    """Parameters of a side's place by votes; lengths are px of a crop."""

    rounds: int = 3  # of weighing down votes that contradict the others
    together: float = 400.0  # votes of neighbouring cells err together: so many count as one
    # How far a side may be from the hypothesis: its shift, turn in rad, size in parts, and size where it is known.
    shift: float = 13.0
    turn: float = 0.25
    size: float = 0.12
    known_size: float = 0.006
    # of a single side against its rectangle, px and px a px
    own_shift: float = 1.5
    own_slope: float = 0.03
    # Bias and weights of votes and agreement: logistic regression on 1,700 hypotheses of 260 synthetic tables.
    score: tuple[float, float, float] = (-0.97, 2.01, 1.04)
    spread: float = 8.0  # standard error of the centre at which a score is halved


@dataclass(frozen=True)
class EdgeParams:
    """Parameters of a side's place by an edge of the picture; lengths are px of a crop."""

    apart: int = 2  # steps to either side between which the colour is compared
    near: float = 1.5  # standard deviation of an edge from where votes put the side: a printed frame is at 2 and more
    half_strength: float = 25.0  # levels of change that count half as much as an endless one
    # standard error of a point at an edge; neighbouring points err together
    error: float = 0.4
    together: float = 4.0
    inside: float = 3.0  # from a side to the cell that says whether the card is in sight there


SIDE, EDGE = SideParams(), EdgeParams()
_STEP = float(_PROFILE[1] - _PROFILE[0])


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
    weight = _by_side(near(on)[..., None].repeat(2, -1)) * precision / np.float32(SIDE.together)
    basis = _rectangles(poses[:, 4] / poses[:, 3])
    across = basis.swapaxes(1, 2)
    prior = np.array([SIDE.shift, SIDE.shift, SIDE.turn, *[SIDE.known_size if size_known else SIDE.size] * 2]) ** -2.0
    least = 1 / precision
    lines, edges, changes = np.zeros((len(poses), 8)), cards.edges, cards.changes
    for number in range(SIDE.rounds + 1):
        offset, slope = np.moveaxis(lines.reshape(-1, 4, 2, 1, 1).astype(np.float32), 2, 0)
        # Laplace distribution: far votes count by their distance, not by its square.
        some = weight / np.maximum(np.abs(offsets - (offset + slope * _CENTRES[:, None])), least)
        normal, right = _equations_of_lines(some.sum(-1), (some * offsets).sum(-1), _CENTRES)
        if on_edges and number == SIDE.rounds:
            more, also, edges, changes = _edges_beside(fine, maps, lines, on, way)
            normal, right = normal + more, right + also
        curvature = across @ normal @ basis + np.diag(prior)
        change = np.linalg.solve(curvature, across @ right[..., None])
        lines = (basis @ change)[..., 0]
    change = change[..., 0]
    own = normal + np.diag(np.array([SIDE.own_shift, SIDE.own_slope] * 4) ** -2.0)
    own_lines = lines + np.linalg.solve(own, right[..., None] - normal @ lines[..., None])[..., 0]
    growth, centre = 1 + change[:, 3:], in_view(change[:, None, :2], maps)[:, 0]
    moved = np.c_[centre, poses[:, 2] + change[:, 2], poses[:, 3:] * growth]
    quads = in_view(_corners(own_lines), maps)
    voting = on.sum((1, 2), dtype=np.float64)
    in_sight = np.minimum(1, voting * CROP_CELL_PX**2 / (CARD_PX**2 * growth.prod(1)))
    spread = np.sqrt(np.trace(np.linalg.inv(curvature)[:, :2, :2], axis1=1, axis2=2))
    agreement = (on**2).sum((1, 2)) / np.maximum(voting, 1) / (1 + (spread / SIDE.spread) ** 2)
    return Settled(moved, quads, in_sight, _probability(votes, agreement), edges, changes, votes)


def _probability(votes: Floats, agreement: Floats) -> Floats:
    """(n,) probabilities that a card is there, from the card network's votes and the agreement of cells."""
    bias, *weights = SIDE.score
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


def _edges_beside(
    fine: NDArray[np.uint8], maps: Floats, lines: Floats, on: NDArray[np.float32], way: Floats | None = None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Normal matrices (n, 8, 8) and right sides (n, 8) that put sides on edges, their strength (n,) 0..1 and changes.

    Changes (n, 4, 3) are of the colour at each side, from inside to outside, 0 where the card is covered.

    `fine` (h, w, 3) is a BGR picture at FINE, `maps` (n, 2, 3) lead from crops to the view, `lines` (n, 8)
    are offset and slope of the left, right, top and bottom side in px of crops, `on` (n, rows, columns) is the share of
    cells that shows the card, `way` (3,) the direction in which colours change at the edges of cards, if it is known.
    """
    n = len(lines)
    line = lines.reshape(n, 4, 2)
    sides = line[:, :, :1] + line[:, :, 1:] * _ALONG  # (n, 4, points)
    pad = _STEP * np.arange(1, EDGE.apart + 1)
    wide = np.concatenate([_PROFILE[0] - pad[::-1], _PROFILE, _PROFILE[-1] + pad])
    colours = _sampled(fine, maps, _points(sides[..., None] + wide))
    change = colours[..., 2 * EDGE.apart :, :] - colours[..., : -2 * EDGE.apart, :]
    outward = np.sign(_HOME)[:, None, None, None] * change
    change = largest(np.abs(change)) if way is None else np.maximum(outward @ way.astype(np.float32), 0)
    strength = change**2 / (change**2 + EDGE.half_strength**2)
    strength[:, :, 1:-1] = (strength[:, :, :-2] + strength[:, :, 1:-1] + strength[:, :, 2:]) / 3
    best = (strength * np.exp(-0.5 * (_PROFILE / EDGE.near) ** 2)).argmax(-1)
    # A strong edge saturates beside itself, too: its place is where the change is largest.
    beside = np.abs(np.arange(len(_PROFILE)) - best[..., None]) <= EDGE.apart
    best = np.where(beside, change, 0).argmax(-1)
    inside = _points((sides - np.sign(_HOME)[:, None] * EDGE.inside)[..., None])[..., 0, :]
    cell = np.clip((inside + CROP_PX / 2) // CROP_CELL_PX, 0, on.shape[1] - 1).astype(np.intp)
    in_sight = on[np.arange(n)[:, None, None], cell[..., 1], cell[..., 0]]
    edge = np.take_along_axis(strength, best[..., None], -1)[..., 0]
    weight = edge * in_sight / (EDGE.error**2 * EDGE.together)
    value = weight * (sides + _PROFILE[0] + _STEP * _peak(change, best))
    normal, right = _equations_of_lines(weight, value, _ALONG)
    changes = np.take_along_axis(outward, best[..., None, None], 3)[..., 0, :] * in_sight[..., None]
    strength = (edge * in_sight).sum((1, 2)) / np.maximum(in_sight.sum((1, 2)), 1e-3)
    return normal, right, strength, changes.mean(2)


def _equations_of_lines(
    weight: NDArray[np.floating], value: NDArray[np.floating], along: NDArray[np.floating]
) -> tuple[Floats, Floats]:
    """Normal matrices (n, 8, 8) and right sides (n, 8) for offset and slope of four lines.

    `weight` (n, 4, points) is of points at places `along` (points,) of each line, `value` their offsets times weights.
    """
    n, k, one = len(weight), np.arange(4), np.ones_like(along)
    normal = np.zeros((n, 4, 2, 4, 2))
    moments = weight @ np.stack([one, along, along, along**2], 1)
    normal[:, k, :, k] = moments.reshape(n, 4, 2, 2).swapaxes(0, 1)
    return normal.reshape(n, 8, 8), (value @ np.stack([one, along], 1)).reshape(n, 8)


def _points(offsets: Floats) -> Floats:
    """(n, 4, points, offsets, 2) px from the crop's middle, for offsets (n, 4, points, offsets) of sides."""
    across = offsets + _HOME[:, None, None]
    along = np.broadcast_to(_ALONG[:, None], across.shape)
    points = np.stack([across, along], -1)
    points[:, 2:] = points[:, 2:, ..., ::-1]
    return points


def _sampled(fine: NDArray[np.uint8], maps: Floats, points: Floats) -> NDArray[np.float32]:
    """Colours (n, 4, points, offsets, 3) of the picture at points of crops."""
    linear = FINE * maps[..., :2].swapaxes(1, 2)
    places = points.reshape(len(points), -1, 2) @ linear
    places += (CROP_PX / 2 * linear.sum(1) + FINE * maps[..., 2] - 0.5)[:, None]
    # Rounded to float32 before, places would move by the 1/32 px of a remap: 2 of 426 cards of SET lose a corner.
    x, y = np.moveaxis(places, -1, 0).astype(np.float32)
    colours = cv2.remap(fine, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return colours.astype(np.float32).reshape(*points.shape[:-1], 3)


def _peak(values: NDArray[np.floating], best: NDArray[np.intp]) -> Floats:
    """Place of the maximum near `best` along the last axis, between samples by a parabola."""
    i = np.clip(best, 1, values.shape[-1] - 2)[..., None]
    low, mid, high = (np.take_along_axis(values, i + d, -1)[..., 0] for d in (-1, 0, 1))
    bend = low - 2 * mid + high
    between = np.where(bend < -1e-9, 0.5 * (low - high) / np.where(bend < -1e-9, bend, -1), 0)
    return np.asarray(i[..., 0] + np.clip(between, -1, 1))
