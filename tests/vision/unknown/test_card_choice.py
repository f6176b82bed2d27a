"""Of quadrilaterals that overlap the best is a card, or one of the others if that proves to be none."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.unknown.test_find_cards import SIZE_WH, WIDTH, off_px, photograph, places
from vision.unknown.card_choice import best_of
from vision.unknown.card_edges import SideFit, fit_sides
from vision.unknown.card_votes import agree_on_planes


def test_what_proves_to_be_none_hides_no_card(monkeypatch: pytest.MonkeyPatch) -> None:
    true = places(40.0)
    lab = np.asarray(cv2.cvtColor(photograph(true, 1), cv2.COLOR_BGR2LAB), np.uint8)
    cards = fit_sides(lab, true, 2.0)
    askew = replace(cards.take(np.array([0])), quads=cards.quads[:1] + np.float32(9))

    def is_at_a_card(_: NDArray[np.uint8], fit: SideFit) -> NDArray[np.bool_]:
        away = np.linalg.norm(fit.quads.mean(axis=1)[:, None] - true.mean(axis=1), axis=2)
        return np.asarray(away.min(axis=1) < 5)

    monkeypatch.setattr("vision.unknown.card_choice.stands_out", is_at_a_card)
    plane = agree_on_planes(true, np.ones(len(true)), SIZE_WH)[0]
    chosen = best_of(lab, askew.joined(cards), plane, 1.0)
    assert len(chosen.quads) == len(true)
    assert off_px(chosen.quads, true).max() < 0.03 * WIDTH
