"""A script's pins bounce and flicker as real ones, and it stands still while its people wait."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.bell import BellLogic
from hardware.edges import Edge, judge_edges
from hardware.events import BellPressed, SandFlipped, SandRanOut, SandTrouble
from hardware.sand import SandLogic
from referee.demo.devices import wiring_for
from simulation.pins import edges_of
from simulation.script import Action, BellHit, Flip, Script, person_at
from simulation.waits import LONGEST_NS, Waits

SECOND = 10**9
AREA = (800.0, 450.0)


def script_of(*actions: Action) -> Script:
    people = (person_at((400, 430), AREA, 0), person_at((20, 225), AREA, 1))
    return Script(AREA, (), people, actions, 60.0, bell_mm=(400, 200), sandtimer_mm=(600, 200))


@given(st.integers(0, 10**6), st.lists(st.floats(0.3, 3.0), min_size=1, max_size=8))
@settings(max_examples=40)
def test_each_ring_is_one_press_at_its_first_edge(seed: int, gaps: list[float]) -> None:
    times = [sum(gaps[: i + 1]) for i in range(len(gaps))]
    edges = edges_of(script_of(*(BellHit(0, at) for at in times)), seed, 5 * SECOND)
    events = judge_edges(BellLogic({"bell": None}), edges, 100 * SECOND)
    pressed = [event.t_ns for event in events if isinstance(event, BellPressed)]
    assert pressed == [5 * SECOND + round(at * SECOND) for at in times]


@given(st.integers(0, 10**6), st.floats(5.0, 25.0))
@settings(max_examples=25)
def test_the_sand_is_seen_to_run_and_to_end_with_its_last_grain(seed: int, runs_s: float) -> None:
    script = script_of(Flip(0, 3.0, runs_s), Flip(0, 5.0 + runs_s, runs_s))
    logic = SandLogic(wiring_for(script, seed).sand)
    for line in ("barrier", "tilt"):
        logic.begin(Edge(0, line, False))
    events = judge_edges(logic, edges_of(script, seed, SECOND), 100 * SECOND)
    ends = [event.t_ns for event in events if isinstance(event, SandRanOut)]
    assert sum(isinstance(event, SandFlipped) for event in events) == 2
    assert not [event for event in events if isinstance(event, SandTrouble)]
    for end, at in zip(ends, (4.0 + runs_s, 6.0 + 2 * runs_s), strict=True):
        assert abs(end - round(at * SECOND)) <= 400_000 + 2  # ns of rounding


def test_edges_are_the_same_for_the_same_seed_and_in_order() -> None:
    script = script_of(BellHit(0, 2.0), Flip(0, 1.0, 3.0))
    one, again, other = (edges_of(script, seed, 0) for seed in (1, 1, 2))
    assert one == again != other
    assert all(first.t_ns <= second.t_ns for first, second in pairwise(one))


def test_a_script_stands_still_until_people_go_on_and_then_comes_late_by_so_much() -> None:
    waits = Waits((10.0, 20.0))
    assert [waits.script_ns(t * SECOND) for t in (5, 10, 18)] == [5 * SECOND, 10 * SECOND, 10 * SECOND]
    assert waits.clock_ns(9 * SECOND, 0) == 9 * SECOND
    assert waits.clock_ns(11 * SECOND, 18 * SECOND) is None
    waits.go_on(18 * SECOND)
    late = waits.script_ns(30 * SECOND)
    assert 20 * SECOND <= late <= 22 * SECOND
    due = waits.clock_ns(15 * SECOND, 18 * SECOND)
    assert due is not None and waits.script_ns(due) == 15 * SECOND
    # What was filmed while they waited stays as it was.
    assert waits.script_ns(17 * SECOND) == 10 * SECOND


def test_who_was_answered_before_does_not_wait_and_nobody_waits_for_ever() -> None:
    waits = Waits((10.0, 20.0))
    waits.go_on(6 * SECOND)
    assert waits.script_ns(15 * SECOND) == 15 * SECOND
    assert waits.script_ns(20 * SECOND + LONGEST_NS) == 20 * SECOND
    assert waits.clock_ns(21 * SECOND, 30 * SECOND) is None
    assert waits.clock_ns(21 * SECOND, 21 * SECOND + LONGEST_NS) == 21 * SECOND + LONGEST_NS
