"""Sends rulings to the loudspeaker, the lamp and the caption; loud or quiet as the table's settings say.

A speaker or lamp that fails in any way blocks nobody: its fault is reported, and it is reopened after a while.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from hardware.lamp import Lamp, Signal, open_lamp
from hardware.problems import HardwareError, Health, Problem
from hardware.settings import SECOND
from hardware.speaker import NullSpeaker, Speaker, open_speaker
from hardware.voice import NOTES, Chime, SpeakerSettings, forget_phrases
from referee.announcer import Announcement, Announcer
from referee.engine.log import RulingData
from referee.match.settings import TableSettings

CAPTION_LETTERS = 140
"""Of two sentences: four lines on a small phone."""
MOST_SAID = 8
"""Number of the latest announcements kept for pages that speak."""
_CHIMES = {
    Signal.VALID: Chime.VALID,
    Signal.FALSE: Chime.FALSE,
    Signal.UNCLEAR: Chime.UNCLEAR,
    Signal.TIME_OVER: Chime.TIME,
}
FAULTS = (HardwareError, OSError, RuntimeError, ValueError)
AGAIN_NS = 5 * SECOND
OnHealth = Callable[[Problem], None]
TimeOfDay = Callable[[], tuple[int, int]]


class Voice:
    """Announces, shows and captions. Every method returns at once; safe to use from any thread.

    make_speaker, make_lamp: make them for the settings, and have them report their states. time_of_day: hour, minute.
    on_change: called at a new caption. said: the latest announcements, `{"number": counted from 1, "text", "urgent":
    whether it ends the present one, "chime": its notes before that, [Hz, ms] each}`, for pages that speak.
    """

    def __init__(
        self,
        make_speaker: Callable[[TableSettings, OnHealth], Speaker],
        make_lamp: Callable[[TableSettings, OnHealth], Lamp],
        settings: TableSettings,
        time_of_day: TimeOfDay,
        report: OnHealth,
        on_change: Callable[[], None],
    ) -> None:
        self._settings, self._time_of_day, self._on_change = settings, time_of_day, on_change
        self._lock = threading.Lock()
        self._speaker = _Kept("speaker", lambda on_health: make_speaker(self._settings, on_health), report)
        self._lamp = _Kept("lamp", lambda on_health: make_lamp(self._settings, on_health), report)
        self._phrases: tuple[str, ...] = ()
        self.caption = ""
        self.said: tuple[dict[str, Any], ...] = ()
        self._number = 0
        self.heed_the_hour()

    def rule(self, announcer: Announcer, rulings: Sequence[RulingData]) -> None:
        """Announce the rulings of one event."""
        chime = self._show(rulings)
        announcement = announcer.announce(rulings)
        if announcement is not None:
            self.announce(announcement, chime)

    def ask(self, announcer: Announcer, ruling: RulingData, question: str, *, urgent: bool = True) -> None:
        """Announce the verdict of a ruling that waits for an answer of the players, and ask for it."""
        chime = self._show([ruling])
        self.announce(Announcement((*announcer.sentences(ruling), question), urgent=urgent), chime)

    def announce(self, announcement: Announcement, chime: Chime | None = None) -> None:
        """Announce sentences, after a chime if there is one, and show them as the caption."""
        with self._lock:
            self.caption = _caption(announcement.sentences)
            if not self.is_quiet:
                self._number += 1
                text, notes = " ".join(announcement.sentences), () if chime is None else NOTES[chime]
                said = {"number": self._number, "text": text, "urgent": announcement.urgent, "chime": notes}
                self.said = (*self.said, said)[-MOST_SAID:]
                sentences, urgent = announcement.sentences, announcement.urgent
                self._speaker.use(lambda speaker: speaker.say(sentences, urgent=urgent, chime=chime))
        self._on_change()

    def tell(self, *sentences: str) -> None:
        """Announce something that can wait for the present announcement."""
        if sentences:
            self.announce(Announcement(sentences, urgent=False))

    def say_aloud(self, sentence: str) -> None:
        """Announce something at any hour, without caption and without pages: anybody may look at those."""
        with self._lock:
            self._speaker.use(lambda speaker: speaker.say((sentence,), urgent=False))

    def rest(self) -> None:
        """Go dark: no game is in play."""
        self.show(Signal.OFF)

    def show(self, signal: Signal) -> None:
        """Show a signal by the lamp alone."""
        self._lamp.use(lambda lamp: lamp.show(signal))

    def clear_caption(self, text: str) -> None:
        """Clear a caption if it is still the present one."""
        with self._lock:
            if self.caption != text or not text:
                return
            self.caption = ""
        self._on_change()

    def forget(self) -> None:
        """Clear the caption, and past, waiting and rendered announcements: a name may be in them."""
        with self._lock:
            self.caption, self.said, self._phrases = "", (), ()
            self._speaker.let_go()
            forget_phrases()
            self._speaker.open()
        self._on_change()

    def prepare(self, phrases: Sequence[str]) -> None:
        """Render phrases ahead that must be announced at once."""
        with self._lock:
            self._phrases = tuple(phrases)
            self._speaker.use(lambda speaker: speaker.prepare(self._phrases))

    def change(self, settings: TableSettings) -> None:
        """Change the settings."""
        with self._lock:
            before, self._settings = self._settings, settings
            if _heard_alike(before) != _heard_alike(settings):
                self._speaker.let_go()
                self._speaker.open()
        self.heed_the_hour()

    def fit_lamp(self) -> None:
        """Open the lamp with the present settings."""
        self._lamp.let_go()
        self._lamp.open()
        self.heed_the_hour()

    def heed_the_hour(self) -> None:
        """Mute or unmute by the time of day; to be called now and then."""
        quiet = self.is_quiet
        self._lamp.use(lambda lamp: lamp.mute(quiet))
        if quiet:
            self._speaker.use(lambda speaker: speaker.hush())

    def close(self) -> None:
        """Be silent and dark."""
        with self._lock:
            self._speaker.close()
        self._lamp.close()

    def _show(self, rulings: Sequence[RulingData]) -> Chime | None:
        """Show the lamp's signal for rulings, and return its chime."""
        signal = next((signal for ruling in rulings if (signal := signal_of(ruling)) is not None), None)
        if signal is None:
            return None
        self.show(signal)
        return _CHIMES.get(signal)

    @property
    def is_quiet(self) -> bool:
        """Return whether announcements are off now."""
        return self._settings.is_quiet_at(*self._time_of_day())


