"""Computes the model of one side of a deck, once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.deck import Deck
from vision.marked.colour import Palette, printed_palette
from vision.marked.contours import Contours, contours_of
from vision.marked.layouts import Layouts, layouts_of
from vision.marked.sample_points import sample_points


@dataclass(frozen=True, eq=False)
class SideModel:
    """The model of one side of a deck, computed once.

    `points_mm`: see `sample_points`; `colours` (n, 3): palette index of every face's marks.
    """

    layouts: Layouts
    points_mm: Floats
    contours: Contours
    palette: Palette
    colours: NDArray[np.intp]


@lru_cache(maxsize=4)
def side_models(deck: Deck) -> dict[str, SideModel]:
    """Return the models of both sides of a deck."""
    models = {}
    for side in deck.background:
        layouts, palette = layouts_of(deck, side), printed_palette(deck, side)
        colours = np.array([[palette.names.index(m.colour) for m in face.marks] for face in layouts.faces])
        models[side] = SideModel(layouts, sample_points(deck, layouts), contours_of(deck, layouts), palette, colours)
    return models
