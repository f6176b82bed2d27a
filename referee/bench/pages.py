"""What pages that watch cost the rulings: with a hundred of them, some of which take nothing, and with none."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from referee.bench.measurement import Measurement
from referee.bench.quiet_table import QuietTable, quiet_table
from referee.bench.ring_blocks import BLOCK, Rung, late, ring_block
from referee.bench.yardstick import one_thread
from referee.errors import WorkFailedError
from referee.web.app import create_app
from referee.web.options import WebOptions
from referee.web.server import PageServer

_MB = 1e6
_LATE_MS = 200.0
_ALL_FROM_HERE = WebOptions(most_watchers=1000, most_of_one=1000)
"""Pages of a bench come from one address, those of a family do not."""


@dataclass(frozen=True)
class Setting:
    """How many pages watch, how many of them are stalled, and how many rings are ruled in each of the two cases."""

    pages: int = 100
    stalled: int = 20
    rings: int = 200


def measure_pages(setting: Setting) -> Iterator[Measurement]:
    """Measure rulings with and without pages in turns, so that both see the machine in the same mood.

    Raises:
        WorkFailedError: the pages could not be opened.
    """
    with tempfile.TemporaryDirectory() as folder, one_thread():
        table = quiet_table(Path(folder))
        server = PageServer(create_app(table.desk, _ALL_FROM_HERE), "127.0.0.1", 0, most_of_address=1000)
        server.start()
        try:
            yield from _measured(setting, table, server.port)
        finally:
            server.stop()
            table.close()


def _measured(setting: Setting, table: QuietTable, port: int) -> Iterator[Measurement]:
    chance = random.Random(5)
    alone: list[Rung] = []
    watched: list[Rung] = []
    late_ms: list[float] = []
    grown_mb: list[float] = []
    ring_block(table, chance)
    for _ in range(max(1, setting.rings // BLOCK)):
        alone.append(ring_block(table, chance))
        seen: dict[str, list[int]] = {}
        with _open_pages(port, setting, seen):
            before_mb = _held_mb()
            watched.append(ring_block(table, chance))
            grown_mb.append(_held_mb() - before_mb)
        made_ns = watched[-1].made_ns
        late_ms += [(at_ns - made_ns[one]) / 1e6 for one, times in seen.items() if one in made_ns for at_ns in times]
    unit_s = median(one for rung in (*alone, *watched) for one in rung.yardsticks_s)
    without_s, with_s = (sorted(s for rung in rungs for s in rung.took_s) for rungs in (alone, watched))
    pages = f"{setting.pages} pages, {setting.stalled} stalled"
    note = f"median {1000 * median(without_s):.2f} ms with none, {1000 * median(with_s):.2f} ms with {pages}"
    yield Measurement(
        "ruling delayed: median", (median(with_s) - median(without_s)) / unit_s, "yardsticks", 1, note=note
    )
    worst = (late(with_s) - late(without_s)) / unit_s
    note = f"{1000 * late(without_s):.2f} ms with none, {1000 * late(with_s):.2f} ms with {pages}"
    yield Measurement("ruling delayed: 99th percentile", worst, "yardsticks", note=note)
    if late_ms:
        yield Measurement("from the ruling to a page: median", median(late_ms), "ms", _LATE_MS)
        yield Measurement("from the ruling to a page: 99th percentile", late(sorted(late_ms)), "ms", _LATE_MS)
    yield Measurement("memory grown in a block of rings: last", grown_mb[-1], "MB", 1, note=f"first {grown_mb[0]:.1f}")
    yield Measurement("yardstick", 1000 * unit_s, "ms")


@contextmanager
def _open_pages(port: int, setting: Setting, seen: dict[str, list[int]]) -> Iterator[None]:
    arguments = [str(port), str(setting.pages), str(setting.stalled)]
    child = subprocess.Popen(
        [sys.executable, "-m", "referee.bench.watching", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        if child.stdout is None or child.stdout.readline().strip() != "open":
            raise WorkFailedError("the pages could not be opened")
        yield
        seen.update(json.loads(child.communicate("")[0]))
    finally:
        child.kill()
        child.communicate()


def _held_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _MB
