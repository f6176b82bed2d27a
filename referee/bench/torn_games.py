"""Damaged exports and journals: games that were played, and what is left of them; no neighbour may be lost."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

from referee.bench.crash_table import PLAYERS, likely_moves
from referee.bench.mutations import mutated
from referee.bench.torn_trial import Trial
from referee.engine.events import Header
from referee.errors import BadInputError
from referee.games import GAME_NAMES
from referee.journal.copies import make_copy
from referee.journal.evidence import EvidenceFolder
from referee.journal.exchange import game_data, json_parts
from referee.journal.folder import EVIDENCE, JOURNAL
from referee.journal.journal import Journal
from referee.journal.stored import kept_game, shelf
from referee.journal.zip_file import GAMES, pack
from referee.service.live_game import LiveGame
from referee.watchers.by_hand import ByHandWatcher

_GAMES, _OWN, _EVENTS = 6, 2, 50
_BEGAN_MS = 1_760_000_000_000
_GAP_MS = 3_600_000
_JUNK: tuple[Callable[[Random], object], ...] = (
    lambda random: None,
    lambda random: random.choice((-1, 1 << 40, 1 << 64, 10**400, 0.5, float("nan"), float("inf"))),
    lambda random: random.choice((True, [], {}, "", "=1+1", "\ud800", "\u202eneB", "\x1b[2J", "x" * 200_000)),
    lambda random: [[]] * random.randrange(1, 5000),
    lambda random: {"ruling": "end", "t_ns": 1, "winners": [0], "points": ["=cmd|x"]},
    lambda random: json.loads("[" * 500 + "]" * 500),
)


def play_games(folder: Path, random: Random, count: int = _GAMES) -> None:
    """Play games of all kinds into a new journal in a folder, with some corrections and pictures."""
    folder.mkdir()
    clock_ms = _BEGAN_MS
    journal = Journal(folder / JOURNAL, wall_ms=lambda: clock_ms)
    evidence = EvidenceFolder(folder / EVIDENCE, journal)
    for number in range(count):
        clock_ms = _BEGAN_MS + number * _GAP_MS
        row = journal.begin_game(Header(GAME_NAMES[number % len(GAME_NAMES)], PLAYERS, {}), "boot", 0)
        play = LiveGame(row, ByHandWatcher(), journal, clock_ms * 1_000_000)
        for step in range(_EVENTS):
            clock_ms += 1000
            try:
                play.say(*next(likely_moves(play.game, random)), clock_ms * 1_000_000)
                if random.random() < 0.03:
                    play.correct(random.choice(list(play.log.records)), None)
            except BadInputError:
                continue
            if step == _EVENTS // 2:
                evidence.add(row.game, 1, [(-5.0, b"\xff\xd8\xff" + random.randbytes(2000))])
        if row.header.game == "piccolino":
            play.say("stop", {}, clock_ms * 1_000_000)
    journal.close_all()
    journal.close()


def imports(folder: Path, seed: int, count: int) -> Iterator[Trial]:
    """Give so many damaged exports, taken into a journal with games; in every other one a single value is wrong."""
    random = Random(seed)
    theirs, state = folder / "theirs", folder / "state"
    play_games(theirs, random)
    play_games(folder / "own", random, _OWN)
    parcel, plain = _exported(theirs, folder / "games.zip")
    own = _OWN
    for number in range(count):
        shutil.rmtree(state, ignore_errors=True)
        shutil.copytree(folder / "own", state)
        zipped = random.random() < 0.4
        if number % 2:
            text, done = _value_changed(plain if not zipped else zipfile.ZipFile(BytesIO(parcel)).read(GAMES), random)
            data, least = (_with_games(parcel, text) if zipped else text), own + _GAMES - 1
        else:
            (data, done), least = mutated(parcel if zipped else plain, random), own
        path = folder / ("torn.zip" if zipped else "torn.json")
        path.write_bytes(data)
        commands = ("import", str(path), "--state", str(state)), ("history", "--json", "--state", str(state))
        yield Trial(f"{path.suffix[1:]}: {done}", commands, partial(_too_few, least))


def journals(folder: Path, seed: int, count: int) -> Iterator[Trial]:
    """Give so many damaged journals with a copy; in every third one a whole export is taken into it."""
    random = Random(seed)
    whole, state = folder / "whole", folder / "state"
    play_games(whole, random)
    make_copy(whole / JOURNAL)
    _exported(whole, folder / "games.zip")
    data = (whole / JOURNAL).read_bytes()
    truth = _results(whole)
    history = ("history", "--json", "--state", str(state))
    for number in range(count):
        shutil.rmtree(state, ignore_errors=True)
        shutil.copytree(whole, state)
        one_bit = number % 2 == 1
        torn, done = _one_bit(data, random) if one_bit else mutated(data, random)
        (state / JOURNAL).write_bytes(torn)
        commands = [history]
        if number % 3 == 0:
            commands += [("import", str(folder / "games.zip"), "--state", str(state)), history]
        yield Trial(done, tuple(commands), partial(_told_otherwise, truth, one_bit, number % 3 == 0))


def _exported(folder: Path, path: Path) -> tuple[bytes, bytes]:
    """Give a journal's games as a parcel and as plain JSON; the parcel stays at a path, too."""
    journal = Journal(folder / JOURNAL)
    kept = [kept_game(journal.read, row) for row in shelf(journal.read).games]
    pack(path, kept, journal.read, folder / EVIDENCE)
    journal.close()
    return path.read_bytes(), "".join(json_parts(map(game_data, kept))).encode()


