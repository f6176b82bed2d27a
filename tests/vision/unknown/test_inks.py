"""What a mark's colour is called, by itself and among the others of its picture."""

from __future__ import annotations

import numpy as np
import pytest

from vision.unknown.inks import Ink, ink_of, names_together

RED, GREEN, ORANGE = (np.array(taken) for taken in ((0.1, 0.9, 0.88), (0.9, 0.5, 0.8), (0.02, 0.67, 0.95)))


def inks(*taken: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[Ink]:
    return [ink_of(one, solid=True) for one in taken]


def test_inks_by_themselves_have_their_names() -> None:
    assert [ink.name for ink in inks(RED, GREEN, ORANGE, np.full(3, 0.97), np.full(3, 0.5))] == [
        "red",
        "green",
        "orange",
        "black",
        "grey",
    ]


@pytest.mark.parametrize("faint", [np.array([0.34, 0.28, 0.33]), np.array([0.40, 0.34, 0.38])])
def test_a_faint_mark_is_what_others_of_its_hue_are(faint: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    (alone,) = names_together(inks(faint))
    assert alone in ("grey", "white")
    assert names_together(inks(faint, GREEN, RED)) == ["green", "green", "red"]
    assert names_together(inks(faint, RED)) == [alone, "red"]


def test_what_has_no_colour_gets_none_from_others() -> None:
    assert names_together(inks(np.full(3, 0.5), np.full(3, 0.97), RED, GREEN)) == ["grey", "black", "red", "green"]


def test_one_ink_in_changing_light_has_one_name_and_two_inks_have_two() -> None:
    turning = Ink("orange", (57.0, 40.0, 38.0), 0.9, solid=True)
    red = [Ink("red", (55.0, 66.0, 58.0), 0.9, solid=True)] * 3
    assert names_together([turning, *red]) == ["red"] * 4
    assert names_together([*inks(ORANGE), *inks(RED)]) == ["orange", "red"]
