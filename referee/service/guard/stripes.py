"""Stripes that a flickering lamp makes in the pictures, told from some that came one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hardware.camera.flicker import STRIPED, striped
from hardware.camera.frames import SECOND_NS, Frame
from referee.service.guard.mishaps import Mishap

PICTURES = 4
_EVERY_NS = SECOND_NS // 2
_WITHIN_NS = SECOND_NS // 2
_STRIPED = 2.5 * STRIPED
"""In play on drawn tables rows differ by 0.004 at most, whatever hands do; what set-up leaves is below STRIPED."""


class Stripes:
    """frames: gives the frames whose exposure ended between two instants, as `FrameBuffer.between`."""

    mishaps = frozenset({Mishap.FLICKER})

    def __init__(self, frames: Callable[[int, int], Sequence[Frame]]) -> None:
        self._frames = frames
        self._looked_ns: int | None = None
        self._seen = 0

    def here(self, now_ns: int) -> frozenset[Mishap]:
        """Look twice a second; stripes count that were seen twice, one after the other."""
        if self._looked_ns is None or now_ns - self._looked_ns >= _EVERY_NS:
            self._looked_ns = now_ns
            frames = self._frames(now_ns - _WITHIN_NS, now_ns + 1)[-PICTURES:]
            shown = len(frames) == PICTURES and striped([frame.grey() for frame in frames]) > _STRIPED
            self._seen = self._seen + 1 if shown else 0
        return frozenset({Mishap.FLICKER} if self._seen > 1 else ())
