"""Marker cards in drawn pictures: found at any turn, refused where they are none of ours, and true to size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision.errors import BadTableError, DoubledMarkerError, MirroredError
from vision.markers import MARKER_MM, find_markers, markers_in, sight_markers, table_from_markers

Image = NDArray[np.uint8]
Points = NDArray[np.float64]

# A rendered black clown card, of which the frame was read as marker 15.
CARD = Path(__file__).parents[1] / "data" / "cards" / "black-clown-as-marker.png"
SQUARE_PX = 70.0
SHEET = 66 / 50


def drawn(
    placed: Mapping[int, tuple[float, float, float]],
    size: tuple[int, int] = (960, 540),
    square_px: float = SQUARE_PX,
    stretched: Mapping[int, tuple[float, float]] | None = None,
) -> tuple[Image, dict[int, Points]]:
    """A grey table with marker cards at (x, y, clockwise degrees), and the corners (4, 2) of each printed square.

    `stretched` are factors along and down the print of some.
    """
    picture = np.full((size[1], size[0]), 120, np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    truth = {}
    for number, (x, y, angle) in placed.items():
        cell = 40
        print_ = cv2.aruco.generateImageMarker(dictionary, number, 6 * cell)
        edge = round((SHEET - 1) / 2 * 6 * cell)
        card = cv2.copyMakeBorder(print_, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=255)
        turn, half = math.radians(angle), square_px / 2
        wider, higher = (stretched or {}).get(number, (1.0, 1.0))
        along = wider * np.array([math.cos(turn), math.sin(turn)])
        down = higher * np.array([-math.sin(turn), math.cos(turn)])
        corners = np.array([(x, y) + half * (a * along + b * down) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        # Only the piece of the picture that the sheet is in is drawn.
        reach = 1.05 * SHEET * np.abs(corners - (x, y)).max(axis=0) + 2
        left, top = np.maximum(np.floor((x, y) - reach), 0).astype(int)
        piece = picture[top : int(y + reach[1]) + 1, left : int(x + reach[0]) + 1]
        inner = np.array([[0, 0], [6 * cell, 0], [6 * cell, 6 * cell], [0, 6 * cell]]) + edge - 0.5
        warp = cv2.getPerspectiveTransform(inner.astype(np.float32), (corners - (left, top)).astype(np.float32))
        # Drawn finer than the picture, as a camera gathers light.
        finer = max(1, 3840 // size[0])
        fine = np.diag([finer, finer, 1.0]) @ warp
        fine[:2] += (finer - 1) / 2 * fine[2]
        part, large = piece.shape[::-1], (piece.shape[1] * finer, piece.shape[0] * finer)
        cover = cv2.warpPerspective(np.full_like(card, 255), fine, large)
        seen = np.asarray(cv2.warpPerspective(card, fine, large), np.uint8)
        alpha = cv2.resize(cover, part, interpolation=cv2.INTER_AREA) / 255.0
        print_lit = np.asarray(cv2.resize(in_light(seen), part, interpolation=cv2.INTER_AREA), np.float64)
        piece[:] = as_grey(np.asarray(in_light(piece) * (1 - alpha) + print_lit, np.float64))
        truth[number] = corners
    return picture, truth


def in_light(grey: Image) -> NDArray[np.float64]:
    return np.asarray((grey / 255.0) ** 2.2)


def as_grey(light: NDArray[np.float64]) -> Image:
    return np.asarray(np.rint(255 * np.clip(light, 0, 1) ** (1 / 2.2)), np.uint8)


CORNERS = {0: (110.0, 100.0, 0.0), 3: (850.0, 100.0, 90.0), 9: (850.0, 440.0, 200.0), 15: (110.0, 440.0, -35.0)}


def ids(picture: Image) -> list[int]:
    return [marker.id for marker in find_markers(picture)]


def are_all_found(picture: Image, truth: Mapping[int, Points], within_px: float) -> None:
    found = find_markers(picture)
    assert [marker.id for marker in found] == sorted(truth)
    for marker in found:
        assert marker.corners_px == pytest.approx(truth[marker.id], abs=within_px)


@settings(max_examples=12)
@given(
    angle=st.floats(0, 360), x=st.floats(80, 400), y=st.floats(80, 220), px=st.floats(36, 90), number=st.integers(0, 15)
)
# A white rim touches the edge of the picture.
@example(angle=320.0, x=180.0, y=82.0, px=88.0, number=8)
@example(angle=150.5, x=396.0, y=130.0, px=86.0, number=8)
def test_a_marker_is_found_at_any_turn_place_and_size(angle: float, x: float, y: float, px: float, number: int) -> None:
    are_all_found(*drawn({number: (x, y, angle)}, size=(480, 300), square_px=px), within_px=0.8)


@pytest.mark.parametrize("sigma_px", [1.0, 2.5])
def test_a_lens_out_of_focus_moves_no_corner(sigma_px: float) -> None:
    picture, truth = drawn(CORNERS)
    blurred = cv2.GaussianBlur(in_light(picture), (0, 0), sigma_px)
    are_all_found(as_grey(np.asarray(blurred)), truth, 0.8)


@pytest.mark.parametrize("size", [(960, 540), (1280, 720), (3840, 2160)])
def test_pictures_of_any_size_give_corners_in_their_own_pixels(size: tuple[int, int]) -> None:
    factor = size[0] / 960
    placed = {number: (x * factor, y * factor, angle) for number, (x, y, angle) in reversed(CORNERS.items())}
    are_all_found(*drawn(placed, size, SQUARE_PX * factor), within_px=0.5 * factor)


def test_a_marker_under_a_card_is_left_out_and_the_others_stay() -> None:
    picture, truth = drawn(CORNERS)
    x, y = truth[3].mean(axis=0).astype(int)
    picture[y - 60 : y + 60, x - 5 : x + 60] = 200
    assert ids(picture) == [0, 9, 15]


@pytest.mark.parametrize("beside", [CORNERS, {0: CORNERS[0], 9: CORNERS[9]}])
@settings(max_examples=6)
@given(angle=st.floats(0, 360), x=st.floats(300, 660), y=st.floats(200, 340), factor=st.floats(1.35, 1.6))
def test_a_cards_print_that_looks_like_a_marker_is_none(
    beside: Mapping[int, tuple[float, float, float]], angle: float, x: float, y: float, factor: float
) -> None:
    # The frame of the black clown's card is 1.5 times as long as it is wide, and once passed for number 15.
    picture, truth = drawn({**beside, 7: (x, y, angle)}, stretched={7: (1.0, factor)})
    are_all_found(picture, {number: truth[number] for number in beside}, 0.5)


def test_a_drawing_in_a_dark_frame_is_no_marker_alone_or_beside_others() -> None:
    card = cv2.imread(str(CARD), cv2.IMREAD_GRAYSCALE)
    assert card is not None
    assert ids(np.asarray(card, np.uint8)) == []
    height, width = card.shape
    for others in (CORNERS, {0: CORNERS[0]}, {0: CORNERS[0], 9: CORNERS[9]}):
        picture, _ = drawn(others)
        picture[200 : 200 + height, 400 : 400 + width] = card
        assert ids(picture) == sorted(others)


@pytest.mark.parametrize(("angle", "off", "left_of_light"), [(0, -0.2, 0.25), (45, 0.0, 0.5), (135, 0.2, 0.25)])
def test_a_marker_half_in_a_hard_shadow_is_found(angle: float, off: float, left_of_light: float) -> None:
    picture, _ = drawn(CORNERS)
    x, y, _ = CORNERS[3]
    across, down = np.meshgrid(np.arange(picture.shape[1]) - x, np.arange(picture.shape[0]) - y)
    behind = across * math.cos(math.radians(angle)) + down * math.sin(math.radians(angle)) > off * SQUARE_PX
    assert ids(as_grey(np.where(behind, left_of_light, 1.0) * in_light(picture))) == [0, 3, 9, 15]


@pytest.mark.parametrize("number", [16, 17, 33, 49])
def test_other_ids_of_the_same_dictionary_are_none_of_ours(number: int) -> None:
    picture, _ = drawn({2: (110.0, 100.0, 10.0), number: (850.0, 440.0, 10.0)})
    assert ids(picture) == [2]


def test_an_even_picture_shows_no_marker_and_no_marker_gives_no_table() -> None:
    assert find_markers(np.full((270, 480), 128, np.uint8)) == ()
    with pytest.raises(BadTableError):
        table_from_markers((), (960, 540))


def test_noise_and_dim_light_keep_the_markers() -> None:
    picture, truth = drawn(CORNERS)
    noise = np.random.default_rng(1).normal(0, 4, picture.shape)
    are_all_found(np.clip(picture * 0.35 + noise, 0, 255).astype(np.uint8), truth, 1)
    # A marker card on a book is larger, and one.
    assert ids(drawn({**CORNERS, 7: (480.0, 270.0, 20.0)}, stretched={7: (1.08, 1.08)})[0]) == [0, 3, 7, 9, 15]


def test_the_table_begins_at_the_lowest_marker_and_is_true_to_size() -> None:
    picture, truth = drawn({5: CORNERS[0], 7: CORNERS[3], 8: CORNERS[9], 11: CORNERS[15]})
    table = table_from_markers(find_markers(picture), (960, 540))
    px_per_mm = SQUARE_PX / MARKER_MM
    assert table.to_mm(truth[5].mean(axis=0, keepdims=True)) == pytest.approx(np.zeros((1, 2)), abs=0.5)
    across = table.to_mm(np.array([[110.0, 100], [850, 100], [110, 440]]))
    assert across[1, 0] - across[0, 0] == pytest.approx(740 / px_per_mm, rel=0.01)
    assert across[2, 1] - across[0, 1] == pytest.approx(340 / px_per_mm, rel=0.01)


def with_copy(picture: Image, x: float, y: float, to: tuple[int, int]) -> Image:
    half, changed = round(0.8 * SQUARE_PX), picture.copy()
    card = picture[int(y) - half : int(y) + half, int(x) - half : int(x) + half]
    changed[to[1] - half : to[1] + half, to[0] - half : to[0] + half] = card
    return changed


@pytest.mark.parametrize("to", [(480, 270), (250, 100)])
def test_of_two_markers_with_one_number_neither_is_taken_and_people_are_told(to: tuple[int, int]) -> None:
    picture, _ = drawn(CORNERS)
    copied = with_copy(picture, *CORNERS[3][:2], to)
    sight = sight_markers(copied)
    assert [marker.id for marker in sight.markers] == [0, 9, 15]
    assert sight.doubled == (3,)
    with pytest.raises(DoubledMarkerError, match="marker card 3 is in the picture twice: take away"):
        markers_in(copied)
    # Beside four others it is no matter.
    picture, _ = drawn({**CORNERS, 5: (480.0, 100.0, 15.0)})
    assert [marker.id for marker in markers_in(with_copy(picture, 480.0, 100.0, (480, 400)))] == [0, 3, 9, 15]


def test_mirrored_markers_are_told_also_beside_one_that_looks_the_same_mirrored() -> None:
    picture, _ = drawn({**CORNERS, 8: (480.0, 270.0, 20.0)})
    assert [marker.id for marker in markers_in(picture)] == [0, 3, 8, 9, 15]
    with pytest.raises(MirroredError):
        markers_in(np.ascontiguousarray(picture[:, ::-1]))
    alone, _ = drawn({8: (480.0, 270.0, 20.0)})
    assert [marker.id for marker in markers_in(np.ascontiguousarray(alone[:, ::-1]))] == [8]
