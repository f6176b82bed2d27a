"""Frames with their exposure times, and a ring buffer that finds the last frame before a time."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import deque
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from hardware.events import Source

Image = npt.NDArray[np.uint8]


class PixelFormat(Enum):
    """Layout of a picture's bytes; the value is its name in video formats.

    BGR: (h, w, 3). NV12: (h * 3 / 2, w), the grey picture, then rows of interleaved U and V at half size.
    I420: (h * 3 / 2, w), the grey picture, then the whole U plane and the whole V plane at half size.
    """

    BGR = "bgr"
    NV12 = "nv12"
    I420 = "i420"


def to_bgr(image: Image, pixel_format: PixelFormat) -> Image:
    """Return a picture of any layout as (h, w, 3) uint8 BGR; a BGR picture is returned as it is.

    Raises ValueError if the shape does not fit the layout.
    """
    _check(image, pixel_format)
    if pixel_format is PixelFormat.BGR:
        return image
    import cv2

    code = cv2.COLOR_YUV2BGR_NV12 if pixel_format is PixelFormat.NV12 else cv2.COLOR_YUV2BGR_I420
    return np.asarray(cv2.cvtColor(image, code), dtype=np.uint8)


def crop_stride(image: Image, pixel_format: PixelFormat, width: int) -> Image:
    """Remove the padding that some cameras add to each row of NV12 or I420.

    image: (h * 3 / 2, stride). Returns (h * 3 / 2, width). I420 keeps two rows of a colour plane in one row of the
    array, each padded to half the stride; the chroma rows are therefore cropped apart from the grey ones.
    """
    stride = image.shape[1]
    if stride == width or pixel_format is PixelFormat.BGR:
        return image
    if pixel_format is PixelFormat.NV12:
        return np.ascontiguousarray(image[:, :width])
    height = image.shape[0] * 2 // 3
    chroma = image[height:].reshape(height, stride // 2)[:, : width // 2]
    return np.concatenate([image[:height, :width], chroma.reshape(height // 2, width)])


def from_stream(buffer: Image, size: tuple[int, int], stride: int, kind: str) -> tuple[Image, PixelFormat]:
    """Return the flat bytes of a libcamera stream as a picture.

    size: (width, height), pixels. stride: bytes from one row to the next. kind: libcamera's name of the format. Raises
    ValueError for an unknown format.
    """
    width, height = size
    planar = {"YUV420": PixelFormat.I420, "NV12": PixelFormat.NV12}.get(kind)
    if planar is not None:
        rows = height * 3 // 2
        return crop_stride(buffer[: rows * stride].reshape(rows, stride), planar, width), planar
    channels = {"RGB888": 3, "XRGB8888": 4, "BGR888": 3, "XBGR8888": 4}.get(kind)
    if channels is None:
        raise ValueError(f"pictures of the kind {kind} are not understood")
    packed = buffer[: height * stride].reshape(height, stride)[:, : width * channels].reshape(height, width, channels)
    # libcamera names the channels from the last byte to the first: its RGB888 is B, G, R in memory.
    bgr = packed[:, :, :3] if kind in ("RGB888", "XRGB8888") else packed[:, :, 2::-1]
    return np.ascontiguousarray(bgr), PixelFormat.BGR


def quiet_opencv() -> None:
    """Silence OpenCV's lines on stderr about bad files and missing cameras; our errors report them."""
    import cv2

    # OpenCV 4, which goes with numpy 1 on Raspberry Pi OS bookworm, has it elsewhere.
    if hasattr(cv2, "setLogLevel"):
        cv2.setLogLevel(0)
    else:
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def _check(image: Image, pixel_format: PixelFormat) -> None:
    if pixel_format is PixelFormat.BGR:
        if image.ndim != 3 or image.shape[2] != 3:
            raise ValueError(f"a BGR picture has the shape (h, w, 3), not {image.shape}")
    elif image.ndim != 2 or image.shape[0] % 3 or image.shape[1] % 2:
        raise ValueError(f"a {pixel_format.value} picture has the shape (h * 3 / 2, w) with even w, not {image.shape}")


