"""Colours are judged by hue against the palette that the picture itself shows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulation.still import table_picture
from vision.deck import Deck
from vision.marked.colour import (
    NEUTRAL,
    Palette,
    fitted_palette,
    hue_deg,
    hue_gap,
    lamp_of,
    linear_of,
    linear_rgb,
    oklab,
    printed_palette,
)
from vision.marked.reader import table_in
from vision.markers import whites_of


@pytest.mark.parametrize(
    ("colour", "lab"),
    [
        ("#ffffff", (1.0, 0.0, 0.0)),
        ("#000000", (0.0, 0.0, 0.0)),
        ("#ff0000", (0.627955, 0.224863, 0.125846)),
        ("#00ff00", (0.866440, -0.233888, 0.179498)),
        ("#0000ff", (0.452014, -0.032457, -0.311528)),
    ],
)
def test_oklab_gives_its_published_values(colour: str, lab: tuple[float, float, float]) -> None:
    assert oklab(linear_rgb(colour)) == pytest.approx(lab, abs=1e-4)


@given(st.floats(0, 360), st.floats(-180, 179.9))
def test_hues_differ_the_short_way_round(hue: float, gap: float) -> None:
    assert hue_gap(np.array([(hue + gap) % 360]), np.array([hue]))[0] == pytest.approx(gap, abs=1e-6)


@given(st.lists(st.integers(0, 255), min_size=3, max_size=3), st.floats(0.05, 1))
def test_a_dimmer_light_leaves_the_hue(levels: list[int], dim: float) -> None:
    rgb = np.array(levels) / 255
    lab = oklab(rgb)
    if np.hypot(lab[1], lab[2]) > 0.02:
        assert abs(hue_gap(hue_deg(oklab(rgb * dim)), hue_deg(lab))) < 0.01


@pytest.mark.parametrize("side", ["white", "black"])
def test_every_printed_colour_is_likeliest_under_itself(deck: Deck, side: str) -> None:
    palette = printed_palette(deck, side)
    likelihood = palette.likelihood(palette.hues_deg, np.full(len(palette.names), 5.0))
    assert likelihood.argmax(axis=1).tolist() == list(range(len(palette.names)))
    rival = np.sort(likelihood, axis=1)
    assert (rival[:, -1] > 2 * rival[:, -2]).all()


@pytest.mark.parametrize("spread", [2.0, 20.0])
def test_likelihood_is_a_density_round_the_circle(deck: Deck, spread: float) -> None:
    palette = printed_palette(deck, "white")
    hues = np.arange(0, 360, 0.5)
    total = palette.likelihood(hues, np.full(len(hues), spread)).sum(axis=0) * 0.5
    assert total == pytest.approx(np.ones(len(palette.names)), abs=0.01)


def palette_of(hues: list[float]) -> Palette:
    return Palette(tuple("abcdef"[: len(hues)]), np.array(hues), np.full(len(hues), 13.0))


@given(st.lists(st.floats(-12, 12), min_size=6, max_size=6), st.floats(0, 360))
def test_marks_with_known_colours_teach_the_palette(shifts: list[float], start: float) -> None:
    printed = palette_of([(start + 60 * k) % 360 for k in range(6)])
    colours = np.repeat(np.arange(6), 8)
    seen = (printed.hues_deg[colours] + np.array(shifts)[colours]) % 360
    fitted = fitted_palette(printed, colours, seen)
    for colour, shift in enumerate(shifts):
        moved = hue_gap(fitted.hues_deg[colour : colour + 1], printed.hues_deg[colour : colour + 1])[0]
        assert moved == pytest.approx(shift, abs=0.12 * abs(shift) + 0.01)
    assert (fitted.sigmas_deg < printed.sigmas_deg).all()
    assert fitted.names == printed.names


def test_a_colour_nobody_showed_moves_with_its_neighbours() -> None:
    printed = palette_of([20.0, 60.0, 100.0, 250.0])
    colours = np.array([0] * 6 + [2] * 6)
    fitted = fitted_palette(printed, colours, printed.hues_deg[colours] + 10)
    moved = hue_gap(fitted.hues_deg, printed.hues_deg)
    assert 3 < moved[1] < 10
    assert abs(moved[3]) < 2
    assert fitted.sigmas_deg[[1, 3]].tolist() == [13.0, 13.0]


def test_one_odd_mark_teaches_nothing() -> None:
    printed = palette_of([20.0, 140.0, 260.0])
    fitted = fitted_palette(printed, np.array([0]), np.array([90.0]))
    assert fitted.hues_deg == pytest.approx(printed.hues_deg)
    assert fitted_palette(printed, np.zeros(0, np.intp), np.zeros(0)).hues_deg == pytest.approx(printed.hues_deg)


def test_one_liar_among_many_moves_nothing() -> None:
    printed = palette_of([20.0, 140.0, 260.0])
    fitted = fitted_palette(printed, np.zeros(7, np.intp), np.array([20.0] * 6 + [150.0]))
    assert fitted.hues_deg[0] == pytest.approx(20, abs=0.5)


@pytest.mark.parametrize("gains", [(1.0, 1.0, 1.0), (0.9, 0.7, 0.4), (0.5, 0.8, 0.9)])
def test_the_markers_white_tells_the_lamp(deck: Deck, gains: tuple[float, float, float]) -> None:
    """`gains`: of red, green and blue levels."""
    image, _ = table_picture(deck, 0, seed=4, size=(1280, 720))
    lit = np.asarray(np.rint(image * np.array(gains[::-1])), np.uint8)
    before, lamp = (lamp_of(whites_of(picture, table_in(picture)[1])) for picture in (image, lit))
    expected = before * linear_of(255 * np.array(gains))
    assert lamp == pytest.approx(expected / expected.max(), abs=0.03)


@pytest.mark.parametrize("level", [255, 12])
def test_white_that_is_clipped_or_in_the_dark_tells_no_lamp(level: int) -> None:
    assert (lamp_of(np.full((4, 3), level)) == NEUTRAL).all()
    assert (lamp_of(np.zeros((0, 3))) == NEUTRAL).all()
