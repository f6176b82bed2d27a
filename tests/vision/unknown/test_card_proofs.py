"""Things that agree on a size by chance are no cards: a table's grain has edges of all lengths."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.turned_card import turned_card
from vision.unknown.card_edges import fit_sides
from vision.unknown.card_plane import plane_of
from vision.unknown.card_proofs import agree_by_chance
from vision.unknown.card_sizes import Stock

SIZE_WH, CARD = (800, 600), (70.0, 105.0)
QUADS = np.stack([turned_card(CARD, 110 + 190 * (k % 4), 110 + 190 * (k // 4), 9 * k - 30) for k in range(12)])


def on_wood(grain: float, lighter: float) -> NDArray[np.uint8]:
    """8-bit Lab of cards so much lighter than a table whose grain varies so much; the cards are as plain as paper."""
    random = np.random.default_rng(3)
    noise = cv2.GaussianBlur(random.normal(0, 1, SIZE_WH[::-1]), (0, 0), sigmaX=5, sigmaY=1.2)
    light = 150 + grain * noise / noise.std()
    cover = np.zeros(SIZE_WH[::-1], np.uint8)
    if lighter:
        cv2.fillPoly(cover, list(np.rint(QUADS).astype(np.int32)), 255)
    share = cv2.GaussianBlur(cover, (0, 0), 0.8) / 255
    light = light * (1 - share) + (150 + lighter) * share + random.normal(0, 1, SIZE_WH[::-1])
    lab = np.stack([light, np.full_like(light, 132), np.full_like(light, 140)], axis=-1)
    return np.asarray(np.clip(lab, 0, 255), np.uint8)


@pytest.mark.parametrize(
    ("grain", "lighter", "by_chance"), [(12.0, 0.0, True), (4.0, 0.0, True), (4.0, 9.0, False), (1.0, 4.0, False)]
)
def test_what_differs_from_the_table_less_than_from_itself_is_its_grain(
    grain: float, lighter: float, by_chance: bool
) -> None:
    lab = on_wood(grain, lighter)
    plane = plane_of(np.array([0, 0, *np.log(CARD), 0]), SIZE_WH)
    things = fit_sides(lab, QUADS, 2.0)
    assert agree_by_chance(lab, things, np.ones(len(QUADS), bool), Stock(plane, np.zeros(3))) is by_chance
