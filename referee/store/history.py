"""Lists past games for the page and for `ringmaster history`: their times, the list, and one of them.

A Raspberry Pi has no clock of its own: it may start in the wrong year, and get the time in the middle of an evening. So
games keep the order of entry. Within one start of the machine the monotonic clock measures the time between them, and
the last time of day of that start holds for all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import groupby
from typing import Any

from referee.announcer import Announcer
from referee.engine.log import CorrectionRow, corrected_events
from referee.errors import BadInputError
from referee.language import Language
from referee.sayings import kept as sayings
from referee.sayings.cards import changed_reading
from referee.store.database import LAST_MS
from referee.store.games import GameRow, KeptGame, Query, game_numbered, iso_time, kept_game, shelf

MS = 1_000_000
NIGHT_ENDS_H = 5
"""A game before this hour belongs to the evening before."""
IMPORTED = "import "
"""Prefix of `boot` of games from another journal; the rest names the import."""
JUMP_MS = 120_000
"""A clock that differs by less was set by seconds, or ran a little fast."""
_TIMES = """SELECT g.game, a.wall_ms, json_extract(a.data, '$.t_ns'), b.wall_ms, json_extract(b.data, '$.t_ns')
    FROM games g JOIN events a ON a.game = g.game AND a.number = 1
    JOIN events b ON b.game = g.game AND b.number = (SELECT max(number) FROM events WHERE game = g.game)"""
_ENDS = """SELECT game, data FROM rulings
    WHERE json_extract(data, '$.ruling') = 'end' AND until IS NULL ORDER BY game, event, place"""


@dataclass(frozen=True)
class Past:
    """A past game. end: the ruling that ended it, None if it did not end.

    started_ms: its start, wall time, as far as that is known by now. evening: its evening's date (ISO 8601).
    """

    row: GameRow
    end: Mapping[str, Any] | None
    started_ms: int
    evening: str


@dataclass(frozen=True)
class PastGames:
    """Past games in the order of play, and the numbers of unreadable ones."""

    games: tuple[Past, ...]
    unreadable: tuple[int, ...]


def listed(query: Query, zone: tzinfo | None = None) -> PastGames:
    """Return all past games; zone: the table's own if None."""
    shown = shelf(query)
    ends = {game: json.loads(data) for game, data in query(_ENDS)}
    times = {game: values for game, *values in query(_TIMES)}
    found: list[Past] = []
    for _, group in groupby(_in_order(shown.games), key=lambda row: "" if _is_imported(row) else row.boot):
        rows = list(group)
        for row, ms in zip(rows, _starts_ms(rows, times), strict=True):
            found.append(Past(row, ends.get(row.game), ms, evening_of(ms, zone)))
    return PastGames(tuple(found), shown.unreadable)


def history(query: Query, language: Language, zone: tzinfo | None = None) -> dict[str, Any]:
    """Return past games, the last played first, and sentences about unreadable ones; zone: as in `listed`."""
    shown = listed(query, zone)
    return {
        "games": [_summary(past, language) for past in reversed(shown.games)],
        "faults": [sayings.unreadable(number, language) for number in shown.unreadable],
    }


def one_game(query: Query, which: str, language: Language, picture_of: Mapping[int, str]) -> dict[str, Any]:
    """Return one past game. picture_of: a picture's id by event.

    Raises:
        BadInputError: there is none.
    """
    row = game_numbered(query, int(which)) if which.isascii() and which.isdecimal() else None
    if row is None:
        raise BadInputError("error.service.there_is_no_such_game")
    kept = kept_game(query, row)
    announcer = Announcer(row.header.game, row.header.players, language)
    first = kept.first()
    rulings = [
        {
            "id": f"{row.game}-{ruling.event}-{ruling.place}",
            "t_ns": ruling.data["t_ns"],
            "text": announcer.say(ruling.data),
            "ruling": dict(ruling.data),
            "picture": picture_of.get(ruling.event),
            "corrected": ruling.data not in first.get(ruling.event, ()),
        }
        for ruling in kept.in_force()
    ]
    return {
        **_summary(next(past for past in listed(query).games if past.row.game == row.game), language),
        "options": dict(row.header.options),
        "rounds": _rounds(ruling.data for ruling in kept.in_force()),
        "rulings": rulings,
        "corrections": _corrections(kept, announcer),
    }


