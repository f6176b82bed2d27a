"""The closer look: what it looks at, and that it settles cards of which one mark and parts of others show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.flat_cards import poses
from vision.deck import Deck
from vision.marked.closer_look import MOST_LOOKS, WORTH_A_LOOK, judged_again, not_refuted, worth_a_look
from vision.marked.layouts import Hypotheses
from vision.marked.scoring import LOOKED_AT, SURE, Verdicts
from vision.marked.settle import left_open, told_of
from vision.marked.side_model import side_models
from vision.marked.traces import Traces


def first_look(
    deck: Deck,
    odds: list[float],
    places: list[tuple[float, float]],
    faces: list[int] | None = None,
    marks: int = 1,
    searched: float = 0.0,
) -> Verdicts:
    """Cards that lie straight, each with as many marks of its own as said."""
    count = len(odds)
    bare = poses(faces or [4] * count, [0.0] * count, places)
    seen = np.full((count, 3), -1, np.intp)
    seen[:, :marks] = np.arange(count * marks).reshape(count, marks)
    found = Hypotheses(bare.faces, seen, bare.turn, bare.shift_mm, bare.residual_mm)
    terms = {
        name: np.full(count, value) for name, value in zip(LOOKED_AT, (3.0, 0.0, 0.5, 1.0, searched, 0.0), strict=True)
    }
    return Verdicts(side_models(deck)["white"].layouts, found, np.array(odds), terms)


def shown(edges: float, whole: float, others: float, bare: float, opened: float = 1.0, exact: float = 0.9) -> Traces:
    """One card: the same share of two adjoining sides, of its small mark's rim and of the other marks' rims.

    `opened` is the share of the small mark's rim that no known card covers; `exact`, of all that shows, what lies just
    where it should.
    """
    none = np.zeros((1, 3))
    return Traces(
        edge_open=np.array([[edges, edges, 0.0, 0.0]]),
        edge_seen=np.array([[edges, edges, 0.0, 0.0]]),
        rim_seen=np.array([[whole, others, others]]),
        rim_cut=none,
        rim_spilt=none,
        rim_bare=np.array([[0.0, bare, bare]]),
        rim_open=np.array([[opened, 1.0, 1.0]]),
        edge_void=np.zeros((1, 4)),
        edge_exact=exact * np.array([[edges, edges, 0.0, 0.0]]),
        rim_exact=exact * np.array([[whole, others, others]]),
    )


def test_of_poses_that_hardly_differ_the_best_is_looked_at(deck: Deck) -> None:
    first = first_look(deck, [1.0, 3.0, 2.0, WORTH_A_LOOK - 1], [(0, 0), (1, 1), (200, 0), (400, 0)])
    assert worth_a_look(first).log_odds.tolist() == [3.0, 2.0]


def test_other_faces_in_the_same_place_are_all_looked_at(deck: Deck) -> None:
    assert len(worth_a_look(first_look(deck, [1.0, 3.0], [(0, 0), (0, 0)], [4, 5])).hypotheses) == 2


def test_no_heap_takes_forever(deck: Deck) -> None:
    count = 3 * MOST_LOOKS
    chosen = worth_a_look(first_look(deck, np.linspace(0, 5, count).tolist(), [(90.0 * k, 0) for k in range(count)]))
    assert len(chosen.hypotheses) == MOST_LOOKS
    assert chosen.log_odds.min() > 3


def test_two_edges_one_mark_and_parts_of_the_others_make_a_card(deck: Deck) -> None:
    first = first_look(deck, [2.0], [(0, 0)])
    assert judged_again(first, shown(0.7, 1.0, 0.3, 0.0)).sure.all()


@pytest.mark.parametrize(
    ("edges", "whole", "others", "bare"), [(0.7, 1.0, 0.05, 0.9), (0.1, 1.0, 0.05, 0.1), (0.4, 0.2, 0.1, 0.0)]
)
def test_bare_marks_missing_edges_and_a_poor_rim_speak_against(
    deck: Deck, edges: float, whole: float, others: float, bare: float
) -> None:
    assert not judged_again(first_look(deck, [2.0], [(0, 0)]), shown(edges, whole, others, bare)).sure.any()


def test_what_the_first_look_was_sure_of_must_show_its_contours(deck: Deck) -> None:
    """A hand over a crescent may leave what has another mark's area, and two such marks may lie right by chance."""
    for marks in (1, 2):
        first = first_look(deck, [SURE + 5], [(0, 0)], marks=marks)
        assert judged_again(first, shown(0.7, 1.0, 0.5, 0.0)).sure.all()
        assert not judged_again(first, shown(0.4, 0.3, 0.0, 0.0)).sure.any()


def test_contours_must_lie_where_the_card_has_them(deck: Deck) -> None:
    """Another face that was moved until some contour is near has the rest of them a millimetre beside."""
    for marks in (1, 2):
        first = first_look(deck, [2.0], [(0, 0)], marks=marks)
        assert judged_again(first, shown(0.7, 1.0, 0.3, 0.0)).sure.all()
        assert not judged_again(first, shown(0.7, 1.0, 0.3, 0.0, exact=0.2)).sure.any()


