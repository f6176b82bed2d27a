"""The games in the store, as values: rows with their events, rulings and corrections, queries, and replays.

The database checks types and ranges (`referee.store.database`), and damage is found before anything is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from referee.engine.events import Event, Header, parse_event
from referee.engine.log import OF_NO_GAME, CorrectionRow, GameLog, Record, corrected, corrected_events
from referee.engine.session import Judge, Judged, judge_all
from referee.errors import BadInputError
from referee.games.registry import game_kind
from referee.jsonlines import to_line
from referee.store.database import LAST_MS, Statement, inserted

Query = Callable[..., Sequence[tuple[Any, ...]]]
MOST_NUMBER = (1 << 63) - 1
_MOST_JUDGED = 200_000
"""Number of events replayed to find a game's changes by corrections."""
_GAME = "SELECT game, uid, header, started_ms, boot, shift_ns, judged, ended_ms, closed, lost_from FROM games"


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


Row = GameRow | EventRow | CorrectionRow | RulingRow


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
            rulings = tuple(now.get(one.number, ())), tuple(first.get(one.number, ()))
            log.add(Record(one.number, one.event, rulings[0], one.refused, rulings[1]))
        return log

    def by_event(self) -> dict[int, list[Mapping[str, Any]]]:
        """Return the rulings that hold by the number of their event."""
        return _by_event(self.in_force())

    def first(self) -> dict[int, list[Mapping[str, Any]]]:
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


def _by_event(rulings: Iterable[RulingRow]) -> dict[int, list[Mapping[str, Any]]]:
    found: dict[int, list[Mapping[str, Any]]] = {}
    for ruling in rulings:
        found.setdefault(ruling.event, []).append(ruling.data)
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
    sql = "SELECT number, wall_ms, data, refused FROM events WHERE game = ? AND number < ? ORDER BY number"
    events = query(sql, row.game, MOST_NUMBER if row.lost_from is None else row.lost_from)
    sql = "SELECT event, place, since, until, data FROM rulings WHERE game = ? ORDER BY event, place, since"
    rulings = query(sql, row.game)
    sql = "SELECT number, wall_ms, event, data, undoes FROM corrections WHERE game = ? ORDER BY number"
    corrections = query(sql, row.game)
    return KeptGame(
        row,
        tuple(EventRow(number, ms, parse_event(json.loads(data)), bool(no)) for number, ms, data, no in events),
        tuple(RulingRow(event, place, since, until, json.loads(data)) for event, place, since, until, data in rulings),
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
    rows: list[Row] = [kept.row, *kept.events, *kept.corrections, *kept.rulings]
    return [added(game, row) for row in rows]


def added(game: int, row: Row) -> Statement:
    """Return the statement that adds a row of a game, which has this number."""
    match row:
        case GameRow():
            header = to_line(header_data(row.header))
            return inserted("games", **{**vars(row), "game": game, "header": header, "closed": int(row.closed)})
        case EventRow():
            data, refused = to_line(event_data(row.event)), int(row.refused)
            return inserted("events", **{**vars(row), "game": game, "data": data, "refused": refused})
        case CorrectionRow():
            changed = None if row.data is None else to_line(dict(row.data))
            return inserted("corrections", **{**vars(row), "game": game, "data": changed})
        case RulingRow():
            return inserted("rulings", **{**vars(row), "game": game, "data": to_line(dict(row.data))})


def header_data(header: Header) -> dict[str, object]:
    """Return a header as the first line of an event log."""
    return {"game": header.game, "players": list(header.players), "options": dict(header.options)}


def event_data(event: Event) -> dict[str, object]:
    """Return an event as a line of an event log."""
    return {"t_ns": event.t_ns, "event": event.kind} | {
        key: value for key, value in event.data.items() if key not in ("t_ns", "event")
    }


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


def judged_now(kept: KeptGame, corrections: Sequence[CorrectionRow] | None = None) -> Judged:
    """Return the rulings on a game's events; corrections: only these count.

    Raises:
        BadInputError: there is no such game, or it cannot be played like that.
    """
    judge = Judge(game_kind(kept.row.header.game).start(kept.row.header))
    events = ((row.number, row.event) for row in kept.events)
    return judge_all(judge, events, kept.corrections if corrections is None else corrections)


def judged_again(kept: KeptGame) -> KeptGame:
    """Return a game with the rulings on its events, before and after each correction.

    Raises:
        BadInputError: there is no such game, or it cannot be played like that.
    """
    most = max(1, _MOST_JUDGED // (len(kept.events) + 1))
    steps = [*range(min(most, len(kept.corrections))), len(kept.corrections)]
    rows: dict[tuple[int, int, int], RulingRow] = {}
    before: Judged = {}
    for step in steps:
        after = judged_now(kept, kept.corrections[:step])
        held = {(one.event, one.place): key for key, one in rows.items() if one.until is None}
        for event in sorted({*before, *after}):
            was, now = before.get(event, ()), after.get(event, ())
            for place in range(max(len(was), len(now))):
                if was[place : place + 1] == now[place : place + 1]:
                    continue
                if place < len(was):
                    rows[held[event, place]] = replace(rows[held[event, place]], until=step)
                if place < len(now):
                    rows[event, place, step] = RulingRow(event, place, step, None, now[place])
        before = after
    return replace(kept, rulings=tuple(rows[key] for key in sorted(rows)))
