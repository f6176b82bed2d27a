"""In which order games were played, when, and on which evening, whatever the clock said meanwhile. Pure.

A Raspberry Pi has no clock of its own: it may start in the wrong year, and get the time in the middle of an evening. So
games keep the order in which they were entered; within one start of the machine the monotonic clock says how far apart
they were, and what the clock of the house said last holds for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import groupby

from referee.store.games import LAST_MS, GameRow, KeptGame

MS = 1_000_000
NIGHT_ENDS_H = 5
"""What is played before this hour belongs to the evening before."""
IMPORTED = "import "
"""So begins what stands for the machine's start at games out of another journal; the rest names the import."""
JUMP_MS = 120_000
"""A clock that went otherwise by less was set by seconds, or ran a little fast."""


@dataclass(frozen=True)
class Span:
    """When a game was played, by the clocks of its first and its last event: wall time, ms, and monotonic time, ms.

    boot: the start of the machine that the monotonic clock belongs to, "" if nobody knows any more.
    """

    boot: str
    first_ms: int
    last_ms: int
    first_wall_ms: int
    last_wall_ms: int


@dataclass(frozen=True)
class Played:
    """When a game began, wall time, ms, as far as that is known by now, and the date of its evening (ISO 8601)."""

    started_ms: int
    evening: str


def span_of(kept: KeptGame) -> Span | None:
    """Give when a game was played, None if it has no events.

    One that went on after another start of the machine has no clock that holds for all of it.
    """
    if not kept.events:
        return None
    first, last = kept.events[0], kept.events[-1]
    boot = "" if kept.row.shift_ns or is_imported(kept.row) else kept.row.boot
    return Span(boot, first.event.t_ns // MS, last.event.t_ns // MS, first.wall_ms, last.wall_ms)


def is_imported(row: GameRow) -> bool:
    """Whether a game came out of another journal."""
    return row.boot == "" or row.boot.startswith(IMPORTED)


def in_order(rows: Iterable[GameRow]) -> list[GameRow]:
    """Give games in the order in which they were played, the first one first; rows: in the order of their numbers.

    Those of one journal keep the order in which they were entered; games out of another one are put among them by the
    time of day.
    """
    entered: dict[str, list[tuple[int, int, GameRow]]] = {}
    for row in rows:
        origin = row.boot if is_imported(row) else "own"
        past = entered.setdefault(origin, [])
        latest_ms = max(row.started_ms, past[-1][0]) if past else row.started_ms
        past.append((latest_ms, row.game, row))
    every = [entry for past in entered.values() for entry in past]
    return [row for _, _, row in sorted(every, key=lambda entry: entry[:2])]


def played(rows: Sequence[GameRow], spans: Sequence[Span | None], zone: tzinfo | None = None) -> list[Played]:
    """Give when each game was played; rows: in the order in which they were; zone: None is the table's own."""
    found: list[Played] = []
    entries = zip(rows, spans, strict=True)
    for _, group in groupby(entries, key=lambda entry: "" if is_imported(entry[0]) else entry[0].boot):
        found += _since_one_start(list(group), zone)
    return found


def _since_one_start(group: list[tuple[GameRow, Span | None]], zone: tzinfo | None) -> list[Played]:
    """Give when games were played between which the machine was not started anew."""
    found: list[Played] = []
    now_ms: int | None = None
    next_ms: int | None = None
    for row, span in reversed(group):
        started_ms = row.started_ms
        if span is not None and span.boot:
            if next_ms is None or span.last_ms > next_ms:
                # The last one; or a clock that began anew, whatever the machine is called.
                now_ms = span.last_wall_ms - span.last_ms
            next_ms = span.first_ms
            jump_ms = 0 if now_ms is None else now_ms - (span.first_wall_ms - span.first_ms)
            started_ms = min(max(0, started_ms + (jump_ms if abs(jump_ms) > JUMP_MS else 0)), LAST_MS)
        found.append(Played(started_ms, evening_of(started_ms, zone)))
    return found[::-1]


def evening_of(wall_ms: int, zone: tzinfo | None = None) -> str:
    """Give the date on which an evening began; zone: None is the table's own."""
    begun = datetime.fromtimestamp(wall_ms / 1000, UTC)
    try:
        return (begun.astimezone(zone) - timedelta(hours=NIGHT_ENDS_H)).date().isoformat()
    except (OverflowError, ValueError):
        # In the first hours of the year 1, and the last ones of the year 9999, some zones have no date.
        return begun.date().isoformat()
