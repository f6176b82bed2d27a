"""Measures a picture at its marker cards: brightness and colour of white, and sharpness of edges.

Markers are black and white with sharp edges at constant places, so they show a switched lamp, or a smeared or turned
lens, whatever the game does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Image, Singles
from vision.markers import MARKER_MM, Marker, cells_of

_VISIBLE = 0.9  # least correlation of a visible marker with its earlier look or its print
_LEAST_CONTRAST = 10.0  # levels
_SIDE_PX = 56  # larger markers are scaled down; relevant blur remains visible
_ROUND = 0.12  # of its side: the paper around it
BLURS = (0.0, 0.012, 0.02, 0.03, 0.045, 0.065, 0.09, 0.13, 0.18)
"""Tested blurs, as sigma by the marker's side."""
_SHIFT_PX = 1
_FOUND_AGAIN = 0.8  # least correlation of a marker that has moved and may be turned a little
_REACH = 0.9  # of its side: radius of the search
_LEAST_PATCH_PX = 24
_BORDER_MM = 5  # of the white paper around the print
_SIGMAS_MM = tuple(0.25 * step for step in range(25))


@dataclass(frozen=True, eq=False)
class MarkerSights:
    """Measurements of n markers.

    white_bgr (n, 3): levels of its white. mean_bgr (n, 3): levels of it and its paper, which no blur changes. in_sight
    (n,): fully visible. blur (n,): increase of blur, as sigma by its side; depth (n,): its contrast as a share of its
    earlier look with the same blur. Both are NaN for a hidden marker, or without an earlier look.
    """

    white_bgr: Floats
    mean_bgr: Floats
    in_sight: NDArray[np.bool_]
    blur: Floats
    depth: Floats


@dataclass(frozen=True, eq=False)
class Places:
    """Old and new places of visible markers.

    before_px, now_px (k, 2): the middles. side_px (k,): the length of a side.
    """

    before_px: Floats
    now_px: Floats
    side_px: Floats


class MarkerWatch:
    """Measures markers at known places against their kept look."""

    def __init__(self, markers: Sequence[Marker]) -> None:
        self.markers = tuple(markers)
        self._kept: list[list[Singles] | None] = [None] * len(self.markers)
        self._patches: list[Image | None] = [None] * len(self.markers)

    def keep(self, image: Image) -> None:
        """Keep a picture's look of the markers, (h, w, 3) uint8 BGR, as the reference."""
        for index, marker in enumerate(self.markers):
            crop, _ = _crop(image, marker.corners_px)
            if crop.size:
                small = _small(crop)
                side = max(small.shape)
                self._kept[index] = [_blurred(small, share * side) for share in BLURS]
                self._patches[index] = _grey(crop)

    def look(self, image: Image) -> MarkerSights:
        """Return measurements of a picture of the reference's size."""
        count = len(self.markers)
        white, mean = np.zeros((count, 3)), np.zeros((count, 3))
        blur, depth = np.full(count, np.nan), np.full(count, np.nan)
        in_sight = np.zeros(count, bool)
        for index, marker in enumerate(self.markers):
            crop, corners = _crop(image, marker.corners_px)
            if crop.size == 0:
                continue
            seen, printed = cells_of(crop, corners, marker.id)
            white[index] = np.median(seen[printed], axis=0)
            mean[index] = cv2.mean(crop)[:3]
            kept = self._kept[index]
            if kept is None:
                in_sight[index] = _shows(seen.mean(axis=1), printed)
            else:
                in_sight[index], blur[index], depth[index] = _compared(_small(crop), kept)
        return MarkerSights(white, mean, in_sight, blur, depth)

    def places(self, image: Image, sights: MarkerSights) -> Places:
        """Return the places of the markers; one without its earlier look is searched nearby."""
        before, now, sides = [], [], []
        for marker, patch, blur in zip(self.markers, self._patches, sights.blur, strict=True):
            if patch is None:
                continue
            # A marker that is a few pixels off its place resembles a blurred one.
            shift = np.zeros(2) if blur == 0 else _shift(image, marker.corners_px, patch)
            if shift is not None:
                middle = marker.corners_px.mean(axis=0)
                before.append(middle)
                now.append(middle + shift)
                sides.append(float(np.linalg.norm(marker.corners_px[1] - marker.corners_px[0])))
        return Places(np.array(before).reshape(-1, 2), np.array(now).reshape(-1, 2), np.array(sides))


