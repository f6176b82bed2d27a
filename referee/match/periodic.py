"""Does periodic work between two inputs: devices and disk, the hour, the caption, the sign of life."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from hardware.problems import Health, Problem
from referee.games.registry import game_kind
from referee.match.announcements import Notices, matters_to
from referee.match.process import Watchdog
from referee.phrases import phrase
from referee.sayings import service as sayings
from referee.store.store import Trouble
from referee.store.upkeep import Copying

if TYPE_CHECKING:
    from referee.match.referee import Referee

SECOND_NS = 1_000_000_000
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
            kind = None if session is None or session.over else game_kind(session.header.game)
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
