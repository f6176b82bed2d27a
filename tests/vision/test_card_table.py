"""A table without markers: the cards themselves give its scale, but one outline alone does not."""

import numpy as np
import pytest
from flat_cards import Image, confetti, lay

from vision.card_table import table_from_cards

SCALE = 1.4  # pixels a mm
CARDS = [((150.0, 120.0), 0.1), ((420.0, 150.0), -0.2), ((700.0, 140.0), 0.05), ((300.0, 420.0), 0.3)]


def wooden_table(cards: int) -> Image:
    """Draw so many cards on a brown table that a camera sees from straight above."""
    picture = np.full((720, 1080, 3), (40, 70, 110), np.uint8)
    faces = confetti().side("white")
    for face, (at_px, turn) in zip(faces, CARDS[:cards], strict=False):
        lay(picture, confetti(), face, at_px, turn, SCALE)
    return picture


@pytest.mark.parametrize("cards", [2, 4])
def test_cards_of_known_size_give_the_scale(cards: int) -> None:
    table = table_from_cards(wooden_table(cards), confetti())
    assert table is not None
    assert abs(float(table.px_per_mm(np.array([[540.0, 360.0]]))[0]) / SCALE - 1) < 0.03


@pytest.mark.parametrize("cards", [0, 1])
def test_a_lone_outline_gives_no_table(cards: int) -> None:
    assert table_from_cards(wooden_table(cards), confetti()) is None


def test_sheets_of_other_sizes_give_no_table() -> None:
    picture = wooden_table(1)
    picture[400:640, 600:760] = (210, 220, 225)
    picture[430:610, 200:500] = (120, 60, 30)
    assert table_from_cards(picture, confetti()) is None
