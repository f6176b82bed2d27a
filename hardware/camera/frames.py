"""Frames and when they were exposed, and the ring buffer that answers "what did the table look like before t?"."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hardware.camera.pixels import PixelFormat, luma, to_bgr

SECOND_NS = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of the table.

    t_ns: end of the middle row's exposure, monotonic clock.
    exposure_end_ns: end of the last row's exposure; nothing that happened after it is in the picture.
    image: uint8; (h, w, 3) for BGR, (h * 3 / 2, w) for NV12 and I420.
    sequence: the camera's own count; a gap means that frames were lost on the way.
    pixel_format: how `image` is laid out.
    small_grey: (h, w) uint8, the camera's own small stream for motion, where it has one.

    Two frames are equal only if they are the same object: comparing pixels is never what anybody wants.
    """

    t_ns: int
    exposure_end_ns: int
    image: npt.NDArray[np.uint8]
    sequence: int
    pixel_format: PixelFormat = PixelFormat.BGR
    small_grey: npt.NDArray[np.uint8] | None = None

    def __post_init__(self) -> None:
        if self.exposure_end_ns < self.t_ns:
            raise ValueError(
                f"a frame's last row ends at {self.exposure_end_ns} ns, before its middle row, {self.t_ns} ns"
            )

    @property
    def rows(self) -> int:
        """Height of the picture in pixels."""
        height = int(self.image.shape[0])
        return height if self.pixel_format is PixelFormat.BGR else height * 2 // 3

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return int(self.image.shape[1]), self.rows

    @property
    def readout_ns(self) -> int:
        """Time from the end of the first row's exposure to the end of the last row's (0 for a global shutter)."""
        return 2 * (self.exposure_end_ns - self.t_ns)

    def row_exposure_end_ns(self, row: int) -> int:
        """End of one row's exposure: a rolling shutter reads the rows at an even pace, row 0 first."""
        if not 0 <= row < self.rows:
            raise ValueError(f"row {row} of a picture with {self.rows} rows")
        if self.rows == 1:
            return self.t_ns
        return self.exposure_end_ns - self.readout_ns + round(self.readout_ns * row / (self.rows - 1))

    def bgr(self) -> npt.NDArray[np.uint8]:
        """Give the picture as (h, w, 3) uint8 BGR, converted anew each time so that old frames stay small."""
        return to_bgr(self.image, self.pixel_format)

    def grey(self) -> npt.NDArray[np.uint8]:
        """Give the picture as (h, w) uint8; free of cost for NV12 and I420, whose first plane it is."""
        return luma(self.image, self.pixel_format)


class FrameBuffer:
    """The frames of the last seconds, found by time. One writer, any number of readers, nobody waits for anybody.

    keep_ns: how far back it reaches, counted from the newest frame's end of exposure.
    max_bytes: the most that the pictures may take; the oldest go first. None: no limit. (150 frames of 1920x1080 take
    467 MB as NV12 and 933 MB as BGR.) The newest frame always stays.
    """

    def __init__(self, keep_ns: int = 5 * SECOND_NS, max_bytes: int | None = None) -> None:
        self._keep_ns = keep_ns
        self._max_bytes = max_bytes
        self._frames: deque[Frame] = deque()
        self._bytes = 0
        self._pushed = 0
        self._lost = 0
        self._late = 0
        self._last_sequence: int | None = None
        self._arrived = threading.Condition()

    def push(self, frame: Frame) -> bool:
        """Add the newest frame; False (and counted in `late`) if it is not newer than the last one, which stands."""
        with self._arrived:
            if self._frames and frame.exposure_end_ns <= self._frames[-1].exposure_end_ns:
                self._late += 1
                return False
            if self._last_sequence is not None:
                self._lost += max(0, frame.sequence - self._last_sequence - 1)
            self._last_sequence = frame.sequence
            self._frames.append(frame)
            self._bytes += _size(frame)
            self._pushed += 1
            self._forget_old()
            self._arrived.notify_all()
            return True

    def restart(self) -> None:
        """Start the count of frames again: the camera was opened anew, so a gap says nothing about lost frames."""
        with self._arrived:
            self._last_sequence = None

    def last_before(self, t_ns: int) -> Frame | None:
        """Give the last frame fully exposed before `t_ns`: its last row's exposure ended earlier (P9)."""
        with self._arrived:
            index = bisect_left(self._frames, t_ns, key=_end)
            return self._frames[index - 1] if index else None

    def complete_until(self, t_ns: int) -> bool:
        """Whether every frame exposed before `t_ns` has arrived: frames come in order, so a later one proves it."""
        with self._arrived:
            return bool(self._frames) and self._frames[-1].exposure_end_ns >= t_ns

    def wait_complete(self, t_ns: int, timeout_s: float) -> bool:
        """Wait until `complete_until(t_ns)`, at most `timeout_s` seconds; False if that did not come to pass."""
        with self._arrived:
            return self._arrived.wait_for(lambda: self.complete_until(t_ns), timeout_s)

    def between(self, start_ns: int, end_ns: int) -> tuple[Frame, ...]:
        """Give the frames whose exposure ended at `start_ns` or later and before `end_ns`, in order."""
        with self._arrived:
            first = bisect_left(self._frames, start_ns, key=_end)
            last = bisect_left(self._frames, end_ns, key=_end)
            return tuple(self._frames[index] for index in range(first, last))

    @property
    def newest(self) -> Frame | None:
        """The frame that came last, or None before the first."""
        with self._arrived:
            return self._frames[-1] if self._frames else None

    @property
    def pushed(self) -> int:
        """How many frames came in."""
        return self._pushed

    @property
    def lost(self) -> int:
        """How many frames never came, by the gaps in the camera's count."""
        return self._lost

    @property
    def late(self) -> int:
        """How many frames were turned away because their time was not after the frame before."""
        return self._late

    def __len__(self) -> int:
        return len(self._frames)

    def reader(self) -> FrameReader:
        """Make a reader of its own, that starts with the next frame to come."""
        return FrameReader(self)

    def wait_newer(self, count: int, timeout_s: float) -> tuple[Frame | None, int]:
        """Give the newest frame and the number pushed, once that is above `count`; no frame after `timeout_s`."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: self._pushed > count, timeout_s):
                return None, self._pushed
            return self._frames[-1], self._pushed

    def _forget_old(self) -> None:
        horizon = self._frames[-1].exposure_end_ns - self._keep_ns
        while len(self._frames) > 1 and (
            self._frames[0].exposure_end_ns < horizon or (self._max_bytes is not None and self._bytes > self._max_bytes)
        ):
            self._bytes -= _size(self._frames.popleft())


class FrameReader:
    """Reads the newest frame each time; what came and went in between is skipped and counted, never queued."""

    def __init__(self, buffer: FrameBuffer) -> None:
        self._buffer = buffer
        self._seen = buffer.pushed
        self.skipped = 0

    def next(self, timeout_s: float) -> Frame | None:
        """Give the newest frame not read yet; wait for one up to `timeout_s` seconds, then give None."""
        frame, pushed = self._buffer.wait_newer(self._seen, timeout_s)
        if frame is not None:
            self.skipped += pushed - self._seen - 1
        self._seen = pushed
        return frame


def _end(frame: Frame) -> int:
    return frame.exposure_end_ns


def _size(frame: Frame) -> int:
    return frame.image.nbytes + (frame.small_grey.nbytes if frame.small_grey is not None else 0)
