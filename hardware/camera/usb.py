"""USB cameras through OpenCV and V4L2: their nodes, settings and frames.

The number of a node (`/dev/video2`) changes with the order of discovery. One camera has several nodes: one gives
pictures, another only metadata. udev keeps a name made of maker and serial number in `/dev/v4l/by-id` (Linux:
Documentation/userspace-api/media/v4l, VIDIOC_QUERYCAP).

Webcams keep their settings while they have power, also those for another evening's lamp. The automatics are therefore
switched on first, and off when the picture is steady: white balance takes one to two seconds.

Times of exposure. The driver stamps a frame when its first bytes arrive; `grab` returns with the last bytes. The
camera's compression adds an unknown delay. A frame therefore counts as exposed on arrival, a few milliseconds late.
A frame that is dated before the bell never shows a hand that came after it.
"""

from __future__ import annotations

import fcntl
import os
import re
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from hardware.camera import notes as camera_notes
from hardware.camera.camera import (
    CHECK_CABLE,
    Camera,
    CameraMissingError,
    CameraSettings,
    CameraTimeoutError,
    camera_fault,
    no_pictures,
    not_opened,
)
from hardware.camera.exposure import Exposure, ExposureLimits, Polygon, settle_without_stripes, within
from hardware.camera.frames import SECOND_NS, Frame, quiet_opencv
from hardware.camera.picamera2 import exposure_notes
from hardware.problems import Said
from hardware.settings import MS

BY_ID = "v4l/by-id"
_QUERYCAP = 0x80685600
_CAPABILITY = struct.Struct("16s32s32sIII12x")
_VIDEO_CAPTURE = 0x1
_STREAMING = 0x0400_0000
_MOST_NODES = 64


@dataclass(frozen=True)
class Capability:
    """A video node's description: camera name, plug, and whether it gives pictures."""

    card: str
    bus: str
    gives_pictures: bool


@dataclass(frozen=True)
class UsbNode:
    """A USB camera. path: its node. card: the maker's name. lasting: its name in by-id, None without one."""

    path: Path
    card: str
    lasting: Path | None

    @property
    def spec(self) -> str:
        """Return the camera's name in settings, as `parse_spec` takes it."""
        return f"usb:{self.lasting or self.path}"


Query = Callable[[Path], Capability | None]


def query(path: Path) -> Capability | None:
    """Return a node's description; None if it does not answer. Opening it does not disturb other users."""
    try:
        file = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        answer = bytearray(_CAPABILITY.size)
        fcntl.ioctl(file, _QUERYCAP, answer)
    except OSError:
        return None
    finally:
        os.close(file)
    _, card, bus, _, _, of_this_node = _CAPABILITY.unpack(answer)
    wanted = _VIDEO_CAPTURE | _STREAMING
    return Capability(_text(card), _text(bus), of_this_node & wanted == wanted)


def usb_cameras(devices: Path = Path("/dev"), ask: Query = query) -> tuple[UsbNode, ...]:
    """Return the USB cameras that are plugged in, one for each plug, in the order of their nodes."""
    lasting: dict[Path, Path] = {}
    folder = devices / BY_ID
    for link in sorted(folder.iterdir()) if folder.is_dir() else ():
        lasting.setdefault(link.resolve(), link)
    found: dict[str, UsbNode] = {}
    for path in _nodes(devices):
        said = ask(path)
        # Nodes of the Raspberry Pi's own video units give pictures, too, but have no plug.
        if said is not None and said.gives_pictures and said.bus.startswith("usb-"):
            found.setdefault(said.bus, UsbNode(path, said.card, lasting.get(path.resolve())))
    return tuple(found.values())


