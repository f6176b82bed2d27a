"""An edition of one drawing in two neighbouring paints, seen by cameras that mix colours: doubts, no wrong faces."""

from __future__ import annotations

import pytest

from tests.support.two_paints import CAMERA, seen, two_paints
from vision.pictured.picture_reader import PictureReader
from vision.prints.reader import PrintReader


@pytest.mark.parametrize("reader", [PrintReader, PictureReader])
@pytest.mark.parametrize("face", ["red-happy", "orange-happy"])
@pytest.mark.parametrize("red_to_green", [-0.1, 0.1])
def test_paints_are_told_by_cameras_that_mix_colours_a_little(
    reader: type[PrintReader] | type[PictureReader], face: str, red_to_green: float
) -> None:
    image, _ = seen(two_paints(), face, red_to_green)
    reading = reader(two_paints()).read(image, CAMERA.table)
    assert [card.face.id if card.face else "back" for card in reading.cards] == [face]


@pytest.mark.parametrize("red_to_green", [0.15, 0.2])
def test_a_red_card_that_a_camera_shows_half_way_to_orange_is_not_told_as_orange(red_to_green: float) -> None:
    image, _ = seen(two_paints(), "red-happy", red_to_green)
    reading = PrintReader(two_paints()).read(image, CAMERA.table)
    assert {card.face and card.face.id for card in reading.cards} <= {"red-happy"}
