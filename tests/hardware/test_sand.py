"""The sandtimer: from its sensors' edges to its rounds, and as a device that may lack its pins."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.edges import Edge, judge_edges
from hardware.events import (
    SandEdge,
    SandFlipped,
    SandRanOut,
    SandReason,
    SandResumed,
    SandTrouble,
    TimedEvent,
)
from hardware.problems import BadSettingError, TooLittleSandError
from hardware.sand import SandLogic, Sandtimer, learn_sandtimer
from hardware.settings import MS, SECOND, Pin, SandProfile, SandSettings
from tests.support.device_fakes import FakeClock, ListSink

PROFILE = SandProfile(duration_ns=60 * SECOND, spread_ns=1 * SECOND, longest_gap_ns=200 * MS)
BOTH = SandSettings(profile=PROFILE)
BARRIER_ONLY = SandSettings(profile=PROFILE, tilt=None)
TILT_ONLY = SandSettings(profile=PROFILE, barrier=None)


def sand(start_ns: int, end_ns: int, seed: int = 1) -> list[Edge]:
    """Flicker of grains from the first to the last, no gap longer than the learned one."""
    rng = random.Random(seed)
    edges, t_ns, level = [], start_ns, True
    while t_ns < end_ns:
        edges.append(Edge(t_ns, "barrier", level))
        level = not level
        t_ns += rng.choice([rng.randint(1 * MS, 40 * MS), rng.randint(1 * MS, 200 * MS)])
    if t_ns - end_ns > 0:
        edges.append(Edge(end_ns, "barrier", level))
    return edges


def turn(t_ns: int, level: bool, seed: int = 2) -> list[Edge]:
    """The ball of the tilt switch rolls for half a second and comes to rest at `level`."""
    rng = random.Random(seed)
    times = sorted({t_ns, *(t_ns + rng.randint(1, 500 * MS) for _ in range(6))})
    times = times if len(times) % 2 else times[:-1]
    return [Edge(t, "tilt", level if i % 2 == 0 else not level) for i, t in enumerate(times)]


def bump(t_ns: int, level: bool) -> list[Edge]:
    """Somebody knocks on the table: the tilt switch answers shortly and rests where it was."""
    return [Edge(t_ns, "tilt", not level), Edge(t_ns + 20 * MS, "tilt", level)]


def judge(settings_: SandSettings, *parts: list[Edge]) -> list[TimedEvent]:
    edges = sorted((edge for part in parts for edge in part), key=lambda edge: edge.t_ns)
    logic = SandLogic(settings_)
    if settings_.tilt is not None:
        logic.begin(Edge(0, "tilt", False))
    events = judge_edges(logic, edges, edges[-1].t_ns + 60 * SECOND)
    return [event for event in events if not isinstance(event, SandEdge)]


def s(seconds: float) -> int:
    return round(seconds * SECOND)


def trouble(seconds: float, reason: str) -> SandTrouble:
    return SandTrouble(s(seconds), SandReason[reason])


def over(at_s: float, ran_s: float) -> SandRanOut:
    return SandRanOut(s(at_s), s(ran_s))


TURN = turn(s(5), True)
BY_TILT, BY_BARRIER = SandFlipped(s(5)), SandFlipped(s(5))
RUN = TURN + sand(s(5.6), s(65))
WHOLE: list[TimedEvent] = [BY_TILT, over(65, 59.4)]
RESUMED: list[TimedEvent] = [SandResumed(s(30)), over(75, 59.4)]
TURNED_BACK = turn(s(80), False)
KNOCKS = [Edge(s(5) + i * 8 * MS, "barrier", i % 2 == 0) for i in range(8)]
BY_DURATION = over(65, 60)
EARLY = trouble(25, "FLIPPED_EARLY")
CUT = TURN + sand(s(5.6), s(20))
CASES: dict[str, tuple[SandSettings, list[Edge], list[TimedEvent]]] = {
    "a whole run": (BOTH, RUN, WHOLE),
    "by the light barrier alone": (BARRIER_ONLY, sand(s(5), s(65)), [BY_BARRIER, over(65, 60)]),
    "by the tilt switch alone": (TILT_ONLY, TURN, [BY_TILT, BY_DURATION]),
    "never learned: ends at a pause": (SandSettings(), TURN + sand(s(5.6), s(40)), [BY_TILT, over(40, 34.4)]),
    "clogged and tapped free": (
        BOTH,
        CUT + sand(s(30), s(75)),
        [BY_TILT, trouble(20, "CLOGGED"), *RESUMED],
    ),
    "knocked over and stood up": (
        BOTH,
        CUT + turn(s(20), False) + turn(s(29), True) + sand(s(30), s(75)),
        [BY_TILT, trouble(20, "KNOCKED_OVER"), *RESUMED],
    ),
    "knocked over, the tilt switch rests where it was": (
        BOTH,
        CUT + bump(s(19.95), True),
        [BY_TILT, trouble(19.95, "KNOCKED_OVER")],
    ),
    "flipped early: the sand runs back": (
        BOTH,
        TURN + sand(s(5.5), s(25)) + turn(s(25), False) + sand(s(25.8), s(45.3)),
        [BY_TILT, EARLY, over(45.3, 39)],
    ),
    "flipped early, light barrier alone": (
        BARRIER_ONLY,
        sand(s(5), s(25)) + sand(s(26), s(46)),
        [
            BY_BARRIER,
            trouble(25, "STOPPED"),
            SandResumed(s(26)),
            trouble(26, "FLIPPED_EARLY"),
            over(46, 40),
        ],
    ),
    "flipped early, tilt switch alone": (
        TILT_ONLY,
        TURN + turn(s(25), False),
        [BY_TILT, EARLY, over(45, 40)],
    ),
    "stopped, light barrier alone": (BARRIER_ONLY, sand(s(5), s(25)), [BY_BARRIER, trouble(25, "STOPPED")]),
    "knocks while it runs": (BOTH, RUN + bump(s(30), True) + bump(s(50), True), WHOLE),
    "knocks while nothing runs": (BOTH, KNOCKS + bump(s(9), False), []),
    "flipped without sand": (BOTH, RUN + TURNED_BACK, [*WHOLE, trouble(80, "NO_SAND")]),
    "laid aside and put back": (BOTH, RUN + TURNED_BACK + turn(s(90), True, 5), [*WHOLE, trouble(80, "NO_SAND")]),
    "a light barrier that sees nothing": (BOTH, TURN, [BY_TILT, trouble(5, "BARRIER_SILENT"), BY_DURATION]),
}


@pytest.mark.parametrize(("sensors", "edges", "wanted"), CASES.values(), ids=CASES)
def test_what_happened_to_the_sandtimer(sensors: SandSettings, edges: list[Edge], wanted: list[TimedEvent]) -> None:
    assert judge(sensors, edges) == wanted


def test_flipped_early_so_quickly_that_no_pause_is_seen() -> None:
    events = judge(BOTH, TURN, sand(s(5.5), s(45.5)), turn(s(25), False))
    assert events[:2] == [BY_TILT, EARLY]
    assert [type(event) for event in events[2:]] == [SandRanOut]


def test_a_barrier_that_flickers_without_end_gives_no_end() -> None:
    flip, endless = judge(BOTH, TURN, sand(s(5.6), s(200)))
    assert flip == BY_TILT
    assert isinstance(endless, SandTrouble) and endless.reason is SandReason.ENDLESS


def test_turned_at_once_after_the_last_grain_is_time_and_a_new_round() -> None:
    events = judge(BOTH, TURN, sand(s(5.6), s(65)), turn(s(65.1), False), sand(s(65.2), s(125)))
    assert [type(event) for event in events] == [SandFlipped, SandRanOut, SandFlipped, SandRanOut]
    assert abs(events[1].t_ns - s(65)) <= s(0.1)
    assert events[2].t_ns == s(65.1)


def test_a_cancelled_round_ends_without_time() -> None:
    logic = SandLogic(BOTH)
    judge_edges(logic, TURN + sand(s(5.6), s(20)))
    logic.cancel()
    assert not logic.running
    assert logic.advance(s(100)) == []


@given(st.integers(1, 59), st.integers(0, 10_000))
@settings(max_examples=60)
def test_a_clog_is_reported_wherever_it_is_unless_the_round_is_as_good_as_over(at_s: int, seed: int) -> None:
    events = judge(BOTH, TURN, sand(s(5), s(5 + at_s), seed=seed))
    left_s = 60 - at_s
    wanted = SandRanOut if left_s * SECOND <= BOTH.tolerance_ns else SandTrouble
    assert [type(event) for event in events] == [SandFlipped, wanted]
    assert events[1].t_ns == s(5 + at_s)


@given(st.lists(st.tuples(st.integers(0, 90 * SECOND), st.sampled_from(["barrier", "tilt", "flip"]), st.booleans())))
@settings(max_examples=200)
def test_nonsense_on_the_lines_never_ends_a_round_that_did_not_begin(raw: list[tuple[int, str, bool]]) -> None:
    edges = [Edge(*item) for item in sorted(raw)]
    logic = SandLogic(BOTH)
    running = False
    for event in judge_edges(logic, edges, 300 * SECOND):
        if isinstance(event, SandFlipped):
            assert not running
            running = True
        elif isinstance(event, SandRanOut):
            assert running
            running = False
    assert all(event.t_ns <= 300 * SECOND for event in logic.advance(301 * SECOND))


@given(st.integers(0, 10_000), st.integers(1, 58))
@settings(max_examples=40)
def test_looking_more_often_changes_nothing(seed: int, cut_s: int) -> None:
    rng = random.Random(seed)
    edges = sorted(
        TURN + sand(s(5.6), s(5.6 + cut_s)) + turn(s(6.3 + cut_s), False) + sand(s(7 + cut_s), s(66)),
        key=lambda edge: edge.t_ns,
    )
    looked = SandLogic(BOTH)
    events: list[TimedEvent] = []
    previous = 0
    for edge in edges:
        for look in sorted(rng.randint(previous, edge.t_ns) for _ in range(2)):
            if look < edge.t_ns:
                events += looked.advance(look)
        events += looked.feed(edge)
        previous = edge.t_ns
    assert events + looked.advance(s(100)) == judge_edges(SandLogic(BOTH), edges, s(100))


def test_a_timer_is_learned_from_whole_runs() -> None:
    runs = [[edge.t_ns for edge in sand(0, s(60), seed=1)], [edge.t_ns for edge in sand(s(100), s(162), seed=2)]]
    profile = learn_sandtimer(runs)
    assert profile.duration_ns == s(61)
    assert profile.spread_ns == s(2)
    assert 150 * MS < profile.longest_gap_ns <= 200 * MS


@pytest.mark.parametrize(
    "runs", [[], [list(range(100))], [[0, 5], list(range(100))], [list(range(100)), list(range(0, 200, 2))]]
)
def test_a_timer_is_not_learned_from_too_little(runs: list[list[int]]) -> None:
    with pytest.raises(TooLittleSandError):
        learn_sandtimer(runs)


SHORT = SandProfile(duration_ns=10 * SECOND, spread_ns=0, longest_gap_ns=100 * MS)


def test_a_watched_timer_is_flipped_from_the_page() -> None:
    """The page may send a tap twice."""
    clock, sink = FakeClock(), ListSink()
    settings = SandSettings(backend="watched", barrier=None, tilt=None, profile=SHORT)
    timer = Sandtimer(settings, sink, clock)
    timer.flip()
    timer.flip()
    timer.device.step()
    clock.t_ns += 10 * SECOND + 10 * MS
    timer.device.step()
    assert sink.of(SandFlipped) == [SandFlipped(SECOND)]
    assert sink.of(SandRanOut) == [SandRanOut(11 * SECOND, 10 * SECOND)]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Sandtimer(SandSettings(backend="hourglass"), ListSink()),
        lambda: Sandtimer(SandSettings(backend="watched"), ListSink()),
        lambda: Sandtimer(SandSettings(barrier=None, tilt=None), ListSink()),
        lambda: Pin(40),
        lambda: Pin(4, pull="sideways"),
        lambda: SandProfile(duration_ns=SECOND, spread_ns=0, longest_gap_ns=2 * SECOND),
    ],
)
def test_settings_that_give_no_timer_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(BadSettingError):
        make()
