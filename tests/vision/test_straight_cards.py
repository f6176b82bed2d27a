"""A card's own paper as the white by which its print is learned."""

import cv2
import numpy as np
import pytest

from vision.teaching.straight_cards import level


def _card(paper: tuple[float, float, float]) -> np.ndarray:
    card = np.full((196, 126, 3), paper, np.float32)
    card *= np.linspace(0.8, 1.0, 126, dtype=np.float32)[None, :, None]
    cv2.ellipse(card, (63, 98), (40, 22), 0, 0, 360, (0.3, 0.15, 0.35), 5)
    return card


@pytest.mark.parametrize("paper", [(0.8, 0.76, 0.77), (0.66, 0.66, 0.7)])
def test_paper_comes_out_white_where_no_marker_card_tells_the_lamp(paper: tuple[float, float, float]) -> None:
    learned = level(_card(paper), known_white=False)
    assert np.abs(learned[10:40, 10:110] - 1).max() < 0.03
    assert learned[98, 23].max() < 0.75  # the line is dark still


def test_cream_paper_stays_cream_where_marker_cards_tell_the_lamp() -> None:
    learned = level(_card((0.88, 0.95, 0.96)), known_white=True)
    assert np.abs(learned[10:40, 10:110] - (0.88, 0.95, 0.96)).max() < 0.03


def test_a_card_full_of_paint_is_left_as_it_is() -> None:
    card = np.full((196, 126, 3), (0.2, 0.6, 0.7), np.float32)
    assert (level(card, known_white=False) == card).all()


@pytest.mark.parametrize("known_white", [True, False])
@pytest.mark.parametrize("grey", [0.72, 0.8])
def test_a_grey_panel_in_the_middle_is_print_and_no_shadow(grey: float, known_white: bool) -> None:
    card = np.full((196, 126, 3), 0.95, np.float32)
    card[35:140, 28:100] *= grey
    card *= np.linspace(0.85, 1.0, 126, dtype=np.float32)[None, :, None]
    learned = level(card, known_white=known_white)
    paper = learned[5:30, 5:120].mean()
    assert abs(learned[45:130, 38:90].mean() / paper - grey) < 0.03
    assert np.ptp(learned[5:30, 5:120].mean(axis=(0, 2))) < 0.05  # and the slope of the light is taken off
