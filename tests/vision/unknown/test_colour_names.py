"""Colours have the names that people give them."""

from __future__ import annotations

import numpy as np
import pytest

from vision.unknown.colour_names import colour_name, lab_of_linear, linear_of_bgr


@pytest.mark.parametrize(
    ("red", "green", "blue", "name"),
    [
        (214, 38, 60, "red"),
        (255, 78, 95, "red"),
        (255, 99, 71, "red"),
        (255, 192, 203, "pink"),
        (244, 166, 176, "pink"),
        (255, 105, 180, "pink"),
        (245, 130, 32, "orange"),
        (255, 212, 0, "yellow"),
        (42, 157, 74, "green"),
        (31, 111, 196, "blue"),
        (123, 45, 142, "purple"),
        (139, 69, 19, "brown"),
        (20, 20, 22, "black"),
        (128, 128, 126, "grey"),
        (250, 250, 248, "white"),
    ],
)
def test_inks_have_the_names_that_people_give_them(red: int, green: int, blue: int, name: str) -> None:
    lightness, a, b = lab_of_linear(linear_of_bgr(np.array([[[blue, green, red]]], np.uint8)))[0, 0].tolist()
    assert colour_name((lightness, a, b)) == name
