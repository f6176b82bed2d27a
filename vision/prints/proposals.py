"""Where cards of a known size may lie on a table of known scale: wherever straight edges could be theirs.

Two edges that meet at a right angle leave a card two places, or one where an edge is longer than the card's shorter
side; an edge as long as a side leaves it one on either hand. What else speaks for a place is how much of the card's
four sides is seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image
from vision.prints.line_segments import line_segments
from vision.prints.segment_map import SegmentMap
from vision.quads import lie_on
from vision.table import Table

WORK_PX_PER_MM = 1.25
_LEAST_MM = 9.0  # shorter edges are print's
_MOST_EDGES = 500
_SAMPLES, _BESIDE_PX = 12, 1.5  # along an edge, and how far beside it
_RIGHT = np.sin(np.radians(5.0))
_BEYOND_MM = (7.0, 6.0)  # how far edges may end before they meet, as rounded corners do, and run on beyond
_LENGTH_MM = 4.0  # how far an edge may be from a side's length
_TWIN_MM, _TWIN_TURN = 2.5, np.radians(3.0)
_MOST_APART = 400  # places
_MOST_POSES, _MOST_BY_SIDES = 30_000, 3000  # whose sides are looked for; of those, that are held against each other
WHOLE = 0.85  # of all sides together: a card's whole outline shows
_LEAST_SEEN = 0.9  # of the four sides together


@dataclass(frozen=True, eq=False)
class Poses:
    """Rectangles on the table.

    `centres` (n, 2) mm, `turns` (n,) rad from the table's x axis to the card's first side, a shorter one; `seen` (n, 4)
    the share of each side where an edge is.
    """

    centres: Floats
    turns: Floats
    seen: Floats

    def take(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> Poses:
        """Some of them."""
        return Poses(self.centres[chosen], self.turns[chosen], self.seen[chosen])

    def corners_mm(self, card_mm: tuple[float, float]) -> Floats:
        """(n, 4, 2) mm, clockwise, the first side a shorter one."""
        x = np.stack([np.cos(self.turns), np.sin(self.turns)], axis=1)[:, None]
        y = np.stack([-np.sin(self.turns), np.cos(self.turns)], axis=1)[:, None]
        half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
        return np.asarray(
            self.centres[:, None] + x * (half[:, :1] * card_mm[0])[None] + y * (half[:, 1:] * card_mm[1])[None]
        )

    def quads(self, table: Table, card_mm: tuple[float, float]) -> Floats:
        """(n, 4, 2) px, the same corners in the picture."""
        return table.to_px(self.corners_mm(card_mm).reshape(-1, 2)).reshape(-1, 4, 2)


@dataclass(frozen=True, eq=False)
class Edges:
    """The straight edges that a picture of a table shows, as `ends_px` (n, 2, 2), the plainest first."""

    ends_px: Floats
    table: Table
    scale: float
    size_px: tuple[int, int]
    seen_by: SegmentMap

    def ends_mm(self, most: int | None = None) -> Floats:
        """(n, 2, 2) the ends of all edges on the table, or of the longest ones."""
        return self.table.to_mm(self.ends_px[:most].reshape(-1, 2)).reshape(-1, 2, 2)

    def coverage(self, quads: Floats) -> Floats:
        """(n, 4) the share of each side of quads (n, 4, 2) px where an edge is."""
        return self.seen_by.coverage(self._here(quads)).astype(np.float64)

    def coverage_of_lines(self, lines: Floats) -> Floats:
        """(n,) the share of lines (n, 4) px, x1 y1 x2 y2, where an edge is."""
        return self.seen_by.coverage_of_lines(self._here(lines)).astype(np.float64)

    def _here(self, points_px: Floats) -> NDArray[np.float32]:
        return ((points_px + 0.5) * self.scale - 0.5).astype(np.float32)


def edges_on(image_bgr: Image, table: Table, card_mm: tuple[float, float]) -> Edges:
    """Find the straight edges in a picture (h, w, 3), card's sides and others."""
    height, width = image_bgr.shape[:2]
    middle = table.px_per_mm(np.array([[width / 2, height / 2]]))
    scale = min(1.0, WORK_PX_PER_MM / float(middle[0]))
    small = image_bgr
    if scale < 1:
        small = np.asarray(cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
    lab = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), np.uint8)
    found = line_segments(grey, lab, _LEAST_MM * 0.8 * WORK_PX_PER_MM)
    found = found[np.argsort(-_plainness(small, found, max(card_mm) * WORK_PX_PER_MM), kind="stable")]
    ends_px = (found.astype(np.float64).reshape(-1, 2, 2) + 0.5) / scale - 0.5
    seen_by = SegmentMap(found[:_MOST_EDGES], (grey.shape[0], grey.shape[1]))
    return Edges(ends_px, table, scale, (width, height), seen_by)


