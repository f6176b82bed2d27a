"""White cards on white in thin shadows: among several found, three sides tell one more, or two and print."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.turned_card import turned_card
from vision.unknown.card_edges import fit_sides
from vision.unknown.card_plane import CardPlane
from vision.unknown.more_of_them import more_of_them
from vision.unknown.view import view_of

SIZE_WH = (1000, 700)
WIDTH, LENGTH = 110.0, 170.0
KNOWN = [(120, 140, 6), (330, 150, -12), (560, 150, 20), (800, 160, 4), (130, 460, -15), (360, 500, 8), (590, 520, -5)]
HIDDEN = (830, 470, 12)
FINE = 4
SHADOW, FAINT = (180, 182, 184), (203, 203, 204)
Picture = NDArray[np.uint8]


def card_at(x: float, y: float, degrees: float) -> NDArray[np.float32]:
    """Corners (4, 2), clockwise, of a card about (x, y)."""
    return turned_card((WIDTH, LENGTH), x, y, degrees)


def picture(
    shadows: tuple[int, ...], marked: bool = True, seed: int = 1, off: float = 0.0, known_off: float = 0.0
) -> Picture:
    """Cards as light as the table in thin shadows, (h, w, 3) BGR.

    The last one has them beside some sides only, and a trace beside the others. Its mark lies `off` its middle, in
    pixels, those of the others `known_off`.
    """
    random = np.random.default_rng(seed)
    scene = np.full((SIZE_WH[1] * FINE, SIZE_WH[0] * FINE, 3), 205, np.uint8)
    for place in (*KNOWN, HIDDEN):
        corners = np.rint(card_at(*place) * FINE).astype(int)
        for side in range(4):
            shade = SHADOW if place != HIDDEN or side in shadows else FAINT
            cv2.line(scene, corners[side].tolist(), corners[(side + 1) % 4].tolist(), shade, 6, cv2.LINE_AA)
        if place != HIDDEN or marked:
            middle = (place[0] * FINE, round((place[1] + (off if place == HIDDEN else known_off)) * FINE))
            cv2.ellipse(scene, middle, (25 * FINE, 40 * FINE), -place[2], 0, 360, (60, 60, 170), -1)
    small = cv2.GaussianBlur(cv2.resize(scene, SIZE_WH, interpolation=cv2.INTER_AREA), (0, 0), 0.8)
    return np.asarray(np.clip(small + random.normal(0, 1, small.shape), 0, 255), np.uint8)


def more(image: Picture, known: int = len(KNOWN)) -> NDArray[np.float32]:
    """The outlines (n, 4, 2) told besides those of so many known cards."""
    view = view_of(image)
    cards = fit_sides(view.lab, np.stack([card_at(*place) for place in KNOWN[:known]]), 2.0)
    plane = CardPlane(np.eye(3), (WIDTH, LENGTH), np.array([0, 0, np.log(WIDTH), np.log(LENGTH), 0]), SIZE_WH)
    found, _ = more_of_them(view, (cards, plane))
    assert np.allclose(found.quads[:known], cards.quads)
    return found.quads[known:]


@pytest.mark.parametrize("missing", range(4))
def test_three_sides_tell_a_card_among_others(missing: int) -> None:
    told = more(picture(tuple(side for side in range(4) if side != missing)))
    assert len(told) == 1
    off = min(np.linalg.norm(np.roll(told[0], k, axis=0) - card_at(*HIDDEN), axis=1).max() for k in range(4))
    assert off < 0.03 * WIDTH


@pytest.mark.parametrize("corner", range(4))
def test_two_sides_that_meet_and_print_in_the_middle_tell_a_card(corner: int) -> None:
    told = more(picture((corner, (corner + 1) % 4)))
    assert len(told) == 1
    off = min(np.linalg.norm(np.roll(told[0], k, axis=0) - card_at(*HIDDEN), axis=1).max() for k in range(4))
    assert off < 0.03 * WIDTH


@pytest.mark.parametrize("shadows", [(0, 2), (1, 3)])
def test_two_sides_that_do_not_meet_tell_none(shadows: tuple[int, ...]) -> None:
    assert len(more(picture(shadows))) == 0


@pytest.mark.parametrize("shadows", [(0, 1), (1, 2)])
def test_two_sides_tell_none_about_print_beside_the_middle(shadows: tuple[int, ...]) -> None:
    assert len(more(picture(shadows, off=12))) == 0


def test_two_sides_tell_none_where_no_print_lies_in_the_middle() -> None:
    assert len(more(picture((0, 1), known_off=12))) == 0


def test_a_place_without_print_is_none() -> None:
    assert len(more(picture((0, 1, 2), marked=False))) == 0


def test_few_cards_tell_nothing_of_others() -> None:
    assert len(more(picture((0, 1, 2)), known=4)) == 0
