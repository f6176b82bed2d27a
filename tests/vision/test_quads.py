"""Points lie in the quadrilaterals that OpenCV says, and on them where a camera shows those of the rectangle."""

from __future__ import annotations

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.quads import points_within, within_quads

UNIT = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
nudges = st.lists(st.floats(-0.2, 0.2), min_size=8, max_size=8).map(lambda values: np.reshape(values, (4, 2)))
spread = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5).map(np.array)


@given(st.lists(nudges, min_size=1, max_size=3), spread)
def test_points_lie_where_opencv_warps_them(moved: list[np.ndarray], shares: np.ndarray) -> None:
    quads = 100 * (UNIT + np.array(moved))
    for found, quad in zip(points_within(quads, shares[None]), quads, strict=True):
        warp = cv2.getPerspectiveTransform(UNIT.astype(np.float32), quad.astype(np.float32))
        assert np.allclose(found, cv2.perspectiveTransform(shares[None], warp)[0], atol=1e-2)


def test_each_quadrilateral_may_have_points_of_its_own() -> None:
    quads = np.stack([UNIT, 10 + 2 * UNIT])
    found = points_within(quads, np.array([[[0.5, 0.0]], [[1.0, 0.25]]]))
    assert np.allclose(found, [[[0.5, 0.0]], [[12.0, 10.5]]])


@given(st.lists(nudges, max_size=4), st.lists(st.tuples(st.floats(-20, 320), st.floats(-20, 120)), min_size=1))
def test_points_lie_in_quadrilaterals_as_opencv_says(
    moved: list[np.ndarray], places: list[tuple[float, float]]
) -> None:
    quads = np.array([(100 * (UNIT + by) + (60 * k, 0)).round() for k, by in enumerate(moved)]).reshape(-1, 4, 2)
    points = np.round(places)
    sides = np.array([[cv2.pointPolygonTest(quad.astype(np.float32), p, False) for quad in quads] for p in points])
    within = within_quads(points[None], quads)[0]
    assert within.tolist() == (sides > 0).any(axis=1).tolist()
