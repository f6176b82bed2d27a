"""Corners of what lies on the table: where two straight edges meet at a right angle, on ground like a card's.

Whatever covers a card leaves a corner of it, mostly, and a corner gives the card's pose but for a turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.marked.colour import linear_of
from vision.marked.evidence import Sampler, like_ground
from vision.marked.marks import Foreground, WorkImage
from vision.quads import distances, within_quads
from vision.table import Table

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_MOST_LINES = 500
_SQUARE_RAD = np.radians(4.0)
_BEYOND_MM = (-2.0, 9.0)  # from a line's end to the corner, which is round
_SAME_MM, _SAME_RAD = 3.0, np.radians(4.0)
NEAR_MM = np.stack(np.meshgrid([5.0, 8.0, 11.0], [5.0, 8.0, 11.0]), axis=-1).reshape(-1, 2)
_PLAIN_THERE = 0.6  # of those places near a corner: a mark may lie there
# Of the three channels the most linear light by the least: white cards tell the lamp's tint, black ones do not.
_TINT = {"white": 1.6, "black": 3.0}
_DIM = 0.005  # of linear light: below, levels are too coarse to have a tint
_SPARSE_PX = 6  # half of the smallest mark
_BESIDE = 1.1  # of a card's size: its own edges stand out, too


@dataclass(frozen=True, eq=False)
class Corners:
    """Corners on the table: `places_mm` (n, 2), and which way the side runs that follows clockwise, `turn` (n,)."""

    places_mm: Floats
    turn: Floats

    def take(self, which: NDArray[np.intp]) -> Corners:
        """Some of them."""
        return Corners(self.places_mm[which], self.turn[which])


def find_corners(lines_mm: Floats) -> Corners:
    """Find where two of the lines (n, 2, 2) meet at a right angle, both ending there."""
    length = np.linalg.norm(lines_mm[:, 1] - lines_mm[:, 0], axis=1)
    longest = np.argsort(-length, kind="stable")[:_MOST_LINES]
    lines_mm, length = lines_mm[longest], length[longest]
    middle, along = lines_mm.mean(1), lines_mm[:, 1] - lines_mm[:, 0]
    unit = along / length[:, None]
    cross = unit[:, None, 0] * unit[:, 1] - unit[:, None, 1] * unit[:, 0]
    one, other = np.nonzero(np.triu(np.abs(cross) > np.cos(_SQUARE_RAD)))
    gap, sine = middle[other] - middle[one], cross[one, other]
    at = (gap[:, 0] * unit[other, 1] - gap[:, 1] * unit[other, 0]) / sine
    there = (gap[:, 0] * unit[one, 1] - gap[:, 1] * unit[one, 0]) / sine
    beyond = np.stack([np.abs(at) - length[one] / 2, np.abs(there) - length[other] / 2])
    ends = ((beyond > _BEYOND_MM[0]) & (beyond < _BEYOND_MM[1])).all(0)
    one, other, at, there = one[ends], other[ends], at[ends], there[ends]
    places = middle[one] + at[:, None] * unit[one]
    ways = np.stack([-np.sign(at)[:, None] * unit[one], -np.sign(there)[:, None] * unit[other]])
    weights = np.stack([length[one], length[other]]) ** 2
    anticlockwise = ways[0, :, 0] * ways[1, :, 1] < ways[0, :, 1] * ways[1, :, 0]
    first, second = np.where(anticlockwise[:, None], ways[::-1], ways)
    weight, other_weight = np.where(anticlockwise, weights[::-1], weights)
    # The second side, turned back by a right angle, says the same: the longer one says it better.
    x, y = weight * first.T + other_weight * np.stack([second[:, 1], -second[:, 0]])
    turn = np.arctan2(y, x)
    return _each_once(places, turn, np.minimum(length[one], length[other]))


def _each_once(places: Floats, turn: Floats, length: Floats) -> Corners:
    """Of corners found more than once those of the longest lines: edges are seen twice, on either side of a shadow."""
    order = np.argsort(-length, kind="stable")
    places, turn = places[order], turn[order]
    near = distances(places, places) < _SAME_MM
    near &= np.abs((turn[:, None] - turn + np.pi) % (2 * np.pi) - np.pi) < _SAME_RAD
    kept: list[int] = []
    for k in range(len(places)):
        if not near[k, kept].any():
            kept.append(k)
    return Corners(places[kept], turn[kept])


def print_left(
    work: WorkImage,
    table: Table,
    foreground: Foreground,
    side: str,
    white_rgb: Floats,
    known_mm: Floats,
    keep_out_px: Floats,
) -> Floats:
    """Give places (n, 2) in mm where something stands out from what may be a card, beside the known ones.

    `white_rgb` (3,): linear, the tint of white cards; `known_mm` (k, 4, 2): the known cards; `keep_out_px` (m, 4, 2):
    where there is something else.
    """
    labels = foreground.labels[::_SPARSE_PX, ::_SPARSE_PX]
    places = np.argwhere(np.isin(labels, foreground.numbers))[:, ::-1] * _SPARSE_PX
    grounds = foreground.level[places[:, 1], places[:, 0], ::-1]
    places_px = work.to_picture(places[like_paper(grounds, side, white_rgb)].astype(np.float64))
    places_mm = table.to_mm(places_px)
    middles = known_mm.mean(1, keepdims=True)
    explained = within_quads(places_mm, middles + _BESIDE * (known_mm - middles))
    return np.asarray(places_mm[~explained & ~within_quads(places_px, keep_out_px)])


def on_cards(
    sampler: Sampler, side: str, corners: Corners, white_rgb: Floats, known_mm: Floats
) -> tuple[Corners, Floats]:
    """Those of the corners that have plain ground inside and are none of the known cards', and that ground's levels."""
    apart = distances(corners.places_mm, known_mm.reshape(-1, 2)).min(axis=1, initial=np.inf)
    corners = corners.take(np.flatnonzero(apart > _SAME_MM))
    near = corners.places_mm[:, None] + turned_by(NEAR_MM, corners.turn)
    levels, inside = sampler.levels(near)
    grounds = np.median(levels, axis=1)
    plain = like_ground(levels, grounds[:, None], side).mean(1) > _PLAIN_THERE
    plain &= inside.all(1) & ~within_quads(near, known_mm).any(1) & like_paper(grounds, side, white_rgb)
    return corners.take(np.flatnonzero(plain)), grounds[plain]


def like_paper(grounds: NDArray[np.uint8] | Floats, side: str, white_rgb: Floats) -> Bools:
    """(n,) which grounds, RGB levels (n, 3), have no more tint than a card's may have; wood has."""
    light = linear_of(np.asarray(grounds, np.float64)) + _DIM
    if side == "white":
        light = light / (white_rgb + _DIM)
    return np.asarray(light.max(1) < _TINT[side] * light.min(1))


def turned_by(points: Floats, turn: Floats) -> Floats:
    """(n, k, 2): points (k, 2) turned by each angle (n,) in rad."""
    cos, sin = np.cos(turn)[:, None], np.sin(turn)[:, None]
    x, y = points.T
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)
