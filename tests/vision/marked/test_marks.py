"""Marks are found on both grounds under any light, and measured as they were printed."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.flat_cards import flat_table, lay
from vision.deck import Deck
from vision.marked.foreground import find_foregrounds
from vision.marked.layouts import size_candidates
from vision.marked.marks import Marks, find_marks, work_image
from vision.marked.side_model import side_models

Image = NDArray[np.uint8]
Light = Callable[[NDArray[np.float64]], NDArray[np.float64]]

PX_PER_MM = 1.7
SIZE = (520, 400)
PLACES = [(30 + 125 * column, 25 + 185 * row) for row in range(2) for column in range(4)]
WOOD = (70, 110, 160)


def cards(deck: Deck, side: str, first: int, table: tuple[int, int, int] = WOOD) -> Image:
    """Eight cards in two rows."""
    picture = np.empty((SIZE[1], SIZE[0], 3), np.uint8)
    picture[:] = table
    for face, place in zip(deck.side(side)[first : first + 8], PLACES, strict=True):
        lay(picture, deck, face, place, 0.0, PX_PER_MM)
    return picture


def marks_in(picture: Image, deck: Deck, side: str) -> Marks:
    table = flat_table(SIZE, PX_PER_MM)
    work = work_image(picture, PX_PER_MM)
    assert work.scale == 0.5
    areas, scale = side_models(deck)[side].layouts.area_range_mm2, PX_PER_MM * work.scale
    return find_marks(work, table, find_foregrounds(work, side, areas, scale)[0], side, areas, scale)


def found(marks: Marks, deck: Deck, side: str, first: int) -> int:
    """How many of the 24 printed marks were found where they lie, with the right size and shape."""
    layouts = side_models(deck)[side].layouts
    sizes = size_candidates(layouts, marks)
    count = 0
    for index, place in enumerate(PLACES):
        for size in range(3):
            true = layouts.centres_mm[first + index, size] + np.array(place) / PX_PER_MM
            near = np.linalg.norm(marks.centres_mm - true, axis=1) < 0.8
            count += bool((near & sizes[:, size]).any())
    return count


def even(picture: NDArray[np.float64]) -> NDArray[np.float64]:
    return picture


def shadow_edge(picture: NDArray[np.float64]) -> NDArray[np.float64]:
    """The right half of every card in the first row lies in deep shadow, with a soft edge aslant."""
    y, x = np.indices(picture.shape[:2])
    depth = 1 / (1 + np.exp(-((x + 0.3 * y) % 125 - 75) / 2.0))
    return np.asarray(picture * (1 - 0.55 * depth)[:, :, None])


def veil(picture: NDArray[np.float64]) -> NDArray[np.float64]:
    """A reflection lies over everything, stronger to the right."""
    strength = np.linspace(0.05, 0.4, picture.shape[1])[None, :, None]
    return np.asarray(picture * (1 - strength) + 235 * strength)


def cast(blue: float, green: float, red: float) -> Light:
    return lambda picture: picture * np.array([blue, green, red])


LIGHTS = {
    "even": even,
    "dim": cast(0.3, 0.3, 0.3),
    "shadow edge": shadow_edge,
    "veil": veil,
    "lamp": cast(0.62, 0.85, 1.0),
    "sky": cast(1.0, 0.9, 0.75),
}


@pytest.fixture(params=LIGHTS, ids=[name.replace(" ", "-") for name in LIGHTS])
def light(request: pytest.FixtureRequest) -> Light:
    return LIGHTS[request.param]


@pytest.mark.parametrize("side", ["white", "black"])
def test_marks_are_found_under_any_light(deck: Deck, side: str, light: Light) -> None:
    lit = np.clip(np.rint(light(cards(deck, side, 0).astype(np.float64))), 0, 255).astype(np.uint8)
    # On black, contrast is a difference, not a ratio: a shadow's edge through a mark may cut it in two.
    least = 20 if light is shadow_edge and side == "black" else 23
    assert found(marks_in(lit, deck, side), deck, side, 0) >= least


@pytest.mark.parametrize("side", ["white", "black"])
def test_sensor_noise_costs_no_mark(deck: Deck, side: str) -> None:
    random = np.random.default_rng(2)
    noisy = np.clip(cards(deck, side, 8) + random.normal(0, 6, (SIZE[1], SIZE[0], 3)), 0, 255).astype(np.uint8)
    assert found(marks_in(noisy, deck, side), deck, side, 8) >= 23


@pytest.mark.parametrize("table", [(70, 110, 160), (40, 60, 30), (150, 155, 150), (236, 240, 242), (15, 15, 18)])
def test_the_table_under_the_cards_does_not_matter(deck: Deck, table: tuple[int, int, int]) -> None:
    for side in ("white", "black"):
        assert found(marks_in(cards(deck, side, 16, table), deck, side), deck, side, 16) >= 23


@pytest.mark.parametrize("side", ["white", "black"])
def test_areas_and_scale_are_those_of_the_print(deck: Deck, side: str) -> None:
    layouts = side_models(deck)[side].layouts
    marks = marks_in(cards(deck, side, 0), deck, side)
    true = layouts.centres_mm[:8] + np.array(PLACES)[:, None] / PX_PER_MM
    apart = np.linalg.norm(marks.centres_mm[:, None] - true.reshape(-1, 2), axis=2)
    own = apart.argmin(axis=0)
    assert (apart.min(axis=0) < 0.8).all()
    assert marks.areas_mm2[own] == pytest.approx(layouts.areas_mm2[:8].ravel(), rel=0.3)
    assert marks.px_per_mm == pytest.approx(np.full(len(marks), PX_PER_MM), rel=1e-3)


def test_light_that_blooms_over_black_does_not_enlarge_the_marks(deck: Deck) -> None:
    """A lens blurs light, not grey levels, and the camera clips what is too bright after that."""
    light = (cards(deck, "black", 0) / 255.0) ** 2.2
    bloomed = np.minimum(1.3 * cv2.GaussianBlur(light, (0, 0), 1.6), 1.0) ** (1 / 2.2)
    layouts = side_models(deck)["black"].layouts
    marks = marks_in(np.asarray(np.rint(255 * bloomed), np.uint8), deck, "black")
    true = layouts.centres_mm[:8] + np.array(PLACES)[:, None] / PX_PER_MM
    own = np.linalg.norm(marks.centres_mm[:, None] - true.reshape(-1, 2), axis=2).argmin(axis=0)
    ratio = marks.areas_mm2[own] / layouts.areas_mm2[:8].ravel()
    assert np.median(ratio) == pytest.approx(1.0, abs=0.1)
    assert found(marks, deck, "black", 0) >= 22


@pytest.mark.parametrize("exposure", [1.5, 3.0, 5.0])
def test_marks_that_overexposure_washes_out_are_found_as_large_as_printed(deck: Deck, exposure: float) -> None:
    light = cv2.GaussianBlur((cards(deck, "white", 0) / 255.0) ** 2.2, (0, 0), 1.2)
    picture = np.asarray(np.rint(255 * np.minimum(exposure * light, 1.0) ** (1 / 2.2)), np.uint8)
    work, layouts = work_image(picture, PX_PER_MM), side_models(deck)["white"].layouts
    areas, scale = layouts.area_range_mm2, PX_PER_MM * work.scale
    _, fuller = find_foregrounds(work, "white", areas, scale)
    assert fuller is not None
    marks = find_marks(work, flat_table(SIZE, PX_PER_MM), fuller, "white", areas, scale)
    true = layouts.centres_mm[:8] + np.array(PLACES)[:, None] / PX_PER_MM
    own = np.linalg.norm(marks.centres_mm[:, None] - true.reshape(-1, 2), axis=2).argmin(axis=0)
    assert np.median(marks.areas_mm2[own] / layouts.areas_mm2[:8].ravel()) == pytest.approx(1.0, abs=0.15)
    assert found(marks, deck, "white", 0) >= 23


def test_ground_that_is_not_clipped_is_looked_at_once(deck: Deck) -> None:
    work = work_image(np.minimum(cards(deck, "white", 0), 240), PX_PER_MM)
    assert find_foregrounds(work, "white", (70.0, 615.0), 0.85)[1] is None


def test_a_black_card_that_mirrors_a_lamp_on_a_dark_table_keeps_its_marks_up_to_the_corners(deck: Deck) -> None:
    layouts, turn, at = side_models(deck)["black"].layouts, 0.6, (200.0, 60.0)
    true = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    seen = 0
    for index, face in enumerate(layouts.faces):
        # A lamp that a card mirrors lies over all of the card, and not over the table.
        picture, covered = np.full((400, 400, 3), 25, np.uint8), np.zeros((400, 400, 3), np.uint8)
        lay(picture, deck, face, at, turn, PX_PER_MM)
        lay(covered, deck, deck.side("white")[0], at, turn, PX_PER_MM)
        card = covered.max(-1) > 0
        picture[card] = np.rint(np.minimum(0.5 * picture[card] + 130.0, 255))
        marks = marks_in(picture, deck, "black")
        sizes = size_candidates(layouts, marks)
        centres = layouts.centres_mm[index] @ true.T + np.array(at) / PX_PER_MM
        near = np.linalg.norm(marks.centres_mm[:, None] - centres, axis=2) < 0.8
        seen += int((near & sizes).any(axis=0).sum())
    assert seen >= 0.98 * 3 * len(layouts.faces)


@pytest.mark.parametrize("grey", [0, 90, 255])
def test_an_even_picture_has_no_marks(deck: Deck, grey: int) -> None:
    picture = np.full((SIZE[1], SIZE[0], 3), grey, np.uint8)
    for side in ("white", "black"):
        assert len(marks_in(picture, deck, side)) == 0


def test_grey_patches_are_no_marks(deck: Deck) -> None:
    picture = np.full((SIZE[1], SIZE[0], 3), 235, np.uint8)
    picture[100:130, 100:130] = 150
    picture[200:240, 300:340] = 90
    assert len(marks_in(picture, deck, "white")) == 0


def test_marks_within_a_quad_are_left_out(deck: Deck) -> None:
    marks = marks_in(cards(deck, "white", 0), deck, "white")
    left_half = np.array([[[-1.0, -1], [260, -1], [260, 401], [-1, 401]]])
    outside = marks.outside(left_half)
    assert 0 < len(outside) < len(marks)
    assert (outside.centres_px[:, 0] > 260).all()
    assert len(marks.outside(np.zeros((0, 4, 2)))) == len(marks)


def test_another_table_measures_the_same_patches_anew(deck: Deck) -> None:
    marks = marks_in(cards(deck, "white", 0), deck, "white")
    larger = marks.on(flat_table(SIZE, PX_PER_MM / 2))
    assert larger.centres_mm == pytest.approx(2 * marks.centres_mm)
    assert larger.areas_mm2 == pytest.approx(4 * marks.areas_mm2)
    assert larger.fullness == pytest.approx(marks.fullness)


def test_work_pictures_shrink_by_whole_numbers_and_lead_back() -> None:
    picture = np.zeros((203, 401, 3), np.uint8)
    assert work_image(picture, 0.5).bgr.shape == picture.shape
    work = work_image(picture, 2.6)
    assert work.bgr.shape == (67, 133, 3)
    points = np.array([[0.0, 0.0], [300.0, 100.5]])
    assert work.to_picture(work.to_work(points)) == pytest.approx(points)
