"""A camera is set up anew while it runs: on its own thread, without a stall that nobody meant; and if it hangs then."""

from __future__ import annotations

import queue
import threading

import numpy as np
import pytest

from hardware.camera.camera import Camera, CameraMissingError, CameraSettings, Settling
from hardware.camera.exposure import Polygon
from hardware.camera.files import FileCamera
from hardware.camera.frames import Frame, FrameBuffer
from hardware.camera.picamera2 import Picamera2Camera
from hardware.camera.supervisor import CameraState, CameraSupervisor
from tests.support.fake_picamera2 import FakePicamera2

SECOND = 1_000_000_000
PATIENCE_S = 30.0
TABLE = np.full((8, 8, 3), 90, np.uint8)


class SlowCamera:
    """A camera whose setting up takes as long as a test wants; `fails`: or ends with an error."""

    name = "a fake camera"

    def __init__(self) -> None:
        self.notes: tuple[str, ...] = ("little light",)
        self.frames: queue.Queue[Frame | None] = queue.Queue()
        self.asked: queue.Queue[tuple[Polygon | None, bool]] = queue.Queue()
        self.done = threading.Event()
        self.fails = False

    def read(self) -> Frame | None:
        return self.frames.get()

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> None:
        self.asked.put((area, focus))
        assert self.done.wait(PATIENCE_S)
        if self.fails:
            raise CameraMissingError("its cable came off")
        self.notes = ()

    def close(self) -> None:
        pass


class Rig:
    def __init__(self, camera: Camera) -> None:
        self.now_ns = 100 * SECOND
        self.buffer = FrameBuffer()
        self.shown = threading.Semaphore(0)
        self.camera = camera
        self.supervisor = CameraSupervisor(lambda: camera, self, clock=lambda: self.now_ns)
        self.supervisor.check()

    def push(self, frame: Frame) -> bool:
        done = self.buffer.push(frame)
        self.shown.release()
        return done

    def state(self) -> CameraState:
        return self.supervisor.report.state

    def settles(self) -> bool:
        return self.supervisor.settling

    def restart(self) -> None:
        self.buffer.restart()

    def show(self, camera: SlowCamera) -> None:
        self.now_ns += SECOND // 30
        camera.frames.put(Frame(self.now_ns, self.now_ns, TABLE, 0))

    def shows(self, camera: SlowCamera) -> None:
        self.show(camera)
        assert self.shown.acquire(timeout=PATIENCE_S)


def test_setting_up_is_no_stall_and_what_it_could_not_do_is_known_anew() -> None:
    camera = SlowCamera()
    rig = Rig(camera)
    rig.shows(camera)
    assert "little light" in rig.supervisor.notes
    area = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    assert rig.supervisor.settle(area, focus=False)
    assert rig.settles()
    # The frame that is waited for comes first.
    rig.shows(camera)
    assert camera.asked.get(timeout=PATIENCE_S) == (area, False)
    rig.now_ns += 8 * SECOND
    rig.supervisor.check()
    assert rig.state() is CameraState.OK
    camera.done.set()
    rig.shows(camera)
    assert not rig.settles()
    assert not rig.supervisor.notes
    # From now on silence is a stall again.
    rig.now_ns += 2 * SECOND
    rig.supervisor.check()
    assert rig.state() is CameraState.STALLED
    camera.frames.put(None)
    rig.supervisor.stop(PATIENCE_S)


def test_a_camera_that_hangs_or_is_unplugged_while_it_is_set_up_is_told() -> None:
    camera = SlowCamera()
    rig = Rig(camera)
    rig.shows(camera)
    rig.supervisor.settle()
    rig.show(camera)
    camera.asked.get(timeout=PATIENCE_S)
    rig.now_ns += 31 * SECOND
    rig.supervisor.check()
    assert rig.state() is CameraState.STALLED
    assert not rig.settles()
    camera.fails = True
    camera.done.set()
    camera.frames.put(None)
    assert rig.supervisor.stop(PATIENCE_S)


def test_a_file_cannot_be_set_up() -> None:
    camera = FileCamera("pictures", iter([TABLE]), 1)
    assert not isinstance(camera, Settling)
    rig = Rig(camera)
    assert not rig.supervisor.settle()
    rig.supervisor.stop(PATIENCE_S)


@pytest.mark.parametrize("brighter", [0.1, 8.0])
def test_a_pi_camera_is_set_up_anew_and_frees_its_automatics_for_that(brighter: float) -> None:
    device = FakePicamera2()
    camera = Picamera2Camera(
        device,
        "Camera 0",
        CameraSettings(width=64, height=48, small_width=32),
        lambda: device.now_ns,
        lambda: device.now_ns,
    )
    device.brightness *= brighter
    device.focuses = False
    set_before = len(device.set)
    camera.settle(focus=False)
    assert {"AeEnable": True, "AwbEnable": True} in device.set[set_before:]
    assert not any("AfTrigger" in controls for controls in device.set[set_before:])
    frame = camera.read()
    assert frame is not None
    assert 200 <= np.median(frame.bgr()[14:22, 18:30]) <= 245
    assert camera.notes == ()
    device.broken = RuntimeError("Camera frontend has timed out!")
    with pytest.raises(CameraMissingError, match="timed out"):
        camera.settle()
