"""One white card on grained wood is found, whatever is printed on it; a sheet with cards on it is none."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.turned_card import turned_card
from vision.unknown.find_cards import find_cards

SIZE_WH, WIDTH, LENGTH, RADIUS = (960, 540), 150, 210, 9


def grain(seed: int) -> NDArray[np.float32]:
    """Wood as a cheap webcam sees it: streaks from black to nearly white."""
    random = np.random.default_rng(seed)
    streaks = cv2.GaussianBlur(random.normal(0, 1, SIZE_WH[::-1]).astype(np.float32), (0, 0), 14, sigmaY=2.0)
    streaks = (streaks - streaks.min()) / (streaks.max() - streaks.min())
    return np.asarray(np.array([40, 60, 80]) + streaks[..., None] * np.array([150, 150, 150]), np.float32)


def laid(picture: NDArray[np.float32], quad: NDArray[np.float32], face: NDArray[np.float32], radius: int) -> None:
    """Put a face (h, w, 3) with round corners where a quadrilateral (4, 2) is."""
    h, w = face.shape[:2]
    shape = np.zeros((h, w), np.uint8)
    cv2.rectangle(shape, (radius, radius), (w - 1 - radius, h - 1 - radius), 255, -1)
    if radius:
        shape = np.asarray(cv2.dilate(shape, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1,) * 2)))
    there = cv2.getPerspectiveTransform(np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32), quad)
    cover = cv2.warpPerspective(shape, there, SIZE_WH, flags=cv2.INTER_AREA)[..., None] / 255.0
    drawn = cv2.warpPerspective(face, there, SIZE_WH, borderMode=cv2.BORDER_REPLICATE)
    picture[:] = picture * (1 - cover) + drawn * cover


def with_boxes(ink: tuple[int, int, int]) -> NDArray[np.float32]:
    """A face with six boxes that are as alike as cards are, and have a card's shape."""
    face = np.full((LENGTH, WIDTH, 3), 252, np.float32)
    for x, y in [(x, y) for x in (40, 110) for y in (35, 105, 175)]:
        cv2.rectangle(face, (x - 15, y - 20), (x + 15, y + 20), ink, -1)
    return face


def seen(picture: NDArray[np.float32]) -> NDArray[np.uint8]:
    noisy = cv2.GaussianBlur(picture, (0, 0), 0.8) + np.random.default_rng(3).normal(0, 2, picture.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


@pytest.mark.parametrize("ink", [(60, 60, 235), (30, 30, 30)])
@pytest.mark.parametrize("turn", [4.0, 62.0])
def test_a_card_alone_on_grained_wood_is_found_and_not_its_print(ink: tuple[int, int, int], turn: float) -> None:
    picture, quad = grain(2), turned_card((WIDTH, LENGTH), 420, 260, turn)
    laid(picture, quad, with_boxes(ink), RADIUS)
    (found,) = find_cards(seen(picture)).corners_px
    assert min(np.abs(np.roll(found, k, axis=0) - quad).max() for k in range(4)) < 0.03 * WIDTH


def test_dark_cards_on_a_white_sheet_are_found_and_the_sheet_is_none() -> None:
    picture, sheet = grain(4), turned_card((600, 420), 480, 270, 3.0)
    laid(picture, sheet, np.full((420, 600, 3), 245, np.float32), 0)
    places = [
        (320.0, 190.0, 5.0),
        (480.0, 180.0, -8.0),
        (640.0, 200.0, 2.0),
        (330.0, 370.0, 88.0),
        (590.0, 370.0, 95.0),
    ]
    quads = [turned_card((90, 135), *place) for place in places]
    for quad in quads:
        face = np.full((135, 90, 3), 40, np.float32)
        cv2.circle(face, (45, 67), 20, (60, 200, 240), -1)
        laid(picture, quad, face, 6)
    found = find_cards(seen(picture)).corners_px
    assert len(found) == len(quads)
    for quad in quads:
        off = [np.abs(np.roll(one, k, axis=0) - quad).max() for one in found for k in range(4)]
        assert min(off) < 0.05 * 90
