"""The games in the store: queries that give their rows and logs, statements that add them, and replays.

The database checks types and ranges (`referee.store.database`), and damage is found before anything is read.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from referee.engine.events import Header, parse_event
from referee.engine.log import CorrectionRow, GameLog, GameRow, Record, RulingRow, numbers_in
from referee.engine.session import Judge, replay_all
from referee.errors import BadInputError
from referee.games.registry import game_kind
from referee.store.database import COLUMNS, LAST_MS, Statement, inserted

Query = Callable[..., Sequence[tuple[Any, ...]]]
MOST_NUMBER = (1 << 63) - 1
_MOST_PLAYERS = 20
_MOST_JUDGED = 200_000
"""Number of events replayed to find a game's changes by corrections."""
_GAME = f"SELECT {', '.join(COLUMNS['games'])} FROM games"


def games(query: Query, where: str = "1", *values: int) -> tuple[GameRow, ...]:
    """Return all readable games, or those for a condition, the last entered first."""
    found = list[GameRow]()
    for row in query(f"{_GAME} WHERE {where} ORDER BY game DESC", *values):
        with suppress(BadInputError):
            found.append(_game(row))
    return tuple(found)


def unreadable(query: Query) -> list[int]:
    """Return the numbers of the games whose headers cannot be read."""
    readable = {row.game for row in games(query)}
    return [game for (game,) in query("SELECT game FROM games ORDER BY game") if game not in readable]


def open_game(query: Query) -> GameRow | None:
    """Return the game to resume, None if there is none.

    Raises:
        BadInputError: its header cannot be read.
    """
    rows = query(f"{_GAME} WHERE closed = 0 ORDER BY game DESC LIMIT 1")
    return _game(rows[0]) if rows else None


def game_numbered(query: Query, game: int) -> GameRow | None:
    """Return the game with this number, None if it is missing or unreadable."""
    return next(iter(games(query, "game = ?", game)), None) if game <= MOST_NUMBER else None


def kept_game(query: Query, row: GameRow) -> GameLog:
    """Return the log of a game, with its events up to the first lost one."""

    def rows(table: str, columns: str, last: int = MOST_NUMBER) -> Sequence[tuple[Any, ...]]:
        sql = f"SELECT {columns} FROM {table} WHERE game = ? AND {columns.partition(',')[0]} <= ? ORDER BY 1, 2, 3"
        return query(sql, row.game, last)

    last = (row.lost_from or MOST_NUMBER) - 1
    ruled = defaultdict[int, list[RulingRow]](list)
    for event, place, since, until, data in rows("rulings", "event, place, since, until, data"):
        ruled[event].append(RulingRow(event, place, since, until, json.loads(data)))
    records = {
        number: Record(number, parse_event(json.loads(data)), wall_ms, bool(refused), tuple(ruled.pop(number, ())))
        for number, wall_ms, data, refused in rows("events", "number, wall_ms, data, refused", last)
    }
    corrections = [
        CorrectionRow(number, wall_ms, event, None if data is None else json.loads(data), undoes)
        for number, wall_ms, event, data, undoes in rows("corrections", "number, wall_ms, event, data, undoes")
    ]
    return GameLog(row, records, corrections, tuple(chain.from_iterable(ruled.values())))


def named_game(query: Query, ident: str) -> GameLog:
    """Return the log of the game in the name of an event or a ruling.

    Raises:
        BadInputError: there is no such game.
    """
    row = next((game_numbered(query, game) for game in numbers_in(ident)[:1]), None)
    if row is None:
        raise BadInputError("error.service.there_is_no_such_game")
    return kept_game(query, row)


def sight_of(query: Query, game: int, event: int) -> dict[str, Any] | None:
    """Return the outlines in the deciding picture of an event, None if none are kept."""
    rows = query("SELECT data FROM sights WHERE game = ? AND event = ?", game, event)
    return json.loads(rows[0][0]) if rows else None


def statements(log: GameLog, game: int) -> list[Statement]:
    """Return the statements that add all rows of a game under a number."""
    how = "INSERT OR REPLACE"
    return [
        inserted(how, "games", **{**vars(log.row), "game": game}),
        *(inserted(how, "events", game=game, **event_values(record)) for record in log.records.values()),
        *(inserted(how, "corrections", game=game, **vars(row)) for row in log.corrections),
        *(inserted(how, "rulings", game=game, **vars(row)) for row in log.ruled()),
    ]


def event_values(record: Record) -> dict[str, Any]:
    """Return the columns of an event."""
    return {"number": record.number, "wall_ms": record.wall_ms, "data": record.event, "refused": record.refused}


def points_of(end: Mapping[str, Any] | None) -> list[Any]:
    """Return each seat's points in the ruling that ended a game: in Piccolino its cards; [] without one."""
    return [] if end is None else list(end.get("points", end.get("cards", [])))


def iso_time(wall_ms: int | None) -> str | None:
    """Return a time of day as ISO 8601, None without one."""
    if wall_ms is None or not 0 <= wall_ms <= LAST_MS:
        return None
    return datetime.fromtimestamp(wall_ms / 1000, UTC).isoformat(timespec="seconds")


def _game(row: Sequence[Any]) -> GameRow:
    values = dict(zip(COLUMNS["games"], row, strict=True))
    try:
        values["header"] = header_in(json.loads(values["header"]))
    except (ValueError, RecursionError):
        raise BadInputError("kept.game_cannot_be_read_and", number=row[0]) from None
    return GameRow(**{**values, "closed": bool(values["closed"])})


def header_in(data: object) -> Header:
    """Return the header of a game that was played, with any names.

    Raises:
        BadInputError: it is not whole.
    """
    match data:
        case {"game": str(game), "players": list(names), **rest} if names and set(map(type, names)) == {str}:
            options = rest.get("options", {})
            if len(names) <= _MOST_PLAYERS and isinstance(options, dict):
                return Header(game, tuple(names), options)
    raise BadInputError("error.journal.it_is_not_whole", list="game, players, options")


def judged_again(log: GameLog) -> GameLog:
    """Return a game with the rulings on its events, before and after each correction.

    Raises:
        BadInputError: there is no such game, or it cannot be played like that.
    """
    again = replace(log, records=dict(log.records))
    most = max(1, _MOST_JUDGED // (len(log.records) + 1))
    for step in [*range(min(most, len(log.corrections))), len(log.corrections)]:
        judge = Judge(game_kind(log.header.game).start(log.header))
        again.rule(replay_all(judge, log.records.values(), log.corrections[:step]), step)
    return again
