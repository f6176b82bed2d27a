"""The set-up steps for bell, sandtimer, lamp and loudspeaker."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hardware.events import BellEdge, BellPressed, SandEdge, SandLine
from hardware.lamp import Signal
from hardware.problems import TooLittleSandError
from hardware.sand import EDGES_MIN, learn_sandtimer
from hardware.settings import MS, SECOND, SandProfile
from referee.errors import BadInputError
from referee.language import Language
from referee.setup.step import Choice, Heard, State, Step, StepFinding, StepInput, Wish

PRESSES = 3
BOUNCE_NS = 60 * MS
"""Edges within this time after a press belong to its bounce."""
_MUCH_MS, _LATE_MS = 30.0, 250.0
_KINDS = ("one", "seats", "microphone", "none")


@dataclass(frozen=True)
class MeasuredPress:
    """A press: duration of its bounce, and delay until it was known, ms."""

    t_ns: int
    bounce_ms: float
    delay_ms: float


class BellStep(Step):
    """The bell step: measures three presses."""

    name = "bell"
    title_key, ask_key = "setup.device.bell", "setup.device.press_bell_three_times_with"

    def look(self, seen: StepInput) -> StepFinding:
        """Judge the presses."""
        language, settings = seen.language, seen.settings
        kinds = tuple(
            Choice(language.text(f"page.bell_{kind}"), {"bell": kind}, chosen=kind == settings.bell) for kind in _KINDS
        )
        if settings.bell == "none":
            text = language.text("setup.device.no_bell_is_used_phones")
            return StepFinding(State.GOOD, text, choices=kinds)
        trouble = seen.troubles.get("bell")
        found = presses(seen.heard)
        if trouble and len(found) < PRESSES:
            return StepFinding(
                State.MISSING, trouble, (language.text("setup.device.you_can_go_on_without"),), choices=kinds
            )
        level = seen.level if settings.bell == "microphone" else None
        if len(found) < PRESSES:
            bar = len(found) / PRESSES if level is None else level
            text = language.text("setup.device.heard_so_far_of_3", n=len(found))
            more = (language.text("setup.device.bar_shows_how_loud_it"),) if level is not None else ()
            return StepFinding(State.WAIT, text, more, bar, choices=kinds)
        return StepFinding(*_judged(found, language), 1.0, choices=kinds)

    def answer(self, seen: StepInput, answer: Mapping[str, object]) -> Wish:
        """Choose another kind of bell."""
        if answer.get("bell") in _KINDS:
            return Wish({"bell": answer["bell"]})
        raise BadInputError("error.setup.that_is_no_answer_here")

    def keep(self, seen: StepInput) -> Wish:
        """Store the measurement for display; the kind of bell is stored already."""
        found = presses(seen.heard)
        return Wish(data={"bounce_ms": max((p.bounce_ms for p in found), default=0.0), "presses": len(found)})


def presses(heard: Sequence[Heard]) -> list[MeasuredPress]:
    """Return the presses, each with its bounce and its delay."""
    edges = [one.event for one in heard if isinstance(one.event, BellEdge) and not one.event.found]
    found = []
    for one in heard:
        if not isinstance(one.event, BellPressed):
            continue
        t_ns = one.event.t_ns
        own = [edge.t_ns for edge in edges if edge.seat == one.event.seat and 0 <= edge.t_ns - t_ns < BOUNCE_NS]
        # The last edge of a quick tap is its release; a bounce ends earlier.
        closed = [edge.t_ns for edge in edges if edge.t_ns in own and edge.pressed]
        bounce_ms = (max(closed) - t_ns) / MS if closed else 0.0
        found.append(MeasuredPress(t_ns, bounce_ms, (one.arrived_ns - t_ns) / MS))
    return found


def loudness(peak: float) -> float:
    """Return a bar, 0 to 1, for a peak of sound, 0 to 1: from -60 dB on."""
    return min(1.0, max(0.0, 1 + 20 * math.log10(max(peak, 1e-6)) / 60))


def _judged(found: Sequence[MeasuredPress], language: Language) -> tuple[State, str, tuple[str, ...]]:
    bounce = max(press.bounce_ms for press in found)
    delay = sorted(press.delay_ms for press in found)[len(found) // 2]
    figures = language.text("setup.device.i_hear_press_within_ms", bounce=language.decimal(bounce), delay=round(delay))
    if bounce > _MUCH_MS:
        text = language.text("setup.device.bell_works_but_its_contact")
        return State.MEND, text, (figures,)
    if delay > _LATE_MS:
        return State.MEND, language.text("setup.device.bell_works_but_is_known"), (figures,)
    return State.GOOD, language.text("setup.device.bell_works"), (figures,)


RUNS = 2
PAUSE_NS = 1500 * MS
"""Sand that pauses for this long has run out."""
_FLICKER_NS = SECOND
_EARLY_NS = 400 * MS
_FULL_FLICKER = 60  # edges a second
_USUAL_S = (30, 60, 90, 120, 180)
_SHORTEST_S, _LONGEST_S = 5, 3600


class SandtimerStep(Step):
    """The sandtimer step. Remembers the beginning of a run that a person has tapped."""

    name = "sandtimer"
    title_key, ask_key = "setup.device.sandtimer", "setup.device.turn_sandtimer_and_let_it"

    def __init__(self) -> None:
        self._begun_ns: int | None = None
        self._entered_s: int | None = None

    def look(self, seen: StepInput) -> StepFinding:
        """Follow the sand."""
        language = seen.language
        choices = self._choices(seen)
        if self._entered_s is not None:
            return StepFinding(State.GOOD, _runs_for(self._entered_s * SECOND, language), choices=choices)
        if self._begun_ns is not None:
            gone_s = (seen.now_ns - self._begun_ns) / SECOND
            text = language.text("setup.device.seconds_so_far_tap_again", n=int(gone_s))
            return StepFinding(State.WAIT, text, choices=choices)
        if not seen.settings.sandtimer:
            text = language.text("setup.device.it_has_no_sensors_tap")
            return StepFinding(State.WAIT, text, choices=choices)
        edges = barrier_edges(seen.heard)
        bar = flicker(edges, seen.now_ns)
        trouble = seen.troubles.get("sandtimer")
        if trouble and not edges:
            return StepFinding(
                State.MISSING, trouble, (language.text("setup.device.you_can_tap_how_long"),), choices=choices
            )
        whole = whole_runs(edges, seen)
        running = bool(edges) and seen.now_ns - edges[-1] < PAUSE_NS
        if len(whole) >= RUNS:
            try:
                profile = learn_sandtimer(whole[-RUNS:])
            except TooLittleSandError:
                text = language.text("setup.device.two_runs_took_unequally_long")
                return StepFinding(State.WAIT, text, bar=bar, choices=choices)
            spread = language.text(
                "setup.device.its_two_ways_differ_by", seconds=language.decimal(profile.spread_ns / SECOND)
            )
            return StepFinding(State.GOOD, _runs_for(profile.duration_ns, language), (spread,), bar, choices=choices)
        if running:
            text = language.text("setup.device.sand_runs_run_of_2", n=len(whole) + 1)
        elif whole:
            text = language.text("setup.device.once_more_turn_it_again")
        elif edges:
            text = language.text("setup.device.hardly_any_sand_is_seen")
        else:
            text = language.text("setup.device.turn_it_now")
        return StepFinding(State.WAIT, text, bar=bar, choices=choices)

    def answer(self, seen: StepInput, answer: Mapping[str, object]) -> Wish:
        """Take the duration, the beginning or end of a run, or whether there are sensors."""
        if "sensors" in answer:
            return Wish({"sandtimer": bool(answer["sensors"])})
        seconds = answer.get("seconds")
        if answer.get("tap"):
            if self._begun_ns is None:
                self._begun_ns, self._entered_s = seen.now_ns, None
                return Wish()
            seconds, self._begun_ns = round((seen.now_ns - self._begun_ns) / SECOND), None
        if type(seconds) is not int or not _SHORTEST_S <= seconds <= _LONGEST_S:
            raise BadInputError("setup.device.that_is_too_short_or")
        self._entered_s = seconds
        return Wish()

    def keep(self, seen: StepInput) -> Wish:
        """Return the learned times as a setting.

        Raises:
            BadInputError: nothing was learned yet.
        """
        profile = self._learned(seen)
        if profile is None:
            raise BadInputError("setup.device.sandtimer_is_not_known_yet")
        return Wish({"sand": [profile.duration_ns, profile.spread_ns, profile.longest_gap_ns]})

    def _learned(self, seen: StepInput) -> SandProfile | None:
        if self._entered_s is not None:
            return SandProfile(self._entered_s * SECOND, SECOND, PAUSE_NS // 3)
        whole = whole_runs(barrier_edges(seen.heard), seen)
        try:
            return learn_sandtimer(whole[-RUNS:]) if len(whole) >= RUNS else None
        except TooLittleSandError:
            return None

    def _choices(self, seen: StepInput) -> tuple[Choice, ...]:
        language = seen.language
        usual = tuple(
            Choice(language.text("setup.device.seconds", n=n), {"seconds": n}, chosen=n == self._entered_s)
            for n in _USUAL_S
        )
        waits, fitted = self._begun_ns is None, seen.settings.sandtimer
        tap = language.text("setup.device.sand_begins_to_run" if waits else "setup.device.last_grain_has_fallen")
        sensors = language.text("setup.device.it_has_no_sensors" if fitted else "setup.device.it_has_sensors")
        return (*usual, Choice(tap, {"tap": True}), Choice(sensors, {"sensors": not fitted}))


def barrier_edges(heard: Sequence[Heard]) -> list[int]:
    """Return the times, ns, of the light barrier's edges."""
    events = [one.event for one in heard]
    return sorted(
        event.t_ns
        for event in events
        if isinstance(event, SandEdge) and event.line is SandLine.BARRIER and not event.found
    )


