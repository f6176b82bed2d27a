"""What shows of a round mark that something touches or hides in part still says where its middle is."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.flat_cards import flat_table, lay
from vision.deck import Deck
from vision.marked.cut_marks import cut_marks, radii_of
from vision.marked.foreground import find_foregrounds
from vision.marked.marks import Marks, find_marks, work_image
from vision.marked.side_model import side_models

Image = NDArray[np.uint8]

SIZE = (420, 340)
PX_PER_MM = 1.7
AT = (120.0, 60.0)
TABLE, SKIN = (96, 120, 60), (70, 95, 150)
NOTHING = np.zeros((0, 4, 2))


@dataclass(frozen=True, eq=False)
class Found:
    """The whole marks and the cut ones."""

    whole: Marks
    cut: Marks


def card(deck: Deck, index: int) -> Image:
    picture = np.empty((SIZE[1], SIZE[0], 3), np.uint8)
    picture[:] = TABLE
    lay(picture, deck, deck.side("white")[index], AT, 0.0, PX_PER_MM)
    return picture


def found_in(picture: Image, deck: Deck, known_px: NDArray[np.float64] = NOTHING, doubted: bool = False) -> Found:
    layouts = side_models(deck)["white"].layouts
    table, work = flat_table(SIZE, PX_PER_MM), work_image(picture, PX_PER_MM)
    areas, scale = layouts.area_range_mm2, PX_PER_MM * work.scale
    foreground, _ = find_foregrounds(work, "white", areas, scale)
    whole = find_marks(work, table, foreground, "white", areas, scale)
    doubtful = np.full(len(whole), doubted)
    cut, _ = cut_marks(work, table, foreground, known_px, None, whole, doubtful, radii_of(layouts))
    return Found(whole, cut)


def true_middles(deck: Deck, index: int) -> NDArray[np.float64]:
    """(3, 2) middles of the small, the medium and the big mark in px."""
    return np.asarray(side_models(deck)["white"].layouts.centres_mm[index] * PX_PER_MM + AT)


def fingertip(picture: Image, middle: NDArray[np.float64], radius_px: float) -> None:
    """Lay a finger from the left over a third of a mark's width."""
    x, y = (round(float(v)) for v in middle - (radius_px * 0.9, 0))
    cv2.line(picture, (0, y), (x - 11, y), SKIN, 23, cv2.LINE_AA)


def test_the_radii_are_those_of_the_round_marks(deck: Deck) -> None:
    assert radii_of(side_models(deck)["white"].layouts) == pytest.approx([14.0, 9.5, 6.0], abs=0.1)
    assert len(radii_of(side_models(deck)["black"].layouts)) == 0


@pytest.mark.parametrize("index", range(0, 84, 4))
def test_a_mark_that_a_finger_touches_is_found_where_it_is(deck: Deck, index: int) -> None:
    picture, middles = card(deck, index), true_middles(deck, index)
    size = int(middles[:, 0].argmin())  # the finger comes from the left and touches no other mark
    if size == 0:
        size = 1 + int(np.abs(middles[1:, 1] - middles[0, 1]).argmax())
    radius_px = PX_PER_MM * float(radii_of(side_models(deck)["white"].layouts)[2 - size])
    fingertip(picture, middles[size], 0.6 * radius_px)
    found = found_in(picture, deck)
    assert np.linalg.norm(found.whole.centres_px - middles[size], axis=1).min(initial=99.0) > 1.0
    off = np.linalg.norm(found.cut.centres_px - middles[size], axis=1)
    assert off.min(initial=99.0) < 0.8 * PX_PER_MM
    assert found.cut.areas_mm2[off.argmin()] == pytest.approx(np.pi * (radius_px / PX_PER_MM) ** 2, rel=0.01)


def test_whole_marks_are_not_found_twice(deck: Deck) -> None:
    found = found_in(card(deck, 5), deck)
    assert len(found.whole) == 3
    assert len(found.cut) == 0


def test_what_lies_within_a_known_card_is_left_alone(deck: Deck) -> None:
    picture, middles = card(deck, 5), true_middles(deck, 5)
    fingertip(picture, middles[2], 0.6 * 14.0 * PX_PER_MM)
    width, height = (side * PX_PER_MM for side in deck.card_mm)
    known = np.array([[AT, (AT[0] + width, AT[1]), (AT[0] + width, AT[1] + height), (AT[0], AT[1] + height)]])
    assert len(found_in(picture, deck, known).cut) == 0


@pytest.mark.parametrize("size", [1, 2])
def test_of_a_mark_that_a_straight_edge_cuts_the_middle_is_found_where_it_was_printed(deck: Deck, size: int) -> None:
    """What is left of it has the area of a mark, too, but its own middle."""
    picture, middle = card(deck, 5), true_middles(deck, 5)[size]
    radius_px = PX_PER_MM * float(radii_of(side_models(deck)["white"].layouts)[2 - size])
    x, y = (round(float(v)) for v in middle)
    cut = x + round(0.5 * radius_px)
    cv2.rectangle(picture, (cut, y - round(1.2 * radius_px)), (cut + 40, y + round(1.2 * radius_px)), (255,) * 3, -1)
    trusted, doubted = found_in(picture, deck), found_in(picture, deck, doubted=True)
    apart = np.linalg.norm(trusted.whole.centres_px - middle, axis=1).min()
    assert apart > 1.0 * PX_PER_MM
    assert np.linalg.norm(doubted.cut.centres_px - middle, axis=1).min(initial=99.0) < 0.6 * PX_PER_MM
    assert len(trusted.cut) == 0
    assert len(doubted.cut) == 1
