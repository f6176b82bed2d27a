"""Stripes that a flickering lamp makes in the pictures: they wander, or stand where there were none before."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from hardware.camera.exposure import STRIPED, Columns, Image, in_columns, striped, striped_since
from hardware.camera.frames import SECOND_NS, Frame
from referee.service.guard.mishaps import Mishap

PICTURES = 4
_EVERY_NS = SECOND_NS // 2
_WITHIN_NS = SECOND_NS // 2
_STRIPED = 2.5 * STRIPED
"""In play on drawn tables rows differ by 0.004 at most, whatever hands do; what set-up leaves is below STRIPED."""
_BEFORE = 8  # looks: what there was some seconds ago is compared with
_OLDEST_NS = 120 * SECOND_NS  # then so much lies elsewhere that nothing is told by it


class Stripes:
    """frames: gives the frames whose exposure ended between two instants, as `FrameBuffer.between`."""

    mishaps = frozenset({Mishap.FLICKER})

    def __init__(self, frames: Callable[[int, int], Sequence[Frame]]) -> None:
        self._frames = frames
        self._looked_ns: int | None = None
        self._seen = False
        self._before: deque[tuple[int, Columns]] = deque(maxlen=_BEFORE)  # without stripes

    def here(self, now_ns: int) -> frozenset[Mishap]:
        """Look twice a second; what is seen once only does not last, and is no mishap."""
        if self._looked_ns is None or now_ns - self._looked_ns >= _EVERY_NS:
            self._looked_ns = now_ns
            frames = self._frames(now_ns - _WITHIN_NS, now_ns + 1)[-PICTURES:]
            self._seen = len(frames) == PICTURES and self._show([frame.grey() for frame in frames], now_ns)
        return frozenset({Mishap.FLICKER} if self._seen else ())

    def _show(self, pictures: Sequence[Image], now_ns: int) -> bool:
        while self._before and now_ns - self._before[0][0] > _OLDEST_NS:
            self._before.popleft()
        small = in_columns(pictures)
        now = np.asarray(small.mean(axis=0), np.float32)
        standing = striped_since(self._before[0][1], now) if self._before else 0.0
        if max(striped(small), standing) > _STRIPED:
            return True
        self._before.append((now_ns, now))
        return False
