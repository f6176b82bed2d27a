"""Lists past games for the page and for `ringmaster history`, with figures; renames and forgets players.

A Raspberry Pi has no clock of its own: it may start in the wrong year, and get the time in the middle of an evening. So
games keep the order of entry. Within one start of the machine the monotonic clock measures the time between them, and
the last time of day of that start holds for all of them.

Corrections are noticed mistakes: unnoticed ones are not in the figures.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import count, groupby
from statistics import median
from typing import Any

from referee.announcer import Announcer
from referee.engine.events import Header
from referee.engine.log import CorrectionRow, GameLog, GameRow, corrected_events
from referee.errors import BadInputError
from referee.language import Language
from referee.names import folded, seat_names
from referee.sayings import kept as sayings
from referee.sayings import quality as quality_sayings
from referee.store.database import LAST_MS
from referee.store.games import Query, game_numbered, games, iso_time, kept_game, points_of, unreadable
from referee.store.store import Store

MS = 1_000_000
NIGHT_ENDS_H = 5
"""A game before this hour belongs to the evening before."""
IMPORTED = "import "
"""Prefix of `boot` of games from another journal; the rest names the import."""
JUMP_MS = 120_000
"""A clock that differs by less was set by seconds, or ran a little fast."""
LAST_CARDS = 400
_Z95 = 1.96
_CARDS = ("card_shown", "card_read", "hand")
# Games in the order of play: those of one journal keep the order of entry, and those from another one are put among
# them by the time of day. With each: the start of the machine (NULL: not of this one), its end, and the times of its
# first and its last event.
_PLAYED = f"""SELECT g.game, iif(foreign_boot, NULL, boot), (
        SELECT data FROM rulings INDEXED BY rulings_by_kind WHERE ruling = 'end' AND game = g.game AND until IS NULL
        ORDER BY event DESC, place DESC LIMIT 1),
    a.wall_ms, a.data ->> '$.t_ns', b.wall_ms, b.data ->> '$.t_ns'
    FROM (SELECT *, boot = '' OR boot GLOB '{IMPORTED}*' AS foreign_boot FROM games) AS g
    LEFT JOIN events AS a ON a.game = g.game AND a.number = 1
    LEFT JOIN events AS b ON b.game = g.game AND b.number = (SELECT max(number) FROM events WHERE game = g.game)
    ORDER BY max(started_ms) OVER (PARTITION BY iif(foreign_boot, boot, NULL) ORDER BY g.game), g.game"""
_RINGS = """SELECT game, data FROM rulings
    WHERE ruling IN ('ring', 'also_rang') AND until IS NULL ORDER BY game, event, place"""
_READ = f"""SELECT game, sum(CASE json_type(data, '$.cards') WHEN 'array' THEN json_array_length(data, '$.cards')
    ELSE 1 END) FROM events WHERE refused = 0 AND data ->> '$.event' IN {_CARDS} GROUP BY game"""
_RULED = """SELECT game, count(*), sum(ruling = 'unclear') FROM rulings
    WHERE ruling IN ('ring', 'unclear') AND since = 0 GROUP BY game"""


@dataclass(frozen=True)
class Past:
    """A past game. end: the ruling that ended it, None if it did not end.

    started_ms: its start, wall time, as far as that is known by now. evening: its evening's date (ISO 8601).
    """

    row: GameRow
    end: Mapping[str, Any] | None
    started_ms: int
    evening: str


def listed(query: Query, zone: tzinfo | None = None) -> list[Past]:
    """Return all readable past games in the order of play; zone: the table's own if None."""
    rows = {row.game: row for row in games(query)}
    found: list[Past] = []
    for boot, group in groupby(query(_PLAYED), key=lambda played: played[1]):
        played = [(rows[game], end, times) for game, _, end, *times in group if game in rows]
        starts = [row.started_ms for row, *_ in played] if boot is None else _starts_ms(played)
        for (row, end, _), ms in zip(played, starts, strict=True):
            found.append(Past(row, None if end is None else json.loads(end), ms, evening_of(ms, zone)))
    return found


