"""Runs a game over the entries of a recording: the same entries always give the same rulings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from referee.engine.eventlog import Entry, Fault
from referee.engine.events import Game, Ruling
from referee.errors import BadInputError


def judge(game: Game, entries: Iterable[Entry | Fault]) -> Iterator[Ruling | Fault]:
    """Give the rulings in order, and among them the faults: entries that were left out, and why.

    An entry is left out when it could not be read, when the game cannot take it, and when its time lies before
    that of the last entry taken: one clock never goes back.
    """
    last_t_ns = 0
    for entry in entries:
        if isinstance(entry, Fault):
            yield entry
            continue
        t_ns = entry.event.t_ns
        if t_ns < last_t_ns:
            yield Fault(entry.where, f'"t_ns" goes back, from {last_t_ns} to {t_ns}')
            continue
        try:
            rulings = game.apply(entry.event)
        except BadInputError as error:
            yield Fault(entry.where, str(error))
            continue
        last_t_ns = t_ns
        yield from rulings
