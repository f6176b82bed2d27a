"""A camera with the surface of picamera2's Picamera2 that is used; it obeys late, rounds, and can misbehave."""

from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

MS = 1_000_000
FRAME_NS = 33_333_333
CONTROLS = {
    "FrameDurationLimits": (20_000, 1_000_000, 33_333),
    "ExposureTime": (30, 66_000, 20_000),
    "AnalogueGain": (1.0, 16.0, 1.0),
    "AeEnable": (False, True, True),
    "AwbEnable": (False, True, True),
    "ColourGains": (0.0, 32.0, None),
    "AfMode": (0, 2, 0),
    "AfTrigger": (0, 1, 0),
}
LATENCY = 3


class FakeRequest:
    def __init__(self, camera: "FakePicamera2", metadata: dict[str, Any]) -> None:
        self._camera, self._metadata = camera, metadata

    def make_buffer(self, name: str) -> npt.NDArray[np.uint8]:
        return self._camera.pixels(name)

    def get_metadata(self) -> dict[str, Any]:
        return self._metadata

    def release(self) -> None:
        self._camera.held -= 1


class FakePicamera2:
    """`now_ns` is its clock, which goes on by a frame with every request."""

    def __init__(self, brightness: float = 1.0, kind: str = "YUV420") -> None:
        self.now_ns = 50_000 * MS
        self.asleep_ns = 0
        self.brightness, self.kind = brightness, kind
        self.camera_controls: Mapping[str, tuple[Any, Any, Any]] = dict(CONTROLS)
        self.has_lores = self.stamps = self.focuses = True
        self.stubborn = self.silent = self.closed = False
        self.broken: Exception | None = None
        self.skip_frames = 0
        self.values: dict[str, Any] = {"ExposureTime": 30_000, "AnalogueGain": 4.0, "ColourGains": (1.9, 1.6)}
        self.pending: list[tuple[int, dict[str, Any]]] = []
        self.set: list[dict[str, Any]] = []
        self.frames = self.held = self.jobs = 0
        self.configuration: dict[str, Any] = {}

    def create_video_configuration(self, **streams: object) -> dict[str, Any]:
        return dict(streams)

    def configure(self, configuration: dict[str, Any]) -> None:
        if "lores" in configuration and not self.has_lores:
            raise RuntimeError("Invalid camera configuration")
        self.configuration = {}
        for name, stream in configuration.items():
            width, height = stream["size"]
            self.configuration[name] = {"size": (width, height), "stride": width + 32, "format": self.kind}

    def camera_configuration(self) -> dict[str, Any]:
        return self.configuration

    def set_controls(self, controls: dict[str, Any]) -> None:
        for name in controls:
            if name not in self.camera_controls and name != "FrameRate":
                raise RuntimeError(f"Control {name} is not advertised by libcamera")
        self.set.append(dict(controls))
        self.pending.append((self.frames + LATENCY, dict(controls)))

    def start(self) -> None:
        if self.broken:
            raise self.broken

    def capture_request(self, wait: bool) -> object:
        assert not wait
        self.jobs += 1
        return self.jobs

    def wait(self, job: object, timeout: float) -> FakeRequest:
        assert job == self.jobs, "an older request was forgotten and would swallow a frame"
        if self.broken:
            raise self.broken
        if self.silent:
            self.now_ns += round(timeout * 1e9)
            raise TimeoutError
        self.frames += 1 + self.skip_frames
        self.now_ns += FRAME_NS * (1 + self.skip_frames)
        for due, controls in list(self.pending):
            if due <= self.frames:
                self.pending.remove((due, controls))
                if not self.stubborn:
                    self.values |= {name: value for name, value in controls.items() if name in self.values}
        self.held += 1
        assert self.held == 1, "a request was not given back"
        return FakeRequest(self, self.metadata())

    def metadata(self) -> dict[str, Any]:
        found = dict(self.values)
        if "ExposureTime" not in self.camera_controls:
            found = {}
        elif not self.stubborn:
            found["ExposureTime"] = round(found["ExposureTime"] / 19) * 19
        if self.stamps:
            # The frame has come 25 ms after its first row was read out.
            found["SensorTimestamp"] = self.now_ns + self.asleep_ns - 25 * MS
        found["AfState"] = 2 if self.focuses else 3
        return found

    def pixels(self, name: str) -> npt.NDArray[np.uint8]:
        """Return a dark table with a white card, in the light that the controls let in."""
        stream = self.configuration[name]
        width, height = stream["size"]
        light = np.full((height, width, 3), 0.03)
        light[height // 4 : height // 2, width // 4 : width // 2] = 0.8
        exposure = self.values["ExposureTime"] * self.values["AnalogueGain"] / 10_000
        bgr = np.rint(255 * np.clip(light * exposure * self.brightness, 0, 1) ** (1 / 2.2)).astype(np.uint8)
        planar = cv2.cvtColor(bgr, cv2.COLOR_BGR2YUV_I420)
        padded = np.full((height * 3 // 2, stream["stride"]), 99, np.uint8)
        padded[:height, :width] = planar[:height]
        if stream["format"] == "NV12":
            chroma = planar[height:].reshape(2, height // 2, width // 2)
            padded[height:, :width] = np.stack([chroma[0], chroma[1]], axis=-1).reshape(height // 2, width)
        else:
            half = np.full((height, stream["stride"] // 2), 99, np.uint8)
            half[:, : width // 2] = planar[height:].reshape(height, width // 2)
            padded[height:] = half.reshape(height // 2, stream["stride"])
        return padded.reshape(-1)

    def cancel_all_and_flush(self) -> None:
        self.jobs += 1

    def close(self) -> None:
        self.closed = True
