"""Presses out of chatter: none lost, none doubled, dated by their first edge."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.bell import BellLogic, Debouncer, Fault, Outcome, Press, Recovered, Stuck, debounce
from hardware.edges import Edge, judge_edges
from hardware.events import BellEdge, BellPressed
from hardware.problems import BadSettingError
from hardware.settings import MS, SECOND, US, DebounceSettings

Pairs = list[tuple[int, bool]]


def toggles(t_ns: int, spans: list[int], first: bool) -> Pairs:
    """Edges at t_ns and after each span, alternating from `first`."""
    pairs, level = [(t_ns, first)], first
    for span in spans:
        t_ns, level = t_ns + span, not level
        pairs.append((t_ns, level))
    return pairs


def chattering_press(rng: random.Random, t_ns: int) -> Pairs:
    """A press at t_ns of 8 to 250 ms with up to 30 ms of chatter at either end."""
    # Contacts come back within 5 ms; an even number of toggles ends as it began.
    make = [rng.randint(3 * US, 3 * MS) for _ in range(2 * rng.randint(0, 5))]
    down = toggles(t_ns, make, True)
    released = down[-1][0] + rng.randint(8 * MS, 250 * MS)
    broke = [rng.randint(3 * US, 3 * MS) for _ in range(2 * rng.randint(0, 5))]
    return down + toggles(released, broke, False)


def presses(outcomes: list[Outcome]) -> list[int]:
    return [outcome.t_ns for outcome in outcomes if isinstance(outcome, Press)]


def test_a_clean_press_is_dated_by_its_first_edge() -> None:
    assert debounce([(1000, True), (50 * MS, False)]) == [Press(1000)]


def test_chatter_of_thirty_milliseconds_is_one_press() -> None:
    pairs = toggles(0, [1 * MS, 29 * MS, 1 * MS, 30 * MS, 60 * MS], True)
    assert debounce(pairs) == [Press(0)]


def test_a_second_press_after_a_longer_gap_counts() -> None:
    pairs = [(0, True), (40 * MS, False), (71 * MS, True), (100 * MS, False)]
    assert debounce(pairs) == [Press(0), Press(71 * MS)]


@pytest.mark.parametrize("width_ns", [1, 5 * US, 49 * US, 300 * US])
def test_a_spike_is_no_press(width_ns: int) -> None:
    assert debounce([(SECOND, True), (SECOND + width_ns, False)]) == []


def test_a_spike_shortly_before_a_press_does_not_date_it() -> None:
    pairs = [(0, True), (20 * US, False), (8 * MS, True), (60 * MS, False)]
    assert debounce(pairs) == [Press(8 * MS)]


def test_a_train_of_spikes_is_no_press() -> None:
    pairs = toggles(0, [10 * US, 2 * MS] * 8 + [10 * US], True)
    assert debounce(pairs) == []


def test_a_burst_of_interference_is_no_press_and_a_finger_that_chatters_as_much_is() -> None:
    burst = toggles(SECOND, [300 * US, 200 * US] * 19 + [300 * US], True)
    assert debounce(burst) == []
    assert debounce([*burst, (burst[-1][0] + 200 * US, True), (2 * SECOND, False)]) == [Press(SECOND)]


def test_a_press_is_told_while_the_button_is_still_down() -> None:
    debouncer = Debouncer()
    assert debouncer.feed(0, True) == []
    assert debouncer.deadline_ns == 400 * US
    assert debouncer.advance(400 * US - 1) == []
    assert debouncer.advance(400 * US) == [Press(0)]


def test_a_button_held_for_ever_is_out_of_play_until_it_is_let_go() -> None:
    pairs = [(0, True), (8 * SECOND, False), (8 * SECOND + 500 * MS, True), (8 * SECOND + 600 * MS, False)]
    pairs += [(11 * SECOND, True), (11 * SECOND + 50 * MS, False)]
    assert debounce(pairs) == [
        Press(0),
        Stuck(5 * SECOND, Fault.HELD),
        Recovered(9 * SECOND + 600 * MS),
        Press(11 * SECOND),
    ]


def test_a_shorted_wire_that_crackles_is_stuck_as_well() -> None:
    pairs = toggles(0, [20 * MS, 10 * MS] * 300, True)
    assert debounce(pairs)[:2] == [Press(0), Stuck(5 * SECOND, Fault.HELD)]


def test_a_loose_wire_that_rings_faster_than_fingers_is_taken_out() -> None:
    pairs: Pairs = []
    for i in range(60):
        pairs += [(i * 40 * MS, True), (i * 40 * MS + 5 * MS, False)]
    outcomes = debounce(pairs, until_ns=10 * SECOND)
    assert len(presses(outcomes)) == 39
    assert outcomes[39:] == [Stuck(39 * 40 * MS, Fault.FLUTTER), Recovered(59 * 40 * MS + 5 * MS + SECOND)]


def test_an_excited_child_is_not_taken_for_a_loose_wire() -> None:
    pairs: Pairs = []
    for i in range(50):
        pairs += [(i * 70 * MS, True), (i * 70 * MS + 35 * MS, False)]
    assert len(presses(debounce(pairs))) == 50


def test_a_button_that_is_down_at_the_start_was_not_pressed() -> None:
    debouncer = Debouncer(active=True, t_ns=SECOND)
    assert debouncer.advance(2 * SECOND) == []
    debouncer.feed(2 * SECOND, False)
    debouncer.feed(3 * SECOND, True)
    assert debouncer.advance(4 * SECOND) == [Press(3 * SECOND)]


def test_a_lost_release_does_not_cost_the_next_press() -> None:
    assert debounce([(0, True), (SECOND, True), (SECOND + 90 * MS, False)]) == [Press(0), Press(SECOND)]


def test_a_lost_edge_in_the_chatter_of_a_release_is_no_second_press() -> None:
    assert debounce([(0, True), (SECOND, True), (SECOND + 2 * MS, False)]) == [Press(0)]


def test_chatter_that_is_delivered_when_the_press_has_long_ended_is_no_second_press() -> None:
    debouncer = Debouncer()
    outcomes = debouncer.feed(0, True) + debouncer.feed(100 * MS, False) + debouncer.advance(180 * MS)
    for t_ns, active in ((101 * MS, True), (102 * MS, False)):
        outcomes += debouncer.feed(t_ns, active) + debouncer.advance(t_ns + 80 * MS)
    outcomes += debouncer.advance(200 * MS) + debouncer.feed(300 * MS, True) + debouncer.advance(301 * MS)
    assert outcomes == [Press(0), Press(300 * MS)]


def test_a_contact_counts_in_full_though_the_edges_before_it_were_told_when_it_was_over() -> None:
    debouncer = Debouncer()
    outcomes = debouncer.feed(0, True) + debouncer.feed(50 * US, False) + debouncer.advance(9 * MS)
    outcomes += debouncer.feed(100 * US, True) + debouncer.feed(8 * MS, False) + debouncer.advance(SECOND)
    assert outcomes == [Press(0)]


@given(st.randoms(use_true_random=False), st.lists(st.integers(0, 200 * MS), max_size=30))
def test_a_press_is_told_once_however_late_its_edges_are_delivered(rng: random.Random, late_ns: list[int]) -> None:
    debouncer, outcomes = Debouncer(), []
    pairs = chattering_press(rng, 0)
    for (t_ns, active), late in zip(pairs, late_ns + [0] * len(pairs), strict=False):
        outcomes += debouncer.feed(t_ns, active) + debouncer.advance(t_ns + late)
    assert len(presses(outcomes + debouncer.advance(SECOND))) == 1


def test_settings_that_contradict_themselves_are_refused() -> None:
    with pytest.raises(BadSettingError):
        DebounceSettings(chatter_ns=1 * MS)


def test_ten_thousand_presses_on_seven_buttons() -> None:
    """Random chatter, spikes and near-ties: none lost, none doubled, in order where they lie 0.1 ms apart."""
    rng = random.Random(20)
    edges: list[Edge] = []
    truth: list[tuple[int, int]] = []
    t_ns = SECOND
    while len(truth) < 10_000:
        t_ns += SECOND
        at = t_ns
        for seat in rng.sample(range(7), rng.randint(1, 4)):
            truth.append((at, seat))
            edges += [Edge(t, f"seat {seat}", level) for t, level in chattering_press(rng, at)]
            at += rng.choice([100 * US, 200 * US, rng.randint(100 * US, 40 * MS)])
        for _ in range(rng.randint(0, 3)):
            # A spike anywhere on the quiet part of the line.
            spike, seat = t_ns + rng.randint(500 * MS, 900 * MS), rng.randrange(7)
            edges += [Edge(spike, f"seat {seat}", True), Edge(spike + rng.randint(1, 49 * US), f"seat {seat}", False)]
    edges.sort(key=lambda edge: edge.t_ns)
    logic = BellLogic({f"seat {seat}": seat for seat in range(7)})
    events = judge_edges(logic, edges, edges[-1].t_ns + SECOND)
    rung = [(event.t_ns, event.seat) for event in events if isinstance(event, BellPressed)]
    assert rung == sorted(truth)
    assert sum(isinstance(event, BellEdge) for event in events) == len(edges)


@given(st.randoms(use_true_random=False), st.integers(1, 12))
@settings(max_examples=150)
def test_presses_apart_are_all_found_and_nothing_else(rng: random.Random, count: int) -> None:
    pairs: Pairs = []
    truth: list[int] = []
    t_ns = 0
    for _ in range(count):
        t_ns += rng.randint(31 * MS, 2 * SECOND)
        truth.append(t_ns)
        pairs += chattering_press(rng, t_ns)
        t_ns = pairs[-1][0]
    assert presses(debounce(pairs)) == truth


@given(st.lists(st.integers(1, 80 * MS), min_size=1, max_size=60), st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_looking_more_often_changes_nothing(spans: list[int], rng: random.Random) -> None:
    pairs = toggles(0, spans, True)
    looked = Debouncer()
    outcomes: list[Outcome] = []
    previous = 0
    for t_ns, level in pairs:
        for look in sorted(rng.randint(previous, t_ns) for _ in range(3)):
            if look < t_ns:
                outcomes += looked.advance(look)
        outcomes += looked.feed(t_ns, level)
        previous = t_ns
    outcomes += looked.advance(previous + 30 * MS)
    assert outcomes == debounce(pairs)


@given(st.lists(st.tuples(st.integers(0, 20 * SECOND), st.booleans()), max_size=80))
@settings(max_examples=200)
def test_no_nonsense_on_the_line_breaks_it(pairs: Pairs) -> None:
    """Stamps that jump back and forth, levels that repeat: every press is an edge's, in order, 30 ms apart."""
    found = presses(debounce(pairs, until_ns=60 * SECOND))
    assert set(found) <= {t_ns for t_ns, _ in pairs}
    assert all(later - earlier > 0 for earlier, later in pairwise(found))


@given(st.lists(st.integers(1, 40 * MS), max_size=60))
@settings(max_examples=150)
def test_a_press_is_never_dated_on_anything_but_a_closing_edge(spans: list[int]) -> None:
    pairs = toggles(0, spans, True)
    closing = {t_ns for t_ns, level in pairs if level}
    assert set(presses(debounce(pairs))) <= closing
