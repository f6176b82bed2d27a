"""Announces rulings, questions, corrections and instructions, each once: by loudspeaker, lamp and caption.

Speaker and lamp never block and never raise. One that could not be opened is tried again now and then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hardware.lamp import Lamp, NullLamp, Signal, open_lamp
from hardware.problems import Health, Problem
from hardware.settings import SECOND
from hardware.speaker import NullSpeaker, Speaker, open_speaker
from hardware.voice import NOTES, Chime, SpeakerSettings, forget_phrases
from referee.announcer import URGENT, Announcement, Announcer
from referee.engine.events import Event, Question
from referee.engine.log import Change, RulingData, RulingRow, announced
from referee.engine.session import Notice, Session
from referee.jsonlines import to_line
from referee.log import LOG
from referee.match.settings import TableSettings
from referee.sayings import service as sayings

if TYPE_CHECKING:
    from referee.match.devices import Parts

CAPTION_LETTERS = 140
"""Of two sentences: four lines on a small phone."""
MOST_SAID = 8
"""Number of the latest announcements kept for pages that speak."""
TAKEN_BACK_AFTER_NS = 30 * SECOND
"""The least time of a trouble's absence before its end is announced, and its return is another trouble."""
REMIND_NS = 2 * SECOND
"""Longer than the lock-out: a ring that comes sooner belongs to the one in question."""
CAPTION_NS, HOUR_CHECK_NS = 8 * SECOND, 20 * SECOND
_CHIMES = {
    Signal.VALID: Chime.VALID,
    Signal.FALSE: Chime.FALSE,
    Signal.UNCLEAR: Chime.UNCLEAR,
    Signal.TIME_OVER: Chime.TIME,
}
_SIGNALS = {
    "unclear": Signal.UNCLEAR,
    "foul": Signal.FALSE,
    "round": Signal.TIME_RUNNING,
    "time": Signal.TIME_OVER,
    "end": Signal.OFF,
}
_OF_THE_TABLE = frozenset({"no_table", "two_markers", "camera_moved", "mirrored"})
_DECIDES = URGENT | {"hand"}
_OF_SPEAKER = ("language", "volume", "loudspeaker")
"""The settings with which a loudspeaker is opened."""
OnHealth = Callable[[Problem], None]


