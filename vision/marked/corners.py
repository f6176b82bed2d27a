"""Corners of what lies on the table: where two straight edges meet at a right angle, on ground like a card's.

Whatever covers a card leaves a corner of it, mostly, and a corner gives the card's pose but for a turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats
from vision.deck import Deck
from vision.marked.colour import hues_on, linear_of
from vision.marked.evidence import like_ground
from vision.marked.marks import Foreground, WorkImage
from vision.marked.sampler import Sampler
from vision.quads import distances, enlarged, within_quads
from vision.table import Table

_MOST_LINES = 500
_SQUARE_RAD = np.radians(4.0)
_BEYOND_MM = (-2.0, 9.0)  # from a line's end to the corner, which is round
_SAME_MM, _SAME_RAD = 3.0, np.radians(4.0)
NEAR_MM = np.stack(np.meshgrid([5.0, 8.0, 11.0], [5.0, 8.0, 11.0]), axis=-1).reshape(-1, 2)
_SHORTER_MM, _LONGER_MM = 3.0, 2.0  # than a side without its round corners, and than a side
_IN_LINE_MM, _RUN_ON_MM = 1.5, 20.0
_BEYOND_SIDE_MM = np.stack([np.linspace(10.0, 50.0, 9), np.full(9, -3.0)], axis=1)
_ENDS_THERE = 0.5  # of those places: one card may lie on another
_PLAIN_THERE = 0.6  # of those places near a corner: a mark may lie there
# Of the three channels the most linear light by the least: white cards tell the lamp's tint, black ones do not.
_TINT = {"white": 1.6, "black": 3.0}
_DIM = 0.005  # of linear light: below, levels are too coarse to have a tint
_SPARSE_PX = 6  # half of the smallest mark
_TOGETHER = 5  # of those, within the largest mark
_BESIDE = 1.1  # of a card's or a marker's size: its own edges stand out, too


@dataclass(frozen=True, eq=False)
class Corners:
    """Corners on the table: `places_mm` (n, 2), and which way the side runs that follows clockwise, `turn` (n,).

    `whole` (n,): whether that side alone says so, seen as a whole.
    """

    places_mm: Floats
    turn: Floats
    whole: Flags

    def take(self, which: NDArray[np.intp]) -> Corners:
        """Some of them."""
        return Corners(self.places_mm[which], self.turn[which], self.whole[which])


def find_corners(lines_mm: Floats, deck: Deck) -> Corners:
    """Find where two of the lines (n, 2, 2) meet at a right angle, both ending there, or one is a card's whole side."""
    met, whole = _met(lines_mm), _whole_sides(lines_mm, deck)
    places, turn, length = (np.concatenate(some) for some in zip(met, whole, strict=True))
    return _each_once(places, turn, length)


def _whole_sides(lines_mm: Floats, deck: Deck) -> tuple[Floats, Floats, Floats]:
    """Both ends of each line that is as long as a card's side and runs on beyond neither end; see `_met`.

    The card may lie on either side of it.
    """
    along = lines_mm[:, 1] - lines_mm[:, 0]
    length = np.linalg.norm(along, axis=1)
    middles, units = lines_mm.mean(1), along / length[:, None]
    places, turns = [np.zeros((0, 2))], [np.zeros(0)]
    for side in deck.card_mm:
        straight = side - 2 * deck.corner_radius_mm
        fits = np.flatnonzero((length > straight - _SHORTER_MM) & (length < side + _LONGER_MM))
        fits = fits[~_run_on(lines_mm, middles[fits], units[fits], side)]
        middle, unit = middles[fits], units[fits]
        turn = np.arctan2(unit[:, 1], unit[:, 0])
        places += [middle - side / 2 * unit, middle + side / 2 * unit]
        turns += [turn, turn + np.pi]
    # Where two sides are seen to meet they say it better.
    return np.concatenate(places), np.concatenate(turns), np.zeros(sum(map(len, turns)))


