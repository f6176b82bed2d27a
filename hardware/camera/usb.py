"""A USB camera through OpenCV and V4L2.

When a frame was exposed. The driver stamps a frame when its first bytes arrive, which is after the first row was read
out, and `grab` returns when the last bytes are there, which is after the last row was. How much later depends on the
camera's own compression and is not known, so a frame counts as exposed when it has arrived: a few milliseconds late,
never early, and a hand that came after the bell is never in a frame that is taken to be from before it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hardware.camera.camera import Camera, CameraMissingError, CameraSettings, CameraTimeoutError
from hardware.camera.exposure import Polygon
from hardware.camera.frames import SECOND_NS, Frame
from hardware.camera.pixels import quiet_opencv
from hardware.camera.usb_nodes import node_of
from hardware.camera.usb_tuning import WebcamTuner

if TYPE_CHECKING:
    import cv2


class UsbCamera:
    """Frames of one opened capture; exposure and white balance are settled and locked where the camera allows it."""

    def __init__(
        self,
        capture: cv2.VideoCapture,
        name: str,
        settings: CameraSettings,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        import cv2

        self.name = name
        self._capture = capture
        self._clock = clock
        self._interval_ns = SECOND_NS / settings.frames_per_s
        self._sequence = -1
        self._last_ns: int | None = None
        self._notes: list[str] = []
        # Most USB cameras reach this size at this rate with MJPG only.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, settings.width)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, settings.height)
        capture.set(cv2.CAP_PROP_FPS, settings.frames_per_s)
        # A long queue would hand out frames that are old; two keep the camera busy.
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 2)
        rate = capture.get(cv2.CAP_PROP_FPS)
        if 1 <= rate <= 1000:
            self._interval_ns = SECOND_NS / rate
        self._settings = settings
        if settings.lock:
            self.settle()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the camera would not do."""
        return tuple(self._notes)

    def read(self) -> Frame | None:
        """Wait for the next frame. Raises CameraMissingError if the camera gives none: it is unplugged or hung."""
        import cv2

        try:
            there = self._capture.grab()
            arrived_ns = self._clock()
            got, picture = self._capture.retrieve() if there else (False, None)
        except cv2.error as error:
            raise CameraMissingError(f"{self.name} has a fault: {_one_line(error)}") from error
        if not got or picture is None:
            raise CameraMissingError(f"{self.name} gives no pictures: is its cable in?")
        if picture.ndim != 3 or picture.shape[2] != 3:
            raise CameraTimeoutError(f"{self.name} gave a picture that was not whole.")
        first_ns = self._first_bytes_ns(arrived_ns)
        self._count(arrived_ns)
        return Frame((first_ns + arrived_ns) // 2, arrived_ns, np.asarray(picture, dtype=np.uint8), self._sequence)

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> None:
        """Find focus, white balance and exposure anew, and hold them."""
        tuner = WebcamTuner(self._capture, self._picture, self._clock)
        self._notes = tuner.tune(self._settings, area, focus=focus)

    def close(self) -> None:
        """Let the device go."""
        self._capture.release()

    def _first_bytes_ns(self, arrived_ns: int) -> int:
        """Give the driver's stamp if it is on our clock and before the arrival by less than two frames."""
        import cv2

        stamp_ns = round(self._capture.get(cv2.CAP_PROP_POS_MSEC) * 1e6)
        if 0 <= arrived_ns - stamp_ns <= 2 * self._interval_ns:
            return stamp_ns
        return arrived_ns - round(self._interval_ns)

    def _count(self, arrived_ns: int) -> None:
        """Count the frames that must have been lost: OpenCV does not hand the driver's own count on."""
        gap = 1 if self._last_ns is None else round((arrived_ns - self._last_ns) / self._interval_ns)
        self._sequence += max(1, gap)
        self._last_ns = arrived_ns

    def _picture(self) -> npt.NDArray[np.uint8]:
        frame = self.read()
        assert frame is not None
        return frame.image


def open_usb(which: str, settings: CameraSettings) -> Camera:
    """Open a camera by its lasting name in `/dev/v4l/by-id`, by its node, or by a number; `` is the only one.

    Raises CameraMissingError if it is not there or in use.
    """
    import cv2

    quiet_opencv()
    # A hung camera is given up after a second, not OpenCV's ten, so that it can be opened anew.
    os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "1")
    node, name = node_of(which)
    capture = cv2.VideoCapture(str(node), cv2.CAP_V4L2)
    try:
        if not capture.isOpened():
            raise CameraMissingError(f"{name} is not there, or another program is using it.")
        return UsbCamera(capture, name, settings)
    except BaseException:
        capture.release()
        raise


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