def blurs_mm(image_bgr: NDArray[np.uint8], markers: Sequence[Marker]) -> NDArray[np.float64]:
    """Return each marker's blur in a picture (h, w, 3), (n,) sigma in mm on the table, 6 at most."""
    side = round(MARKER_MM) + 2 * _BORDER_MM
    low, high = _BORDER_MM - 0.5, side - _BORDER_MM - 0.5
    square = np.array([[low, low], [high, low], [high, high], [low, high]], np.float32)
    found = []
    for marker in markers:
        upright = cv2.getPerspectiveTransform(marker.corners_px.astype(np.float32), square)
        seen = cv2.cvtColor(cv2.warpPerspective(image_bgr, upright, (side, side)), cv2.COLOR_BGR2GRAY)
        alike = [float(np.corrcoef(seen.ravel(), print_.ravel())[0, 1]) for print_ in _prints(marker.id)]
        found.append(_SIGMAS_MM[int(np.argmax(alike))])
    return np.array(found, np.float64)


@cache
def _prints(number: int) -> tuple[NDArray[np.float64], ...]:
    """Return a marker's print with some paper around it, in px of a mm, once for each blur."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    sharp = cv2.aruco.generateImageMarker(dictionary, number, round(MARKER_MM)).astype(np.float64)
    sheet = np.pad(sharp, _BORDER_MM, constant_values=255.0)
    return tuple(np.asarray(cv2.GaussianBlur(sheet, (0, 0), max(sigma, 0.05))) for sigma in _SIGMAS_MM)


def _shows(light: Floats, printed: NDArray[np.bool_]) -> bool:
    """Return whether the lightness of cells (k,) shows a marker's print."""
    if light[printed].mean() - light[~printed].mean() < _LEAST_CONTRAST:
        return False
    return float(np.corrcoef(light, printed)[0, 1]) > _VISIBLE


def _compared(now: Singles, kept: Sequence[Singles]) -> tuple[bool, float, float]:
    """Return whether this matches the kept look, its additional blur by its side, and its relative contrast."""
    if now.shape != kept[0].shape or float(np.ptp(now)) < _LEAST_CONTRAST:
        return False, np.nan, np.nan
    likeness = [_likeness(now, kept[0]), _likeness(now, kept[1])]
    # A sharper match already shows that the marker is as sharp as before.
    while len(likeness) < len(kept) and likeness[-1] > likeness[-2]:
        likeness.append(_likeness(now, kept[len(likeness)]))
    best = int(np.argmax(likeness))
    if likeness[best] < _VISIBLE:
        return False, np.nan, np.nan
    return True, BLURS[best], float(now.std() / max(float(kept[best].std()), 1e-3))


def _likeness(now: Singles, kept: Singles) -> float:
    """Return the highest correlation over the shifts of a table that somebody leaned on."""
    inner = now[_SHIFT_PX:-_SHIFT_PX, _SHIFT_PX:-_SHIFT_PX]
    return float(cv2.matchTemplate(kept, inner, cv2.TM_CCOEFF_NORMED).max())


def _shift(image: Image, corners_px: Floats, patch: Image) -> Floats | None:
    """Return the shift of a patch that was at corners (4, 2), px; None if it is not found."""
    height, width = image.shape[:2]
    _, corners = _crop(image, corners_px)
    origin = np.rint(corners_px - corners).astype(int)[0]
    reach = round(_REACH * max(patch.shape))
    first = np.maximum(origin - reach, 0)
    last = np.minimum(origin + (patch.shape[1], patch.shape[0]) + reach, (width, height))
    step = 0.5 if min(patch.shape) >= 2 * _LEAST_PATCH_PX else 1.0
    window, wanted = (
        np.asarray(cv2.resize(part, None, fx=step, fy=step, interpolation=cv2.INTER_AREA))
        for part in (_grey(image[first[1] : last[1], first[0] : last[0]]), patch)
    )
    if min(window.shape[0] - wanted.shape[0], window.shape[1] - wanted.shape[1]) < 0:
        return None
    _, likeness, _, at = cv2.minMaxLoc(cv2.matchTemplate(window, wanted, cv2.TM_CCOEFF_NORMED))
    return np.array(at) / step + first - origin if likeness >= _FOUND_AGAIN else None


def _grey(image: Image) -> Image:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)


def _blurred(picture: Singles, sigma_px: float) -> Singles:
    return picture if sigma_px <= 0 else np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma_px), np.float32)


def _small(crop: Image) -> Singles:
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.float32)
    scale = _SIDE_PX / max(grey.shape)
    if scale >= 1:
        return grey
    size = (max(8, round(grey.shape[1] * scale)), max(8, round(grey.shape[0] * scale)))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.float32)


def _crop(image: Image, corners_px: Floats) -> tuple[Image, Floats]:
    """Return the part of a picture with a marker and some of its paper, and the marker's corners in it."""
    height, width = image.shape[:2]
    low, high = corners_px.min(axis=0), corners_px.max(axis=0)
    margin = _ROUND * float((high - low).max())
    first = np.maximum(np.floor(low - margin).astype(int), 0)
    last = np.minimum(np.ceil(high + margin).astype(int) + 1, (width, height))
    if (last - first < 12).any():
        return image[:0, :0], corners_px
    return image[first[1] : last[1], first[0] : last[0]], corners_px - first
