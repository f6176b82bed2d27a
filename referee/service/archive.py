"""Past games for the page: the list, one of them, and figures over all evenings. Pure but for the journal it reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from statistics import median
from typing import Any

from referee.announcer import Announcer
from referee.errors import BadInputError
from referee.journal.rows import GameRow, KeptGame, Query, RulingRow, games, iso_time, kept_game
from referee.language import Language


def history(query: Query) -> dict[str, Any]:
    """Give past games, newest first."""
    return {"games": [_summary(row, _end(query, row)) for row in games(query)]}


def one_game(query: Query, which: str, language: Language, picture_of: Mapping[int, str]) -> dict[str, Any]:
    """Give one past game. picture_of: a picture's id by event.

    Raises:
        BadInputError: there is none.
    """
    row = next((row for row in games(query) if str(row.game) == which), None)
    if row is None:
        raise BadInputError("there is no such game")
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
        **_summary(row, _end(query, row)),
        "options": dict(row.header.options),
        "rounds": _rounds(kept.in_force()),
        "rulings": rulings,
        "corrections": _corrections(kept, announcer),
    }


def statistics(query: Query, zone: tzinfo | None = None) -> dict[str, Any]:
    """Give figures by player, who won most first, and by evening, oldest first; zone: None is the table's own."""
    players: dict[str, _Player] = {}
    evenings: dict[str, _Evening] = {}
    for row in reversed(games(query)):
        end = _end(query, row)
        if end is None:
            continue
        names = row.header.players
        evening = evenings.setdefault(_evening_of(row.started_ms, zone), _Evening())
        evening.games += 1
        winners = {names[seat] for seat in end["winners"]}
        for name in dict.fromkeys(names):
            players.setdefault(name, _Player()).games += 1
        for name in winners:
            players[name].wins += 1
            evening.wins[name] = evening.wins.get(name, 0) + 1
        if row.header.game == "piccolino":
            _count_rings(names, kept_game(query, row).in_force(), players, evening)
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


def _count_rings(
    names: tuple[str, ...], rulings: Iterable[RulingRow], players: Mapping[str, _Player], evening: _Evening
) -> None:
    """Count rings as `piccolino_stats` does: of a seat's rings for one pair only the first."""
    open_ms: float | None = None
    rang: set[int | None] = set()
    for row in rulings:
        data = row.data
        seat = data.get("seat")
        if data["ruling"] == "ring":
            open_ms, rang = (data.get("reaction_ms"), {seat}) if data["valid"] else (None, set())
            if seat is None:
                continue
            player = players[names[seat]]
            if data["valid"]:
                player.valid += 1
                _react(names[seat], open_ms, player, evening)
            else:
                player.false += 1
                evening.false[names[seat]] = evening.false.get(names[seat], 0) + 1
        elif data["ruling"] == "also_rang" and seat is not None and open_ms is not None and seat not in rang:
            rang.add(seat)
            players[names[seat]].too_late += 1
            _react(names[seat], open_ms + data["lag_ms"], players[names[seat]], evening)


def _react(name: str, reaction_ms: float | None, player: _Player, evening: _Evening) -> None:
    if reaction_ms is not None:
        player.reactions_ms.append(reaction_ms)
        evening.reactions_ms.setdefault(name, []).append(reaction_ms)


def _end(query: Query, row: GameRow) -> Mapping[str, Any] | None:
    """Give the ruling that ended a game, None if it did not come to its end."""
    if row.ended_ms is None:
        return None
    kept = kept_game(query, row).in_force()
    return next((ruling.data for ruling in reversed(kept) if ruling.data["ruling"] == "end"), None)


def _summary(row: GameRow, end: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        "id": str(row.game),
        "game": row.header.game,
        "players": list(row.header.players),
        "started": iso_time(row.started_ms),
        "ended": iso_time(row.ended_ms),
        "points": [] if end is None else list(end.get("points", end.get("cards", []))),
        "winners": [] if end is None else list(end["winners"]),
    }


def _rounds(rulings: Iterable[RulingRow]) -> list[dict[str, Any]]:
    """Give the points of each round of Confetti, by seat; other games have no rounds with points."""
    rounds: list[dict[str, Any]] = []
    for ruling in rulings:
        if ruling.data["ruling"] == "round":
            rounds.append({"number": ruling.data["number"], "points": []})
        elif ruling.data["ruling"] == "hand" and rounds:
            rounds[-1]["points"].append(ruling.data["points"])
    return rounds


def _corrections(kept: KeptGame, announcer: Announcer) -> list[dict[str, Any]]:
    undone = {one.undoes for one in kept.corrections if one.undoes is not None}
    told = []
    for one in kept.corrections:
        if one.event is None or one.undoes is not None:
            continue
        changed = [ruling for ruling in kept.rulings if ruling.since == one.number]
        texts = [text for ruling in changed if (text := announcer.say(ruling.data))]
        struck = [ruling for ruling in kept.rulings if ruling.until == one.number]
        texts = texts or [text for ruling in struck if (text := announcer.say(ruling.data))]
        told.append({"text": " ".join(texts[:3]), "at": iso_time(one.wall_ms), "undone": one.number in undone})
    return told


def _evening_of(wall_ms: int, zone: tzinfo | None) -> str:
    """Give the date on which an evening began: what is played until five in the morning belongs to the day before."""
    begun = datetime.fromtimestamp(wall_ms / 1000, UTC).astimezone(zone)
    return (begun - timedelta(hours=5)).date().isoformat()
