"""Cards under lamps that mirror in them: told in a light of their own, or not told, but never another face."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.drawn_clowns import CARD_MM, clown
from tests.support.flat_cards import flat_table
from vision.prints.card_search import CardSearch
from vision.prints.lit_look import LitLook, LitVerdict
from vision.prints.print_deck import Print, PrintDeck
from vision.prints.reader import PrintReader
from vision.prints.straight import Covers, Pyramid
from vision.table import Table

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

SIZE, SCALE = (420, 320), 1.6
MIDDLE = (130.0, 100.0)
COLOURS = ("red", "blue", "green", "yellow")
WHITE = np.array([0.75, 0.78, 0.8])


@cache
def deck(lacking: str | None = None) -> PrintDeck:
    faces = [
        Print(f"{colour}-{mood}", "front", {"colour": colour, "mood": mood}, clown(colour, happy=mood == "happy"))
        for colour in COLOURS
        for mood in ("happy", "sad")
    ]
    return PrintDeck("clowns", CARD_MM, tuple(face for face in faces if face.id != lacking), "piccolino")


@cache
def lit(lacking: str | None = None) -> LitLook:
    return LitLook(deck(lacking))


def corners_of(turn_deg: float) -> Floats:
    width, height = CARD_MM
    turn = np.radians(turn_deg)
    way = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    square = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    return np.asarray((square @ way + MIDDLE) * SCALE, np.float64)


def picture_of(face: str, turn_deg: float, gloss: tuple[float, float, float], strength: float) -> Image:
    """A card on dark cloth under a lamp that mirrors in it.

    gloss: where on the card, as shares of it, and how wide, by its width; strength: of its white, in the middle.
    """
    art = deck().by_id[face].art
    height, width = art.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    corners = corners_of(turn_deg)
    way = cv2.getPerspectiveTransform(source, corners.astype(np.float32))
    # Twice as fine, so that its edges are soft.
    card = cv2.warpPerspective(art, way, SIZE, flags=cv2.INTER_AREA).astype(np.float64) / 255
    there = cv2.GaussianBlur(cv2.warpPerspective(np.ones((height, width)), way, SIZE), (3, 3), 0.7)[..., None]
    light = (card * there + 0.2 * (1 - there)) ** 2 * WHITE**2
    x, y = cv2.perspectiveTransform(np.array([[[gloss[0] * width, gloss[1] * height]]], np.float64), way)[0, 0]
    across, down = np.meshgrid(np.arange(SIZE[0]) - x, np.arange(SIZE[1]) - y)
    wide = gloss[2] * CARD_MM[0] * SCALE
    light += there * strength * np.exp(-(across**2 + down**2) / (2 * wide**2))[..., None]
    noise = np.random.default_rng(3).normal(0, 2, card.shape)
    return np.asarray(np.clip(255 * np.sqrt(np.clip(light, 0, 1)) + noise, 0, 255), np.uint8)


def table() -> Table:
    return flat_table(SIZE, SCALE)


GLARING = [
    ("red-happy", -3.0, (0.62, 1.0, 0.48), 1.7),
    ("yellow-happy", 13.0, (0.15, 0.97, 0.46), 2.6),
    ("green-happy", -10.0, (0.96, 0.8, 0.32), 2.5),
]


@pytest.mark.parametrize(("face", "turn", "gloss", "strength"), GLARING)
def test_a_card_in_which_a_lamp_mirrors_is_told_by_what_is_left_of_it(
    face: str, turn: float, gloss: tuple[float, float, float], strength: float
) -> None:
    image = picture_of(face, turn, gloss, strength)
    # There is something to be told: the lamp has wiped out a part of the card.
    assert (image.min(axis=2) >= 250).mean() > 0.02
    verdict = lit().judge(Pyramid(image), corners_of(turn), WHITE)
    assert verdict.is_certain()
    assert deck().faces[verdict.face].id == face


@pytest.mark.parametrize(("face", "turn", "gloss", "strength"), GLARING)
def test_the_readers_of_pictures_and_of_play_name_it(
    face: str, turn: float, gloss: tuple[float, float, float], strength: float
) -> None:
    image = picture_of(face, turn, gloss, strength)
    assert [card.face.id for card in PrintReader(deck()).read(image, table()).cards if card.face] == [face]
    cards = CardSearch(deck()).cards(image, table(), (0, 0, *SIZE), WHITE)
    assert [card.print.id for card in cards if card.reason is None] == [face]


@settings(max_examples=60)
@given(
    face=st.sampled_from([f"{colour}-{mood}" for colour in COLOURS for mood in ("happy", "sad")]),
    turn=st.floats(-20, 20),
    gloss=st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 0.8)),
    strength=st.floats(0, 4),
    off=st.tuples(st.floats(-3, 3), st.floats(-3, 3)),
)
def test_whatever_mirrors_in_it_a_card_is_never_told_to_be_another_one(
    face: str, turn: float, gloss: tuple[float, float, float], strength: float, off: tuple[float, float]
) -> None:
    image = picture_of(face, turn, gloss, strength)
    verdict = lit().judge(Pyramid(image), corners_of(turn) + off, WHITE)
    assert deck().faces[verdict.face].id == face or not verdict.is_certain(verdict.face)


@pytest.mark.parametrize(("face", "turn", "gloss", "strength"), GLARING)
def test_of_a_deck_that_lacks_a_face_nothing_is_told_by_its_own_light(
    face: str, turn: float, gloss: tuple[float, float, float], strength: float
) -> None:
    """What is wiped out of a hat may have been one that nobody taught."""
    image = picture_of(face, turn, gloss, strength)
    assert not PrintReader(deck(face)).read(image, table()).cards
    cards = CardSearch(deck(face)).cards(image, table(), (0, 0, *SIZE), WHITE)
    assert not [card for card in cards if card.reason is None]


@settings(max_examples=40)
@given(
    face=st.sampled_from([f"{colour}-{mood}" for colour in COLOURS for mood in ("happy", "sad")]),
    open_share=st.floats(0.12, 0.45),
    gloss=st.tuples(st.floats(0, 1), st.floats(0.6, 1), st.floats(0.1, 0.6)),
    strength=st.floats(0, 3),
)
def test_of_a_strip_no_other_face_is_told(
    face: str, open_share: float, gloss: tuple[float, float, float], strength: float
) -> None:
    image = picture_of(face, 0.0, gloss, strength)
    corners = corners_of(0.0)
    over = corners.copy()
    over[:2, 1] -= 20
    over[2:, 1] -= open_share * (corners[2, 1] - corners[1, 1])
    image = np.asarray(cv2.fillConvexPoly(image.copy(), np.rint(over).astype(np.int32), (60, 80, 90)), np.uint8)
    verdict = lit().judge(Pyramid(image), corners, WHITE, Covers(over[None]))
    assert verdict.in_sight <= open_share + 0.05
    assert deck().faces[verdict.face].id == face or not verdict.is_certain(verdict.face)


def test_a_deck_is_complete_where_no_face_seems_to_be_missing() -> None:
    assert deck().is_complete
    assert not deck("red-happy").is_complete
    art = np.full((174, 112, 3), 255, np.uint8)
    nameless = Print("a", "front", {}, art)
    assert not PrintDeck("nameless", CARD_MM, (nameless,)).is_complete
    assert not PrintDeck("back alone", CARD_MM, (Print("back", "back", {}, art),)).is_complete
    assert PrintDeck("counted", CARD_MM, (Print("a", "front", {}, art, count=3),)).is_complete
    kinds = (Print("j", "front", {"kind": "joker"}, art), Print("r", "front", {"kind": "colour", "colour": "red"}, art))
    assert PrintDeck("kinds", CARD_MM, kinds).is_complete


def test_a_deck_of_ranks_and_suits_is_complete_though_some_cards_mean_something_beside() -> None:
    art = np.full((174, 112, 3), 255, np.uint8)
    named = [{"rank": rank, "suit": suit} for rank in "89" for suit in ("coin", "moon")]
    named[0] |= {"kind": "colour", "colour": "coin"}
    named[3] |= {"kind": "joker"}
    faces = tuple(Print(f"{told['rank']}-{told['suit']}", "front", told, art) for told in named)
    assert PrintDeck("everdeck", CARD_MM, faces).is_complete
    assert not PrintDeck("without a card", CARD_MM, faces[1:]).is_complete


@pytest.mark.parametrize("in_part", [False, True])
def test_stray_print_and_bent_colours_are_not_forgiven_at_once(in_part: bool) -> None:
    """A face of a neighbouring colour that nobody taught has a little of both."""
    stray = LitVerdict(0, np.zeros((4, 2)), 200.0, 200.0, 0.1, 0.045, 0.9, 0.4, in_part)
    bent = replace(stray, stray=0.0, bent=0.9 if in_part else 2.0)
    assert stray.is_certain(0) and bent.is_certain(0)
    assert not replace(stray, bent=1.3).is_certain(0)
