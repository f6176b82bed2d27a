"""`ringmaster doctor`: every fault is found and said with what to do, and only a needed part makes it fail."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware.camera.camera import Camera, CameraMissingError, CameraSettings, CameraTimeoutError
from hardware.camera.frames import Frame
from hardware.gpio import FactoryMaker
from hardware.microphone import SoundSource
from hardware.problems import DeviceMissingError, NoPermissionError
from hardware.settings import MS, SECOND, BellSettings, LampSettings, MicrophoneSettings, Pin, SandSettings
from hardware.voice import SpeakerSettings
from referee.cli import main
from referee.commands.doctor import examine
from referee.doctor import checks
from referee.doctor.checks import (
    check_bell,
    check_camera,
    check_lamp,
    check_microphone,
    check_pins,
    check_sandtimer,
    check_speech,
)
from referee.doctor.machine import Finding, Machine, Setup, State, lacking, run_program
from tests.support.device_fakes import FakeClock
from tests.support.speech_fakes import PLAY, RENDER
from tests.support.speech_fakes import Machine as Programs

GIB = 1 << 30
Samples = np.ndarray[tuple[int], np.dtype[np.float32]]


def nothing_said(*command: str) -> str | None:
    return None


def machine(root: Path, free: int = 9 * GIB, run: Callable[..., str | None] = nothing_said, **more: object) -> Machine:
    given = {"user": lambda: "pi", "folder": lambda: root, "release": lambda: "6.6.20", "year": lambda: 2026, **more}
    return Machine(root=root, run=run, free_bytes=lambda folder: free, **given)  # type: ignore[arg-type]


def states(findings: list[Finding]) -> list[State]:
    return [finding.state for finding in findings]


def put(root: Path, path: str, text: str = "") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


@pytest.fixture
def factory() -> Iterator[MockFactory]:
    made = MockFactory(pin_class=MockPWMPin)
    yield made
    made.close()
    made.reset()


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    made = Programs(tmp_path / "programs")
    made.install("espeak-ng", RENDER)
    made.install("aplay", PLAY)
    monkeypatch.setenv("PATH", str(made.bin))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return made


class FakeCamera:
    """A camera that gives one grey picture again and again, or fails."""

    name = "Camera 0"

    def __init__(
        self, grey: int = 120, age_ns: int = 0, notes: tuple[str, ...] = (), fault: Exception | None = None
    ) -> None:
        self.notes = notes
        self.closed = False
        self._grey = grey
        self._t_ns = SECOND - age_ns
        self._fault = fault

    def read(self) -> Frame | None:
        if self._fault is not None:
            raise self._fault
        return Frame(self._t_ns, self._t_ns, np.full((6, 8, 3), self._grey, np.uint8), 0)

    def close(self) -> None:
        self.closed = True


def see(root: Path, camera: Camera) -> list[Finding]:
    def opener(spec: str, settings: CameraSettings) -> Camera:
        return camera

    return check_camera("picamera2", machine(root, monotonic_ns=FakeClock()), opener)


def test_a_good_camera_is_seen_on_its_clock_and_locked(tmp_path: Path) -> None:
    camera = FakeCamera(age_ns=40 * MS)
    findings = see(tmp_path, camera)
    assert [finding.check for finding in findings] == ["camera", "camera clock", "camera lock"]
    assert states(findings) == [State.OK] * 3
    assert "8 by 6" in findings[0].message
    assert camera.closed


@pytest.mark.parametrize(
    ("camera", "check", "state"),
    [
        (FakeCamera(grey=2), "camera", State.FAULT),
        (FakeCamera(fault=CameraTimeoutError("no frame")), "camera", State.FAULT),
        (FakeCamera(fault=CameraMissingError("gone")), "camera", State.FAULT),
        (FakeCamera(age_ns=60 * SECOND), "camera clock", State.FAULT),
        (FakeCamera(age_ns=-SECOND), "camera clock", State.FAULT),
        (FakeCamera(notes=("Colours may drift.",)), "camera lock", State.REMARK),
    ],
)
def test_a_camera_that_is_dark_silent_gone_out_of_time_or_not_held_is_said(
    tmp_path: Path, camera: FakeCamera, check: str, state: State
) -> None:
    assert (check, state) in [(finding.check, finding.state) for finding in see(tmp_path, camera)]
    assert camera.closed


def test_a_camera_that_is_missing_or_hangs_is_a_fault(tmp_path: Path) -> None:
    def missing(spec: str, settings: CameraSettings) -> Camera:
        raise CameraMissingError("Plug the camera in.")

    assert check_camera("picamera2", machine(tmp_path), missing) == [
        Finding("camera", State.FAULT, "Plug the camera in.")
    ]
    free = threading.Event()

    def hangs(spec: str, settings: CameraSettings) -> Camera:
        free.wait(60)
        return FakeCamera()

    assert states(check_camera("picamera2", machine(tmp_path), hangs, limit_s=0.05)) == [State.FAULT]
    free.set()


def no_pins() -> MockFactory:
    raise DeviceMissingError("This computer has no pins.")


def test_pins_that_cannot_be_had_are_a_fault() -> None:
    assert check_pins(no_pins) == [Finding("pins", State.FAULT, "This computer has no pins.")]


def test_a_quiet_bell_is_fine_and_a_stuck_one_is_not(factory: MockFactory) -> None:
    assert states(check_bell(BellSettings(), lambda: factory)) == [State.OK]
    held = BellSettings(pins=(Pin(17, pull="up", active_high=True),))
    (stuck,) = check_bell(held, lambda: factory)
    assert (stuck.state, "GPIO17" in stuck.message, bool(stuck.advice)) == (State.FAULT, True, True)


def test_the_bell_is_tried_by_ringing_it(factory: MockFactory) -> None:
    pin = factory.pin(17)
    findings = check_bell(BellSettings(), lambda: factory, 30, lambda text: pin.drive_low())
    assert [(finding.check, finding.state) for finding in findings] == [("bell", State.OK), ("bell clock", State.OK)]
    pin.drive_high()
    asked: list[str] = []
    assert states(check_bell(BellSettings(), lambda: factory, 0.01, asked.append)) == [State.FAULT]
    assert len(asked) == 1


def test_a_bell_whose_stamps_are_off_our_clock_is_said(factory: MockFactory) -> None:
    pin = factory.pin(17)

    def ring_in_the_past(text: str) -> None:
        pin._state = False
        pin._last_change = 0.001
        pin._call_when_changed()

    findings = check_bell(BellSettings(), lambda: factory, 30, ring_in_the_past)
    assert [(finding.check, finding.state) for finding in findings][-1] == ("bell clock", State.REMARK)


def test_the_sandtimers_sensors_are_read(factory: MockFactory) -> None:
    assert states(check_sandtimer(SandSettings(), lambda: factory)) == [State.OK]
    blocked = SandSettings(barrier=Pin(23, pull="up", active_high=True))
    assert states(check_sandtimer(blocked, lambda: factory)) == [State.REMARK]
    assert states(check_sandtimer(SandSettings(barrier=None, tilt=None), lambda: factory)) == [State.FAULT]
    assert states(check_sandtimer(SandSettings(), no_pins)) == [State.FAULT]


def test_the_lamp_is_lit_and_its_pins_are_free_again(factory: MockFactory) -> None:
    for silent in (False, True):
        findings = check_lamp(LampSettings(), lambda: factory, silent, pause=lambda seconds: None)
        assert states(findings) == [State.OK]
    assert states(check_lamp(LampSettings(), no_pins)) == [State.FAULT]


def test_speech_is_said_aloud_unless_it_shall_be_silent(programs: Programs, tmp_path: Path) -> None:
    settings = SpeakerSettings(cache=tmp_path / "cache")
    assert states(check_speech(settings, "Hello.")) == [State.OK]
    assert states(check_speech(settings, "Quiet.", silent=True)) == [State.OK]
    assert (programs.played, programs.renders) == (["Hello."], 2)
    assert states(check_speech(SpeakerSettings(backend="none"), "Hello.")) == [State.SKIPPED]
    programs.install("aplay", "exit 1")
    assert states(check_speech(settings, "Hello.")) == [State.FAULT]
    (programs.bin / "espeak-ng").unlink()
    (missing,) = check_speech(settings, "Hello.")
    assert (missing.state, "apt install espeak-ng" in missing.message) == (State.FAULT, True)


class FakeMicrophone:
    """A microphone that gives the same again and again, or is not there."""

    def __init__(self, samples: list[float], fault: bool = False) -> None:
        self._samples = np.array(samples, dtype=np.float32)
        self._fault = fault

    def open(self) -> None:
        if self._fault:
            raise DeviceMissingError("The microphone cannot be heard.")

    def read(self, timeout_s: float) -> Samples:
        return self._samples

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("source", "state"),
    [
        (FakeMicrophone([0.0, 0.1] * 20_000), State.OK),
        (FakeMicrophone([0.0] * 40_000), State.FAULT),
        (FakeMicrophone([]), State.FAULT),
        (FakeMicrophone([], fault=True), State.FAULT),
    ],
)
def test_a_microphone_must_hear_something(source: SoundSource, state: State) -> None:
    ticks = iter(range(1000))
    assert states(check_microphone(MicrophoneSettings(), source, clock=lambda: next(ticks) / 10)) == [state]


def test_devices_that_this_user_may_not_use_are_said_with_their_groups(tmp_path: Path) -> None:
    assert states(checks.check_permissions(machine(tmp_path))) == [State.OK]
    for device in ("dev/gpiochip0", "dev/video0", "dev/snd/pcmC0D0p"):
        put(tmp_path, device)
    refused = machine(tmp_path, usable=lambda path: "video" in path.name)
    (finding,) = checks.check_permissions(refused)
    assert (finding.state, "usermod -aG gpio,audio pi" in finding.advice) == (State.FAULT, True)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("throttled=0x0", [State.OK]),
        ("throttled=0x1", [State.FAULT]),
        ("throttled=0x10000", [State.REMARK]),
        ("throttled=0x50005", [State.FAULT, State.REMARK]),
        ("throttled=0x80008", [State.REMARK]),
        ("throttled=0x40000", [State.REMARK]),
        ("VCHI initialization failed", [State.SKIPPED]),
    ],
)
def test_too_little_power_and_too_much_heat(tmp_path: Path, said: str, expected: list[State]) -> None:
    assert states(checks.check_power(machine(tmp_path, run=lambda *command: said))) == expected


def test_power_is_read_from_the_kernel_where_there_is_no_vcgencmd(tmp_path: Path) -> None:
    put(tmp_path, "sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    put(tmp_path, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    assert states(checks.check_power(machine(tmp_path))) == [State.FAULT]
    put(tmp_path, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    put(tmp_path, "sys/class/thermal/thermal_zone0/temp", "84000\n")
    (hot,) = checks.check_power(machine(tmp_path))
    assert (hot.state, "84 °C" in hot.message) == (State.REMARK, True)


def test_an_old_kernel_and_a_wrong_date(tmp_path: Path) -> None:
    assert states(checks.check_clock(machine(tmp_path))) == [State.OK]
    assert states(checks.check_clock(machine(tmp_path, release=lambda: "5.4.0"))) == [State.FAULT]
    assert states(checks.check_clock(machine(tmp_path, year=lambda: 1970))) == [State.OK, State.REMARK]


@pytest.mark.parametrize(("free", "state"), [(GIB // 10, State.FAULT), (GIB, State.REMARK), (9 * GIB, State.OK)])
def test_a_full_disk(tmp_path: Path, free: int, state: State) -> None:
    assert states(checks.check_disk(machine(tmp_path, free))) == [state]


def test_a_disk_that_cannot_be_written_or_looked_at(tmp_path: Path) -> None:
    assert states(checks.check_disk(machine(tmp_path, writable=lambda folder: False))) == [State.FAULT]
    gone = Machine(folder=lambda: tmp_path / "gone")
    assert states(checks.check_disk(gone)) == [State.FAULT]


def test_the_computer_is_named_and_a_running_referee_said(tmp_path: Path) -> None:
    put(tmp_path, "proc/device-tree/model", "Raspberry Pi 5 Model B\0")
    findings = checks.check_computer(machine(tmp_path, run=lambda *command: "active\n"))
    assert states(findings) == [State.OK, State.REMARK]
    assert findings[0].message == "This is a Raspberry Pi 5 Model B."


def test_programs_that_are_missing_fail_or_work() -> None:
    assert run_program("no-such-program-anywhere") is None
    assert run_program(sys.executable, "-c", "raise SystemExit(3)") is None
    assert run_program(sys.executable, "-c", "print('hello')") == "hello\n"


def found(**by_check: State) -> list[Finding]:
    return [Finding(check, state, "") for check, state in by_check.items()]


def test_only_what_the_game_needs_is_lacking() -> None:
    fault, skipped, ok = State.FAULT, State.SKIPPED, State.OK
    no_bell = found(camera=ok, bell=fault, sandtimer=ok, lamp=fault, speech=fault)
    assert lacking(no_bell, None) == lacking(no_bell, "confetti") == lacking(no_bell, "coloretto") == frozenset()
    assert lacking(no_bell, "piccolino") == {"bell"}
    assert lacking(found(camera=ok, bell=fault, sandtimer=fault), None) == {"bell", "sandtimer"}
    assert lacking(found(camera=ok, bell=skipped, sandtimer=ok), "piccolino") == {"bell"}
    assert lacking(found(camera=fault, disk=fault, bell=ok), "coloretto") == {"camera", "disk"}


def setup(pins: FactoryMaker, opener: Callable[[str, CameraSettings], Camera]) -> Setup:
    return Setup(speaker=SpeakerSettings(backend="none"), silent=True, pins=pins, opener=opener)


def no_camera(spec: str, settings: CameraSettings) -> Camera:
    raise CameraMissingError("No camera was found.")


def test_on_a_laptop_all_that_is_missing_is_said_in_a_line_each(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert examine(setup(no_pins, no_camera), machine(tmp_path), as_json=False) == 1
    printed = capfd.readouterr()
    lines = printed.out.splitlines()
    assert printed.err == ""
    assert sum(line.startswith("FAULT") for line in lines) == 5
    assert lines[-1] == "Not ready for a game: camera and bell or sandtimer must work first."
    assert examine(setup(no_pins, no_camera), machine(tmp_path), as_json=True) == 1
    findings = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert len(findings) == len(lines) - 1
    assert {finding["check"] for finding in findings if finding["needed"]} == {"camera", "disk", "bell", "sandtimer"}
    assert all(set(finding) == {"check", "state", "message", "advice", "needed"} for finding in findings)


def test_a_table_that_is_ready(tmp_path: Path, factory: MockFactory, capfd: pytest.CaptureFixture[str]) -> None:
    clock = FakeClock()
    table = setup(lambda: factory, lambda spec, settings: FakeCamera())
    assert examine(table, machine(tmp_path, monotonic_ns=clock), as_json=False) == 0
    assert capfd.readouterr().out.splitlines()[-1] == "Ready for a game."


def test_a_user_without_rights_reads_what_to_do(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def refused() -> MockFactory:
        raise NoPermissionError("This user may not use the pins: sudo usermod -aG gpio $USER.")

    assert examine(setup(refused, no_camera), machine(tmp_path), as_json=False) == 1
    assert "usermod -aG gpio" in capfd.readouterr().out


def test_the_command_itself(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    import cv2

    cv2.imwrite(str(tmp_path / "a.png"), np.full((8, 10, 3), 90, np.uint8))
    nothing = ["--bell", "none", "--sandtimer", "watched", "--lamp", "none", "--speech", "none"]
    assert main(["doctor", *nothing, "--camera", str(tmp_path)]) == 0
    assert main(["doctor", "--game", "piccolino", *nothing, "--camera", str(tmp_path)]) == 1
    capfd.readouterr()
    for wrong in (["--camera", "nowhere"], ["--press", "nan"]):
        assert main(["doctor", *wrong]) == 2
        printed = capfd.readouterr()
        assert (printed.out, len(printed.err.splitlines())) == ("", 1)
