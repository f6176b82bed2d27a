"""The games in the store, as values: rows with their events, rulings and corrections, queries, and replays.

The database checks types and ranges (`referee.store.database`), and damage is found before anything is read.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from referee.engine.events import Event, Header, parse_event
from referee.engine.log import (
    OF_NO_GAME,
    CorrectionRow,
    GameLog,
    Record,
    change_between,
    corrected,
    corrected_events,
)
from referee.engine.session import Judge, Judged, judge_all
from referee.errors import BadInputError
from referee.games.registry import game_kind
from referee.store.database import COLUMNS, LAST_MS, Statement, inserted

Query = Callable[..., Sequence[tuple[Any, ...]]]
MOST_NUMBER = (1 << 63) - 1
_MOST_JUDGED = 200_000
"""Number of events replayed to find a game's changes by corrections."""
_GAME = f"SELECT {', '.join(COLUMNS['games'])} FROM games"


class HeaderModel(BaseModel):
    """The header of a game that was played."""

    game: str
    players: Annotated[list[str], Field(min_length=1, max_length=20)]
    options: dict[str, Any] = {}

    def header(self) -> Header:
        """Return it as the engine's value."""
        return Header(self.game, tuple(self.players), self.options)


@dataclass(frozen=True)
class GameRow:
    """A game. started_ms, ended_ms: wall time, ms. judged: the number of the last event with rulings.

    Its clock is the monotonic clock of the boot named `boot`, plus `shift_ns`. lost_from: the first event that cannot
    be read any more, None if all can.
    """

    game: int
    uid: str
    header: Header
    started_ms: int
    boot: str
    shift_ns: int
    judged: int = 0
    ended_ms: int | None = None
    closed: bool = False
    lost_from: int | None = None


@dataclass(frozen=True)
class EventRow:
    """An event as it was journalled; `refused` if the game could not take it."""

    number: int
    wall_ms: int
    event: Event
    refused: bool = False


@dataclass(frozen=True)
class RulingRow:
    """A ruling on an event, in force from correction `since` to correction `until` (None: still)."""

    event: int
    place: int
    since: int
    until: int | None
    data: Mapping[str, Any]


@dataclass(frozen=True)
class KeptGame:
    """The stored rows of a game, in order; events up to the first lost one."""

    row: GameRow
    events: tuple[EventRow, ...] = ()
    rulings: tuple[RulingRow, ...] = ()
    corrections: tuple[CorrectionRow, ...] = ()

    def in_force(self) -> tuple[RulingRow, ...]:
        """Return the rulings that hold after all corrections, in order."""
        return tuple(ruling for ruling in self.rulings if ruling.until is None)

    def log(self) -> GameLog:
        """Return it as the log of a game, with its present rulings."""
        row = self.row
        log = GameLog(row.game, row.header, row.started_ms, row.shift_ns, corrections=list(self.corrections))
        first, now = self.first(), self.by_event()
        for one in self.events:
            number = one.number
            log.add(Record(number, one.event, tuple(now[number]), one.refused, tuple(first[number])))
        return log

    def by_event(self) -> defaultdict[int, list[Mapping[str, Any]]]:
        """Return the rulings that hold by the number of their event."""
        return _by_event(self.in_force())

    def first(self) -> defaultdict[int, list[Mapping[str, Any]]]:
        """Return the first rulings, before any correction, by the number of their event."""
        return _by_event(ruling for ruling in self.rulings if ruling.since == 0)

    def end(self) -> Mapping[str, Any] | None:
        """Return the ruling that ended it, None if it did not end."""
        return next((row.data for row in reversed(self.in_force()) if row.data["ruling"] == "end"), None)

    def played(self) -> Iterator[tuple[EventRow, Event]]:
        """Yield the events of the game after all corrections.

        Raises:
            BadInputError: a correction makes no event.
        """
        instead = corrected_events(self.corrections)
        for row in self.events:
            data = instead.get(row.number, {})
            if data is not None and (data or not row.refused) and row.event.kind not in OF_NO_GAME:
                yield row, corrected(row.event, data) if data else row.event


def _by_event(rulings: Iterable[RulingRow]) -> defaultdict[int, list[Mapping[str, Any]]]:
    found = defaultdict[int, list[Mapping[str, Any]]](list)
    for ruling in rulings:
        found[ruling.event].append(ruling.data)
    return found


@dataclass(frozen=True)
class Shelf:
    """The games in a store, in the order of entry, and the numbers of unreadable ones."""

    games: tuple[GameRow, ...]
    unreadable: tuple[int, ...] = ()


def shelf(query: Query) -> Shelf:
    """Return all games."""
    found, unreadable = [], []
    for row in query(f"{_GAME} ORDER BY game"):
        try:
            found.append(_game(row))
        except BadInputError:
            unreadable.append(row[0])
    return Shelf(tuple(found), tuple(unreadable))


def games(query: Query) -> tuple[GameRow, ...]:
    """Return all readable games, the last entered first."""
    return shelf(query).games[::-1]


