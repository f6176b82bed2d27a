"""Large outlines in a picture: of edges that were seen in pieces, and of areas that some level or tint sets apart."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_proposals import MIN_SEGMENT_PX, distinct
from vision.unknown.closed_lines import four_sides
from vision.unknown.joined_lines import joined_lines
from vision.unknown.line_segments import SegmentMap, find_corners, quads_from_corners
from vision.unknown.view import View

Floats = NDArray[np.float32]

_SCALE = 0.25
_LEVELS, _RANGE = 16, (2, 98)  # percentiles of a channel
_TINT_GAIN = 4.0  # of tints in eight bits
_GRAIN = 5  # reduced pixels: what is thinner is no card
LEAST = 0.02  # of the picture's area: what is smaller is found by straight edges
_MOST = 0.93
_LEAST_SIDE, _MOST_SIDE = 0.1, 0.98  # of the picture's longer side
_SIDE_SEEN, _SEEN, _MOST_OUTLINES = 0.3, 0.55, 200  # shares of one side and of all


def by_lines(view: View, segments: Floats) -> Floats:
    """Large quadrilaterals (n, 4, 2) of edges, `segments` (m, 4), that were seen in pieces."""
    edges = np.concatenate([joined_lines(segments), segments])
    longer = max(view.size_wh)
    quads = quads_from_corners(find_corners(edges, MIN_SEGMENT_PX), _LEAST_SIDE * longer, _MOST_SIDE * longer)
    share = share_of(view, quads)
    quads = quads[(share > LEAST) & (share < _MOST)]
    coverage = SegmentMap(edges, view.size_wh[::-1]).coverage(quads)
    seen = (coverage.min(axis=1) > _SIDE_SEEN) & (coverage.mean(axis=1) > _SEEN)
    return distinct(quads[seen], coverage[seen].mean(axis=1))[:_MOST_OUTLINES]


def share_of(view: View, quads: Floats) -> Floats:
    """How much of the picture quadrilaterals (n, 4, 2) take (n,)."""
    return np.array([cv2.contourArea(quad) / view.grey.size for quad in quads], np.float32)


def areas(view: View) -> Iterator[Floats]:
    """The corners (4, 2), clockwise, of areas with four sides that are lighter, bluer or yellower than some level."""
    small = cv2.resize(view.lab, None, fx=_SCALE, fy=_SCALE, interpolation=cv2.INTER_AREA)
    height, width = small.shape[:2]
    tints = cv2.resize(view.tints.values, (width, height), interpolation=cv2.INTER_AREA)
    tint = np.clip(128 + _TINT_GAIN * tints, 0, 255).astype(np.uint8)
    for channel, way in ((small[..., 0], 1), (small[..., 2], -1), (small[..., 2], 1), (tint, 1), (tint, -1)):
        values = cv2.medianBlur(np.ascontiguousarray(channel), _GRAIN).astype(np.int16) * way
        low, high = np.percentile(values, _RANGE).tolist()
        levels = np.unique(np.linspace(low, high, _LEVELS).astype(np.int16))
        for level in levels:
            mask = np.asarray(values > level, np.uint8)
            for contour in cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
                x, y, w, h = cv2.boundingRect(contour)
                if x == 0 or y == 0 or x + w == width or y + h == height:
                    continue
                if LEAST < cv2.contourArea(contour) / mask.size < _MOST:
                    quad = four_sides(np.asarray(contour))
                    if quad is not None:
                        yield np.asarray((quad + 0.5) / _SCALE - 0.5, np.float32)
