"""What is seen to between two inputs: how devices and disk are, the hour, the caption, the sign of life."""

from __future__ import annotations

import threading
from collections.abc import Callable

from hardware.health import DeviceHealth, Health, HealthBoard
from referee.journal.evidence import EvidenceFolder
from referee.journal.journal import Journal
from referee.journal.trouble import Trouble
from referee.sayings import service as sayings
from referee.sayings.guard import GUARD
from referee.service.copying import Copying
from referee.service.game_controller import GameController
from referee.service.set_aside import FILES
from referee.service.watchdog import Watchdog

SECOND_NS = 1_000_000_000
CAPTION_NS = 8 * SECOND_NS
HOUR_CHECK_NS = 20 * SECOND_NS
RETRY_NS = 5 * SECOND_NS
SAY_AGAIN_NS = 60 * SECOND_NS
"""The same trouble of the same device is not said aloud more often than this; the page shows it all the time."""


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
        self._told: dict[str, Health] = {}
        self._said_ns: dict[tuple[str, Health], int] = {}
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
            self._tell_devices(now_ns)
            self._on_change()
        self._see_to_caption(now_ns)
        self._copying.tend(now_ns, in_play=self._controller.in_play)
        if now_ns - self._hour_ns > HOUR_CHECK_NS:
            self._hour_ns = now_ns
            self._controller.voice.heed_the_hour()
            # What was not said again so soon, and has lasted since.
            self._tell_devices(now_ns)
        self._watchdog.round_done(now_ns)

    def _tell_devices(self, now_ns: int) -> None:
        # What the guard notices it says itself: at night in an empty room nobody wants to hear that it is dark.
        language = self._controller.language
        # What was set aside is said once, in few words: the page lists it.
        known = [
            health
            for health in self._health.snapshot()
            if not health.device.startswith(GUARD) and health.device != FILES
        ]
        for device in self._told.keys() - {health.device for health in known}:
            # It is there no more, since the table was set otherwise.
            del self._told[device]
        for health in known:
            key = (health.device, health.state)
            if health.state is Health.OK:
                if self._told.pop(health.device, None) is not None:
                    self._controller.voice.tell(sayings.device_works(health.device, language))
                continue
            lately = now_ns - self._said_ns.get(key, -SAY_AGAIN_NS) < SAY_AGAIN_NS
            if self._told.get(health.device) is not health.state and not lately:
                self._said_ns[key] = now_ns
                self._told[health.device] = health.state
                self._controller.voice.tell(sayings.device(health.device, health.state, health.message, language))

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
            self._health.report(DeviceHealth(now_ns, "journal", Health.OK))
            if self._controller.play is None:
                self._controller.resume()
        else:
            sentence = sayings.journal_trouble(trouble.value, self._controller.language)
            self._health.report(DeviceHealth(now_ns, "journal", Health.STUCK, sentence))
        self._news.set()

    def _see_to_caption(self, now_ns: int) -> None:
        caption = self._controller.voice.caption
        if caption != self._caption[0]:
            self._caption = (caption, now_ns)
        elif caption and now_ns - self._caption[1] > CAPTION_NS:
            self._controller.voice.clear_caption(caption)
