"""`ringmaster doctor`: every fault is found and said with what to do, and only a needed part makes it fail."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from gpiozero.pins.mock import MockFactory

from hardware.camera.camera import Camera, CameraMissingError, CameraSettings, CameraTimeoutError
from hardware.camera.frames import Frame
from hardware.gpio import FactoryMaker
from hardware.problems import DeviceMissingError, Health, NoPermissionError, Problem
from hardware.settings import MS, SECOND, BellSettings, LampSettings, MicrophoneSettings, Pin, SandSettings
from hardware.voice import SpeakerSettings
from referee.commands import main
from referee.commands.doctor import examine
from referee.doctor import checks
from referee.doctor.machine import FittedDevices, Machine, lacking
from referee.schemas import SCHEMAS
from tests.support.device_fakes import FakeClock
from tests.support.speech_fakes import PLAY, RENDER
from tests.support.speech_fakes import Machine as Programs

Capture = pytest.CaptureFixture[str]

GIB = 1 << 30


def machine(root: Path, free: int = 9 * GIB, **more: object) -> Machine:
    given = {"user": lambda: "pi", "folder": lambda: root, "release": lambda: "6.6.20", "year": lambda: 2026}
    measured = {"run": lambda *command: None, "free_bytes": lambda folder: free}
    return Machine(root=root, **{**given, **measured, **more})  # type: ignore[arg-type]


def states(findings: list[Problem]) -> list[Health]:
    return [finding.state for finding in findings]


def put(root: Path, path: str, text: str = "") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


class FakeCamera:
    """A camera that gives one grey picture again and again, or fails."""

    name = "Camera 0"

    def __init__(self, grey: int = 120, age_ns: int = 0, note: str = "", fault: Exception | None = None) -> None:
        self.notes = (note,) if note else ()
        self.closed = False
        self._grey, self._t_ns, self._fault = grey, SECOND - age_ns, fault

    def read(self) -> Frame | None:
        if self._fault is not None:
            raise self._fault
        return Frame(self._t_ns, self._t_ns, np.full((6, 8, 3), self._grey, np.uint8), 0)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(
    ("camera", "check", "state"),
    [
        (FakeCamera(age_ns=40 * MS), "camera", Health.OK),
        (FakeCamera(age_ns=40 * MS), "camera clock", Health.OK),
        (FakeCamera(grey=2), "camera", Health.MISSING),
        (FakeCamera(fault=CameraTimeoutError("some.fault", "no frame")), "camera", Health.MISSING),
        (FakeCamera(fault=CameraMissingError("some.fault", "gone")), "camera", Health.MISSING),
        (FakeCamera(age_ns=60 * SECOND), "camera clock", Health.MISSING),
        (FakeCamera(age_ns=-SECOND), "camera clock", Health.MISSING),
        (FakeCamera(note="Colours may drift."), "camera lock", Health.POOR),
    ],
)
def test_a_camera_that_is_dark_silent_gone_out_of_time_or_not_held_is_said(
    tmp_path: Path, camera: FakeCamera, check: str, state: Health
) -> None:
    findings = checks.check_camera(
        "picamera2", machine(tmp_path, monotonic_ns=FakeClock()), lambda spec, settings: camera
    )
    assert (check, state) in [(finding.part, finding.state) for finding in findings]
    assert camera.closed


def test_a_camera_that_hangs_is_a_fault(tmp_path: Path) -> None:
    free = threading.Event()

    def hangs(spec: str, settings: CameraSettings) -> Camera:
        free.wait(60)
        return FakeCamera()

    assert states(checks.check_camera("picamera2", machine(tmp_path), hangs, limit_s=0.05)) == [Health.MISSING]
    free.set()


def no_pins() -> MockFactory:
    raise DeviceMissingError("some.fault", "This computer has no pins.")


PULLED: dict[str, Any] = {"pull": "up", "active_high": True}
UNWIRED = SandSettings(barrier=None, tilt=None)


@pytest.mark.parametrize(
    ("check", "state"),
    [
        (lambda pins: checks.check_bell(BellSettings(), pins), Health.OK),
        (lambda pins: checks.check_bell(BellSettings(pins=(Pin(17, **PULLED),)), pins), Health.MISSING),
        (lambda pins: checks.check_sandtimer(SandSettings(), pins), Health.OK),
        (lambda pins: checks.check_sandtimer(SandSettings(barrier=Pin(23, **PULLED)), pins), Health.POOR),
        (lambda pins: checks.check_sandtimer(UNWIRED, pins), Health.MISSING),
        (lambda pins: checks.check_lamp(LampSettings(), pins, False, pause=lambda seconds: None), Health.OK),
        (lambda pins: checks.check_lamp(LampSettings(), pins, True, pause=lambda seconds: None), Health.OK),
        (lambda _: checks.check_sandtimer(SandSettings(), no_pins), Health.MISSING),
        (lambda _: checks.check_lamp(LampSettings(), no_pins), Health.MISSING),
    ],
)
def test_bell_sandtimer_and_lamp_are_tried(
    factory: MockFactory, check: Callable[[FactoryMaker], list[Problem]], state: Health
) -> None:
    # A second time: the pins are free again.
    for _ in range(2):
        (finding,) = check(lambda: factory)
        assert finding.state is state
        stuck = "GPIO17" in finding.message and finding.advice
        assert state is not Health.MISSING or stuck or "pin" in finding.message.lower()


def test_the_bell_is_tried_by_ringing_it(factory: MockFactory) -> None:
    pin = factory.pin(17)
    findings = checks.check_bell(BellSettings(), lambda: factory, 30, lambda text: pin.drive_low())
    assert [(finding.part, finding.state) for finding in findings] == [("bell", Health.OK), ("bell clock", Health.OK)]
    pin.drive_high()
    assert states(checks.check_bell(BellSettings(), lambda: factory, 0.01, lambda text: None)) == [Health.MISSING]


def test_speech_is_said_aloud_unless_it_shall_be_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = Programs(tmp_path / "programs")
    programs.install("espeak-ng", RENDER)
    programs.install("aplay", PLAY)
    monkeypatch.setenv("PATH", str(programs.bin))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    settings = SpeakerSettings(cache=tmp_path / "cache")
    assert states(checks.check_speech(settings, "Hello.")) == [Health.OK]
    assert states(checks.check_speech(settings, "Quiet.", silent=True)) == [Health.OK]
    assert (programs.played, programs.renders) == (["Hello."], 2)
    assert states(checks.check_speech(SpeakerSettings(backend="none"), "Hello.")) == [Health.SKIPPED]
    programs.install("aplay", "exit 1")
    assert states(checks.check_speech(settings, "Hello.")) == [Health.MISSING]
    (programs.bin / "espeak-ng").unlink()
    (missing,) = checks.check_speech(settings, "Hello.")
    assert (missing.state, "apt install espeak-ng" in missing.advice) == (Health.MISSING, True)


@pytest.mark.parametrize(
    ("samples", "state"), [([0.0, 0.1], Health.OK), ([0.0, 0.0], Health.MISSING), ([], Health.MISSING)]
)
def test_a_microphone_must_hear_something(samples: list[float], state: Health) -> None:
    heard = np.array(samples * 20_000, dtype=np.float32)
    source = SimpleNamespace(open=lambda: None, read=lambda timeout_s: heard, close=lambda: None)
    ticks = itertools.count(0, 0.1)
    assert states(checks.check_microphone(MicrophoneSettings(), source, clock=ticks.__next__)) == [state]


def test_devices_that_this_user_may_not_use_are_said_with_their_groups(tmp_path: Path) -> None:
    assert states(checks.check_permissions(machine(tmp_path))) == [Health.OK]
    for device in ("dev/gpiochip0", "dev/video0", "dev/snd/pcmC0D0p"):
        put(tmp_path, device)
    refused = machine(tmp_path, usable=lambda path: "video" in path.name)
    (finding,) = checks.check_permissions(refused)
    assert (finding.state, "usermod -aG gpio,audio pi" in finding.advice) == (Health.MISSING, True)


@pytest.mark.parametrize(
    ("check", "given", "expected"),
    [
        (checks.check_power, {"run": lambda *_: "throttled=0x0"}, [Health.OK]),
        (checks.check_power, {"run": lambda *_: "throttled=0x1"}, [Health.MISSING]),
        (checks.check_power, {"run": lambda *_: "throttled=0x10000"}, [Health.POOR]),
        (checks.check_power, {"run": lambda *_: "throttled=0x50005"}, [Health.MISSING, Health.POOR]),
        (checks.check_power, {"run": lambda *_: "throttled=0x80008"}, [Health.POOR]),
        (checks.check_power, {"run": lambda *_: "VCHI initialization failed"}, [Health.SKIPPED]),
        (checks.check_clock, {}, [Health.OK]),
        (checks.check_clock, {"release": lambda: "5.4.0"}, [Health.MISSING]),
        (checks.check_clock, {"year": lambda: 1970}, [Health.OK, Health.POOR]),
        (checks.check_disk, {"free": GIB // 10}, [Health.MISSING]),
        (checks.check_disk, {"free": GIB}, [Health.POOR]),
        (checks.check_disk, {"free": 9 * GIB}, [Health.OK]),
        (checks.check_disk, {"writable": lambda folder: False}, [Health.MISSING]),
    ],
)
def test_little_power_heat_an_old_kernel_a_wrong_date_and_a_full_disk(
    tmp_path: Path, check: Callable[[Machine], list[Problem]], given: dict[str, Any], expected: list[Health]
) -> None:
    assert states(check(machine(tmp_path, **given))) == expected


def test_power_is_read_from_the_kernel_where_there_is_no_vcgencmd(tmp_path: Path) -> None:
    put(tmp_path, "sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    put(tmp_path, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    assert states(checks.check_power(machine(tmp_path))) == [Health.MISSING]
    put(tmp_path, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    put(tmp_path, "sys/class/thermal/thermal_zone0/temp", "84000\n")
    (hot,) = checks.check_power(machine(tmp_path))
    assert (hot.state, "84 °C" in hot.message) == (Health.POOR, True)


@pytest.mark.parametrize(
    ("faults", "game", "needed"),
    [
        ({"bell", "lamp", "speech"}, None, set()),
        ({"bell", "lamp", "speech"}, "confetti", set()),
        ({"bell", "lamp", "speech"}, "piccolino", {"bell"}),
        ({"bell", "sandtimer"}, None, {"bell", "sandtimer"}),
        ({"camera", "disk"}, "coloretto", {"camera", "disk"}),
    ],
)
def test_only_what_the_game_needs_is_lacking(faults: set[str], game: str | None, needed: set[str]) -> None:
    parts = ("camera", "disk", "bell", "sandtimer", "lamp", "speech")
    found = [Problem(part, Health.MISSING if part in faults else Health.OK, "") for part in parts]
    assert lacking(found, game) == needed


def setup(pins: FactoryMaker, opener: Callable[[str, CameraSettings], Camera]) -> FittedDevices:
    return FittedDevices(speaker=SpeakerSettings(backend="none"), silent=True, pins=pins, opener=opener)


def no_camera(spec: str, settings: CameraSettings) -> Camera:
    raise CameraMissingError("some.fault", "No camera was found.")


def test_on_a_laptop_all_that_is_missing_is_said_in_a_line_each(tmp_path: Path, capfd: Capture) -> None:
    assert examine(setup(no_pins, no_camera), machine(tmp_path), as_json=False) == 1
    printed = capfd.readouterr()
    lines = printed.out.splitlines()
    assert printed.err == ""
    assert sum(line.startswith("FAULT") for line in lines) == 5
    assert lines[-1] == "Not ready for a game: camera and bell or sandtimer must work first."
    assert examine(setup(no_pins, no_camera), machine(tmp_path), as_json=True) == 1
    findings = [SCHEMAS["doctor"].validate_json(line) for line in capfd.readouterr().out.splitlines()]
    assert len(findings) == len(lines) - 1
    assert {finding.check for finding in findings if finding.needed} == {"camera", "disk", "bell", "sandtimer"}

    def refused() -> MockFactory:
        raise NoPermissionError("some.fault", "This user may not use the pins: sudo usermod -aG gpio $USER.")

    assert examine(setup(refused, no_camera), machine(tmp_path), as_json=False) == 1
    assert "usermod -aG gpio" in capfd.readouterr().out


def test_the_command_itself(tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    cv2.imwrite(str(tmp_path / "a.png"), np.full((8, 10, 3), 90, np.uint8))
    nothing = ["--bell", "none", "--sandtimer", "watched", "--lamp", "none", "--speech", "none"]
    assert main(["doctor", *nothing, "--camera", str(tmp_path)]) == 0
    assert capfd.readouterr().out.splitlines()[-1] == "Ready for a game."
    assert main(["doctor", "--game", "piccolino", *nothing, "--camera", str(tmp_path)]) == 1