def open_game(query: Query) -> GameRow | None:
    """Return the game to resume, None if there is none.

    Raises:
        BadInputError: its header cannot be read.
    """
    rows = query(f"{_GAME} WHERE closed = 0 ORDER BY game DESC LIMIT 1")
    return _game(rows[0]) if rows else None


def game_numbered(query: Query, game: int) -> GameRow | None:
    """Return the game with this number, None if it is missing or unreadable."""
    rows = query(f"{_GAME} WHERE game = ?", game) if game <= MOST_NUMBER else ()
    try:
        return _game(rows[0]) if rows else None
    except BadInputError:
        return None


def kept_game(query: Query, row: GameRow) -> KeptGame:
    """Return the stored rows of a game."""

    def rows(table: str, columns: str, last: int = MOST_NUMBER) -> Sequence[tuple[Any, ...]]:
        sql = f"SELECT {columns} FROM {table} WHERE game = ? AND {columns.partition(',')[0]} <= ? ORDER BY 1, 2, 3"
        return query(sql, row.game, last)

    events = rows("events", "number, wall_ms, data, refused", (row.lost_from or MOST_NUMBER) - 1)
    corrections = rows("corrections", "number, wall_ms, event, data, undoes")
    return KeptGame(
        row,
        tuple(EventRow(number, ms, parse_event(json.loads(data)), bool(no)) for number, ms, data, no in events),
        tuple(
            RulingRow(event, place, since, until, json.loads(data))
            for event, place, since, until, data in rows("rulings", "event, place, since, until, data")
        ),
        tuple(
            CorrectionRow(number, ms, event, None if data is None else json.loads(data), undoes)
            for number, ms, event, data, undoes in corrections
        ),
    )


def sight_of(query: Query, game: int, event: int) -> dict[str, Any] | None:
    """Return the outlines in the deciding picture of an event, None if none are kept."""
    rows = query("SELECT data FROM sights WHERE game = ? AND event = ?", game, event)
    return json.loads(rows[0][0]) if rows else None


def statements(kept: KeptGame, game: int) -> list[Statement]:
    """Return the statements that add all rows of a game under a number."""
    row = kept.row
    return [
        inserted("INSERT OR REPLACE", "games", **{**vars(row), "game": game, "header": header_data(row.header)}),
        *(inserted("INSERT OR REPLACE", "events", game=game, **event_values(one)) for one in kept.events),
        *(inserted("INSERT OR REPLACE", "corrections", game=game, **vars(one)) for one in kept.corrections),
        *(inserted("INSERT OR REPLACE", "rulings", game=game, **vars(one)) for one in kept.rulings),
    ]


def event_values(row: EventRow) -> dict[str, Any]:
    """Return the columns of an event."""
    return {"number": row.number, "wall_ms": row.wall_ms, "data": event_data(row.event), "refused": row.refused}


def header_data(header: Header) -> dict[str, object]:
    """Return a header as the first line of an event log."""
    return {"game": header.game, "players": list(header.players), "options": dict(header.options)}


def event_data(event: Event) -> dict[str, object]:
    """Return an event as a line of an event log."""
    return {**dict.fromkeys(("t_ns", "event")), **event.data, "t_ns": event.t_ns, "event": event.kind}


def iso_time(wall_ms: int | None) -> str | None:
    """Return a time of day as ISO 8601, None without one."""
    if wall_ms is None or not 0 <= wall_ms <= LAST_MS:
        return None
    return datetime.fromtimestamp(wall_ms / 1000, UTC).isoformat(timespec="seconds")


def _game(row: Sequence[Any]) -> GameRow:
    game, uid, header, started_ms, boot, shift_ns, judged, ended_ms, closed, lost_from = row
    try:
        told = HeaderModel.model_validate_json(header).header()
    except ValidationError:
        raise BadInputError("kept.game_cannot_be_read_and", number=game) from None
    return GameRow(game, uid, told, started_ms, boot, shift_ns, judged, ended_ms, bool(closed), lost_from)


def judged_again(kept: KeptGame) -> KeptGame:
    """Return a game with the rulings on its events, before and after each correction.

    Raises:
        BadInputError: there is no such game, or it cannot be played like that.
    """
    most = max(1, _MOST_JUDGED // (len(kept.events) + 1))
    rows: dict[tuple[int, int, int], RulingRow] = {}
    held: dict[tuple[int, int], RulingRow] = {}
    before: Judged = {}
    for step in [*range(min(most, len(kept.corrections))), len(kept.corrections)]:
        judge = Judge(game_kind(kept.row.header.game).start(kept.row.header))
        after = judge_all(judge, ((row.number, row.event) for row in kept.events), kept.corrections[:step])
        for event, place, ruling in change_between(before, after).places():
            if (was := held.pop((event, place), None)) is not None:
                rows[event, place, was.since] = replace(was, until=step)
            if ruling is not None:
                held[event, place] = rows[event, place, step] = RulingRow(event, place, step, None, ruling)
        before = after
    return replace(kept, rulings=tuple(rows[key] for key in sorted(rows)))
