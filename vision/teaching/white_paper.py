"""Estimates white paper across a picture; divided by it, print looks as under white light.

A picture's levels are taken as they are, in the picture's own gamma: a lamp multiplies them there, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image, Singles
from vision.channels import largest
from vision.markers import Marker

_SIDE_PX = 36
_PAPER = 0.85  # of a marker's levels: two thirds of it, and more, are ink
_DARKEST = 0.08  # of full: a darker pixel shows no colour
_ENOUGH = 4  # markers, from which a slope of light can be identified
_STEEPEST = 2.5  # times as bright at one place of the picture as at another
_CLIPPED = 250.0 / 255.0


@dataclass(frozen=True, eq=False)
class WhitePaper:
    """The levels of white paper: exp(`brightness` . (1, x, y)) * `tint`, x and y from -1 to 1 across the picture.

    `tint` (3,) BGR has the mean 1.
    """

    size_px: tuple[int, int]
    brightness: Floats
    tint: Floats

    def at(self, points_px: NDArray[np.floating]) -> Singles:
        """(..., 3) BGR from 0 to 1 at points (..., 2)."""
        x = points_px[..., 0] / self.size_px[0] * 2 - 1
        y = points_px[..., 1] / self.size_px[1] * 2 - 1
        a, b, c = self.brightness
        level = np.exp(np.clip(a + b * x + c * y, np.log(_DARKEST), np.log(1.5)))
        return np.asarray(level[..., None] * self.tint, np.float32)


def under_white(card: Singles, paper: Singles) -> Singles:
    """A card's levels (h, w, 3) as they would be on white paper's level 1, by the paper's levels there.

    No print is brighter than white paper: where it comes out so the lamp stands nearer to the card than to the markers.
    """
    print_ = card / np.maximum(paper, 1e-3)
    brightest = float(np.quantile(largest(print_), 0.97))
    return np.asarray(np.clip(print_ / max(brightest, 1.0), 0, 1), np.float32)


def paper_of_markers(image_bgr: Image, markers: Sequence[Marker]) -> WhitePaper | None:
    """White paper as the marker cards in a picture show it; None without one that is bright enough."""
    size = (image_bgr.shape[1], image_bgr.shape[0])
    whites, places = [], []
    for marker in markers:
        white = _white_of(image_bgr, marker)
        if white.max() > _DARKEST:
            whites.append(white)
            places.append(marker.corners_px.mean(axis=0))
    if not whites:
        return None
    levels = np.maximum(np.array(whites), 1e-3)
    # Where paper has clipped it is brighter than it shows, and of no tint.
    sound = (levels < _CLIPPED).all(axis=1)
    told = levels[sound] if sound.any() else levels
    tint = np.median(told / told.mean(axis=1, keepdims=True), axis=0)
    brightness = np.log(levels.mean(axis=1))
    at = np.array(places) / size * 2 - 1
    plane = np.array([float(np.mean(brightness)), 0.0, 0.0])
    if len(whites) >= _ENOUGH:
        fitted = np.linalg.lstsq(np.column_stack([np.ones(len(at)), at]), brightness, rcond=None)[0]
        if 2 * np.abs(fitted[1:]).sum() < np.log(_STEEPEST):
            plane = np.asarray(fitted, np.float64)
    return WhitePaper(size, plane, np.asarray(tint / tint.mean(), np.float64))


def paper_of_cards(size_px: tuple[int, int], levels: Sequence[Singles]) -> WhitePaper:
    """White paper as the cards themselves show it, of the levels (h, w, 3) 0 to 1 of several cards of one picture.

    The brightest of all cards is white as far as anybody knows; its tint is the lamp's only where most cards share it.
    """
    brightest = []
    for card in levels:
        light = card.mean(axis=2)
        at = light >= np.quantile(light, 0.9)
        brightest.append(np.median(card[at], axis=0))
    whites = np.maximum(np.array(brightest), 1e-3)
    level = max(float(np.quantile(whites.mean(axis=1), 0.9)), _DARKEST)
    tints = whites / whites.mean(axis=1, keepdims=True)
    tint = np.median(tints, axis=0)
    alike = np.abs(tints - tint).max(axis=1) < 0.06
    plain = alike.mean() > 0.6 and np.abs(tint - 1).max() < 0.35
    return WhitePaper(size_px, np.array([np.log(level), 0.0, 0.0]), tint / tint.mean() if plain else np.ones(3))


def _white_of(image_bgr: Image, marker: Marker) -> Floats:
    """(3,) BGR 0 to 1 of a marker card's paper."""
    corners = np.array([[0, 0], [_SIDE_PX, 0], [_SIDE_PX, _SIDE_PX], [0, _SIDE_PX]], np.float32) - 0.5
    warp = cv2.getPerspectiveTransform(corners, marker.corners_px.astype(np.float32))
    sheet = cv2.warpPerspective(image_bgr, warp, (_SIDE_PX, _SIDE_PX), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    pixels = sheet.reshape(-1, 3).astype(np.float64) / 255
    light = pixels.mean(axis=1)
    bright = light >= np.quantile(light, _PAPER)
    return np.asarray(np.median(pixels[bright], axis=0))
