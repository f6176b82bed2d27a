"""Pins that bounce and flicker as real ones: what is made of them is what the script says, whatever the seed."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from gpiozero.pins.mock import MockFactory
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.bell import BellLogic
from hardware.edges import Edge, LineSpec, judge_edges
from hardware.events import BellPressed, SandFlipped, SandRanOut, SandTrouble
from hardware.gpio import GpioLines
from hardware.sand import SandLogic
from hardware.settings import Pin
from referee.demo.devices import wiring_for
from simulation.pins import PinMover, StampedPin, edges_of, pin_factory
from simulation.script import Action, Flip, Ring, Script, person_at

SECOND = 10**9
AREA = (800.0, 450.0)


def script_of(*actions: Action) -> Script:
    people = (person_at((400, 430), AREA, 0), person_at((20, 225), AREA, 1))
    return Script(AREA, (), people, actions, 60.0, bell_mm=(400, 200), sandtimer_mm=(600, 200))


@given(st.integers(0, 10**6), st.lists(st.floats(0.3, 3.0), min_size=1, max_size=8))
@settings(max_examples=40)
def test_each_ring_is_one_press_at_its_first_edge(seed: int, gaps: list[float]) -> None:
    times = [sum(gaps[: i + 1]) for i in range(len(gaps))]
    edges = edges_of(script_of(*(Ring(0, at) for at in times)), seed, 5 * SECOND)
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
    script = script_of(Ring(0, 2.0), Flip(0, 1.0, 3.0))
    one, again, other = (edges_of(script, seed, 0) for seed in (1, 1, 2))
    assert one == again != other
    assert all(first.t_ns <= second.t_ns for first, second in pairwise(one))


@pytest.fixture
def factory() -> MockFactory:
    return pin_factory()


def collected(factory: MockFactory, pin: Pin, edges: list[Edge]) -> list[Edge]:
    taken: list[Edge] = []
    specs = [LineSpec("bell", pin)]
    clock = lambda: 10 * SECOND
    lines = GpioLines(specs, lambda: factory, clock)
    lines.open(taken.append, lambda state, message: None)
    assert PinMover(factory, specs, edges, clock).move_until(20 * SECOND) == len(edges)
    lines.close()
    return taken


@pytest.mark.parametrize("pin", [Pin(17), Pin(17, pull="down", active_high=True)])
def test_pins_hand_on_the_stamps_that_they_are_moved_with(factory: MockFactory, pin: Pin) -> None:
    edges = [Edge(9 * SECOND + 137_000 * i, "bell", i % 2 == 0) for i in range(9)]
    taken = collected(factory, pin, edges)
    assert [edge.active for edge in taken] == [edge.active for edge in edges]
    assert all(abs(one.t_ns - other.t_ns) < 10 for one, other in zip(taken, edges, strict=True))


def test_pins_can_be_moved_for_ever_without_remembering_it(factory: MockFactory) -> None:
    pin = factory.pin(17)
    assert isinstance(pin, StampedPin)
    before = len(pin.states)
    for i in range(1000):
        pin.move(i, i % 2 == 0)
    assert len(pin.states) == before


def test_edges_before_a_time_are_moved_and_no_others(factory: MockFactory) -> None:
    edges = [Edge(t_ns, "bell", active) for t_ns, active in ((10, True), (20, False), (30, True))]
    mover = PinMover(factory, [LineSpec("bell", Pin(17))], [*edges, Edge(40, "another", True)])
    assert mover.move_until(20) == 1
    assert mover.horizon_ns(25) == 20
    assert mover.move_until(1000) == 2
    assert mover.horizon_ns(25) == 25


def test_only_pins_of_its_own_kind_are_moved() -> None:
    mover = PinMover(MockFactory(), [LineSpec("bell", Pin(17))], [Edge(10, "bell", True)])
    with pytest.raises(TypeError, match="pin_factory"):
        mover.move_until(11)


def test_the_thread_moves_what_is_due_and_ends_when_told(factory: MockFactory) -> None:
    now_ns = time.monotonic_ns()
    edges = [Edge(now_ns - 5, "bell", True), Edge(now_ns + 3600 * SECOND, "bell", False)]
    mover = PinMover(factory, [LineSpec("bell", Pin(17))], edges)
    mover.start()
    while mover.horizon_ns(now_ns) < now_ns:
        time.sleep(0.001)
    mover.stop()
    assert bool(factory.pin(17).state) is False
