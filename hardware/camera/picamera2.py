"""A Raspberry Pi camera through picamera2: a main stream for reading and a small grey one for motion.

Times of exposure. A sensor sends a row when the row's exposure is over, and libcamera takes SensorTimestamp with the
first row. On a Raspberry Pi the stamp is therefore the end of the first row's exposure (picamera2, issue 821). The
other rows follow at an even pace, in at most the shortest frame time of the sensor's mode. This module adds it: the
last row is dated late, never early. The stamp is on CLOCK_MONOTONIC or CLOCK_BOOTTIME; the first frame shows which.

Exposure and white balance are set on the table, locked, read back, and watched with every frame.
"""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hardware.camera import notes as camera_notes
from hardware.camera.camera import (
    Camera,
    CameraError,
    CameraMissingError,
    CameraSettings,
    CameraTimeoutError,
    boottime_ns,
    camera_fault,
    clock_offset_ns,
    no_pictures,
    not_opened,
)
from hardware.camera.exposure import (
    DriftWatch,
    Exposure,
    ExposureLimits,
    ExposureObstacle,
    FrameAction,
    Judgement,
    Lock,
    Polygon,
    exposure_controls,
    exposure_matches,
    settle_without_stripes,
    within,
)
from hardware.camera.frames import SECOND_NS, Frame, PixelFormat, from_stream
from hardware.problems import Said, one_line

# Number of frames after which the automatic white balance is held.
SETTLE_FRAMES = 45
APPLY_FRAMES = 12
FOCUS_FRAMES = 90
AF_AUTO, AF_START, AF_FOCUSED, AF_FAILED = 1, 0, 2, 3


class Tunable(Protocol):
    """The controls of a camera, as `set_up` needs them."""

    @property
    def controls(self) -> Mapping[str, tuple[Any, Any, Any]]:
        """Smallest, largest and default value of each control."""

    def set_controls(self, controls: Mapping[str, object]) -> None:
        """Set controls; they take effect some frames later."""

    def next_metadata(self) -> Mapping[str, Any]:
        """Wait for a frame and return its metadata."""

    def next_picture(self) -> npt.NDArray[np.uint8]:
        """Wait for a frame and return it, (h, w, 3) uint8 BGR."""


@dataclass(frozen=True)
class SetUp:
    """Result of `set_up`: the lock (None: unlocked), and a sentence for each setting that failed."""

    lock: Lock | None
    notes: tuple[str, ...]


def set_up(camera: Tunable, settings: CameraSettings, area: Polygon | None = None, *, focus: bool = True) -> SetUp:
    """Focus on the table, find exposure and white balance, set them, and read them back.

    area: region by which the exposure is judged, (k, 2) as fractions of the picture's size; None: all. focus: False
    keeps the focus.
    """
    notes: list[str] = [] if not focus or _focus(camera) else [camera_notes.NO_FOCUS]
    metadata: Mapping[str, Any] = {}
    automatics = {name: True for name in ("AeEnable", "AwbEnable") if name in camera.controls}
    if automatics:
        # An earlier set-up may have switched them off.
        camera.set_controls(automatics)
        for _ in range(SETTLE_FRAMES):
            metadata = camera.next_metadata()
    gains = metadata.get("ColourGains") if "ColourGains" in camera.controls else None
    if gains is None:
        notes.append(camera_notes.COLOURS_DRIFT)
    if not {"ExposureTime", "AnalogueGain"} <= set(camera.controls):
        notes.append(camera_notes.NO_EXPOSURE)
        return SetUp(None, tuple(notes))
    exposure, found = _find_exposure(camera, metadata, settings, area)
    notes += found
    lock = Lock(exposure, (float(gains[0]), float(gains[1])) if gains else None)
    camera.set_controls(lock.controls())
    if any(lock.drift(camera.next_metadata()) is None for _ in range(APPLY_FRAMES)):
        return SetUp(lock, tuple(notes))
    notes.append(camera_notes.EXPOSURE_DRIFTS)
    return SetUp(None, tuple(notes))


def exposure_notes(judgement: Judgement) -> list[str]:
    """Return sentences about too little or too much light."""
    if judgement.light is ExposureObstacle.TOO_DARK:
        return [camera_notes.LITTLE_LIGHT]
    if judgement.light is ExposureObstacle.TOO_BRIGHT or not judgement.settled:
        return [camera_notes.MUCH_LIGHT]
    return []


