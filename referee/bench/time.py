"""How soon the referee knows: from an edge or an exposure's end to the queue, on the simulated table or real lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from hardware.bell.device import Bell, make_bell
from hardware.camera.camera import CameraSettings, open_camera
from hardware.camera.frame_tap import FrameExposed, FrameTap
from hardware.camera.frames import SECOND_NS, FrameBuffer
from hardware.camera.supervisor import CameraSupervisor
from hardware.event_queue import EventQueue
from hardware.events import BellPressed, Event
from hardware.health import DeviceHealth, Health
from hardware.settings import MS, BellSettings
from referee.bench.measurement import Measurement
from referee.bench.yardstick import one_thread, yardstick
from referee.demo.devices import EDGE_LAG_NS, EdgeSide
from referee.demo.seating import AREA_MM, MIDDLE_MM
from simulation.camera import SimulatedCamera
from simulation.live import LiveTable, Shots
from simulation.script import Lying, Ring, Script, ScriptCard, person_at
from vision.deck import load_deck

SIMULATED = "simulated"
_FIRST_S, _GAP_S, _CARDS = 1.0, 0.27, 12
_DELIVERED_MS = 1e6


@dataclass(frozen=True)
class TimeSetup:
    """What is measured.

    camera: SIMULATED, or a camera's name as `parse_spec` takes it. pins: SIMULATED, or "gpio" for the real
    lines, whose bell somebody else has to press. presses: of the simulated bell. seconds: how long real ones are
    listened to. size: of the simulated frames, px; frames_per_s: their pace.
    """

    camera: str = SIMULATED
    pins: str = SIMULATED
    presses: int = 100
    seconds: float = 30.0
    size: tuple[int, int] = (1280, 720)
    frames_per_s: float = 30.0


@dataclass(frozen=True)
class Delays:
    """What was seen, ms each.

    pressed: from a press's first edge until it is on the queue. given: until the queue gives it out, with every frame
    before it. frames: from the end of a frame's exposure until it can be read. lost: frames that never came. troubles:
    what devices complained of.
    """

    pressed: tuple[float, ...]
    given: tuple[float, ...]
    frames: tuple[float, ...]
    lost: int
    troubles: tuple[str, ...]


class TimedQueue(EventQueue):
    """A queue that notes how old events are when they are put on it."""

    def __init__(self, clock: Callable[[], int] = time.monotonic_ns) -> None:
        super().__init__()
        self._clock = clock
        self.pressed: list[float] = []
        self.frames: list[float] = []
        self.troubles: list[str] = []

    def _put(self, event: Event) -> None:
        super()._put(event)
        age_ms = (self._clock() - event.t_ns) / _DELIVERED_MS
        if isinstance(event, BellPressed):
            self.pressed.append(age_ms)
        elif isinstance(event, FrameExposed):
            self.frames.append(age_ms)
        elif isinstance(event, DeviceHealth) and event.state is not Health.OK:
            self.troubles.append(event.message)


def measure_time(setup: TimeSetup) -> Delays:
    """Press and film for a while, and give how long everything took to arrive.

    Raises:
        BadCameraError, HardwareError: there is no such camera.
    """
    queue = TimedQueue()
    table = ringing_table(setup) if SIMULATED in (setup.camera, setup.pins) else None
    if table is not None and setup.camera == SIMULATED:
        table.prepare()
    buffer = FrameBuffer(SECOND_NS)
    tap = FrameTap(buffer, queue.source("camera"))
    opener = (
        (lambda: SimulatedCamera(lambda: table))
        if table is not None and setup.camera == SIMULATED
        else (lambda: open_camera(setup.camera, CameraSettings()))
    )
    supervisor = CameraSupervisor(opener, tap)
    given: list[float] = []
    with bell_at_work(setup, table, queue) as length_s:
        supervisor.start()
        end_ns = time.monotonic_ns() + round(length_s * SECOND_NS)
        try:
            while (now_ns := time.monotonic_ns()) < end_ns:
                for event in queue.take(now_ns):
                    if isinstance(event, BellPressed):
                        given.append((time.monotonic_ns() - event.t_ns) / _DELIVERED_MS)
                queue.wait(0.1)
        finally:
            supervisor.stop(timeout_s=5.0)
    return Delays(tuple(queue.pressed), tuple(given), tuple(queue.frames), buffer.lost, tuple(queue.troubles))


def measurements(delays: Delays, table_size: tuple[int, int]) -> Iterator[Measurement]:
    """Give each delay's median and 99th percentile, and the yardstick on this machine at this moment."""
    for name, values in (
        ("bell edge to queue", delays.pressed),
        ("bell edge to referee", delays.given),
        ("exposure end to readable frame", delays.frames),
    ):
        yield from _percentiles(name, values)
    yield Measurement("frames that never came", float(delays.lost), "frames")
    yield Measurement("yardstick", yardstick_ms(table_size), "ms", note="grey, Otsu, contours; processor time")


def yardstick_ms(size: tuple[int, int], runs: int = 9) -> float:
    """Give the yardstick's processor time on a picture of noise and squares, ms."""
    random = np.random.default_rng(1)
    image = random.integers(90, 110, (size[1], size[0], 3), dtype=np.uint8)
    for x, y in random.integers(0, (size[0] - 90, size[1] - 70), (40, 2)):
        image[y : y + 60, x : x + 80] = 230
    spent = []
    with one_thread():
        for _ in range(runs):
            start = time.process_time()
            yardstick(image)
            spent.append(1000 * (time.process_time() - start))
    return float(np.median(spent))


def _percentiles(name: str, values: Sequence[float]) -> Iterator[Measurement]:
    if not values:
        yield Measurement(f"{name}: median", None, "ms", note="nothing came")
        return
    note = f"{len(values)} of them"
    yield Measurement(f"{name}: median", float(np.median(values)), "ms", note=note)
    yield Measurement(f"{name}: 99 %", float(np.quantile(values, 0.99)), "ms", note=note)


def ringing_table(setup: TimeSetup) -> LiveTable:
    """Give a simulated table whose bell is pressed again and again."""
    deck = load_deck("confetti")
    faces = deck.side("white")[:_CARDS]
    cards = tuple(
        ScriptCard(face.id, face.id, Lying(150 + 75 * number, 500, 0, "white")) for number, face in enumerate(faces)
    )
    rings = tuple(Ring(0, _FIRST_S + _GAP_S * number, 0.09) for number in range(setup.presses))
    length_s = _FIRST_S + _GAP_S * setup.presses + 1.0
    person = person_at((MIDDLE_MM[0], AREA_MM[1]), AREA_MM, 0)
    script = Script(AREA_MM, cards, (person,), rings, length_s, bell_mm=MIDDLE_MM)
    return LiveTable(script, deck, 1, Shots(size=setup.size, frames_per_s=setup.frames_per_s))


@contextmanager
def bell_at_work(setup: TimeSetup, table: LiveTable | None, queue: EventQueue) -> Iterator[float]:
    """Ring, or let somebody ring, and give for how many seconds."""
    if table is not None:
        table.start_ns = time.monotonic_ns() + 500 * MS
    if table is not None and setup.pins == SIMULATED:
        side = EdgeSide(table, 1, queue)
        mover = side.begin(table)
        side.bell.start()
        mover.start()
        try:
            yield 0.5 + table.script.length_s
        finally:
            mover.stop()
            side.bell.stop()
            side.close()
        return
    bell: Bell = make_bell(BellSettings(), queue.source("bell", EDGE_LAG_NS))
    bell.start()
    try:
        yield setup.seconds
    finally:
        bell.stop()
