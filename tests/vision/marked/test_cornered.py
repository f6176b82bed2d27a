"""Cards of which fingers leave no whole mark are told by a corner and by what shows of their print."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.flat_cards import flat_table, lay, poses
from vision.deck import Deck
from vision.marked.corner_look import borne_out
from vision.marked.corners import find_corners, on_cards
from vision.marked.marks import work_image
from vision.marked.outline import corners_of
from vision.marked.pipeline import read_on
from vision.marked.sampler import Sampler
from vision.marked.scoring import Verdicts
from vision.marked.side_model import side_models

PX_PER_MM = 1.7
SIZE = (560, 480)
AT, TURN = (330.0, 90.0), 0.5
TABLE, SKIN, SHADE = (60, 90, 120), (95, 120, 170), (75, 95, 135)
UNDER_FINGERS = range(0, 84, 6)  # a gap between fingers was once a mark of the tenth


def under_fingers(deck: Deck, face: int) -> NDArray[np.uint8]:
    """Two black cards in plain sight, and one of which each mark is half under a finger of its own."""
    image = np.full((SIZE[1], SIZE[0], 3), TABLE, np.uint8)
    faces, layouts = deck.side("black"), side_models(deck)["black"].layouts
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
    return {card.face.id for card in read_on(image, deck, flat_table(SIZE, PX_PER_MM))[0].cards}


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
    for face in UNDER_FINGERS[::2]:
        known = replace(deck, faces=tuple(f for f in deck.faces if f is not deck.side("black")[face]))
        assert told_in(under_fingers(deck, face), known) == ids(deck, face + 1, face + 2)


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.5, -1.2])
def test_the_sides_of_a_card_meet_at_its_four_corners(deck: Deck, turn: float) -> None:
    corners = poses([0], [turn], [(100.0, 80.0)]).to_table(corners_of(deck))[0]
    ends = np.roll(corners, -1, axis=0)
    # Each side is seen from where the round corners end, and one of them the other way about.
    sides = np.stack([corners + 0.06 * (ends - corners), ends - 0.06 * (ends - corners)], axis=1)
    sides[1] = sides[1, ::-1]
    found = find_corners(sides, deck)
    apart = np.linalg.norm(found.places_mm[:, None] - corners, axis=-1)
    assert apart.min(1).max() < 0.1
    for corner, along in enumerate(ends - corners):
        # A whole side may be that of a card beyond it, too.
        turns = found.turn[apart[:, corner] < 0.1]
        assert np.cos(turns - np.arctan2(along[1], along[0])).max() == pytest.approx(1.0, abs=1e-6)


def test_lines_that_cross_or_meet_aslant_make_no_corner(deck: Deck) -> None:
    along = np.array([[0.0, 0.0], [40.0, 0.0]])
    across, aslant, apart = ([[20.0, -20.0], [20.0, 20.0]], [[0.0, 0.0], [30.0, 40.0]], [[0.0, 20.0], [0.0, 60.0]])
    for other in (across, aslant, apart):
        assert len(find_corners(np.array([along, other]), deck).turn) == 0


def test_without_lines_there_is_no_corner(deck: Deck) -> None:
    assert len(find_corners(np.zeros((0, 2, 2)), deck).turn) == 0


@pytest.mark.parametrize("side", [0, 1])
def test_a_whole_side_gives_both_its_corners_whichever_way_the_card_lies(deck: Deck, side: int) -> None:
    corners = corners_of(deck)
    start, end = corners[side], corners[side + 1]
    along = (end - start) / deck.card_mm[side]
    seen = np.array([[start + deck.corner_radius_mm * along, end - deck.corner_radius_mm * along]])
    found = find_corners(seen, deck)
    ways = np.stack([np.cos(found.turn), np.sin(found.turn)], axis=1)
    for place, way in ((start, along), (end, -along)):
        (k,) = np.flatnonzero(np.linalg.norm(found.places_mm - place, axis=1) < 0.1)
        assert ways[k] == pytest.approx(way, abs=1e-6)
    assert len(found.turn) == 2
    assert len(find_corners(0.6 * seen, deck).turn) == 0


def test_a_line_that_runs_on_is_no_side_of_a_card(deck: Deck) -> None:
    """Joints of boards are seen in pieces."""
    side = [[0.0, 0.0], [deck.card_mm[0], 0.0]]
    beyond, beside = [[70.0, 0.5], [160.0, 0.5]], [[70.0, 9.0], [160.0, 9.0]]
    assert len(find_corners(np.array([side, beyond]), deck).turn) == 0
    assert len(find_corners(np.array([side, beside]), deck).turn) == 2


@pytest.mark.parametrize(("table", "sides"), [(TABLE, 1), ((255, 255, 255), 0)])
def test_a_line_with_the_same_on_both_sides_is_no_side_of_a_card(
    deck: Deck, table: tuple[int, int, int], sides: int
) -> None:
    """Not unless another side meets it: cards may lie on each other, but paper has creases."""
    image = np.full((SIZE[1], SIZE[0], 3), table, np.uint8)
    cv2.rectangle(image, (85, 85), (300, 300), (255, 255, 255), cv2.FILLED)
    sampler = Sampler(work_image(image, PX_PER_MM), flat_table(SIZE, PX_PER_MM))
    line = np.array([[[50.0, 50.0], [50.0 + deck.card_mm[0], 50.0]]])
    across = np.array([[[50.0, 50.0], [50.0, 90.0]]])
    on_a_side, _ = on_cards(sampler, "white", find_corners(line, deck), np.ones(3), np.zeros((0, 4, 2)))
    assert len(on_a_side.turn) == sides
    met, _ = on_cards(
        sampler, "white", find_corners(np.concatenate([line, across]), deck), np.ones(3), np.zeros((0, 4, 2))
    )
    assert len(met.turn) >= 1


@pytest.mark.parametrize(
    ("face", "off", "odds", "together"),
    [(4, 1.0, 3.0, 3.5), (4, 1.0, 30.0, 4.0), (4, 1.0, -3.0, 2.0), (4, 20.0, 3.0, 2.0), (5, 1.0, 3.0, 2.0)],
)
def test_what_the_closer_look_says_of_the_same_card_counts(
    deck: Deck, face: int, off: float, odds: float, together: float
) -> None:
    """Neither of two looks is sure, but both would have the same card in the same place; up to a bound."""
    cornered, again = verdict(deck, 4, 0.0, 2.0), verdict(deck, face, off, odds)
    assert borne_out(cornered, again, deck).log_odds.tolist() == [together]


def verdict(deck: Deck, face: int, at: float, odds: float) -> Verdicts:
    """One card that lies straight."""
    return Verdicts(side_models(deck)["white"].layouts, poses([face], [0.0], [(at, 0.0)]), np.array([odds]), {})
