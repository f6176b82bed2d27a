"""Straight edges are seen where lightness changes, by however little, and where only the colour does."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.line_segments import line_segments
from vision.unknown.segment_map import SegmentMap

SIZE_WH = (640, 480)
CARD = np.array([[200, 120], [330, 140], [302, 322], [172, 302]], np.float32)
DEEP_BLUE, BLACK_AS_LIGHT = (112, 68, 56), (66, 66, 66)


def covered(table: tuple[int, int, int], card: tuple[int, int, int]) -> NDArray[np.float32]:
    """How much of each side of a card (4,) is seen, in BGR colours on a table, with noise and as JPEG."""
    picture = np.full((SIZE_WH[1], SIZE_WH[0], 3), table, np.uint8)
    cv2.fillPoly(picture, [np.rint(16 * CARD).astype(np.int32)], card, cv2.LINE_AA, 4)
    noisy = cv2.GaussianBlur(picture, (0, 0), 0.8) + np.random.default_rng(2).normal(0, 1.5, picture.shape)
    coded = cv2.imencode(".jpg", np.clip(noisy, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 90])[1]
    bgr = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
    grey, lab = (np.asarray(cv2.cvtColor(bgr, way), np.uint8) for way in (cv2.COLOR_BGR2GRAY, cv2.COLOR_BGR2LAB))
    seen = SegmentMap(line_segments(grey, lab, 12.0), (SIZE_WH[1], SIZE_WH[0]))
    return np.asarray(seen.coverage(CARD[None])[0])


@pytest.mark.parametrize(
    ("table", "card"),
    [
        ((120, 120, 120), (240, 240, 240)),
        ((200, 200, 200), (206, 206, 206)),
        (DEEP_BLUE, BLACK_AS_LIGHT),
        ((90, 130, 90), (150, 110, 110)),
    ],
)
def test_all_sides_of_a_card_are_seen(table: tuple[int, int, int], card: tuple[int, int, int]) -> None:
    assert covered(table, card).min() > 0.7


def test_on_a_table_of_its_own_colour_a_card_has_no_edge() -> None:
    assert covered(DEEP_BLUE, DEEP_BLUE).max() < 0.2