def evening_of(wall_ms: int, zone: tzinfo | None = None) -> str:
    """Return the date on which an evening began; zone: the table's own if None."""
    begun = datetime.fromtimestamp(wall_ms / 1000, UTC)
    try:
        return (begun.astimezone(zone) - timedelta(hours=NIGHT_ENDS_H)).date().isoformat()
    except (OverflowError, ValueError):
        # In the first hours of the year 1, and the last ones of the year 9999, some zones have no date.
        return begun.date().isoformat()


def _is_imported(row: GameRow) -> bool:
    return row.boot == "" or row.boot.startswith(IMPORTED)


def _in_order(rows: Iterable[GameRow]) -> list[GameRow]:
    """Return games in the order of play, the first one first; rows: in the order of their numbers.

    Those of one journal keep the order of entry; games from another one are put among them by the time of day.
    """
    entered: dict[str, list[tuple[int, int, GameRow]]] = {}
    for row in rows:
        past = entered.setdefault(row.boot if _is_imported(row) else "own", [])
        latest_ms = max(row.started_ms, past[-1][0]) if past else row.started_ms
        past.append((latest_ms, row.game, row))
    every = [entry for past in entered.values() for entry in past]
    return [row for _, _, row in sorted(every, key=lambda entry: entry[:2])]


def _starts_ms(rows: Sequence[GameRow], times: Mapping[int, Sequence[int]]) -> list[int]:
    """Return the starts of games of one start of the machine, wall time, ms.

    times: wall time, ms, and monotonic time, ns, of a game's first and of its last event.
    """
    found: list[int] = []
    clock_ms = 0
    next_ns: int | None = None
    for row in reversed(rows):
        started_ms = row.started_ms
        # A game resumed after another start of the machine has no clock that holds for all of it.
        if row.game in times and not row.shift_ns and not _is_imported(row):
            first_wall_ms, first_ns, last_wall_ms, last_ns = times[row.game]
            if next_ns is None or last_ns > next_ns:
                # The last one; or a clock that began again, whatever the machine's name.
                clock_ms = last_wall_ms - last_ns // MS
            next_ns = first_ns
            jump_ms = clock_ms - (first_wall_ms - first_ns // MS)
            started_ms = min(max(0, started_ms + (jump_ms if abs(jump_ms) > JUMP_MS else 0)), LAST_MS)
        found.append(started_ms)
    return found[::-1]


def _summary(past: Past, language: Language) -> dict[str, Any]:
    row, end = past.row, past.end
    return {
        "id": str(row.game),
        "game": row.header.game,
        "players": list(row.header.players),
        "started": iso_time(past.started_ms),
        "evening": past.evening,
        "ended": iso_time(row.ended_ms),
        "points": [] if end is None else list(end.get("points", end.get("cards", []))),
        "winners": [] if end is None else list(end["winners"]),
        "fault": "" if row.lost_from is None else sayings.partly_lost(row.game, language),
    }


def _rounds(rulings: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the points of each round of Confetti, by seat; other games have no rounds with points."""
    rounds: list[dict[str, Any]] = []
    for data in rulings:
        if data["ruling"] == "round":
            rounds.append({"number": data["number"], "points": []})
        elif data["ruling"] == "hand" and rounds:
            rounds[-1]["points"].append(data["points"])
    return rounds


def _corrections(kept: KeptGame, announcer: Announcer) -> list[dict[str, Any]]:
    undone = {one.undoes for one in kept.corrections if one.undoes is not None}
    told = []
    for one in kept.corrections:
        if one.event is None or one.undoes is not None:
            continue
        changed = [ruling for ruling in kept.rulings if ruling.since == one.number]
        struck = [ruling for ruling in kept.rulings if ruling.until == one.number]
        texts = [[text for ruling in some if (text := announcer.say(ruling.data))] for some in (changed, struck)]
        told.append(
            {
                "change": _changed(kept, one, announcer),
                "text": " ".join((texts[0] or texts[1])[:3]),
                "at": iso_time(one.wall_ms),
                "undone": one.number in undone,
            }
        )
    return told


def _changed(kept: KeptGame, correction: CorrectionRow, announcer: Announcer) -> str:
    """Return a correction's change in words, against the event before it."""
    event = next((one.event for one in kept.events if one.number == correction.event), None)
    if event is None or correction.event is None:
        return ""
    earlier = corrected_events(one for one in kept.corrections if one.number < correction.number)
    was = {**event.data, **(earlier.get(correction.event) or {})}
    return changed_reading(event.kind, was, correction.data, announcer.players, announcer.language)
