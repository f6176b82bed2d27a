"""Patches are those that OpenCV finds, with the same areas, boxes, centroids and spreads."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.marked.patches import patches_of


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("least", [1.0, 7.0])
def test_patches_are_those_of_opencv(share: float, least: float) -> None:
    random = np.random.default_rng(4)
    mask = np.asarray(random.random((83, 121)) < share, np.uint8)
    mask[20:40, 50:90] = 1
    labels, numbers, boxes, centres, spreads = patches_of(mask, least)
    _, _, true, middles = cv2.connectedComponentsWithStats(mask, connectivity=4)
    large = np.flatnonzero(np.append(False, true[1:, cv2.CC_STAT_AREA] >= least))
    # Labels may be dealt out otherwise, boxes and centroids may not.
    order, other = np.lexsort(boxes.T), np.lexsort(true[large].T)
    assert (boxes[order] == true[large][other]).all()
    assert np.allclose(centres[order], middles[large][other])
    assert ((labels > 0) == (mask > 0)).all()
    for number, (left, top, width, height, area), spread in zip(numbers, boxes, spreads, strict=True):
        patch = np.asarray(labels[top : top + height, left : left + width] == number, np.uint8)
        assert np.count_nonzero(patch) == area
        moments = cv2.moments(patch, binaryImage=True)
        of_points = [moments[key] / area for key in ("mu20", "mu02", "mu11")]
        assert np.allclose(spread, np.add(of_points, (1 / 12, 1 / 12, 0)))


@pytest.mark.parametrize("mask", [np.zeros((5, 7), np.uint8), np.eye(9, dtype=np.uint8)])
def test_where_nothing_is_large_enough_there_are_none(mask: NDArray[np.uint8]) -> None:
    _, numbers, boxes, centres, spreads = patches_of(mask, 2.0)
    assert (len(numbers), boxes.shape, centres.shape, spreads.shape) == (0, (0, 5), (0, 2), (0, 3))