def history(query: Query, language: Language, zone: tzinfo | None = None) -> dict[str, Any]:
    """Return past games, the last played first, and sentences about unreadable ones; zone: as in `listed`."""
    return {
        "games": [_summary(one, language) for one in reversed(listed(query, zone))],
        "faults": [sayings.unreadable(number, language) for number in unreadable(query)],
    }


def one_game(query: Query, which: str, language: Language, picture_of: Mapping[int, str]) -> dict[str, Any]:
    """Return one past game. picture_of: a picture's id by event.

    Raises:
        BadInputError: there is none.
    """
    row = game_numbered(query, int(which)) if which.isascii() and which.isdecimal() else None
    if row is None:
        raise BadInputError("error.service.there_is_no_such_game")
    log, announcer = kept_game(query, row), Announcer(row.header.game, row.header.players, language)
    rulings = [
        {
            "id": log.ruling_id(one),
            "t_ns": one.data["t_ns"],
            "text": announcer.say(one.data),
            "ruling": dict(one.data),
            "picture": picture_of.get(one.event),
            "corrected": log.is_changed(one),
        }
        for one in reversed(list(log.newest()))
    ]
    return {
        **_summary(next(past for past in listed(query) if past.row.game == row.game), language),
        "options": dict(row.header.options),
        "rounds": _rounds(one["ruling"] for one in rulings),
        "rulings": rulings,
        "corrections": _corrections(log, announcer),
    }


def evening_of(wall_ms: int, zone: tzinfo | None = None) -> str:
    """Return the date on which an evening began; zone: the table's own if None."""
    begun = datetime.fromtimestamp(wall_ms / 1000, UTC)
    try:
        return (begun.astimezone(zone) - timedelta(hours=NIGHT_ENDS_H)).date().isoformat()
    except (OverflowError, ValueError):
        # In the first hours of the year 1, and the last ones of the year 9999, some zones have no date.
        return begun.date().isoformat()


def _starts_ms(played: Sequence[tuple[GameRow, Any, Sequence[Any]]]) -> list[int]:
    """Return the starts of games of one start of the machine, wall time, ms.

    played: each game with wall time, ms, and monotonic time, ns, of its first and of its last event, or None.
    """
    found: list[int] = []
    clock_ms = 0
    next_ns: int | None = None
    for row, _, (first_wall_ms, first_ns, last_wall_ms, last_ns) in reversed(played):
        started_ms = row.started_ms
        # A game resumed after another start of the machine has no clock that holds for all of it.
        if first_ns is not None and last_ns is not None and not row.shift_ns:
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
        "points": points_of(end),
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


def _corrections(log: GameLog, announcer: Announcer) -> list[dict[str, Any]]:
    undone = {one.undoes for one in log.corrections if one.undoes is not None}

    def words(rulings: Iterable[Mapping[str, Any]]) -> str:
        return " ".join([text for ruling in rulings if (text := announcer.say(ruling))][:3])

    return [
        {
            "change": _changed(log, one, announcer),
            "text": words(row.data for row in log.ruled() if row.since == one.number)
            or words(row.data for row in log.ruled() if row.until == one.number),
            "at": iso_time(one.wall_ms),
            "undone": one.number in undone,
        }
        for one in log.corrections
        if one.event is not None and one.undoes is None
    ]


def _changed(log: GameLog, correction: CorrectionRow, announcer: Announcer) -> str:
    """Return a correction's change in words, against the event before it."""
    # It loads picture libraries, 0.15 s, which a list of games has no use for.
    from referee.sayings.cards import changed_reading

    number = correction.event or 0
    if number not in log.records:
        return ""
    event = log.records[number].event
    earlier = corrected_events(one for one in log.corrections if one.number < correction.number)
    was = {**event.data, **(earlier.get(number) or {})}
    return changed_reading(event.kind, was, correction.data, announcer.players, announcer.language)


