"""Where straight edges were seen in a picture: how much of any line lies on some."""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import Singles
from vision.effort import spend

_AT_ONCE = 50000  # lines
_SAMPLES = 12  # along a line


class SegmentMap:
    """Answers how much of a straight line is covered by segments of the same direction.

    The segments are drawn into one plane for each of eight directions.
    """

    _BINS = 8

    def __init__(self, segments: Singles, shape: tuple[int, int]) -> None:
        spend(shape[0] * shape[1] / 200)
        self._planes = np.zeros((self._BINS, *shape), np.uint8)
        self.add(segments)

    def add(self, segments: Singles) -> None:
        """Draw more segments (n, 4)."""
        spend(len(segments))
        angle = np.arctan2(segments[:, 3] - segments[:, 1], segments[:, 2] - segments[:, 0]) / np.pi * self._BINS
        for (x1, y1, x2, y2), position in zip(np.rint(segments).astype(int).tolist(), angle.tolist(), strict=True):
            low = round(position - 0.35)
            for k in {low % self._BINS, round(position + 0.35) % self._BINS}:
                cv2.line(self._planes[k], (x1, y1), (x2, y2), 1, 5)

    def coverage(self, quads: Singles) -> Singles:
        """Covered share (n, 4) of each side of `quads` (n, 4, 2); what lies outside the picture is uncovered."""
        lines = np.concatenate([quads, np.roll(quads, -1, axis=1)], axis=2)
        return self.coverage_of_lines(lines.reshape(-1, 4)).reshape(-1, 4)

    def coverage_of_lines(self, lines: Singles) -> Singles:
        """Covered share (n,) of `lines` (n, 4), x1 y1 x2 y2, but for their ends."""
        # Some at a time: on squared paper there are millions.
        blocks = np.array_split(lines, max(1, len(lines) // _AT_ONCE))
        return np.concatenate([self._covered_of(block) for block in blocks])

    def _covered_of(self, lines: Singles) -> Singles:
        spend(20 + len(lines) * _SAMPLES / 30)
        start, side = lines[:, None, :2], (lines[:, 2:] - lines[:, :2])
        steps = np.linspace(0.08, 0.92, _SAMPLES, dtype=np.float32)
        points = np.rint(start + side[:, None] * steps[:, None]).astype(np.int32)
        height, width = self._planes.shape[1:]
        x, y = points[..., 0], points[..., 1]
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        plane = np.rint(np.arctan2(side[:, 1], side[:, 0]) / np.pi * self._BINS).astype(int) % self._BINS
        hit = self._planes[plane[:, None], np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
        return np.asarray((hit * inside).mean(axis=1), np.float32)
