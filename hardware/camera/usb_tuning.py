"""Setting a webcam up on the table: focus, white balance and exposure are each found by its automatics, then held.

Webcams keep what they were set to as long as they have power, also what was held for another evening's lamp. So the
automatics are always switched on first, and switched off when the picture rests: the white balance of a webcam needs
one to two seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from hardware.camera import notes as camera_notes
from hardware.camera.camera import CameraSettings
from hardware.camera.exposure import Exposure, ExposureLimits, Polygon, within
from hardware.camera.flicker import settle_without_stripes
from hardware.camera.setup import exposure_notes
from hardware.settings import MS

Image = npt.NDArray[np.uint8]

# V4L2's numbers: OpenCV hands them through as they are.
MANUAL_EXPOSURE = 1
AUTOMATIC_EXPOSURES = (3, 0)
EXPOSURE_UNIT_US = 100.0
FRAMES_UNTIL_APPLIED = 4
# An automatic that has not begun to move looks as if it rested: it gets this long at least, and at most.
LEAST_NS, MOST_NS, REST_NS = 1500 * MS, 8000 * MS, 700 * MS
_RESTS = 0.012
_SOFTER = 0.6


class Controls(Protocol):
    """What is used of a `cv2.VideoCapture` here."""

    def get(self, prop: int) -> float:
        """Give a control; 0 or less where there is none."""

    def set(self, prop: int, value: float) -> bool:
        """Set a control; False where it is refused."""


class WebcamTuner:
    """Sets one webcam up.

    controls: its controls. picture: waits for its next picture, (h, w, 3) uint8 BGR. clock: monotonic, ns.
    """

    def __init__(self, controls: Controls, picture: Callable[[], Image], clock: Callable[[], int]) -> None:
        self._controls = controls
        self._picture = picture
        self._clock = clock

    def tune(self, settings: CameraSettings, area: Polygon | None = None, *, focus: bool = True) -> list[str]:
        """Find and hold all; gives what it would not do. focus: also the focus, else that stays as it is."""
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
        """Let the camera find its exposure: no white balance is found in a picture that is black or white."""
        for automatic in AUTOMATIC_EXPOSURES:
            if self._controls.set(cv2.CAP_PROP_AUTO_EXPOSURE, automatic):
                return automatic
        return None

    def _rest(self) -> None:
        """Wait until light, colours and sharpness have stayed the same for a while."""
        begun_ns = self._clock()
        since_ns, held = begun_ns, None
        while (now_ns := self._clock()) - begun_ns < MOST_NS:
            seen = _state(self._picture())
            if held is None or float(np.abs(seen / held - 1.0).max()) > _RESTS:
                since_ns, held = now_ns, seen
            elif now_ns - begun_ns >= LEAST_NS and now_ns - since_ns >= REST_NS:
                return

    def _hold_focus(self) -> bool:
        """Switch the autofocus off where it is; if the lens goes elsewhere by that, it is brought back."""
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
        # Better a focus that moves than one that is wrong.
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
    """(4,) how a picture is lit, coloured and focussed: what the automatics change."""
    light = picture[::8, ::8].reshape(-1, 3).mean(axis=0) + 1.0
    return np.array([*light, 1.0 + _sharpness(picture)])


def _sharpness(picture: Image) -> float:
    """How much a picture changes from pixel to pixel, grey levels; more is sharper, in pictures of the same place."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    return float(cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 1.0), cv2.CV_32F).std())
