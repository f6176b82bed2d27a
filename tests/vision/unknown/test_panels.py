"""A picture printed on a card is no card, though its edges are the plainest thing on a white table."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_edges import fit_sides
from vision.unknown.find_cards import find_cards
from vision.unknown.panels import are_marks, are_panels

WIDTH, LENGTH, PANEL = 130, 190, 84
CENTRES = [(150 + 240 * (k % 4), 160 + 290 * (k // 4)) for k in range(8)]

DOTS = [(30 + 95 * k + 47 * (row % 2), 12 + 82 * row) for row in range(8) for k in range(11)]


def sheet(with_text: bool, dotted: bool = False) -> NDArray[np.uint8]:
    """Pictures of discs on a table as white as the cards that they are printed on; with text below or without.

    If `dotted` it is a cloth with large dots.
    """
    random = np.random.default_rng(5)
    picture = np.full((620, 1020, 3), 232, np.float32)
    for x, y in DOTS if dotted else []:
        cv2.circle(picture, (x, y), 16, (150, 190, 150), -1)
    for k, (x, y) in enumerate(CENTRES):
        top = y - LENGTH // 2 + 14
        cv2.rectangle(picture, (x - 53, top), (x + 53, top + PANEL), (70.0 + 12 * k, 60, 150 - 9 * k), -1)
        cv2.circle(picture, (x, top + PANEL // 2), 20, (200, 220, 225), -1)
        for line in range(6 if with_text else 0):
            at = top + PANEL + 12 + 11 * line
            for word in range(5):
                left = x - 52 + 21 * word
                cv2.line(picture, (left, at), (left + int(random.integers(8, 17)), at), (90, 90, 90), 2)
    return np.asarray(np.clip(picture + random.normal(0, 1.5, picture.shape), 0, 255), np.uint8)


def panels() -> NDArray[np.float32]:
    """The corners (8, 4, 2) of the pictures, clockwise."""
    corners = np.array([[-53.5, 13.5], [53.5, 13.5], [53.5, 14.5 + PANEL], [-53.5, 14.5 + PANEL]])
    return np.stack([corners + (x, y - LENGTH // 2) for x, y in CENTRES]).astype(np.float32)


def test_pictures_with_text_beside_them_are_printed_on_cards() -> None:
    lab = [np.asarray(cv2.cvtColor(sheet(text), cv2.COLOR_BGR2LAB), np.uint8) for text in (True, False)]
    assert are_panels(lab[0], fit_sides(lab[0], panels(), 2.0))
    assert not are_panels(lab[1], fit_sides(lab[1], panels(), 2.0))


def test_no_picture_on_a_card_is_told_as_a_card() -> None:
    found = find_cards(sheet(with_text=True)).corners_px
    area = [cv2.contourArea(quad) for quad in found]
    assert all(each > 1.5 * 107 * PANEL for each in area)


def test_dark_cards_on_a_white_table_are_cards() -> None:
    assert len(find_cards(sheet(with_text=False)).corners_px) == len(CENTRES)


def test_dark_cards_on_a_dotted_cloth_are_cards() -> None:
    assert len(find_cards(sheet(with_text=False, dotted=True)).corners_px) == len(CENTRES)


def test_dark_cards_with_things_beside_them_here_and_there_are_no_panels() -> None:
    picture = sheet(with_text=False)
    for k, (x, y) in enumerate(CENTRES):
        away = [(95, -20), (0, 100), (-95, 0), (0, -130)][k % 4]
        cv2.circle(picture, (x + away[0], y + away[1]), 24, (60, 60, 60), -1)
    lab = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2LAB), np.uint8)
    assert not are_panels(lab, fit_sides(lab, panels(), 2.0))


def diamonds(on_cards: bool) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Red diamonds, (h, w, 3) 8-bit Lab and their outlines (n, 4, 2): marks, or the dark cards of a deck with print."""
    picture = np.full((620, 1020, 3), 230, np.uint8)
    outlines = []
    for x, y in CENTRES:
        quad = np.array([(x, y - 60), (x + 45, y), (x, y + 60), (x - 45, y)], np.int32)
        cv2.fillPoly(picture, [quad], (60, 50, 190))
        if on_cards:
            cv2.circle(picture, (x, y), 14, (210, 210, 220), -1)
        outlines.append(quad)
    lab = cv2.cvtColor(cv2.GaussianBlur(picture, (0, 0), 0.8), cv2.COLOR_BGR2LAB)
    return np.asarray(lab, np.uint8), np.array(outlines, np.float32)


def test_things_of_one_dark_colour_on_a_bright_ground_are_marks() -> None:
    lab, quads = diamonds(on_cards=False)
    assert are_marks(lab, fit_sides(lab, quads, 2.0))
    lab, quads = diamonds(on_cards=True)
    assert not are_marks(lab, fit_sides(lab, quads, 2.0))


def test_bright_cards_are_no_marks_and_neither_is_nothing() -> None:
    lab, quads = diamonds(on_cards=False)
    lab[..., 0] = 255 - lab[..., 0]
    assert not are_marks(lab, fit_sides(lab, quads, 2.0))
    assert not are_marks(lab, fit_sides(lab, quads[:0], 2.0))
