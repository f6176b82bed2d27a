"""White cards as light as a white table are found by their tint; spots on a blotchy table and blank sheets are none."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.turned_card import turned_card
from vision.unknown.card_edges import fit_sides
from vision.unknown.card_plane import CardPlane
from vision.unknown.find_cards import find_cards
from vision.unknown.paper_tints import tint_map
from vision.unknown.tinted_cards import more_of_size
from vision.unknown.tinted_look import tinted_look
from vision.unknown.view import view_of

SIZE_WH = (960, 640)
WIDTH, LENGTH = 120.0, 186.0
TABLE = np.array([178.0, 186.0, 190.0])  # blue, green, red
BLUER = np.array([6.0, -0.8, -0.7])  # as light as the table
PLACES = [
    (150, 150, 6),
    (360, 160, -14),
    (600, 150, 25),
    (810, 170, 4),
    (170, 460, -20),
    (430, 450, 10),
    (740, 460, -5),
]
Picture = NDArray[np.uint8]


def card_at(x: float, y: float, degrees: float) -> NDArray[np.float32]:
    """Corners (4, 2), clockwise, of a card with its middle at (x, y)."""
    return turned_card((WIDTH, LENGTH), x, y, degrees)


def picture(
    step: NDArray[np.float64], marks: bool = True, seed: int = 1, lighter: int = 0, shadowed: int = 0
) -> Picture:
    """Cards that differ from the table by a `step`, with a mark or without, in a lamp that falls off, in noise.

    As cameras have it, the noise of colour is coarser than that of light. So many cards are `lighter`, too, by ten grey
    levels, and so many of the last ones have the table's tint, and thin shadows beside three sides. (h, w, 3) BGR.
    """
    random = np.random.default_rng(seed)
    scene = np.full((SIZE_WH[1] * 4, SIZE_WH[0] * 4, 3), TABLE, np.float32)
    for k, (x, y, degrees) in enumerate(PLACES):
        corners = np.rint(card_at(x, y, degrees) * 4 + 1.5).astype(np.int32)
        if k < len(PLACES) - shadowed:
            cv2.fillPoly(scene, [corners], (TABLE + step + (10 if k < lighter else 0)).tolist())
        else:
            cv2.polylines(scene, [corners[:2]], False, (0.97 * TABLE).tolist(), 8)
            cv2.polylines(scene, [np.roll(corners, -1, axis=0)], False, (0.8 * TABLE).tolist(), 8)
        if marks:
            cv2.ellipse(scene, (4 * x, 4 * y), (100, 160), -degrees, 0, 360, (70, 130, 60), -1)
    small = cv2.GaussianBlur(cv2.resize(scene, SIZE_WH, interpolation=cv2.INTER_AREA), (0, 0), 1.2)
    across, down = np.meshgrid(np.linspace(-1, 1, SIZE_WH[0]), np.linspace(-1, 1, SIZE_WH[1]))
    lamp = 1.05 - 0.2 * (across + 0.3) ** 2 - 0.15 * down**2
    grain = random.normal(0, 2, small.shape[:2])[..., None]
    blotches = cv2.GaussianBlur(np.asarray(random.normal(0, 9, small.shape), np.float32), (0, 0), 2.5)
    return np.asarray(np.clip(np.rint(small * lamp[..., None] + grain + blotches), 0, 255), np.uint8)


def found_in(image: Picture) -> tuple[int, int]:
    """How many of the cards are found with their corners within 3 % of the width; and how many cards are found."""
    quads, right = find_cards(image).corners_px, 0
    for place in PLACES:
        true = card_at(*place)
        off = [np.linalg.norm(np.roll(quad, k, axis=0) - true, axis=1).max() for quad in quads for k in range(4)]
        right += min(off, default=np.inf) < 0.03 * WIDTH
    return right, len(quads)


@pytest.mark.parametrize("way", [1, -1])
def test_cards_as_light_as_the_table_are_found_by_their_tint(way: int) -> None:
    assert found_in(picture(way * BLUER)) == (len(PLACES), len(PLACES))


def test_cards_that_show_by_their_tint_alone_are_found_beside_others() -> None:
    assert found_in(picture(BLUER, lighter=4)) == (len(PLACES), len(PLACES))


def test_a_card_that_shows_by_its_shadows_alone_is_found_beside_them() -> None:
    assert found_in(picture(BLUER, shadowed=1)) == (len(PLACES), len(PLACES))


def test_spots_on_a_blotchy_table_are_no_cards() -> None:
    assert found_in(picture(0 * BLUER, seed=3)) == (0, 0)


def test_blank_sheets_of_another_tint_are_no_cards() -> None:
    assert found_in(picture(BLUER, marks=False)) == (0, 0)


def test_a_mark_that_was_found_amid_a_card_gives_way_to_the_card() -> None:
    view = view_of(picture(BLUER))
    true = card_at(*PLACES[0])
    mark = np.asarray(true.mean(axis=0) + np.array([[0, -14], [14, 0], [0, 14], [-14, 0]]), np.float32)
    plane = CardPlane(np.eye(3), (20.0, 20.0), np.array([0, 0, np.log(20), np.log(20), 0]), SIZE_WH)
    cards, _ = tinted_look(view, (fit_sides(view.lab, mark[None], 2.0), plane))
    assert len(cards.quads) == len(PLACES)
    assert all(cv2.contourArea(quad) > 0.9 * WIDTH * LENGTH for quad in cards.quads)


def test_where_nothing_else_is_printed_no_more_cards_are_told() -> None:
    image = picture(BLUER)
    smooth = np.asarray(cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), (0, 0), 2.5), np.uint8)
    known = np.stack([card_at(*place) for place in PLACES[:3]])
    plane = CardPlane(np.eye(3), (WIDTH, LENGTH), np.array([0, 0, np.log(WIDTH), np.log(LENGTH), 0]), SIZE_WH)
    lines, corner_of_the_table = np.zeros((0, 4), np.float32), np.array([[3, 3]], np.float32)
    assert more_of_size(smooth, tint_map(image), lines, corner_of_the_table, plane, known) is None


def test_a_shadow_has_no_tint() -> None:
    bright = picture(BLUER)
    shaded = bright.copy()
    shaded[:, 500:] = np.rint(shaded[:, 500:] * 0.6)
    steps = [
        np.median(each.values[:, 260:280]) - np.median(each.values[:, 220:240])
        for each in map(tint_map, (bright, shaded))
    ]
    card = np.median(tint_map(shaded).steps(card_at(*PLACES[0])[None]))
    assert abs(steps[1] - steps[0]) < 0.4 * card