def _run_on(lines_mm: Floats, middles: Floats, units: Floats, side_mm: float) -> Flags:
    """Which sides (k,), by their middles and directions, (k, 2), have any of the lines (n, 2, 2) straight beyond them.

    Joints of boards and rims of sheets are seen in pieces, one of which may be as long as a card's side.
    """
    normals = np.stack([units[:, 1], -units[:, 0]], axis=1)
    off = np.abs((lines_mm @ normals.T) - (middles * normals).sum(1))
    line, side = np.nonzero((off < _IN_LINE_MM).all(1))
    at = ((lines_mm[line] - middles[side, None]) * units[side, None]).sum(-1)
    ahead = np.abs(at).min(-1) - side_mm / 2
    beyond = (np.sign(at[:, 0]) == np.sign(at[:, 1])) & (ahead > -_LONGER_MM) & (ahead < _RUN_ON_MM)
    return np.isin(np.arange(len(middles)), side[beyond])


def _met(lines_mm: Floats) -> tuple[Floats, Floats, Floats]:
    """Where two lines meet: places, turns, and how long the shorter line is."""
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
    return places, turn, np.minimum(length[one], length[other])


def _each_once(places: Floats, turn: Floats, length: Floats) -> Corners:
    """Of corners found more than once those of the longest lines: edges are seen twice, on either side of a shadow."""
    order = np.argsort(-length, kind="stable")
    places, turn = places[order], turn[order]
    near = distances(places, places) < _SAME_MM
    near &= np.abs((turn[:, None] - turn + np.pi) % (2 * np.pi) - np.pi) < _SAME_RAD
    kept: list[int] = []
    found = np.zeros(len(places), dtype=bool)
    for k in range(len(places)):
        if not found[k]:
            kept.append(k)
            found |= near[k]
    return Corners(places[kept], turn[kept], length[order][kept] == 0)


def print_left(
    work: WorkImage,
    table: Table,
    foreground: Foreground,
    side: str,
    white_rgb: Floats,
    known_mm: Floats,
    keep_out_px: Floats,
) -> Floats:
    """Give places (n, 2) in mm where something in colour stands out from what may be a card, beside the known ones.

    Grain does so, too, but hardly twice within the reach of a mark. `white_rgb` (3,): linear, the tint of white cards;
    `known_mm` (k, 4, 2): the known cards; `keep_out_px` (m, 4, 2): where there is something else.
    """
    labels, smooth, level = (v[::_SPARSE_PX, ::_SPARSE_PX] for v in (foreground.labels, work.smooth, foreground.level))
    large = np.zeros(int(labels.max()) + 1, bool)
    large[foreground.numbers[foreground.numbers < len(large)]] = True
    rows, columns = np.nonzero(large[labels])
    levels = np.asarray(smooth[rows, columns], np.float64)
    grounds = np.asarray(level[rows, columns, ::-1], np.float64)
    coloured = np.flatnonzero(like_paper(grounds, side, white_rgb) & np.isfinite(hues_on(levels, grounds, side)))
    rows, columns = rows[coloured], columns[coloured]
    places_px = work.to_picture(_SPARSE_PX * np.stack([columns, rows], axis=1).astype(np.float64))
    places_mm = table.to_mm(places_px)
    explained = within_quads(places_mm, enlarged(known_mm, _BESIDE))
    explained |= within_quads(places_px, enlarged(keep_out_px, _BESIDE))
    left = np.zeros(labels.shape, np.uint8)
    left[rows, columns] = ~explained
    together = cv2.boxFilter(left, -1, (_TOGETHER, _TOGETHER), normalize=False, borderType=cv2.BORDER_CONSTANT) > 1
    return np.asarray(places_mm[~explained & together[rows, columns]])


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
    # A line with the same on both sides, grain or a joint of boards, is no card's side unless another one says so.
    beyond = sampler.levels(corners.places_mm[:, None] + turned_by(_BEYOND_SIDE_MM, corners.turn))[0]
    plain &= ~corners.whole | (like_ground(beyond, grounds[:, None], side).mean(1) < _ENDS_THERE)
    return corners.take(np.flatnonzero(plain)), grounds[plain]


def like_paper(grounds: NDArray[np.uint8] | Floats, side: str, white_rgb: Floats) -> Flags:
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
