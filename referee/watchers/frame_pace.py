"""How steadily frames come: whether some are missing before an instant, so that a change may have gone unseen."""

from __future__ import annotations

from collections import deque

from hardware.camera.frames import Frame

MOST_AGE_NS = 150_000_000
"""Nobody turns a card that nobody saw being touched in less."""
_GUESSED_NS = 100_000_000
_KEPT = 15
_LEAST = 3
_MOST = 0.9  # of the periods are no longer than what a frame is waited for
_SLACK_NS = 1_000_000


class FramePace:
    """Follows the times of frames. It goes by the camera's count, so that frames left out unread are not missed."""

    def __init__(self) -> None:
        self._periods: deque[float] = deque(maxlen=_KEPT)
        self._last: Frame | None = None

    def look(self, frame: Frame) -> None:
        """Take the next frame."""
        last = self._last
        if last is not None and frame.sequence > last.sequence:
            self._periods.append((frame.exposure_end_ns - last.exposure_end_ns) / (frame.sequence - last.sequence))
        self._last = frame

    @property
    def period_ns(self) -> float:
        """The time in which the next frame follows, ns, by how evenly they came."""
        if len(self._periods) < _LEAST:
            return _GUESSED_NS
        return sorted(self._periods)[int(_MOST * len(self._periods))]

    def too_old(self, t_ns: int) -> bool:
        """Tell whether the last frame before `t_ns` is too old to tell anything of that instant."""
        return self._last is None or t_ns - self._last.exposure_end_ns > MOST_AGE_NS

    def missing(self, t_ns: int) -> bool:
        """Tell whether frames are missing between the last one and `t_ns`."""
        return self._last is None or t_ns - self._last.exposure_end_ns > self.period_ns + _SLACK_NS
