"""`ringmaster bench club`: tables, a broker and a club that are killed, cut off and made to forget; what is lost."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, func, select

from referee.bench.brokers import Mosquitto
from referee.bench.club_check import faults_against
from referee.bench.quiet_table import quiet_table
from referee.club.database import open_database
from referee.club.members import invite
from referee.club.models import Event
from referee.club.service import ClubService
from referee.club.settings import ClubSettings
from referee.errors import WorkFailedError
from referee.journal.folder import JOURNAL
from referee.journal.journal import Journal
from referee.language import Language
from referee.mqtt.publisher import Publisher
from referee.mqtt.settings import load_mqtt, save_mqtt

_PACE_S = 0.01
_LIVES_S = (0.02, 0.4)
_BROKER_EVERY = 7
_START_S = _END_S = 120.0


@dataclass
class ClubVerdict:
    """What came of it. faults: a sentence each; none is as it should be."""

    kills: int = 0
    restarts: int = 0
    tables: int = 0
    events: int = 0
    faults: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Give the verdict as one JSON object."""
        return {**self.__dict__, "faults": self.faults[:20], "fault_count": len(self.faults)}

    def in_words(self) -> str:
        """Give the verdict as some lines."""
        done = (
            f"tables killed {self.kills} times, the broker {self.restarts} times without its state; "
            f"{self.events} events of {self.tables} tables"
        )
        return "\n".join([done, *(self.faults[:20] or ["every event is in the club once, in order, with its rulings"])])


def kill_tables(
    kills: int, seed: int, folder: Path, url: str | None = None, told: Callable[[int], None] = lambda kill: None
) -> ClubVerdict:
    """Kill a table in the middle of telling, again and again, and now and then the broker, which forgets all.

    url: the club's database; None: SQLite. told: after each kill.

    Raises:
        WorkFailedError: Mosquitto is not installed, or a table does not start.
    """
    verdict, dice = ClubVerdict(), random.Random(seed)
    broker = Mosquitto(folder / "broker", forgets=True)
    broker.start()
    with ExitStack() as stack:
        stack.callback(broker.stop)
        engine = open_database(url or f"sqlite:///{folder}/club.sqlite")
        stack.callback(engine.dispose)
        stack.enter_context(club_at_work(engine, broker.port))
        lay_tables(folder / "tables", 1, broker.port, engine)
        for kill in range(kills):
            with playing(folder / "tables", dice.randrange(1 << 30), _PACE_S) as table:
                time.sleep(dice.uniform(*_LIVES_S))
                table.kill()
            verdict.kills += 1
            if kill % _BROKER_EVERY == _BROKER_EVERY - 1:
                broker.kill()
                broker.start()
                verdict.restarts += 1
            told(kill)
        with playing(folder / "tables", seed, _PACE_S) as table:
            end_well(table)
        return sum_up(verdict, folder / "tables", engine)


def sum_up(verdict: ClubVerdict, tables: Path, engine: Engine) -> ClubVerdict:
    """Hold what the tables have against what the club has."""
    for one in sorted(path for path in tables.iterdir() if path.is_dir()):
        journal = Journal(one / JOURNAL)
        try:
            verdict.faults += faults_against(engine, journal)
            waits = journal.outbox.last - journal.outbox.sent
            verdict.faults += [f"{waits} messages still wait at a table"] if waits else []
        finally:
            journal.close()
        verdict.tables += 1
    with engine.connect() as connection:
        verdict.events = connection.scalar(select(func.count()).select_from(Event)) or 0
    return verdict


@contextmanager
def club_at_work(engine: Engine, port: int) -> Iterator[ClubService]:
    """Give a club at a broker on this machine."""
    service = ClubService(ClubSettings(host="127.0.0.1", port=port, name="Bench"), engine, 0.1)
    service.start()
    try:
        yield service
    finally:
        service.stop()


def lay_tables(folder: Path, count: int, port: int, engine: Engine) -> None:
    """Make tables that are in the club, and have played nothing yet."""
    for number in range(count):
        place = folder / f"{number:03}"
        place.mkdir(parents=True)
        given = {"on": True, "host": "127.0.0.1", "port": port, "name": f"Table {number + 1}"}
        save_mqtt(place, load_mqtt(place).changed(given))
        table = quiet_table(place)
        publisher = Publisher(place, table.journal, table.evidence, table.desk, lambda: None, 0.1)
        publisher.start()
        try:
            publisher.change({"join": invite(engine)})
            _wait(lambda publisher=publisher: publisher.public(Language())["club"], "a table is not let in")  # type: ignore[misc]
        finally:
            publisher.stop()
            table.close()


@contextmanager
def playing(folder: Path, seed: int, pace_s: float) -> Iterator[subprocess.Popen[str]]:
    """Give a process in which the tables of a folder play; it is killed in the end if it is there still."""
    command: Sequence[str] = (sys.executable, "-m", "referee.bench.club_table", str(folder), str(seed), str(pace_s))
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if child.stdout is None or child.stdout.readline().strip() != "ready":
            raise WorkFailedError("a table for the trial does not start")
        yield child
    finally:
        child.kill()
        child.communicate()


def end_well(child: subprocess.Popen[str]) -> None:
    """Let tables play no more, and wait until they have told all."""
    try:
        child.communicate("", timeout=_END_S + 60)
    except subprocess.TimeoutExpired as error:
        raise WorkFailedError("the tables do not come to an end") from error


def _wait(what: Callable[[], object], why: str) -> None:
    until = time.monotonic() + _START_S
    while not what():
        if time.monotonic() > until:
            raise WorkFailedError(why)
        time.sleep(0.01)
