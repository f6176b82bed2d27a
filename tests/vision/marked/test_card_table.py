"""A table without markers: the cards themselves give its scale, but one outline alone does not."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.flat_cards import Image, confetti, lay
from vision.marked.card_table import agreed_table, tables_from_cards
from vision.marked.outline import corners_of
from vision.marked.reader import read_picture
from vision.table import Table, turned
from vision.table_fit import Piece

SCALE = 1.4  # pixels a mm
CARDS = [((150.0, 120.0), 0.1), ((420.0, 150.0), -0.2), ((700.0, 140.0), 0.05), ((300.0, 420.0), 0.3)]


ALL_WAYS = [
    *[((150.0 + 230 * k, 130.0), 0.1 + 0.4 * k) for k in range(4)],
    *[((280.0 + 230 * k, 420.0), 1.5 - 0.5 * k) for k in range(3)],
]


def shown_table(picture: Image) -> Table | None:
    return next((shown.table for shown in tables_from_cards(picture, confetti()) if len(shown.pieces) > 1), None)


def wooden_table(cards: int) -> Image:
    """Draw so many cards on a brown table that a camera sees from straight above."""
    picture = np.full((720, 1080, 3), (40, 70, 110), np.uint8)
    faces = confetti().side("white")
    for face, (at_px, turn) in zip(faces, CARDS[:cards], strict=False):
        lay(picture, confetti(), face, at_px, turn, SCALE)
    return picture


def aslant(flat: Image, away: float) -> tuple[Image, NDArray[np.float64]]:
    """See a table, drawn as from straight above, at 52 degrees; gives the (3, 3) map from the one picture to the other.

    `away`: how far the camera is, in px of what was drawn.
    """
    focal, tilt = 918.0, np.radians(52)
    lens = np.array([[focal, 0, 539.5], [0, focal, 359.5], [0, 0, 1]])
    pose = np.array([[1, 0, 0], [0, np.cos(tilt), 0], [0, -np.sin(tilt), away]])
    to_px = lens @ pose @ [[1, 0, -540], [0, 1, -300], [0, 0, 1]]
    picture = cv2.warpPerspective(flat, to_px, (1080, 720), flags=cv2.INTER_AREA, borderValue=(30, 30, 30))
    return np.asarray(picture, np.uint8), to_px


@pytest.mark.parametrize("cards", [2, 4])
def test_cards_of_known_size_give_the_scale(cards: int) -> None:
    table = shown_table(wooden_table(cards))
    assert table is not None
    assert abs(float(table.px_per_mm(np.array([[540.0, 360.0]]))[0]) / SCALE - 1) < 0.03


def test_cards_seen_aslant_give_the_scale_though_their_longer_sides_look_shorter() -> None:
    flat = np.full((720, 1080, 3), (40, 70, 110), np.uint8)
    for face, (at_px, turn) in zip(confetti().side("white"), ALL_WAYS, strict=False):
        lay(flat, confetti(), face, at_px, turn, SCALE)
    picture, to_px = aslant(flat, away=1100.0)
    table = shown_table(picture)
    assert table is not None
    marked = np.array([[[200.0, 200.0], [800.0, 200.0], [500.0, 500.0]]])
    across = table.to_mm(cv2.perspectiveTransform(marked, to_px)[0])
    assert np.linalg.norm(across[1] - across[0]) == pytest.approx(600 / SCALE, rel=0.03)
    assert np.linalg.norm(across[2] - across[0]) == pytest.approx(np.hypot(300, 300) / SCALE, rel=0.03)


@pytest.mark.parametrize("cards", [0, 1])
def test_a_lone_outline_gives_no_table(cards: int) -> None:
    assert shown_table(wooden_table(cards)) is None


def test_sheets_of_other_sizes_give_no_table() -> None:
    picture = wooden_table(1)
    picture[400:640, 600:760] = (210, 220, 225)
    picture[430:610, 200:500] = (120, 60, 30)
    assert shown_table(picture) is None


@pytest.mark.parametrize(("tilt_deg", "cut"), [(20, 0.88), (40, 0.7), (55, 0.8), (55, 0.88)])
def test_outlines_cut_short_by_other_cards_do_not_drag_the_table_away_from_all_the_rest(
    tilt_deg: float, cut: float
) -> None:
    """Three of seven cards lie half under others, whose edges pass for their own."""
    size_px, focal, tilt = (1080, 720), 700.0, np.radians(tilt_deg)
    lens = np.array([[focal, 0, 539.5], [0, focal, 359.5], [0, 0, 1]])
    pose = np.array([[1, 0, 0], [0, np.cos(tilt), 0], [0, -np.sin(tilt), 700.0]])
    corners = corners_of(confetti())
    outlines = []
    for k, (at, turn) in enumerate(ALL_WAYS):
        seen = corners * (1.0, cut if k in (1, 3, 5) else 1.0)
        on_table = turned(seen, np.full(4, turn)) + (np.array(at) - (540, 300)) / SCALE
        outlines.append(Piece(corners, cv2.perspectiveTransform(on_table[None], lens @ pose)[0]))
    agreed = agreed_table(outlines, size_px)
    assert agreed is not None
    across = agreed.table.to_mm(cv2.perspectiveTransform(np.array([[[-150.0, 0.0], [150.0, 0.0]]]), lens @ pose)[0])
    assert np.linalg.norm(across[1] - across[0]) == pytest.approx(300.0, rel=0.01)


@pytest.mark.parametrize(("side", "turn"), [("white", 0.0), ("black", 0.9), ("white", 2.6)])
def test_a_single_card_is_read_without_markers(side: str, turn: float) -> None:
    picture = np.full((720, 1080, 3), (40, 70, 110), np.uint8)
    face = confetti().side(side)[17]
    lay(picture, confetti(), face, (500.0, 350.0), turn, 2.5)
    reading, table = read_picture(picture, confetti())
    assert [card.face for card in reading.cards] == [face]
    assert not reading.unclear
    assert table is None


def test_a_single_sheet_with_coloured_dots_is_no_card() -> None:
    """Nothing but its outline says how large the dots are, and no card of that size has them at these places."""
    picture = np.full((720, 1080, 3), (40, 70, 110), np.uint8)
    cv2.rectangle(picture, (400, 200), (560, 430), (245, 245, 245), cv2.FILLED)
    for at, radius, colour in [
        ((435, 240), 16, (60, 40, 210)),
        ((500, 320), 24, (200, 110, 30)),
        ((470, 390), 34, (0, 210, 250)),
    ]:
        cv2.circle(picture, at, radius, colour, cv2.FILLED, cv2.LINE_AA)
    reading, _ = read_picture(picture, confetti())
    assert not reading.cards
    assert not reading.unclear


@pytest.mark.parametrize("first", [10, 20, 30])
def test_two_cards_seen_aslant_are_both_read_without_markers(first: int) -> None:
    """Three marks on each say little of the tilt; the outlines that showed the table say more."""
    flat = np.full((720, 1080, 3), (40, 70, 110), np.uint8)
    faces = confetti().side("white")[first : first + 2]
    for face, (at_px, turn) in zip(faces, (ALL_WAYS[0], ALL_WAYS[3]), strict=True):
        lay(flat, confetti(), face, at_px, turn, SCALE)
    picture, _ = aslant(flat, away=1000.0)
    reading, _ = read_picture(picture, confetti())
    assert {card.face for card in reading.cards} == set(faces)
