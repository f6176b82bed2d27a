"""The bell: pressed three times, it shows how its contact bounces and how soon a press is known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hardware.events import BellEdge, BellPressed
from hardware.settings import MS
from referee.errors import BadInputError
from referee.language import Language
from referee.setup.finding import Choice, Finding, Heard, Seen, State, Wish

PRESSES = 3
BOUNCE_NS = 60 * MS
"""Edges that come within so long of a press belong to its bounce."""
_MUCH_MS, _LATE_MS = 30.0, 250.0
_KINDS = ("one", "seats", "microphone", "none")


@dataclass(frozen=True)
class Press:
    """A press: how long its contact bounced, and how much later it was known, ms."""

    t_ns: int
    bounce_ms: float
    delay_ms: float


class BellStep:
    """See the module."""

    name = "bell"

    def title(self, language: Language) -> str:
        """What it is called."""
        return language.text("Bell")

    def ask(self, language: Language) -> str:
        """What to do."""
        return language.text("Press the bell three times, with a moment between.")

    def begin(self, seen: Seen) -> Wish:
        """Nothing is to be done."""
        return Wish()

    def look(self, seen: Seen) -> Finding:
        """Judge the presses."""
        language, settings = seen.language, seen.settings
        kinds = tuple(
            Choice(language.text_in("page", text), {"bell": kind}, chosen=kind == settings.bell)
            for kind, text in zip(_KINDS, _kind_words(), strict=True)
        )
        if settings.bell == "none":
            text = language.text("No bell is used; phones at the table can ring.")
            return Finding(State.GOOD, text, choices=kinds)
        trouble = seen.troubles.get("bell")
        found = presses(seen.heard)
        if trouble and len(found) < PRESSES:
            return Finding(State.MISSING, trouble, (_go_on(language),), choices=kinds)
        level = seen.level if settings.bell == "microphone" else None
        if len(found) < PRESSES:
            bar = len(found) / PRESSES if level is None else level
            text = language.text("Heard so far: {n} of 3.", n=len(found))
            more = (language.text("The bar shows how loud it is; claps do not count."),) if level is not None else ()
            return Finding(State.WAIT, text, more, bar, choices=kinds)
        return Finding(*_judged(found, language), 1.0, choices=kinds)

    def answer(self, seen: Seen, answer: Mapping[str, object]) -> Wish:
        """Take another kind of bell."""
        if answer.get("bell") in _KINDS:
            return Wish({"bell": answer["bell"]})
        raise BadInputError("that is no answer here")

    def keep(self, seen: Seen) -> Wish:
        """What was measured is only told; which bell it is, is kept already."""
        found = presses(seen.heard)
        return Wish(data={"bounce_ms": max((p.bounce_ms for p in found), default=0.0), "presses": len(found)})


def presses(heard: Sequence[Heard]) -> list[Press]:
    """Give the presses, each with its bounce and its delay."""
    edges = [one.event for one in heard if isinstance(one.event, BellEdge) and not one.event.found]
    found = []
    for one in heard:
        if not isinstance(one.event, BellPressed):
            continue
        t_ns = one.event.t_ns
        own = [edge.t_ns for edge in edges if edge.seat == one.event.seat and 0 <= edge.t_ns - t_ns < BOUNCE_NS]
        # The last edge of a quick tap is its release; a bounce is over before.
        closed = [edge.t_ns for edge in edges if edge.t_ns in own and edge.pressed]
        bounce_ms = (max(closed) - t_ns) / MS if closed else 0.0
        found.append(Press(t_ns, bounce_ms, (one.arrived_ns - t_ns) / MS))
    return found


def loudness(peak: float) -> float:
    """Give a bar, 0 to 1, for a peak of sound, 0 to 1: from -60 dB on."""
    return min(1.0, max(0.0, 1 + 20 * math.log10(max(peak, 1e-6)) / 60))


def _judged(found: Sequence[Press], language: Language) -> tuple[State, str, tuple[str, ...]]:
    bounce = max(press.bounce_ms for press in found)
    delay = sorted(press.delay_ms for press in found)[len(found) // 2]
    figures = language.text(
        "Its contact bounces for {bounce} ms, and a press is known after {delay} ms.",
        bounce=language.decimal(bounce),
        delay=round(delay),
    )
    if bounce > _MUCH_MS:
        text = language.text("The bell works, but its contact bounces long: a better button would help.")
        return State.MEND, text, (figures,)
    if delay > _LATE_MS:
        return State.MEND, language.text("The bell works, but is known late: the computer is busy."), (figures,)
    return State.GOOD, language.text("The bell works."), (figures,)


def _go_on(language: Language) -> str:
    return language.text("You can go on without it, and come back to this step when it is there.")


def _kind_words() -> tuple[str, ...]:
    from referee.web.words import WORDS

    return tuple(WORDS[f"bell_{kind}"] for kind in _KINDS)
