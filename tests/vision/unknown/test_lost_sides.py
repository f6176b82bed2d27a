"""A bent card is longer than the others are: the side that its size puts on the card itself is found where it is."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.card_finish import finished
from vision.unknown.card_plane import CardPlane
from vision.unknown.card_sizes import Stock
from vision.unknown.view import view_of

SIZE_WH = (900, 640)
WIDTH, LENGTH = 120.0, 170.0
PLACES = [(120, 140), (350, 140), (620, 140), (160, 440), (420, 450), (700, 450)]
BENT = 5
BROWN, PALE = (60, 100, 140), (229, 231, 233)
Picture = NDArray[np.uint8]


def card_at(x: float, y: float, longer: float = 0.0) -> NDArray[np.float32]:
    """Corners (4, 2), clockwise, of a card about (x, y), so much longer downward."""
    corners = np.array([[-WIDTH, -LENGTH], [WIDTH, -LENGTH], [WIDTH, LENGTH], [-WIDTH, LENGTH]]) / 2
    return np.asarray(corners + [[x, y], [x, y], [x, y + longer], [x, y + longer]], np.float32)


def picture(longer: float, line: float = 0.0, table: tuple[int, int, int] = BROWN) -> Picture:
    """White cards on a table, one of them longer, perhaps with a line on the table so far below it; (h, w, 3) BGR."""
    fine = 4
    scene = np.full((SIZE_WH[1] * fine, SIZE_WH[0] * fine, 3), table, np.uint8)
    for k, place in enumerate(PLACES):
        card = card_at(*place, longer if k == BENT else 0)
        cv2.fillPoly(scene, [np.rint(card * fine + 1.5).astype(np.int32)], (235, 235, 235))
        cv2.circle(scene, (place[0] * fine, place[1] * fine), 25 * fine, (60, 60, 190), -1)
    if line:
        y = round((PLACES[BENT][1] + LENGTH / 2 + line) * fine)
        cv2.line(scene, (0, y), (SIZE_WH[0] * fine, y), (45, 80, 115), 4)
    small = cv2.GaussianBlur(cv2.resize(scene, SIZE_WH, interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    noise = np.random.default_rng(1).normal(0, 1, small.shape)
    return np.asarray(np.clip(small + noise, 0, 255), np.uint8)


def off_px(image: Picture, longer: float) -> NDArray[np.float64]:
    """How far the corners of the cards (n,) are off, all of one size at first."""
    plane = CardPlane(np.eye(3), (WIDTH, LENGTH), np.array([0, 0, np.log(WIDTH), np.log(LENGTH), 0]), SIZE_WH)
    first = np.stack([card_at(*place) for place in PLACES])
    true = np.stack([card_at(*place, longer if k == BENT else 0) for k, place in enumerate(PLACES)])
    final, _ = finished(view_of(image), first, Stock(plane, np.array([-1.0, 0.0, 0.0])))
    turned = np.stack([np.roll(final.quads, k, axis=1) for k in range(4)])
    return np.asarray(np.linalg.norm(turned - true, axis=3).max(axis=2).min(axis=0))


@pytest.mark.parametrize("longer", [9.0, 10.0, 12.0])
def test_the_side_of_a_bent_card_is_found_where_its_edge_is(longer: float) -> None:
    assert off_px(picture(longer), longer).max() < 0.02 * WIDTH


@pytest.mark.parametrize("longer", [5.0, 8.0])
def test_so_is_it_on_a_table_nearly_as_white(longer: float) -> None:
    assert off_px(picture(longer, table=PALE), longer).max() < 0.02 * WIDTH


def test_a_line_on_the_table_beyond_a_card_takes_no_side_with_it() -> None:
    assert off_px(picture(0, line=9), 0).max() < 0.02 * WIDTH
