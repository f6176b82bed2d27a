"""Where cards may lie by points of their print (SIFT: Lowe, "Distinctive Image Features", 2004), whatever hides edges.

White cards on white ones, brown ones on wood and cards under a hand show no sides that could propose them. Seen from
above, at a known scale, one point of a face that is found again already says where its card lies, and how it is turned:
such points vote.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import cv2
import numpy as np

from vision.arrays import Floats, Image, Singles
from vision.prints.print_deck import PrintDeck
from vision.table import Table

_PX_PER_MM = 1.0
_MOST_PX = 1600  # a side of the table as it is seen from above
_CONTRAST = 0.03
_TILE_PX, _TILES_SHARE_PX = 400, 30
# By the brightest print; so many within a window make that worth a search, but for the rims of cards that were taken.
_CORNER, _LEAST_CORNERS, _WINDOW_PX, _RIM_PX = 0.16, 10, 60, 3
_LEAST_STEP, _BRIGHT = 6, 98  # grey levels, and percentile
_POINTS_A_TILE, _POINTS, _POINTS_A_FACE, _LEAST_A_FACE = 500, 4000, 120, 30  # the strongest, of all faces and of one
_LIKE, _ALTERNATIVES = 1.15, 3  # of the distance to the nearest point: as near are those of other faces that share it
_SIZE = 0.4  # octaves: points of one size are
_NEAR_MM, _NEAR_TURN = 5.0, np.radians(12)
_NO_POINTS = np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros((0, 128), np.float32)
_CORNERS = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
_LEAST_VOTES, _MOST_PLACES, _MOST_VOTERS = 4, 40, 2000


class FeaturePlaces:
    """Proposes places for the cards of one deck."""

    def __init__(self, deck: PrintDeck) -> None:
        self._deck = deck
        self._detector = cv2.SIFT.create(contrastThreshold=_CONTRAST)
        self._corners = cv2.FastFeatureDetector.create()
        self._matcher = cv2.BFMatcher(cv2.NORM_L2)

    def places(self, image_bgr: Image, table: Table, taken_px: Floats) -> Floats:
        """Give corners (n, 4, 2) px of places in a picture (h, w, 3), those with most votes first.

        The first side is a shorter one. No points are looked for within `taken_px` (m, 4, 2).
        """
        points, turns, sizes, descriptors = self._seen_from_above(image_bgr, table, taken_px)
        known = self._known
        if not len(points) or not len(known[0]):
            return np.zeros((0, 4, 2))
        own, own_turns, own_sizes, own_descriptors = known
        pairs = self._matcher.knnMatch(descriptors, own_descriptors, k=min(_ALTERNATIVES, len(own)))
        alike = [one for near in pairs for one in near if one.distance <= _LIKE * near[0].distance]
        here = np.array([one.queryIdx for one in alike], np.intp)
        there = np.array([one.trainIdx for one in alike], np.intp)
        order = np.argsort([one.distance for one in alike], kind="stable")
        fit = np.abs(np.log2(sizes[here] / own_sizes[there])) < _SIZE
        likeliest = order[fit[order]][:_MOST_VOTERS]
        here, there = here[likeliest], there[likeliest]
        turn = turns[here] - own_turns[there]
        middles = points[here] - _turned(own[there], turn)
        return self._voted(middles, turn, table)

    def _voted(self, middles: Floats, turns: Floats, table: Table) -> Floats:
        """Places (n, 4, 2) px for which most of the middles (k, 2) mm and turns (k,) vote."""
        x, y, turned = (values.astype(np.float32) for values in (middles[:, 0], middles[:, 1], turns % (2 * np.pi)))
        near = (np.abs(x[:, None] - x) < _NEAR_MM) & (np.abs(y[:, None] - y) < _NEAR_MM)
        apart = np.abs(turned[:, None] - turned)
        near &= np.minimum(apart, np.float32(2 * np.pi) - apart) < _NEAR_TURN
        free = np.ones(len(turns), bool)
        width, height = self._deck.card_mm
        corners = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
        found: list[Floats] = []
        votes = near.sum(axis=1)
        while len(found) < _MOST_PLACES and free.any():
            best = int(np.argmax(np.where(free, votes, 0)))
            if votes[best] < _LEAST_VOTES:
                break
            group = near[best] & free
            turn = float(np.angle(np.exp(1j * turns[group]).mean()))
            found.append(_turned(corners, np.full(4, turn)) + np.median(middles[group], axis=0))
            free &= ~group
            votes = votes - near[:, group].sum(axis=1)
        quads = np.array(found).reshape(-1, 4, 2)
        quads = quads if width <= height else np.roll(quads, 1, axis=1)
        return table.to_px(quads.reshape(-1, 2)).reshape(-1, 4, 2)

    @cached_property
    def _known(self) -> tuple[Floats, Floats, Floats, Singles]:
        """The points of all faces: mm from the card's middle (n, 2), turns (n,) rad, sizes (n,) mm, descriptors."""
        width, height = self._deck.card_mm
        size = (round(width * _PX_PER_MM), round(height * _PX_PER_MM))
        most = max(_LEAST_A_FACE, min(_POINTS_A_FACE, _POINTS // max(1, len(self._deck.faces))))
        found = []
        for face in self._deck.faces:
            art = np.asarray(cv2.resize(face.art, size, interpolation=cv2.INTER_AREA), np.uint8)
            found.append(self._points(_grey(art), None, most))
        points, turns, sizes, descriptors = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return points - (width / 2, height / 2), turns, sizes, descriptors

    def _seen_from_above(
        self, image_bgr: Image, table: Table, taken_px: Floats
    ) -> tuple[Floats, Floats, Floats, Singles]:
        """The points of a picture: on the table (n, 2) mm, turns (n,) rad, sizes (n,) mm, descriptors (n, 128)."""
        height, width = image_bgr.shape[:2]
        ends = table.to_mm(np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64))
        middle = table.to_mm(np.array([[width / 2, height / 2]]))[0]
        reach = _MOST_PX / _PX_PER_MM / 2
        low, high = np.maximum(ends.min(axis=0), middle - reach), np.minimum(ends.max(axis=0), middle + reach)
        box = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
        warp = cv2.getPerspectiveTransform(
            table.to_px(box).astype(np.float32), ((box - low) * _PX_PER_MM).astype(np.float32)
        )
        size = (max(1, int((high[0] - low[0]) * _PX_PER_MM)), max(1, int((high[1] - low[1]) * _PX_PER_MM)))
        above = np.asarray(cv2.warpPerspective(_grey(image_bgr), warp, size, flags=cv2.INTER_AREA), np.uint8)
        mask = np.zeros(above.shape, np.uint8)
        for quads, value in ((_CORNERS[None] * (width, height), 255), (taken_px, 0)):
            for quad in quads:
                inside = (table.to_mm(quad) - low) * _PX_PER_MM
                cv2.fillConvexPoly(mask, np.rint(inside).astype(np.int32), value)
        points, turns, sizes, descriptors = self._in_windows(above, mask)
        return points + low, turns, sizes, descriptors

    def _in_windows(self, grey: Image, mask: Image) -> tuple[Floats, Floats, Floats, Singles]:
        """The points of a large picture, see `_points`, where corners crowd as they do in print.

        Plain tables, and most grained ones, have few, and need no search that takes long.
        """
        parts = [_NO_POINTS]
        for box in self._windows(grey, cv2.erode(mask, np.ones(2 * (2 * _RIM_PX + 1,), np.uint8))):
            for left, top, right, bottom in _tiles_of(box):
                tile = np.s_[top:bottom, left:right]
                part = self._points(np.ascontiguousarray(grey[tile]), mask[tile].copy(), _POINTS_A_TILE)
                parts.append((part[0] + np.array([left, top]) / _PX_PER_MM, part[1], part[2], part[3]))
        points, turns, sizes, descriptors = (np.concatenate(values) for values in zip(*parts, strict=True))
        return points, turns, sizes, descriptors

    def _windows(self, grey: Image, mask: cv2.typing.MatLike) -> list[tuple[int, int, int, int]]:
        """Boxes, x y x y, round all windows in which there are corners enough."""
        self._corners.setThreshold(max(_LEAST_STEP, round(_CORNER * float(np.percentile(grey, _BRIGHT)))))
        x, y = np.array([corner.pt for corner in self._corners.detect(grey, mask)], int).reshape(-1, 2).T
        corners = np.zeros(grey.shape, np.float32)
        corners[y, x] = 1
        window = (_WINDOW_PX, _WINDOW_PX)
        crowd = cv2.boxFilter(corners, -1, window, normalize=False, borderType=cv2.BORDER_CONSTANT)
        near = cv2.dilate(np.asarray(crowd > _LEAST_CORNERS - 0.5, np.uint8), np.ones(window, np.uint8))
        found = cv2.connectedComponentsWithStats(near)[2][1:, : cv2.CC_STAT_AREA]
        return [(left, top, left + width, top + height) for left, top, width, height in found.tolist()]

    def _points(self, grey: Image, mask: Image | None, most: int) -> tuple[Floats, Floats, Floats, Singles]:
        """The strongest points of a picture (h, w) where a mask allows: (n, 2) mm from its corner, turns, sizes."""
        found, descriptors = self._detector.detectAndCompute(grey, mask)
        if not found or descriptors is None:
            return _NO_POINTS
        order = np.argsort([-point.response for point in found], kind="stable")[:most]
        points = np.array([found[k].pt for k in order]) / _PX_PER_MM
        turns = np.radians([found[k].angle for k in order])
        sizes = np.array([found[k].size for k in order]) / _PX_PER_MM
        return points, turns, sizes, np.asarray(descriptors, np.float32)[order]


def _tiles_of(box: tuple[int, int, int, int]) -> Iterator[tuple[int, int, int, int]]:
    """A box, x y x y, in parts that share their rims: all at once a large one would take 300 MB."""
    for top in range(box[1], box[3], _TILE_PX - _TILES_SHARE_PX):
        for left in range(box[0], box[2], _TILE_PX - _TILES_SHARE_PX):
            yield left, top, min(left + _TILE_PX, box[2]), min(top + _TILE_PX, box[3])


def _turned(points: Floats, turns: Floats) -> Floats:
    """Points (n, 2) turned about the origin, each by its own turn (n,)."""
    cos, sin = np.cos(turns), np.sin(turns)
    x, y = points.T
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=1)


def _grey(image_bgr: Image) -> Image:
    return np.asarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), np.uint8)