def _focus(camera: Tunable) -> bool:
    """Focus once and keep the focus; return whether that worked. A fixed focus always works."""
    if "AfMode" not in camera.controls:
        return True
    camera.set_controls({"AfMode": AF_AUTO, "AfTrigger": AF_START})
    for _ in range(FOCUS_FRAMES):
        state = camera.next_metadata().get("AfState")
        if state in (AF_FOCUSED, AF_FAILED):
            return bool(state == AF_FOCUSED)
    return False


def _find_exposure(
    camera: Tunable, metadata: Mapping[str, Any], settings: CameraSettings, area: Polygon | None
) -> tuple[Exposure, list[str]]:
    longest_us = settings.longest_exposure_us
    shortest, longest = (float(limit) for limit in camera.controls["ExposureTime"][:2])
    shortest = max(shortest, 1.0)
    limits = ExposureLimits(
        shortest_us=shortest,
        # libcamera reports 0 for an unknown longest time.
        longest_us=max(min(longest or longest_us, longest_us), shortest),
        highest_gain=max(1.0, min(float(camera.controls["AnalogueGain"][1]), 8.0)),
        flicker_us=500_000.0 / settings.mains_hz,
    )

    def apply(wanted: Exposure) -> Exposure:
        camera.set_controls(exposure_controls(wanted))
        got: Mapping[str, Any] = {}
        for _ in range(APPLY_FRAMES):
            got = camera.next_metadata()
            if exposure_matches(wanted, got):
                return wanted
        # The camera rounded or refused the exposure: only its report says which one it uses.
        return _reported(got, wanted)

    start = _reported(metadata, Exposure(10_000.0, 1.0))
    settled, flickers = settle_without_stripes(
        lambda: within(camera.next_picture(), area), apply, start, limits, camera.next_picture
    )
    return settled.exposure, exposure_notes(settled.judgement) + ([camera_notes.LAMP_FLICKERS] if flickers else [])


def _reported(metadata: Mapping[str, Any], otherwise: Exposure) -> Exposure:
    return Exposure(
        float(metadata.get("ExposureTime") or otherwise.time_us), float(metadata.get("AnalogueGain") or otherwise.gain)
    )


READ_TIMEOUT_S = 1.0
OPEN_TIMEOUT_S = 5.0
# Errors that picamera2 raises for cameras that are missing, busy, unplugged or refuse a setting.
FAULTS = (RuntimeError, OSError, IndexError, KeyError, ValueError)


class Request(Protocol):
    """The part of picamera2's CompletedRequest that is used."""

    def make_buffer(self, name: str) -> npt.NDArray[np.uint8]:
        """Return a copy of a stream's bytes, flat."""

    def get_metadata(self) -> dict[str, Any]:
        """Return the frame's metadata."""

    def release(self) -> None:
        """Return the buffers to the camera."""


class Device(Protocol):
    """The part of picamera2's Picamera2 that is used."""

    @property
    def camera_controls(self) -> Mapping[str, tuple[Any, Any, Any]]:
        """Smallest, largest and default value of each control."""

    def create_video_configuration(self, **streams: object) -> dict[str, Any]:
        """Return a configuration."""

    def configure(self, configuration: dict[str, Any]) -> None:
        """Apply a configuration."""

    def camera_configuration(self) -> dict[str, Any]:
        """Return the configuration in use, which the camera may have changed."""

    def set_controls(self, controls: dict[str, object]) -> None:
        """Set controls with the next request."""

    def start(self) -> None:
        """Start the frames."""

    def capture_request(self, wait: bool) -> object:
        """Request the next frame; returns a job unless `wait`."""

    def wait(self, job: object, timeout: float) -> Request:
        """Wait for a job, at most `timeout` seconds; raises TimeoutError."""

    def cancel_all_and_flush(self) -> None:
        """Cancel all jobs."""

    def close(self) -> None:
        """Stop and close the camera."""


