"""Kills the referee at random instants, and checks the journal after each.

Every announced ruling is in the journal, and is announced only once. The state of the game, in the journal and in the
process that resumes it, is that of a replay of the events.
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import sqlite3
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.engine.events import as_json
from referee.engine.log import GameLog
from referee.errors import BadInputError, WorkFailedError
from referee.games.registry import game_kind
from referee.output import along
from referee.state_folder import JOURNAL
from referee.store.database import Connect, connect
from referee.store.games import games, kept_game
from tests.support.crash_table import play_until_killed, state_digest
from tests.support.forgetful import cut_the_power, forgetful_connect

LONGEST_S = 0.35
MOST_LINES = 25
RECENT = 4
LATER_S = 0.005
STUCK_S = 60.0


@dataclass
class Verdict:
    """The result. faults: a sentence each; empty if all is well."""

    kills: int = 0
    announced: int = 0
    games: int = 0
    events: int = 0
    corrections: int = 0
    resumed: int = 0
    faults: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {**self.__dict__, "faults": self.faults[:20], "fault_count": len(self.faults)}


def crash_often(kills: int, seed: int, *, forgetful: bool, folder: Path, connector: Connect | None = None) -> Verdict:
    """Kill the referee so many times. forgetful: what was not synced is lost. connector: opens the journal's files."""
    opener = connector or (forgetful_connect if forgetful else connect)
    verdict, dice, ledger = Verdict(), random.Random(seed), _Ledger()
    for kill in along(range(kills), kills):
        lines = _one_life(folder, dice, opener)
        if forgetful:
            cut_the_power(folder)
        # A quick machine plays many games in one life; the one it began with is asked for, too.
        first = min((_game_of(line) for line in lines if _game_of(line)), default=None)
        kept = _kept(folder, RECENT, first)
        for line in lines:
            if "announced" in line:
                ledger.announced[_identity(line["game"], line["announced"])] += 1
            elif "corrections" in line:
                ledger.corrections[line["game"]] = line["corrections"]
            elif "resumed" in line:
                verdict.resumed += 1
                _check_resumed(verdict, line["resumed"], kept)
            elif line.get("set_aside"):
                verdict.faults.append(f"kill {kill}: the journal was damaged")
        new = [_identity(line["game"], line["announced"]) for line in lines if "announced" in line]
        _check_kept(verdict, kept, new, ledger)
        verdict.kills += 1
    return _summed_up(verdict, _kept(folder), ledger)


@dataclass
class _Ledger:
    announced: Counter[str] = field(default_factory=Counter)
    corrections: dict[int, int] = field(default_factory=dict)  # number announced, by game


def _summed_up(verdict: Verdict, kept: Mapping[int, GameLog], ledger: _Ledger) -> Verdict:
    _check_kept(verdict, kept, ledger.announced, ledger)
    # What a correction took back may be ruled again, and said again: then it is kept as often as it came to hold.
    rows = Counter(_identity(game, ruling.data) for game, one in kept.items() for ruling in one.ruled())
    verdict.faults += [f"announced {n} times: {what}" for what, n in ledger.announced.items() if n > max(1, rows[what])]
    verdict.announced, verdict.games = len(ledger.announced), len(kept)
    verdict.events = sum(len(game.records) for game in kept.values())
    verdict.corrections = sum(len(game.corrections) for game in kept.values())
    return verdict


def _one_life(folder: Path, dice: random.Random, connector: Connect) -> list[dict[str, Any]]:
    seed = dice.randrange(1 << 30)
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # numpy's idle threads are not there in the child, which has no use for them.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            play_until_killed(folder, seed, writing, connector)
        finally:
            # Never back into the parent's code; a fault of the child's is seen by its silence.
            os._exit(1)
    os.close(writing)
    heard = _listen(reading, dice)
    alive = os.waitpid(child, os.WNOHANG)[0] == 0
    if alive:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    while part := os.read(reading, 1 << 16):
        heard += part
    os.close(reading)
    if not alive:
        raise WorkFailedError("the referee ended by itself in the middle of a game")
    return [json.loads(line) for line in heard.split(b"\n")[:-1]]