def node_of(which: str, devices: Path = Path("/dev"), ask: Query = query) -> tuple[Path, str]:
    """Return a camera's node and name. which: a number, a path, or "" for the only one.

    An unknown number means the only camera, where there is one.

    Raises:
        CameraMissingError: the camera is missing, or the choice is ambiguous.
    """
    cameras = usb_cameras(devices, ask)
    if which.startswith("/"):
        return _named(Path(which), cameras, ask)
    wanted = devices / f"video{which or 0}"
    for camera in cameras:
        if camera.path == wanted:
            return camera.path, camera.card
    if len(cameras) == 1:
        return cameras[0].path, cameras[0].card
    if cameras:
        raise CameraMissingError(
            "error.camera.usb_camera_is_not_there",
            "USB camera {which} is not there; there are {cameras}.",
            which=which or 0,
            cameras=_listed(cameras),
        )
    if wanted.exists() and ask(wanted) is None:
        # A driver that does not answer the query may still give pictures.
        return wanted, f"USB camera {which or 0}"
    raise CameraMissingError(
        "doctor.usb_camera_is_not_there", "USB camera {camera} is not there.", advice=CHECK_CABLE, camera=which or 0
    )


def _named(path: Path, cameras: tuple[UsbNode, ...], ask: Query) -> tuple[Path, str]:
    short = re.sub(r"^usb-|-video-index\d+$", "", path.name) if path.parent.name == "by-id" else str(path)
    if not path.exists():
        another = Said("error.camera.another_is", "Another one is: {cameras}.", cameras=_listed(cameras))
        raise CameraMissingError(
            "error.camera.usb_camera_is_not_there_or_another",
            "USB camera {which} is not there, or another program is using it.",
            advice=another if cameras else None,
            which=short,
        )
    said = ask(path)
    if said is not None and not said.gives_pictures:
        raise CameraMissingError(
            "error.camera.gives_no_pictures",
            "{camera} gives no pictures.",
            advice=Said("error.camera.choose", "Choose {cameras}.", cameras=_listed(cameras)) if cameras else None,
            camera=path,
        )
    return path.resolve(), said.card if said is not None else f"USB camera {short}"


def _nodes(devices: Path) -> list[Path]:
    numbered = [
        (int(match[1]), path) for path in devices.glob("video*") if (match := re.fullmatch(r"video(\d+)", path.name))
    ]
    return [path for _, path in sorted(numbered)][:_MOST_NODES]


def _listed(cameras: tuple[UsbNode, ...]) -> str:
    return ", ".join(f"{camera.card} ({camera.spec})" for camera in cameras)


def _text(raw: bytes) -> str:
    text = raw.split(b"\0", 1)[0].decode("ascii", errors="replace")
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


Image = npt.NDArray[np.uint8]

# V4L2's numbers, which OpenCV passes through.
MANUAL_EXPOSURE = 1
AUTOMATIC_EXPOSURES = (3, 0)
EXPOSURE_UNIT_US = 100.0
FRAMES_UNTIL_APPLIED = 4
# An automatic that has not begun to move looks steady: it gets at least this long, and at most.
LEAST_NS, MOST_NS, REST_NS = 1500 * MS, 8000 * MS, 700 * MS
_RESTS = 0.012
_SOFTER = 0.6


class Controls(Protocol):
    """The part of `cv2.VideoCapture` that the tuner needs."""

    def get(self, prop: int) -> float:
        """Return a control; 0 or less where it is missing."""

    def set(self, prop: int, value: float) -> bool:
        """Set a control; False where it is refused."""


