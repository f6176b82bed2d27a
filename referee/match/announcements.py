"""Announces rulings, questions, corrections and troubles: each once, and of a correction only its changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.announcer import URGENT, Announcer
from referee.engine.events import Event, Question
from referee.engine.log import Change, RulingData, RulingPlace, told
from referee.engine.session import Notice, Session
from referee.jsonlines import to_line
from referee.log import LOG
from referee.match.voice import Voice
from referee.sayings import service as sayings

TAKEN_BACK_AFTER_NS = 30_000_000_000
"""The least time of a trouble's absence before its end is announced, and its return is another trouble."""
REMIND_NS = 2_000_000_000
"""Longer than the lock-out: a ring that comes sooner belongs to the one in question."""
_OF_THE_TABLE = frozenset({"no_table", "two_markers", "camera_moved", "mirrored"})

_DECIDES = URGENT | {"hand"}


class Announcements:
    """Announces to a voice; knows the last question."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._asked: tuple[int, str, RulingData] | None = None
        self._reminded = (0, 0)  # the ring that waits for a name, and the later ring of the last reminder
        self._noticed_ns: dict[str, int] = {}

    def rule(self, announcer: Announcer, rulings: Sequence[RulingData]) -> None:
        """Announce rulings; of a ring whose verdict was announced with the question, only new parts."""
        for ruling in rulings:
            LOG.info("ruled: %s", to_line(dict(ruling)))
        known = {} if self._asked is None else self._asked[2]
        fresh = [ruling for ruling in rulings if not (known and _same_verdict(ruling, known))]
        if len(fresh) == len(rulings):
            self._voice.rule(announcer, rulings)
        elif announcer.announce(fresh) is not None:
            self._voice.rule(announcer, fresh)
        else:
            named = next((ruling["seat"] for ruling in rulings if ruling not in fresh), None)
            self._voice.tell(sayings.rang(announcer.players, named, announcer.language))

    def resumed(self, announcer: Announcer, play: Session, unheard: Sequence[tuple[RulingPlace, RulingData]]) -> None:
        """Announce that a game goes on, with the last ruling heard, all unheard ones, and the question."""
        if not play.over:
            unsaid = {place for place, _ in unheard}
            heard = ((p, announcer.say(r)) for p, r in play.log.newest(20) if p not in unsaid)
            self._voice.tell(sayings.resumed(next((text for _, text in heard if text), ""), announcer.language))
        self._voice.prepare(announcer.fixed_phrases())
        if unheard:
            self._voice.rule(announcer, [ruling for _, ruling in unheard])
        self.ask(announcer, play.question)

    def ask(
        self, announcer: Announcer, question: Question | None, *, urgent: bool = True, heard: Sequence[Event] = ()
    ) -> bool:
        """Ask the players once; the verdict of a ring need not wait for its ringer's name.

        heard: the newest events; a ring that waits for that name is not met with silence.
        """
        verdict = {} if question is None else question.ruling
        asked = None if question is None else (question.t_ns, question.kind, verdict)
        if asked == self._asked:
            self._remind(announcer, question, [event.t_ns for event in heard if event.kind == "bell"])
            return False
        self._asked = asked
        if question is None or question.kind != "who_rang":
            return False
        self._voice.ask(announcer, verdict, sayings.who_rang(announcer.language), urgent=urgent)
        return True

    def _remind(self, announcer: Announcer, question: Question | None, rings_ns: Sequence[int]) -> None:
        """Announce that a ring waits for the name of the one before it, if it does."""
        if question is None or question.kind != "who_rang" or not rings_ns:
            return
        about_ns, last_ns = self._reminded
        if rings_ns[-1] - (last_ns if about_ns == question.t_ns else question.t_ns) > REMIND_NS:
            self._reminded = question.t_ns, rings_ns[-1]
            self._voice.tell(sayings.ring_waits(announcer.language))

    def changed(
        self, announcer: Announcer, change: Change, question: Question | None, *, undone: bool, past: bool = False
    ) -> None:
        """Announce the changes of rulings by a correction or its undoing, or a ring that waits for a name.

        question: that of the game on the table. past: the correction is of a past game.
        """
        gone, new = told(change, announcer.say)
        LOG.info("%s: %d rulings gone, %d new", "correction undone" if undone else "corrected", len(gone), len(new))
        if past:
            what = _what_changed(announcer, change, gone, new, undone=undone)
            self._voice.tell(sayings.corrected_before(announcer.language), *what)
            return
        if not gone and not new and self.ask(announcer, question):
            return
        self._voice.tell(*_what_changed(announcer, change, gone, new, undone=undone))
        self.ask(announcer, question, urgent=False)

    def notice(self, announcer: Announcer, notices: Sequence[Notice]) -> tuple[dict[str, Any], ...]:
        """Announce instructions to the players, and return them for the page."""
        texts = [
            {
                "text": sayings.notice(one.kind, one.seat, one.data, announcer.players, announcer.language),
                "seat": one.seat,
            }
            for one in notices
        ]
        told_now = tuple(text for text in texts if text["text"])
        self._voice.tell(
            *(str(text["text"]) for text, one in zip(texts, notices, strict=True) if self._is_new(text, one))
        )
        return told_now

    def _is_new(self, text: dict[str, Any], notice: Notice) -> bool:
        """Return whether a notice is announced: recurring ones about the whole table are announced once."""
        said = str(text["text"])
        if notice.kind not in _OF_THE_TABLE or not said:
            return bool(said)
        before, self._noticed_ns[said] = self._noticed_ns.get(said), notice.t_ns
        return before is None or not 0 <= notice.t_ns - before < TAKEN_BACK_AFTER_NS


def _what_changed(
    announcer: Announcer, change: Change, gone: Sequence[RulingData], new: Sequence[RulingData], *, undone: bool
) -> tuple[str, ...]:
    """Return a correction's announcement: the first verdict that it changed, and the end of the game if it did."""
    language, before = announcer.language, {text for _, one in change.gone for text in announcer.sentences(one)}

    def verdict(ruling: RulingData) -> str:
        texts = announcer.sentences(ruling)
        return next((text for text in texts if text not in before), texts[0])

    changed = sorted(
        [(one, True) for one in new] + [(one, False) for one in gone],
        key=lambda change: change[0]["ruling"] not in _DECIDES,
    )
    if not changed:
        return (sayings.corrected("", undone, language),)
    first, holds = changed[0]
    if holds:
        said = sayings.corrected(verdict(first), undone, language)
    else:
        said = sayings.does_not_count(announcer.sentences(first)[0], language)
    end = next((one for one in new if one["ruling"] == "end" and one is not first), None)
    if end is not None:
        return (said, verdict(end))
    return (said, sayings.new_scores(language)) if len(changed) > 1 else (said,)


def _same_verdict(ruling: RulingData, known: RulingData) -> bool:
    """Return whether two rulings of a ring are equal, except for the ringer and the deciding frame."""
    named = ("seat", "frame_t_ns", "phone")
    return {key: value for key, value in ruling.items() if key not in named} == {
        key: value for key, value in known.items() if key not in named
    }
