"""The simulated table's devices: bell and sandtimer on mock pins, its camera, and their common queue.

All other parts are the real table's, from the debouncer to the camera's supervisor.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hardware.bell import BellLogic, bell_lines, bell_seats
from hardware.camera.camera import Camera
from hardware.camera.frames import SECOND_NS, FrameTap
from hardware.camera.supervisor import CameraSupervisor
from hardware.edges import Clock, EdgeDevice, LineSpec
from hardware.events import EventQueue
from hardware.gpio import GpioLines, PinFactory
from hardware.sand import Sandtimer, learn_sandtimer, sand_lines
from hardware.settings import BellSettings, SandSettings
from referee.engine.log import RulingData
from referee.errors import SettingError
from referee.match.announcements import OnHealth
from referee.match.devices import EDGE_LAG_NS, Devices
from referee.match.settings import TableSettings
from simulation.live import LiveTable, SimulatedCamera
from simulation.pins import TILT, PinMover, edges_of, pin_factory, sand
from simulation.script import BellHit, Flip, Script
from simulation.waits import Waits

_LEAD_NS = SECOND_NS // 4
# A frame that has begun is drawn to its end, also on a busy computer.
_STOP_S = 5.0
SAND_S = 14.0
"""Running time of the simulated table's sand, s."""


@dataclass(frozen=True)
class Wiring:
    """Settings of bell and sandtimer."""

    bell: BellSettings
    sand: SandSettings

    @property
    def lines(self) -> Sequence[LineSpec]:
        """All input lines."""
        return (*bell_lines(self.bell), *sand_lines(self.sand))


def wiring_for(script: Script, seed: int) -> Wiring:
    """Return the default wiring, with the script's sandtimer learned from two runs, as calibration does."""
    runs_s = max((action.runs_s for action in script.actions if isinstance(action, Flip)), default=SAND_S)
    rng = random.Random(seed)
    runs = [[edge.t_ns for edge in sand(rng, 0, runs_s)] for _ in range(2)]
    return Wiring(BellSettings(), SandSettings(profile=learn_sandtimer(runs)))


def go_on_after(rulings: Sequence[RulingData], table: LiveTable, now_ns: int) -> None:
    """Let the people at a table continue after a count of hands."""
    if any(ruling["ruling"] == "hand" for ruling in rulings):
        table.waits.go_on(now_ns - table.start_ns)


class EdgeSide:
    """Bell and sandtimer on mock pins, not started; the pins follow the script of the present table.

    make_factory: wraps the pins' factory; a test's may fail.
    """

    def __init__(
        self,
        table: LiveTable,
        seed: int,
        queue: EventQueue,
        clock: Clock = time.monotonic_ns,
        make_factory: Callable[[PinFactory], PinFactory] | None = None,
    ) -> None:
        self._seed, self._clock = seed, clock
        self._wiring = wiring_for(table.script, seed)
        self._factory = pin_factory()
        wanted = make_factory or (lambda factory: factory)

        def make() -> PinFactory:
            return wanted(self._factory)

        bell_source, sand_source = queue.source("bell", EDGE_LAG_NS), queue.source("sandtimer", EDGE_LAG_NS)
        bell = self._wiring.bell
        self.mover: PinMover | None = None
        self._tilted = False
        lines = GpioLines(bell_lines(bell), make, clock)
        self.bell = EdgeDevice("bell", lines, BellLogic(bell_seats(bell), bell.debounce), bell_source, self._moved)
        sand_pins = GpioLines(sand_lines(self._wiring.sand), make, clock)
        self.sandtimer = Sandtimer(self._wiring.sand, sand_source, self._moved, sand_pins)

    def begin(self, table: LiveTable) -> PinMover:
        """Return a stopped `PinMover` for a table's script from its present time on, and stop the one before."""
        self.rest()
        now_ns = self._clock()
        come_ns = round(table.seconds(now_ns) * SECOND_NS)
        turns = sum(isinstance(act, Flip) and act.at_s * SECOND_NS <= come_ns for act in table.script.actions)
        # The timer stays as the game before has left it.
        edges = edges_of(table.script, self._seed, 0, tilted=self._tilted is not (turns % 2 == 1))
        due = [edge for edge in edges if edge.t_ns >= come_ns]

        def due_ns(script_ns: int) -> int | None:
            clock_ns = table.waits.clock_ns(script_ns, self._clock() - table.start_ns)
            return None if clock_ns is None else table.start_ns + clock_ns

        self.mover = PinMover(self._factory, self._wiring.lines, due, self._clock, due_ns)
        return self.mover

    def rest(self) -> None:
        """Stop the pins at their present levels."""
        if self.mover is not None:
            self.mover.stop()
            self._tilted = self.mover.levels.get(TILT, self._tilted)
            self.mover = None
            # Sand of the game before runs out unnoticed.
            self.sandtimer.logic.cancel()

    def _moved(self) -> int:
        """Return the time, ns, at most the time up to which the pins are right."""
        now_ns = self._clock()
        return now_ns if self.mover is None else self.mover.horizon_ns(now_ns)

    def close(self) -> None:
        """Release the pins."""
        self.rest()
        self._factory.close()
        self._factory.reset()