def _results(folder: Path) -> dict[str, Any]:
    """Give the points and winners of each game by its number."""
    from referee.language import Language
    from referee.service.archive import history

    journal = Journal(folder / JOURNAL)
    found = {game["id"]: _result(game) for game in history(journal.read, Language())["games"]}
    journal.close()
    return found


def _result(game: Mapping[str, Any]) -> list[Any]:
    return [game["game"], game["points"], game["winners"]]


def _one_bit(data: bytes, random: Random) -> tuple[bytes, str]:
    at, bit = random.randrange(len(data)), random.randrange(8)
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :], f"bit {bit} of byte {at}"


def _value_changed(text: bytes, random: Random) -> tuple[bytes, str]:
    """Put something else in the place of one value of one game."""
    data = json.loads(text)
    place: Any = random.choice(data["games"])
    path: list[object] = []
    while True:
        key = random.choice(list(place) if isinstance(place, dict) else range(len(place)))
        path.append(key)
        if not isinstance(place[key], dict | list) or not place[key] or random.random() < 0.1:
            break
        place = place[key]
    place[key] = random.choice(_JUNK)(random)
    return json.dumps(data).encode("utf-8", "replace"), f"another value of {'.'.join(map(str, path))}"


def _with_games(parcel: bytes, text: bytes) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(parcel)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(info.filename, text if info.filename == GAMES else old.read(info))
    return out.getvalue()


def _games(answer: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.splitlines()]


def _too_few(least: int, answers: Sequence[str]) -> str | None:
    found = len(_games(answers[-1]))
    return None if found >= least else f"{found} games are left where {least} should be"


def _told_otherwise(truth: Mapping[str, Any], one_bit: bool, mended: bool, answers: Sequence[str]) -> str | None:
    """Say which game has another result without a word about it, and whether one bit cost more than one game."""
    first = {game["id"]: game for game in _games(answers[0])}
    for number, game in first.items():
        if number in truth and not game["fault"] and _result(game) != truth[number]:
            return f"game {number} is told with another result"
    sound = sum(_result(first[number]) == truth[number] for number in truth if number in first)
    if one_bit and sound < len(truth) - 1:
        return f"one bit cost {len(truth) - sound} games"
    if mended and len(_games(answers[-1])) < len(truth):
        return "a whole export did not bring the games back"
    return None
