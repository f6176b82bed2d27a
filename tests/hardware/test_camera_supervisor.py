"""Cameras that raise, hang, go dark and come back; the clock is the test's own, so nothing here depends on speed."""

import queue
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from hardware.camera.camera import Camera, CameraMissingError, CameraTimeoutError
from hardware.camera.frames import Frame, FrameBuffer
from hardware.camera.supervisor import CameraReport, CameraState, CameraSupervisor

MS = 1_000_000
SECOND = 1_000 * MS
TABLE = np.full((8, 8, 3), 90, np.uint8)
PATIENCE_S = 30.0


class Clock:
    def __init__(self) -> None:
        self.now_ns = 100 * SECOND

    def __call__(self) -> int:
        return self.now_ns


class FakeCamera:
    """Gives what is put into it: frames, errors to raise, None for the end; hangs while there is nothing."""

    name = "a fake camera"
    notes = ("It holds nothing.",)

    def __init__(self) -> None:
        self.things: queue.Queue[Frame | BaseException | None] = queue.Queue()
        self.reads = threading.Semaphore(0)
        self.closed = threading.Event()
        self.reader: threading.Thread | None = None

    def read(self) -> Frame | None:
        self.reads.release()
        thing = self.things.get()
        if isinstance(thing, BaseException):
            raise thing
        return thing

    def close(self) -> None:
        self.reader = threading.current_thread()
        self.closed.set()