def _plainness(image_bgr: Image, lines: NDArray[np.float32], most_px: float) -> Floats:
    """(n,) how plain edges (n, 4) are, by their length, up to a card's, and by how much they part.

    Grain has thousands of edges that are longer than a card's, and fainter.
    """
    if not len(lines):
        return np.zeros(0)
    start, way = lines[:, :2], lines[:, 2:] - lines[:, :2]
    length = np.hypot(*way.T)
    beside = np.stack([-way[:, 1], way[:, 0]], axis=1) / np.maximum(length, 1e-6)[:, None]
    along = start[:, None] + way[:, None] * ((np.arange(_SAMPLES) + 0.5) / _SAMPLES)[:, None]
    sides = [(along + sign * beside[:, None] * _BESIDE_PX).astype(np.float32) for sign in (1, -1)]
    one, other = (
        cv2.remap(image_bgr, points[..., 0], points[..., 1], cv2.INTER_LINEAR).astype(np.float32) for points in sides
    )
    step = np.abs(one.mean(axis=1) - other.mean(axis=1)).max(axis=1)
    return np.asarray(np.minimum(length, most_px) * step, np.float64)


def poses_on(edges: Edges, card_mm: tuple[float, float], taken_px: Floats) -> tuple[Poses, Floats]:
    """Where cards may lie, the best seen first, and their corners (n, 4, 2) px; none on `taken_px` (m, 4, 2)."""
    width, height = edges.size_px
    ends = edges.ends_mm(_MOST_EDGES)
    ends = ends[np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) >= _LEAST_MM]
    poses = joined(_from_corners(ends, card_mm), _from_sides(ends, card_mm))
    poses = poses.take(np.arange(min(len(poses.turns), _MOST_POSES)))
    quads = poses.quads(edges.table, card_mm)
    inside = ((quads > -40) & (quads < (width + 40, height + 40))).all(-1).sum(1) >= 2
    poses, quads = poses.take(inside), quads[inside]
    poses = Poses(poses.centres, poses.turns, edges.coverage(quads))
    good = poses.seen.sum(1) >= _LEAST_SEEN
    good &= ~lie_on(quads, taken_px) if len(taken_px) else True
    order = np.argsort(-poses.seen.sum(1), kind="stable")
    order = order[good[order]][:_MOST_BY_SIDES]
    poses, quads = poses.take(order), quads[order]
    kept = each_once(poses, card_mm)
    return poses.take(kept), quads[kept]


def joined(*parts: Poses) -> Poses:
    """Give all of some lists of rectangles."""
    return Poses(
        np.concatenate([part.centres for part in parts]),
        np.concatenate([part.turns for part in parts]),
        np.concatenate([part.seen for part in parts]),
    )


def _posed(corner: Floats, first: Floats, card_mm: tuple[float, float]) -> Poses:
    """Cards whose corner (n, 2) is where the side along `first` (n, 2), clockwise about the card, begins.

    That side is the shorter one, then the longer one where they differ.
    """
    second = np.stack([-first[:, 1], first[:, 0]], axis=1)
    width, height = card_mm
    turn = np.arctan2(first[:, 1], first[:, 0])
    short = Poses(corner + first * width / 2 + second * height / 2, turn, np.zeros((len(turn), 4)))
    if abs(width / height - 1) < 0.02:
        return short
    # Along a longer side: the shorter one is a quarter turn further.
    long = Poses(corner + first * height / 2 + second * width / 2, turn + np.pi / 2, np.zeros((len(turn), 4)))
    return joined(short, long)