class WebcamTuner:
    """Finds and holds one webcam's focus, white balance and exposure.

    controls: its controls. picture: waits for its next picture, (h, w, 3) uint8 BGR. clock: monotonic, ns.
    """

    def __init__(self, controls: Controls, picture: Callable[[], Image], clock: Callable[[], int]) -> None:
        self._controls = controls
        self._picture = picture
        self._clock = clock

    def tune(self, settings: CameraSettings, area: Polygon | None = None, *, focus: bool = True) -> list[str]:
        """Find and hold all settings; return a sentence for each that failed. focus: False keeps the focus."""
        notes: list[str] = []
        controls = self._controls
        automatic = self._expose_by_itself()
        controls.set(cv2.CAP_PROP_AUTO_WB, 1)
        has_focus = controls.get(cv2.CAP_PROP_AUTOFOCUS) >= 0 and controls.set(
            cv2.CAP_PROP_AUTOFOCUS, 1 if focus else 0
        )
        self._rest()
        if has_focus and focus and not self._hold_focus():
            notes.append(camera_notes.FOCUS_DRIFTS)
        if not controls.set(cv2.CAP_PROP_AUTO_WB, 0) or controls.get(cv2.CAP_PROP_AUTO_WB) != 0:
            notes.append(camera_notes.COLOURS_DRIFT)
        manual = controls.set(cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL_EXPOSURE)
        if not manual or controls.get(cv2.CAP_PROP_AUTO_EXPOSURE) != MANUAL_EXPOSURE:
            if automatic is not None:
                controls.set(cv2.CAP_PROP_AUTO_EXPOSURE, automatic)
            return [*notes, camera_notes.NO_EXPOSURE]
        return notes + self._settle(settings, area)

    def _expose_by_itself(self) -> int | None:
        """Switch the automatic exposure on: white balance needs a picture that is neither black nor white."""
        for automatic in AUTOMATIC_EXPOSURES:
            if self._controls.set(cv2.CAP_PROP_AUTO_EXPOSURE, automatic):
                return automatic
        return None

    def _rest(self) -> None:
        """Wait until light, colours and sharpness are steady."""
        begun_ns = self._clock()
        since_ns, held = begun_ns, None
        while (now_ns := self._clock()) - begun_ns < MOST_NS:
            seen = _state(self._picture())
            if held is None or float(np.abs(seen / held - 1.0).max()) > _RESTS:
                since_ns, held = now_ns, seen
            elif now_ns - begun_ns >= LEAST_NS and now_ns - since_ns >= REST_NS:
                return

    def _hold_focus(self) -> bool:
        """Switch the autofocus off; if the lens moves away, set it back."""
        controls = self._controls
        place, sharp = controls.get(cv2.CAP_PROP_FOCUS), _sharpness(self._picture())
        if not controls.set(cv2.CAP_PROP_AUTOFOCUS, 0) or controls.get(cv2.CAP_PROP_AUTOFOCUS) != 0:
            return False
        self._skip()
        if _sharpness(self._picture()) >= _SOFTER * sharp:
            return True
        controls.set(cv2.CAP_PROP_FOCUS, place)
        self._skip()
        if _sharpness(self._picture()) >= _SOFTER * sharp:
            return True
        # A moving focus is better than a wrong one.
        controls.set(cv2.CAP_PROP_AUTOFOCUS, 1)
        return False

    def _settle(self, settings: CameraSettings, area: Polygon | None) -> list[str]:
        limits = ExposureLimits(
            longest_us=settings.longest_exposure_us, highest_gain=1.0, flicker_us=500_000.0 / settings.mains_hz
        )
        start_us = self._controls.get(cv2.CAP_PROP_EXPOSURE) * EXPOSURE_UNIT_US
        start = Exposure(max(start_us, limits.shortest_us), 1.0)
        settled, flickers = settle_without_stripes(
            lambda: within(self._picture(), area), self._expose, start, limits, self._picture
        )
        return exposure_notes(settled.judgement) + ([camera_notes.LAMP_FLICKERS] if flickers else [])

    def _expose(self, wanted: Exposure) -> Exposure:
        units = max(1.0, round(wanted.time_us / EXPOSURE_UNIT_US))
        self._controls.set(cv2.CAP_PROP_EXPOSURE, units)
        self._skip()
        return Exposure(max(self._controls.get(cv2.CAP_PROP_EXPOSURE), 1.0) * EXPOSURE_UNIT_US, 1.0)

    def _skip(self) -> None:
        for _ in range(FRAMES_UNTIL_APPLIED):
            self._picture()


def _state(picture: Image) -> npt.NDArray[np.float64]:
    """Return brightness of the three channels and sharpness, (4,): the values that the automatics change."""
    light = picture[::8, ::8].reshape(-1, 3).mean(axis=0) + 1.0
    return np.array([*light, 1.0 + _sharpness(picture)])


