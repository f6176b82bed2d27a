"""Many tables of one club at once: what is lost, how late it comes, and what memory the club takes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sqlalchemy import Engine, select

from referee.bench.brokers import Mosquitto, broker_at_work
from referee.bench.club import ClubVerdict, end_well, lay_tables, playing, sum_up
from referee.bench.measurement import Measurement
from referee.club.database import open_database
from referee.club.models import Event
from referee.club.settings import ClubSettings, save_club
from referee.errors import WorkFailedError

WORKERS = 4
LAG_MS = 1000.0
MB_IN_TEN_MINUTES = 1.0
_SAMPLE_S = 2.0
_WARM_UP = 1 / 3
_RUN = "import sys; from referee.cli import main; sys.exit(main(['club', 'run', *sys.argv[1:]]))"


@dataclass(frozen=True)
class Load:
    """How many tables play for how many minutes, with an event in some pace_s seconds each.

    url: the club's database, None: SQLite. outage_s: so long the broker is stopped in the middle of it.
    """

    tables: int = 40
    minutes: float = 10.0
    pace_s: float = 1.0
    url: str | None = None
    outage_s: float = 0.0


def measure_load(load: Load, folder: Path, verdict: ClubVerdict) -> Iterator[Measurement]:
    """Let tables play, and measure; what is not as it should be stands in `verdict`.

    Raises:
        WorkFailedError: Mosquitto is not installed, or something does not start.
    """
    url = load.url or f"sqlite:///{folder}/club.sqlite"
    with ExitStack() as stack:
        broker = stack.enter_context(broker_at_work(folder / "broker", forgets=True))
        engine = open_database(url)
        stack.callback(engine.dispose)
        save_club(folder / "club", ClubSettings(host="127.0.0.1", port=broker.port, database=url))
        club = stack.enter_context(_club(folder / "club"))
        workers = []
        for worker in range(min(WORKERS, load.tables)):
            place = folder / f"tables{worker}"
            lay_tables(place, len(range(worker, load.tables, WORKERS)), broker.port, engine)
            workers.append(stack.enter_context(playing(place, worker + 1, load.pace_s)))
        samples = _play(load, broker, club)
        for child in workers:
            end_well(child)
        for worker in range(len(workers)):
            sum_up(verdict, folder / f"tables{worker}", engine)
        yield from _lags(engine, load)
        yield from _memory(samples)
    yield Measurement("not as it should be", float(len(verdict.faults)), "faults", 0)


def _play(load: Load, broker: Mosquitto, club: subprocess.Popen[str]) -> list[tuple[float, float]]:
    """Wait while all play; gives the club's memory, minutes and MB, and stops the broker in the middle, if asked."""
    samples, began_s, cut = [], time.monotonic(), load.outage_s > 0
    while (gone_s := time.monotonic() - began_s) < 60 * load.minutes:
        samples.append((gone_s / 60, _resident_mb(club.pid)))
        if cut and gone_s > 30 * load.minutes - load.outage_s / 2:
            broker.kill()
            time.sleep(load.outage_s)
            broker.start()
            cut = False
        time.sleep(_SAMPLE_S)
    return samples


def _lags(engine: Engine, load: Load) -> Iterator[Measurement]:
    with engine.connect() as connection:
        rows = connection.execute(select(Event.wall_ms, Event.received_ms)).all()
    if not rows:
        raise WorkFailedError("the tables have played nothing")
    lags = np.array([received - wall for wall, received in rows], np.float64)
    note = f"{len(rows)} events of {load.tables} tables"
    yield Measurement("from the event to the club: median", float(np.median(lags)), "ms", note=note)
    limit = LAG_MS if not load.outage_s else None
    yield Measurement("from the event to the club: 99 %", float(np.quantile(lags, 0.99)), "ms", limit)
    yield Measurement("from the event to the club: latest", float(lags.max()), "ms")


def _memory(samples: list[tuple[float, float]]) -> Iterator[Measurement]:
    kept = [one for one in samples if one[0] >= _WARM_UP * samples[-1][0]]
    times, sizes = np.array(kept, np.float64).T
    slope = 10 * float(np.polyfit(times, sizes, 1)[0]) if len(kept) > 2 else 0.0
    note = f"{kept[0][1]:.1f} MB, in the end {kept[-1][1]:.1f} MB"
    yield Measurement("the club's memory: growth in ten minutes", slope, "MB", MB_IN_TEN_MINUTES, note=note)


@contextmanager
def _club(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Give a club in a process of its own, as anybody starts it."""
    command = (sys.executable, "-c", _RUN, "--state", str(folder), "--host", "127.0.0.1", "--port", "0")
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if child.stdout is None or "page is at" not in child.stdout.readline():
            raise WorkFailedError("the club does not start")
        yield child
    finally:
        child.terminate()
        child.communicate()


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
