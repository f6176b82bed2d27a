"""All devices on one queue: time order whatever the order of arrival, and no device that hangs stops the others."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.events import BellPressed, EventQueue
from hardware.settings import MS, SECOND


def ring(t_ns: int, seat: int | None = None) -> BellPressed:
    return BellPressed(t_ns, seat)


def test_events_leave_in_time_order_and_equal_times_in_order_of_arrival() -> None:
    queue = EventQueue()
    source = queue.source("bell", lag_ns=0)
    for event in (ring(30), ring(10, 1), ring(20), ring(10, 2)):
        source.put(event)
    assert queue.take(100) == [ring(10, 1), ring(10, 2), ring(20), ring(30)]
    # One that comes too late is given all the same, and counted.
    source.put(ring(15))
    assert queue.take(100) == [ring(15)]
    assert queue.late == 1


def test_a_ring_waits_for_the_camera_but_not_for_one_that_hangs_or_leaves() -> None:
    queue = EventQueue()
    bell, camera = queue.source("bell", lag_ns=5 * MS), queue.source("camera", patience_ns=500 * MS)
    camera.advance(SECOND)
    bell.put(ring(SECOND + 10 * MS))
    assert queue.take(SECOND + 20 * MS) == []
    camera.advance(SECOND + 33 * MS)
    assert queue.take(SECOND + 40 * MS) == [ring(SECOND + 10 * MS)]
    bell.put(ring(2 * SECOND))
    assert queue.take(2 * SECOND + 400 * MS) == []
    assert queue.take(2 * SECOND + 501 * MS) == [ring(2 * SECOND)]
    camera.advance(2 * SECOND + 600 * MS)
    bell.put(ring(3 * SECOND))
    camera.close()
    assert queue.take(3 * SECOND + 5 * MS) == [ring(3 * SECOND)]


def test_what_one_device_has_not_decided_holds_the_later_events_back() -> None:
    queue = EventQueue()
    bell, sand = queue.source("bell", lag_ns=0), queue.source("sandtimer", lag_ns=0)
    sand.hold(SECOND)
    bell.put(ring(SECOND + 1))
    assert queue.take(SECOND + 100 * MS) == []
    sand.put(ring(SECOND, 7))
    sand.hold(None)
    assert queue.take(SECOND + 100 * MS) == [ring(SECOND, 7), ring(SECOND + 1)]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 3)), max_size=40), st.integers(0, 1000))
@settings(max_examples=150)
def test_sources_that_keep_their_promise_give_one_sorted_stream(raw: list[tuple[int, int]], seed: int) -> None:
    rng = random.Random(seed)
    queue = EventQueue()
    sources = [queue.source(str(i), lag_ns=10) for i in range(4)]
    # Each event is put up to 10 after it happened.
    arrivals = sorted((t + rng.randint(0, 10), t, i) for t, i in raw)
    given_out = []
    for now, t, i in arrivals:
        given_out += queue.take(now - 1)
        sources[i].put(ring(t, i))
    given_out += queue.take(1000)
    assert [event.t_ns for event in given_out] == sorted(t for t, _ in raw)
    assert queue.late == 0
    assert len(queue) == 0
