"""What is seen to between two inputs: how devices and disk are, the hour, the caption, the sign of life."""

from __future__ import annotations

import threading
from collections.abc import Callable

from hardware.problems import Health, HealthBoard, Problem
from referee.games.registry import game_kind
from referee.journal.evidence import EvidenceFolder
from referee.journal.journal import Journal
from referee.journal.trouble import Trouble
from referee.phrases import phrase
from referee.sayings import service as sayings
from referee.service.copying import Copying
from referee.service.game_controller import GameController
from referee.service.notices import Notices, matters_to
from referee.service.watchdog import Watchdog

SECOND_NS = 1_000_000_000
CAPTION_NS = 8 * SECOND_NS
HOUR_CHECK_NS = 20 * SECOND_NS
RETRY_NS = 5 * SECOND_NS
NOTICE_NS = SECOND_NS // 4


class Housekeeping:
    """Called by the referee's thread after each round.

    news: set when a device is otherwise than before. on_change: makes the page's state anew.
    """

    def __init__(
        self,
        controller: GameController,
        health: HealthBoard,
        evidence: EvidenceFolder,
        watchdog: Watchdog,
        news: threading.Event,
        on_change: Callable[[], None],
    ) -> None:
        self._controller = controller
        self._journal: Journal = controller.journal
        self._health = health
        self._evidence = evidence
        self._watchdog = watchdog
        self._on_change = on_change
        self._news = news
        self._notices = Notices()
        self._noticed_ns = 0
        self._trouble: Trouble | None = None
        self._caption: tuple[str, int] = ("", 0)
        self._copying = Copying(self._journal)
        self._hour_ns = 0
        self._tried_ns = 0

    def tend(self, now_ns: int) -> None:
        """See to everything that is due."""
        self._see_to_journal(now_ns)
        if self._news.is_set():
            self._news.clear()
            self._on_change()
        if now_ns - self._noticed_ns >= NOTICE_NS:
            self._noticed_ns = now_ns
            self._give_notice(now_ns)
        self._see_to_caption(now_ns)
        self._copying.tend(now_ns, in_play=self._controller.in_play)
        if now_ns - self._hour_ns > HOUR_CHECK_NS:
            self._hour_ns = now_ns
            self._controller.voice.heed_the_hour()
        self._watchdog.round_done(now_ns)

    def _give_notice(self, now_ns: int) -> None:
        """Say aloud what has lasted of the troubles that matter now; the page shows all of them all the time."""
        with self._controller.lock:
            play = self._controller.play
            kind = None if play is None or play.over else game_kind(play.header.game)
        board = {health.part: health for health in self._health.snapshot()}
        states = {name: health.state for name, health in board.items()}
        begun, ended = self._notices.take(states, lambda name: matters_to(name, kind), now_ns)
        language = self._controller.language
        for name in begun:
            self._say(sayings.problem(board[name], language))
        for name in ended:
            self._say(sayings.works_again(name, language))

    def _say(self, sentence: str) -> None:
        if sentence:
            self._controller.voice.tell(sentence)

    def _see_to_journal(self, now_ns: int) -> None:
        if self._journal.trouble is not None and now_ns - self._tried_ns > RETRY_NS:
            self._tried_ns = now_ns
            if self._journal.trouble is Trouble.FULL:
                self._evidence.thin()
            self._journal.flush()
        trouble = self._journal.trouble
        if trouble is self._trouble:
            return
        self._trouble = trouble
        if trouble is None:
            self._health.report(Problem("journal", Health.OK, t_ns=now_ns))
            if self._controller.play is None:
                self._controller.resume()
        else:
            sentence = phrase(f"service.journal.{trouble.value}")
            self._health.report(Problem("journal", Health.STUCK, sentence, t_ns=now_ns))
        self._news.set()

    def _see_to_caption(self, now_ns: int) -> None:
        caption = self._controller.voice.caption
        if caption != self._caption[0]:
            self._caption = (caption, now_ns)
        elif caption and now_ns - self._caption[1] > CAPTION_NS:
            self._controller.voice.clear_caption(caption)
