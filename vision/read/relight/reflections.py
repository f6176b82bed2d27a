"""Finds a lamp's reflection on a print: it is white, and its surroundings look like no print.

Its edge is steeper than any wave of a veil, so a fit is wrong there, and better without it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats, Singles
from vision.channels import smallest
from vision.read.rectify import Pyramid


@dataclass(frozen=True)
class ReflectionParams:
    """Parameters of a lamp's reflection; lengths in cells, levels shares of white."""

    dark: float = 0.75  # of white: some channel of a print is darker, also of pale paint such as pink
    thick: int = 3  # cells: a line of white that is a little off is thinner
    edge: int = 7  # cells across: the steep edge about shining cells, which a fit may partly explain as print
    reach: int = 13  # cells across: the extent of the rest of it
    cells: int = 24  # across and down a place that is checked as a whole


REFLECTION = ReflectionParams()

DARKER = 0.06  # of white: by how much noise may make lit print look darker than it is, in some channel
CLIPPED = 247 / 255  # of white: as bright as the camera can measure


def glare_of(shines: Flags, print_levels: Singles, odd: Flags, lit: Flags, used: Flags) -> Flags:
    """Return the cells (cells,) changed by a reflection, of the `used` ones of a card (h, w).

    `shines` (cells,) are too bright for a card without gloss; `print_levels` (3, cells) is the predicted print, of
    white;
    `odd` (cells,) differ from the fit, and `lit` of these are no darker.
    """
    out_of_dark = shines & (print_levels.min(axis=0) < REFLECTION.dark)
    if not out_of_dark.any() or not odd.any():
        return np.zeros_like(out_of_dark)
    core = _whole(_thick(_spread(shines, used)), _thick(_spread(out_of_dark, used)))
    edge, near = (
        cv2.dilate(core, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (s, s)))
        for s in (REFLECTION.edge, REFLECTION.reach)
    )
    glare = cv2.bitwise_or(cv2.bitwise_and(edge, _spread(odd, used)), cv2.bitwise_and(near, _spread(lit, used)))
    # A cell that fits by chance between others that do not is changed as well.
    return np.asarray(
        cv2.morphologyEx(glare, cv2.MORPH_CLOSE, np.ones((REFLECTION.thick, REFLECTION.thick), np.uint8))[used] > 0
    )


def bleached_shares(picture: Pyramid, quads: Floats) -> Floats:
    """Return the share (n,) of places (n, 4, 2) px that is as white as the camera can measure."""
    sheets = picture.straight(quads, REFLECTION.cells, REFLECTION.cells)
    return np.asarray((smallest(sheets) >= CLIPPED).mean(axis=(1, 2)), np.float64)


def _thick(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.morphologyEx(cells, cv2.MORPH_OPEN, np.ones((REFLECTION.thick, REFLECTION.thick), np.uint8)))


def _whole(shining: NDArray[np.uint8], core: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return all cells that shine together with a core, (h, w): a reflection does not end where white print begins."""
    count, labels = cv2.connectedComponents(cv2.bitwise_or(shining, core))
    reflects = np.zeros(count, np.uint8)
    reflects[labels[core > 0]] = 1
    return np.asarray(reflects[labels])


def _spread(cells: Flags, used: Flags) -> NDArray[np.uint8]:
    """Return the flags of used cells over the whole card, (h, w)."""
    whole = np.zeros(used.shape, np.uint8)
    whole[used] = cells
    return whole
