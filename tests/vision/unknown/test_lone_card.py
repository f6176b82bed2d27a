"""A card alone on grained wood, whose lines meet its edges everywhere; a printed sheet with sharp corners is none."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.card_edges import fit_sides
from vision.unknown.lone_card import lone_card
from vision.unknown.view import view_of

SIZE_WH = (900, 1200)
CARD = (230, 330, 470, 730)  # left, top, width, height
LINES = 1500
NONE = np.zeros((0, 4, 2), np.float32)
FRAME = np.array([[[300, 420], [630, 420], [630, 970], [300, 970]]], np.float32)
Picture = NDArray[np.uint8]


def grained(random: np.random.Generator) -> NDArray[np.float32]:
    """Pale wood with lines across, (h, w, 3) BGR."""
    wood = np.full((SIZE_WH[1], SIZE_WH[0], 3), (188, 205, 214), np.float32)
    for _ in range(LINES):
        x, y = (random.uniform(0, 1, 2) * SIZE_WH).astype(int).tolist()
        end = (x + int(random.uniform(40, 220)), y + int(random.uniform(-3, 4)))
        tint = (np.array([188, 205, 214]) - random.uniform(4, 16)).tolist()
        cv2.line(wood, (x, y), end, tint, 1, cv2.LINE_AA)
    return np.asarray(wood, np.float32)


def picture(radius: int, printed: bool, seed: int = 1) -> Picture:
    """A white card with so rounded corners on wood, with marks or bare, (h, w, 3) BGR."""
    random = np.random.default_rng(seed)
    scene, (x, y, wide, high) = grained(random), CARD
    shape: Picture = np.zeros(scene.shape[:2], np.uint8)
    cv2.rectangle(shape, (x + radius, y + radius), (x + wide - radius, y + high - radius), 255, -1)
    if radius:
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
        shape = np.asarray(cv2.dilate(shape, disc), np.uint8)
    scene[shape > 0] = (232, 230, 229)
    for row in range(4 * printed):
        for column in (0.3, 0.7):
            middle = (x + int(column * wide), y + int((0.2 + 0.2 * row) * high))
            cv2.ellipse(scene, middle, (38, 55), 0, 0, 360, (50, 40, 200), -1)
    seen = cv2.GaussianBlur(scene, (0, 0), 0.8) + random.normal(0, 1.2, scene.shape)
    return np.asarray(np.clip(np.rint(seen), 0, 255), np.uint8)


def outlines(image: Picture, found: NDArray[np.float32]) -> NDArray[np.float32]:
    """What is told (n, 4, 2) where straight edges have found (m, 4, 2)."""
    view = view_of(image)
    cards, plane = lone_card(view, (fit_sides(view.lab, found, 2.0), None))
    assert len(found) or (plane is None) == (len(cards.quads) == 0)
    return cards.quads


def off_px(quad: NDArray[np.float32]) -> float:
    """How far the corners of an outline (4, 2) that begins with a shorter side are from the card's."""
    x, y, wide, high = CARD
    true = np.array([[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]], np.float32)
    return min(float(np.linalg.norm(np.roll(quad, k, axis=0) - true, axis=1).max()) for k in (0, 2))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_card_alone_on_grained_wood_is_told_by_its_light_area(seed: int) -> None:
    cards = outlines(picture(24, printed=True, seed=seed), NONE)
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.01 * CARD[2]


def test_the_card_about_a_frame_is_told_instead_of_the_frame() -> None:
    cards = outlines(picture(24, printed=True), FRAME)
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.01 * CARD[2]


def test_a_card_that_lies_elsewhere_is_kept() -> None:
    elsewhere = FRAME - 200
    kept = outlines(picture(24, printed=True), elsewhere)
    assert np.allclose(kept.mean(axis=1), elsewhere.mean(axis=1), atol=3)


def test_a_blank_card_and_a_printed_sheet_with_sharp_corners_are_not_told() -> None:
    assert len(outlines(picture(24, printed=False), NONE)) == 0
    assert len(outlines(picture(0, printed=True), NONE)) == 0
