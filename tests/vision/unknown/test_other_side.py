"""A deck has two sides: a black card among white ones is one, if it is as large as they are and rounded alike."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.card_corners import corner_cuts
from vision.unknown.card_edges import SideFit, fit_sides
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_sizes import Stock
from vision.unknown.other_side import look_otherwise

SIZE_WH = (900, 600)
WIDTH, LENGTH, RADIUS = 100, 140, 10
WHITE, BLACK, TABLE = 240.0, 40.0, 130.0
PLACES = [(60, 60), (240, 60), (420, 60), (60, 300)]
OTHER = (420, 320)


def corners(x: int, y: int, width: int = WIDTH, length: int = LENGTH) -> NDArray[np.float32]:
    return np.array([[x, y], [x + width, y], [x + width, y + length], [x, y + length]], np.float32)


def card(table: NDArray[np.float32], quad: NDArray[np.float32], ground: float, radius: int) -> None:
    """Draw a card with rounded corners, and a mark, in four times the table's size."""
    x, y, right, bottom = (4 * np.concatenate([quad[0], quad[2]])).astype(int).tolist()
    round_by = 4 * radius
    cv2.rectangle(table, (x, y + round_by), (right, bottom - round_by), ground, -1)
    cv2.rectangle(table, (x + round_by, y), (right - round_by, bottom), ground, -1)
    for middle in ((x + round_by, y + round_by), (right - round_by, y + round_by)):
        cv2.circle(table, middle, round_by, ground, -1)
        cv2.circle(table, (middle[0], bottom - round_by), round_by, ground, -1)
    cv2.circle(table, ((x + right) // 2, (y + bottom) // 2), 80, 140.0, -1)


def photographed(large: NDArray[np.float32]) -> NDArray[np.uint8]:
    """The table (h, w) in its own size, out of focus a little and with noise, in 8-bit Lab."""
    grey = cv2.GaussianBlur(cv2.resize(large, SIZE_WH, interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    noisy = grey[..., None] + np.random.default_rng(3).normal(0, 1.5, (*grey.shape, 3))
    return np.asarray(cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_BGR2LAB), np.uint8)


def table_with(
    other: NDArray[np.float32], radius: int, ground: float = BLACK, frame: float | None = None, sheen: float = 0.0
) -> tuple[NDArray[np.uint8], SideFit]:
    """Four white cards and another thing, with text across its border if `frame` says how dark; and all their sides.

    `sheen` is how much brighter a lamp's reflection is at the thing's bottom than at its top.
    """
    large = np.full((4 * SIZE_WH[1], 4 * SIZE_WH[0]), TABLE, np.float32)
    for place in PLACES:
        card(large, corners(*place), WHITE, RADIUS)
    card(large, other, ground, radius)
    if frame is not None:
        x, y, right, bottom = (4 * np.concatenate([other[0], other[2]])).astype(int).tolist()
        for at in range(y + 20, bottom, 40):
            cv2.line(large, (x + 10, at), (right - 10, at), frame, 20)
    if sheen:
        x, y, right, bottom = (4 * np.concatenate([other[0], other[2]])).astype(int).tolist()
        large[y:bottom, x:right] += np.linspace(0, sheen, bottom - y)[:, None] * (large[y:bottom, x:right] != TABLE)
    lab = photographed(large)
    return lab, fit_sides(lab, np.stack([corners(*place) for place in PLACES] + [other]), 2.0)


def is_told(lab: NDArray[np.uint8], fit: SideFit) -> bool:
    plane = CardPlane(np.eye(3), (WIDTH, LENGTH), np.zeros(5), SIZE_WH)
    alike = np.arange(len(fit.quads)) < len(PLACES)
    told = look_otherwise(lab, Stock(plane, np.zeros(3)), fit, alike)
    assert not told[: len(PLACES)].any()
    return bool(told[-1])


@pytest.mark.parametrize("ground", [BLACK, 80.0, 200.0])
def test_the_other_side_of_the_deck_is_told(ground: float) -> None:
    assert is_told(*table_with(corners(*OTHER), RADIUS, ground))


@pytest.mark.parametrize("sheen", [20.0, 35.0, 50.0])
def test_a_lamp_may_be_mirrored_on_it(sheen: float) -> None:
    assert is_told(*table_with(corners(*OTHER), RADIUS, sheen=sheen))
    assert not is_told(*table_with(corners(*OTHER), 0, sheen=sheen))


@pytest.mark.parametrize(("radius", "told"), [(RADIUS, True), (0, False)])
def test_of_a_card_among_its_like_one_open_end_with_its_two_corners_is_enough(radius: int, told: bool) -> None:
    large = np.full((4 * SIZE_WH[1], 4 * SIZE_WH[0]), TABLE, np.float32)
    other = corners(*OTHER)
    for place in PLACES:
        card(large, corners(*place), WHITE, RADIUS)
    card(large, other, WHITE, radius)
    # As white a card lies across its other end, and casts no shadow.
    card(large, corners(OTHER[0] - 20, OTHER[1] + 100, LENGTH, WIDTH), WHITE, RADIUS)
    lab = photographed(large)
    assert is_told(lab, fit_sides(lab, np.stack([*(corners(*place) for place in PLACES), other]), 2.0)) == told


def test_a_square_sheet_of_the_same_size_is_no_card() -> None:
    assert not is_told(*table_with(corners(*OTHER), 0))


def test_a_thing_rounded_alike_but_larger_is_no_card() -> None:
    assert not is_told(*table_with(corners(*OTHER, round(1.08 * WIDTH), round(1.08 * LENGTH)), RADIUS))


def test_print_that_runs_through_the_border_is_not_that_of_a_card() -> None:
    assert not is_told(*table_with(corners(*OTHER), RADIUS, BLACK, 200.0))


def test_among_square_cards_corners_tell_nothing() -> None:
    lab, fit = table_with(corners(*OTHER), 0)
    black = fit.take(np.array([len(PLACES)]))
    assert not is_told(lab, black.joined(black).joined(black).joined(black).joined(black))


@pytest.mark.parametrize("radius", [0, 6, 10, 16])
def test_how_much_is_missing_at_a_corner_is_that_of_a_round_one(radius: int) -> None:
    lab, fit = table_with(corners(*OTHER), radius)
    cuts = corner_cuts(lab, fit.take(np.array([len(PLACES)])), LENGTH / WIDTH)
    assert cuts == pytest.approx((1 - np.sqrt(0.5)) * radius / WIDTH, abs=0.01)


def test_a_corner_on_a_thing_of_the_same_colour_is_not_seen() -> None:
    lab, fit = table_with(corners(*OTHER), RADIUS, 131.0)
    assert np.isnan(corner_cuts(lab, fit.take(np.array([len(PLACES)])), LENGTH / WIDTH)).all()
