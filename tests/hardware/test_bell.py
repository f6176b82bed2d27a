"""Presses out of chatter, none lost, none doubled, dated by their first edge; and the bell as a device."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.bell import BellLogic, ButtonFault, Debouncer, Outcome, Press, Recovered, Stuck, make_bell
from hardware.edges import Edge, EdgeDevice, judge_edges
from hardware.events import BellEdge, BellPressed, TimedEvent
from hardware.problems import BadSettingError, DeviceMissingError, Health, Problem
from hardware.settings import (
    MS,
    SECOND,
    US,
    BellSettings,
    DebounceSettings,
    Pin,
)
from tests.support.device_fakes import FakeClock, FakeLines, ListSink

Pairs = list[tuple[int, bool]]


def debounce(pairs: Pairs, until_ns: int | None = None) -> list[Outcome]:
    """Feed one line's pairs, and let time go on until the last chatter is over."""
    debouncer = Debouncer()
    outcomes = [outcome for t_ns, active in pairs for outcome in debouncer.feed(t_ns, active)]
    last_ns = max((t_ns for t_ns, _ in pairs), default=0)
    return outcomes + debouncer.advance(last_ns + DebounceSettings().chatter_ns if until_ns is None else until_ns)


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


BURST = toggles(SECOND, [300 * US, 200 * US] * 19 + [300 * US], True)
HELD: list[Outcome] = [Press(0), Stuck(5 * SECOND, ButtonFault.HELD)]
CASES: dict[str, tuple[Pairs, list[Outcome]]] = {
    "a clean press": ([(1000, True), (50 * MS, False)], [Press(1000)]),
    "chatter of 30 ms": (toggles(0, [1 * MS, 29 * MS, 1 * MS, 30 * MS, 60 * MS], True), [Press(0)]),
    "again after a longer gap": (toggles(0, [40 * MS, 31 * MS, 29 * MS], True), [Press(0), Press(71 * MS)]),
    "spike of 1 ns": (toggles(SECOND, [1], True), []),
    "spike of 49 us": (toggles(SECOND, [49 * US], True), []),
    "spike of 300 us": (toggles(SECOND, [300 * US], True), []),
    "a spike dates no press": (toggles(0, [20 * US, 8 * MS - 20 * US, 52 * MS], True), [Press(8 * MS)]),
    "a train of spikes": (toggles(0, [10 * US, 2 * MS] * 8 + [10 * US], True), []),
    "a burst of interference": (BURST, []),
    "a finger that chatters as much": ([*BURST, (BURST[-1][0] + 200 * US, True), (2 * SECOND, False)], [Press(SECOND)]),
    "held for long, then let go": (
        toggles(0, [8 * SECOND, 500 * MS, 100 * MS, 2400 * MS, 50 * MS], True),
        [*HELD, Recovered(9 * SECOND + 600 * MS), Press(11 * SECOND)],
    ),
    "a shorted wire that crackles": (toggles(0, [20 * MS, 10 * MS] * 200, True), HELD),
    "a lost release": ([(0, True), (SECOND, True), (SECOND + 90 * MS, False)], [Press(0), Press(SECOND)]),
    "a lost edge as it is let go": ([(0, True), (SECOND, True), (SECOND + 2 * MS, False)], [Press(0)]),
    "an excited child": (toggles(0, [35 * MS] * 99, True), [Press(at * 70 * MS) for at in range(50)]),
}


@pytest.mark.parametrize(("pairs", "wanted"), CASES.values(), ids=CASES)
def test_which_edges_are_presses(pairs: Pairs, wanted: list[Outcome]) -> None:
    assert debounce(pairs) == wanted


def test_a_loose_wire_that_rings_faster_than_fingers_is_taken_out() -> None:
    outcomes = debounce(toggles(0, [5 * MS, 35 * MS] * 59 + [5 * MS], True), until_ns=10 * SECOND)
    assert len(presses(outcomes)) == 39
    assert outcomes[39:] == [Stuck(39 * 40 * MS, ButtonFault.FLUTTER), Recovered(59 * 40 * MS + 5 * MS + SECOND)]


def test_a_contact_counts_in_full_though_the_edges_before_it_came_when_it_was_over() -> None:
    debouncer = Debouncer()
    outcomes = debouncer.feed(0, True) + debouncer.feed(50 * US, False) + debouncer.advance(9 * MS)
    outcomes += debouncer.feed(100 * US, True) + debouncer.feed(8 * MS, False) + debouncer.advance(SECOND)
    assert outcomes == [Press(0)]


@given(st.randoms(use_true_random=False), st.lists(st.integers(0, 200 * MS), max_size=30))
def test_a_press_is_reported_once_however_late_its_edges_are_delivered(rng: random.Random, late_ns: list[int]) -> None:
    debouncer, outcomes = Debouncer(), []
    pairs = chattering_press(rng, 0)
    for (t_ns, active), late in zip(pairs, late_ns + [0] * len(pairs), strict=False):
        outcomes += debouncer.feed(t_ns, active) + debouncer.advance(t_ns + late)
    assert len(presses(outcomes + debouncer.advance(SECOND))) == 1


def test_ten_thousand_presses_on_seven_buttons() -> None:
    """Random chatter, spikes and near-ties: none lost, none doubled, in order where they are 0.1 ms apart."""
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
    assert set(presses(outcomes)) <= {t_ns for t_ns, closing in pairs if closing}


@given(st.lists(st.tuples(st.integers(0, 20 * SECOND), st.booleans()), max_size=80))
@settings(max_examples=200)
def test_no_nonsense_on_the_line_breaks_it(pairs: Pairs) -> None:
    """Stamps that jump back and forth, levels that repeat: every press is an edge's, in order, 30 ms apart."""
    found = presses(debounce(pairs, until_ns=60 * SECOND))
    assert set(found) <= {t_ns for t_ns, _ in pairs}
    assert all(later - earlier > 0 for earlier, later in pairwise(found))