def _listen(reading: int, dice: random.Random) -> bytes:
    """Return the output until it is time to kill: at any instant from the start on, or a little after so many lines."""
    by_time = dice.random() < 0.4
    end = time.monotonic() + (dice.uniform(0, LONGEST_S) if by_time else STUCK_S)
    lines = dice.randrange(1, MOST_LINES)
    heard = b""
    while (left := end - time.monotonic()) > 0:
        if select.select([reading], [], [], left)[0]:
            part = os.read(reading, 1 << 16)
            if not part:
                return heard
            heard += part
        if not by_time and heard.count(b"\n") >= lines:
            by_time, end = True, time.monotonic() + dice.uniform(0, LATER_S)
    return heard


def _game_of(line: Mapping[str, Any]) -> int:
    return int(line["resumed"]["game"] if "resumed" in line else line.get("game", 0))


def _kept(folder: Path, most: int | None = None, since: int | None = None) -> dict[int, GameLog]:
    """Read the latest games (None: all), and those since a game, as the next referee will find them.

    They are read from a copy: looking changes nothing.
    """
    with tempfile.TemporaryDirectory() as copy:
        for path in folder.glob(f"{JOURNAL}*"):
            if not path.name.endswith("-shm"):
                shutil.copy(path, copy)
        with closing(sqlite3.connect(Path(copy) / JOURNAL)) as connection:

            def query(sql: str, *values: object) -> list[tuple[Any, ...]]:
                return connection.execute(sql, values).fetchall()

            if not query("SELECT count(*) FROM sqlite_master")[0][0]:
                return {}
            latest = enumerate(games(query))
            asked = (row for place, row in latest if most is None or place < most or (since and row.game >= since))
            return {row.game: kept_game(query, row) for row in asked}


def _check_kept(verdict: Verdict, kept: Mapping[int, GameLog], heard: Iterable[str], ledger: _Ledger) -> None:
    when = f"kill {verdict.kills}"
    known = {_identity(game, ruling.data) for game, one in kept.items() for ruling in one.ruled()}
    verdict.faults += [f"{when}: announced, but not kept: {what}" for what in heard if what not in known]
    if kept:
        announced = ((game, count) for game, count in ledger.corrections.items() if game >= min(kept))
        for game, count in announced:
            if game not in kept or len(kept[game].corrections) < count:
                verdict.faults.append(f"{when}: a correction of game {game} was announced, but not kept")
    for game, one in kept.items():
        _, judged = _replayed(one)
        for number, record in one.records.items():
            if number <= one.row.judged and _comparable(record.rulings) != judged[number]:
                verdict.faults.append(f"{when}: game {game}, event {number}: kept rulings are no replay's")


def _check_resumed(verdict: Verdict, digest: Mapping[str, Any], kept: Mapping[int, GameLog]) -> None:
    one = kept[digest["game"]]
    count = len(digest["rulings"])
    records = {number: record for number, record in one.records.items() if number <= count}
    then = GameLog(one.row, records, one.corrections[: digest["corrections"]])
    game, judged = _replayed(then)
    expected = {key: digest[key] for key in ("game", "corrections")} | state_digest(game, list(judged.values()))
    if json.loads(json.dumps(expected)) != digest:
        verdict.faults.append(f"game {digest['game']} went on with a state that is no replay's")


def _replayed(one: GameLog) -> tuple[object, dict[int, list[Any]]]:
    """Judge a game's events by the rules alone, with none of the service's code but what corrections mean."""
    game = game_kind(one.header.game).start(one.header)
    judged: dict[int, list[Any]] = {number: [] for number in one.records}
    for number, event in one.held():
        if one.records[number].is_of_game:
            with suppress(BadInputError):
                judged[number] = _comparable(as_json(game.apply(event)))
    return game, judged


def _comparable(rulings: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return rulings as JSON reads them, without their frames."""
    bare = [{key: value for key, value in ruling.items() if key != "frame_t_ns"} for ruling in rulings]
    found: list[Any] = json.loads(json.dumps(bare))
    return found


def _identity(game: int, ruling: Mapping[str, Any]) -> str:
    return f"{game} {json.dumps(ruling, sort_keys=True)}"
