"""Past games as they are listed and counted: judged again from their events, once each, as what is over stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from referee.store.evenings import Played, Span, in_order, played, span_of
from referee.store.games import GameRow, Query, RulingRow, kept_game, shelf
from referee.store.judging import Checked, Trouble, checked


@dataclass(frozen=True)
class Ring:
    """A ring that counts for the figures: of a seat, "valid", "false" or "late"; reaction_ms: None if not known."""

    seat: int
    kind: str
    reaction_ms: float | None = None


@dataclass(frozen=True)
class Past:
    """What is listed and counted of a game. end: the ruling that ended it, None if it did not come to its end."""

    row: GameRow
    end: Mapping[str, Any] | None
    trouble: Trouble | None
    span: Span | None
    rings: tuple[Ring, ...] = ()


Known = dict[int, Past]
"""Games that are over, by their numbers."""


@dataclass(frozen=True)
class Listed:
    """Past games in the order in which they were played, when that was, and which numbers make no sense."""

    games: tuple[tuple[Past, Played], ...]
    unreadable: tuple[int, ...]


def listed(query: Query, known: Known, zone: tzinfo | None = None) -> Listed:
    """Give all past games; known: what is remembered from one time to the next. zone: None is the table's own."""
    shown = shelf(query)
    rows = in_order(shown.games)
    pasts = [_past(query, row, known) for row in rows]
    when = played(rows, [past.span for past in pasts], zone)
    return Listed(tuple(zip(pasts, when, strict=True)), shown.unreadable)


def past_of(told: Checked) -> Past:
    """Give what is listed and counted of a game."""
    kept = told.kept
    rings = tuple(_rings(kept.rulings))
    return Past(kept.row, told.end, told.trouble, span_of(kept), rings)


def _past(query: Query, row: GameRow, known: Known) -> Past:
    past = known.get(row.game)
    if past is None or past.row != row:
        past = past_of(checked(kept_game(query, row)))
        if row.closed:
            known[row.game] = past
    return past


def _rings(rulings: Iterable[RulingRow]) -> Iterable[Ring]:
    """Give the rings that count: of a seat's rings for one pair only the first."""
    open_ms: float | None = None
    rang: set[int | None] = set()
    for row in rulings:
        data = row.data
        seat = data.get("seat")
        if data["ruling"] == "ring":
            open_ms, rang = (data.get("reaction_ms"), {seat}) if data["valid"] else (None, set())
            if seat is not None:
                yield Ring(seat, "valid", open_ms) if data["valid"] else Ring(seat, "false")
        elif data["ruling"] == "also_rang" and seat is not None and open_ms is not None and seat not in rang:
            rang.add(seat)
            yield Ring(seat, "late", open_ms + data["lag_ms"])
