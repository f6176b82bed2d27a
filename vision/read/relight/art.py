"""The art of one face for fits of light: its fields of light, and its change as its place moves."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats, Image, Singles
from vision.read.relight.model import INDEPENDENT, ArtFields, Light, art_fields, spread_of

_FINE = 4  # samples to a cell's side, for the art's slopes
_SOFT = 1.5  # of those samples: about a picture's own blur, and how far a first place may be off
_NOISE, _EDGE = 0.08, 0.6  # of white: changes by light and print; of the art's variation round a cell
_MOVES_MM = np.array([1.0, 1.2, 1.2, 1.0, 1.2, 1.2])  # a card's middle, and the possible error of its edges


@dataclass(frozen=True, eq=False)
class LitArt:
    """`fields` of the used cells; `slopes` (6, 3, cells): their change for a mm of each of six moves."""

    fields: ArtFields
    slopes: Singles

    def step(self, light: Light, open_to_see: Flags, moved_mm: Floats) -> Floats:
        """Return the remaining offset (6,) of the art from the picture, in mm, by the open cells.

        The moves are across, by the place across and by the place down, then down likewise; `moved_mm` are the moves so
        far.
        """
        slopes = self.slopes * light.contrast
        pull = (slopes * (INDEPENDENT * light.weight * open_to_see)).reshape(len(_MOVES_MM), -1)
        normal = pull @ slopes.reshape(len(_MOVES_MM), -1).T + np.diag(1 / _MOVES_MM**2)
        return np.asarray(np.linalg.solve(normal, -(pull @ light.gap.reshape(-1)) - moved_mm / _MOVES_MM**2))


def places_of(used: Flags) -> Singles:
    """Return the places (2, cells) of the used cells of a card (rows, columns), across and down, -0.5 to 0.5."""
    rows, columns = used.shape
    across, down = np.meshgrid((np.arange(columns) + 0.5) / columns - 0.5, (np.arange(rows) + 0.5) / rows - 0.5)
    return np.stack([across, down])[:, used].astype(np.float32)


def lit_art(picture: Image, used: Flags, size_mm: tuple[float, float]) -> LitArt:
    """Return the art of a picture (h, w, 3) of a card of this size, by its used cells (rows, columns)."""
    rows, columns = used.shape

    def cells(fine: NDArray[np.floating]) -> Singles:
        shrunk = cv2.resize(np.asarray(fine, np.float32), (columns, rows), interpolation=cv2.INTER_AREA)
        return np.asarray(shrunk, np.float32)

    def flat(sheet: NDArray[np.floating]) -> Singles:
        return np.ascontiguousarray(sheet[used].T, np.float32)

    fine = cv2.resize(picture, (columns * _FINE, rows * _FINE), interpolation=cv2.INTER_AREA)
    soft_fine = np.asarray(cv2.GaussianBlur(fine.astype(np.float32) / 255, (0, 0), _SOFT), np.float32)
    art = cells(soft_fine)
    right, down = (
        flat(cells(np.gradient(soft_fine, axis=axis)) * (_FINE * count / side))
        for axis, count, side in ((1, columns, size_mm[0]), (0, rows, size_mm[1]))
    )
    x, y = places_of(used)
    slopes = np.stack([right, right * x, right * y, down, down * x, down * y])
    noise = _NOISE**2 + (_EDGE * spread_of(art)[used]) ** 2
    soft = flat(np.asarray(cv2.GaussianBlur(art, (0, 0), 1.0), np.float32))
    return LitArt(art_fields(flat(art), soft, noise.astype(np.float32)), slopes.astype(np.float32))
