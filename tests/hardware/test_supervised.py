"""Threads that come back: of devices, each raised in once; all report it and work again."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from hardware import supervised
from hardware.bell import BellLogic
from hardware.camera.frames import Frame, FrameBuffer
from hardware.camera.supervisor import CameraReport, CameraSupervisor
from hardware.edges import EdgeDevice
from hardware.events import BellPressed
from hardware.microphone import MicrophoneBell
from hardware.problems import Health, Problem
from hardware.settings import MicrophoneSettings
from hardware.supervised import SupervisedThread
from tests.support.device_fakes import FakeLines, ListSink
from tests.support.fails_once import FailsOnce, UnexpectedError
from tests.support.waiting import wait_for

S = 1_000_000_000


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(supervised, "LAST_WAIT_S", 0.01)
    before = set(threading.enumerate())
    yield
    wait_for(lambda: set(threading.enumerate()) <= before, "a thread is left behind")


def states(sink: ListSink) -> list[Health]:
    return [health.state for health in sink.of(Problem)]


def test_work_that_raises_is_reported_and_begins_again_until_it_is_stopped(caplog: pytest.LogCaptureFixture) -> None:
    faults: list[Exception] = []
    rounds = threading.Semaphore(0)

    def work() -> None:
        rounds.release()
        raise UnexpectedError("again")

    thread = SupervisedThread("work", work, faults.append)
    thread.start()
    for _ in range(5):
        assert rounds.acquire(timeout=60)
    thread.stop()
    assert not thread.is_alive
    assert len(faults) >= 4 and {str(fault) for fault in faults} == {"again"}
    assert "the part “work” failed and begins again: UnexpectedError: again (test_supervised.py:" in caplog.text
    assert "Traceback" not in caplog.text


def test_one_that_waits_to_begin_again_is_stopped_at_once() -> None:
    failed = threading.Event()
    thread = SupervisedThread("work", FailsOnce(failed.wait), lambda fault: failed.set(), first_wait_s=3600.0)
    thread.start()
    assert failed.wait(60)
    thread.stop()
    assert not thread.is_alive


def test_a_report_that_fails_as_well_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervised, "WELL_S", 0.05)
    stop, well = threading.Event(), threading.Event()
    work = FailsOnce(stop.wait)
    thread = SupervisedThread("work", work, FailsOnce(lambda fault: None), well.set)
    thread.start()
    assert well.wait(60)
    assert work.failed.is_set()
    stop.set()
    thread.stop()


def test_a_bell_button_is_heard_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sink, lines = ListSink(), FakeLines()
    logic = BellLogic({"bell": None})
    monkeypatch.setattr(logic, "feed", FailsOnce(logic.feed))
    bell = EdgeDevice("bell", lines, logic, sink)
    bell.start()
    try:
        wait_for(lambda: states(sink) == [Health.OK])
        lines.move(time.monotonic_ns(), "bell", True)
        wait_for(lambda: states(sink) == [Health.OK, Health.MISSING, Health.OK])
        # Nothing waits for an edge that was lost with the fault.
        wait_for(lambda: sink.held_ns is None)
        lines.move(time.monotonic_ns() - S, "bell", False)
        lines.move(time.monotonic_ns(), "bell", True)
        wait_for(lambda: sink.of(BellPressed))
    finally:
        bell.stop()


class Silence:
    """A microphone in a quiet room."""

    def open(self) -> None:
        """Open nothing."""

    def close(self) -> None:
        """Close nothing."""

    def read(self, timeout_s: float) -> np.ndarray:
        time.sleep(0.005)
        return np.full(256, 0.001, np.float32)


def test_a_microphone_is_heard_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sink, source = ListSink(), Silence()
    read = FailsOnce(source.read)
    monkeypatch.setattr(source, "read", read)
    bell = MicrophoneBell(MicrophoneSettings(), sink, source, retry_ns=1)
    bell.start()
    try:
        wait_for(lambda: states(sink) == [Health.MISSING, Health.OK])
        assert read.worked.is_set()
    finally:
        bell.stop()


class Eye:
    """A camera that gives grey pictures."""

    name = "an eye"
    notes: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.read = FailsOnce(self._read)

    def _read(self) -> Frame:
        time.sleep(0.01)
        t_ns = time.monotonic_ns()
        noise = np.random.default_rng(t_ns).integers(80, 120, (90, 160, 3), np.uint8)
        return Frame(t_ns, t_ns, noise, t_ns)

    def close(self) -> None:
        """Close nothing."""


def test_a_camera_and_what_watches_it_see_again() -> None:
    eye, buffer = Eye(), FrameBuffer(S)
    reports: list[CameraReport] = []
    camera = CameraSupervisor(lambda: eye, buffer, reports.append)
    camera.start()
    try:
        wait_for(lambda: buffer.newest is not None)
        assert any("nobody expects" in report.message for report in reports)
        check = FailsOnce(camera.check)
        camera.check = check  # type: ignore[method-assign]
        wait_for(check.worked.is_set)
        wait_for(lambda: any("watch has a fault" in report.message for report in reports))
        wait_for(lambda: camera.report.health().state is Health.OK)
    finally:
        camera.stop()
