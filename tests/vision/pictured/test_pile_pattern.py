"""Local contrasts tell a print under reflections with steep edges, and nothing where there is no print of the deck."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.support.flat_piles import Floats, Image, PileTable, bare, mirrored_lamps, photographed, piccolino, pile
from vision.pictured.card_frame import frame_corners
from vision.pictured.picture_reader import PictureReader
from vision.pictured.pile_faces import FaceReader
from vision.pictured.pile_pattern import PatternReader

SIZE = (1280, 720)
CAMERA = PileTable(SIZE)
DECK = piccolino()
PATTERNS = PatternReader(FaceReader(DECK))
NAMES = [*(face.id for face in DECK.faces), DECK.back]


def topped(name: str) -> tuple[Image, Floats]:
    """A pile with a card on top, and the card's corners."""
    image = bare(np.random.default_rng(1), CAMERA, 0)
    return image, pile(np.random.default_rng(2), image, CAMERA, (0.0, 40.0, 12.0), [name], 6)


def lit(image: Image, corners: Floats, veils: tuple[float, float]) -> Image:
    """The picture with lamps mirrored in a card, so much light added by each, and photographed."""
    light = (image.astype(np.float32) / 255) ** 2 + mirrored_lamps(CAMERA.size, corners, veils)[:, :, None]
    return photographed(np.random.default_rng(3), np.rint(255 * np.sqrt(np.clip(light, 0, 1))).astype(np.uint8), 0.2)


@pytest.mark.parametrize("name", ["back", "blue-sad", "pink-happy", "black-sad"])
def test_a_picture_is_told_under_steep_reflections_from_a_frame_that_lies_a_little_off(name: str) -> None:
    image, corners = topped(name)
    frame = frame_corners(DECK, corners)
    found = PATTERNS.read(lit(image, corners, (0.5, 0.3)), np.roll(frame + (1.5, -1.0), 2, axis=0))
    assert found is not None
    assert NAMES[found.picture] == name
    # A back looks the same the other way up.
    assert found.turn == 2 or name == "back"
    assert found.lead > 60
    assert np.roll(found.frame_px, -2, axis=0) == pytest.approx(frame, abs=1.2)


def test_what_is_clipped_tells_nothing() -> None:
    image, corners = topped("red-sad")
    white = lit(image, corners, (0.0, 0.0))
    cv2.fillConvexPoly(white, np.rint(corners).astype(np.int32), (255, 255, 255))
    assert PATTERNS.read(white, frame_corners(DECK, corners)) is None


def test_a_bare_table_agrees_with_no_picture() -> None:
    _, corners = topped("back")
    for kind in range(5):
        assert PATTERNS.read(bare(np.random.default_rng(3), CAMERA, kind), frame_corners(DECK, corners)) is None


def test_a_back_under_two_lamps_is_read() -> None:
    image, corners = topped("back")
    reading = PictureReader(DECK).read(lit(image, corners, (0.9, 0.6)), CAMERA.table)
    assert [card.face and card.face.side for card in reading.cards] == ["back"]


def test_a_clown_whose_colour_the_deck_lacks_is_told_as_no_other_under_two_lamps() -> None:
    image, corners = topped("purple-happy")
    others = tuple(face for face in DECK.faces if face.attributes.get("colour") != "purple")
    reading = PictureReader(replace(DECK, faces=others)).read(lit(image, corners, (0.5, 0.3)), CAMERA.table)
    assert reading.cards == ()
