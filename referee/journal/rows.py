"""What the journal holds, as values: games with their events, rulings and corrections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from referee.engine.corrections import CorrectionRow
from referee.engine.events import Event, Header

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
class Lost:
    """What of a game cannot be read. first_event: from which event on it is not known what happened, None: all is.

    rows: how many of its rulings, which can be judged again.
    """

    first_event: int | None = None
    rows: int = 0

    def event(self, number: int) -> Lost:
        """Give it with one more event that is not known."""
        first = number if self.first_event is None else min(number, self.first_event)
        return Lost(max(1, first), self.rows)

    def row(self) -> Lost:
        """Give it with one more ruling that cannot be read."""
        return Lost(self.first_event, self.rows + 1)


@dataclass(frozen=True)
class KeptGame:
    """All that is kept of a game, in order, and what of it cannot be read."""

    row: GameRow
    events: tuple[EventRow, ...] = ()
    rulings: tuple[RulingRow, ...] = ()
    corrections: tuple[CorrectionRow, ...] = field(default=())
    lost: Lost = Lost()

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
