"""Our own clowns under lamps that mirror, clip and tint, and cameras that bend colours: read right, or unclear."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from tests.support.flat_piles import (
    SKINS,
    Floats,
    Image,
    PileTable,
    bare,
    hand,
    mirrored_lamps,
    photographed,
    piccolino,
    pile,
)
from vision.piles.sights import PilePlace
from vision.prints.pile_reader import PrintClowns, PrintPiles
from vision.prints.print_deck import PrintDeck
from vision.prints.reader import PrintReader

CAMERA = PileTable((1280, 720))
PLACE = (0.0, 40.0, 12.0)
X, Y = np.meshgrid(np.arange(CAMERA.size[0]), np.arange(CAMERA.size[1]))


@cache
def reader() -> PrintReader:
    return PrintReader(piccolino())


def told(image: Image, deck: PrintDeck | None = None) -> list[str]:
    """The faces of all cards that are certain."""
    by = reader() if deck is None else PrintReader(deck)
    return [card.face.id for card in by.read(image, CAMERA.table).cards if card.face is not None]


def at_place() -> PrintPiles:
    return PrintClowns(piccolino()).piles(CAMERA.table, CAMERA.size, [PilePlace(0, centre_mm=(PLACE[0], PLACE[1]))])


def topped(name: str, under: int = 5) -> tuple[Image, Floats]:
    """A pile with a card on top, and the card's corners (4, 2), px."""
    image = bare(np.random.default_rng(1), CAMERA, 0)
    return image, pile(np.random.default_rng(2), image, CAMERA, PLACE, [name], under)


def light_of(image: Image) -> Floats:
    return np.asarray((image / 255.0) ** 2.2)


def developed(light: Floats) -> Image:
    return np.asarray(np.rint(255 * np.clip(light, 0, 1) ** (1 / 2.2)), np.uint8)


def taken(light: Floats, noise: float = 0.0) -> Image:
    return photographed(np.random.default_rng(3), developed(light), noise)


def card(name: str, glare: float = 0.0) -> tuple[Image, Floats]:
    """A card and its corners; `glare` is the share of white light where most of it is."""
    image, corners = topped(name)
    along = (corners[1] - corners[0]) / np.linalg.norm(corners[1] - corners[0]) ** 2
    across = np.clip((X - corners[0, 0]) * along[0] + (Y - corners[0, 1]) * along[1], 0, 1)
    veil = (glare * (1 - across))[:, :, None]
    return taken(light_of(image) * (1 - veil) + veil, 0.2), corners


def mirrored(image: Image, middle: Floats, radii: tuple[float, float], bright: float) -> Image:
    """A lamp with a sharp edge, mirrored in a picture: an ellipse about `middle` with `radii`, px."""
    inside = (1 - np.hypot((X - middle[0]) / radii[0], (Y - middle[1]) / radii[1])) * min(radii)
    lamp = bright / (1 + np.exp(-np.clip(inside / 1.5, -50, 50)))
    return developed(light_of(image) * 0.7 + lamp[:, :, None] * np.array([1.0, 0.92, 0.85]))


def test_what_a_lamp_bleaches_from_one_side_is_told() -> None:
    name, glare = "purple-sad", 0.95
    assert told(card(name, glare)[0]) == [name]


def test_a_card_of_which_a_lamp_has_bleached_a_half_is_told_by_the_other_half() -> None:
    name, side = "blue-happy", 0
    image, corners = card(name)
    edge, other = corners[side], corners[side - 1]
    along = (other - edge) / np.linalg.norm(other - edge) ** 2
    veil = 1.3 / (1 + np.exp(-14 * ((X - edge[0]) * along[0] + (Y - edge[1]) * along[1] - 0.6)))
    assert told(developed(light_of(image) * 0.9 + veil[:, :, None])) == [name]