def renamed(query: Query, name: str, called: str) -> Mapping[int, Header]:
    """Return the headers of a player's games, by their numbers, with another name.

    Raises:
        BadInputError: nobody has this name, or the two have played against each other.
    """
    changes = {}
    for row in games(query):
        players = row.header.players
        if name not in players:
            continue
        if folded(called) in (folded(one) for one in players if one != name):
            raise BadInputError("kept.and_have_played_against_each", name=name, other=called)
        changes[row.game] = replace(row.header, players=tuple(called if one == name else one for one in players))
    if not changes:
        raise BadInputError("kept.nobody_called_has_played_here", name=name)
    return changes


def forget_player(store: Store, name: str, language: Language) -> int:
    """Replace a name by "Somebody" in all games, and return their number.

    Two who have played against each other and are both forgotten stay two: "Somebody 2".

    Raises:
        BadInputError: nobody has this name.
        WorkFailedError: the disk does not take it.
    """
    near = {folded(one) for row in games(store.read) if name in row.header.players for one in row.header.players}
    aliases = (sayings.somebody(number, language) for number in count(1))
    changes = renamed(store.read, name, next(alias for alias in aliases if folded(alias) not in near))
    store.change_headers(changes)
    return len(changes)


@dataclass
class _Rings:
    """Figures of a player: games, wins, and rings that were valid, false, or too late for a pair."""

    games: int = 0
    wins: int = 0
    valid: int = 0
    false: int = 0
    too_late: int = 0
    reactions_ms: list[float] = field(default_factory=list)

    def add(self, other: _Rings) -> None:
        for name, more in vars(other).items():
            setattr(self, name, getattr(self, name) + more)


def statistics(query: Query, zone: tzinfo | None = None) -> dict[str, Any]:
    """Return figures by player, by wins, and by evening, oldest first; zone: the table's own if None.

    A seat without a given name counts as no player: each evening somebody else may sit there.
    """
    rulings: defaultdict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for game, data in query(_RINGS):
        rulings[game].append(json.loads(data))
    played: Counter[str] = Counter()
    evenings: defaultdict[str, defaultdict[str, _Rings]] = defaultdict(lambda: defaultdict(_Rings))
    for past in listed(query, zone):
        if past.end is None:
            continue
        played[past.evening] += 1
        rings = _rings(rulings[past.row.game])
        for seat, name in enumerate(past.row.header.players):
            if name not in seat_names():
                rings[seat].games, rings[seat].wins = 1, past.end["winners"].count(seat)
                evenings[past.evening][name].add(rings[seat])
    players: defaultdict[str, _Rings] = defaultdict(_Rings)
    for evening in evenings.values():
        for name, one in evening.items():
            players[name].add(one)
    ranked = sorted(players.items(), key=lambda item: (-item[1].wins, item[0]))
    return {
        "players": [
            {"name": name, **vars(one), "reactions_ms": [round(ms, 1) for ms in one.reactions_ms]}
            for name, one in ranked
        ],
        "evenings": [
            {
                "date": date,
                "games": number,
                "wins": {name: one.wins for name, one in evenings[date].items() if one.wins},
                "false": {name: one.false for name, one in evenings[date].items() if one.false},
                "median_ms": {
                    name: round(median(one.reactions_ms), 1) for name, one in evenings[date].items() if one.reactions_ms
                },
            }
            for date, number in played.items()
        ],
    }


