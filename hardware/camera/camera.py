"""The contract of all cameras: protocol, clock, errors, and the choice of one by its name."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

import cv2
import numpy as np
import numpy.typing as npt

from hardware.camera.exposure import Polygon
from hardware.camera.frames import SECOND_NS, Frame, PixelFormat
from hardware.problems import BadSettingError, DeviceMissingError, HardwareError, Said, one_line


def boottime_ns() -> int:
    """Return CLOCK_BOOTTIME, ns: the monotonic clock plus the time that the machine was asleep."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def clock_offset_ns(stamp_ns: object, monotonic_ns: int, boottime_ns: int) -> int | None:
    """Return the offset from a sensor's clock to the monotonic clock, ns; None if the stamp fits neither clock.

    A stamp fits a clock if it is less than a second before that clock's time.
    """
    if not isinstance(stamp_ns, int):
        return None
    if 0 <= monotonic_ns - stamp_ns < SECOND_NS:
        return 0
    if 0 <= boottime_ns - stamp_ns < SECOND_NS:
        return monotonic_ns - boottime_ns
    return None


Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Turn:
    """The camera's mounting. upside_down: turned by half a turn. mirrored: left and right are swapped after that."""

    upside_down: bool = False
    mirrored: bool = False

    @property
    def flips(self) -> tuple[bool, bool]:
        """Return whether to reverse the columns, and whether to reverse the rows."""
        return self.upside_down != self.mirrored, self.upside_down

    def image(self, image: Image, pixel_format: PixelFormat = PixelFormat.BGR) -> Image:
        """Return the upright picture; `image` is laid out as `pixel_format` says."""
        if pixel_format is PixelFormat.BGR:
            return self._plane(image)
        rows = image.shape[0] * 2 // 3
        width, half = image.shape[1], rows // 2
        turned = np.empty_like(image)
        turned[:rows] = self._plane(image[:rows])
        if pixel_format is PixelFormat.NV12:
            colours = image[rows:].reshape(half, width // 2, 2)
            turned[rows:] = self._plane(colours).reshape(half, width)
            return turned
        planes = image[rows:].reshape(2, half, width // 2)
        turned[rows:] = np.stack([self._plane(plane) for plane in planes]).reshape(half, width)
        return turned

    def area(self, area: Polygon | None) -> Polygon | None:
        """Map an area (k, 2) from the upright picture to the camera's own, in fractions of the picture's size."""
        if area is None:
            return None
        columns, rows = self.flips
        return np.asarray(np.abs(area - (float(columns), float(rows))), np.float64)

    def _plane(self, plane: Image) -> Image:
        columns, rows = self.flips
        if not (columns or rows):
            return plane
        return np.asarray(cv2.flip(plane, -1 if columns and rows else 1 if columns else 0), np.uint8)


class TurnedCamera:
    """A camera whose frames are turned upright."""

    def __init__(self, camera: Camera, turn: Turn) -> None:
        self._camera, self._turn = camera, turn

    @property
    def name(self) -> str:
        """Return the camera's name for people."""
        return self._camera.name

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence for each setting that the camera could not apply."""
        return self._camera.notes

    def read(self) -> Frame | None:
        """Wait for the next frame and return it upright."""
        frame = self._camera.read()
        if frame is None:
            return None
        small = None if frame.small_grey is None else self._turn.image(frame.small_grey)
        return replace(frame, image=self._turn.image(frame.image, frame.pixel_format), small_grey=small)

    def close(self) -> None:
        """Close the camera."""
        self._camera.close()


class SettlingTurnedCamera(TurnedCamera):
    """A turned camera whose exposure and focus can be set again."""

    def __init__(self, camera: Camera, turn: Turn, settling: Settling) -> None:
        super().__init__(camera, turn)
        self._settling = settling

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> None:
        """Set exposure, white balance and focus again."""
        self._settling.settle(self._turn.area(area), focus=focus)


def opened_turned(open_camera: Callable[[], Camera], turn: Turn) -> Camera:
    """Open a camera whose frames are turned upright."""
    camera = open_camera()
    if not any(turn.flips):
        return camera
    return SettlingTurnedCamera(camera, turn, camera) if isinstance(camera, Settling) else TurnedCamera(camera, turn)


CHECK_CABLE = Said("doctor.check_its_cable", "Check its cable.")


class CameraError(HardwareError):
    """Any error of a camera."""


class BadCameraError(CameraError, BadSettingError):
    """A camera's name or setting is unknown."""


class CameraMissingError(CameraError, DeviceMissingError):
    """The camera does not exist, cannot be opened, or went away."""


def camera_fault(name: str, error: Exception) -> CameraMissingError:
    """Return the error of a camera whose driver raised `error`."""
    return CameraMissingError("error.camera.has_fault", "{camera} has a fault: {why}", camera=name, why=one_line(error))


def no_pictures(name: str, kind: type[CameraError]) -> CameraError:
    """Return the error of a camera that sends nothing."""
    return kind("error.camera.gives_no_pictures", "{camera} gives no pictures.", advice=CHECK_CABLE, camera=name)


def not_opened(name: str) -> CameraMissingError:
    """Return the error of a camera that cannot be opened."""
    return CameraMissingError(
        "doctor.is_not_there_or_another",
        "{camera} is not there, or another program is using it.",
        advice=Said("doctor.free_camera", "Check its cable, and stop other programs that use it."),
        camera=name,
    )


class CameraTimeoutError(CameraError, TimeoutError):
    """No frame came within about a second; a second attempt may succeed."""


class Camera(Protocol):
    """A source of frames in time order. One thread reads it and closes it."""

    @property
    def name(self) -> str:
        """Return the camera's name for people."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence for each setting that the camera could not apply; it works without them."""

    def read(self) -> Frame | None:
        """Return the next frame after at most about a second; None at the end of a file.

        Raises CameraTimeoutError if no frame came in time, CameraMissingError if the camera is gone.
        """

    def close(self) -> None:
        """Close the camera; closing twice is allowed."""


@runtime_checkable
class Settling(Protocol):
    """A camera whose exposure and focus can be set again while it is open."""

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> None:
        """Find exposure, white balance and, if asked, focus again and hold them; takes some seconds.

        area: region by which the exposure is judged, (k, 2) as fractions of the picture's size; None: the whole
        picture. `notes` then lists the settings that failed. Raises as `Camera.read` does.
        """


@dataclass(frozen=True)
class CameraSettings:
    """Requested properties of a camera; a frame carries the real ones, which may differ.

    width, height: size of the frames for reading, pixels.
    small_width: width of the small grey stream for motion, pixels, where the camera has one.
    frames_per_s: frames a second.
    lock: whether exposure and white balance are set once, on opening, and then held.
    longest_exposure_us: microseconds; longer exposures smear hands and turning cards.
    mains_hz: frequency of the mains that is tried first, 50 or 60; lamps flicker twice a period.
    live: whether files and recordings are played at their own pace, with times that begin now.
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
            raise BadCameraError(
                "error.camera.camera_cannot_give_pictures_of",
                "A camera cannot give pictures of {width} by {height} pixels.",
                width=self.width,
                height=self.height,
            )
        if not self.frames_per_s > 0:
            raise BadCameraError(
                "error.camera.camera_cannot_give_frames_second",
                "A camera cannot give {rate} frames a second.",
                rate=self.frames_per_s,
            )


# Module of each back-end, imported when it is chosen: a machine needs only its own camera's libraries.
BACKENDS = {
    "picamera2": "hardware.camera.picamera2",
    "usb": "hardware.camera.usb",
    "folder": "hardware.camera.files",
    "video": "hardware.camera.files",
    "recording": "hardware.camera.files",
}


_WHICH = {"picamera2": "[0-9]*", "usb": "[0-9]*|/dev/.+"}


def open_camera(spec: str, settings: CameraSettings | None = None) -> Camera:
    """Open a camera by its name.

    Names: `picamera2`, `picamera2:1`, `usb:0`, `usb:/dev/v4l/by-id/…`, `folder:DIR`, `video:FILE`,
    `recording:FILE.mcap`, or the path of a folder, a video or a recording. Raises BadCameraError for an unknown name,
    CameraMissingError if the camera is not there.
    """
    kind, which = parse_spec(spec)
    opener = cast(
        Callable[[str, CameraSettings], Camera], getattr(importlib.import_module(BACKENDS[kind]), f"open_{kind}")
    )
    return opener(which, settings or CameraSettings())


def parse_spec(spec: str) -> tuple[str, str]:
    """Split a camera's name into back-end and argument. Raises BadCameraError for an unknown name.

    `open_camera` checks that the camera is there.
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
        "error.camera.there_is_no_camera_called",
        "There is no camera called “{name}”: say picamera2, usb:0, or the path of a folder, a video or a recording.",
        name=spec,
    )
