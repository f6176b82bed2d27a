"""The colour of a mark that something covers in part is looked for where its outline shows."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.flat_cards import flat_table, lay, poses, true_marks
from vision.deck import Deck
from vision.marked.colour import hue_gap
from vision.marked.mark_colours import looks_of
from vision.marked.marks import work_image
from vision.marked.sample_points import RING
from vision.marked.sampler import Sampler
from vision.marked.side_model import side_models

PX_PER_MM = 1.7
AT = (120.0, 60.0)
CLOTH = (40, 160, 60)
BIG = 2


@pytest.mark.parametrize("face", [3, 50, 66])
def test_a_covered_middle_does_not_colour_a_mark(deck: Deck, face: int) -> None:
    image = np.full((340, 420, 3), (60, 90, 120), np.uint8)
    lay(image, deck, deck.side("white")[face], AT, 0.0, PX_PER_MM)
    model = side_models(deck)["white"]
    marks = true_marks(model.layouts, poses([face], [0.0], [(AT[0] / PX_PER_MM, AT[1] / PX_PER_MM)]), PX_PER_MM)
    (x, y), reach = marks.centres_px[BIG], round(1.3 * PX_PER_MM * float(np.sqrt(marks.areas_mm2[BIG] / np.pi)))
    left, middle = round(x) - round(0.42 * reach), round(y)
    cv2.rectangle(image, (left, middle - reach), (left + 2 * reach, middle + reach), CLOTH, -1)
    sampler = Sampler(work_image(image, PX_PER_MM), flat_table((420, 340), PX_PER_MM))
    towards = np.tile(np.linspace(0.75 * np.pi, 1.25 * np.pi, RING), (3, 1))
    true = model.palette.hues_deg[model.colours[face, BIG]]
    looks = looks_of(sampler, model.layouts, marks, towards)
    assert abs(hue_gap(looks.hues_deg[BIG], true)) < 20
    assert looks.free[BIG]
    assert abs(hue_gap(looks_of(sampler, model.layouts, marks).hues_deg[BIG], true)) > 20
