"""A hand's shadow across a card: its edge is no print, and a card half in it is read; skin is no shadow."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.flat_piles import SKINS, Image, PileTable, bare, photographed, piccolino, pile
from vision.pictured.card_frame import frame_corners
from vision.pictured.picture_reader import PictureReader
from vision.pictured.pile_faces import FaceReader
from vision.pictured.pile_shadow import shade_of, shadow_on
from vision.pictured.piles import PileReader
from vision.piles.sights import PilePlace
from vision.prints.light_model import Singles

CAMERA = PileTable((1280, 720))
PLACE = (0.0, 40.0, 12.0)
FACES = FaceReader(piccolino())
USED = FACES.frame | FACES.margin
WHITE = (200.0, 210.0, 205.0)
DIM = (0.32, 0.27, 0.24)  # of the light, in a shadow that a window's light reaches


def at_place() -> PileReader:
    return PileReader(piccolino(), CAMERA.table, CAMERA.size, [PilePlace(0, centre_mm=(PLACE[0], PLACE[1]))])


def in_shadow(name: str, along: float, depth: float = 1.0) -> Image:
    """A card whose lower part, from a share `along` its longer side on, lies in a shadow with a slanting edge."""
    image = bare(np.random.default_rng(1), CAMERA, 0)
    corners = pile(np.random.default_rng(2), image, CAMERA, PLACE, [name], 0)
    down, across = (corners[k] - corners[0] for k in (3, 1))
    x, y = np.meshgrid(np.arange(CAMERA.size[0]), np.arange(CAMERA.size[1]))
    here = np.stack([x, y], axis=-1) - corners[0]
    far = here @ down / (down @ down) + 0.3 * (here @ across / (across @ across) - 0.5)
    shaded = 1 / (1 + np.exp(-60 * (far - along)))
    light = (image / 255.0) ** 2.2 * (1 - shaded[..., None] * (1 - np.array(DIM) ** depth))
    return photographed(np.random.default_rng(3), np.rint(255 * light ** (1 / 2.2)).astype(np.uint8), 0.0)


HARD = [("green-happy", 0.5, 1.7), ("yellow-happy", 0.5, 1.3), ("black-happy", 0.35, 1.7), ("purple-sad", 0.65, 1.7)]


@pytest.mark.parametrize(("name", "along", "depth"), HARD)
def test_a_card_half_in_a_hands_deep_shadow_is_read(name: str, along: float, depth: float) -> None:
    image = in_shadow(name, along, depth)
    (card,) = PictureReader(piccolino()).read(image, CAMERA.table).cards
    assert card.face is not None
    assert card.face.id == name
    sight = at_place().read_part(image, 0)
    assert sight is not None
    assert sight.face == tuple(name.split("-"))


@pytest.mark.parametrize(("name", "along"), [("green-sad", 0.35), ("yellow-happy", 0.2)])
def test_a_pile_is_read_in_a_shadow_without_a_closer_search(name: str, along: float) -> None:
    assert at_place().read_place(in_shadow(name, along), 0).face == tuple(name.split("-"))


def white_card(*dark: tuple[tuple[slice, slice], tuple[float, ...]]) -> Singles:
    """A white card's grey levels (h, w, 3), with parts of some colour, of white."""
    card = np.full((*USED.shape, 3), WHITE, np.float32)
    for part, colour in dark:
        card[part] *= np.array(colour, np.float32)
    return card


def test_grey_on_the_margin_is_a_shadow_as_deep_as_it_is_dark() -> None:
    shadow = shadow_on(white_card((np.s_[30:, :], (0.6, 0.55, 0.5))), FACES.margin)
    assert shadow is not None
    assert np.abs(shadow.depths[-1] - np.array([0.36, 0.3025, 0.25])).max() < 0.03
    assert np.abs(shadow.lit_levels - WHITE).max() < 3


@pytest.mark.parametrize("skin", SKINS)
def test_skin_across_the_margin_is_no_shadow(skin: tuple[int, int, int]) -> None:
    colour = tuple(value / white for value, white in zip(skin, WHITE, strict=True))
    assert shadow_on(white_card((np.s_[20:34, :20], colour)), FACES.margin) is None


def test_a_white_margin_has_no_shadow() -> None:
    assert shadow_on(white_card((np.s_[20:34, 12:24], (0.4, 0.4, 0.4))), FACES.margin) is None


def test_a_shadow_comes_in_over_the_margin_and_dark_print_is_none() -> None:
    grey = (0.5, 0.5, 0.5)
    comes_in, print_alone = np.s_[40:, :], np.s_[14:24, 12:24]
    card = white_card((comes_in, grey), (print_alone, grey))
    shadow = shadow_on(card, FACES.margin)
    assert shadow is not None
    levels = np.asarray((card / np.array(WHITE))[USED].T, np.float32)
    noise = np.full((2, levels.shape[1]), 0.004, np.float32)
    shade = np.ones(USED.shape)
    shade[USED] = shade_of(shadow, levels, np.ones_like(levels), noise, (USED, FACES.margin)).mean(axis=0)
    assert np.abs(shade[44:][USED[44:]] - 0.25).max() < 0.03
    assert (shade[:34][USED[:34]] == 1).all()


def test_a_picture_is_read_in_shadow_only_where_there_is_one() -> None:
    fitter = PictureReader(piccolino()).fitter
    image = bare(np.random.default_rng(1), CAMERA, 0)
    frame = frame_corners(piccolino(), pile(np.random.default_rng(2), image, CAMERA, PLACE, ["blue-sad"], 0))
    assert fitter.read_in_shadow(image, frame) is None
    assert fitter.read_in_shadow(in_shadow("blue-sad", 0.5), frame) is not None
