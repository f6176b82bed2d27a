"""The sandtimer: two whole runs are learned, or its time is told; the light barrier's flicker shows as a bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hardware.events import SandEdge, SandLine
from hardware.problems import TooLittleSandError
from hardware.sand import EDGES_MIN, learn_sandtimer
from hardware.settings import MS, SECOND, SandProfile
from referee.errors import BadInputError
from referee.language import Language
from referee.setup.finding import Choice, Finding, Heard, Seen, State, Wish

RUNS = 2
PAUSE_NS = 1500 * MS
"""Sand that pauses for so long has run through."""
_FLICKER_NS = SECOND
_EARLY_NS = 400 * MS
_FULL_FLICKER = 60  # edges a second
_USUAL_S = (30, 60, 90, 120, 180)
_SHORTEST_S, _LONGEST_S = 5, 3600


class SandtimerStep:
    """See the module. It remembers when a person said that the sand began to run."""

    name = "sandtimer"

    def __init__(self) -> None:
        self._begun_ns: int | None = None
        self._told_s: int | None = None

    def title(self, language: Language) -> str:
        """What it is called."""
        return language.text("Sandtimer")

    def ask(self, language: Language) -> str:
        """What to do."""
        return language.text("Turn the sandtimer and let it run through, twice; or tap how long it runs.")

    def begin(self, seen: Seen) -> Wish:
        """Nothing is to be done."""
        return Wish()

    def look(self, seen: Seen) -> Finding:
        """Follow the sand."""
        language = seen.language
        choices = self._choices(seen)
        if self._told_s is not None:
            return Finding(State.GOOD, _runs_for(self._told_s * SECOND, language), choices=choices)
        if self._begun_ns is not None:
            gone_s = (seen.now_ns - self._begun_ns) / SECOND
            text = language.text("{n} seconds so far: tap again when the last grain has fallen.", n=int(gone_s))
            return Finding(State.WAIT, text, choices=choices)
        if not seen.settings.sandtimer:
            text = language.text("It has no sensors: tap how long it runs.")
            return Finding(State.WAIT, text, choices=choices)
        edges = barrier_edges(seen.heard)
        bar = flicker(edges, seen.now_ns)
        trouble = seen.troubles.get("sandtimer")
        if trouble and not edges:
            return Finding(State.MISSING, trouble, (language.text("You can tap how long it runs."),), choices=choices)
        whole = whole_runs(edges, seen)
        running = bool(edges) and seen.now_ns - edges[-1] < PAUSE_NS
        if len(whole) >= RUNS:
            try:
                profile = learn_sandtimer(whole[-RUNS:])
            except TooLittleSandError:
                text = language.text("The two runs took unequally long: let it run through once more.")
                return Finding(State.WAIT, text, bar=bar, choices=choices)
            spread = language.text(
                "Its two ways differ by {seconds} seconds.", seconds=language.decimal(profile.spread_ns / SECOND)
            )
            return Finding(State.GOOD, _runs_for(profile.duration_ns, language), (spread,), bar, choices=choices)
        if running:
            text = language.text("The sand runs: run {n} of 2.", n=len(whole) + 1)
        elif whole:
            text = language.text("Once more: turn it again.")
        elif edges:
            text = language.text(
                "Hardly any sand is seen: turn the barrier's screw until the bar rises, then turn it again."
            )
        else:
            text = language.text("Turn it now.")
        return Finding(State.WAIT, text, bar=bar, choices=choices)

    def answer(self, seen: Seen, answer: Mapping[str, object]) -> Wish:
        """Take how long it runs, the beginning or end of a run, or whether it has sensors."""
        if "sensors" in answer:
            return Wish({"sandtimer": bool(answer["sensors"])})
        seconds = answer.get("seconds")
        if answer.get("tap"):
            if self._begun_ns is None:
                self._begun_ns, self._told_s = seen.now_ns, None
                return Wish()
            seconds, self._begun_ns = round((seen.now_ns - self._begun_ns) / SECOND), None
        if type(seconds) is not int or not _SHORTEST_S <= seconds <= _LONGEST_S:
            raise BadInputError(seen.language.text("That is too short or too long for a sandtimer."))
        self._told_s = seconds
        return Wish()

    def keep(self, seen: Seen) -> Wish:
        """Give what was learned as a setting.

        Raises:
            BadInputError: nothing was learned yet.
        """
        profile = self._learned(seen)
        if profile is None:
            raise BadInputError(
                seen.language.text("The sandtimer is not known yet: let it run through, or tap its time.")
            )
        return Wish({"sand": [profile.duration_ns, profile.spread_ns, profile.longest_gap_ns]})

    def _learned(self, seen: Seen) -> SandProfile | None:
        if self._told_s is not None:
            return SandProfile(self._told_s * SECOND, SECOND, PAUSE_NS // 3)
        whole = whole_runs(barrier_edges(seen.heard), seen)
        try:
            return learn_sandtimer(whole[-RUNS:]) if len(whole) >= RUNS else None
        except TooLittleSandError:
            return None

    def _choices(self, seen: Seen) -> tuple[Choice, ...]:
        language = seen.language
        usual = tuple(
            Choice(language.text("{n} seconds", n=n), {"seconds": n}, chosen=n == self._told_s) for n in _USUAL_S
        )
        tap = language.text("Sand begins to run") if self._begun_ns is None else language.text("Last grain has fallen")
        fitted = seen.settings.sandtimer
        sensors = language.text("It has no sensors") if fitted else language.text("It has sensors")
        return (*usual, Choice(tap, {"tap": True}), Choice(sensors, {"sensors": not fitted}))


def barrier_edges(heard: Sequence[Heard]) -> list[int]:
    """Give the times, ns, of the light barrier's edges."""
    events = [one.event for one in heard]
    return sorted(
        event.t_ns
        for event in events
        if isinstance(event, SandEdge) and event.line is SandLine.BARRIER and not event.found
    )


def whole_runs(edges: Sequence[int], seen: Seen) -> list[list[int]]:
    """Give the runs that are over, each the times of its edges.

    Left out are flickers that are no sand, and a run that was on when the step was opened.
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
    """Give how much the barrier flickers now, 0 to 1."""
    lately = sum(now_ns - t_ns < _FLICKER_NS for t_ns in edges)
    return min(1.0, lately / _FULL_FLICKER)


def _runs_for(duration_ns: int, language: Language) -> str:
    return language.text("It runs for {seconds} seconds.", seconds=round(duration_ns / SECOND))
