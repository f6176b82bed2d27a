"""Ruled paper is no card, nor are places ruled for cards; a card with a frame, text or stripes in its marks is one."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.find_cards import find_cards
from vision.unknown.ruled_sheets import are_ruled

Picture = NDArray[np.uint8]
WIDTH, LENGTH = 120, 176
PLACES = [(60, 50), (240, 60), (420, 40), (60, 300), (240, 310)]
PAD = (430, 300)


def table_with_cards(ground: int = 90) -> Picture:
    """White cards with a frame, lines of words and a striped mark on an even table (h, w, 3)."""
    picture = np.full((540, 640, 3), (ground, ground + 12, ground + 20), np.uint8)
    for x, y in PLACES:
        cv2.rectangle(picture, (x, y), (x + WIDTH, y + LENGTH), (244, 247, 247), -1)
        cv2.rectangle(picture, (x + 7, y + 7), (x + WIDTH - 7, y + LENGTH - 7), (60, 60, 170), 2)
        for line in range(6):
            cv2.line(picture, (x + 18, y + 24 + 9 * line), (x + WIDTH - 18, y + 24 + 9 * line), (70, 70, 70), 2)
        for stripe in range(8):
            cv2.line(picture, (x + 30, y + 92 + 8 * stripe), (x + WIDTH - 30, y + 92 + 8 * stripe), (40, 150, 50), 3)
    return picture


def with_notepad(picture: Picture, spacing: int, heading: bool = False) -> Picture:
    """The same with a sheet of ruled paper as large as a card."""
    x, y = PAD
    cv2.rectangle(picture, (x, y), (x + WIDTH, y + LENGTH), (242, 246, 247), -1)
    for line in range(y + spacing, y + LENGTH, spacing):
        cv2.line(picture, (x, line), (x + WIDTH, line), (222, 205, 180), 1)
    if heading:
        cv2.putText(picture, "Monday", (x + 12, y + 34), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (60, 40, 30), 2, cv2.LINE_AA)
    return picture


def outline(x: int, y: int) -> NDArray[np.float32]:
    """The corners (1, 4, 2) of what lies at a place."""
    return np.array([[[x, y], [x + WIDTH, y], [x + WIDTH, y + LENGTH], [x, y + LENGTH]]], np.float32)


def as_seen(picture: Picture, tilt: float = 0.0) -> tuple[Picture, NDArray[np.float64]]:
    """The picture, a little noisy, from a place aside, in 8-bit Lab; and the homography that leads there."""
    h, w = picture.shape[:2]
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    inward = np.array([[tilt * w, 0], [-tilt * w, 0], [0, 0], [0, 0]], np.float32)
    way = np.asarray(cv2.getPerspectiveTransform(corners, corners + inward), np.float64)
    noise = np.random.default_rng(3).normal(0, 1.5, picture.shape)
    seen = np.clip(cv2.warpPerspective(picture, way, (w, h)) + noise, 0, 255).astype(np.uint8)
    return np.asarray(cv2.cvtColor(seen, cv2.COLOR_BGR2LAB), np.uint8), way


@pytest.mark.parametrize("spacing", [9, 11, 16])
@pytest.mark.parametrize("tilt", [0.0, 0.15])
@pytest.mark.parametrize("heading", [False, True])
def test_ruled_paper_is_told_however_it_lies_and_is_begun(spacing: int, tilt: float, heading: bool) -> None:
    lab, way = as_seen(with_notepad(table_with_cards(), spacing, heading), tilt)
    quads = cv2.perspectiveTransform(outline(*PAD).reshape(1, -1, 2), way).reshape(1, 4, 2).astype(np.float32)
    for turn in range(4):
        assert are_ruled(lab, np.roll(quads, turn, axis=1)).tolist() == [True]


def test_frames_text_and_stripes_on_cards_are_not_ruled() -> None:
    lab, _ = as_seen(table_with_cards())
    assert not are_ruled(lab, np.concatenate([outline(*place) for place in PLACES])).any()


def test_nothing_is_not_ruled() -> None:
    assert are_ruled(as_seen(table_with_cards())[0], np.zeros((0, 4, 2), np.float32)).shape == (0,)


def test_a_notepad_among_cards_of_its_size_is_no_card() -> None:
    lab, _ = as_seen(with_notepad(table_with_cards(), 9))
    found = find_cards(np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2BGR), np.uint8)).corners_px.mean(axis=1)
    middles = np.array([(x + WIDTH / 2, y + LENGTH / 2) for x, y in PLACES])
    assert len(found) == len(PLACES)
    assert all(np.linalg.norm(found - middle, axis=1).min() < 4 for middle in middles)


def laid_in_cells(seed: int) -> tuple[Picture, NDArray[np.float32]]:
    """A sheet of paper (h, w, 3) ruled with places for twelve cards, a card laid in each, and their corners (12, 4, 2).

    The cards are about as light as the paper, and of another white.
    """
    random = np.random.default_rng(seed)
    picture = np.full((720, 810, 3), (214, 196, 198), np.uint8)
    for x in range(30, 810, 250):
        cv2.line(picture, (x, 8), (x + int(random.integers(-3, 4)), 712), (165, 120, 118), 2, cv2.LINE_AA)
    for y in range(44, 720, 158):
        cv2.line(picture, (8, y), (802, y + int(random.integers(-3, 4))), (165, 120, 118), 2, cv2.LINE_AA)
    quads = []
    for k in range(12):
        angle = np.radians(random.uniform(-1, 1))
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        half = np.array([[-100, -64], [100, -64], [100, 64], [-100, 64]]) @ turn
        quad = half + (155 + 250 * (k % 3), 123 + 158 * (k // 3)) + random.uniform(-8, 8, 2)
        cv2.fillPoly(picture, [np.rint((quad + (2, 1)) * 16).astype(np.int32)], (150, 138, 140), cv2.LINE_AA, 4)
        cv2.fillPoly(picture, [np.rint(quad * 16).astype(np.int32)], (188, 204, 206), cv2.LINE_AA, 4)
        colour = [(60, 40, 200), (60, 150, 40), (130, 30, 90)][k % 3]
        cv2.ellipse(picture, (tuple(quad.mean(axis=0).tolist()), (34, 80), 0.0), colour, -1 if k % 2 else 3)
        quads.append(quad)
    seen = cv2.GaussianBlur(picture, (0, 0), 0.9) * np.linspace(1.0, 0.85, 810)[:, None]
    seen += random.normal(0, 2, seen.shape)
    return np.asarray(np.clip(seen, 0, 255), np.uint8), np.asarray(quads, np.float32)


@pytest.mark.parametrize("seed", [1, 4])
def test_cards_laid_in_places_ruled_for_them_are_found_and_the_places_are_not(seed: int) -> None:
    picture, true = laid_in_cells(seed)
    found = find_cards(picture).corners_px
    assert len(found) == len(true)
    turned = np.stack([np.roll(found, k, axis=1) for k in range(4)])
    off = np.linalg.norm(turned[:, None] - true[None, :, None], axis=4).max(axis=3).min(axis=(0, 2))
    assert off.max() < 0.03 * 128


@pytest.mark.parametrize("spaces", [20, 30, 38])
def test_narrow_lines_close_together_are_found(spaces: int) -> None:
    """A sheet of 274 pixels with lines of one pixel: between places that are 2.5 apart they come and go."""
    sheet = np.full((330, 260, 3), (70, 90, 150), np.uint8)
    pad = np.array([[[22, 28], [204, 27], [227, 303], [20, 301]]], np.float32)
    cv2.fillPoly(sheet, [np.rint(pad[0]).astype(np.int32)], (225, 240, 248))
    for k in range(1, spaces):
        (left, right) = (pad[0, a] + (pad[0, b] - pad[0, a]) * k / spaces for a, b in ((0, 3), (1, 2)))
        ends = [tuple(np.rint(end * 16).astype(int).tolist()) for end in (left, right)]
        cv2.line(sheet, ends[0], ends[1], (195, 160, 170), 1, cv2.LINE_AA, 4)
    lab = np.asarray(cv2.cvtColor(sheet, cv2.COLOR_BGR2LAB), np.uint8)
    assert are_ruled(lab, pad).all()
    cards = np.concatenate([outline(x, y) for x, y in PLACES])
    assert not are_ruled(as_seen(table_with_cards())[0], cards).any()