class Picamera2Camera:
    """Frames of one Picamera2 object, which it configures, starts and closes."""

    def __init__(
        self,
        device: Device,
        name: str,
        settings: CameraSettings,
        monotonic: Callable[[], int] = time.monotonic_ns,
        boottime: Callable[[], int] = boottime_ns,
    ) -> None:
        self.name = name
        self._device = device
        self._monotonic = monotonic
        self._settings = settings
        self._notes: list[str] = []
        self._tuning_notes: list[str] = []
        self._job: object | None = None
        self._watch: DriftWatch | None = None
        self._sequence = -1
        self._last_ns: int | None = None
        try:
            self._configure(settings)
            device.start()
            stamp_ns = self.next_metadata().get("SensorTimestamp")
            self._clock_offset_ns = clock_offset_ns(stamp_ns, monotonic(), boottime())
            if self._clock_offset_ns is None:
                self._notes.append(camera_notes.NO_STAMPS)
            if settings.lock:
                self._set_up(None, focus=True)
        except CameraError:
            self.close()
            raise
        except FAULTS as error:
            self.close()
            raise CameraMissingError(
                "error.camera.could_not_be_started",
                "{name} could not be started: {why}",
                name=name,
                why=one_line(error),
            ) from error

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence for each setting that the camera refused."""
        return (*self._notes, *self._tuning_notes)

    @property
    def refused(self) -> int:
        """Return how many frames were dropped because exposure or white balance had drifted."""
        return self._watch.refused if self._watch else 0

    @property
    def controls(self) -> Mapping[str, tuple[Any, Any, Any]]:
        """Smallest, largest and default value of each control."""
        return self._device.camera_controls

    def set_controls(self, controls: Mapping[str, object]) -> None:
        """Set controls; they take effect some frames later."""
        self._device.set_controls(dict(controls))

    def next_metadata(self) -> Mapping[str, Any]:
        """Wait for a frame and return its metadata."""
        request = self._next_request(OPEN_TIMEOUT_S)
        try:
            return request.get_metadata()
        finally:
            request.release()

    def next_picture(self) -> npt.NDArray[np.uint8]:
        """Wait for a frame and return it as BGR."""
        request = self._next_request(OPEN_TIMEOUT_S)
        try:
            return self._frame(request, request.get_metadata()).bgr()
        finally:
            request.release()

    def read(self) -> Frame | None:
        """Return the next frame with the locked exposure; frames that drifted are dropped."""
        deadline_ns = self._monotonic() + round(READ_TIMEOUT_S * SECOND_NS)
        while self._monotonic() <= deadline_ns:
            request = self._next_request(READ_TIMEOUT_S)
            try:
                metadata = request.get_metadata()
                if self._usable(metadata):
                    return self._frame(request, metadata)
            except FAULTS as error:
                raise camera_fault(self.name, error) from error
            finally:
                request.release()
        raise CameraTimeoutError(
            "error.camera.changes_its_exposure_by_itself", "{camera} changes its exposure by itself.", camera=self.name
        )

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> None:
        """Find focus, exposure and white balance again, and hold them."""
        try:
            self._set_up(area, focus=focus)
        except FAULTS as error:
            raise camera_fault(self.name, error) from error

    def close(self) -> None:
        """Stop and close the camera."""
        # A pending request would keep close() waiting for a frame that never comes.
        self._device.cancel_all_and_flush()
        self._device.close()

    def _set_up(self, area: Polygon | None, *, focus: bool) -> None:
        self._watch = None
        result = set_up(self, self._settings, area, focus=focus)
        self._tuning_notes = list(result.notes)
        self._watch = DriftWatch(result.lock) if result.lock else None

    def _configure(self, settings: CameraSettings) -> None:
        size = (settings.width - settings.width % 2, settings.height - settings.height % 2)
        small = (settings.small_width - settings.small_width % 2, settings.small_width * size[1] // size[0] // 2 * 2)
        # YUV420 takes half the memory of BGR, and its first plane is the grey picture.
        main = {"size": size, "format": "YUV420"}
        device = self._device
        try:
            device.configure(device.create_video_configuration(main=main, lores={"size": small, "format": "YUV420"}))
        except RuntimeError:
            self._notes.append(camera_notes.NO_SMALL_STREAM)
            device.configure(device.create_video_configuration(main=main))
        configuration = device.camera_configuration()
        self._main = configuration["main"]
        self._lores = configuration.get("lores")
        self._interval_ns = SECOND_NS / settings.frames_per_s
        self._readout_ns = round(self._interval_ns)
        limits = self.controls.get("FrameDurationLimits")
        if limits:
            shortest_ns = float(limits[0]) * 1000
            self._interval_ns = max(self._interval_ns, shortest_ns)
            self._readout_ns = round(shortest_ns)
            device.set_controls({"FrameRate": SECOND_NS / self._interval_ns})

    def _next_request(self, timeout_s: float) -> Request:
        # A request that timed out stays in picamera2's queue and would take a frame; wait for it again.
        try:
            if self._job is None:
                self._job = self._device.capture_request(wait=False)
            request = self._device.wait(self._job, timeout=timeout_s)
        except TimeoutError as error:
            raise no_pictures(self.name, CameraTimeoutError) from error
        except FAULTS as error:
            self._job = None
            raise camera_fault(self.name, error) from error
        self._job = None
        return request

    def _usable(self, metadata: Mapping[str, Any]) -> bool:
        if self._watch is None:
            return True
        verdict = self._watch.judge(metadata)
        if verdict is FrameAction.SET_AGAIN:
            self.set_controls(self._watch.lock.controls())
        elif verdict is FrameAction.GIVE_UP:
            drifts = self._watch.lock.drift(metadata) == "exposure"
            self._tuning_notes.append(camera_notes.EXPOSURE_DRIFTS if drifts else camera_notes.COLOURS_DRIFT)
            self._watch = None
            return True
        return verdict is FrameAction.USE

    def _frame(self, request: Request, metadata: Mapping[str, Any]) -> Frame:
        first_ns, last_ns = self._exposed(metadata)
        gap = 1 if self._last_ns is None else round((last_ns - self._last_ns) / self._interval_ns)
        # picamera2 does not count frames; the stamps show which are missing.
        self._sequence += max(1, gap)
        self._last_ns = last_ns
        image, pixel_format = _stream(request, "main", self._main)
        small = _stream(request, "lores", self._lores)[0] if self._lores else None
        grey = small[: small.shape[0] * 2 // 3] if small is not None else None
        return Frame((first_ns + last_ns) // 2, last_ns, image, self._sequence, pixel_format, grey)

    def _exposed(self, metadata: Mapping[str, Any]) -> tuple[int, int]:
        """Return the ends of the first and the last row's exposure, ns on the monotonic clock."""
        arrived_ns = self._monotonic()
        stamp_ns = metadata.get("SensorTimestamp")
        if self._clock_offset_ns is None or not isinstance(stamp_ns, int):
            return arrived_ns, arrived_ns
        first_ns = stamp_ns + self._clock_offset_ns
        # The last row cannot end later than now. The supervisor refuses a stamp from the future.
        return first_ns, max(first_ns, min(first_ns + self._readout_ns, arrived_ns))