class Announcements:
    """Announces, shows and captions. Every method returns at once.

    The referee's lock guards rulings, questions, corrections and notices; everything else is safe from any thread.

    parts: make speaker and lamp, which report their states, and give clock and time of day. on_change: called at a new
    caption. is_quiet: whether announcements are off now. said: the latest announcements, `{"number": counted from 1,
    "text", "urgent": whether it ends the present one, "chime": its notes before that, [Hz, ms] each}`, for pages that
    speak.
    """

    def __init__(self, parts: Parts, settings: TableSettings, report: OnHealth, on_change: Callable[[], None]) -> None:
        self._parts, self._settings, self._report, self._on_change = parts, settings, report, on_change
        self._lock = threading.Lock()
        self._speaker, self._lamp = parts.speaker(settings, report), parts.lamp(settings, report)
        self.caption, self._caption_before, self._caption_ns, self._hour_ns = "", "", 0, 0
        self.said: tuple[dict[str, Any], ...] = ()
        self._number = 0
        self._asked: tuple[int, str, RulingData] | None = None
        self._reminded = (0, 0)  # the ring that waits for a name, and the later ring of the last reminder
        self._noticed_ns: dict[str, int] = {}
        self.heed_the_hour()

    # The game

    def rule(self, announcer: Announcer, rulings: Sequence[RulingData]) -> None:
        """Announce rulings; of a ring whose verdict was announced with the question, only new parts."""
        for ruling in rulings:
            LOG.info("ruled: %s", to_line(dict(ruling)))
        known = {} if self._asked is None else self._asked[2]
        fresh = [ruling for ruling in rulings if not (known and _same_verdict(ruling, known))]
        said = announcer.announce(fresh)
        if said is None and len(fresh) < len(rulings):
            seat = next((ruling["seat"] for ruling in rulings if ruling not in fresh), None)
            self.speak(sayings.rang(announcer.players, seat, announcer.language))
            return
        chime = self._show(fresh)
        if said is not None:
            self.announce(said, chime)

    def resumed(self, announcer: Announcer, play: Session, unheard: Sequence[RulingRow]) -> None:
        """Announce that a game goes on, with the last ruling heard, all unheard ones, and the question."""
        if not play.over:
            heard = (announcer.say(row.data) for row in play.log.newest() if row not in unheard)
            self.speak(sayings.resumed(next(filter(None, heard), ""), announcer.language))
        self.prepare(announcer.fixed_phrases())
        if unheard:
            self.rule(announcer, [row.data for row in unheard])
        self.ask(announcer, play.question)

    def ask(
        self, announcer: Announcer, question: Question | None, *, urgent: bool = True, heard: Sequence[Event] = ()
    ) -> bool:
        """Ask the players once; the verdict of a ring need not wait for its ringer's name.

        heard: the newest events; a ring that waits for that name is not met with silence.
        """
        is_who_rang = question is not None and question.kind == "who_rang"
        asked = None if question is None else (question.t_ns, question.kind, question.ruling)
        if asked == self._asked:
            rings_ns = [event.t_ns for event in heard if event.kind == "bell"]
            if question is not None and is_who_rang and rings_ns:
                self._remind(announcer, question.t_ns, rings_ns[-1])
            return False
        self._asked = asked
        if question is None or not is_who_rang:
            return False
        said = (*announcer.sentences(question.ruling), announcer.language.text("service.who_rang"))
        self.announce(Announcement(said, urgent=urgent), self._show([question.ruling]))
        return True

    def _remind(self, announcer: Announcer, about_ns: int, ring_ns: int) -> None:
        """Announce that a ring waits for the name of the one before it."""
        asked_ns, last_ns = self._reminded
        if ring_ns - (last_ns if asked_ns == about_ns else about_ns) > REMIND_NS:
            self._reminded = about_ns, ring_ns
            self.speak(announcer.language.text("service.this_ring_waits_please_tap"))

    def corrected(
        self, announcer: Announcer, change: Change, question: Question | None, *, undone: bool, past: bool = False
    ) -> None:
        """Announce the changes of rulings by a correction or its undoing, or a ring that waits for a name.

        question: that of the game on the table. past: the correction is of a past game.
        """
        gone, new = announced(change, announcer.say)
        LOG.info("%s: %d rulings gone, %d new", "correction undone" if undone else "corrected", len(gone), len(new))
        if not past and not gone and not new and self.ask(announcer, question):
            return
        before = (announcer.language.text("service.earlier_game_was_corrected"),) if past else ()
        self.speak(*before, *_what_changed(announcer, change, gone, new, undone=undone))
        if not past:
            self.ask(announcer, question, urgent=False)

    def notice(self, announcer: Announcer, notices: Sequence[Notice]) -> tuple[dict[str, Any], ...]:
        """Announce instructions to the players, and return them for the page."""
        shown, spoken = list[dict[str, Any]](), list[str]()
        for one in notices:
            text = sayings.notice(one.kind, one.seat, one.data, announcer.players, announcer.language)
            if text:
                shown.append({"text": text, "seat": one.seat})
                if self._is_new(text, one):
                    spoken.append(text)
        self.speak(*spoken)
        return tuple(shown)

    def _is_new(self, text: str, notice: Notice) -> bool:
        """Return whether a notice is announced: recurring ones about the whole table are announced once."""
        if notice.kind not in _OF_THE_TABLE:
            return True
        before, self._noticed_ns[text] = self._noticed_ns.get(text), notice.t_ns
        return before is None or not 0 <= notice.t_ns - before < TAKEN_BACK_AFTER_NS

    # Sound and light

    def announce(self, announcement: Announcement, chime: Chime | None = None) -> None:
        """Announce sentences, after a chime if there is one, and show them as the caption."""
        sentences, urgent = announcement.sentences, announcement.urgent
        with self._lock:
            self.caption = _caption(sentences)
            if not self.is_quiet:
                self._number += 1
                notes = () if chime is None else NOTES[chime]
                said = {"number": self._number, "text": " ".join(sentences), "urgent": urgent, "chime": notes}
                self.said = (*self.said, said)[-MOST_SAID:]
                self._speaker.say(sentences, urgent=urgent, chime=chime)
        self._on_change()

    def speak(self, *sentences: str) -> None:
        """Announce something that can wait for the present announcement; nothing without a sentence."""
        if any(sentences):
            self.announce(Announcement(sentences, urgent=False))

    def say_aloud(self, sentence: str) -> None:
        """Announce something at any hour, without caption and without pages: anybody may look at those."""
        with self._lock:
            self._speaker.say((sentence,), urgent=False)

    def show(self, signal: Signal) -> None:
        """Show a signal by the lamp alone."""
        self._lamp.show(signal)

    def tend(self, now_ns: int) -> None:
        """Clear a caption that was shown for long enough, and heed the hour; to be called often."""
        with self._lock:
            if self.caption != self._caption_before:
                self._caption_before, self._caption_ns = self.caption, now_ns
            is_over = self.caption != "" and now_ns - self._caption_ns > CAPTION_NS
            self.caption = "" if is_over else self.caption
        if is_over:
            self._on_change()
        if now_ns - self._hour_ns > HOUR_CHECK_NS:
            self._hour_ns = now_ns
            self._open_missing(now_ns)
            self.heed_the_hour()

    def forget(self) -> None:
        """Clear the caption, and past, waiting and rendered announcements: a name may be in them."""
        with self._lock:
            self.caption, self.said = "", ()
            self._speaker.close()
            forget_phrases()
            self._speaker = self._parts.speaker(self._settings, self._report)
        self._on_change()

    def prepare(self, phrases: Sequence[str]) -> None:
        """Render phrases ahead that must be announced at once."""
        with self._lock:
            self._speaker.prepare(phrases)

    def change(self, settings: TableSettings) -> None:
        """Change the settings."""
        with self._lock:
            before, self._settings = self._settings, settings
            if any(getattr(before, name) != getattr(settings, name) for name in _OF_SPEAKER):
                self._speaker.close()
                self._speaker = self._parts.speaker(settings, self._report)
            if before.lamp != settings.lamp:
                self._lamp.close()
                self._lamp = self._parts.lamp(settings, self._report)
        self.heed_the_hour()

    def _open_missing(self, now_ns: int) -> None:
        """Try the fitted devices that could not be opened: another program may have held the lamp's pins."""
        with self._lock:
            if isinstance(self._speaker, NullSpeaker) and self._settings.loudspeaker:
                self._speaker = self._parts.speaker(self._settings, self._report)
                if not isinstance(self._speaker, NullSpeaker):
                    self._report(Problem("speaker", Health.OK, t_ns=now_ns))
            if isinstance(self._lamp, NullLamp) and self._settings.lamp:
                self._lamp = self._parts.lamp(self._settings, self._report)
                if not isinstance(self._lamp, NullLamp):
                    self._report(Problem("lamp", Health.OK, t_ns=now_ns))

    def heed_the_hour(self) -> None:
        """Mute or unmute by the time of day."""
        self.is_quiet = self._settings.is_quiet_at(*self._parts.time_of_day())
        self._lamp.mute(self.is_quiet)
        if self.is_quiet:
            self._speaker.hush()

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


