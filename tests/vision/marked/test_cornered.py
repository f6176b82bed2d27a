"""Cards of which fingers leave no whole mark are told by a corner and by what shows of their print."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from flat_cards import flat_table, lay, poses
from numpy.typing import NDArray

from vision.deck import Deck
from vision.marked.corners import find_corners
from vision.marked.layouts import layouts_of
from vision.marked.outline import corners_of
from vision.marked.reader import read

PX_PER_MM = 1.7
SIZE = (560, 480)
AT, TURN = (330.0, 90.0), 0.5
TABLE, SKIN, SHADE = (60, 90, 120), (95, 120, 170), (75, 95, 135)
UNDER_FINGERS = range(0, 84, 6)  # a gap between fingers was once a mark of the tenth


def under_fingers(deck: Deck, face: int) -> NDArray[np.uint8]:
    """Two black cards in plain sight, and one of which each mark is half under a finger of its own."""
    image = np.full((SIZE[1], SIZE[0], 3), TABLE, np.uint8)
    faces, layouts = deck.side("black"), layouts_of(deck, "black")
    for other, at in (((face + 1) % 84, (40.0, 40.0)), ((face + 2) % 84, (40.0, 260.0)), (face, AT)):
        lay(image, deck, faces[other], at, TURN if other == face else 0.0, PX_PER_MM)
    card = poses([face], [TURN], [(AT[0] / PX_PER_MM, AT[1] / PX_PER_MM)])
    centres = card.to_table(layouts.centres_mm[[face]])[0] * PX_PER_MM
    radii = np.sqrt(layouts.areas_mm2[face] / np.pi) * PX_PER_MM
    for (x, y), radius in zip(centres, radii, strict=True):
        tip = (round(x + 0.75 * radius), round(y))
        for colour, width in ((SHADE, 1.6), (SKIN, 1.4)):
            cv2.line(image, tip, (tip[0] + 500, tip[1] - 60), colour, round(width * radius), cv2.LINE_AA)
    return image


def told_in(image: NDArray[np.uint8], deck: Deck) -> set[str]:
    return {card.face.id for card in read(image, deck, flat_table(SIZE, PX_PER_MM)).cards}


def ids(deck: Deck, *faces: int) -> set[str]:
    return {deck.side("black")[face % 84].id for face in faces}


def test_a_card_of_which_every_mark_is_joined_with_a_finger_is_told(deck: Deck) -> None:
    told = [told_in(under_fingers(deck, face), deck) for face in UNDER_FINGERS]
    assert all(
        ids(deck, face + 1, face + 2) <= some <= ids(deck, face, face + 1, face + 2)
        for face, some in zip(UNDER_FINGERS, told, strict=True)
    )
    assert sum(ids(deck, face) <= some for face, some in zip(UNDER_FINGERS, told, strict=True)) >= 10


def test_no_other_card_is_told_where_the_one_under_the_fingers_is_of_no_deck(deck: Deck) -> None:
    for face in UNDER_FINGERS:
        known = replace(deck, faces=tuple(f for f in deck.faces if f is not deck.side("black")[face]))
        assert told_in(under_fingers(deck, face), known) == ids(deck, face + 1, face + 2)


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.5, -1.2])
def test_the_sides_of_a_card_meet_at_its_four_corners(deck: Deck, turn: float) -> None:
    corners = poses([0], [turn], [(100.0, 80.0)]).to_table(corners_of(deck))[0]
    ends = np.roll(corners, -1, axis=0)
    # Each side is seen from where the round corners end, and one of them the other way about.
    sides = np.stack([corners + 0.06 * (ends - corners), ends - 0.06 * (ends - corners)], axis=1)
    sides[1] = sides[1, ::-1]
    found = find_corners(sides)
    assert len(found.turn) == 4
    for corner, along in zip(corners, ends - corners, strict=True):
        (k,) = np.flatnonzero(np.linalg.norm(found.places_mm - corner, axis=1) < 0.1)
        expected = np.arctan2(along[1], along[0])
        assert np.cos(found.turn[k] - expected) == pytest.approx(1.0, abs=1e-6)


def test_lines_that_cross_or_meet_aslant_make_no_corner() -> None:
    along = np.array([[0.0, 0.0], [60.0, 0.0]])
    across, aslant, apart = ([[30.0, -30.0], [30.0, 30.0]], [[0.0, 0.0], [40.0, 60.0]], [[0.0, 20.0], [0.0, 80.0]])
    for other in (across, aslant, apart):
        assert len(find_corners(np.array([along, other])).turn) == 0


def test_without_lines_there_is_no_corner() -> None:
    assert len(find_corners(np.zeros((0, 2, 2))).turn) == 0
