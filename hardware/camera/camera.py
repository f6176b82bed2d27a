"""The seam of all cameras: what one can do, how it fails, and how one is chosen by its name."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from hardware.camera.exposure import Polygon
from hardware.camera.frames import Frame
from hardware.errors import BadSettingError, DeviceMissingError, HardwareError


class CameraError(HardwareError):
    """Any error of a camera."""


class BadCameraError(CameraError, BadSettingError):
    """A camera was asked for by a name, or with a setting, that means nothing."""


class CameraMissingError(CameraError, DeviceMissingError):
    """There is no such camera, it cannot be opened, or it went away."""


class CameraTimeoutError(CameraError, TimeoutError):
    """No frame came within about a second; the camera may be asked again."""


class Camera(Protocol):
    """A source of frames in time order. One thread reads it; the same thread closes it."""

    @property
    def name(self) -> str:
        """What to call it, for people."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What it could not do, a sentence each; it is used all the same."""

    def read(self) -> Frame | None:
        """Wait for the next frame, at most about a second. None: there will never be another one (end of a file).

        Raises CameraTimeoutError if none came in time, CameraMissingError if the camera is gone.
        """

    def close(self) -> None:
        """Let the camera go; closing twice is fine."""


@runtime_checkable
class Settling(Protocol):
    """A camera that can be set up anew while it is open."""

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> None:
        """Find exposure, white balance and, if asked, focus anew and hold them; takes some seconds.

        area: what the exposure is judged by, (k, 2) in shares of the picture's size; None: the whole picture. `notes`
        then say what it could not do. Raises as `Camera.read` does.
        """


@dataclass(frozen=True)
class CameraSettings:
    """What is wanted of a camera; it may give something else, and the frames say what.

    width, height: size of the frames for reading, pixels.
    small_width: width of the small grey stream for motion, pixels, where the camera has one.
    frames_per_s: frames a second.
    lock: whether exposure and white balance are settled on the table when the camera is opened and then held.
    longest_exposure_us: microseconds; longer ones smear hands and turning cards.
    mains_hz: frequency of the mains, 50 or 60, that lamps flicker with (twice a period), to be tried first.
    live: whether files and recordings are played at the pace they were taken, on the clock of today.
    """

    width: int = 1920
    height: int = 1080
    small_width: int = 480
    frames_per_s: float = 30.0
    lock: bool = True
    longest_exposure_us: float = 20_000.0
    mains_hz: int = 50
    live: bool = True

    def __post_init__(self) -> None:
        if self.width < 2 or self.height < 2 or self.small_width < 2:
            raise BadCameraError(f"A camera cannot give pictures of {self.width} by {self.height} pixels.")
        if not self.frames_per_s > 0:
            raise BadCameraError(f"A camera cannot give {self.frames_per_s} frames a second.")


# Where each back-end lives: imported when it is chosen, so that a machine needs only the libraries of its own camera.
BACKENDS = {
    "picamera2": "hardware.camera.picamera2",
    "usb": "hardware.camera.usb",
    "folder": "hardware.camera.files",
    "video": "hardware.camera.files",
    "recording": "hardware.camera.recording",
}


_WHICH = {"picamera2": "[0-9]*", "usb": "[0-9]*|/dev/.+"}


def open_camera(spec: str, settings: CameraSettings | None = None) -> Camera:
    """Open a camera by its name.

    Names: `picamera2`, `picamera2:1`, `usb:0`, `usb:/dev/v4l/by-id/…`, `folder:DIR`, `video:FILE`,
    `recording:FILE.mcap`, or simply the path of a folder, a video or a recording. Raises BadCameraError for a name that
    means nothing, CameraMissingError if the camera is not there.
    """
    kind, which = parse_spec(spec)
    opener = cast(
        Callable[[str, CameraSettings], Camera], getattr(importlib.import_module(BACKENDS[kind]), f"open_{kind}")
    )
    return opener(which, settings or CameraSettings())


def parse_spec(spec: str) -> tuple[str, str]:
    """Split a camera's name into the back-end and what it is told. Raises BadCameraError for a name that means nothing.

    Whether the camera is there is seen when it is opened.
    """
    kind, _, which = spec.partition(":")
    if kind in BACKENDS and re.fullmatch(_WHICH.get(kind, ".+"), which):
        return kind, which
    path = Path(spec)
    if spec and path.is_dir():
        return "folder", spec
    if path.is_file():
        return ("recording" if path.suffix == ".mcap" else "video"), spec
    raise BadCameraError(
        f"There is no camera called “{spec}”: say picamera2, usb:0, or the path of a folder, a video or a recording."
    )
