"""Cards that a lamp's reflection has bleached: found by what is left, told if that tells them, and else unclear."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.flat_piles import Floats, Image, PileTable, bare, photographed, piccolino, pile
from vision.pictured.picture_reader import PictureReader
from vision.pictured.pile_bleached import bleached_cards
from vision.pictured.piles import PileReader
from vision.piles.sights import PilePlace
from vision.prints.outlines import rectangles

CAMERA = PileTable((1280, 720))
PLACE = (0.0, 40.0, 12.0)


def lit(name: str, veil: Floats) -> tuple[Image, Floats]:
    """A card in a lamp's reflection and its corners (4, 2), px; `veil` (h, w) is the light that gloss adds."""
    image = bare(np.random.default_rng(1), CAMERA, 0)
    corners = pile(np.random.default_rng(2), image, CAMERA, PLACE, [name], 0)
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(corners).astype(np.int32), 1)
    shining = ((image / 255.0) ** 2.2 + (veil * mask)[:, :, None]).clip(0, 1) ** (1 / 2.2)
    return photographed(np.random.default_rng(3), np.rint(255 * shining).astype(np.uint8), 0.0), corners


def at_place(image: Image) -> PileReader:
    return PileReader(piccolino(), CAMERA.table, CAMERA.size, [PilePlace(0, centre_mm=(PLACE[0], PLACE[1]))])


def everywhere(amount: float) -> Floats:
    return np.full((CAMERA.size[1], CAMERA.size[0]), amount)


def test_a_card_of_which_nothing_but_white_is_left_is_unclear_and_not_passed_over() -> None:
    image, corners = lit("blue-sad", everywhere(1.2))
    reading = PictureReader(piccolino()).read(image, CAMERA.table)
    assert reading.cards == ()
    assert [card.reason for card in reading.unclear] == ["glare"]
    assert np.linalg.norm(reading.unclear[0].corners_px.mean(axis=0) - corners.mean(axis=0)) < 3
    sight = at_place(image).read_place(image, 0)
    assert (sight.kind, sight.reason, sight.face) == ("unclear", "glare", None)


@pytest.mark.parametrize("name", ["blue-happy", "red-sad"])
def test_the_outline_of_a_bleached_card_tells_where_its_print_is_and_what_is_left_tells_the_face(name: str) -> None:
    _, corners = lit(name, everywhere(0.0))
    along = (corners[3] - corners[0]) / np.linalg.norm(corners[3] - corners[0]) ** 2
    x, y = np.meshgrid(np.arange(CAMERA.size[0]), np.arange(CAMERA.size[1]))
    down = (x - corners[0, 0]) * along[0] + (y - corners[0, 1]) * along[1]
    image, _ = lit(name, 1.2 / (1 + np.exp(40 * (down - 0.55))))
    sight = at_place(image).read_place(image, 0)
    assert sight.face == tuple(name.split("-"))


@pytest.mark.parametrize("name", ["pink-happy", "pink-sad"])
def test_pale_print_on_an_overexposed_untidy_pile_is_read(name: str) -> None:
    image = bare(np.random.default_rng(1), CAMERA, 3)
    pile(np.random.default_rng(5), image, CAMERA, (3.0, 43.0, 20.0), ["back"], 5)
    corners = pile(np.random.default_rng(2), image, CAMERA, PLACE, [name], 6)
    seen = photographed(np.random.default_rng(3), image, 0.0)
    image = np.rint(255 * (3.6 * (seen / 255.0) ** 2.2).clip(0, 1) ** (1 / 2.2)).astype(np.uint8)
    reading = PictureReader(piccolino()).read(image, CAMERA.table)
    assert [card.face and card.face.id for card in reading.cards] == [name]
    assert reading.unclear == ()
    assert reading.cards[0].corners_px == pytest.approx(corners, abs=2.5)


def under_lamp(name: str, lamp: tuple[float, float], over: float, veil: float) -> Image:
    """An overexposed untidy pile under a lamp so blue and so red by its green, which gloss mirrors a little."""
    image = bare(np.random.default_rng(1), CAMERA, 3)
    pile(np.random.default_rng(5), image, CAMERA, (3.0, 43.0, 20.0), ["back"], 5)
    pile(np.random.default_rng(2), image, CAMERA, PLACE, [name], 6)
    seen = (photographed(np.random.default_rng(3), image, 0.0) / 255.0) ** 2.2
    colour = np.array([lamp[0], 1.0, lamp[1]])
    return np.asarray(np.rint(255 * ((seen + veil * colour) * over * colour).clip(0, 1) ** (1 / 2.2)), np.uint8)


@pytest.mark.parametrize(
    ("name", "lamp", "over", "veil"),
    [
        ("purple-happy", (0.65, 1.3), 2.2, 0.4),
        ("purple-sad", (0.5, 1.6), 1.6, 0.4),
        ("green-sad", (0.65, 1.3), 2.2, 0.4),
        ("black-happy", (1.5, 0.7), 2.2, 0.2),
    ],
)
def test_an_overexposed_clown_under_a_coloured_lamp_keeps_its_own_colour(
    name: str, lamp: tuple[float, float], over: float, veil: float
) -> None:
    reading = PictureReader(piccolino()).read(under_lamp(name, lamp, over, veil), CAMERA.table)
    assert [card.face and card.face.id for card in reading.cards] == [name]


@pytest.mark.parametrize(
    ("name", "over", "veil"), [("green-sad", 2.2, 0.4), ("purple-happy", 3.0, 0.2), ("green-sad", 3.0, 0.4)]
)
def test_a_clown_that_a_strongly_coloured_lamp_washes_out_is_not_told_as_another(
    name: str, over: float, veil: float
) -> None:
    reading = PictureReader(piccolino()).read(under_lamp(name, (0.5, 1.8), over, veil), CAMERA.table)
    assert {card.face and card.face.id for card in reading.cards} <= {name}


def test_cards_in_plain_light_are_not_bleached_and_neither_is_a_white_sheet() -> None:
    image, _ = lit("yellow-sad", everywhere(0.0))
    scale = (1.2, 1.7)
    assert len(bleached_cards(image, piccolino().card_mm, scale)) == 0
    cv2.rectangle(image, (200, 200), (480, 400), (255, 255, 255), -1)
    assert len(bleached_cards(image, piccolino().card_mm, scale)) == 0


def test_a_crumpled_bright_shape_has_no_corner_far_beyond_itself() -> None:
    mask, shape = np.zeros((160, 160), np.uint8), [88, 125, 71, 65, 68, 95, 104, 118, 99, 72, 94, 111, 71, 127]
    cv2.fillPoly(mask, [np.array(shape, np.int32).reshape(-1, 2)], (1,))
    for quad in rectangles([mask], piccolino().card_mm, (0.6, 1.2)):
        assert np.abs(quad - 80).max() < 100
