"""Damaged event logs: what stands before the damage is judged as ever."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random

from referee.bench.mutations import mutated
from referee.bench.torn_games import play_games
from referee.bench.torn_trial import Trial
from referee.engine.eventlog import Fault, open_log
from referee.engine.replay import judge
from referee.games.registry import game_kind
from referee.journal.exchange import as_event_log
from referee.journal.folder import JOURNAL
from referee.journal.journal import Journal
from referee.journal.stored import kept_game, shelf


def trials(folder: Path, seed: int, count: int) -> Iterator[Trial]:
    """Give so many damaged event logs, of all games in turn."""
    random = Random(seed)
    play_games(folder / "played", random)
    journal = Journal(folder / "played" / JOURNAL)
    logs = [as_event_log(kept_game(journal.read, row)).encode() for row in shelf(journal.read).games]
    journal.close()
    path = folder / "torn.jsonl"
    for number in range(count):
        whole = logs[number % len(logs)]
        torn, done = mutated(whole, random)
        same = next((at for at, (one, other) in enumerate(zip(whole, torn, strict=False)) if one != other), len(torn))
        # The line before the damage may be torn off; whole ones are judged.
        path.write_bytes(whole[: whole.rfind(b"\n", 0, same) + 1])
        known = _rulings(path)
        path.write_bytes(torn)
        yield Trial(done, (("replay", str(path), "--json"),), partial(_missing, known))


def _rulings(path: Path) -> list[str]:
    if not path.stat().st_size:
        return []
    with open_log(path) as (header, entries):
        judged = list(judge(game_kind(header.game).start(header), entries))
    return [json.dumps(one.as_json(), ensure_ascii=False) for one in judged if not isinstance(one, Fault)]


def _missing(known: Sequence[str], answers: Sequence[str]) -> str | None:
    told = answers[0].splitlines()[: len(known)]
    return None if told == list(known) else "what came before the damage was judged otherwise"
