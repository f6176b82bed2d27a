"""When and where the table last moved, from small grey pictures; says nothing of what moved."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Frame

WIDTH_PX = 240
_BLUR_PX = 1.5
_LEAST_STEP = 5.0  # grey levels; what lies below is compression and flicker
_NOISES = 8.0
_LEAST_PIXELS = 6

Grey = NDArray[np.uint8]


class Stillness:
    """Follows a table through its frames.

    `since_ns` is when anything last moved: the end of exposure of the first frame since which all look alike.
    """

    def __init__(self) -> None:
        self.since_ns: int | None = None
        self._before: NDArray[np.float32] | None = None
        self._moved_ns: NDArray[np.int64] | None = None

    def look(self, frame: Frame) -> None:
        """Take the next frame."""
        t_ns, now = frame.exposure_end_ns, _small(frame)
        if self._before is None or self._before.shape != now.shape or self._moved_ns is None:
            self._moved_ns = np.full(now.shape, t_ns, np.int64)
            self.since_ns = t_ns
        else:
            moved = _moved(self._before, now)
            if np.count_nonzero(moved) >= _LEAST_PIXELS:
                self._moved_ns[moved] = t_ns
                self.since_ns = t_ns
        self._before = now

    def still_ns(self, t_ns: int) -> int:
        """Give for how long, ns, nothing has moved anywhere at `t_ns`; 0 before the first frame."""
        return 0 if self.since_ns is None else t_ns - self.since_ns

    def moved_since(self, polygon: NDArray[np.float64], t_ns: int) -> bool:
        """Tell whether anything moved at `t_ns` or later within a polygon (k, 2), in shares of the picture's size."""
        if self._moved_ns is None:
            return True
        height, width = self._moved_ns.shape
        mask = np.zeros((height, width), np.uint8)
        cv2.fillPoly(mask, [np.rint(polygon * (width, height)).astype(np.int32)], 1)
        return bool(np.count_nonzero((self._moved_ns >= t_ns) & (mask > 0)) >= _LEAST_PIXELS)


def _small(frame: Frame) -> NDArray[np.float32]:
    grey = frame.small_grey if frame.small_grey is not None else frame.grey()
    height = max(1, round(grey.shape[0] * WIDTH_PX / grey.shape[1]))
    small = cv2.resize(grey, (WIDTH_PX, height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small.astype(np.float32), (0, 0), _BLUR_PX), np.float32)


def _moved(before: NDArray[np.float32], now: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Tell what differs by more than noise, when a change of the whole picture's light has been taken out."""
    step = now - before
    step -= np.median(step)
    noise = 1.4826 * float(np.median(np.abs(step)))
    return np.abs(step) > max(_LEAST_STEP, _NOISES * noise)