SEATS: dict[str, int | None] = {"seat 0": 0, "seat 1": 1, "seat 2": 2}


def press(t_ns: int, seat: int, length_ns: int = 80 * MS) -> list[Edge]:
    return [Edge(t_ns, f"seat {seat}", True), Edge(t_ns + length_ns, f"seat {seat}", False)]


def rung(events: list[TimedEvent]) -> list[tuple[int, int | None]]:
    return [(event.t_ns, event.seat) for event in events if isinstance(event, BellPressed)]


def test_the_first_of_two_is_first_even_if_its_contact_closes_later() -> None:
    """Seat 1 touches first but bounces for 20 ms; seat 0 is decided long before it."""
    edges = [Edge(0, "seat 1", True), Edge(100 * US, "seat 1", False), *press(1 * MS, 0), Edge(20 * MS, "seat 1", True)]
    edges = sorted([*edges, Edge(90 * MS, "seat 1", False)], key=lambda edge: edge.t_ns)
    assert rung(judge_edges(BellLogic(SEATS), edges)) == [(0, 1), (1 * MS, 0)]


def test_a_stuck_button_is_reported_in_words_and_the_others_go_on() -> None:
    edges = sorted([Edge(SECOND, "seat 1", True), *press(9 * SECOND, 0)], key=lambda edge: edge.t_ns)
    edges += [Edge(12 * SECOND, "seat 1", False), *press(14 * SECOND, 1)]
    events = judge_edges(BellLogic(SEATS), edges)
    assert rung(events) == [(SECOND, 1), (9 * SECOND, 0), (14 * SECOND, 1)]
    states = [event for event in events if isinstance(event, Problem)]
    assert [(state.t_ns, state.state) for state in states] == [(6 * SECOND, Health.STUCK), (13 * SECOND, Health.OK)]
    assert "seat 2" in states[0].message


def test_a_button_that_is_down_when_the_evening_begins_did_not_ring() -> None:
    logic = BellLogic(SEATS)
    logic.begin(Edge(0, "seat 0", True))
    events = [*logic.advance(SECOND), *logic.feed(Edge(2 * SECOND, "seat 0", False)), *logic.advance(3 * SECOND)]
    assert rung(events) == []
    assert rung([*logic.feed(Edge(4 * SECOND, "seat 0", True)), *logic.advance(5 * SECOND)]) == [(4 * SECOND, 0)]


def test_a_press_reaches_the_sink_when_nothing_earlier_can_be_on_its_way() -> None:
    clock, lines, sink = FakeClock(), FakeLines(), ListSink()
    device = EdgeDevice("bell", lines, BellLogic(SEATS), sink, clock)
    device.step()
    lines.move(clock.t_ns, "seat 1", True)
    device.step()
    assert sink.of(BellPressed) == []
    assert sink.held_ns == SECOND
    clock.t_ns += 6 * MS
    device.step()
    assert sink.of(BellPressed) == [BellPressed(SECOND, 1)]
    assert sink.held_ns is None


def test_a_missing_bell_is_reported_once_and_works_when_it_is_there() -> None:
    clock, lines, sink = FakeClock(), FakeLines(), ListSink()
    lines.error = DeviceMissingError("some.fault", "No pins.")
    device = EdgeDevice("bell", lines, BellLogic(SEATS), sink, clock)
    for _ in range(50):
        clock.t_ns += 100 * MS
        device.step()
    assert [(state.state, state.message) for state in sink.of(Problem)] == [(Health.MISSING, "No pins.")]
    lines.error = None
    clock.t_ns += 2 * SECOND
    device.step()
    assert sink.of(Problem)[-1].state is Health.OK
    lines.move(clock.t_ns, "seat 0", True)
    clock.t_ns += 10 * MS
    device.step()
    assert len(sink.of(BellPressed)) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: BellSettings(pins=()),
        lambda: BellSettings(pins=tuple(Pin(i) for i in range(8)), one_for_all=False),
        lambda: BellSettings(pins=(Pin(4), Pin(4)), one_for_all=False),
        lambda: BellSettings(pins=(Pin(4), Pin(5))),
        lambda: DebounceSettings(chatter_ns=1 * MS),
        lambda: make_bell(BellSettings(backend="gong"), ListSink()),
    ],
)
def test_bells_that_cannot_be_wired_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(BadSettingError):
        make()


def test_an_edge_that_comes_while_the_clock_is_read_is_not_taken_to_be_late() -> None:
    """A busy computer may stop the thread anywhere: time must not pass an edge that has come already."""
    lines, sink = FakeLines(), ListSink()
    moved: list[int] = []

    def clock() -> int:
        if lines.on_edge is not None and not moved:
            moved.append(2 * SECOND)
            lines.move(2 * SECOND, "bell", True)
        return 3 * SECOND

    device = EdgeDevice("bell", lines, Strict(), sink, clock)
    device.step()
    device.step()
    device.close()
    assert moved


class Strict(BellLogic):
    """Raises if an edge is fed that is before what was promised to be complete."""

    def __init__(self) -> None:
        super().__init__({"bell": None})
        self.promised_ns = 0

    def feed(self, edge: Edge) -> list[TimedEvent]:
        assert edge.t_ns > self.promised_ns
        return super().feed(edge)

    def advance(self, t_ns: int) -> list[TimedEvent]:
        self.promised_ns = max(self.promised_ns, t_ns)
        return super().advance(t_ns)
