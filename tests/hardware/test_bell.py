"""The bell as a device: order, health, and survival of lines that misbehave."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from hardware.bell import BellLogic, NoBell, bell_lines, bell_seats, make_bell
from hardware.edges import Edge, EdgeDevice, RecordedLines, judge_edges
from hardware.events import BellEdge, BellPressed, Event
from hardware.microphone import MicrophoneBell
from hardware.problems import BadSettingError, DeviceHealth, DeviceMissingError, Health
from hardware.settings import MS, SECOND, US, BellSettings, LampSettings, Pin, SandSettings, check_pins
from tests.support.device_fakes import FakeClock, FakeLines, ListSink

SEATS: dict[str, int | None] = {"seat 0": 0, "seat 1": 1, "seat 2": 2}


def press(t_ns: int, seat: int, length_ns: int = 80 * MS) -> list[Edge]:
    return [Edge(t_ns, f"seat {seat}", True), Edge(t_ns + length_ns, f"seat {seat}", False)]


def rung(events: list[Event]) -> list[tuple[int, int | None]]:
    return [(event.t_ns, event.seat) for event in events if isinstance(event, BellPressed)]


def test_two_buttons_a_fifth_of_a_millisecond_apart_keep_their_order() -> None:
    edges = sorted(press(SECOND + 200 * US, 0) + press(SECOND, 2), key=lambda edge: edge.t_ns)
    assert rung(judge_edges(BellLogic(SEATS), edges)) == [(SECOND, 2), (SECOND + 200 * US, 0)]


def test_the_first_of_two_is_first_even_if_its_contact_closes_later() -> None:
    """Seat 1 touches first but bounces for 20 ms; seat 0 is decided long before it."""
    edges = [Edge(0, "seat 1", True), Edge(100 * US, "seat 1", False), *press(1 * MS, 0), Edge(20 * MS, "seat 1", True)]
    edges = sorted([*edges, Edge(90 * MS, "seat 1", False)], key=lambda edge: edge.t_ns)
    assert rung(judge_edges(BellLogic(SEATS), edges)) == [(0, 1), (1 * MS, 0)]


def test_a_spike_elsewhere_holds_a_press_up_for_a_few_milliseconds_only() -> None:
    logic = BellLogic(SEATS)
    logic.feed(Edge(0, "seat 1", True))
    logic.feed(Edge(20 * US, "seat 1", False))
    logic.feed(Edge(1 * MS, "seat 0", True))
    assert rung(logic.advance(4 * MS)) == []
    assert logic.undecided_ns == 0
    assert rung(logic.advance(6 * MS)) == [(1 * MS, 0)]
    assert logic.undecided_ns is None


def test_the_single_bell_tells_nobodys_seat() -> None:
    settings = BellSettings()
    assert [spec.name for spec in bell_lines(settings)] == ["bell"]
    edges = [Edge(SECOND, "bell", True), Edge(SECOND + 50 * MS, "bell", False)]
    events = judge_edges(BellLogic(bell_seats(settings)), edges)
    assert events[0] == BellEdge(SECOND, None, True)
    assert rung(events) == [(SECOND, None)]


def test_a_stuck_button_is_reported_in_words_and_the_others_go_on() -> None:
    edges = sorted([Edge(SECOND, "seat 1", True), *press(9 * SECOND, 0)], key=lambda edge: edge.t_ns)
    edges += [Edge(12 * SECOND, "seat 1", False), *press(14 * SECOND, 1)]
    events = judge_edges(BellLogic(SEATS), edges)
    assert rung(events) == [(SECOND, 1), (9 * SECOND, 0), (14 * SECOND, 1)]
    states = [event for event in events if isinstance(event, DeviceHealth)]
    assert [(state.t_ns, state.state) for state in states] == [(6 * SECOND, Health.STUCK), (13 * SECOND, Health.OK)]
    assert "seat 2" in states[0].message


def test_a_button_that_is_down_when_the_evening_begins_did_not_ring() -> None:
    logic = BellLogic(SEATS)
    logic.begin(Edge(0, "seat 0", True))
    events = [*logic.advance(SECOND), *logic.feed(Edge(2 * SECOND, "seat 0", False)), *logic.advance(3 * SECOND)]
    assert rung(events) == []
    assert rung([*logic.feed(Edge(4 * SECOND, "seat 0", True)), *logic.advance(5 * SECOND)]) == [(4 * SECOND, 0)]


def test_edges_of_other_lines_are_not_the_bells() -> None:
    assert judge_edges(BellLogic(SEATS), [Edge(SECOND, "barrier", True)]) == []


def make_device(lines: FakeLines, clock: FakeClock) -> tuple[EdgeDevice, ListSink]:
    sink = ListSink()
    return EdgeDevice("bell", lines, BellLogic(SEATS), sink, clock), sink


def test_a_press_reaches_the_sink_when_nothing_earlier_can_be_on_its_way() -> None:
    clock, lines = FakeClock(), FakeLines()
    device, sink = make_device(lines, clock)
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
    clock, lines = FakeClock(), FakeLines()
    lines.error = DeviceMissingError("No pins.")
    device, sink = make_device(lines, clock)
    for _ in range(50):
        clock.t_ns += 100 * MS
        device.step()
    assert [(state.state, state.message) for state in sink.of(DeviceHealth)] == [(Health.MISSING, "No pins.")]
    lines.error = None
    clock.t_ns += 2 * SECOND
    device.step()
    assert sink.of(DeviceHealth)[-1].state is Health.OK
    lines.move(clock.t_ns, "seat 0", True)
    clock.t_ns += 10 * MS
    device.step()
    assert len(sink.of(BellPressed)) == 1


def test_a_thread_delivers_and_ends() -> None:
    arrived = threading.Event()

    class Waker(ListSink):
        def put(self, event: Event) -> None:
            super().put(event)
            if isinstance(event, BellPressed):
                arrived.set()

    sink = Waker()
    device = EdgeDevice("bell", RecordedLines(press(SECOND, 2)), BellLogic(SEATS), sink)
    before = threading.active_count()
    device.start()
    assert arrived.wait(20)
    device.stop()
    device.stop()
    assert threading.active_count() == before
    assert sink.of(BellPressed) == [BellPressed(SECOND, 2)]


def test_two_devices_on_one_pin_are_refused() -> None:
    with pytest.raises(BadSettingError, match="GPIO23"):
        check_pins(BellSettings(pins=(Pin(23),)), SandSettings(), LampSettings())
    check_pins(BellSettings(), SandSettings(), LampSettings())


@pytest.mark.parametrize(
    "make",
    [
        lambda: BellSettings(pins=()),
        lambda: BellSettings(pins=tuple(Pin(i) for i in range(8)), one_for_all=False),
        lambda: BellSettings(pins=(Pin(4), Pin(4)), one_for_all=False),
        lambda: BellSettings(pins=(Pin(4), Pin(5))),
    ],
)
def test_bells_that_cannot_be_wired_are_refused(make: Callable[[], BellSettings]) -> None:
    with pytest.raises(BadSettingError):
        make()


def test_back_ends_are_chosen_by_the_settings() -> None:
    sink = ListSink()
    assert isinstance(make_bell(BellSettings(), sink), EdgeDevice)
    assert isinstance(make_bell(BellSettings(backend="microphone"), sink), MicrophoneBell)
    assert isinstance(make_bell(BellSettings(backend="none"), sink), NoBell)
    assert isinstance(make_bell(BellSettings(backend="none"), sink, lines=FakeLines()), EdgeDevice)
    with pytest.raises(BadSettingError):
        make_bell(BellSettings(backend="gong"), sink)


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
    """Raises if an edge is fed that lies before what was promised to be complete."""

    def __init__(self) -> None:
        super().__init__({"bell": None})
        self.promised_ns = 0

    def feed(self, edge: Edge) -> list[Event]:
        assert edge.t_ns > self.promised_ns
        return super().feed(edge)

    def advance(self, t_ns: int) -> list[Event]:
        self.promised_ns = max(self.promised_ns, t_ns)
        return super().advance(t_ns)
