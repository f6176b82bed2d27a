"""Counts marks on a hypothetical card that its face does not have: evidence for another face."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.deck import Deck
from vision.marked.layouts import Hypotheses, Layouts
from vision.marked.marks import Marks
from vision.quads import within_quads

_INSET_MM = 2.0
_LEAST_AREA_MM2 = 25.0
_LEAST_FULLNESS = 0.6


def print_like(marks: Marks) -> NDArray[np.intp]:
    """Return the marks (k,) that may be the visible part of a covered one."""
    return np.flatnonzero((marks.areas_mm2 > _LEAST_AREA_MM2) & (marks.fullness > _LEAST_FULLNESS))


def stray_marks(
    hypotheses: Hypotheses,
    deck: Deck,
    layouts: Layouts,
    marks: Marks,
    chosen: NDArray[np.intp],
    likely: NDArray[np.bool_],
    known_mm: Floats,
) -> Floats:
    """Return how many (n,) of the chosen (k,) marks are on each card, outside known cards, and not its own.

    `likely` (k, faces, 3): whether the chosen mark's colour may be that of the face's mark.
    """
    if not len(hypotheses) or not len(chosen):
        return np.zeros(len(hypotheses))
    centres = marks.centres_mm[chosen]
    open_ground = ~within_quads(centres, known_mm)
    cos, sin = np.cos(hypotheses.turn)[:, None], np.sin(hypotheses.turn)[:, None]
    gap = centres[None] - hypotheses.shift_mm[:, None]
    card = np.stack([cos * gap[..., 0] + sin * gap[..., 1], cos * gap[..., 1] - sin * gap[..., 0]], axis=-1)
    size = np.array(deck.card_mm)
    on_card = ((card > _INSET_MM) & (card < size - _INSET_MM)).all(-1) & open_ground
    radius = np.sqrt(layouts.areas_mm2 / np.pi / layouts.fullness)[hypotheses.faces]
    apart = np.linalg.norm(card[:, :, None] - layouts.centres_mm[hypotheses.faces][:, None], axis=-1)
    own = ((apart < radius[:, None]) & likely[:, hypotheses.faces].transpose(1, 0, 2)).any(-1)
    return np.asarray((on_card & ~own).sum(1), dtype=np.float64)
