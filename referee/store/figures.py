"""Computes figures over all past games: by player, by evening, and the share of corrected cards.

Corrections are noticed mistakes: unnoticed ones are not in these figures.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import tzinfo
from statistics import median
from typing import Any

from referee.engine.log import corrected_events
from referee.language import Language
from referee.names import seat_names
from referee.sayings import quality as sayings
from referee.store.games import KeptGame, Query, kept_game, shelf
from referee.store.history import listed

LAST_CARDS = 400
_Z95 = 1.96
_CARDS = ("card_shown", "card_read", "hand")
_RINGS = """SELECT game, data FROM rulings
    WHERE json_extract(data, '$.ruling') IN ('ring', 'also_rang') AND until IS NULL ORDER BY game, event, place"""
_READ = f"""SELECT game, sum(CASE json_type(data, '$.cards') WHEN 'array' THEN json_array_length(data, '$.cards')
    ELSE 1 END) FROM events WHERE refused = 0 AND json_extract(data, '$.event') IN {_CARDS} GROUP BY game"""
_RULED = """SELECT game, count(*), sum(json_extract(data, '$.ruling') = 'unclear') FROM rulings
    WHERE json_extract(data, '$.ruling') IN ('ring', 'unclear') AND since = 0 GROUP BY game"""


@dataclass
class _Rings:
    """Figures of a player: games, wins, and rings that were valid, false, or too late for a pair."""

    games: int = 0
    wins: int = 0
    valid: int = 0
    false: int = 0
    too_late: int = 0
    reactions_ms: list[float] = field(default_factory=list)

    def __add__(self, other: _Rings) -> _Rings:
        return _Rings(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


@dataclass(frozen=True)
class GameTally:
    """cards: number read. corrected: of them, by somebody. rings: with rulings. unclear: rings that were not clear."""

    cards: int = 0
    corrected: int = 0
    rings: int = 0
    unclear: int = 0

    def __add__(self, other: GameTally) -> GameTally:
        pairs = zip(self.data().values(), other.data().values(), strict=True)
        return GameTally(*(one + more for one, more in pairs))

    def data(self) -> dict[str, int]:
        """Return it as a dictionary."""
        return dict(vars(self))


def statistics(query: Query, zone: tzinfo | None = None) -> dict[str, Any]:
    """Return figures by player, by wins, and by evening, oldest first; zone: the table's own if None.

    A seat without a given name counts as no player: each evening somebody else may sit there.
    """
    rulings: defaultdict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for game, data in query(_RINGS):
        rulings[game].append(json.loads(data))
    played: Counter[str] = Counter()
    evenings: defaultdict[str, defaultdict[str, _Rings]] = defaultdict(lambda: defaultdict(_Rings))
    for past in listed(query, zone).games:
        if past.end is None:
            continue
        played[past.evening] += 1
        rings = _rings(rulings[past.row.game])
        for seat, name in enumerate(past.row.header.players):
            if name not in seat_names():
                won = _Rings(games=1, wins=past.end["winners"].count(seat))
                evenings[past.evening][name] += won + rings[seat]
    players: defaultdict[str, _Rings] = defaultdict(_Rings)
    for evening in evenings.values():
        for name, one in evening.items():
            players[name] += one
    ranked = sorted(players.items(), key=lambda item: (-item[1].wins, item[0]))
    return {
        "players": [
            {"name": name, **vars(one), "reactions_ms": [round(ms, 1) for ms in one.reactions_ms]}
            for name, one in ranked
        ],
        "evenings": [
            {
                "date": date,
                "games": games,
                "wins": {name: one.wins for name, one in evenings[date].items() if one.wins},
                "false": {name: one.false for name, one in evenings[date].items() if one.false},
                "median_ms": {
                    name: round(median(one.reactions_ms), 1) for name, one in evenings[date].items() if one.reactions_ms
                },
            }
            for date, games in played.items()
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
                waited = [] if open_ms is None else [open_ms]
                seats[seat] += _Rings(valid=int(data["valid"]), false=int(not data["valid"]), reactions_ms=waited)
        elif seat is not None and open_ms is not None and seat not in rang:
            rang.add(seat)
            seats[seat] += _Rings(too_late=1, reactions_ms=[open_ms + data["lag_ms"]])
    return seats


def quality(query: Query, language: Language, zone: tzinfo | None = None) -> dict[str, Any]:
    """Return the quality of readings: by game in sentences, and by evening, oldest first, as figures.

    zone: as above.
    """
    tallies = _tallies(query)
    by_game: defaultdict[str, list[GameTally]] = defaultdict(list)
    evenings: defaultdict[str, GameTally] = defaultdict(GameTally)
    for past in listed(query, zone).games:
        tally = tallies.get(past.row.game, GameTally())
        by_game[past.row.header.game].append(tally)
        evenings[past.evening] += tally
    challenged = query("SELECT COUNT(*) FROM (SELECT DISTINCT game, event FROM evidence WHERE disputed = 1)")[0][0]
    last = {game: _last(played) for game, played in by_game.items()}
    return {
        "games": [
            {"game": game, **tally.data(), "text": _in_words(tally, language)}
            for game, tally in last.items()
            if tally.cards
        ],
        "evenings": [{"date": date, **tally.data()} for date, tally in evenings.items() if tally.cards],
        "challenged": sayings.challenged(challenged, language) if challenged else "",
    }


def interval(part: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share, `part` of so many (Wilson 1927)."""
    if not of:
        return 0.0, 1.0
    share, z2 = part / of, _Z95**2
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z95 * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def _tallies(query: Query) -> dict[int, GameTally]:
    """Return the numbers of cards read and corrected, and of rings with rulings, by game."""
    cards: dict[int, int] = dict(query(_READ))
    ruled = {game: (rings, unclear) for game, rings, unclear in query(_RULED)}
    touched = {game for (game,) in query("SELECT DISTINCT game FROM corrections")}
    rows = [row for row in shelf(query).games if row.game in touched]
    corrected = {row.game: _corrected(kept_game(query, row)) for row in rows}
    return {
        game: GameTally(cards.get(game, 0), corrected.get(game, 0), *ruled.get(game, (0, 0)))
        for game in cards.keys() | ruled.keys()
    }


def _corrected(kept: KeptGame) -> int:
    instead = corrected_events(kept.corrections)
    cards = [row for row in kept.events if row.event.kind in _CARDS and not row.refused and row.number in instead]
    return sum(_differ(row.event.data, instead[row.number]) for row in cards)


def _last(played: list[GameTally]) -> GameTally:
    """Return the sum of the last games with enough cards; those of years ago say little of today."""
    total = GameTally()
    for tally in reversed(played):
        if total.cards >= LAST_CARDS:
            break
        total += tally
    return total


def _in_words(tally: GameTally, language: Language) -> str:
    low, high = interval(tally.corrected, tally.cards)
    return sayings.cards_corrected(tally.cards, tally.corrected, (100 * low, 100 * high), language)


def _differ(was: Mapping[str, Any], now: Mapping[str, Any] | None) -> int:
    """Return the number of cards that a correction changed."""
    before, after = Counter(_faces(was)), Counter([] if now is None else _faces({**was, **now}))
    return max((before - after).total(), (after - before).total())


def _faces(data: Mapping[str, Any]) -> list[str]:
    cards = data.get("cards")
    if isinstance(cards, list | tuple):
        return [str(card) for card in cards]
    return [f"{data.get('colour')} {data.get('mood')}"]
