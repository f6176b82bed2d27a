"""What lies still on a drawn table, drawn once: only where a card has come or gone is it drawn anew."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from simulation.pieces import Patch, common
from simulation.view import Image, Look

Box = tuple[int, int, int, int]
# Light is kept in 128ths, so that a multiplication of bytes is enough.
_LIGHT_UNIT = 128
_BLUR_MARGIN = 4


class StillLayer:
    """The table with the cards that lie still, as the lens shows it, without noise.

    bare: the table with all that never moves, (h, w, 3) uint8 BGR, in full light. light: (h, w, 3), see
    `simulation.surface.light_over`. `picture` is what is to be seen; `version` grows when it changes.
    """

    def __init__(self, bare: Image, light: NDArray[np.float32], look: Look) -> None:
        self._bare = bare
        self._plain = bare.copy()
        self._light = np.clip(np.rint(light * _LIGHT_UNIT), 0, 255).astype(np.uint8)
        self._look = look
        self._lying: dict[object, Patch] = {}
        height, width = bare.shape[:2]
        self._all: Box = (0, 0, width, height)
        self.picture = bare.copy()
        self.version = 0
        self._develop(self._all)

    def show(self, patches: Sequence[tuple[object, Patch]]) -> None:
        """Let these pieces lie there, the lowest first, each under a key that changes when it lies elsewhere."""
        now = dict(patches)
        if list(now) == list(self._lying):
            return
        old_order, new_order = list(self._lying), list(now)
        changed = [self._lying[key] for key in old_order if key not in now]
        changed += [now[key] for key in new_order if key not in self._lying]
        stayed = [key for key in old_order if key in now]
        if stayed != [key for key in new_order if key in self._lying]:
            changed = [*self._lying.values(), *now.values()]
        self._lying = now
        self.version += 1
        for patch in changed:
            self._redraw(patch.box)

    def lit(self, colour: Image, low: tuple[int, int]) -> Image:
        """Give a piece of picture, (h, w, 3), as it looks in the lamp's light with its top-left pixel at `low`."""
        height, width = colour.shape[:2]
        light = self._light[low[1] : low[1] + height, low[0] : low[0] + width]
        return np.asarray(cv2.multiply(colour, light, scale=1 / _LIGHT_UNIT), np.uint8)

    def light_at(self, x_px: float, y_px: float) -> tuple[float, float, float]:
        """Give the light at a pixel, 1 is full: blue, green, red."""
        height, width = self._light.shape[:2]
        x, y = min(max(round(x_px), 0), width - 1), min(max(round(y_px), 0), height - 1)
        blue, green, red = (float(part) / _LIGHT_UNIT for part in self._light[y, x])
        return blue, green, red

    def _redraw(self, box: Box) -> None:
        left, top, right, bottom = box
        self._plain[top:bottom, left:right] = self._bare[top:bottom, left:right]
        for patch in self._lying.values():
            patch.blend(self._plain, box)
        grown = (left - _BLUR_MARGIN, top - _BLUR_MARGIN, right + _BLUR_MARGIN, bottom + _BLUR_MARGIN)
        self._develop(common(grown, self._all))

    def _develop(self, box: Box) -> None:
        """Bring light and the lens's blur into a part of the picture."""
        wide = (box[0] - _BLUR_MARGIN, box[1] - _BLUR_MARGIN, box[2] + _BLUR_MARGIN, box[3] + _BLUR_MARGIN)
        left, top, right, bottom = common(wide, self._all)
        seen = self.lit(self._plain[top:bottom, left:right], (left, top))
        if self._look.blur_px > 0:
            seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), self._look.blur_px), np.uint8)
        inner = seen[box[1] - top : box[3] - top, box[0] - left : box[2] - left]
        self.picture[box[1] : box[3], box[0] : box[2]] = inner
