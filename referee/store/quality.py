"""How good it is at this table: cards that were read, and those corrected. Pure but for the journal it reads.

Corrections are what people noticed: what nobody noticed is not in these figures.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from referee.engine.corrections import corrected_events
from referee.language import Language
from referee.sayings import quality as sayings
from referee.store.games import KeptGame, Query, kept_game
from referee.store.past import Known, listed

LAST_CARDS = 400
_Z95 = 1.96
_CARDS = frozenset({"card_shown", "card_read", "hand"})


@dataclass(frozen=True)
class Tally:
    """cards: that were read. corrected: of them, by somebody. rings: ruled on. unclear: rings that were not clear."""

    cards: int = 0
    corrected: int = 0
    rings: int = 0
    unclear: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.cards + other.cards,
            self.corrected + other.corrected,
            self.rings + other.rings,
            self.unclear + other.unclear,
        )

    def data(self) -> dict[str, int]:
        """Give it as plain data."""
        return {"cards": self.cards, "corrected": self.corrected, "rings": self.rings, "unclear": self.unclear}


Tallies = dict[int, Tally]
"""Of games that are over, by their numbers."""


def quality(
    query: Query, language: Language, known: Known, tallies: Tallies, zone: tzinfo | None = None
) -> dict[str, Any]:
    """Give how good it is: overall and by game in sentences, and by evening, oldest first, as figures.

    known, tallies: what is remembered from one time to the next. zone: None is the table's own.
    """
    by_game: dict[str, list[Tally]] = {}
    evenings: dict[str, Tally] = {}
    for past, when in listed(query, known, zone).games:
        tally = tallies.get(past.row.game)
        if tally is None:
            tally = tally_of(kept_game(query, past.row))
            if past.row.closed:
                tallies[past.row.game] = tally
        by_game.setdefault(past.row.header.game, []).append(tally)
        evenings[when.evening] = evenings.get(when.evening, Tally()) + tally
    challenged = query("SELECT COUNT(*) FROM (SELECT DISTINCT game, event FROM evidence WHERE disputed = 1)")[0][0]
    games = []
    for game, played in by_game.items():
        last = _last(played)
        if last.cards:
            games.append({"game": game, **last.data(), "text": _in_words(last, language)})
    return {
        "games": games,
        "evenings": [{"date": date, **tally.data()} for date, tally in evenings.items() if tally.cards],
        "challenged": sayings.challenged(challenged, language) if challenged else "",
    }


def tally_of(kept: KeptGame) -> Tally:
    """Count a game."""
    cards = {row.number: row.event for row in kept.events if row.event.kind in _CARDS and not row.refused}
    instead = corrected_events(kept.corrections)
    corrected = sum(_differ(event.data, instead[number]) for number, event in cards.items() if number in instead)
    first = [row.data for row in kept.rulings if row.since == 0]
    rings = sum(data["ruling"] == "ring" for data in first)
    unclear = sum(data["ruling"] == "unclear" for data in first)
    return Tally(sum(len(_faces(event.data)) for event in cards.values()), corrected, rings + unclear, unclear)


def interval(part: int, of: int) -> tuple[float, float]:
    """Give the share that part of so many shows, from and to, as in 95 of 100 cases (Wilson 1927)."""
    if not of:
        return 0.0, 1.0
    share, z2 = part / of, _Z95**2
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z95 * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def _last(played: list[Tally]) -> Tally:
    """Add up the last games until there are enough cards; those of years ago say little of today."""
    total = Tally()
    for tally in reversed(played):
        if total.cards >= LAST_CARDS:
            break
        total += tally
    return total


def _in_words(tally: Tally, language: Language) -> str:
    low, high = interval(tally.corrected, tally.cards)
    return sayings.cards_corrected(tally.cards, tally.corrected, (100 * low, 100 * high), language)


def _differ(was: Mapping[str, Any], now: Mapping[str, Any] | None) -> int:
    """Give how many cards a correction changed."""
    before, after = Counter(_faces(was)), Counter([] if now is None else _faces({**was, **now}))
    return max((before - after).total(), (after - before).total())


def _faces(data: Mapping[str, Any]) -> list[str]:
    cards = data.get("cards")
    if isinstance(cards, list | tuple):
        return [str(card) for card in cards]
    return [f"{data.get('colour')} {data.get('mood')}"]
