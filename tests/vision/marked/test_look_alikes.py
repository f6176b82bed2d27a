"""Marks that may be what a card leaves of larger ones."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.flat_cards import poses
from vision.deck import Deck
from vision.marked.look_alikes import may_be_larger, same_pair_as
from vision.marked.scoring import SURE, Verdicts
from vision.marked.side_model import side_models


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


@pytest.mark.parametrize(
    ("faces", "marks", "first", "bared", "doubtful"),
    [
        ((32, 72), (0, 1, -1), 8.0, -6.0, True),
        ((32, 72), (1, 0, -1), 8.0, -6.0, True),  # the same patches, whichever is whose
        ((32, 72), (0, 1, -1), 8.0, -1.0, False),  # something else than bare ground speaks against the other one
        ((32, 72), (0, 1, -1), 2.0, -6.0, False),
        ((32, 72), (0, 2, -1), 8.0, -6.0, False),
        ((32, 72), (0, -1, -1), 8.0, -6.0, False),
        ((32, 32), (0, 1, -1), 8.0, -6.0, False),
    ],
)
def test_a_face_that_has_the_same_two_marks_leaves_a_doubt_unless_more_than_bare_ground_speaks_against_it(
    deck: Deck, faces: tuple[int, int], marks: tuple[int, int, int], first: float, bared: float, doubtful: bool
) -> None:
    """Beneath another white card a mark is hidden, and ground shows in its place: one of 3,000 was told as another."""
    found = poses(faces, [0.0, 1.0], [(0.0, 0.0), (40.0, 0.0)])
    found.marks[:] = (0, 1, -1), marks
    terms = {"first": np.array([SURE + 1, first]), "bared": np.array([0.0, bared])}
    verdicts = Verdicts(side_models(deck)["white"].layouts, found, np.array([6.0, -1.0]), terms)
    assert same_pair_as(verdicts)[0] == doubtful
