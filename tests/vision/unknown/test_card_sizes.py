"""How large cards are that were found by a frame, by half a frame, or with a shadow beside them."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.card_choice import with_leftovers
from vision.unknown.card_edges import fit_sides
from vision.unknown.card_sizes import agreed_size, size_of_cards
from vision.unknown.card_votes import agree_on_planes

SIZE_WH = (900, 640)
WIDTH, LENGTH, BORDER = 110.0, 160.0, 8.0
PLACES = [(120, 130, 8), (350, 140, -20), (620, 140, 55), (160, 460, 80), (450, 480, 5), (700, 450, -35)]


def card_at(x: float, y: float, degrees: float, left: float = 0, others: float = 0) -> NDArray[np.float32]:
    """Corners, clockwise, of a card about (x, y) with its left side, or all others, moved inward."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    x1, x2, y1 = -WIDTH / 2 + left, WIDTH / 2 - others, LENGTH / 2 - others
    return np.asarray(np.array([[x1, -y1], [x2, -y1], [x2, y1], [x1, y1]]) @ turn + [x, y], np.float32)


def picture(table: int, shadow: float) -> NDArray[np.uint8]:
    """Draw white cards with a thin frame on a pale table, 8-bit Lab, their shadows falling down to the right."""
    fine = 4
    grey = np.full((SIZE_WH[1] * fine, SIZE_WH[0] * fine), table, np.uint8)
    for place in PLACES:
        outline, frame = card_at(*place), card_at(*place, BORDER, BORDER)
        mark = frame.mean(axis=0) + 0.3 * (frame - frame.mean(axis=0))
        cv2.fillPoly(grey, [np.rint((outline + shadow) * fine + 1.5).astype(np.int32)], table - 40)
        cv2.fillPoly(grey, [np.rint(outline * fine + 1.5).astype(np.int32)], 242)
        cv2.polylines(grey, [np.rint(frame * fine + 1.5).astype(np.int32)], True, 90, 2 * fine)
        cv2.fillPoly(grey, [np.rint(mark * fine + 1.5).astype(np.int32)], 60)
    small = cv2.GaussianBlur(cv2.resize(grey, SIZE_WH, interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    noisy = small[..., None] + np.random.default_rng(4).normal(0, 1.2, (SIZE_WH[1], SIZE_WH[0], 3))
    return np.asarray(cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_BGR2LAB), np.uint8)


@pytest.mark.parametrize(("left", "others"), [(0, 0), (BORDER, BORDER), (BORDER, 0)])
@pytest.mark.parametrize(("table", "shadow"), [(215, 0.0), (228, 2.5)])
def test_cards_are_as_large_as_their_outermost_edges(table: int, shadow: float, left: float, others: float) -> None:
    rough = np.stack([card_at(*place, left, others) for place in PLACES])
    plane = agree_on_planes(rough, np.ones(len(rough)), SIZE_WH)[0]
    stock = agreed_size(picture(table, shadow), plane, rough)
    found = stock.plane.deviation(np.stack([card_at(*place) for place in PLACES]))
    assert found.max() < 0.015
    assert stock.step[0] < -0.9  # the table is darker than the cards


def dark_picture(shadow_mm: float) -> NDArray[np.uint8]:
    """Dark cards in many colours on a grey table, 8-bit Lab, their soft shadows falling down to the right."""
    fine, colours = 4, [(60, 60, 150), (40, 110, 60), (150, 80, 60), (60, 130, 140), (110, 50, 110), (50, 50, 50)]
    light = np.full((SIZE_WH[1] * fine, SIZE_WH[0] * fine), 1, np.float32)
    for place in PLACES:
        cv2.fillPoly(light, [np.rint((card_at(*place) + shadow_mm) * fine + 1.5).astype(np.int32)], 0.7)
    scene = 205 * cv2.GaussianBlur(light, (0, 0), 0.8 * fine)[..., None].repeat(3, axis=2)
    for place, colour in zip(PLACES, colours, strict=True):
        cv2.fillPoly(scene, [np.rint(card_at(*place) * fine + 1.5).astype(np.int32)], colour)
    small = cv2.GaussianBlur(cv2.resize(scene, SIZE_WH, interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    noisy = small + np.random.default_rng(4).normal(0, 1.2, small.shape)
    return np.asarray(cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_BGR2LAB), np.uint8)


@pytest.mark.parametrize("shadow", [0.0, 2.0, 3.5])
def test_the_shadow_of_a_dark_card_is_no_part_of_it(shadow: float) -> None:
    true = np.stack([card_at(*place) for place in PLACES])
    plane = agree_on_planes(true, np.ones(len(true)), SIZE_WH)[0]
    assert agreed_size(dark_picture(shadow), plane, true).plane.deviation(true).max() < 0.01


def test_a_bare_table_leaves_the_size_as_it_was() -> None:
    rough = np.stack([card_at(*place) for place in PLACES])
    plane = agree_on_planes(rough, np.ones(len(rough)), SIZE_WH)[0]
    noise = np.random.default_rng(3).normal(200, 2, (SIZE_WH[1], SIZE_WH[0], 3)).astype(np.uint8)
    lab = np.asarray(cv2.cvtColor(noise, cv2.COLOR_BGR2LAB), np.uint8)
    stock = agreed_size(lab, plane, rough)
    assert stock.plane.size == plane.size
    assert not stock.step.any()


def test_a_card_found_by_its_frame_is_found_again_by_its_edge_and_a_bare_place_is_not() -> None:
    lab = picture(table=215, shadow=2.0)
    true = np.stack([card_at(*place) for place in PLACES])
    plane = agree_on_planes(true, np.ones(len(true)), SIZE_WH)[0]
    stock = agreed_size(lab, plane, true)
    chosen = fit_sides(lab, true[:4], 2.0)
    others = np.stack([card_at(*PLACES[4], BORDER, 0), card_at(*PLACES[5], 0, BORDER), card_at(330, 320, 20)])
    found = with_leftovers(lab, stock, chosen, others)
    assert len(found.quads) == len(PLACES)
    for quad in true[4:]:
        assert np.linalg.norm(found.quads - quad, axis=2).max(axis=1).min() < 0.03 * WIDTH


LINES_PX = 196.0  # apart
IN_ROWS = [(x, y, 0) for y in (140, 140 + LINES_PX) for x in (150, 290, 430, 570, 710)]


def ruled_sheet() -> NDArray[np.uint8]:
    """Pale cards between the lines of a sheet of another pale colour, 8-bit Lab."""
    fine = 4
    scene = np.full((SIZE_WH[1] * fine, SIZE_WH[0] * fine, 3), (225, 200, 200), np.uint8)
    for y in range(3):
        at = round((IN_ROWS[0][1] + (y - 0.5) * LINES_PX) * fine)
        cv2.line(scene, (0, at), (scene.shape[1], at), (205, 180, 180), 6)
    for place in IN_ROWS:
        cv2.fillPoly(scene, [np.rint(card_at(*place) * fine + 1.5).astype(np.int32)], (195, 205, 210))
    small = cv2.GaussianBlur(cv2.resize(scene, SIZE_WH, interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    noisy = small + np.random.default_rng(4).normal(0, 1.2, small.shape)
    return np.asarray(cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_BGR2LAB), np.uint8)


def test_the_lines_of_a_ruled_sheet_are_no_edges_of_cards() -> None:
    true = np.stack([card_at(*place) for place in IN_ROWS])
    plane = agree_on_planes(true, np.ones(len(true)), SIZE_WH)[0]
    assert agreed_size(ruled_sheet(), plane, true).plane.deviation(true).min() > 0.05
    assert size_of_cards(ruled_sheet(), plane, true).plane.deviation(true).max() < 0.015