def picamera2_cameras() -> list[tuple[str, str]]:
    """Return each camera at the Raspberry Pi's own sockets: its name in settings, and its sensor.

    libcamera also lists USB cameras by their plug; those are opened through Video4Linux.
    """
    try:
        found = _library().Picamera2.global_camera_info()
    except (CameraMissingError, *FAULTS):
        return []
    numbers = ((int(one["Num"]), str(one["Model"])) for one in found if "usb" not in str(one.get("Id", "")).lower())
    return [(f"picamera2:{number}" if number else "picamera2", model) for number, model in numbers]


def _library() -> Any:  # noqa: ANN401 (it has no types)
    """Return picamera2. Raises CameraMissingError if it is not installed."""
    # libcamera prints its own lines on stderr; this variable shows them.
    os.environ.setdefault("LIBCAMERA_LOG_LEVELS", "*:FATAL")
    try:
        return importlib.import_module("picamera2")
    except ImportError as error:
        raise CameraMissingError(
            "doctor.raspberry_pi_camera_needs_picamera2",
            "The program that reads the Raspberry Pi camera is missing.",
            advice=Said("doctor.install_picamera2", "On a Raspberry Pi, run: sudo apt install python3-picamera2."),
        ) from error


def open_picamera2(which: str, settings: CameraSettings) -> Camera:
    """Open the first camera, or the one with the number `which`.

    Raises CameraMissingError if picamera2 or the camera is missing.
    """
    library = _library()
    name = f"Camera {which or 0}"
    try:
        device = library.Picamera2(int(which or 0))
    except FAULTS as error:
        raise not_opened(name) from error
    return Picamera2Camera(device, name, settings)


def _stream(request: Request, name: str, stream: Mapping[str, Any]) -> tuple[npt.NDArray[np.uint8], PixelFormat]:
    return from_stream(request.make_buffer(name), stream["size"], stream["stride"], stream["format"])
