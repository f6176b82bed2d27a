"""Which devices the doctor is to expect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hardware.camera.camera import Camera, CameraSettings, open_camera
from hardware.gpio import FactoryMaker, lgpio_factory
from hardware.settings import BellSettings, LampSettings, MicrophoneSettings, SandSettings
from hardware.voice import SpeakerSettings


@dataclass(frozen=True)
class Setup:
    """The devices' settings.

    game: the game to be judged, None for any. camera: its name, as `open_camera` takes it. silent: no sound and no
    light while checking. press_s: how long to wait for somebody to ring, seconds; 0 is not to wait. pins, opener: what
    opens the pins and the camera.
    """

    game: str | None = None
    camera: str = "picamera2"
    bell: BellSettings = field(default_factory=BellSettings)
    sand: SandSettings = field(default_factory=SandSettings)
    lamp: LampSettings = field(default_factory=LampSettings)
    microphone: MicrophoneSettings = field(default_factory=MicrophoneSettings)
    speaker: SpeakerSettings = field(default_factory=SpeakerSettings)
    silent: bool = False
    press_s: float = 0.0
    pins: FactoryMaker = lgpio_factory
    opener: Callable[[str, CameraSettings], Camera] = open_camera
