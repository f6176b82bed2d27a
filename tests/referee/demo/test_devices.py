"""The simulated table in real time: devices that fail in mid-game come back, and nothing is left running."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hardware.camera.camera import Camera, CameraMissingError
from hardware.camera.frames import Frame, FrameExposed
from hardware.events import BellPressed, EventQueue, SandFlipped, SandRanOut, TimedEvent
from hardware.problems import Health, Problem
from referee.demo.devices import SimulatedDevices
from simulation.live import LiveTable, Shots, SimulatedCamera
from simulation.script import Action, BellHit, Flip, Script, person_at
from simulation.view import Look
from vision.deck import load_deck

AREA = (800.0, 450.0)
SHOTS = Shots(size=(160, 90), frames_per_s=20, look=Look(noise=1))
PATIENCE_S = 120.0
# What is started in the background is deaf to Ctrl-C, and so is all that it starts: a test run may be.
HEAR = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
MAIN = f"{HEAR}; import sys; from referee.commands import main; sys.exit(main(sys.argv[1:]))"
RINGS_S = (0.5, 2.0, 4.3, 7.5)


def small_table() -> LiveTable:
    person = person_at((400, 430), AREA, 0)
    actions: tuple[Action, ...] = (*(BellHit(0, at) for at in RINGS_S), Flip(0, 3.2, 3.0))
    script = Script(AREA, (), (person,), actions, 8.5, bell_mm=(400, 200), sandtimer_mm=(600, 200))
    return LiveTable(script, load_deck("confetti"), 1, SHOTS)


class FaultyCamera:
    """The table's camera until a fault: it raises, gives black frames, or jumps in time; then it raises, too."""

    def __init__(self, table: LiveTable, spoil: Callable[[Frame], Frame], good: int, bad: int) -> None:
        self._camera = SimulatedCamera(lambda: table)
        self._spoil, self._good, self._bad = spoil, good, bad
        self._count = 0
        self.name, self.notes = "a faulty camera", ()
        self.closed = False

    def read(self) -> Frame | None:
        self._count += 1
        if self._count > self._good + self._bad:
            raise CameraMissingError("some.fault", "The cable is out.")
        frame = self._camera.read()
        assert frame is not None
        if self._count > self._good:
            time.sleep(0.05)
            return self._spoil(frame)
        return frame

    def close(self) -> None:
        self.closed = True


def black(frame: Frame) -> Frame:
    return replace(frame, image=np.zeros_like(frame.image))


def jumped(frame: Frame) -> Frame:
    return replace(frame, t_ns=frame.t_ns + 10**11, exposure_end_ns=frame.exposure_end_ns + 10**11)


@pytest.fixture
def no_thread_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [thread.name for thread in threading.enumerate() if thread not in before and thread.is_alive()]
    assert left == []


def drain(queue: EventQueue, until: Callable[[], bool]) -> list[TimedEvent]:
    events: list[TimedEvent] = []
    deadline = time.monotonic() + PATIENCE_S
    while not until() and time.monotonic() < deadline:
        events += queue.take(time.monotonic_ns())
        queue.wait(0.05)
    return events + queue.take(time.monotonic_ns() + 2 * 10**9)


@pytest.mark.usefixtures("no_thread_left")
def test_the_game_goes_on_through_every_fault_of_the_camera() -> None:
    table = small_table()
    cameras: list[FaultyCamera] = []
    faults = [(lambda frame: frame, 8, 0), (black, 3, 14), (jumped, 3, 14)]

    def open_camera() -> Camera:
        if faults:
            cameras.append(FaultyCamera(table, *faults.pop(0)))
            return cameras[-1]
        return SimulatedCamera(lambda: table)

    reports: list[Problem] = []
    devices = SimulatedDevices(table, 1, open_camera)
    devices.start(reports.append)

    def works_again() -> bool:
        return devices.over and not faults and reports[-1].state is Health.OK

    events = drain(devices.queue, works_again)
    devices.stop()
    messages = {health.message for health in reports}
    assert "The cable is out." in messages
    assert any("black" in message for message in messages) and any("clock" in message for message in messages)
    assert reports[-1].state is Health.OK
    assert all(camera.closed for camera in cameras)
    # Bell and sandtimer did not mind.
    pressed = [event.t_ns for event in events if isinstance(event, BellPressed)]
    assert [round((t_ns - table.start_ns) / 1e6) for t_ns in pressed] == [round(at * 1e3) for at in RINGS_S]
    (flipped,) = (event for event in events if isinstance(event, SandFlipped))
    (ended,) = (event for event in events if isinstance(event, SandRanOut))
    assert flipped.t_ns < ended.t_ns and abs(ended.t_ns - table.start_ns - round(6.2e9)) < 10**6
    frames = [event.t_ns for event in events if isinstance(event, FrameExposed)]
    assert frames and frames == sorted(frames)


@pytest.mark.usefixtures("no_thread_left")
def test_stopping_in_mid_game_leaves_nothing_running() -> None:
    devices = SimulatedDevices(small_table(), 1)
    devices.start(lambda health: None)
    drain(devices.queue, lambda: devices.seconds > 1.0)
    assert not devices.over
    devices.stop()
    devices.stop()


@pytest.mark.parametrize("fast", [True, False])
def test_ctrl_c_ends_the_demo(tmp_path: Path, fast: bool) -> None:
    command = [sys.executable, "-c", MAIN, "demo", "--silent", "--no-page", *(["--fast"] if fast else [])]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        assert "A game of Confetti" in demo.stdout.readline()
        demo.send_signal(signal.SIGINT)
        _, complaint = demo.communicate(timeout=PATIENCE_S)
    assert demo.returncode == 130
    assert complaint == "ringmaster demo: stopped\n"
