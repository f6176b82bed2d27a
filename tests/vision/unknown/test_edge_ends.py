"""Cards end at their corners; checked cloths, tiles and sheets cut by a line do not."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.unknown.edge_ends import end_at_corners, run_on
from vision.unknown.unknown_deck import find_unknown_cards

CARD = np.array([[300, 200], [390, 200], [390, 326], [300, 326]], np.float32)


def card_on(picture: NDArray[np.uint8], corners: NDArray[np.float32], radius: int = 5) -> None:
    """Draw a white card with rounded corners and one red mark on a picture."""
    (x1, y1), (x2, y2) = corners[0].astype(int).tolist(), corners[2].astype(int).tolist()
    cv2.rectangle(picture, (x1 + radius, y1), (x2 - radius, y2), (245, 248, 248), -1)
    cv2.rectangle(picture, (x1, y1 + radius), (x2, y2 - radius), (245, 248, 248), -1)
    for x, y in ((x1, y1), (x2, y1), (x1, y2), (x2, y2)):
        centre = (x + radius * (1 if x == x1 else -1), y + radius * (1 if y == y1 else -1))
        cv2.circle(picture, centre, radius, (245, 248, 248), -1, cv2.LINE_AA)
    cv2.circle(picture, ((x1 + x2) // 2, (y1 + y2) // 2), 25, (40, 40, 210), -1, cv2.LINE_AA)


def accepted(picture: NDArray[np.uint8], quads: NDArray[np.float32]) -> list[bool]:
    lab = np.asarray(cv2.cvtColor(cv2.GaussianBlur(picture, (0, 0), 0.8), cv2.COLOR_BGR2LAB), np.uint8)
    return [bool(good) for good in end_at_corners(quads, *run_on(lab, quads))]


def test_a_card_on_a_table_ends_at_its_corners() -> None:
    picture = np.full((600, 800, 3), (60, 90, 120), np.uint8)
    card_on(picture, CARD)
    assert accepted(picture, CARD[None]) == [True]


def test_cards_in_a_tidy_row_are_all_accepted() -> None:
    picture = np.full((600, 800, 3), (60, 90, 120), np.uint8)
    row = np.stack([CARD + np.array([shift, 0], np.float32) for shift in (-94, 0, 94)])
    for corners in row:
        card_on(picture, corners)
    assert accepted(picture, row) == [True, True, True]


def test_cells_of_a_checked_cloth_run_on() -> None:
    rows, columns = np.indices((600, 800))
    checked = np.where(((rows // 60 + columns // 60) % 2)[..., None] == 0, (240, 240, 240), (90, 40, 40))
    cell = np.array([[240, 180], [360, 180], [360, 360], [240, 360]], np.float32)
    assert accepted(checked.astype(np.uint8), cell[None]) == [False]


def test_half_of_a_sheet_with_a_printed_line_is_no_card() -> None:
    picture = np.full((600, 800, 3), (60, 90, 120), np.uint8)
    cv2.rectangle(picture, (300, 200), (426, 380), (245, 248, 248), -1)
    cv2.line(picture, (308, 290), (418, 290), (120, 120, 120), 2)
    half = np.array([[300, 200], [426, 200], [426, 290], [300, 290]], np.float32)
    assert accepted(picture, half[None]) == [False]


def test_a_checked_cloth_has_no_cards() -> None:
    rows, columns = np.indices((600, 900))
    checked = np.where(((rows // 50 + columns // 50) % 2)[..., None] == 0, (235, 240, 240), (150, 60, 40))
    assert find_unknown_cards(cv2.GaussianBlur(checked.astype(np.uint8), (0, 0), 0.8).astype(np.uint8)).cards == ()
