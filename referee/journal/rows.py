"""What the journal holds, as values: games with their events, rulings and corrections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from referee.errors import BadInputError
from referee.events import Event, Header, parse_event, parse_header
from referee.jsonlines import parse_object

Query = Callable[..., Sequence[tuple[Any, ...]]]
LAST_MS = 253_402_300_799_999
"""The last wall time that has a date, in the year 9999, ms."""


@dataclass(frozen=True)
class GameRow:
    """A game. started_ms, ended_ms: wall time, ms. judged: the number of the last event that was judged.

    Its clock is the monotonic clock of the boot named `boot`, plus `shift_ns`.
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
class CorrectionRow:
    """A correction: the event as it should have been (None: it is struck), or which correction it takes back."""

    number: int
    wall_ms: int
    event: int | None
    data: Mapping[str, Any] | None
    undoes: int | None = None


@dataclass(frozen=True)
class KeptGame:
    """All that is kept of a game, in order."""

    row: GameRow
    events: tuple[EventRow, ...] = ()
    rulings: tuple[RulingRow, ...] = ()
    corrections: tuple[CorrectionRow, ...] = field(default=())

    def in_force(self) -> tuple[RulingRow, ...]:
        """Give the rulings that hold after all corrections, in order."""
        return tuple(ruling for ruling in self.rulings if ruling.until is None)

    def first(self) -> dict[int, tuple[Mapping[str, Any], ...]]:
        """Give the rulings as they were given when it happened, before any correction, by the number of their event."""
        found: dict[int, tuple[Mapping[str, Any], ...]] = {}
        for ruling in self.rulings:
            if ruling.since == 0:
                found[ruling.event] = (*found.get(ruling.event, ()), ruling.data)
        return found

    def by_event(self) -> dict[int, list[Mapping[str, Any]]]:
        """Give the same by the number of their event."""
        found: dict[int, list[Mapping[str, Any]]] = {}
        for ruling in self.in_force():
            found.setdefault(ruling.event, []).append(ruling.data)
        return found


def header_data(header: Header) -> dict[str, object]:
    """Give a header as the first line of an event log."""
    return {"game": header.game, "players": list(header.players), "options": dict(header.options)}


def event_data(event: Event) -> dict[str, object]:
    """Give an event as a line of an event log."""
    return {"t_ns": event.t_ns, "event": event.kind} | {
        key: value for key, value in event.data.items() if key not in ("t_ns", "event")
    }


def iso_time(wall_ms: int | None) -> str | None:
    """Give a time of day as ISO 8601, None where there is none."""
    if wall_ms is None or not 0 <= wall_ms <= LAST_MS:
        return None
    return datetime.fromtimestamp(wall_ms / 1000, UTC).isoformat(timespec="seconds")


_GAME = "SELECT game, uid, header, started_ms, boot, shift_ns, judged, ended_ms, closed FROM games"


def games(query: Query) -> tuple[GameRow, ...]:
    """Give all games, newest first; one whose header makes no sense hides no other."""
    found = []
    for row in query(f"{_GAME} ORDER BY started_ms DESC, game DESC"):
        with suppress(BadInputError):
            found.append(_game(row))
    return tuple(found)


def open_game(query: Query) -> GameRow | None:
    """Give the game to resume, None if there is none.

    Raises:
        BadInputError: its header makes no sense.
    """
    rows = query(f"{_GAME} WHERE closed = 0 ORDER BY game DESC LIMIT 1")
    return _game(rows[0]) if rows else None


def game_numbered(query: Query, game: int) -> GameRow | None:
    """Give the game with this number, None if there is none that makes sense."""
    rows = query(f"{_GAME} WHERE game = ?", game) if game < 1 << 63 else ()
    with suppress(BadInputError):
        return _game(rows[0]) if rows else None
    return None


def kept_game(query: Query, row: GameRow) -> KeptGame:
    """Give all that is kept of a game.

    Raises:
        BadInputError: something in it makes no sense.
    """
    events = tuple(
        EventRow(number, wall_ms, parse_event(_object(data)), bool(refused))
        for number, wall_ms, data, refused in query(
            "SELECT number, wall_ms, data, refused FROM events WHERE game = ? ORDER BY number", row.game
        )
    )
    rulings = tuple(
        RulingRow(event, place, since, until, _object(data))
        for event, place, since, until, data in query(
            "SELECT event, place, since, until, data FROM rulings WHERE game = ? ORDER BY event, place, since", row.game
        )
    )
    corrections = tuple(
        CorrectionRow(number, wall_ms, event, None if data is None else _object(data), undoes)
        for number, wall_ms, event, data, undoes in query(
            "SELECT number, wall_ms, event, data, undoes FROM corrections WHERE game = ? ORDER BY number", row.game
        )
    )
    return KeptGame(row, events, rulings, corrections)


def sight_of(query: Query, game: int, event: int) -> dict[str, Any] | None:
    """Give what was outlined in the picture that an event was judged on, None if nothing is kept of that."""
    rows = query("SELECT data FROM sights WHERE game = ? AND event = ?", game, event)
    return _object(rows[0][0]) if rows else None


def _object(text: str) -> dict[str, Any]:
    return parse_object(text.encode())


def _game(row: Sequence[Any]) -> GameRow:
    game, uid, header, started_ms, boot, shift_ns, judged, ended_ms, closed = row
    if not 0 <= started_ms <= LAST_MS or not 0 <= (ended_ms or 0) <= LAST_MS:
        raise BadInputError("the game was played at no time that there is")
    parsed = parse_header(_object(header))
    return GameRow(game, uid, parsed, started_ms, boot, shift_ns, judged, ended_ms, bool(closed))
