"""Cards whose sides nothing shows are found by points of their print."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from tests.support.flat_piles import Floats, Image, PileTable, bare, card_corners, lay, photographed, piccolino, shrunk
from vision.prints.features import FeaturePlaces
from vision.prints.reader import PrintReader
from vision.quads import shared_area

CAMERA = PileTable((1280, 720))
PLACE = (40.0, -30.0, 25.0)
NOTHING = np.zeros((0, 4, 2))


@cache
def places() -> FeaturePlaces:
    return FeaturePlaces(piccolino())


def without_sides(name: str) -> tuple[Image, Floats]:
    """A card on a table of its own white, of which strips across its frame leave no side, and its corners, px."""
    image = bare(np.random.default_rng(1), CAMERA, 0)
    image[:] = (222, 228, 230)
    corners = CAMERA.to_px(card_corners(PLACE, 1.0))
    lay(image, shrunk(name, 1.4), corners)
    middle = corners.mean(axis=0)
    for one, other in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        start, end = (np.rint(middle + 0.96 * (corner - middle)).astype(int).tolist() for corner in (one, other))
        cv2.line(image, start, end, (222, 228, 230), 13, cv2.LINE_AA)
    return photographed(np.random.default_rng(2), image, 0.4), corners


@pytest.mark.parametrize("name", ["green-happy", "purple-sad", "back"])
def test_a_card_without_sides_is_proposed_where_it_lies_and_as_it_is_turned(name: str) -> None:
    image, corners = without_sides(name)
    first = places().places(image, CAMERA.table, NOTHING)[0]
    turned = np.roll(corners, 2, axis=0)
    assert min(np.abs(first - corners).max(), np.abs(first - turned).max()) < 4


def test_it_is_read() -> None:
    image, corners = without_sides("green-happy")
    (card,) = PrintReader(piccolino()).read(image, CAMERA.table).cards
    assert card.face is not None
    assert card.face.id == "green-happy"
    assert shared_area(card.corners_px, corners) > 0.9


def test_nothing_is_proposed_on_bare_tables_or_where_a_card_was_taken() -> None:
    for kind in range(4):
        table = photographed(np.random.default_rng(3), bare(np.random.default_rng(3), CAMERA, kind), 0.4)
        assert len(places().places(table, CAMERA.table, NOTHING)) <= 2
    image, corners = without_sides("green-happy")
    assert len(places().places(image, CAMERA.table, corners[None])) == 0
