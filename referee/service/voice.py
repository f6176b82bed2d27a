"""The announcer at work: rulings to the loudspeaker, the lamp and the caption; loud or quiet as the table wants it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from hardware.lamp import Lamp, Signal
from hardware.speaker import Speaker
from hardware.voice import NOTES, Chime, forget_phrases
from referee.announcer import Announcement, Announcer
from referee.engine.session import RulingData
from referee.service.bus import Bus, StateChanged
from referee.service.settings import TableSettings

CAPTION_LETTERS = 140
"""Of two sentences: four lines on a small phone."""
MOST_SAID = 8
"""So many of the latest announcements are kept for pages that speak."""
_CHIMES = {
    Signal.VALID: Chime.VALID,
    Signal.FALSE: Chime.FALSE,
    Signal.UNCLEAR: Chime.UNCLEAR,
    Signal.TIME_OVER: Chime.TIME,
}
TimeOfDay = Callable[[], tuple[int, int]]


class Voice:
    """Says, shows and captions. Every method returns at once; safe to use from any thread.

    open_speaker: gives a loudspeaker for the settings; again when language or volume change. time_of_day: hour, minute.
    bus: told when the caption is another one. said: what was said last, `{"number": counted from 1, "text",
    "urgent": whether it ends what is being said, "chime": its notes before that, [Hz, ms] each}`, for pages that speak.
    """

    def __init__(
        self,
        open_speaker: Callable[[TableSettings], Speaker],
        lamp: Lamp,
        settings: TableSettings,
        time_of_day: TimeOfDay,
        bus: Bus | None = None,
    ) -> None:
        self._open_speaker = open_speaker
        self._lamp = lamp
        self._settings = settings
        self._time_of_day = time_of_day
        self._bus = bus or Bus()
        self._lock = threading.Lock()
        self._speaker = open_speaker(settings)
        self._phrases: tuple[str, ...] = ()
        self.caption = ""
        self.said: tuple[dict[str, Any], ...] = ()
        self._number = 0
        self.heed_the_hour()

    def rule(self, announcer: Announcer, rulings: Sequence[RulingData]) -> None:
        """Announce what one event led to."""
        chime = self._show(rulings)
        announcement = announcer.announce(rulings)
        if announcement is not None:
            self.announce(announcement, chime)

    def ask(self, announcer: Announcer, ruling: RulingData, question: str, *, urgent: bool = True) -> None:
        """Say how a ruling stands that waits for an answer of the players', and ask for it."""
        chime = self._show([ruling])
        self.announce(Announcement((*announcer.sentences(ruling), question), urgent=urgent), chime)

    def announce(self, announcement: Announcement, chime: Chime | None = None) -> None:
        """Say sentences, after a chime if there is one, and show them as the caption."""
        with self._lock:
            self.caption = _caption(announcement.sentences)
            if not self.is_quiet:
                self._number += 1
                text, notes = " ".join(announcement.sentences), () if chime is None else NOTES[chime]
                said = {"number": self._number, "text": text, "urgent": announcement.urgent, "chime": notes}
                self.said = (*self.said, said)[-MOST_SAID:]
                self._speaker.say(announcement.sentences, urgent=announcement.urgent, chime=chime)
        self._bus.publish(StateChanged())

    def tell(self, *sentences: str) -> None:
        """Say something that can wait for what is being said."""
        if sentences:
            self.announce(Announcement(sentences, urgent=False))

    def say_aloud(self, sentence: str) -> None:
        """Say something whatever the hour; it is no caption, and no page is told of it: anybody may look at those."""
        with self._lock:
            self._speaker.say((sentence,), urgent=False)

    def rest(self) -> None:
        """Go dark: no game is being played."""
        self._lamp.show(Signal.OFF)

    def show(self, signal: Signal) -> None:
        """Show something by the lamp alone."""
        self._lamp.show(signal)

    def clear_caption(self, text: str) -> None:
        """Take a caption away if it is still the one."""
        with self._lock:
            if self.caption != text or not text:
                return
            self.caption = ""
        self._bus.publish(StateChanged())

    def forget(self) -> None:
        """Take away the caption, what was said, is to be said and was rendered: a name may be in it."""
        with self._lock:
            self.caption, self.said, self._phrases = "", (), ()
            self._speaker.close()
            forget_phrases()
            self._speaker = self._open_speaker(self._settings)
        self._bus.publish(StateChanged())

    def prepare(self, phrases: Sequence[str]) -> None:
        """Render ahead what will be wanted at once."""
        with self._lock:
            self._phrases = tuple(phrases)
            self._speaker.prepare(self._phrases)

    def change(self, settings: TableSettings) -> None:
        """Take other settings."""
        with self._lock:
            before, self._settings = self._settings, settings
            if _heard_alike(before) != _heard_alike(settings):
                self._speaker.close()
                self._speaker = self._open_speaker(settings)
        self.heed_the_hour()

    def heed_the_hour(self) -> None:
        """Be quiet, or not any more, as the time of day asks; to be called now and then."""
        quiet = self.is_quiet
        self._lamp.mute(quiet)
        if quiet:
            self._speaker.hush()

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is to be said now."""
        return self._settings.is_quiet_at(*self._time_of_day())

    def close(self) -> None:
        """Be silent and dark."""
        with self._lock:
            self._speaker.close()
        self._lamp.close()

    def _show(self, rulings: Sequence[RulingData]) -> Chime | None:
        """Show what the lamp has for rulings, and give the chime that goes with it."""
        signal = next((signal for ruling in rulings if (signal := signal_of(ruling)) is not None), None)
        if signal is None:
            return None
        self._lamp.show(signal)
        return _CHIMES.get(signal)


def _caption(sentences: Sequence[str]) -> str:
    """Give the first two sentences, or one where two are long: nobody reads more at a glance."""
    shown = sentences[: 2 if sum(map(len, sentences[:2])) <= CAPTION_LETTERS else 1]
    return " ".join(shown) + (" …" if len(shown) < len(sentences) else "")


def _heard_alike(settings: TableSettings) -> tuple[object, ...]:
    """Give what a loudspeaker is opened by."""
    return settings.language, settings.volume, settings.loudspeaker


def signal_of(ruling: RulingData) -> Signal | None:
    """Give what the lamp shows for a ruling, None if it stays as it is."""
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
