"""When and where the table last moved, from small grey pictures; says nothing of what moved."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.frames import Frame

WIDTH_PX = 240
_BLUR_PX = 1.5
_LEAST_STEP = 5.0  # grey levels; what lies below is compression and flicker
_NOISES = 8.0
_LEAST_PIXELS = 6
_BLACK = 4.0  # levels at which the share says nothing

Polygon = NDArray[np.float64]


class Stillness:
    """Follows a table through its frames, within `watch` if that has been called, else in the whole picture."""

    def __init__(self) -> None:
        self._since_ns: int | None = None
        self._anchor: NDArray[np.float32] | None = None
        self._moved_ns: NDArray[np.int64] | None = None
        self._area: Polygon | None = None
        self._mask: NDArray[np.bool_] | None = None

    def watch(self, area: Polygon) -> None:
        """Look only at what lies within a polygon (k, 2), in shares of the picture's size: people move outside it."""
        self._area, self._mask = area, None

    @property
    def watches(self) -> bool:
        """Whether `watch` was called."""
        return self._area is not None

    def look(self, frame: Frame) -> None:
        """Take the next frame."""
        t_ns, now = frame.exposure_end_ns, _small(frame)
        if self._anchor is None or self._anchor.shape != now.shape or self._moved_ns is None:
            self._moved_ns, self._mask = np.full(now.shape, t_ns, np.int64), None
            self._since_ns, self._anchor = t_ns, now
            return
        if self._mask is None:
            self._mask = np.ones(now.shape, bool) if self._area is None else _inside(self._area, now.shape)
        # Compared is what lay there when it came to rest, not the frame before: slow hands move too little in a frame.
        moved = _differs(self._anchor, now) & self._mask
        if np.count_nonzero(moved) >= _LEAST_PIXELS:
            self._moved_ns[moved] = t_ns
            self._since_ns, self._anchor = t_ns, now

    def still_ns(self, t_ns: int) -> int:
        """Give for how long, ns, nothing has moved at `t_ns`; 0 before the first frame."""
        return 0 if self._since_ns is None else max(0, t_ns - self._since_ns)

    def moved_since(self, t_ns: int, area: Polygon) -> bool:
        """Tell whether anything moved at `t_ns` or later within a polygon (k, 2), in shares of the picture's size."""
        if self._moved_ns is None:
            return True
        late = (self._moved_ns >= t_ns) & _inside(area, self._moved_ns.shape)
        return bool(np.count_nonzero(late) >= _LEAST_PIXELS)


def _small(frame: Frame) -> NDArray[np.float32]:
    grey = frame.small_grey if frame.small_grey is not None else frame.grey()
    height = max(1, round(grey.shape[0] * WIDTH_PX / grey.shape[1]))
    small = cv2.resize(grey, (WIDTH_PX, height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small.astype(np.float32), (0, 0), _BLUR_PX), np.float32)


def _inside(area: Polygon, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    mask = np.zeros(shape, np.uint8)
    cv2.fillPoly(mask, [np.rint(area * (shape[1], shape[0])).astype(np.int32)], 1)
    return np.asarray(mask > 0)


def _differs(before: NDArray[np.float32], now: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Tell what differs by more than noise, when a change of the whole picture's light has been taken out."""
    # Light that fades takes from white more levels than from wood, but of both the same share.
    step = now - before * np.float32(np.median((now + _BLACK) / (before + _BLACK)))
    step -= np.median(step)
    noise = 1.4826 * float(np.median(np.abs(step)))
    return np.asarray(np.abs(step) > max(_LEAST_STEP, _NOISES * noise))
