"""Phones as bells: in the order of the thumbs, not of the network; what is not certain is not ruled."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.events import BellPressed, EventQueue
from hardware.settings import MS
from referee.match.devices import GONE_NS, MOST_WITHIN_NS, PHONE_LAG_NS, Arrival, PhoneBells, PhoneRingError

START_NS = 10_000_000_000
WITHIN_NS = 8 * MS


class Hall:
    """Phones, a wired bell, and the time."""

    def __init__(self) -> None:
        self.now_ns = START_NS
        self.queue = EventQueue()
        self.bell = self.queue.source("bell", 15 * MS)
        self.phones = PhoneBells(self.queue, lambda: self.now_ns)
        self.phones.here()
        self.heard: list[BellPressed] = []

    def pass_(self, ms: float) -> None:
        end_ns = self.now_ns + round(ms * MS)
        while self.now_ns < end_ns:
            self.now_ns = min(end_ns, self.now_ns + 20 * MS)
            self.phones.tend()
            self.heard += [event for event in self.queue.take(self.now_ns) if isinstance(event, BellPressed)]


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(2, 60), st.integers(0, 280), st.booleans()), min_size=1, max_size=8
    )
)
def test_rings_are_heard_in_the_order_of_the_thumbs_however_long_each_was_on_its_way(
    presses: list[tuple[int, int, int, bool]],
) -> None:
    hall = Hall()
    pressed_ns = START_NS
    pressed = []
    for seat, gap, way, wired in presses:
        # So far apart that their order is certain.
        pressed_ns += 2 * WITHIN_NS + gap * MS
        pressed.append((pressed_ns + (0 if wired else way * MS), pressed_ns, seat, wired))
    for comes_ns, at_ns, seat, wired in sorted(pressed):
        hall.pass_((comes_ns - hall.now_ns) / MS)
        if wired:
            hall.bell.put(BellPressed(at_ns, seat))
        else:
            hall.phones.ring(seat, at_ns, WITHIN_NS)
    hall.pass_(3 * PHONE_LAG_NS / MS)
    assert [(one.t_ns, one.seat) for one in hall.heard] == [
        (at_ns, seat) for _, at_ns, seat, _ in sorted(pressed, key=lambda one: one[1])
    ]
    assert hall.queue.late == 0


@pytest.mark.parametrize(
    ("presses", "heard"),
    [
        # Closer than their times are certain: nobody is named first.
        ([(2, 20), (0, 30)], [(70, None)]),
        # A thumb that bounces is its own rival to nobody.
        ([(1, 20), (1, 15)], [(80, 1), (85, 1)]),
        # A clock that runs ahead never rings in the future.
        ([(0, -5000)], [(100, 0)]),
    ],
)
def test_presses_are_put_in_order(presses: list[tuple[int, int]], heard: list[tuple[int, int | None]]) -> None:
    hall = Hall()
    hall.pass_(100)
    for seat, ago_ms in presses:
        hall.phones.ring(seat, hall.now_ns - ago_ms * MS, WITHIN_NS)
    hall.pass_(800)
    assert [(one.t_ns, one.seat) for one in hall.heard] == [(START_NS + ms * MS, seat) for ms, seat in heard]


@pytest.mark.parametrize(
    ("late_ns", "within_ns", "arrived", "key"),
    [
        (PHONE_LAG_NS + MS, WITHIN_NS, False, "bell_late"),
        (PHONE_LAG_NS + 50 * MS, WITHIN_NS, True, "bell_late"),
        (0, MOST_WITHIN_NS + MS, False, "bell_uncertain"),
    ],
)
def test_a_press_that_cannot_be_judged_in_its_order_is_refused_with_a_reason(
    late_ns: int, within_ns: int, arrived: bool, key: str
) -> None:
    hall = Hall()
    hall.pass_(1000)
    arrival = Arrival(hall.now_ns, 6 * MS) if arrived else None
    with pytest.raises(PhoneRingError) as refused:
        hall.phones.ring(0, hall.now_ns - late_ns, within_ns, arrival)
    assert refused.value.key == f"fault.{key}"
    hall.pass_(800)
    assert hall.heard == []


def test_nothing_waits_for_phones_that_have_gone() -> None:
    hall = Hall()
    hall.pass_(100)
    hall.bell.put(BellPressed(hall.now_ns - 20 * MS, 0))
    hall.pass_(40)
    assert hall.heard == []
    hall.pass_(GONE_NS / MS + 100)
    hall.bell.put(BellPressed(hall.now_ns - 20 * MS, 1))
    hall.pass_(20)
    assert [one.seat for one in hall.heard] == [0, 1]


@pytest.mark.parametrize(
    ("claimed_ms", "half_ms", "dated_ms"), [(250, 6, 6), (250, 200, 40), (4, 6, 4), (0, 6, 0), (-20, 6, 0), (250, 0, 0)]
)
def test_a_press_is_dated_back_by_half_of_its_phones_round_trip_at_most(
    claimed_ms: int, half_ms: int, dated_ms: int
) -> None:
    hall = Hall()
    hall.pass_(100)
    came_ns = hall.now_ns
    hall.pass_(20)
    hall.phones.ring(1, came_ns - claimed_ms * MS, WITHIN_NS, Arrival(came_ns, half_ms * MS))
    hall.pass_(800)
    (ring,) = hall.heard
    assert ring == BellPressed(came_ns - dated_ms * MS, 1)
    assert ring.way is not None
    assert (ring.way.back_ms, ring.way.most_ms) == (dated_ms, min(half_ms, MOST_WITHIN_NS // MS))
