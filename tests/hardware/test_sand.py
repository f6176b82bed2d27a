"""The sandtimer from its sensors' edges: flipped, running, last grain fallen, and what went wrong."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.edges import Edge, judge_edges
from hardware.events import (
    Event,
    SandEdge,
    SandFlipped,
    SandRanOut,
    SandReason,
    SandResumed,
    SandTrouble,
    Witness,
)
from hardware.problems import BadSettingError, TooLittleSandError
from hardware.sand import SandLogic, learn_sandtimer
from hardware.settings import MS, SECOND, Pin, SandProfile, SandSettings

PROFILE = SandProfile(duration_ns=60 * SECOND, spread_ns=1 * SECOND, longest_gap_ns=200 * MS)
BOTH = SandSettings(profile=PROFILE)
BARRIER_ONLY = SandSettings(profile=PROFILE, tilt=None)
TILT_ONLY = SandSettings(profile=PROFILE, barrier=None)
GAP = BOTH.end_gap_ns


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


def judge(settings_: SandSettings, *parts: list[Edge], until_ns: int | None = None) -> list[Event]:
    edges = sorted((edge for part in parts for edge in part), key=lambda edge: edge.t_ns)
    logic = SandLogic(settings_)
    logic.begin(Edge(0, "tilt", False))
    events = judge_edges(logic, edges, edges[-1].t_ns + 20 * SECOND if until_ns is None else until_ns)
    return [event for event in events if not isinstance(event, SandEdge)]


def judge_without_tilt(*parts: list[Edge], until_ns: int | None = None) -> list[Event]:
    edges = sorted((edge for part in parts for edge in part), key=lambda edge: edge.t_ns)
    until_ns = edges[-1].t_ns + 20 * SECOND if until_ns is None else until_ns
    events = judge_edges(SandLogic(BARRIER_ONLY), edges, until_ns)
    return [event for event in events if not isinstance(event, SandEdge)]


def s(seconds: float) -> int:
    return round(seconds * SECOND)


def test_a_whole_run_with_both_sensors() -> None:
    events = judge(BOTH, turn(s(5), True), sand(s(5.6), s(65)))
    assert events == [SandFlipped(s(5), Witness.TILT), SandRanOut(s(65), s(59.4), Witness.BARRIER, False)]


def test_a_whole_run_with_the_light_barrier_alone() -> None:
    events = judge_without_tilt(sand(s(5), s(65)))
    assert events == [SandFlipped(s(5), Witness.BARRIER), SandRanOut(s(65), s(60), Witness.BARRIER, False)]


def test_a_whole_run_with_the_tilt_switch_alone() -> None:
    events = judge(TILT_ONLY, turn(s(5), True), until_ns=s(70))
    assert events == [SandFlipped(s(5), Witness.TILT), SandRanOut(s(65), s(60), Witness.DURATION, False)]


def test_a_timer_that_was_never_learned_ends_at_a_pause() -> None:
    events = judge(SandSettings(), turn(s(5), True), sand(s(5.6), s(40)))
    assert events == [SandFlipped(s(5), Witness.TILT), SandRanOut(s(40), s(34.4), Witness.BARRIER, False)]


def test_the_end_is_known_one_pause_after_the_last_grain_and_not_before() -> None:
    logic = SandLogic(BOTH)
    logic.begin(Edge(0, "tilt", False))
    judge_edges(logic, turn(s(5), True) + sand(s(5.6), s(65)))
    assert logic.advance(s(65) + GAP) == []
    assert logic.undecided_ns == s(65)
    assert logic.advance(s(65) + GAP + 1) == [SandRanOut(s(65), s(59.4), Witness.BARRIER, False)]
    assert logic.deadline_ns is None


def test_many_rounds_in_a_row() -> None:
    parts = []
    for i in range(6):
        parts += [turn(s(100 * i + 5), i % 2 == 0, seed=i), sand(s(100 * i + 5.6), s(100 * i + 65), seed=i)]
    events = judge(BOTH, *parts)
    assert [type(event) for event in events] == [SandFlipped, SandRanOut] * 6
    assert [event.t_ns for event in events[1::2]] == [s(100 * i + 65) for i in range(6)]


def test_a_clog_is_told_and_the_round_goes_on_when_it_is_tapped_free() -> None:
    events = judge(BOTH, turn(s(5), True), sand(s(5.6), s(20)), sand(s(30), s(75)))
    assert events == [
        SandFlipped(s(5), Witness.TILT),
        SandTrouble(s(20), SandReason.CLOGGED),
        SandResumed(s(30)),
        SandRanOut(s(75), s(59.4), Witness.BARRIER, True),
    ]


def test_knocked_over_and_stood_up_again() -> None:
    events = judge(
        BOTH, turn(s(5), True), sand(s(5.6), s(20)), turn(s(20), False), turn(s(29), True), sand(s(30), s(75))
    )
    assert events == [
        SandFlipped(s(5), Witness.TILT),
        SandTrouble(s(20), SandReason.KNOCKED_OVER),
        SandResumed(s(30)),
        SandRanOut(s(75), s(59.4), Witness.BARRIER, True),
    ]


def test_knocked_over_when_the_tilt_switch_comes_to_rest_where_it_was() -> None:
    events = judge(BOTH, turn(s(5), True), sand(s(5.6), s(20)), bump(s(19.95), True))
    assert events == [SandFlipped(s(5), Witness.TILT), SandTrouble(s(19.95), SandReason.KNOCKED_OVER)]


def test_flipped_early_the_sand_that_had_fallen_runs_back() -> None:
    events = judge(BOTH, turn(s(5), True), sand(s(5.5), s(25)), turn(s(25), False), sand(s(25.8), s(45.3)))
    assert events == [
        SandFlipped(s(5), Witness.TILT),
        SandTrouble(s(25), SandReason.FLIPPED_EARLY),
        SandRanOut(s(45.3), s(39), Witness.BARRIER, True),
    ]


def test_flipped_early_so_quickly_that_no_pause_is_seen() -> None:
    events = judge(BOTH, turn(s(5), True), sand(s(5.5), s(45.5)), turn(s(25), False))
    assert events[:2] == [SandFlipped(s(5), Witness.TILT), SandTrouble(s(25), SandReason.FLIPPED_EARLY)]
    assert [type(event) for event in events[2:]] == [SandRanOut]


def test_turned_at_once_after_the_last_grain_is_time_and_a_new_round() -> None:
    events = judge(BOTH, turn(s(5), True), sand(s(5.6), s(65)), turn(s(65.1), False), sand(s(65.2), s(125)))
    assert [type(event) for event in events] == [SandFlipped, SandRanOut, SandFlipped, SandRanOut]
    assert abs(events[1].t_ns - s(65)) <= s(0.1)
    assert events[2].t_ns == s(65.1)


def test_flipped_early_without_a_tilt_switch_is_told_by_how_long_it_ran_back() -> None:
    events = judge_without_tilt(sand(s(5), s(25)), sand(s(26), s(46)))
    assert events == [
        SandFlipped(s(5), Witness.BARRIER),
        SandTrouble(s(25), SandReason.STOPPED),
        SandResumed(s(26)),
        SandTrouble(s(26), SandReason.FLIPPED_EARLY),
        SandRanOut(s(46), s(40), Witness.BARRIER, True),
    ]


def test_without_a_tilt_switch_a_stop_is_only_a_stop() -> None:
    events = judge_without_tilt(sand(s(5), s(25)))
    assert events == [SandFlipped(s(5), Witness.BARRIER), SandTrouble(s(25), SandReason.STOPPED)]


def test_flipped_early_with_the_tilt_switch_alone() -> None:
    events = judge(TILT_ONLY, turn(s(5), True), turn(s(25), False), until_ns=s(70))
    assert events == [
        SandFlipped(s(5), Witness.TILT),
        SandTrouble(s(25), SandReason.FLIPPED_EARLY),
        SandRanOut(s(45), s(40), Witness.DURATION, True),
    ]


def test_a_knock_on_the_table_changes_nothing() -> None:
    events = judge(BOTH, turn(s(5), True), sand(s(5.6), s(65)), bump(s(30), True), bump(s(50), True))
    assert [type(event) for event in events] == [SandFlipped, SandRanOut]


def test_a_knock_while_nothing_runs_begins_no_round() -> None:
    knock = [Edge(s(5) + i * 8 * MS, "barrier", i % 2 == 0) for i in range(8)]
    assert judge(BOTH, knock, bump(s(9), False)) == []


def test_a_timer_laid_aside_and_put_back_begins_no_round() -> None:
    events = judge(
        BOTH, turn(s(5), True), sand(s(5.6), s(65)), turn(s(80), False), turn(s(90), True, seed=5), until_ns=s(120)
    )
    assert events[2:] == [SandTrouble(s(80), SandReason.NO_SAND)]


def test_a_flip_without_sand_is_told() -> None:
    events = judge(BOTH, turn(s(5), True), sand(s(5.6), s(65)), turn(s(80), False))
    assert events[2:] == [SandTrouble(s(80), SandReason.NO_SAND)]


def test_a_light_barrier_that_never_saw_anything_is_replaced_by_the_learned_duration() -> None:
    events = judge(BOTH, turn(s(5), True), until_ns=s(80))
    assert events == [
        SandFlipped(s(5), Witness.TILT),
        SandTrouble(s(5), SandReason.BARRIER_SILENT),
        SandRanOut(s(65), s(60), Witness.DURATION, False),
    ]


def test_a_barrier_that_flickers_without_end_gives_no_end() -> None:
    events = judge(BOTH, turn(s(5), True), sand(s(5.6), s(200)))
    assert [type(event) for event in events] == [SandFlipped, SandTrouble]
    assert isinstance(events[1], SandTrouble) and events[1].reason is SandReason.ENDLESS


def test_a_watched_timer_runs_by_its_duration_from_a_tap() -> None:
    taps = [Edge(s(5), "flip", True), Edge(s(5.1), "flip", False), Edge(s(5.4), "flip", True)]
    watched = SandSettings(backend="watched", barrier=None, tilt=None, profile=PROFILE)
    logic = SandLogic(watched)
    assert judge_edges(logic, taps) == [SandFlipped(s(5), Witness.HAND)]
    assert logic.remaining_ns(s(35)) == s(30)
    assert logic.advance(s(64.9)) == []
    assert logic.advance(s(65)) == [SandRanOut(s(65), s(60), Witness.DURATION, False)]


def test_a_cancelled_round_ends_without_time() -> None:
    logic = SandLogic(BOTH)
    judge_edges(logic, turn(s(5), True) + sand(s(5.6), s(20)))
    logic.cancel()
    assert not logic.running
    assert logic.advance(s(100)) == []


@given(st.integers(1, 59), st.integers(0, 10_000))
@settings(max_examples=60)
def test_wherever_it_clogs_it_is_told_unless_it_is_as_good_as_over(at_s: int, seed: int) -> None:
    events = judge(BOTH, turn(s(5), True), sand(s(5), s(5 + at_s), seed=seed))
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
        turn(s(5), True) + sand(s(5.6), s(5.6 + cut_s)) + turn(s(6.3 + cut_s), False) + sand(s(7 + cut_s), s(66)),
        key=lambda edge: edge.t_ns,
    )
    looked = SandLogic(BOTH)
    events: list[Event] = []
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


def test_pins_and_profiles_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadSettingError):
        Pin(40)
    with pytest.raises(BadSettingError):
        Pin(4, pull="sideways")
    with pytest.raises(BadSettingError):
        SandProfile(duration_ns=SECOND, spread_ns=0, longest_gap_ns=2 * SECOND)