class Rig:
    """A supervisor whose watch thread is the test itself."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.buffer = FrameBuffer()
        self.reports: queue.Queue[CameraReport] = queue.Queue()
        self.cameras: list[FakeCamera] = []
        self.opened: queue.Queue[FakeCamera] = queue.Queue()
        self.failures: list[Exception] = []
        self.supervisor = CameraSupervisor(self.open, self.buffer, self.reports.put, self.clock)

    def open(self) -> Camera:
        if self.failures:
            raise self.failures.pop(0)
        camera = FakeCamera()
        self.cameras.append(camera)
        self.opened.put(camera)
        return camera

    def camera(self) -> FakeCamera:
        return self.opened.get(timeout=PATIENCE_S)

    def show(self, camera: FakeCamera) -> Frame:
        self.clock.now_ns += 33 * MS
        frame = Frame(self.clock.now_ns, self.clock.now_ns, TABLE, 0)
        camera.things.put(frame)
        return frame

    def wait_for(self, state: CameraState) -> CameraReport:
        while True:
            report = self.reports.get(timeout=PATIENCE_S)
            if report.state is state:
                return report

    def later(self, ns: int) -> None:
        self.clock.now_ns += ns
        self.supervisor.check()

    def running(self) -> FakeCamera:
        self.supervisor.check()
        camera = self.camera()
        self.show(camera)
        self.wait_for(CameraState.OK)
        for _ in range(2):
            assert camera.reads.acquire(timeout=PATIENCE_S), "the frame was taken and the next one is waited for"
        return camera


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    for camera in rig.cameras:
        camera.things.put(None)
    assert rig.supervisor.stop(PATIENCE_S)
    assert all(camera.closed.is_set() for camera in rig.cameras)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("camera")]


def gone(camera: FakeCamera) -> None:
    """Wait until the thread that read a camera has closed it and ended."""
    assert camera.closed.wait(PATIENCE_S)
    assert camera.reader is not None
    camera.reader.join(PATIENCE_S)


def test_frames_reach_the_buffer(rig: Rig) -> None:
    camera = rig.running()
    frame = rig.show(camera)
    assert rig.buffer.wait_complete(frame.exposure_end_ns, PATIENCE_S)
    assert rig.buffer.newest is frame
    assert rig.supervisor.name == "a fake camera"
    assert rig.supervisor.notes == ("It holds nothing.",)


@pytest.mark.parametrize(
    "failure", [CameraMissingError("The cable is out."), OSError("no such device"), RuntimeError("timed\nout")]
)
def test_an_unplugged_camera_is_reported_and_comes_back_by_itself(rig: Rig, failure: Exception) -> None:
    camera = rig.running()
    camera.things.put(failure)
    report = rig.wait_for(CameraState.MISSING)
    assert "\n" not in report.message
    gone(camera)
    rig.failures = [CameraMissingError("It is not there."), CameraMissingError("It is not there.")]
    for _ in range(2):
        rig.later(SECOND)
        for thread in threading.enumerate():
            if thread.name == "camera":
                thread.join(PATIENCE_S)
    assert rig.supervisor.report.message == "It is not there."
    rig.later(SECOND)
    again = rig.camera()
    frame = rig.show(again)
    rig.wait_for(CameraState.OK)
    assert rig.buffer.wait_complete(frame.exposure_end_ns, PATIENCE_S)
    assert rig.buffer.lost == 0


def test_a_camera_that_hangs_in_its_driver_is_reported_in_two_seconds_and_left_behind(rig: Rig) -> None:
    camera = rig.running()
    stopped_ns = rig.clock.now_ns
    rig.later(1_900 * MS)
    report = rig.wait_for(CameraState.STALLED)
    assert report.since_ns - stopped_ns <= 2 * SECOND
    # The hung thread keeps the device for now; only when it hangs for good another one is tried.
    rig.later(2 * SECOND)
    assert len(rig.cameras) == 1
    rig.later(10 * SECOND)
    again = rig.camera()
    frame = rig.show(again)
    rig.wait_for(CameraState.OK)
    # What the hung one still gives is too late to count.
    camera.things.put(Frame(frame.t_ns + 1, frame.t_ns + 1, TABLE, 0))
    gone(camera)
    assert rig.buffer.newest is frame


def test_a_stalled_camera_that_answers_again_is_closed_and_opened_anew(rig: Rig) -> None:
    camera = rig.running()
    rig.later(1_900 * MS)
    rig.wait_for(CameraState.STALLED)
    camera.things.put(CameraTimeoutError("No picture came."))
    gone(camera)
    rig.later(100 * MS)
    rig.show(rig.camera())
    rig.wait_for(CameraState.OK)


def test_a_short_pause_is_no_reason_to_reopen(rig: Rig) -> None:
    camera = rig.running()
    camera.things.put(CameraTimeoutError("No picture came."))
    rig.later(SECOND)
    frame = rig.show(camera)
    assert rig.buffer.wait_complete(frame.exposure_end_ns, PATIENCE_S)
    assert len(rig.cameras) == 1
    assert rig.supervisor.report.state is CameraState.OK


def test_not_more_than_three_threads_are_ever_left_behind(rig: Rig) -> None:
    rig.running()
    for _ in range(2):
        rig.later(31 * SECOND)
        rig.later(31 * SECOND)
        assert rig.camera().reads.acquire(timeout=PATIENCE_S)
    for _ in range(10):
        rig.later(31 * SECOND)
    assert len(rig.cameras) == 3
    assert sum(thread.name == "camera" for thread in threading.enumerate()) == 3
    # One of them answers after all: there is room for another try.
    rig.cameras[0].things.put(None)
    gone(rig.cameras[0])
    rig.later(31 * SECOND)
    rig.show(rig.camera())
    rig.wait_for(CameraState.OK)


def test_the_end_of_a_file_is_the_end(rig: Rig) -> None:
    camera = rig.running()
    camera.things.put(None)
    rig.wait_for(CameraState.ENDED)
    gone(camera)
    rig.later(100 * SECOND)
    assert len(rig.cameras) == 1
    assert rig.supervisor.report.state is CameraState.ENDED


def test_black_and_misdated_frames_stay_out_of_the_buffer(rig: Rig) -> None:
    camera = rig.running()
    good = rig.buffer.newest
    rig.clock.now_ns += 33 * MS
    camera.things.put(Frame(rig.clock.now_ns, rig.clock.now_ns, np.zeros_like(TABLE), 0))
    camera.things.put(Frame(5, 5, TABLE, 0))
    frame = rig.show(camera)
    assert rig.buffer.wait_complete(frame.exposure_end_ns, PATIENCE_S)
    assert rig.buffer.pushed == 2
    assert rig.buffer.last_before(frame.t_ns) is good


def test_started_for_real_it_ends_with_all_its_threads() -> None:
    camera = FakeCamera()
    buffer = FrameBuffer()
    clock = Clock()
    supervisor = CameraSupervisor(lambda: camera, buffer, clock=clock)
    supervisor.start()
    camera.things.put(Frame(clock.now_ns, clock.now_ns, TABLE, 0))
    assert buffer.wait_complete(clock.now_ns, PATIENCE_S)
    stopping = threading.Thread(target=supervisor.stop, args=(PATIENCE_S,))
    stopping.start()
    camera.things.put(CameraTimeoutError("No picture came."))
    stopping.join(PATIENCE_S)
    assert camera.closed.is_set()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("camera")]


def test_stopping_does_not_wait_for_a_driver_that_hangs() -> None:
    camera = FakeCamera()
    supervisor = CameraSupervisor(lambda: camera, FrameBuffer(), clock=Clock())
    supervisor.check()
    assert not supervisor.stop(timeout_s=0)
    camera.things.put(None)
    gone(camera)
