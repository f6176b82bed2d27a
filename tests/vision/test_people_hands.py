"""People's hands are found however they lie, and nothing else is taken for one."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from simulation.still import table_picture
from tests.support.pasted_hand import SCENE, with_hand
from vision.deck import load_deck
from vision.image import load_picture
from vision.marked.reader import table_in
from vision.people_hands import HandFinder, PersonsHand
from vision.table import Table

Image = NDArray[np.uint8]
Points = NDArray[np.float64]

DATA = Path(__file__).parents[1] / "data"
DECK = load_deck("confetti")
HANDS_PX = ((1325, 280), (640, 800))  # the backs of the two hands in the scene
CARD_UNDER_ARM_PX = (540, 790)


def hands_in(image: Image, outline_px: Points) -> tuple[list[PersonsHand], Table]:
    table, _ = table_in(image)
    return HandFinder().find(image, table, table.to_mm(outline_px)), table


def outline_of(image: Image) -> Points:
    height, width = image.shape[:2]
    return np.array([[0.0, 0], [width, 0], [width, height], [0, height]])


def hides(table: Table, hand: PersonsHand, point_px: tuple[float, float]) -> bool:
    x, y = table.to_mm(np.array([point_px], np.float64))[0]
    return cv2.pointPolygonTest(hand.hides_mm(table).astype(np.float32), (float(x), float(y)), False) >= 0


@pytest.mark.parametrize("turn", [0, 37, 270])
def test_hands_are_found_whichever_way_they_point_and_hide_what_lies_under_their_arms(turn: int) -> None:
    scene = load_picture(SCENE).image
    height, width = scene.shape[:2]
    side = int(np.hypot(height, width)) + 1
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1.0)
    matrix = matrix + [[0, 0, (side - width) / 2], [0, 0, (side - height) / 2]]
    turned = np.asarray(cv2.warpAffine(scene, matrix, (side, side)), np.uint8)
    hands, table = hands_in(turned, cv2.transform(outline_of(scene)[None], matrix)[0])
    assert len(hands) == 2
    for point in HANDS_PX:
        x, y = matrix @ [*point, 1]
        assert sum(hides(table, hand, (x, y)) for hand in hands) == 1
    x, y = matrix @ [*CARD_UNDER_ARM_PX, 1]
    assert any(hides(table, hand, (x, y)) for hand in hands)


@pytest.mark.parametrize(("size", "x"), [(0.8, 400), (1.4, 400)])
def test_childrens_hands_are_hands_too(size: float, x: int) -> None:
    image, _ = table_picture(DECK, 8, seed=5, size=(1280, 720))
    # 1.4: as large as a grown-up's
    (hand,), _ = hands_in(with_hand(image, (x, 200), size), outline_of(image))
    assert np.linalg.norm(hand.joints_px[0] - (x, 200)) < 60 * size


@pytest.mark.parametrize("name", ["scenes/black-heap", "scenes/white-seats-mug", "tables/confetti-three-seats"])
def test_cards_bells_mugs_and_tables_are_no_hands(name: str) -> None:
    image = load_picture(DATA / f"{name}.jpg").image
    assert hands_in(image, outline_of(image))[0] == []
