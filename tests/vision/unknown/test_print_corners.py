"""White cards on white under a lamp in one corner: two sides of each show, and print in its middle tells the others."""

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.support.turned_card import turned_card
from vision.unknown.card_edges import fit_sides
from vision.unknown.find_cards import find_cards
from vision.unknown.print_corners import cornered
from vision.unknown.view import view_of

SIZE_WH = (1000, 700)
WIDTH, LENGTH = 110.0, 170.0
PLACES = [(120, 140, 6), (330, 150, -32), (560, 150, 20), (800, 160, 4)]
PLACES += [(130, 460, -15), (370, 500, 38), (620, 480, -5)]
FINE = 4
SHADOW = (180, 182, 184)
LIT = (1, 2)  # sides beyond which a shadow lies
Picture = NDArray[np.uint8]


def picture(off: float = 0.0, count: int = len(PLACES), seed: int = 1) -> Picture:
    """So many cards as light as the table, (h, w, 3) BGR, with shadows beside two sides and marks `off` the middle."""
    random = np.random.default_rng(seed)
    scene = np.full((SIZE_WH[1] * FINE, SIZE_WH[0] * FINE, 3), 205, np.uint8)
    for k, place in enumerate(PLACES[:count]):
        corners = np.rint(turned_card((WIDTH, LENGTH), *place) * FINE).astype(int)
        for side in LIT:
            cv2.line(scene, corners[side].tolist(), corners[(side + 1) % 4].tolist(), SHADOW, 6, cv2.LINE_AA)
        # Off it in another direction on each card, or they would agree on another size.
        away = off * np.array([np.cos(2.4 * k), np.sin(2.4 * k)])
        middle = np.rint((np.array(place[:2]) + away) * FINE).astype(int).tolist()
        cv2.ellipse(scene, middle, (25 * FINE, 40 * FINE), -place[2], 0, 360, (60, 60, 170), -1)
    small = cv2.GaussianBlur(cv2.resize(scene, SIZE_WH, interpolation=cv2.INTER_AREA), (0, 0), 0.8)
    return np.asarray(np.clip(small + random.normal(0, 1, small.shape), 0, 255), np.uint8)


def told(image: Picture, known: int = 0) -> NDArray[np.float32]:
    """The outlines (n, 4, 2) told where so many cards were known before."""
    view = view_of(image)
    quads = np.array([turned_card((WIDTH, LENGTH), *place) for place in PLACES[:known]], np.float32).reshape(-1, 4, 2)
    return cornered(view, (fit_sides(view.lab, quads, 2.0), None))[0].quads


def right(quads: NDArray[np.float32]) -> int:
    """How many of the cards have an outline within 3 % of the width at each corner."""
    found = 0
    for place in PLACES:
        card = turned_card((WIDTH, LENGTH), *place)
        off = [np.linalg.norm(np.roll(quads, k, axis=1) - card, axis=2).max(axis=1).min(initial=9e9) for k in range(4)]
        found += min(off) < 0.03 * WIDTH
    return found


def test_two_sides_and_print_tell_cards_of_which_no_size_is_known() -> None:
    quads = told(picture())
    # Who knows the size from these finds what is left.
    assert len(quads) == right(quads) >= len(PLACES) - 1


def test_a_table_of_them_is_read() -> None:
    quads = find_cards(picture()).corners_px
    assert len(quads) == len(PLACES) == right(quads)


def test_print_beside_the_middle_tells_nothing() -> None:
    assert len(told(picture(off=14))) == 0


def test_a_few_tell_nothing() -> None:
    assert len(told(picture(count=5))) == 0
