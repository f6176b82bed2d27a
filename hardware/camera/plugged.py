"""Lists cameras that are plugged in, from both back-ends: the name in settings and the maker's name."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from hardware.camera.picamera2 import picamera2_cameras
from hardware.camera.usb import usb_cameras

KEPT_S = 3.0
"""Shortest time between two searches for cameras, s: a page asks several times a second."""
Named = Sequence[tuple[str, str]]


def _cameras() -> list[tuple[str, str]]:
    return [*picamera2_cameras(), *((camera.spec, camera.card) for camera in usb_cameras())]


class Plugged:
    """Finds the cameras with `look` and caches them for KEPT_S seconds of `clock`."""

    def __init__(self, look: Callable[[], Named] = _cameras, clock: Callable[[], float] = time.monotonic) -> None:
        self._look, self._clock = look, clock
        self._found: list[tuple[str, str]] = []
        self._at_s = -KEPT_S

    def __call__(self) -> list[tuple[str, str]]:
        """Return `(spec, name)` of each camera, the Raspberry Pi's own first."""
        now = self._clock()
        if now - self._at_s >= KEPT_S:
            self._found, self._at_s = list(self._look()), now
        return self._found
