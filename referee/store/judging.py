"""Games judged again from their events: those out of other people's files, and those of a damaged journal. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from referee.engine.corrections import CorrectionRow, corrected, corrected_events
from referee.engine.events import Event
from referee.engine.session import RulingData, Session
from referee.errors import BadInputError
from referee.games.registry import game_kind
from referee.store.games import OF_NO_GAME, KeptGame, RulingRow
from referee.watchers.by_hand import ByHandWatcher

_MOST_JUDGED = 200_000
"""So many events are judged to find out what a game's corrections changed."""

Judged = Mapping[int, tuple[RulingData, ...]]


def judge_rows(
    session: Session,
    events: Iterable[tuple[int, Event]],
    corrections: Iterable[CorrectionRow],
    wanted: int | None = None,
) -> Judged:
    """Give the rulings on numbered events, from the beginning, as the corrections have them.

    session: a new one of the game. Events that it cannot take, and pauses, are left out.

    Raises:
        BadInputError: the event `wanted` cannot be judged.
    """
    instead = corrected_events(corrections)
    judged: dict[int, tuple[RulingData, ...]] = {}
    for number, event in events:
        data = instead.get(number, {})
        if data is None or event.kind in OF_NO_GAME:
            continue
        try:
            judged[number] = session.restore([corrected(event, data) if data else event])
        except BadInputError:
            if number == wanted:
                raise
    return judged


def judged_now(kept: KeptGame, corrections: Sequence[CorrectionRow] | None = None) -> Judged:
    """Give the rulings that a game's events lead to; corrections: only these count.

    Raises:
        BadInputError: there is no such game, or it cannot be played like that.
    """
    session = Session(game_kind(kept.row.header.game).start(kept.row.header), ByHandWatcher())
    events = ((row.number, row.event) for row in kept.events)
    return judge_rows(session, events, kept.corrections if corrections is None else corrections)


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
