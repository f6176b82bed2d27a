"""Games judged again from their events: those out of other people's files, and those of a damaged journal. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from referee.engine.corrections import CorrectionRow
from referee.engine.session import Judge, Judged, judge_all
from referee.games.registry import game_kind
from referee.store.games import KeptGame, RulingRow

_MOST_JUDGED = 200_000
"""So many events are judged to find out what a game's corrections changed."""


def judged_now(kept: KeptGame, corrections: Sequence[CorrectionRow] | None = None) -> Judged:
    """Return the rulings that a game's events lead to; corrections: only these count.

    Raises:
        BadInputError: there is no such game, or it cannot be played like that.
    """
    judge = Judge(game_kind(kept.row.header.game).start(kept.row.header))
    events = ((row.number, row.event) for row in kept.events)
    return judge_all(judge, events, kept.corrections if corrections is None else corrections)


def judged_again(kept: KeptGame) -> KeptGame:
    """Give a game with the rulings that its events lead to, before and after each correction.

    Raises:
        BadInputError: there is no such game, or it cannot be played like that.
    """
    most = max(1, _MOST_JUDGED // (len(kept.events) + 1))
    steps = [*range(min(most, len(kept.corrections))), len(kept.corrections)]
    rows: dict[tuple[int, int, int], RulingRow] = {}
    before: Judged = {}
    for step in steps:
        after = judged_now(kept, kept.corrections[:step])
        held = {(one.event, one.place): key for key, one in rows.items() if one.until is None}
        for event in sorted({*before, *after}):
            was, now = before.get(event, ()), after.get(event, ())
            for place in range(max(len(was), len(now))):
                if was[place : place + 1] == now[place : place + 1]:
                    continue
                if place < len(was):
                    rows[held[event, place]] = replace(rows[held[event, place]], until=step)
                if place < len(now):
                    rows[event, place, step] = RulingRow(event, place, step, None, now[place])
        before = after
    return replace(kept, rulings=tuple(rows[key] for key in sorted(rows)))
