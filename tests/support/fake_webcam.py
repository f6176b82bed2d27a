"""A webcam as OpenCV shows it: its automatics take their time, it keeps what it was set to, and it can misbehave."""

import cv2
import numpy as np
import numpy.typing as npt

MS = 1_000_000
FRAME_MS = 33
DAYLIGHT = (1.0, 1.0, 1.0)
LAMP = (0.45, 0.8, 1.0)


class FakeWebcam:
    """A dark table with a white card, in a light (blue, green, red); `lamp_hz`: how often a second that is bright.

    window: brightness of the picture's edge. refused: controls that it does not take. misreports: accepts controls
    without effect. hunts: its autofocus cannot be switched off without the lens going elsewhere, and `deaf` to where it
    is sent.
    """

    def __init__(self, light: tuple[float, float, float] = DAYLIGHT, brightness: float = 1.0) -> None:
        self.now_ns = 9_000_000 * MS
        self.light, self.brightness = np.array(light), brightness
        self.gains = np.array([1.0, 1.0, 1.0])
        self.lens = self.in_focus = 40.0
        self.values: dict[int, float] = {cv2.CAP_PROP_FPS: 30.0, cv2.CAP_PROP_AUTO_WB: 1.0}
        self.values |= {cv2.CAP_PROP_AUTO_EXPOSURE: 3.0, cv2.CAP_PROP_EXPOSURE: 330.0}
        self.values |= {cv2.CAP_PROP_AUTOFOCUS: 1.0, cv2.CAP_PROP_FOCUS: 40.0}
        self.refused: set[int] = set()
        self.misreports = self.hunts = self.deaf = False
        self.stamped = self.alive = True
        self.picture: npt.NDArray[np.uint8] | None = None
        self.fault: cv2.error | None = None
        self.dies_after: int | None = None
        self.delay_frames = 1
        self.lamp_hz: float | None = None
        self.window = 0.0
        self.released = self.frames = 0

    def grab(self) -> bool:
        if self.fault is not None:
            raise self.fault
        self.now_ns += FRAME_MS * MS * self.delay_frames
        self.frames += 1
        if self.dies_after is not None and self.frames > self.dies_after:
            self.alive = False
        self._automatics()
        return self.alive

    def retrieve(self) -> tuple[bool, npt.NDArray[np.uint8] | None]:
        if self.picture is not None:
            return True, self.picture
        light = np.full((96, 128, 3), 0.03)
        light[24:64, 32:80] = 0.8
        # Millimetres of print that only a lens in focus shows.
        light[28:60:4, 40:72] *= 0.3
        light[:, 112:] += self.window
        blur = abs(self.lens - self.in_focus) / 10
        if blur > 0:
            light = cv2.GaussianBlur(light, (0, 0), blur)
        exposed = light * self.light * self.gains * self.brightness * self.values[cv2.CAP_PROP_EXPOSURE] / 100
        if self.lamp_hz is not None:
            exposed = exposed * self._flicker()[:, None, None]
        return True, np.rint(255 * np.clip(exposed, 0, 1) ** (1 / 2.2)).astype(np.uint8)

    def get(self, prop: int) -> float:
        if prop == cv2.CAP_PROP_POS_MSEC:
            return self.now_ns / MS - 12 if self.stamped else 0.0
        return -1.0 if prop in self.refused else self.values.get(prop, 0.0)

    def set(self, prop: int, value: float) -> bool:
        if prop in self.refused:
            return False
        if self.misreports:
            return True
        if prop == cv2.CAP_PROP_AUTOFOCUS and value == 0 and self.values[prop] and self.hunts:
            self.lens = 0.0
        if prop == cv2.CAP_PROP_FOCUS and not self.deaf:
            self.lens = value
        self.values[prop] = value
        return True

    def release(self) -> None:
        self.released += 1

    def _automatics(self) -> None:
        """Each moves a part of its way a frame: the white balance is there after one to two seconds."""
        if self.values[cv2.CAP_PROP_AUTO_WB]:
            self.gains += 0.08 * (1.0 / self.light - self.gains)
        if self.values[cv2.CAP_PROP_AUTO_EXPOSURE] != 1:
            goal = 100 / self.brightness / float((self.light * self.gains).max())
            self.values[cv2.CAP_PROP_EXPOSURE] += 0.2 * (goal - self.values[cv2.CAP_PROP_EXPOSURE])
        if self.values[cv2.CAP_PROP_AUTOFOCUS] and not self.hunts:
            self.lens += 0.15 * (self.in_focus - self.lens)
            self.values[cv2.CAP_PROP_FOCUS] = self.lens

    def _flicker(self) -> npt.NDArray[np.float64]:
        """Return the light (96,) of each row: the mean of a lamp that darkens over the row's exposure."""
        assert self.lamp_hz is not None
        time_s = self.values[cv2.CAP_PROP_EXPOSURE] / 10_000
        ends_s = self.now_ns / 1e9 + np.arange(96) / 96 * 0.025
        steps = ends_s[:, None] - time_s * (np.arange(40) + 0.5) / 40
        return np.asarray((1 + 0.6 * np.sin(2 * np.pi * self.lamp_hz * steps)).mean(axis=1), np.float64)
