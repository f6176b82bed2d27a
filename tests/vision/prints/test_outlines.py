"""Whole cards are found by closed outlines: their own, or that of a panel which all faces of a deck print."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from tests.support.flat_piles import Floats, Image, PileTable, bare, photographed, piccolino, pile
from tests.support.full_bleed_clowns import full_bleed_clowns
from vision.prints.outlines import Panel, card_outlines, panel_of, panels_cards
from vision.prints.print_deck import PrintDeck

SIZE = (1280, 720)
CAMERA = PileTable(SIZE)
PLACE = (0.0, 40.0, 12.0)
EVERYWHERE = (0, 0, *SIZE)


@cache
def framed() -> PrintDeck:
    return replace(piccolino(), frame_mm=None)


@cache
def panel() -> Panel:
    found = panel_of(framed())
    assert found is not None
    return found


def on_pile(*names: str, table: int = 0) -> tuple[Image, Floats]:
    """An untidy pile with the named cards on top, photographed, and the highest one's corners, px."""
    image = bare(np.random.default_rng(1), CAMERA, table)
    corners = pile(np.random.default_rng(2), image, CAMERA, PLACE, names, 5)
    return image, corners


def test_the_frame_that_all_faces_print_is_their_panel() -> None:
    width, height = framed().card_mm
    left, top, right, bottom = panel().box
    x, y, across, down = piccolino().frame
    measured = (left * width, top * height, right * width, bottom * height)
    assert measured == pytest.approx((x, y, x + across, y + down), abs=0.6)
    assert panel().size_mm == pytest.approx((across, down), abs=1.0)


def test_decks_without_white_round_their_print_or_with_one_face_that_differs_have_no_panel() -> None:
    assert panel_of(full_bleed_clowns()) is None
    first, *others = framed().faces
    plain = replace(first, art=np.full_like(first.art, 255))
    assert panel_of(replace(framed(), faces=(plain, *others))) is None
    shifted = replace(first, art=np.roll(first.art, 8, axis=0))
    assert panel_of(replace(framed(), faces=(shifted, *others))) is None


@pytest.mark.parametrize("top", ["yellow-happy", "black-sad", "back"])
def test_a_card_on_an_untidy_pile_of_its_like_is_found_by_its_panel(top: str) -> None:
    image, corners = on_pile("red-happy", "back", "green-sad", top)
    found = panels_cards(photographed(np.random.default_rng(3), image, 0.4), CAMERA.table, panel(), EVERYWHERE)
    # Nothing tells yet which of its ends is the upper one.
    apart = [min(np.abs(quad - np.roll(corners, turn, axis=0)).max() for turn in (0, 2)) for quad in found]
    assert min(apart) < 3


@pytest.mark.parametrize("table", [0, 1, 3])
def test_a_card_alone_on_a_table_is_found_by_its_own_outline(table: int) -> None:
    image, corners = on_pile("blue-sad", table=table)
    found = card_outlines(photographed(np.random.default_rng(3), image, 0.3), CAMERA.table, (63.0, 88.0), EVERYWHERE)
    assert min(np.abs(quad - np.roll(corners, turn, axis=0)).max() for quad in found for turn in range(4)) < 4


def test_a_frame_of_another_size_is_no_card() -> None:
    image = bare(np.random.default_rng(1), CAMERA, 0)
    cv2.rectangle(image, (400, 200), (620, 420), (255, 255, 255), -1)
    cv2.rectangle(image, (410, 210), (610, 410), (30, 30, 160), -1)
    assert len(panels_cards(image, CAMERA.table, panel(), EVERYWHERE)) == 0


def test_an_outline_as_long_as_one_likes_and_the_tiniest_picture_end_the_search() -> None:
    noise = np.random.default_rng(5).integers(0, 256, (SIZE[1], SIZE[0], 3)).astype(np.uint8)
    assert len(panels_cards(noise, CAMERA.table, panel(), EVERYWHERE)) == 0
    assert len(card_outlines(noise, CAMERA.table, (63.0, 88.0), (600, 300, 608, 308))) == 0
