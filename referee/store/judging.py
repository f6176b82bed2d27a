"""Games out of a file, judged again: what is told of them is what their events lead to, whatever rulings stand there.

So a ruling that was damaged or made up is never told, and each that is told has the shape that its game gives it. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from referee.engine.corrections import CorrectionRow
from referee.engine.session import Judge, Judged, RulingData, judge_all
from referee.errors import BadInputError
from referee.games.registry import game_kind
from referee.store.games import KeptGame, RulingRow

_MOST_JUDGED = 200_000
"""So many events are judged to find out what a game's corrections changed."""


class Trouble(Enum):
    """What is wrong with a game that was kept."""

    UNJUDGED = "unjudged"
    """It cannot be judged: no such game, or not like that."""
    PARTLY = "partly"
    """Some of its events cannot be read: what is told goes up to there, but for its end."""
    OTHERWISE = "otherwise"
    """Its events lead to another result than was kept."""
    JUDGED_AGAIN = "judged_again"
    """Rulings cannot be read, and are those that its events lead to."""


@dataclass(frozen=True)
class Checked:
    """A game with the rulings that its events lead to, and what is wrong with what was kept, None if nothing is.

    end: the ruling that ended it, None if none did.
    """

    kept: KeptGame
    trouble: Trouble | None = None
    end: Mapping[str, Any] | None = None


def checked(kept: KeptGame, *, past: bool = False) -> Checked:
    """Give a game with the rulings that its events lead to; past: with those, too, that corrections took back."""
    try:
        judged = _judged(kept, kept.corrections)
    except BadInputError:
        return _without_events(replace(kept, rulings=()), Trouble.UNJUDGED, _stored_end(kept))
    told = replace(kept, rulings=_rulings(kept, judged, past))
    if kept.lost.first_event is not None:
        return _without_events(told, Trouble.PARTLY, _stored_end(kept))
    end = _last_end(data for number in sorted(judged) for data in judged[number])
    if kept.row.closed and _result(end) != _result(_last_end(row.data for row in kept.in_force())):
        # Where the ruling on the end cannot be read, nothing says that there was another result.
        trouble = Trouble.JUDGED_AGAIN if kept.lost.rows else Trouble.OTHERWISE
        return Checked(told, trouble, end)
    return Checked(told, Trouble.JUDGED_AGAIN if kept.lost.rows else None, end)


def _without_events(told: KeptGame, trouble: Trouble, end: RulingRow | None) -> Checked:
    """Give a game of which not all events are known: its end is believed if it is one that such a game can have."""
    known = _last_end(row.data for row in told.rulings)
    if known is not None or end is None:
        return Checked(told, trouble, known)
    return Checked(replace(told, rulings=(*told.rulings, end)), trouble, end.data)


def _judged(kept: KeptGame, corrections: Sequence[CorrectionRow]) -> Judged:
    judge = Judge(game_kind(kept.row.header.game).start(kept.row.header))
    first = kept.lost.first_event
    events = ((row.number, row.event) for row in kept.events if first is None or row.number < first)
    return judge_all(judge, events, corrections)


def _rulings(kept: KeptGame, judged: Judged, past: bool) -> tuple[RulingRow, ...]:
    """Give the rulings that hold, since when they do as far as that is known, and those that held before."""
    since = {(row.event, row.place): row for row in kept.in_force()}
    rulings = []
    for number in sorted(judged):
        for place, data in enumerate(judged[number]):
            row = since.get((number, place))
            known = row is not None and _alike(row.data, data)
            rulings.append(RulingRow(number, place, row.since if row is not None and known else 0, None, data))
    if past and kept.corrections:
        rulings += _past(kept)
    return tuple(sorted(rulings, key=lambda row: (row.event, row.place, row.since)))


def _past(kept: KeptGame) -> list[RulingRow]:
    """Give the rulings that corrections took back, as far as the events lead to them before some correction."""
    most = max(1, _MOST_JUDGED // (len(kept.events) + 1))
    states = [_judged(kept, kept.corrections[:count]) for count in range(min(most, len(kept.corrections)))]
    found = []
    for row in kept.rulings:
        if row.until is None:
            continue
        judged = (data for state in states for data in state.get(row.event, ())[row.place : row.place + 1])
        data = next((data for data in judged if _alike(data, row.data)), None)
        if data is not None:
            found.append(replace(row, data=data))
    return found


def _alike(one: RulingData, other: RulingData) -> bool:
    """Whether two rulings are the same but for the picture that they were judged on."""
    return {**one, "frame_t_ns": None} == {**other, "frame_t_ns": None}


def _last_end(rulings: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    found = None
    for data in rulings:
        if data["ruling"] == "end":
            found = data
    return found


def _result(end: Mapping[str, Any] | None) -> object:
    """Give what people remember of a game's end."""
    return None if end is None else (end.get("winners"), end.get("points", end.get("cards")))


def _stored_end(kept: KeptGame) -> RulingRow | None:
    """Give the ruling on the end that was kept, if it is one that such a game can have."""
    row = next((row for row in reversed(kept.in_force()) if row.data["ruling"] == "end"), None)
    if row is None:
        return None
    key = "points" if "points" in row.data else "cards"
    totals, winners = row.data.get(key), row.data.get("winners")
    if not isinstance(totals, list) or not all(type(total) is int and abs(total) < 10_000 for total in totals):
        return None
    if len(totals) != len(kept.row.header.players):
        return None
    if winners != [seat for seat, total in enumerate(totals) if total == max(totals)]:
        return None
    return replace(row, data={"ruling": "end", "t_ns": row.data["t_ns"], "winners": winners, key: totals})