class SimulatedDevices(Devices):
    """A simulated table in real time: its script begins with `start`.

    table: the present table; `show` replaces it. open_camera: opens another camera, for tests.
    """

    def __init__(
        self,
        table: LiveTable,
        seed: int,
        open_camera: Callable[[], Camera] | None = None,
    ) -> None:
        super().__init__()
        self.table = table
        table.waits = Waits(table.script.waits_s)
        self.edges = EdgeSide(table, seed, self.queue)
        tap = FrameTap(self.buffer, self.queue.source("camera"))
        self.supervisor = CameraSupervisor(
            open_camera or (lambda: SimulatedCamera(lambda: self.table)),
            tap,
            self._report_camera,
        )
        self._playing = False

    def start(self, on_health: OnHealth) -> None:
        """Start the script; returns when the first pictures are drawn. on_health: receives the camera's state."""
        super().start(on_health)
        self.table.prepare()
        self._begin(self.table)
        self._playing = True
        mover = self.edges.begin(self.table)
        self.supervisor.start()
        self.edges.bell.start()
        self.edges.sandtimer.start()
        mover.start()

    def show(self, table: LiveTable) -> None:
        """Show another table, from its beginning, or from where it was held; returns when it is drawn."""
        self.hold()
        if not table.held:
            table.prepare()
            self._begin(table)
        self.table = table
        table.release(time.monotonic_ns())
        # At a table without rings and flips, sand of the game before runs out.
        if any(isinstance(action, BellHit | Flip) for action in table.script.actions):
            self.edges.begin(table).start()

    def hold(self) -> None:
        """Pause the table, except for running sand."""
        self.table.hold(time.monotonic_ns())

    def release(self) -> None:
        """Resume the table."""
        self.table.release(time.monotonic_ns())

    def _begin(self, table: LiveTable) -> None:
        table.waits = Waits(table.script.waits_s)
        table.start_ns = time.monotonic_ns() + _LEAD_NS

    def stop(self) -> None:
        """End all threads."""
        self.edges.rest()
        self.edges.sandtimer.stop()
        self.edges.bell.stop()
        self.supervisor.stop(timeout_s=_STOP_S)
        self.edges.close()
        super().stop()

    @property
    def over(self) -> bool:
        """Return whether the script is over."""
        return self.seconds > self.table.script.length_s

    @property
    def seconds(self) -> float:
        """Return the script's time; 0 before it begins."""
        return max(0.0, self.table.seconds(time.monotonic_ns())) if self._playing else 0.0

    def ruled(self, rulings: Sequence[RulingData]) -> None:
        """Let people continue who wait for the count."""
        go_on_after(rulings, self.table, time.monotonic_ns())

    def check(self, settings: TableSettings, others: frozenset[str]) -> None:
        """Raise SettingError for other devices, which a simulated table lacks."""
        # A learned sandtimer is no other device.
        if others & {"camera", "bell"} or ("sandtimer" in others and not settings.sandtimer):
            raise SettingError("fault.simulated_devices")