SECOND_NS = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of the table.

    t_ns: end of the middle row's exposure, monotonic clock.
    exposure_end_ns: end of the last row's exposure; nothing later is in the picture.
    image: uint8; (h, w, 3) for BGR, (h * 3 / 2, w) for NV12 and I420.
    sequence: the camera's own count; a gap means lost frames.
    pixel_format: the layout of `image`.
    small_grey: (h, w) uint8, the camera's own small stream for motion, where it has one.

    Two frames are equal only if they are the same object: comparing pixels is slow.
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

    def bgr(self) -> npt.NDArray[np.uint8]:
        """Return the picture as (h, w, 3) uint8 BGR; it is not cached, which keeps old frames small."""
        return to_bgr(self.image, self.pixel_format)

    def grey(self) -> npt.NDArray[np.uint8]:
        """Return the picture as (h, w) uint8; of NV12 and I420 a view of the first plane."""
        if self.pixel_format is not PixelFormat.BGR:
            return self.image[: self.rows]
        import cv2

        return np.asarray(cv2.cvtColor(self.image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


class FrameBuffer:
    """Holds the frames of the last seconds, by time. One writer, any number of readers.

    keep_ns: time span, counted back from the newest frame's end of exposure.
    max_bytes: limit for the pictures; the oldest go first, and the newest always stays. None: no limit. 150 frames of
    1920x1080 take 467 MB as NV12 and 933 MB as BGR.
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
        """Add the newest frame; return False, and count it as `late`, if it is not newer than the last one."""
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
        """Restart the count of frames: the camera was reopened, and a gap then means no loss."""
        with self._arrived:
            self._last_sequence = None

    def last_before(self, t_ns: int) -> Frame | None:
        """Return the last frame whose last row's exposure ended before `t_ns` (P9)."""
        with self._arrived:
            index = bisect_left(self._frames, t_ns, key=_end)
            return self._frames[index - 1] if index else None

    def complete_until(self, t_ns: int) -> bool:
        """Return whether every frame exposed before `t_ns` has arrived: a later frame proves it."""
        with self._arrived:
            return bool(self._frames) and self._frames[-1].exposure_end_ns >= t_ns

    def wait_complete(self, t_ns: int, timeout_s: float) -> bool:
        """Wait for `complete_until(t_ns)`, at most `timeout_s` seconds; return whether it came."""
        with self._arrived:
            return self._arrived.wait_for(lambda: self.complete_until(t_ns), timeout_s)

    def between(self, start_ns: int, end_ns: int) -> tuple[Frame, ...]:
        """Return the frames whose exposure ended at `start_ns` or later and before `end_ns`, in order."""
        with self._arrived:
            first = bisect_left(self._frames, start_ns, key=_end)
            last = bisect_left(self._frames, end_ns, key=_end)
            return tuple(self._frames[index] for index in range(first, last))

    @property
    def newest(self) -> Frame | None:
        """Newest frame, or None before the first."""
        with self._arrived:
            return self._frames[-1] if self._frames else None

    @property
    def pushed(self) -> int:
        """Return how many frames came in."""
        return self._pushed

    @property
    def lost(self) -> int:
        """Return how many frames were lost, by the gaps in the camera's count."""
        return self._lost

    @property
    def late(self) -> int:
        """Return how many frames were dropped because they were not later than the frame before."""
        return self._late

    def __len__(self) -> int:
        return len(self._frames)

    def wait_newer(self, count: int, timeout_s: float) -> tuple[Frame | None, int]:
        """Wait for more than `count` frames; return the newest, None after `timeout_s`, and their number."""
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


def _end(frame: Frame) -> int:
    return frame.exposure_end_ns


def _size(frame: Frame) -> int:
    return frame.image.nbytes + (frame.small_grey.nbytes if frame.small_grey is not None else 0)


@dataclass(frozen=True)
class FrameExposed:
    """A frame is in the buffer. `t_ns` is the first instant after its last row's exposure.

    The picture stays in the buffer: events may wait long in the queue, and pictures are large.
    """

    t_ns: int


class FrameTap:
    """Stores a camera's frames in a `FrameBuffer` and puts their times on the queue.

    Events before the end of a frame's exposure are released after that frame has arrived. A ring is therefore never
    judged before the last frame exposed before it (P9).
    """

    def __init__(self, buffer: FrameBuffer, source: Source) -> None:
        self._buffer = buffer
        self._source = source

    def push(self, frame: Frame) -> bool:
        """Add the newest frame; return False if it is not newer than the last one."""
        if not self._buffer.push(frame):
            return False
        t_ns = frame.exposure_end_ns + 1
        self._source.put(FrameExposed(t_ns))
        self._source.advance(t_ns + 1)
        return True

    def restart(self) -> None:
        """Note that the camera was reopened."""
        self._buffer.restart()
