"""Setting a libcamera camera up on the table: focus, then white balance and exposure, each found once and then held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hardware.camera import notes as camera_notes
from hardware.camera.camera import CameraSettings
from hardware.camera.exposure import Exposure, ExposureLimits, Judgement, Light, Polygon, within
from hardware.camera.flicker import settle_without_stripes
from hardware.camera.lock import Lock, exposure_controls, exposure_matches

# The automatics get this many frames to find the white balance before it is held.
SETTLE_FRAMES = 45
APPLY_FRAMES = 12
FOCUS_FRAMES = 90
AF_AUTO, AF_START, AF_FOCUSED, AF_FAILED = 1, 0, 2, 3


class Tunable(Protocol):
    """A camera while it is set up."""

    @property
    def controls(self) -> Mapping[str, tuple[Any, Any, Any]]:
        """The controls it has: smallest, largest and default value of each."""

    def set_controls(self, controls: Mapping[str, object]) -> None:
        """Set controls; they work some frames later."""

    def next_metadata(self) -> Mapping[str, Any]:
        """Wait for a frame and give what the camera says of it."""

    def next_picture(self) -> npt.NDArray[np.uint8]:
        """Wait for a frame and give it, (h, w, 3) uint8 BGR."""


@dataclass(frozen=True)
class SetUp:
    """How it went: what is held (None: the camera holds nothing), and what it would not do, a sentence each."""

    lock: Lock | None
    notes: tuple[str, ...]


def set_up(camera: Tunable, settings: CameraSettings, area: Polygon | None = None, *, focus: bool = True) -> SetUp:
    """Focus on the table, find exposure and white balance, set them, and read them back.

    area: what the exposure is judged by, (k, 2) in shares of the picture's size; None: all. focus: else it stays.
    """
    notes = [] if not focus or _focus(camera) else [camera_notes.NO_FOCUS]
    metadata: Mapping[str, Any] = {}
    automatics = {name: True for name in ("AeEnable", "AwbEnable") if name in camera.controls}
    if automatics:
        # They may be off since the camera was set up before.
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
    """Say what is wrong with the light on the table, if anything."""
    if judgement.light is Light.TOO_DARK:
        return [camera_notes.LITTLE_LIGHT]
    if judgement.light is Light.TOO_BRIGHT or not judgement.settled:
        return [camera_notes.MUCH_LIGHT]
    return []


def _focus(camera: Tunable) -> bool:
    """Focus once; the focus then stays, since only a new trigger moves it. True if there is nothing to focus."""
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
        # libcamera says 0 where it knows no longest time.
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
        # Rounded further than expected, or refused: what the camera reports is what is in force.
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