def _what_changed(
    announcer: Announcer, change: Change, gone: Sequence[RulingData], new: Sequence[RulingData], *, undone: bool
) -> tuple[str, ...]:
    """Return a correction's announcement: the first verdict that it changed, and the end of the game if it did."""
    language, before = announcer.language, {text for row in change.gone for text in announcer.sentences(row.data)}

    def verdict(ruling: RulingData) -> str:
        texts = announcer.sentences(ruling)
        return next((text for text in texts if text not in before), texts[0])

    if not gone and not new:
        return (sayings.corrected("", undone, language),)
    first = min((*new, *gone), key=lambda one: one["ruling"] not in _DECIDES)
    if any(one is first for one in new):
        said = sayings.corrected(verdict(first), undone, language)
    else:
        said = language.text("service.does_not_count", ruling=announcer.sentences(first)[0])
    end = next((one for one in new if one["ruling"] == "end" and one is not first), None)
    if end is not None:
        return (said, verdict(end))
    rest = language.text("service.page_shows_what_everybody_has")
    return (said, rest) if len(gone) + len(new) > 1 else (said,)


def _same_verdict(ruling: RulingData, known: RulingData) -> bool:
    """Return whether two rulings of a ring are equal, except for the ringer and the deciding frame."""
    keys = (ruling.keys() | known.keys()) - {"seat", "frame_t_ns", "phone"}
    return all(ruling.get(key) == known.get(key) for key in keys)


def _caption(sentences: Sequence[str]) -> str:
    """Return the first two sentences, or one where two are long: nobody reads more at a glance."""
    shown = sentences[: 2 if sum(map(len, sentences[:2])) <= CAPTION_LETTERS else 1]
    return " ".join(shown) + (" …" if len(shown) < len(sentences) else "")


def signal_of(ruling: RulingData) -> Signal | None:
    """Return the lamp's signal for a ruling, None if it does not change."""
    if ruling["ruling"] == "ring":
        return Signal.VALID if ruling["valid"] else Signal.FALSE
    return _SIGNALS.get(ruling["ruling"])


def default_speaker(settings: TableSettings, on_health: OnHealth) -> Speaker:
    """Return the loudspeaker of the settings."""
    if not settings.loudspeaker:
        return NullSpeaker()
    return open_speaker(SpeakerSettings(language=settings.language, volume=settings.volume), on_health)


def default_lamp(settings: TableSettings, on_health: OnHealth) -> Lamp:
    """Return the lamp of the settings."""
    return open_lamp(settings.lamp_settings(), on_health=on_health)