def test_a_vivid_camera_under_a_warm_lamp_tells_strong_colours() -> None:
    name = "orange-happy"
    warm = light_of(card(name)[0]) * (0.36, 0.6, 0.8)
    grey = (warm @ (0.0722, 0.7152, 0.2126))[:, :, None]
    assert told(developed(grey + 1.6 * (warm - grey))) == [name]


def test_dark_fingers_hide_no_more_than_they_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    name, skin, towards = "purple-happy", 4, 2.0
    monkeypatch.setattr("tests.support.flat_piles.SKINS", SKINS[skin : skin + 1])
    image, corners = topped(name)
    tip = corners.mean(axis=0) + 18 * np.array([np.cos(towards), np.sin(towards)])
    hand(np.random.default_rng(1000 + 10 * skin + int(towards)), image, tip, towards)
    assert told(photographed(np.random.default_rng(3), image, 0.3)) == [name]


def test_a_card_whose_face_a_mirrored_lamp_hides_is_told_right_or_unclear() -> None:
    name = "green-happy"
    image, corners = card(name)
    middle = corners.mean(axis=0)
    inside = 20 - np.hypot((X - middle[0]) / 1.4, Y - middle[1])
    lamp = 3 / (1 + np.exp(-np.clip(inside, -50, 50))) + 0.15
    reading = reader().read(developed(light_of(image) * 0.7 + lamp[:, :, None]), CAMERA.table)
    assert {card.face and card.face.id for card in reading.cards} <= {name}
    assert len(reading.cards) + len(reading.unclear) == 1


@pytest.mark.parametrize(
    ("name", "side", "bright"), [("back", 0.35, 3.0), ("red-happy", 0.8, 1.0), ("purple-sad", 0.2, 3.0)]
)
def test_a_mirrored_lamp_hides_no_more_than_it_lies_on(name: str, side: float, bright: float) -> None:
    image, corners = card(name)
    middle = corners[0] + (corners[3] - corners[0]) * side + (corners[1] - corners[0]) * 0.55
    assert told(mirrored(image, middle, (26.0, 20.0), bright)) == [name]


@pytest.mark.parametrize(
    ("name", "middle", "radii", "bright"),
    [("orange-happy", (0.32, 0.4), (38.0, 33.0), 3.0), ("purple-happy", (0.23, 0.47), (37.0, 41.0), 1.5)],
)
def test_a_white_hat_beside_a_mirrored_lamp_is_no_part_of_it(
    name: str, middle: tuple[float, float], radii: tuple[float, float], bright: float
) -> None:
    image, corners = card(name)
    across, down = middle
    spot = corners[0] + (corners[1] - corners[0]) * across + (corners[3] - corners[0]) * down
    assert set(told(mirrored(image, spot, radii, bright))) <= {name}


def test_a_colour_that_the_deck_does_not_have_is_not_taken_for_another() -> None:
    colour = "black"
    deck = piccolino()
    others = replace(deck, faces=tuple(face for face in deck.faces if face.attributes.get("colour") != colour))
    for mood in ("happy", "sad"):
        assert told(card(f"{colour}-{mood}")[0], others) == []


def test_a_camera_that_bends_colours_gets_no_wrong_card_told() -> None:
    name = "pink-happy"
    # Blue in deeper shades than red, as cameras show it that trust a warm lamp to be white.
    bent = np.rint(255 * (card(name)[0] / 255.0) ** (2.2, 1.0, 0.5)).astype(np.uint8)
    assert set(told(bent)) <= {name}


def lit(name: str, veil: Floats) -> tuple[Image, Floats]:
    """A card in a lamp's reflection and its corners; `veil` (h, w) is the light that gloss adds."""
    image, corners = topped(name, under=0)
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(corners).astype(np.int32), 1)
    return taken(light_of(image) + (veil * mask)[:, :, None]), corners