def _sharpness(picture: Image) -> float:
    """Return the spread of the picture's Laplacian, grey levels; in pictures of one place, more is sharper."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    return float(cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 1.0), cv2.CV_32F).std())


class UsbCamera:
    """Frames of one opened capture; exposure and white balance are locked where the camera allows it."""

    def __init__(
        self,
        capture: cv2.VideoCapture,
        name: str,
        settings: CameraSettings,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.name = name
        self._capture = capture
        self._clock = clock
        self._interval_ns = SECOND_NS / settings.frames_per_s
        self._sequence = -1
        self._last_ns: int | None = None
        self._notes: list[str] = []
        # Most USB cameras reach this size at this rate only with MJPG.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, settings.width)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, settings.height)
        capture.set(cv2.CAP_PROP_FPS, settings.frames_per_s)
        # A long queue returns old frames; two buffers keep the camera busy.
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 2)
        rate = capture.get(cv2.CAP_PROP_FPS)
        if 1 <= rate <= 1000:
            self._interval_ns = SECOND_NS / rate
        self._settings = settings
        if settings.lock:
            self.settle()

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence for each setting that the camera refused."""
        return tuple(self._notes)

    def read(self) -> Frame | None:
        """Wait for the next frame. Raises CameraMissingError if the camera is unplugged or hung."""
        try:
            there = self._capture.grab()
            arrived_ns = self._clock()
            got, picture = self._capture.retrieve() if there else (False, None)
        except cv2.error as error:
            raise camera_fault(self.name, error) from error
        if not got or picture is None:
            raise no_pictures(self.name, CameraMissingError)
        if picture.ndim != 3 or picture.shape[2] != 3:
            raise CameraTimeoutError(
                "error.camera.gave_picture_that_was_not",
                "{camera} gave a picture that was not whole.",
                camera=self.name,
            )
        first_ns = self._first_bytes_ns(arrived_ns)
        self._count(arrived_ns)
        return Frame((first_ns + arrived_ns) // 2, arrived_ns, np.asarray(picture, dtype=np.uint8), self._sequence)

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> None:
        """Find focus, white balance and exposure again, and hold them."""
        tuner = WebcamTuner(self._capture, self._picture, self._clock)
        self._notes = tuner.tune(self._settings, area, focus=focus)

    def close(self) -> None:
        """Release the device."""
        self._capture.release()

    def _first_bytes_ns(self, arrived_ns: int) -> int:
        """Return the driver's stamp, if it precedes the arrival by less than two frames, else an estimate."""
        stamp_ns = round(self._capture.get(cv2.CAP_PROP_POS_MSEC) * 1e6)
        if 0 <= arrived_ns - stamp_ns <= 2 * self._interval_ns:
            return stamp_ns
        return arrived_ns - round(self._interval_ns)

    def _count(self, arrived_ns: int) -> None:
        """Count the frames that must have been lost; OpenCV does not pass on the driver's count."""
        gap = 1 if self._last_ns is None else round((arrived_ns - self._last_ns) / self._interval_ns)
        self._sequence += max(1, gap)
        self._last_ns = arrived_ns

    def _picture(self) -> npt.NDArray[np.uint8]:
        frame = self.read()
        assert frame is not None
        return frame.image


def open_usb(which: str, settings: CameraSettings) -> Camera:
    """Open a camera by its lasting name in `/dev/v4l/by-id`, by its node, or by a number; "" is the only one.

    Raises CameraMissingError if it is missing or in use.
    """
    quiet_opencv()
    # A hung camera times out after 1 s, not OpenCV's 10 s, and is reopened.
    os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "1")
    node, name = node_of(which)
    capture = cv2.VideoCapture(str(node), cv2.CAP_V4L2)
    try:
        if not capture.isOpened():
            raise not_opened(name)
        return UsbCamera(capture, name, settings)
    except BaseException:
        capture.release()
        raise
