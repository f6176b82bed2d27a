"""Sides of cards are found from near and from far, on faint edges as on plain ones."""

import cv2
import numpy as np
import pytest

from tests.support.turned_card import turned_card
from vision.unknown.card_edges import fit_sides

CARD = turned_card((700, 1050), 900, 1000, 8)


@pytest.mark.parametrize("reach_px", [2.0, 24.0, 60.0, 90.0, 140.0])
@pytest.mark.parametrize("lighter", [3, 60])
def test_sides_are_found_however_far_off_they_are_looked_for(reach_px: float, lighter: int) -> None:
    grey = np.full((2000, 1800), 150, np.uint8)
    cv2.fillPoly(grey, [np.rint(CARD).astype(np.int32)], 150 + lighter)
    lab = cv2.cvtColor(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), cv2.COLOR_BGR2LAB)
    fit = fit_sides(np.asarray(lab, np.uint8), CARD[None] + 0.4 * reach_px / np.sqrt(2), reach_px, 48)
    step = max(0.5, reach_px / 12)
    assert np.linalg.norm(fit.quads[0] - CARD, axis=1).max() < 1 + 1.5 * step
    assert fit.support.min() > 0.8
