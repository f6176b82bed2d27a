"""People of a script who wait: its time stands still meanwhile, and what follows comes later by so much."""

from __future__ import annotations

from simulation.waits import LONGEST_NS, Waits

SECOND = 1_000_000_000


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