def _caption(sentences: Sequence[str]) -> str:
    """Return the first two sentences, or one where two are long: nobody reads more at a glance."""
    shown = sentences[: 2 if sum(map(len, sentences[:2])) <= CAPTION_LETTERS else 1]
    return " ".join(shown) + (" …" if len(shown) < len(sentences) else "")


def _heard_alike(settings: TableSettings) -> tuple[object, ...]:
    """Return the settings with which a loudspeaker is opened."""
    return settings.language, settings.volume, settings.loudspeaker


def signal_of(ruling: RulingData) -> Signal | None:
    """Return the lamp's signal for a ruling, None if it does not change."""
    match ruling["ruling"]:
        case "ring":
            return Signal.VALID if ruling["valid"] else Signal.FALSE
        case "unclear":
            return Signal.UNCLEAR
        case "foul":
            return Signal.FALSE
        case "round":
            return Signal.TIME_RUNNING
        case "time":
            return Signal.TIME_OVER
        case "end":
            return Signal.OFF
        case _:
            return None


class _Closable(Protocol):
    def close(self) -> None:
        """Let it go."""


Device = TypeVar("Device", bound=_Closable)


class _Kept(Generic[Device]):
    """A device by its name, and its opener. Safe to use from any thread.

    One that fails in any way is closed, and opened again at its next use after a while.
    """

    def __init__(self, name: str, opener: Callable[[OnHealth], Device], on_health: OnHealth) -> None:
        self._name, self._opener, self._on_health = name, opener, on_health
        self._lock = threading.RLock()
        self._failed_ns: int | None = None
        self._device: Device | None = None
        self._missing = self._closed = False
        self.open()

    def open(self) -> None:
        """Open the device with the present settings, unless it is open."""
        with self._lock:
            self._failed_ns = None
            self.use(lambda device: None)

    def use(self, work: Callable[[Device], object]) -> None:
        """Do some work with the device; nothing while it has just failed."""
        with self._lock:
            now_ns = time.monotonic_ns()
            if self._closed or (self._failed_ns is not None and now_ns - self._failed_ns < AGAIN_NS):
                return
            try:
                device = self._opened()
                if device is not None:
                    work(device)
            except FAULTS as error:
                why = " ".join(str(error).split())[:200]
                self._on_health(Problem(self._name, Health.MISSING, why, t_ns=now_ns))
                device = None
            if device is None:
                self._failed_ns = time.monotonic_ns()
                self.let_go()
            elif self._failed_ns is not None:
                self._failed_ns = None
                self._on_health(Problem(self._name, Health.OK, t_ns=now_ns))

    def let_go(self) -> None:
        """Close the device; the next use opens it again."""
        with self._lock:
            device, self._device = self._device, None
            if device is not None:
                with contextlib.suppress(*FAULTS):
                    device.close()

    def close(self) -> None:
        """Close the device for good."""
        with self._lock:
            self._closed = True
            self.let_go()

    def _opened(self) -> Device | None:
        """Return the device; None if it reports itself missing: such a device does nothing."""
        if self._device is None:
            self._missing = False
            self._device = self._opener(self._report)
        return None if self._missing else self._device

    def _report(self, health: Problem) -> None:
        self._missing = self._missing or (self._device is None and health.state is not Health.OK)
        self._on_health(health)


def default_speaker(settings: TableSettings, on_health: OnHealth) -> Speaker:
    """Return the loudspeaker of the settings."""
    if not settings.loudspeaker:
        return NullSpeaker()
    return open_speaker(SpeakerSettings(language=settings.language, volume=settings.volume), on_health)


def default_lamp(settings: TableSettings, on_health: OnHealth) -> Lamp:
    """Return the lamp of the settings."""
    return open_lamp(settings.lamp_settings(), on_health=on_health)
