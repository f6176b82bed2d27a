"""What came to lie before a seat since the table was at rest, in areas of a card."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera.frames import Frame
from referee.games.confetti.watching.hands_in_time import HandsInTime
from referee.scoring.seated_reading import SeatedReader
from referee.watchers.stillness import Stillness
from vision.deck import load_deck
from vision.image import load_picture

TABLE = Path(__file__).parents[3] / "data" / "tables" / "confetti-three-seats.jpg"


@pytest.mark.parametrize(("light", "hides"), [((1.0, 0.9, 0.83), True), ((0.85, 0.85, 0.85), False)])
def test_a_veil_of_about_the_table_s_lightness_hides_cards_and_a_shadow_does_not(
    light: tuple[float, float, float], hides: bool
) -> None:
    image = load_picture(TABLE).image
    seen = cv2.GaussianBlur(np.full(image.shape[:2], 1.0, np.float32), (0, 0), 1)
    seen[620:, 150:1250] = 0
    cover = 1 - cv2.GaussianBlur(seen, (0, 0), 30)[..., None]
    later: NDArray[np.uint8] = np.asarray(image * (1 - cover + cover * np.array(light)), np.uint8)
    before, after = (Frame(k * 10**9, k * 10**9, picture, k) for k, picture in enumerate((image, later), 1))
    seated = SeatedReader(load_deck("confetti"), None, 3).read(image)
    memory = HandsInTime(Stillness())
    memory.rest(before, seated)
    foreign = memory.foreign_cards(after, seated, 0)
    assert foreign is not None
    assert (foreign > 3.0) is hides
