"""What it costs a table to tell a house: how soon a ring is an event there, and what a bad broker does to rulings."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from hardware.event_queue import EventQueue
from referee.bench.brokers import Mosquitto, broker_at_work, free_port
from referee.bench.measurement import Measurement
from referee.bench.quiet_table import QuietTable, quiet_table
from referee.bench.ring_blocks import BLOCK, Rung, late, ring_block
from referee.bench.time import TimeSetup, bell_at_work, ringing_table
from referee.bench.yardstick import one_thread
from referee.errors import WorkFailedError
from referee.mqtt.line import Ends, Line, Received
from referee.mqtt.publisher import Publisher
from referee.mqtt.settings import Broker, load_mqtt, save_mqtt

EVENT_MS = 200.0
MODES = ("there", "dead", "hanging", "slow", "flooding")
_OFF = "off"
_BYTES_A_SECOND = 400
_SETTLE_S = 1.0


def measure_telling(rings: int, presses: int) -> Iterator[Measurement]:
    """Measure both, with a Mosquitto on this machine.

    Raises:
        WorkFailedError: it is not installed.
    """
    with tempfile.TemporaryDirectory() as folder, one_thread():
        yield from _events(Path(folder) / "events", presses)
        yield from _delays(Path(folder) / "delays", rings)


def _events(folder: Path, presses: int) -> Iterator[Measurement]:
    """Press the simulated bell, and time until a house has the event: from the first edge, by the kernel's clock."""
    setup = TimeSetup(presses=presses)
    ages_ms: list[float] = []

    def received(message: Received) -> None:
        if message.topic.endswith("/bell"):
            ages_ms.append((time.monotonic_ns() - int(json.loads(message.payload)["t_ns"])) / 1e6)

    with ExitStack() as stack:
        broker = stack.enter_context(broker_at_work(folder / "broker"))
        line = Line(
            Broker("127.0.0.1", broker.port), "house", Ends(received, lambda _: None, lambda _: None), None, None
        )
        line.open()
        stack.callback(line.close)
        line.subscribe("ringmaster/#")
        publisher = stack.enter_context(_telling(folder / "table", broker.port))[1]
        queue = EventQueue()
        queue.on_put = publisher.heard
        time.sleep(_SETTLE_S)
        length_s = stack.enter_context(bell_at_work(setup, ringing_table(setup), queue))
        time.sleep(length_s)
    note = f"{len(ages_ms)} of {presses} presses"
    yield Measurement("from the ring to the house's event: median", median(ages_ms), "ms", note=note)
    yield Measurement("from the ring to the house's event: 99 %", late(ages_ms), "ms", EVENT_MS)


def _delays(folder: Path, rings: int) -> Iterator[Measurement]:
    """Compare rulings with brokers of all kinds with those of a table that tells nobody, in turns."""
    took: dict[str, list[Rung]] = {mode: [] for mode in (_OFF, *MODES)}
    chance = random.Random(5)
    with broker_at_work(folder / "broker") as broker, _telling(folder / "table", broker.port) as (table, publisher):
        ring_block(table, chance)
        for _ in range(max(1, rings // BLOCK)):
            for mode in (_OFF, *MODES):
                with _broker_that_is(mode, broker, publisher):
                    time.sleep(_SETTLE_S)
                    took[mode].append(ring_block(table, chance))
    unit_s = median(one for rungs in took.values() for rung in rungs for one in rung.yardsticks_s)
    without_s = [one for rung in took[_OFF] for one in rung.took_s]
    for mode in MODES:
        with_s = [one for rung in took[mode] for one in rung.took_s]
        note = f"median {1000 * median(without_s):.2f} ms when off, {1000 * median(with_s):.2f} ms so"
        name = f"ruling delayed by a broker that is {mode}"
        yield Measurement(f"{name}: median", (median(with_s) - median(without_s)) / unit_s, "yardsticks", 1, note=note)
        worst = (late(with_s) - late(without_s)) / unit_s
        note = f"{1000 * late(without_s):.2f} ms when off, {1000 * late(with_s):.2f} ms so"
        yield Measurement(f"{name}: 99 %", worst, "yardsticks", note=note)
    yield Measurement("yardstick", 1000 * unit_s, "ms")


@contextmanager
def _telling(folder: Path, port: int) -> Iterator[tuple[QuietTable, Publisher]]:
    folder.mkdir(parents=True)
    save_mqtt(folder, load_mqtt(folder).changed({"on": True, "host": "127.0.0.1", "port": port, "buttons": True}))
    table = quiet_table(folder)
    controller = table.controller
    publisher = Publisher(folder, table.journal, table.evidence, table.desk, lambda: controller.open_game, 0.1)
    publisher.start()
    try:
        yield table, publisher
    finally:
        publisher.stop()
        table.close()


@contextmanager
def _broker_that_is(mode: str, broker: Mosquitto, publisher: Publisher) -> Iterator[None]:
    """Let the broker be like that for a while."""
    with ExitStack() as stack:
        settings: dict[str, object] = {"on": mode != _OFF, "port": broker.port}
        match mode:
            case "dead":
                settings["port"] = free_port()
            case "hanging":
                stack.callback(broker.signal, signal.SIGCONT)
                broker.signal(signal.SIGSTOP)
            case "slow":
                settings["port"] = stack.enter_context(_child("slow", str(broker.port), str(_BYTES_A_SECOND)))
            case "flooding":
                stack.enter_context(_child("flood", str(broker.port), publisher.table_name))
        publisher.change(settings)
        yield


@contextmanager
def _child(what: str, *arguments: str) -> Iterator[int]:
    """Run a part of `referee.bench.bad_brokers` in a process of its own; gives the port that it says."""
    command = [sys.executable, "-m", "referee.bench.bad_brokers", what, *arguments]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        said = "" if child.stdout is None else child.stdout.readline().strip()
        if not said.isdecimal():
            raise WorkFailedError(f"the {what} of the bench does not start")
        yield int(said)
    finally:
        child.kill()
        child.communicate()
