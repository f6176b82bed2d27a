"""Figures over all past games: by player, and by evening. Pure but for the journal it reads."""

from __future__ import annotations

from datetime import tzinfo
from statistics import median
from typing import Any

from referee.names import seat_names
from referee.store.games import Query
from referee.store.past import Known, Past, listed


def statistics(query: Query, known: Known | None = None, zone: tzinfo | None = None) -> dict[str, Any]:
    """Give figures by player, who won most first, and by evening, oldest first; zone: None is the table's own.

    A seat whose player gave no name is no player: each evening somebody else sits there.
    """
    players: dict[str, _Player] = {}
    evenings: dict[str, _Evening] = {}
    for past, when in listed(query, {} if known is None else known, zone).games:
        if past.end is not None:
            _count(past, past.end["winners"], players, evenings.setdefault(when.evening, _Evening()))
    ranked = sorted(players.items(), key=lambda item: (-item[1].wins, item[0]))
    return {
        "players": [{"name": name, **player.data()} for name, player in ranked],
        "evenings": [{"date": date, **evening.data()} for date, evening in evenings.items()],
    }


class _Player:
    def __init__(self) -> None:
        self.games = self.wins = self.valid = self.false = self.too_late = 0
        self.reactions_ms: list[float] = []

    def data(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "wins": self.wins,
            "valid": self.valid,
            "false": self.false,
            "too_late": self.too_late,
            "reactions_ms": [round(ms, 1) for ms in self.reactions_ms],
        }


class _Evening:
    def __init__(self) -> None:
        self.games = 0
        self.wins: dict[str, int] = {}
        self.false: dict[str, int] = {}
        self.reactions_ms: dict[str, list[float]] = {}

    def data(self) -> dict[str, Any]:
        middle = {name: round(median(times), 1) for name, times in self.reactions_ms.items()}
        return {"games": self.games, "wins": self.wins, "false": self.false, "median_ms": middle}


def _count(past: Past, winners: list[int], players: dict[str, _Player], evening: _Evening) -> None:
    names = past.row.header.players
    known = {seat: name for seat, name in enumerate(names) if name not in seat_names()}
    evening.games += 1
    for name in known.values():
        players.setdefault(name, _Player()).games += 1
    for name in (known[seat] for seat in winners if seat in known):
        players[name].wins += 1
        evening.wins[name] = evening.wins.get(name, 0) + 1
    for ring in past.rings:
        if ring.seat not in known:
            continue
        player, name = players[known[ring.seat]], known[ring.seat]
        match ring.kind:
            case "valid":
                player.valid += 1
            case "false":
                player.false += 1
                evening.false[name] = evening.false.get(name, 0) + 1
            case _:
                player.too_late += 1
        if ring.reaction_ms is not None:
            player.reactions_ms.append(ring.reaction_ms)
            evening.reactions_ms.setdefault(name, []).append(ring.reaction_ms)
