"""An edition of one drawing in two neighbouring paints, seen by cameras that mix colours: doubts, no wrong faces."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.support.flat_piles import Image, PileTable, bare, card_corners, lay, photographed, piccolino
from vision.pictured.card_frame import frame_corners
from vision.pictured.picture_reader import PictureReader
from vision.pictured.pile_faces import FaceReader
from vision.pictured.pile_fit import FaceFitter
from vision.pictured.pile_pattern import PatternReader
from vision.pictured.pile_proof import doubt_of
from vision.prints.print_deck import Print, PrintDeck

PAINTS = {"red": (61, 38, 215), "orange": (32, 130, 245)}
CAMERA = PileTable((1280, 720))


@pytest.fixture(scope="module")
def edition() -> PrintDeck:
    """Our orange clown, and the same in red."""
    ours = piccolino()
    art = ours.by_id["orange-happy"].art.astype(np.float32)
    hue, strong, _ = cv2.split(cv2.cvtColor(art.astype(np.uint8), cv2.COLOR_BGR2HSV))
    painted = ((np.abs(hue.astype(int) - 14) < 7) & (strong > 110)).astype(np.float32)
    painted = cv2.GaussianBlur(painted, (0, 0), 1.0)[:, :, None]
    shade = art.max(axis=2, keepdims=True) / max(PAINTS["orange"])
    faces = []
    for colour, paint in PAINTS.items():
        picture = art * (1 - painted) + painted * np.clip(shade * paint, 0, 255)
        meaning = {"colour": colour, "mood": "happy"}
        faces.append(Print(f"{colour}-happy", "front", meaning, np.rint(picture).astype(np.uint8), 3))
    return replace(ours, name="two paints", faces=(*faces, ours.by_id["back"]))


def seen(deck: PrintDeck, face: str, red_to_green: float) -> tuple[Image, np.ndarray]:
    """A card seen by a camera whose green sees some of the red light, and its frame (4, 2), px."""
    image = bare(np.random.default_rng(1), CAMERA, 0)
    corners = CAMERA.to_px(card_corners((0.0, 40.0, 12.0), 1.0))
    lay(image, deck.by_id[face].art, corners)
    light = (image / 255.0) ** 2.2
    light[:, :, 1] += red_to_green * (light[:, :, 2] - light[:, :, 1])
    mixed = np.rint(255 * light.clip(0, 1) ** (1 / 2.2)).astype(np.uint8)
    return photographed(np.random.default_rng(3), mixed, 0.2), frame_corners(deck, corners)


@pytest.mark.parametrize("face", ["red-happy", "orange-happy"])
@pytest.mark.parametrize("red_to_green", [-0.1, 0.0, 0.1])
def test_paints_are_told_by_cameras_that_mix_colours_a_little(
    edition: PrintDeck, face: str, red_to_green: float
) -> None:
    image, _ = seen(edition, face, red_to_green)
    reading = PictureReader(edition).read(image, CAMERA.table)
    assert [card.face.id if card.face else "back" for card in reading.cards] == [face]


@pytest.mark.parametrize("red_to_green", [0.15, 0.2, 0.25])
def test_a_red_card_that_a_camera_shows_half_way_to_orange_is_not_told_as_orange(
    edition: PrintDeck, red_to_green: float
) -> None:
    image, frame = seen(edition, "red-happy", red_to_green)
    match, _ = FaceFitter(FaceReader(edition)).read(image, frame)
    assert match.face is not None
    assert match.face.id == "red-happy" or doubt_of(match) is not None


def test_at_first_sight_a_paint_alone_is_not_as_certain_as_a_drawing(edition: PrintDeck) -> None:
    image, frame = seen(edition, "orange-happy", 0.0)
    alone, drawn = (FaceReader(deck).read(image, frame) for deck in (edition, piccolino()))
    assert alone.face is not None
    assert drawn.face is not None
    assert alone.face.id == drawn.face.id == "orange-happy"
    assert alone.log_odds < 80 < drawn.log_odds


def test_a_drawing_makes_no_doubt_between_paints_that_share_it(edition: PrintDeck) -> None:
    image, frame = seen(edition, "red-happy", 0.0)
    faces = FaceReader(edition)
    leads = {face and face.id: PatternReader(faces).lead(image, frame, k) for k, face in enumerate(faces.names)}
    assert min(leads["red-happy"], leads["orange-happy"]) > 0.3
    assert leads[None] < -0.3