def _from_corners(ends: Floats, card_mm: tuple[float, float]) -> Poses:
    """Cards with a corner where two of the edges (n, 2, 2) mm meet at a right angle."""
    start, way = ends[:, 0], ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(way, axis=1)
    way = way / length[:, None]
    one, other = np.nonzero(np.triu(np.abs(way @ way.T) < _RIGHT, 1))
    gap = start[other] - start[one]
    cross = way[one, 0] * way[other, 1] - way[one, 1] * way[other, 0]
    along = (gap[:, 0] * way[other, 1] - gap[:, 1] * way[other, 0]) / cross
    beside = (gap[:, 0] * way[one, 1] - gap[:, 1] * way[one, 0]) / cross
    before, after = _BEYOND_MM
    parts = []
    most = max(card_mm) + _LENGTH_MM
    for sign_one in (1, -1):
        # How far along each edge reaches from where the two meet, and how near it begins.
        reach = length[one] - along if sign_one == 1 else along
        near = -along if sign_one == 1 else along - length[one]
        for sign_other in (1, -1):
            far = length[other] - beside if sign_other == 1 else beside
            close = -beside if sign_other == 1 else beside - length[other]
            # The edge begins between `before` ahead of the corner and `after` beyond it, or runs on as a neighbour's.
            fits = (-near <= after) & (near <= before)
            fits &= (-close <= after) & (close <= before)
            fits &= (reach > _LEAST_MM / 2) & (far > _LEAST_MM / 2) & (reach < most) & (far < most)
            corner = start[one[fits]] + along[fits, None] * way[one[fits]]
            u, v = sign_one * way[one[fits]], sign_other * way[other[fits]]
            clockwise = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] > 0
            first = np.where(clockwise[:, None], u, v)
            # Both edges tell the turn, the longer one more of it.
            second = np.where(clockwise[:, None], v, u)
            along_first = np.where(clockwise, reach[fits], far[fits])[:, None]
            along_second = np.where(clockwise, far[fits], reach[fits])[:, None]
            mean = first * along_first + np.stack([second[:, 1], -second[:, 0]], axis=1) * along_second
            mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-9)
            parts.append(_posed(corner, mean, card_mm))
    return joined(*parts)


def _from_sides(ends: Floats, card_mm: tuple[float, float]) -> Poses:
    """Cards with a side along an edge (n, 2, 2) mm that is as long as one, on either hand."""
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    width, height = card_mm
    middle = ends.mean(axis=1)
    way = (ends[:, 1] - ends[:, 0]) / length[:, None]
    parts = []
    # Rounded corners take off some millimetres of what is straight.
    for side, across, quarter in ((width, height, 0.0), (height, width, np.pi / 2)):
        fits = (length > side - 2 * _LENGTH_MM - 2) & (length < side + _LENGTH_MM)
        for sign in (1, -1):
            first = sign * way[fits]
            second = np.stack([-first[:, 1], first[:, 0]], axis=1)
            turn = np.arctan2(first[:, 1], first[:, 0]) + quarter
            parts.append(Poses(middle[fits] + second * across / 2, turn, np.zeros((int(fits.sum()), 4))))
        if abs(width / height - 1) < 0.02:
            break
    return joined(*parts)


def each_once(poses: Poses, card_mm: tuple[float, float]) -> NDArray[np.intp]:
    """The first of those that lie at the same place."""
    period = np.pi / 2 if abs(card_mm[0] / card_mm[1] - 1) < 0.02 else np.pi
    free = np.ones(len(poses.turns), bool)
    kept: list[int] = []
    while len(kept) < _MOST_APART and free.any():
        k = int(np.argmax(free))
        near = (np.abs(poses.centres - poses.centres[k]) < _TWIN_MM).all(axis=1)
        turn = np.abs((poses.turns - poses.turns[k] + period / 2) % period - period / 2) < _TWIN_TURN
        free &= ~(near & turn)
        free[k] = False
        kept.append(k)
    return np.array(kept, np.intp)
