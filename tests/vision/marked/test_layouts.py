"""Three marks name a card by their distances alone, at any pose; two leave a few to choose from."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.flat_cards import confetti, poses, seen_all, true_marks
from vision.deck import Deck
from vision.marked.layouts import (
    Layouts,
    common_stretch,
    concatenated,
    layouts_of,
    no_cards,
    part_cards,
    posed,
    whole_cards,
)
from vision.marked.marks import Marks
from vision.render_face import mark_outline_mm

SLACK_MM = 1.6

sides = st.sampled_from(["white", "black"])
angles = st.floats(-math.pi, math.pi)
places = st.tuples(st.floats(-500, 500), st.floats(-500, 500))


@cache
def layouts(side: str) -> Layouts:
    return layouts_of(confetti(), side)


def free(marks: Marks) -> NDArray[np.bool_]:
    return np.ones(len(marks), dtype=bool)


def spread_out(layouts: Layouts, seed: int) -> tuple[Marks, list[float], list[tuple[float, float]]]:
    """All faces of a side, so far apart that no two share a triangle of marks, each turned anyhow."""
    random = np.random.default_rng(seed)
    n = len(layouts.faces)
    turns = random.uniform(-math.pi, math.pi, n).tolist()
    shifts = [(300.0 * (k % 10), 300.0 * (k // 10)) for k in range(n)]
    return true_marks(layouts, poses(range(n), turns, shifts)), turns, shifts


@settings(max_examples=4)
@given(side=sides, seed=st.integers(0, 10_000), noise=st.floats(0, 0.15), stretch=st.floats(0.985, 1.015))
def test_every_face_is_found_from_its_three_marks_at_any_pose(
    side: str, seed: int, noise: float, stretch: float
) -> None:
    known = layouts(side)
    marks, turns, shifts = spread_out(known, seed)
    random = np.random.default_rng(seed)
    centres = marks.centres_mm * stretch + random.normal(0, noise, (len(marks), 2))
    seen = Marks(side, centres, centres, marks.areas_mm2, marks.px_per_mm, marks.fullness)
    found, stretches = whole_cards(known, seen, SLACK_MM, free(seen), 0.05)
    own = found.take((found.marks == 3 * found.faces[:, None] + np.arange(3)).all(1))
    assert sorted(own.faces.tolist()) == list(range(len(known.faces)))
    order = np.argsort(own.faces)
    gap = np.angle(np.exp(1j * (own.turn[order] - np.array(turns))))
    assert np.abs(gap).max() < 0.06
    assert own.shift_mm[order] == pytest.approx(np.array(shifts) * stretch, abs=4)
    assert own.residual_mm.max() < 1
    assert len(stretches) == len(found)
    assert common_stretch(stretches, found.residual_mm) == pytest.approx(stretch, abs=0.006)


@pytest.mark.parametrize("side", ["white", "black"])
def test_no_two_faces_look_alike(side: str) -> None:
    known = layouts(side)
    marks, _, _ = spread_out(known, 3)
    found, _ = whole_cards(known, marks, 0.5, free(marks), 0.005)
    assert sorted(found.faces.tolist()) == list(range(len(known.faces)))


@pytest.mark.parametrize("side", ["white", "black"])
def test_mirror_images_are_refused(side: str) -> None:
    known = layouts(side)
    marks, _, _ = spread_out(known, 4)
    mirrored = marks.centres_mm * (-1, 1)
    seen = Marks(side, mirrored, mirrored, marks.areas_mm2, marks.px_per_mm, marks.fullness)
    found, _ = whole_cards(known, seen, 0.5, free(seen), 0.005)
    # A nearly straight row of marks is its own mirror image: only its colours and shapes can tell.
    assert (np.abs(known.turns[found.faces]) < 30).all()
    assert len(found) < 0.1 * len(known.faces)


@settings(max_examples=20)
@given(side=sides, face=st.integers(0, 83), turn=angles, place=places, lost=st.integers(0, 2))
def test_two_marks_leave_the_face_among_few(
    side: str, face: int, turn: float, place: tuple[float, float], lost: int
) -> None:
    known = layouts(side)
    marks = true_marks(known, poses([face], [turn], [place]))
    visible = free(marks)
    visible[lost] = False
    anything = np.ones((3, len(known.faces), 3), dtype=bool)
    found = part_cards(known, marks, 1.2, visible, anything)
    own = found.take(found.faces == face)
    assert len(own) == 1
    expected = np.arange(3)
    expected[lost] = -1
    assert own.marks[0].tolist() == expected.tolist()
    assert len(set(found.faces.tolist())) < 0.6 * len(known.faces)
    # With its colours known, nothing but faces that bear them stays.
    bears = np.zeros_like(anything)
    bears[:, face] = True
    assert set(part_cards(known, marks, 1.2, visible, bears).faces.tolist()) == {face}


def test_three_marks_that_lie_right_may_be_rounder_than_printed_and_two_may_not() -> None:
    known = layouts("black")
    face = int(np.flatnonzero(known.fullness[:, 0] < 0.6)[0])
    true = true_marks(known, poses([face], [0.4], [(10.0, 20.0)]))
    # At a pixel a millimetre a small crescent has lost its horns.
    marks = replace(true, fullness=true.fullness + np.array([0.15, 0.0, 0.0]))
    whole, _ = whole_cards(known, marks, SLACK_MM, free(marks))
    assert face in whole.faces
    parts = part_cards(known, marks, SLACK_MM, free(marks), np.ones((3, len(known.faces), 3), dtype=bool))
    assert face in parts.faces
    assert not (parts.marks[parts.faces == face] == 0).any()


@settings(max_examples=20)
@given(side=sides, face=st.integers(0, 83), turn=angles, place=places)
def test_poses_fit_exactly(side: str, face: int, turn: float, place: tuple[float, float]) -> None:
    known = layouts(side)
    card = poses([face], [turn], [place])
    marks = true_marks(known, card)
    fitted = posed(known, marks, card.faces, seen_all(card).marks)
    assert fitted.residual_mm[0] == pytest.approx(0, abs=1e-6)
    assert np.angle(np.exp(1j * (fitted.turn[0] - turn))) == pytest.approx(0, abs=1e-6)
    assert fitted.shift_mm[0] == pytest.approx(place, abs=1e-4)
    assert fitted.to_table(known.centres_mm[[face]])[0] == pytest.approx(marks.centres_mm, abs=1e-4)


@pytest.mark.parametrize("side", ["white", "black"])
def test_centres_and_areas_are_those_of_the_printed_outlines(deck: Deck, side: str) -> None:
    known = layouts(side)
    for index, face in enumerate(known.faces):
        for size, mark in enumerate(face.marks):
            low, high = mark_outline_mm(deck, mark).min(axis=0), mark_outline_mm(deck, mark).max(axis=0)
            assert (known.centres_mm[index, size] > low).all() and (known.centres_mm[index, size] < high).all()
            if mark.shape == "circle":
                assert known.areas_mm2[index, size] == pytest.approx(math.pi * mark.diameter_mm**2 / 4, rel=0.005)
                assert known.fullness[index, size] == pytest.approx(1, abs=0.01)
            else:
                assert known.areas_mm2[index, size] < math.pi * mark.diameter_mm**2 / 4
                assert 0.2 < known.fullness[index, size] < 1
    low, high = known.area_range_mm2
    assert low < known.areas_mm2.min() and high > known.areas_mm2.max()


def test_nothing_found_is_no_card() -> None:
    known = layouts("white")
    marks = true_marks(known, no_cards())
    found, stretches = whole_cards(known, marks, SLACK_MM, free(marks))
    assert len(found) == len(stretches) == 0
    assert len(part_cards(known, marks, 1.2, free(marks), np.ones((0, len(known.faces), 3), dtype=bool))) == 0
    assert common_stretch(np.zeros(0), np.zeros(0)) == 1
    assert len(concatenated([no_cards(), no_cards()])) == 0


def test_the_stretch_of_most_cards_wins_over_a_few_others() -> None:
    assert common_stretch(np.array([1.02, 1.021, 1.019, 0.97]), np.full(4, 0.1)) == pytest.approx(1.02, abs=0.001)
