"""Takes up from the journal a game: the one that was being played when the referee ended, or a past one to correct."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from referee.engine.corrections import Place
from referee.engine.events import Header
from referee.engine.session import RulingData, Watcher
from referee.errors import BadInputError
from referee.journal.journal import Journal
from referee.journal.stored import game_numbered, kept_game, open_game
from referee.service.live_game import LiveGame
from referee.service.records import resumed_clock
from referee.watchers.by_hand import ByHandWatcher

MakeWatcher = Callable[[Header], Watcher]


def unfinished_game(
    journal: Journal, make_watcher: MakeWatcher, boot: str, clock: Callable[[], int]
) -> tuple[LiveGame, list[tuple[Place, RulingData]]] | None:
    """Give the game, and the rulings of it that nobody has heard yet; None if there was none.

    boot: names the start of the machine that `clock`, the monotonic one in ns, belongs to.

    Raises:
        ValueError, KeyError: it was written by another version, or changed by hand, and cannot be gone on with.
    """
    row = open_game(journal.read)
    if row is None:
        return None
    kept = kept_game(journal.read, row)
    if kept.lost.first_event is not None:
        raise BadInputError("error.service.not_all_that_happened_in")
    last_ns = max((event.event.t_ns for event in kept.events), default=0)
    fresh_clock = resumed_clock(row, last_ns, boot, clock())
    if fresh_clock is not row:
        journal.new_clock(row.game, fresh_clock.boot, fresh_clock.shift_ns)
    play = LiveGame(fresh_clock, make_watcher(row.header), journal, clock())
    return play, play.restore(replace(kept, row=fresh_clock))


def past_game(journal: Journal, game: int) -> LiveGame | None:
    """Give a game that is not on the table any more, to be corrected; None if there is none of this number.

    Raises:
        BadInputError: not all that happened in it can be read, or this version cannot play it.
    """
    journal.flush()
    row = game_numbered(journal.read, game)
    if row is None:
        return None
    kept = kept_game(journal.read, row)
    if kept.lost.first_event is not None:
        raise BadInputError("error.service.not_all_that_happened_in_that_game")
    play = LiveGame(row, ByHandWatcher(), journal)
    play.restore(kept)
    return play
