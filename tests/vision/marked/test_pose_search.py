"""A card of which one mark is whole and others are seen in part is found by turning it about the one."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.flat_cards import flat_table, lay, poses
from vision.deck import Deck
from vision.marked.layouts import Hypotheses
from vision.marked.marks import work_image
from vision.marked.pipeline import read_on
from vision.marked.pose_search import Anchors, pivoted_cards
from vision.marked.sampler import Sampler
from vision.marked.side_model import side_models

PX_PER_MM = 1.7
SIZE = (480, 400)
AT, TURN = (190.0, 120.0), 0.7
SKIN = (95, 120, 170)
NOTHING_KNOWN = np.zeros((0, 4, 2))
NIGHT = (24, 26, 28)
UNDER_FINGERS = range(0, 84, 6)


def found_about(
    deck: Deck,
    side: str,
    face: int,
    size: int,
    covered: NDArray[np.float64],
    known_mm: NDArray[np.float64],
    shades: int = 1,
) -> Hypotheses:
    """Lay a card, lay a finger on each of the points (n, 2) on it, and turn all faces about one mark.

    Of each colour the deck may have so many `shades`, which differ by next to nothing.
    """
    model = side_models(deck)[side]
    layouts, colours = model.layouts, model.colours
    image = np.full((SIZE[1], SIZE[0], 3), (60, 90, 120), np.uint8)
    lay(image, deck, deck.side(side)[face], AT, TURN, PX_PER_MM)
    card = poses([face], [TURN], [(AT[0] / PX_PER_MM, AT[1] / PX_PER_MM)])
    for x, y in card.to_table(covered)[0] * PX_PER_MM:
        cv2.line(image, (round(x), round(y)), (round(x) + 300, round(y) - 300), SKIN, 16, cv2.LINE_AA)
    sampler = Sampler(work_image(image, PX_PER_MM), flat_table(SIZE, PX_PER_MM))
    allowed = np.zeros((1, len(layouts.faces), 3), bool)
    allowed[0, :, size] = colours[:, size] == colours[face, size]
    ground = {"white": np.full((1, 3), 255.0), "black": np.full((1, 3), 22.0)}[side]
    middle = card.to_table(layouts.centres_mm[[face]])[:, size]
    anchors = Anchors(middle, np.array([7]), allowed, ground)
    mask = np.ones((SIZE[1], SIZE[0]), np.uint8)
    hues = model.palette.hues_deg[colours] + 0.01 * (np.arange(len(colours)) % shades)[:, None]
    return pivoted_cards(sampler, layouts, model.contours, anchors, mask, hues, known_mm)


@pytest.mark.parametrize("side", ["white", "black"])
@pytest.mark.parametrize("face", range(0, 84, 9))
def test_what_shows_of_two_marks_gives_the_turn_about_the_third(deck: Deck, side: str, face: int) -> None:
    centres = side_models(deck)[side].layouts.centres_mm[face]
    size = int(np.abs(centres[:, 0] - centres[:, 1] - np.median(centres[:, 0] - centres[:, 1])).argmax())
    found = found_about(deck, side, face, size, np.delete(centres, size, axis=0) + (6.0, 0.0), NOTHING_KNOWN)
    off = np.abs((found.turn - TURN + math.pi) % (2 * math.pi) - math.pi)
    assert ((found.faces == face) & (off < math.radians(4))).any()
    assert (found.marks[:, size] == 7).all()


@pytest.mark.parametrize("face", [3, 27, 49, 78])
def test_a_card_of_a_deck_of_twelve_colours_is_found_about_one_mark(deck: Deck, face: int) -> None:
    centres = side_models(deck)["white"].layouts.centres_mm[face]
    found = found_about(deck, "white", face, 0, np.delete(centres, 0, axis=0) + (6.0, 0.0), NOTHING_KNOWN, shades=2)
    off = np.abs((found.turn - TURN + math.pi) % (2 * math.pi) - math.pi)
    assert ((found.faces == face) & (off < math.radians(4))).any()


def test_where_nothing_else_of_a_card_is_in_sight_no_pose_is_given(deck: Deck) -> None:
    everything = np.array([[[0.0, 0.0], [300.0, 0.0], [300.0, 300.0], [0.0, 300.0]]])
    assert len(found_about(deck, "white", 3, 2, np.zeros((0, 2)), NOTHING_KNOWN)) > 0
    assert len(found_about(deck, "white", 3, 2, np.zeros((0, 2)), everything)) == 0


def touched_at_night(deck: Deck, face: int) -> NDArray[np.uint8]:
    """Two black cards and, under two fingers, a third one on a table as black, so that no edge of it shows."""
    image = np.full((460, 560, 3), NIGHT, np.uint8)
    faces, layouts = deck.side("black"), side_models(deck)["black"].layouts
    for other, at in (((face + 1) % 84, (40.0, 60.0)), ((face + 2) % 84, (40.0, 260.0)), (face, (330.0, 90.0))):
        lay(image, deck, faces[other], at, 0.5 if other == face else 0.0, PX_PER_MM)
    card = poses([face], [0.5], [(330.0 / PX_PER_MM, 90.0 / PX_PER_MM)])
    centres = card.to_table(layouts.centres_mm[[face]])[0] * PX_PER_MM
    radii = np.sqrt(layouts.areas_mm2[face] / np.pi) * PX_PER_MM
    for size in np.argsort(centres[:, 0])[1:]:
        x, y = centres[size] + (0.45 * radii[size], 0.2 * radii[size])
        cv2.line(image, (round(x) + 8, round(y)), (round(x) + 260, round(y) - 120), SKIN, 18, cv2.LINE_AA)
    grain = np.random.default_rng(face).normal(0, 2, image.shape)
    return np.clip(image + grain, 0, 255).astype(np.uint8)


def test_cards_under_fingers_are_told_by_one_mark_and_what_shows_of_the_others(deck: Deck) -> None:
    told = 0
    for face in UNDER_FINGERS:
        reading = read_on(touched_at_night(deck, face), deck, flat_table((560, 460), PX_PER_MM))[0]
        read_ids = {card.face.id for card in reading.cards}
        assert read_ids <= {deck.side("black")[number % 84].id for number in (face, face + 1, face + 2)}
        told += deck.side("black")[face].id in read_ids
    assert told >= 10


def test_no_other_card_is_told_where_the_one_under_the_fingers_is_of_no_deck(deck: Deck) -> None:
    for face in UNDER_FINGERS[::2]:
        known = replace(deck, faces=tuple(f for f in deck.faces if f is not deck.side("black")[face]))
        reading = read_on(touched_at_night(deck, face), known, flat_table((560, 460), PX_PER_MM))[0]
        assert {card.face.id for card in reading.cards} == {deck.side("black")[(face + k) % 84].id for k in (1, 2)}