def test_a_card_of_which_nothing_but_white_is_left_is_unclear_and_not_passed_over() -> None:
    image, corners = lit("blue-sad", np.full(X.shape, 1.2))
    reading = reader().read(image, CAMERA.table)
    assert reading.cards == ()
    assert [card.reason for card in reading.unclear] == ["glare"]
    assert np.linalg.norm(reading.unclear[0].corners_px.mean(axis=0) - corners.mean(axis=0)) < 3
    sight = at_place().read_place(image, 0)
    assert sight.kind in ("unclear", "covered")
    assert sight.face is None


def test_a_card_half_wiped_out_is_not_passed_over() -> None:
    name = "red-sad"
    _, corners = lit(name, np.zeros(X.shape))
    along = (corners[3] - corners[0]) / np.linalg.norm(corners[3] - corners[0]) ** 2
    down = (X - corners[0, 0]) * along[0] + (Y - corners[0, 1]) * along[1]
    image, _ = lit(name, 1.2 / (1 + np.exp(40 * (down - 0.55))))
    reading = reader().read(image, CAMERA.table)
    assert {found.face and found.face.id for found in reading.cards} <= {name}
    assert len(reading.cards) + len(reading.unclear) == 1
    assert at_place().read_place(image, 0).face in (None, tuple(name.split("-")))


def overexposed(name: str, over: float, lamp: tuple[float, float] = (1.0, 1.0), veil: float = 0.0) -> Image:
    """An untidy pile under a lamp so blue and so red by its green, which gloss mirrors a little."""
    image = bare(np.random.default_rng(1), CAMERA, 3)
    pile(np.random.default_rng(5), image, CAMERA, (3.0, 43.0, 20.0), ["back"], 5)
    pile(np.random.default_rng(2), image, CAMERA, PLACE, [name], 6)
    seen = light_of(photographed(np.random.default_rng(3), image, 0.0))
    colour = np.array([lamp[0], 1.0, lamp[1]])
    return developed((seen + veil * colour) * over * colour)


@pytest.mark.parametrize(
    ("name", "over", "lamp", "veil"),
    [
        ("purple-happy", 2.2, (0.65, 1.3), 0.4),
        ("green-sad", 3.0, (0.5, 1.8), 0.4),
    ],
)
def test_what_is_washed_out_is_not_told_as_another(
    name: str, over: float, lamp: tuple[float, float], veil: float
) -> None:
    assert set(told(overexposed(name, over, lamp, veil))) <= {name}


def test_an_overexposed_clown_under_a_coloured_lamp_keeps_its_own_colour() -> None:
    name, lamp, over, veil = "green-sad", (0.65, 1.3), 2.2, 0.4
    assert told(overexposed(name, over, lamp, veil)) == [name]


def under_two_lamps(name: str, veils: tuple[float, float]) -> Image:
    image, corners = topped(name)
    light = light_of(image) + mirrored_lamps(CAMERA.size, corners, veils)[:, :, None]
    return taken(light, 0.2)


def test_under_steep_reflections_a_card_is_told_right_or_unclear() -> None:
    name = "pink-happy"
    reading = reader().read(under_two_lamps(name, (0.5, 0.3)), CAMERA.table)
    assert {card.face and card.face.id for card in (*reading.cards, *reading.unclear)} == {name}


DIM = (0.32, 0.27, 0.24)  # of the light, in a shadow that a window's light reaches


def in_shadow(name: str, along: float, depth: float = 1.0) -> Image:
    """A card whose lower part, from a share `along` its longer side on, lies in a shadow with a slanting edge."""
    image, corners = topped(name, under=0)
    down, across = (corners[k] - corners[0] for k in (3, 1))
    here = np.stack([X, Y], axis=-1) - corners[0]
    far = here @ down / (down @ down) + 0.3 * (here @ across / (across @ across) - 0.5)
    shaded = 1 / (1 + np.exp(-60 * (far - along)))
    return taken(light_of(image) * (1 - shaded[..., None] * (1 - np.array(DIM) ** depth)))


def test_a_card_half_in_a_hands_deep_shadow_is_read() -> None:
    name, along, depth = "black-happy", 0.35, 1.7
    assert told(in_shadow(name, along, depth)) == [name]
