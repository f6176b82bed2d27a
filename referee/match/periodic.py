"""Does periodic work between two inputs: devices and disk, the hour, the caption, the sign of life."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hardware.problems import Health, Problem
from referee.games.kind import GameKind
from referee.games.registry import GAMES
from referee.match.announcements import TAKEN_BACK_AFTER_NS
from referee.match.monitor.mishaps import Mishap
from referee.match.process import Watchdog
from referee.phrases import phrase
from referee.sayings import service as sayings
from referee.sayings.mishaps import GUARD
from referee.store.recovery import FILES
from referee.store.store import Copying, Trouble

if TYPE_CHECKING:
    from referee.match.referee import Referee

SECOND_NS = 1_000_000_000
SAID_AFTER_NS = 10 * SECOND_NS
"""The least time of a trouble, in all, before it is announced."""
_NEVER = GUARD + Mishap.CLOCK.value
_BY_BELL = frozenset({"bell", GUARD + Mishap.PACE.value})
CAPTION_NS = 8 * SECOND_NS
HOUR_CHECK_NS = 20 * SECOND_NS
RETRY_NS = 5 * SECOND_NS
NOTICE_NS = SECOND_NS // 4


class PeriodicWork:
    """Called by the referee's thread after each round. news: set when a device's state has changed."""

    def __init__(self, referee: Referee, watchdog: Watchdog, news: threading.Event) -> None:
        self._referee, self._store, self._watchdog, self._news = referee, referee.store, watchdog, news
        self._notices = Notices()
        self._noticed_ns = self._hour_ns = self._tried_ns = 0
        self._trouble: Trouble | None = None
        self._caption: tuple[str, int] = ("", 0)
        self._copying = Copying(self._store)

    def tend(self, now_ns: int) -> None:
        """Do everything that is due."""
        self._see_to_store(now_ns)
        if self._news.is_set():
            self._news.clear()
            self._referee.changed()
        if now_ns - self._noticed_ns >= NOTICE_NS:
            self._noticed_ns = now_ns
            self._give_notice(now_ns)
        self._see_to_caption(now_ns)
        self._copying.tend(now_ns, in_play=self._referee.match.in_play)
        if now_ns - self._hour_ns > HOUR_CHECK_NS:
            self._hour_ns = now_ns
            self._referee.voice.heed_the_hour()
        self._watchdog.round_done(now_ns)

    def _give_notice(self, now_ns: int) -> None:
        """Announce troubles that matter now and have lasted; the page always shows all of them."""
        with self._referee.lock:
            session = self._referee.match.session
            kind = None if session is None or session.over else GAMES[session.header.game]
        board = {health.part: health for health in self._referee.health.snapshot()}
        states = {name: health.state for name, health in board.items()}
        begun, ended = self._notices.take(states, lambda name: matters_to(name, kind), now_ns)
        language = self._referee.language
        for name in begun:
            self._say(sayings.problem(board[name], language))
        for name in ended:
            self._say(sayings.works_again(name, language))

    def _say(self, sentence: str) -> None:
        if sentence:
            self._referee.voice.tell(sentence)

    def _see_to_store(self, now_ns: int) -> None:
        if self._store.trouble is not None and now_ns - self._tried_ns > RETRY_NS:
            self._tried_ns = now_ns
            if self._store.trouble is Trouble.FULL:
                self._referee.evidence.thin()
            self._store.flush()
        trouble = self._store.trouble
        if trouble is self._trouble:
            return
        self._trouble = trouble
        if trouble is None:
            self._referee.health.report(Problem("journal", Health.OK, t_ns=now_ns))
            if self._referee.match.session is None:
                self._referee.resume()
        else:
            sentence = phrase(f"service.journal.{trouble.value}")
            self._referee.health.report(Problem("journal", Health.STUCK, sentence, t_ns=now_ns))
        self._news.set()

    def _see_to_caption(self, now_ns: int) -> None:
        caption = self._referee.voice.caption
        if caption != self._caption[0]:
            self._caption = (caption, now_ns)
        elif caption and now_ns - self._caption[1] > CAPTION_NS:
            self._referee.voice.clear_caption(caption)


@dataclass
class _Trouble:
    """here_ns: how long it lasted in all. well_ns: since when it is away, None while it is there."""

    here_ns: int = 0
    well_ns: int | None = None
    said: bool = False


class Notices:
    """Hysteresis for announced troubles of devices and mishaps: a trouble that comes and goes is one trouble."""

    def __init__(self) -> None:
        self._known: dict[str, _Trouble] = {}
        self._took_ns = 0

    def take(
        self, states: Mapping[str, Health], matters: Callable[[str], bool], now_ns: int
    ) -> tuple[list[str], list[str]]:
        """Take the states by name; return names to announce now and names that work again.

        matters: returns whether a name's trouble matters now; other troubles are announced as soon as they do.
        """
        passed_ns, self._took_ns = now_ns - self._took_ns, now_ns
        begun, ended = [], []
        self._known = {name: one for name, one in self._known.items() if name in states}
        for name, state in states.items():
            one = self._known.get(name)
            if one is not None and one.well_ns is None:
                one.here_ns += passed_ns
            if state is not Health.OK:
                one = self._known.setdefault(name, _Trouble())
                one.well_ns = None
                if one.here_ns >= SAID_AFTER_NS and not one.said and matters(name):
                    one.said = True
                    begun.append(name)
            elif one is not None:
                one.well_ns = now_ns if one.well_ns is None else one.well_ns
                if now_ns - one.well_ns >= TAKEN_BACK_AFTER_NS:
                    del self._known[name]
                    ended += [name] if one.said and matters(name) else []
        return begun, ended


def matters_to(name: str, kind: GameKind | None) -> bool:
    """Return whether a device or a mishap is announced in a game of this kind; None: no game.

    Files that were set aside are announced once at the start, and listed on the page. At night in an empty room nobody
    wants to hear that it is dark.
    """
    if name in (_NEVER, FILES) or (kind is None and name.startswith(GUARD)):
        return False
    part = name if name.startswith(GUARD) else name.split()[0]
    if kind is None:
        return True
    return ("bell" in kind.devices) if part in _BY_BELL else part != "sandtimer" or part in kind.devices
