"""Lines that a deck prints along its cards' sides: found on most faces, or not at all."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.prints.print_deck import Print, PrintDeck
from vision.prints.side_lines import lines_of


def _card(*panel_mm: float) -> NDArray[np.uint8]:
    """A white card of 60 × 90 mm with a pale panel: left, top, right and bottom."""
    art = np.full((180, 120, 3), 250, np.uint8)
    left, top, right, bottom = (round(2 * mm) for mm in panel_mm)
    art[top:bottom, left:right] = (230, 200, 180)
    return art


def _deck(*arts: NDArray[np.uint8]) -> PrintDeck:
    return PrintDeck("drawn", (60.0, 90.0), tuple(Print(str(k), "front", {}, art) for k, art in enumerate(arts)))


def test_the_sides_of_a_panel_are_lines_as_far_from_the_cards_sides_as_it_lies() -> None:
    short, long = lines_of(_deck(*[_card(10, 14, 46, 70)] * 3))
    # The first line is the side itself; middles go clockwise, so that the lower and the right one have another sign.
    told = [(line.within_mm, line.length_mm, line.middle_mm) for line in (*short[1:], *long[1:])]
    expected = [(14, 36, -2), (20, 36, 2), (14, 56, -3), (10, 56, 3)]
    assert sorted(told) == [pytest.approx(line, abs=0.6) for line in sorted(expected)]


def test_what_a_few_faces_print_is_no_line_of_the_deck() -> None:
    blank = _card(0, 0, 0, 0)
    short, long = lines_of(_deck(_card(10, 14, 46, 70), blank, blank))
    assert (len(short), len(long)) == (1, 1)


def test_stripes_all_over_are_few_lines() -> None:
    art = _card(0, 0, 0, 0)
    art[::6] = 0
    short, _ = lines_of(_deck(*[art] * 20))
    assert len(short) <= 1 + 2 * 4
