"""Upkeep of the store: forgetting games and players, nightly copies, the list of files that were set aside."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from itertools import count
from pathlib import Path

from hardware.problems import Health, HealthBoard, Problem
from referee.engine.events import Header
from referee.errors import BadInputError, WorkFailedError
from referee.files import name_kept, set_aside_files
from referee.language import Language
from referee.log import LOG
from referee.names import folded
from referee.phrases import phrase
from referee.sayings import kept as sayings
from referee.sayings.service import set_aside as said_of
from referee.store.disputed import DISPUTES
from referee.store.evidence import EvidenceFolder
from referee.store.games import Query, games
from referee.store.store import Store


def forget_game(journal: Store, evidence: EvidenceFolder, folder: Path, game: int) -> None:
    """Delete a game with its pictures and the kept files of its disputed rulings.

    Raises:
        WorkFailedError: the disk does not take it.
    """
    evidence.forget_game(game)
    for path in (folder / DISPUTES).glob(f"{game}-*"):
        with suppress(OSError):
            path.unlink()
    journal.delete_game(game)


def renamed(query: Query, name: str, called: str, language: Language) -> Mapping[int, Header]:
    """Return the headers of a player's games, by their numbers, with another name.

    Raises:
        BadInputError: nobody has this name, or the two have played against each other.
    """
    changes = {}
    for row in games(query):
        players = row.header.players
        if name not in players:
            continue
        others = [one for one in players if one != name]
        if folded(called) in map(folded, others):
            raise BadInputError("kept.and_have_played_against_each", name=name, other=called)
        changed = tuple(called if one == name else one for one in players)
        changes[row.game] = replace(row.header, players=changed)
    if not changes:
        raise BadInputError("kept.nobody_called_has_played_here", name=name)
    return changes


def forget_player(journal: Store, name: str, language: Language) -> int:
    """Replace a name by "Somebody" in all games, and return their number.

    Two who have played against each other and are both forgotten stay two: "Somebody 2".

    Raises:
        BadInputError: nobody has this name.
        WorkFailedError: the disk does not take it.
    """
    near = {folded(one) for row in games(journal.read) if name in row.header.players for one in row.header.players}
    aliases = (sayings.somebody(number, language) for number in count(1))
    called = next(alias for alias in aliases if folded(alias) not in near)
    changes = renamed(journal.read, name, called, language)
    journal.change_headers(changes)
    return len(changes)


SECOND_NS = 1_000_000_000
REST_NS = 60 * SECOND_NS
"""Time without writes and without a game: an evening may be over, and the power be switched off soon."""
NIGHT_NS, NIGHT_REST_NS = 20 * 3600 * SECOND_NS, 600 * SECOND_NS
"""A game that is never ended is copied once a day, too, while it rests."""


class Copying:
    """Makes copies; called by the referee's thread, on a thread of their own, as they may take seconds."""

    def __init__(self, journal: Store) -> None:
        self._journal = journal
        self._changes = -1
        self._changed_ns = 0
        self._tried_ns: int | None = None
        self._copied: int | None = None
        self._thread: threading.Thread | None = None

    def tend(self, now_ns: int, *, in_play: bool) -> None:
        """Begin a copy if one is due."""
        if self._journal.changes != self._changes:
            self._changes, self._changed_ns = self._journal.changes, now_ns
        if self._tried_ns is None:
            self._tried_ns = now_ns
        at_work = self._thread is not None and self._thread.is_alive()
        if self._changes == self._copied or not self._journal.is_open or at_work:
            return
        rested_ns = now_ns - self._changed_ns
        night = rested_ns > NIGHT_REST_NS and now_ns - self._tried_ns > NIGHT_NS
        if (rested_ns > REST_NS and not in_play) or night:
            self._copied, self._tried_ns = self._changes, now_ns
            self._thread = threading.Thread(target=self._copy, name="journal copy", daemon=True)
            self._thread.start()

    def _copy(self) -> None:
        try:
            self._journal.copy()
        except WorkFailedError as error:
            # The next change, or the next night, is another try.
            LOG.warning("%s", error)


FILES = "files"
"""The device under which the page lists them."""


def report_set_aside(folder: Path, journal: Store, health: HealthBoard) -> bool:
    """Report files that were set aside, and return whether any was not reported before."""
    found = set_aside_files(folder)
    known = next((one for one in health.troubles() if one.part == FILES), None)
    if not found:
        if known is not None:
            health.report(Problem(FILES, Health.OK, t_ns=time.monotonic_ns()))
        return False
    ((games,),) = journal.read("SELECT count(*) FROM games") or [(0,)]
    sentences = [said_of(name_kept(path), path.name, games) for path in found]
    listed = reduce(lambda before, one: phrase("common.sentences", first=before, second=one), sentences)
    if not health.report(Problem(FILES, Health.POOR, listed, t_ns=time.monotonic_ns())):
        return False
    LOG.warning("%s", listed)
    return True
