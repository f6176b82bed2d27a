"""What is told of cards that lie under others, and what is bare table between them."""

from __future__ import annotations

import numpy as np

from tests.support.drawn_columns import SCALE, as_seen, grained_table
from vision.prints.columns import Columns
from vision.prints.doubts import Doubts
from vision.prints.print_deck import Print, PrintDeck
from vision.prints.proposals import edges_on
from vision.prints.side_lines import lines_of
from vision.prints.verdict import Verdict

CARD_MM = (63.0, 88.0)
WIDE, TALL = (side * SCALE for side in CARD_MM)


def _sheet(left: float, top: float) -> np.ndarray:
    return np.array([[left, top], [left + WIDE, top], [left + WIDE, top + TALL], [left, top + TALL]])


def _deck() -> PrintDeck:
    art = np.full((176, 126, 3), 245, np.uint8)
    art[12:-12, 12:-12] = (40, 40, 190)
    return PrintDeck("red", CARD_MM, (Print("red", "front", {}, art),))


def _strip_with(evidence: float) -> tuple[Verdict, np.ndarray]:
    """A card of which the first two of twenty columns of cells are open."""
    cells = np.zeros((30, 20), bool)
    cells[:, :2] = True
    odds = np.where(cells, evidence / cells.sum(), 0).astype(np.float32)
    nothing = np.zeros_like(cells)
    return Verdict(0, None, 60.0, _sheet(0, 0), _sheet(0, 0), cells, cells, nothing, nothing, odds), cells


def test_the_table_in_a_gap_between_two_cards_has_no_side_of_its_own_and_a_strip_of_a_card_has() -> None:
    image, table = grained_table()
    deck = _deck()
    left, gap = 100, round(9 * SCALE)
    for at in (left, left + round(WIDE) + gap):
        image[200 : 200 + round(TALL), at : at + round(WIDE)] = 235
    # A third card sticks out to the right from under the second one.
    under = left + round(WIDE) + gap + round(12 * SCALE)
    image[200 : 200 + round(TALL), left + 2 * round(WIDE) + gap : under + round(WIDE)] = 235
    columns = Columns(edges_on(as_seen(image), table, CARD_MM), CARD_MM, lines_of(deck))
    cards = np.array([_sheet(left, 200), _sheet(left + round(WIDE) + gap, 200)])
    assert columns.own_sides(_sheet(left + gap, 220), cards, cards) < 0.2
    assert columns.own_sides(_sheet(under, 200), cards, cards) > 0.6


def test_what_shows_no_side_of_its_own_needs_more_that_speaks_for_it() -> None:
    for evidence, own_sides, bare in ((60.0, 0.0, True), (60.0, 0.9, False), (200.0, 0.0, False)):
        verdict, cells = _strip_with(evidence)
        assert Doubts.may_be_bare(verdict, cells, own_sides) == bare
    verdict, _ = _strip_with(60.0)
    assert not Doubts.may_be_bare(verdict, np.ones((30, 20), bool), 0.0)
