"""The drawn table is what its truth says: colours, places, fractions, and the same for the same seed."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulation.still import table_picture
from simulation.view import Look, to_px
from vision.deck import Deck, load_deck
from vision.render_face import bgr

SIZE = (960, 540)
EVEN = Look(table="plain", noise=0, gradient=0, blur_px=0)
OVERSEEN = 1.5


@pytest.fixture(scope="module")
def deck() -> Deck:
    return load_deck("confetti")


def outlines(truth: dict[str, Any]) -> list[NDArray[np.float32]]:
    return [np.array(card["corners_px"], dtype=np.float32) for card in truth["cards"]]


@pytest.mark.parametrize("side", ["white", "black"])
def test_marks_lie_where_the_truth_says(deck: Deck, side: str) -> None:
    image, truth = table_picture(deck, 12, seed=1, size=SIZE, side=side, look=EVEN)
    assert image.shape == (540, 960, 3)
    checked = 0
    for card in truth["cards"]:
        face = deck.by_id[side, card["id"]]
        for told, mark in zip(card["marks"], face.marks, strict=True):
            assert (told["size"], told["colour"], told["shape"]) == (mark.size, mark.colour, mark.shape)
            if mark.shape == "crescent":
                continue
            x, y = (round(value) for value in told["center_px"])
            # The lamp is a little warm and dim: 0.96, and 0.94 of the blue.
            expected = np.array(bgr(deck.palette[side][mark.colour])) * 0.96 * np.array([0.94, 0.98, 1.0])
            assert image[y, x] == pytest.approx(expected, abs=4)
            checked += 1
    assert checked >= 24


@pytest.mark.parametrize("n_cards", [1, 24, 25, 84])
def test_cards_lie_free_and_in_the_picture(deck: Deck, n_cards: int) -> None:
    image, truth = table_picture(deck, n_cards, seed=2, size=SIZE)
    found = outlines(truth)
    assert len({card["id"] for card in truth["cards"]}) == n_cards
    for i, one in enumerate(found):
        assert one.min() >= 0 and (one.max(axis=0) < SIZE).all()
        assert all(cv2.intersectConvexConvex(one, other)[0] == 0 for other in found[:i])
        assert cv2.contourArea(one) > 0 and cv2.isContourConvex(one)
    assert all(card["visible_fraction"] > 0.95 for card in truth["cards"])
    assert image.dtype == np.uint8


@settings(max_examples=3)
@given(seed=st.integers(0, 1000))
def test_the_last_card_of_a_heap_is_covered_by_nothing(deck: Deck, seed: int) -> None:
    _, truth = table_picture(deck, 20, seed, size=SIZE, overlap=True)
    fractions = [card["visible_fraction"] for card in truth["cards"]]
    assert fractions[-1] > 0.95
    assert min(fractions) < 0.7
    for card in truth["cards"]:
        if card["visible_fraction"] == 0:
            assert all(mark["visible_fraction"] == 0 for mark in card["marks"])


def test_markers_are_found_and_give_the_scale(deck: Deck) -> None:
    image, truth = table_picture(deck, 6, seed=3, markers=(3, 7, 9, 15))
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    corners, ids, _ = detector.detectMarkers(image)
    assert ids is not None
    told = {marker["id"]: marker for marker in truth["markers"]}
    assert sorted(told) == [3, 7, 9, 15]
    assert len(ids) >= 3
    for number, found in zip(ids.ravel(), corners, strict=True):
        assert found[0] == pytest.approx(np.array(told[int(number)]["corners_px"]), abs=OVERSEEN)
    # Table coordinates: mm with the origin at the lowest marker's centre.
    assert told[3]["center_mm"] == [0, 0]
    homography = np.array(truth["camera"]["H_table_mm_to_px"])
    for thing in truth["markers"] + truth["cards"]:
        centre = to_px(np.array([thing["center_mm"]]), homography)[0]
        assert cv2.pointPolygonTest(np.array(thing["corners_px"], np.float32), (centre[0], centre[1]), False) > 0


def test_the_same_arguments_give_the_same_picture(deck: Deck) -> None:
    one, two, other = (table_picture(deck, 5, seed, size=SIZE, look=Look(jpeg_quality=80)) for seed in (4, 4, 5))
    assert np.array_equal(one[0], two[0]) and one[1] == two[1]
    assert not np.array_equal(one[0], other[0])


@pytest.mark.parametrize("table", ["wood", "cloth", "plain", "checked", "white"])
def test_every_table_can_be_drawn_without_cards_and_markers(deck: Deck, table: str) -> None:
    image, truth = table_picture(deck, 0, seed=6, size=(320, 180), markers=(), look=Look(table=table))
    assert truth["cards"] == [] and truth["markers"] == []
    assert image.std() > 1


def test_impossible_tables_are_refused(deck: Deck) -> None:
    with pytest.raises(ValueError, match="85 cards of 84"):
        table_picture(deck, 85, seed=0)
    with pytest.raises(ValueError, match="no table 'glass'"):
        table_picture(deck, 1, seed=0, look=Look(table="glass"))