def test_a_lone_mark_of_another_colour_makes_no_card(deck: Deck) -> None:
    """Two faces may have their small marks in one place, an orange and a red one; all else was covered in a heap."""
    first, own = first_look(deck, [SURE + 1], [(0, 0)]), shown(0.7, 0.9, 0.0, 0.0)
    another = replace(own, rim_seen=np.array([[0.05, 0.0, 0.0]]))
    assert judged_again(first, own).sure.all()
    assert not judged_again(first, another).sure.any()


def test_where_the_table_shows_within_its_sides_there_is_no_card(deck: Deck) -> None:
    """Half a mark and the corner beside it may be another face's that lies across, but for where that would go on."""
    first, traces = first_look(deck, [2.0], [(0, 0)]), shown(0.6, 0.9, 0.1, 0.0)
    across = replace(traces, edge_void=np.array([[0.7, 0.2, 0.0, 0.1]]))
    assert judged_again(first, traces).sure.all()
    assert not judged_again(first, across).sure.any()


def test_coins_on_a_grey_table_are_no_doubtful_card(deck: Deck) -> None:
    """All round them there is table, and their rims are no print; a printed mark stays a doubt."""
    first = first_look(deck, [3.0], [(0, 0)])
    coin = judged_again(first, shown(0.3, 0.3, 0.0, 1.0))
    assert not len(not_refuted(coin).hypotheses)
    printed = not_refuted(judged_again(first, shown(0.1, 0.9, 0.0, 0.4)))
    assert printed.log_odds.tolist() == [3.0]
    assert len(not_refuted(first.take(np.zeros(1, dtype=bool))).hypotheses) == 0


def test_grain_without_a_rim_makes_no_card_whatever_the_first_look_was_sure_of(deck: Deck) -> None:
    first = first_look(deck, [SURE + 3], [(0, 0)], marks=2)
    grain = replace(shown(0.7, 0.1, 0.0, 0.0), rim_bare=np.array([[0.9, 0.9, 0.0]]))
    again = judged_again(first, grain)
    assert not again.sure.any()
    assert judged_again(first, replace(grain, rim_bare=np.zeros((1, 3)), rim_seen=np.ones((1, 3)))).sure.all()


def test_lamps_in_a_bell_make_no_card(deck: Deck) -> None:
    """The rim of a bell's dome is straight for a while, and the lamps in it may lie like two marks."""
    dome = shown(0.35, 0.05, 0.05, 0.0)
    assert not judged_again(first_look(deck, [SURE + 5], [(0, 0)], marks=2), dome).sure.any()


def test_a_doubt_is_never_sure(deck: Deck) -> None:
    again = judged_again(first_look(deck, [SURE + 3], [(0, 0)]), shown(0.7, 1.0, 0.3, 0.0))
    assert again.sure.all()
    assert not not_refuted(again).sure.any()


def test_a_card_that_is_told_closes_its_place_its_marks_and_its_face(deck: Deck) -> None:
    first = first_look(deck, [9.0, 3.0, 3.0, 3.0], [(0, 0), (5, 5), (300, 0), (300, 0)], [4, 5, 4, 6])
    told = told_of([first], deck, 0.0)
    assert told[0].hypotheses.faces.tolist() == [4]
    left = left_open([first], told, deck)[0]
    assert left.hypotheses.faces.tolist() == [6]
    left.hypotheses.marks[0, 0] = 0
    assert not len(left_open([left], told, deck)[0].hypotheses)


def test_a_rim_is_judged_by_what_known_cards_leave_open_of_it(deck: Deck) -> None:
    first = first_look(deck, [2.0], [(0, 0)])
    half_covered = judged_again(first, shown(0.7, 0.6, 0.2, 0.0, opened=0.6))
    assert half_covered.terms["rim"] == pytest.approx(1.0)
    assert half_covered.log_odds > judged_again(first, shown(0.7, 0.6, 0.2, 0.0)).log_odds + 1


def test_two_marks_count_for_more_where_both_are_printed(deck: Deck) -> None:
    first, edges = first_look(deck, [2.0], [(0, 0)], marks=2), shown(0.5, 1.0, 0.0, 0.0)
    both = replace(edges, rim_seen=np.array([[0.9, 0.9, 0.0]]))
    assert judged_again(first, both).sure.all()
    assert not judged_again(first, edges).sure.any()


def test_the_best_of_many_poses_needs_more_than_one_that_was_found(deck: Deck) -> None:
    traces = shown(0.45, 0.8, 0.1, 0.0)
    found = judged_again(first_look(deck, [2.0], [(0, 0)]), traces)
    searched = judged_again(first_look(deck, [2.0], [(0, 0)], searched=-2.0), traces)
    assert found.sure.all()
    assert not searched.sure.any()
    assert len(not_refuted(found).hypotheses) == 1
    assert len(not_refuted(searched).hypotheses) == 0