def _rings(rulings: Iterable[Mapping[str, Any]]) -> defaultdict[int, _Rings]:
    """Return the figures of each seat's rings in a game: for one pair only a seat's first ring counts."""
    seats: defaultdict[int, _Rings] = defaultdict(_Rings)
    open_ms: float | None = None
    rang: set[int | None] = set()
    for data in rulings:
        seat = data.get("seat")
        if data["ruling"] == "ring":
            open_ms, rang = (data.get("reaction_ms"), {seat}) if data["valid"] else (None, set())
            if seat is not None:
                seats[seat].valid += bool(data["valid"])
                seats[seat].false += not data["valid"]
                seats[seat].reactions_ms += [] if open_ms is None else [open_ms]
        elif seat is not None and open_ms is not None and seat not in rang:
            rang.add(seat)
            seats[seat].too_late += 1
            seats[seat].reactions_ms.append(open_ms + data["lag_ms"])
    return seats


def quality(query: Query, language: Language, zone: tzinfo | None = None) -> dict[str, Any]:
    """Return the quality of readings: by game in sentences, and by evening, oldest first, as figures.

    Figures: the numbers of cards read and corrected, of rings with rulings, and of those that were unclear. zone: as
    above.
    """
    tallies = _tallies(query)
    by_game: defaultdict[str, list[Counter[str]]] = defaultdict(list)
    evenings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for past in listed(query, zone):
        tally = tallies.get(past.row.game, Counter())
        by_game[past.row.header.game].append(tally)
        evenings[past.evening].update(tally)
    challenged = query("SELECT COUNT(*) FROM (SELECT DISTINCT game, event FROM evidence WHERE disputed = 1)")[0][0]
    last = {game: _last(played) for game, played in by_game.items()}
    return {
        "games": [
            {"game": game, **tally, "text": _in_words(tally, language)}
            for game, tally in last.items()
            if tally["cards"]
        ],
        "evenings": [{"date": date, **tally} for date, tally in evenings.items() if tally["cards"]],
        "challenged": quality_sayings.challenged(challenged, language) if challenged else "",
    }


def interval(part: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share, `part` of so many (Wilson 1927)."""
    if not of:
        return 0.0, 1.0
    share, z2 = part / of, _Z95**2
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z95 * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def _tallies(query: Query) -> dict[int, Counter[str]]:
    """Return the figures of each game."""
    cards: dict[int, int] = dict(query(_READ))
    ruled = {game: (rings, unclear) for game, rings, unclear in query(_RULED)}
    touched = {game for (game,) in query("SELECT DISTINCT game FROM corrections")}
    corrected = {row.game: _corrected(kept_game(query, row)) for row in games(query) if row.game in touched}
    found = {}
    for game in cards.keys() | ruled.keys():
        rings, unclear = ruled.get(game, (0, 0))
        found[game] = Counter(cards=cards.get(game, 0), corrected=corrected.get(game, 0), rings=rings, unclear=unclear)
    return found


def _corrected(log: GameLog) -> int:
    """Return the number of cards in a game that corrections changed."""
    count = 0
    for number, now in corrected_events(log.corrections).items():
        record = log.records.get(number)
        if record is not None and record.event.kind in _CARDS and not record.refused:
            before = Counter(_faces(record.event.data))
            after = Counter([] if now is None else _faces({**record.event.data, **now}))
            count += max((before - after).total(), (after - before).total())
    return count


def _faces(data: Mapping[str, Any]) -> list[str]:
    cards = data.get("cards")
    if isinstance(cards, list | tuple):
        return [str(card) for card in cards]
    return [f"{data.get('colour')} {data.get('mood')}"]


def _last(played: list[Counter[str]]) -> Counter[str]:
    """Return the sum of the last games with enough cards; those of years ago say little of today."""
    total: Counter[str] = Counter()
    for tally in reversed(played):
        if total["cards"] >= LAST_CARDS:
            break
        total.update(tally)
    return total


def _in_words(tally: Counter[str], language: Language) -> str:
    low, high = interval(tally["corrected"], tally["cards"])
    return quality_sayings.cards_corrected(tally["cards"], tally["corrected"], (100 * low, 100 * high), language)
