"""Cards are looked for in parts of a picture: what a part leaves out is nothing that lies on a card."""

from __future__ import annotations

import numpy as np
import pytest

from referee.decks.finding import find_print_deck
from tests.support.drawn_columns import as_seen, grained_table, lay_column
from vision.prints.card_search import CardSearch


@pytest.mark.parametrize("top_px", [64, 68, 72, 76, 80, 90])
def test_strips_at_the_edge_of_a_part_are_not_told_as_a_card_that_goes_on_beyond_it(top_px: int) -> None:
    deck = find_print_deck("coloretto")
    image, table = grained_table()
    lay_column(image, deck, ("blue", "blue", "blue"), 18, (0, 2, -1))
    found = CardSearch(deck).cards(as_seen(image), table, (150, top_px, 500, 400), None)
    told = [card.centre_mm for card in found if card.reason is None]
    # Only the front card lies open.
    assert np.allclose(told, [(203.5, 126)], atol=3)
