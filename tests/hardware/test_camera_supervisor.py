"""Cameras that raise, hang, go dark, repeat themselves and come back; the clock is the test's own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hardware.camera.camera import Camera, CameraMissingError, CameraTimeoutError
from hardware.camera.exposure import Polygon
from hardware.camera.frames import Frame, FrameBuffer, PixelFormat
from hardware.camera.supervisor import CameraReport, CameraState, CameraSupervisor, CameraWatch, is_black
from hardware.problems import Health
from tests.support.device_fakes import FakeClock

MS = 1_000_000
SECOND = 1_000 * MS
TABLE = np.full((8, 8, 3), 90, np.uint8)
PATIENCE_S = 30.0


class FakeCamera:
    """Gives what is put into it: frames, errors to raise, None for the end; hangs while there is nothing.

    Setting it up takes until `done`, and ends with an error if it `fails`.
    """

    name = "a fake camera"

    def __init__(self) -> None:
        self.notes: tuple[str, ...] = ("It holds nothing.",)
        self.things: queue.Queue[Frame | BaseException | None] = queue.Queue()
        self.reads = threading.Semaphore(0)
        self.closed = threading.Event()
        self.reader: threading.Thread | None = None
        self.asked: queue.Queue[tuple[Polygon | None, bool]] = queue.Queue()
        self.done = threading.Event()
        self.fails = False

    def read(self) -> Frame | None:
        self.reads.release()
        thing = self.things.get()
        if isinstance(thing, BaseException):
            raise thing
        return thing

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> None:
        self.asked.put((area, focus))
        assert self.done.wait(PATIENCE_S)
        if self.fails:
            raise CameraMissingError("some.fault", "its cable came off")
        self.notes = ()

    def close(self) -> None:
        self.reader = threading.current_thread()
        self.closed.set()

    def gone(self) -> None:
        """Wait until the thread that read it has closed it and ended."""
        assert self.closed.wait(PATIENCE_S)
        assert self.reader is not None
        self.reader.join(PATIENCE_S)


class Rig:
    """A supervisor whose watch thread is the test itself."""

    def __init__(self) -> None:
        self.clock = FakeClock(100 * SECOND)
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
        self.clock.t_ns += 33 * MS
        frame = Frame(self.clock.t_ns, self.clock.t_ns, TABLE, 0)
        camera.things.put(frame)
        return frame

    def arrives(self, camera: FakeCamera) -> Frame:
        frame = self.show(camera)
        assert self.buffer.wait_complete(frame.exposure_end_ns, PATIENCE_S)
        return frame

    def wait_for(self, state: CameraState) -> CameraReport:
        while True:
            report = self.reports.get(timeout=PATIENCE_S)
            if report.state is state:
                return report

    def state(self) -> CameraState:
        return self.supervisor.report.state

    def settles(self) -> bool:
        return self.supervisor.settling

    def later(self, ns: int) -> None:
        self.clock.t_ns += ns
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


@pytest.mark.parametrize(
    "failure",
    [CameraMissingError("some.fault", "The cable is out."), OSError("no such device"), RuntimeError("timed\nout")],
)
def test_an_unplugged_camera_is_reported_and_comes_back_by_itself(rig: Rig, failure: Exception) -> None:
    camera = rig.running()
    camera.things.put(failure)
    report = rig.wait_for(CameraState.MISSING)
    assert "\n" not in report.message
    health = report.health()
    assert (health.state, health.part, health.message) == (Health.MISSING, "camera", report.message)
    camera.gone()
    rig.failures = [
        CameraMissingError("some.fault", "It is not there."),
        CameraMissingError("some.fault", "It is not there."),
    ]
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
    stopped_ns = rig.clock.t_ns
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
    camera.gone()
    assert rig.buffer.newest is frame


def test_setting_up_is_no_stall_and_renews_the_notes(rig: Rig) -> None:
    camera = rig.running()
    assert "It holds nothing." in rig.supervisor.notes
    area = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    assert rig.supervisor.settle(area, focus=False)
    assert rig.settles()
    # The frame that is waited for comes first.
    rig.arrives(camera)
    assert camera.asked.get(timeout=PATIENCE_S) == (area, False)
    rig.later(8 * SECOND)
    assert rig.state() is CameraState.OK
    camera.done.set()
    rig.arrives(camera)
    assert not rig.settles()
    assert not rig.supervisor.notes
    # From now on silence is a stall again.
    rig.later(2 * SECOND)
    assert rig.state() is CameraState.STALLED


def test_a_camera_that_hangs_or_is_unplugged_while_it_is_set_up_is_reported(rig: Rig) -> None:
    camera = rig.running()
    rig.supervisor.settle()
    rig.show(camera)
    camera.asked.get(timeout=PATIENCE_S)
    rig.later(31 * SECOND)
    assert rig.state() is CameraState.STALLED
    assert not rig.settles()
    camera.fails = True
    camera.done.set()
    camera.gone()


def test_a_short_pause_is_no_reason_to_reopen(rig: Rig) -> None:
    camera = rig.running()
    camera.things.put(CameraTimeoutError("some.fault", "No picture came."))
    rig.later(SECOND)
    rig.arrives(camera)
    assert len(rig.cameras) == 1
    assert rig.state() is CameraState.OK


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
    rig.cameras[0].gone()
    rig.later(31 * SECOND)
    rig.show(rig.camera())
    rig.wait_for(CameraState.OK)


def test_the_end_of_a_file_is_the_end(rig: Rig) -> None:
    camera = rig.running()
    camera.things.put(None)
    rig.wait_for(CameraState.ENDED)
    camera.gone()
    rig.later(100 * SECOND)
    assert len(rig.cameras) == 1
    assert rig.state() is CameraState.ENDED


def test_started_for_real_it_ends_with_all_its_threads() -> None:
    camera = FakeCamera()
    buffer = FrameBuffer()
    clock = FakeClock(100 * SECOND)
    supervisor = CameraSupervisor(lambda: camera, buffer, clock=clock)
    supervisor.start()
    camera.things.put(Frame(clock.t_ns, clock.t_ns, TABLE, 0))
    assert buffer.wait_complete(clock.t_ns, PATIENCE_S)
    stopping = threading.Thread(target=supervisor.stop, args=(PATIENCE_S,))
    stopping.start()
    camera.things.put(CameraTimeoutError("some.fault", "No picture came."))
    stopping.join(PATIENCE_S)
    assert camera.closed.is_set()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("camera")]


def test_stopping_does_not_wait_for_a_driver_that_hangs() -> None:
    camera = FakeCamera()
    supervisor = CameraSupervisor(lambda: camera, FrameBuffer(), clock=FakeClock(100 * SECOND))
    supervisor.check()
    assert not supervisor.stop(timeout_s=0)
    camera.things.put(None)
    camera.gone()


START = 500 * SECOND
BLACK = np.full_like(TABLE, 3)


def frame(end_ns: int, image: NDArray[np.uint8] = TABLE) -> Frame:
    return Frame(end_ns, end_ns, image, 0)


def state_of(watch: CameraWatch) -> CameraState:
    return watch.report.state


def running(now_ns: int = START) -> CameraWatch:
    watch = CameraWatch(now_ns)
    assert watch.accept(frame(now_ns), now_ns)
    return watch


def test_black_frames_are_left_out_at_once_and_reported_when_they_last() -> None:
    watch = running()
    for step in range(1, 320):
        now = START + step * 100 * MS
        assert not watch.accept(frame(now, BLACK), now)
        assert (state_of(watch) is CameraState.BLACK) == (step >= 6)
        # Only a camera that is black for long is opened again.
        assert watch.reopen(now) == (step > 300)
    now += 100 * MS
    assert watch.accept(frame(now), now)
    assert state_of(watch) is CameraState.OK


def test_a_picture_that_comes_again_and_again_is_no_news_and_is_reported_when_that_lasts() -> None:
    def noisy(seed: int) -> NDArray[np.uint8]:
        return np.random.default_rng(seed).integers(80, 100, TABLE.shape, np.uint8)

    watch = running()
    taken = []
    for step in range(1, 16):
        now = START + step * 100 * MS
        taken.append(watch.accept(frame(now, noisy(min(step, 3))), now))
        assert (state_of(watch) is CameraState.FROZEN) == (step >= 15)
    # In dim light cameras send each picture twice.
    assert taken == [True] * 4 + [False] * 11
    assert watch.report.health().state is Health.STALLED
    assert watch.accept(frame(START + 2 * SECOND, noisy(4)), START + 2 * SECOND)
    assert state_of(watch) is CameraState.OK


@pytest.mark.parametrize("jump", [-6 * SECOND, -3_600 * SECOND, SECOND, 3_600 * SECOND])
def test_frames_that_jump_in_time_are_left_out_and_reported_when_they_go_on(jump: int) -> None:
    watch = running()
    now = START
    for _ in range(4):
        now += 33 * MS
        assert not watch.accept(frame(now + jump), now)
    assert state_of(watch) is CameraState.OK
    for _ in range(20):
        now += 33 * MS
        watch.accept(frame(now + jump), now)
    assert state_of(watch) is CameraState.WRONG_TIME
    assert watch.reopen(now)
    watch.opening(now)
    assert not watch.reopen(now + 33 * MS)
    assert watch.accept(frame(now + 33 * MS), now + 33 * MS)
    assert state_of(watch) is CameraState.OK


@given(
    st.lists(st.tuples(st.integers(0, 3_000), st.sampled_from(["good", "black", "late", "lost", "open"])), max_size=40)
)
def test_only_good_frames_get_through_and_the_report_is_always_current(steps: list[tuple[int, str]]) -> None:
    watch = CameraWatch(START)
    now, last_good = START, None
    for wait_ms, what in steps:
        now += wait_ms * MS
        watch.check(now)
        if what == "lost":
            watch.lost("The cable is out.", now)
            last_good = None
            assert watch.report.message == "The cable is out."
        elif what == "open":
            watch.opening(now)
            last_good = None
        else:
            end = {"good": now, "black": now, "late": now - 10 * SECOND}[what]
            fresh = last_good is None or end > last_good
            accepted = watch.accept(frame(end, BLACK if what == "black" else TABLE), now)
            assert accepted == (what == "good" and fresh)
            if accepted:
                assert state_of(watch) is CameraState.OK
            if what != "late" and fresh:
                last_good = end
        assert watch.report.since_ns <= now


def test_black_is_nothing_at_all_not_a_dark_table() -> None:
    dark_table = np.full((480, 640, 3), 12, np.uint8)
    dark_table[100:200, 100:200] = 60
    video_black = np.full((72, 64), 128, np.uint8)
    video_black[:48] = 16
    assert not is_black(frame(0, dark_table))
    assert is_black(frame(0, BLACK))
    assert is_black(Frame(0, 0, video_black, 0, PixelFormat.NV12))
