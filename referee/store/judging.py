"""Replays games by their events: those from other people's files, and those of a damaged journal. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from referee.engine.log import CorrectionRow
from referee.engine.session import Judge, Judged, judge_all
from referee.games.registry import game_kind
from referee.store.games import KeptGame, RulingRow

_MOST_JUDGED = 200_000
"""Number of events replayed to find a game's changes by corrections."""


def judged_now(kept: KeptGame, corrections: Sequence[CorrectionRow] | None = None) -> Judged:
    """Return the rulings on a game's events; corrections: only these count.

    Raises:
        BadInputError: there is no such game, or it cannot be played like that.
    """
    judge = Judge(game_kind(kept.row.header.game).start(kept.row.header))
    events = ((row.number, row.event) for row in kept.events)
    return judge_all(judge, events, kept.corrections if corrections is None else corrections)


def judged_again(kept: KeptGame) -> KeptGame:
    """Return a game with the rulings on its events, before and after each correction.

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
