"""Straight edges too faint for the segment detector as it is, and which of all are not those of print."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_edges import sample_lab
from vision.unknown.line_segments import SegmentMap, detected, length_of, wrapped
from vision.unknown.print_islands import STANDS_OUT

Floats = NDArray[np.float32]

_COPIES = ((1.5, 16.0), (1.0, 10.0), (2.5, 24.0))  # blur in pixels of the halved picture, and boost
_KNOWN = 0.6  # share of a segment that one found before covers
_ASIDE_PX = 2.5  # where the colours on either side of a segment are compared


def faint_segments(grey: NDArray[np.uint8], known: Floats, min_length_px: float) -> Floats:
    """Straight edges (n, 4) of an (h, w) grey picture that differ by a grey level or two, without the `known` ones."""
    half = cv2.resize(grey.astype(np.float32), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    found = known
    for blur, boost in _COPIES:
        smooth = np.asarray(cv2.GaussianBlur(half, (0, 0), blur), np.float32)
        faint = (detected(wrapped(smooth * boost), 0.75 * min_length_px) + 0.5) * 2 - 0.5
        seen = SegmentMap(found, (grey.shape[0], grey.shape[1])).coverage_of_lines(faint)
        found = np.concatenate([found, faint[seen < _KNOWN]])
    return np.asarray(found[len(known) :], np.float32)


def without_print(image_lab: NDArray[np.uint8], segments: Floats) -> Floats:
    """Those of the segments (n, 4) across which the colour changes by less than to what stands out as print."""
    if len(segments) == 0:
        return segments
    start, side = segments[:, :2], segments[:, 2:] - segments[:, :2]
    length = np.maximum(length_of(segments), np.float32(1e-3))[:, None]
    outward = np.asarray(np.stack([side[:, 1], -side[:, 0]], axis=1) / length, np.float32)
    along, across = np.linspace(0.05, 0.95, 11, dtype=np.float32), np.array([-_ASIDE_PX, _ASIDE_PX], np.float32)
    lab = sample_lab(image_lab, start, side, outward, along, across, True, smooth=False)
    change = np.linalg.norm(lab[:, :, 1] - lab[:, :, 0], axis=2)
    return np.asarray(segments[np.median(change, axis=1) < STANDS_OUT], np.float32)
