"""Frames on the one queue: a camera's frames go into the buffer, and the queue is told of each at its time."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.camera.frames import Frame, FrameBuffer
from hardware.event_queue import Source


@dataclass(frozen=True)
class FrameExposed:
    """A frame is in the buffer. `t_ns` is the first instant after the end of its last row's exposure.

    The picture itself stays in the buffer: events may wait long on the queue, and pictures are large.
    """

    t_ns: int


class FrameTap:
    """Takes a camera's frames where a `FrameBuffer` would: stores them there and puts their times on the queue.

    What happened before the end of a frame's exposure is given out only when that frame has come, so that a ring is
    never judged before the last frame exposed before it is there (P9).
    """

    def __init__(self, buffer: FrameBuffer, source: Source) -> None:
        self._buffer = buffer
        self._source = source

    def push(self, frame: Frame) -> bool:
        """Add the newest frame; False if it is not newer than the last one."""
        if not self._buffer.push(frame):
            return False
        t_ns = frame.exposure_end_ns + 1
        self._source.put(FrameExposed(t_ns))
        self._source.advance(t_ns + 1)
        return True

    def restart(self) -> None:
        """The camera was opened anew."""
        self._buffer.restart()
