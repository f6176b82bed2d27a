"""A hand with its sleeve, cut out of a scene, to lay on other tables."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import load_picture

Image = NDArray[np.uint8]

SCENE = Path(__file__).parents[1] / "data" / "scenes" / "white-hands.jpg"
# Round the hand that reaches in from the top of the scene, in px.
OUTLINE = np.array(
    [
        *([1241, 0], [1255, 85], [1277, 148], [1248, 212], [1241, 317], [1277, 325], [1291, 282], [1333, 409]),
        *([1347, 395], [1340, 303], [1390, 268], [1404, 233], [1368, 141], [1376, 0]),
    ]
)
WRIST = np.array([1322, 130])


def with_hand(picture: Image, wrist_px: tuple[int, int], size: float = 1.0) -> Image:
    """Return the picture with a hand that comes in from above, its wrist there, at `size` times its old size."""
    scene = load_picture(SCENE).image
    mask = np.zeros(scene.shape[:2], np.uint8)
    cv2.fillPoly(mask, [OUTLINE], 255)
    x, y = np.array(wrist_px) - size * WRIST
    shift = np.array([[size, 0, x], [0, size, y]])
    height, width = picture.shape[:2]
    hand = cv2.warpAffine(scene, shift, (width, height), flags=cv2.INTER_AREA)
    there = cv2.warpAffine(mask, shift, (width, height), flags=cv2.INTER_AREA)[..., None] / 255
    return np.asarray(np.rint(hand * there + picture * (1 - there)), np.uint8)
