"""Cards as white as the table are found by their print and by faint edges about it; print without edges is no card."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.turned_card import turned_card
from vision.unknown.card_edges import SideFit, fit_sides
from vision.unknown.card_plane import CardPlane, apply_homography, rectifier
from vision.unknown.card_sizes import Stock
from vision.unknown.edge_ends import faint_run_on
from vision.unknown.faint_edges import moved_onto_edges
from vision.unknown.print_islands import print_islands
from vision.unknown.second_look import second_look
from vision.unknown.unknown_deck import find_unknown_cards
from vision.unknown.view import view_of

SIZE_WH = (960, 600)
WIDTH, LENGTH = 90.0, 140.0
TABLE = 205
PLACES = [
    (130, 130, 8),
    (330, 140, -20),
    (560, 130, 35),
    (800, 150, 80),
    (180, 430, -65),
    (450, 420, 12),
    (740, 430, -8),
]


def card_at(x: float, y: float, degrees: float) -> NDArray[np.float32]:
    """Corners, clockwise, of a card with its middle at (x, y)."""
    return turned_card((WIDTH, LENGTH), x, y, degrees)


def picture(lighter: float, marks: bool = True, seed: int = 3) -> NDArray[np.uint8]:
    """Cards a little `lighter` than a mottled table, with a mark or without, in noise; (h, w, 3) BGR."""
    rng = np.random.default_rng(seed)
    scene = np.full((SIZE_WH[1] * 4, SIZE_WH[0] * 4, 3), TABLE, np.float32)
    for x, y, degrees in PLACES:
        cv2.fillPoly(scene, [np.rint(card_at(x, y, degrees) * 4 + 1.5).astype(np.int32)], (TABLE + lighter,) * 3)
        if marks:
            cv2.ellipse(scene, (4 * x, 4 * y), (80, 130), -degrees, 0, 360, (60, 60, 190), -1)
    small = cv2.resize(scene, SIZE_WH, interpolation=cv2.INTER_AREA)
    mottled = cv2.resize(rng.normal(0, 1, (75, 120)).astype(np.float32), SIZE_WH, interpolation=cv2.INTER_CUBIC)
    noisy = cv2.GaussianBlur(small, (0, 0), 0.8) + 0.3 * mottled[..., None] + rng.normal(0, 1.5, small.shape)
    return np.asarray(np.clip(np.rint(noisy), 0, 255), np.uint8)


def found_in(image: NDArray[np.uint8]) -> list[bool]:
    """Which of the cards are found with their corners within 3 % of the width."""
    cards = find_unknown_cards(image).cards
    found = []
    for place in PLACES:
        true = card_at(*place)
        off = [np.abs(np.roll(card.corners_px, k, axis=0) - true).max() for card in cards for k in range(4)]
        found.append(min(off, default=np.inf) < 0.03 * WIDTH)
    return found


def test_white_cards_on_a_white_table_are_found_by_a_few_grey_levels() -> None:
    image = picture(3.0)
    assert all(found_in(image))
    assert len(find_unknown_cards(image).cards) == len(PLACES)


def test_cards_that_lie_right_tell_how_the_table_is_tilted() -> None:
    table, told = rectifier(np.array([0.15, 0.05]), SIZE_WH), rectifier(np.array([0.08, 0.1]), SIZE_WH)
    middle = np.array(SIZE_WH) / 2
    to_middle = np.eye(3)
    to_middle[:2, 2] = apply_homography(table, middle) - middle
    aside = np.linalg.inv(table) @ to_middle
    view = view_of(np.asarray(cv2.warpPerspective(picture(5.0), aside, SIZE_WH, borderValue=(TABLE,) * 3), np.uint8))
    cards = np.array([cv2.perspectiveTransform(card_at(*place)[None], aside)[0] for place in PLACES], np.float32)
    wrong = CardPlane(told, (WIDTH, LENGTH), np.array([0.08, 0.1, np.log(WIDTH), np.log(LENGTH), 0.0]), SIZE_WH)
    assert view.scale == 1
    stock, found = second_look(view, Stock(wrong, np.zeros(3)), fit_sides(view.lab, cards[:-1], 2.0))
    assert stock is not None
    assert wrong.deviation(cards).max() > 0.04
    assert stock.plane.deviation(cards).max() < 0.025
    off = np.abs(found.quads.mean(axis=1) - cards[-1].mean(axis=0)).max(axis=1)
    assert off.min() < 0.03 * WIDTH


@pytest.mark.parametrize("seed", [4, 5])
def test_spots_on_a_table_are_no_cards(seed: int) -> None:
    assert find_unknown_cards(picture(0.0, seed=seed)).cards == ()


def test_blank_sheets_of_one_size_are_no_cards() -> None:
    assert find_unknown_cards(picture(40.0, marks=False)).cards == ()
    assert all(found_in(picture(40.0)))


def test_marks_are_seen_where_they_are() -> None:
    lab = np.asarray(cv2.cvtColor(picture(2.0), cv2.COLOR_BGR2LAB), np.uint8)
    middles = print_islands(lab)
    away = np.linalg.norm(middles[:, None] - np.array([place[:2] for place in PLACES])[None], axis=2)
    assert len(middles) == len(PLACES)
    assert away.min(axis=0).max() < 3


def test_sides_go_to_faint_edges_that_lie_some_way_off() -> None:
    lab = np.asarray(cv2.cvtColor(picture(4.0), cv2.COLOR_BGR2LAB), np.uint8)
    true = np.stack([card_at(*place) for place in PLACES])
    moved, change, floor = moved_onto_edges(lab, true + np.array([3.0, -2.0], np.float32), 6.0)
    assert np.abs(moved - true).max() < 2.0
    assert (np.linalg.norm(change, axis=2) > 2 * floor).mean() > 0.9


def test_edges_of_a_long_sheet_run_on_beyond_a_part_of_it() -> None:
    grey = np.full((400, 400), TABLE, np.float32)
    grey[60:340, 120:220] += 4
    noisy = grey[..., None] + np.random.default_rng(6).normal(0, 1.5, (400, 400, 3))
    lab = np.asarray(cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_BGR2LAB), np.uint8)
    part = np.array([[119.5, 59.5], [219.5, 59.5], [219.5, 199.5], [119.5, 199.5]], np.float32)
    # The right side runs on beyond its end, and the left one beyond its start, at the cut.
    runs_on = faint_run_on(lab, part[None])[0]
    assert runs_on[1, 1]
    assert runs_on[3, 0]
    assert not runs_on[0].any()
    assert not runs_on[1, 0]
    assert not runs_on[3, 1]


@pytest.mark.parametrize(("lighter", "told"), [(4.0, 0), (40.0, 1)])
def test_where_most_faint_things_prove_to_be_none_the_rest_are_no_cards(
    lighter: float, told: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def only_one(_lab: object, _stock: object, fit: SideFit) -> NDArray[np.bool_]:
        return np.asarray(np.arange(len(fit.quads)) == 0)

    monkeypatch.setattr("vision.unknown.card_proofs.like_the_others", only_one)
    monkeypatch.setattr("vision.unknown.card_proofs.look_otherwise", lambda *things: np.zeros_like(things[-1]))
    # All of these are cards, and plain ones of one size would be told with the one that is left.
    monkeypatch.setattr("vision.unknown.find_cards.near_cards", lambda _view, found: found)
    assert len(find_unknown_cards(picture(lighter)).cards) == told
