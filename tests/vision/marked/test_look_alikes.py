"""Marks that may be what a card leaves of larger ones."""

from __future__ import annotations

import numpy as np
import pytest
from flat_cards import poses

from vision.marked.look_alikes import may_be_larger


@pytest.mark.parametrize(
    ("shown", "arc", "rim", "spilt", "larger"),
    [
        (0.5, False, 0.5, 0.0, True),
        (0.5, False, 0.9, 0.0, False),
        (0.5, True, 0.6, 0.27, True),
        (0.5, True, 0.6, 0.05, False),
        (1.5, True, 0.6, 0.27, False),  # a finger beside it has its colour, but no card covers it
    ],
)
def test_a_mark_that_a_card_cuts_must_show_its_own_rim(
    shown: float, arc: bool, rim: float, spilt: float, larger: bool
) -> None:
    found = poses([0], [0.0], [(0.0, 0.0)])
    found.marks[0] = (0, 1, -1)
    by_card, arcs, rims, beyond = np.full((1, 3), 2.0), np.zeros((1, 3), bool), np.ones((1, 3)), np.zeros((1, 3))
    by_card[0, 1], arcs[0, 1], rims[0, 1], beyond[0, 1] = shown, arc, rim, spilt
    assert may_be_larger(found, by_card, arcs, rims, beyond, np.array([0.6])).tolist() == [larger]