def whole_runs(edges: Sequence[int], seen: StepInput) -> list[list[int]]:
    """Return the runs that are over, each the times of its edges.

    Ignores flickers without sand, and a run that began before the step.
    """
    runs: list[list[int]] = []
    for t_ns in edges:
        if runs and t_ns - runs[-1][-1] < PAUSE_NS:
            runs[-1].append(t_ns)
        else:
            runs.append([t_ns])
    return [
        run
        for run in runs
        if len(run) >= EDGES_MIN and seen.now_ns - run[-1] >= PAUSE_NS and run[0] - seen.since_ns > _EARLY_NS
    ]


def flicker(edges: Sequence[int], now_ns: int) -> float:
    """Return the barrier's present rate of edges as a bar, 0 to 1."""
    lately = sum(now_ns - t_ns < _FLICKER_NS for t_ns in edges)
    return min(1.0, lately / _FULL_FLICKER)


def _runs_for(duration_ns: int, language: Language) -> str:
    return language.text("setup.device.it_runs_for_seconds", seconds=round(duration_ns / SECOND))


_STEP = 0.2
_COLOURS = {"red": Signal.FALSE, "green": Signal.VALID, "blue": Signal.TIME_RUNNING}
"""The signal that shows each leg of the lamp alone."""


class LampStep(Step):
    """The lamp step. Remembers the answers."""

    name = "lamp"
    title_key, ask_key = "setup.device.lamp_and_voice", "setup.device.do_you_see_lamp_and"

    def __init__(self) -> None:
        self._answers: dict[str, bool] = {}

    def begin(self, seen: StepInput) -> Wish:
        """Light the lamp; the instruction is also spoken."""
        return Wish(signal=Signal.VALID)

    def look(self, seen: StepInput) -> StepFinding:
        """Return the question, or the result once it is answered."""
        language = seen.language
        choices = tuple(
            Choice(text, {key: value}, chosen=self._answers.get(key) is value)
            for text, key, value in (
                (language.text("setup.device.i_see_lamp"), "seen", True),
                (language.text("setup.device.there_is_no_lamp"), "seen", False),
                (language.text("setup.device.i_hear_voice"), "heard", True),
                (language.text("setup.device.there_is_no_voice"), "heard", False),
            )
        )
        choices += (
            Choice(language.text("setup.device.louder"), {"louder": True}),
            Choice(language.text("setup.device.quieter"), {"quieter": True}),
            Choice(language.text("setup.device.once_more"), {"again": True}),
            # Boards differ in the order of the colours.
            Choice(language.text("setup.device.show_red"), {"colour": "red"}),
            Choice(language.text("setup.device.show_green"), {"colour": "green"}),
            Choice(language.text("setup.device.show_blue"), {"colour": "blue"}),
        )
        # A device declared absent is not reported as missing.
        asked = [kind for kind, key in (("lamp", "seen"), ("speaker", "heard")) if self._answers.get(key) is not False]
        troubles = [seen.troubles[kind] for kind in asked if kind in seen.troubles]
        if troubles:
            return StepFinding(State.MISSING, troubles[0], tuple(troubles[1:]), seen.settings.volume, choices=choices)
        if len(self._answers) == 2:
            text = language.text(_ANSWERED[self._answers["seen"], self._answers["heard"]])
            return StepFinding(State.GOOD, text, bar=seen.settings.volume, choices=choices)
        return StepFinding(State.WAIT, language.text(self.ask_key), bar=seen.settings.volume, choices=choices)

    def answer(self, seen: StepInput, answer: Mapping[str, object]) -> Wish:
        """Take an answer, or change the volume."""
        language = seen.language
        if answer.get("again"):
            return Wish(signal=Signal.VALID, say=language.text(self.ask_key))
        if answer.get("colour") in _COLOURS:
            return Wish(signal=_COLOURS[str(answer["colour"])])
        if answer.get("louder") or answer.get("quieter"):
            step = _STEP if answer.get("louder") else -_STEP
            volume = round(min(1.0, max(0.0, seen.settings.volume + step)), 2)
            return Wish({"volume": volume}, say=language.text("setup.device.this_is_how_loud_i"))
        for key in ("seen", "heard"):
            if isinstance(answer.get(key), bool):
                self._answers[key] = bool(answer[key])
                return Wish()
        raise BadInputError("error.setup.that_is_no_answer_here")

    def keep(self, seen: StepInput) -> Wish:
        """Store lamp and loudspeaker as not fitted if nobody sees or hears them."""
        changes: dict[str, object] = {}
        if "seen" in self._answers:
            changes["lamp"] = self._answers["seen"]
        if "heard" in self._answers:
            changes["loudspeaker"] = self._answers["heard"]
        return Wish({key: value for key, value in changes.items() if getattr(seen.settings, key) != value})


_ANSWERED = {
    (True, True): "setup.device.lamp_and_voice_work",
    (True, False): "setup.device.no_voice_that_is_fine",
    (False, True): "setup.device.no_lamp_that_is_fine",
    (False, False): "setup.device.no_lamp_no_voice_that",
}
"""The result by whether people see the lamp and hear the voice."""
