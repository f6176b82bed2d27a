"""The tint of paper and table: what is as light as the table is seldom as blue or yellow, in whatever shadow."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_edges import frames
from vision.unknown.line_segments import meet_sides

Floats = NDArray[np.float32]

_BLUR_PX = 1.5  # of the halved picture: noise in colour is coarse
_DARK = 16.0  # grey levels: what is darker has no tint worth the name
_MOST = 40.0  # times the noise
_NORMAL = 1.48  # of the median distance from 0
_BESIDE_PX = np.array([4.0, 7.0, 10.0], np.float32)
_ALONG = np.linspace(0.1, 0.9, 15, dtype=np.float32)
_PLACES = np.linspace(0.1, 0.9, 25, dtype=np.float32)
_DEEP_PX = 4  # on either side of an edge, over which tints are averaged
_TURNS_PX = np.linspace(-6, 6, 9, dtype=np.float32)  # of a side's ends
_CLIP = 12.0  # print nearby must not outweigh the rest of a side
_NEAREST = 0.01  # of a noise, for each pixel
_AT_ONCE = 30000  # rows: OpenCV takes at most 32767


@dataclass(frozen=True, eq=False)
class TintMap:
    """How much bluer than usual each place of a picture is, (h / 2, w / 2), by the noise; minus for yellower.

    The logarithm of blue by the mean of red and green: neither shadows nor lamps that fall off change that, and all its
    noise is in the colour. White paper and white tables differ in it by whiteners and age.
    """

    values: Floats

    def at(self, points: Floats) -> Floats:
        """The tints (..., m) at points (..., m, 2) of the picture."""
        x, y = (
            np.ascontiguousarray((points[..., k].reshape(-1, points.shape[-2]) + 0.5) / 2 - 0.5, np.float32)
            for k in (0, 1)
        )
        rows = [slice(k, k + _AT_ONCE) for k in range(0, len(x), _AT_ONCE)]
        found = [cv2.remap(self.values, x[k], y[k], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) for k in rows]
        return np.concatenate([np.zeros((0, points.shape[-2])), *found]).reshape(points.shape[:-1]).astype(np.float32)

    def steps(self, quads: Floats) -> Floats:
        """By how much it is bluer inside than outside, at places along each side of quadrilaterals: (n, 4, places)."""
        start, side, outward = frames(quads)
        line = start[:, None] + side[:, None] * _ALONG[:, None]
        away = outward[:, None, None] * _BESIDE_PX[:, None]
        inside, outside = (np.median(self.at(line[:, :, None] + way * away), axis=2) for way in (-1, 1))
        return np.asarray((inside - outside).reshape(-1, 4, len(_ALONG)), np.float32)

    def moved(self, quads: Floats, way: int, reach_px: float) -> tuple[Floats, Floats]:
        """Quadrilaterals (n, 4, 2) with each side where it gets bluer inward most, yellower if `way` is -1.

        And by how much it does beside each side (n, 4). Sides move by `reach_px` at most.
        """
        start, side, outward = frames(quads)
        reach = round(reach_px)
        offsets = np.arange(-reach - _DEEP_PX - 1, reach + _DEEP_PX + 2, dtype=np.float32)
        line = start[:, None] + side[:, None] * _PLACES[:, None]
        tints = way * self.at(line[:, :, None] + outward[:, None, None] * offsets[:, None])
        total = np.cumsum(np.pad(tints, ((0, 0), (0, 0), (1, 0))), axis=2)
        mean = (total[:, :, _DEEP_PX:] - total[:, :, :-_DEEP_PX]) / _DEEP_PX
        falls = np.zeros_like(tints)
        falls[:, :, _DEEP_PX:-_DEEP_PX] = mean[:, :, : -_DEEP_PX - 1] - mean[:, :, _DEEP_PX + 1 :]
        falls = np.clip(falls, -_CLIP, _CLIP)
        rows, at = np.arange(len(_PLACES))[:, None], np.arange(len(offsets))
        best = np.full((3, len(start)), -np.inf)
        for turn in _TURNS_PX:
            index = np.clip(at + np.rint((2 * _PLACES[:, None] - 1) * turn).astype(int), 0, len(offsets) - 1)
            seen = falls[:, rows, index].mean(axis=1) - _NEAREST * (np.abs(offsets) + abs(turn))
            seen[:, np.abs(offsets) > reach] = -np.inf
            k = seen.argmax(axis=1)
            found = np.stack([np.take_along_axis(seen, k[:, None], 1)[:, 0], offsets[k], np.full(len(k), turn)])
            best = np.where(found[0] > best[0], found, best)
        strength, offset, turn = best
        shift = offset[:, None] + turn[:, None] * np.array([-1, 1], np.float32)
        ends = np.stack([start, start + side], axis=1) + outward[:, None] * shift[..., None]
        moved = meet_sides(np.asarray(ends.reshape(-1, 4, 2, 2), np.float32), quads, reach_px)
        return moved, np.asarray(strength.reshape(-1, 4), np.float32)


def tint_map(image_bgr: NDArray[np.uint8]) -> TintMap:
    """The tints of an (h, w, 3) picture."""
    half = cv2.resize(image_bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA).astype(np.float32)
    light = np.log(cv2.GaussianBlur(half, (0, 0), _BLUR_PX) + _DARK)
    blue = np.asarray(light[..., 0] - (light[..., 1] + light[..., 2]) / 2, np.float32)
    rest = np.abs(blue - cv2.GaussianBlur(blue, (0, 0), 2 * _BLUR_PX))
    noise = max(_NORMAL * float(np.median(rest)), 1e-4)
    return TintMap(np.asarray(np.clip((blue - np.median(blue)) / noise, -_MOST, _MOST), np.float32))
