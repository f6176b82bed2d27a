"""Pauses of a script at which its people wait for permission to continue. Pure.

Script time stands still during a pause while the clock runs on; all that follows is later by its length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

SECOND_NS = 1_000_000_000
LONGEST_NS = 120 * SECOND_NS
"""People continue by themselves after this time."""
_LEAD_NS = SECOND_NS // 2  # largest time by which a camera draws ahead of the clock


class Waits:
    """Converts between the clock and a script's time. at_s: times of the pauses, s of the script, in order.

    Clock times, ns, count from the script's beginning. `go_on` may be called from any thread. `hold`, from one thread,
    stops the script at any time.
    """

    def __init__(self, at_s: Sequence[float] = ()) -> None:
        self._at_ns = [round(at * SECOND_NS) for at in at_s]
        self._waited_ns: list[int] = []
        self._holds: tuple[tuple[int, int | None], ...] = ()  # start and end of each hold, on the clock

    def script_ns(self, clock_ns: int) -> int:
        """Return the script's time at a time of the clock."""
        clock_ns = self._unheld_ns(clock_ns)
        late_ns = 0
        for at_ns, waited_ns in self._known():
            begin_ns = at_ns + late_ns
            if clock_ns <= begin_ns:
                break
            if clock_ns < begin_ns + waited_ns:
                return at_ns
            late_ns += waited_ns
        return clock_ns - late_ns

    def clock_ns(self, script_ns: int, now_ns: int) -> int | None:
        """Return the clock time of an instant of the script, as known at `now_ns`; None during a pause."""
        late_ns, decided = 0, len(self._waited_ns)
        now_ns = self._unheld_ns(now_ns)
        for number, (at_ns, waited_ns) in enumerate(self._known()):
            if script_ns <= at_ns:
                break
            if number >= decided and now_ns < at_ns + late_ns + waited_ns:
                return None
            late_ns += waited_ns
        due_ns = script_ns + late_ns
        for begin_ns, end_ns in self._holds:
            if due_ns >= begin_ns:
                if end_ns is None:
                    return None
                due_ns += end_ns - begin_ns
        return due_ns

    @property
    def held(self) -> bool:
        """Return whether the script is held, or will be."""
        return bool(self._holds) and self._holds[-1][1] is None

    def hold(self, begin_ns: int) -> None:
        """Stop the script from a time of the clock on."""
        if not self.held:
            self._holds = (*self._holds, (begin_ns, None))

    def release(self, end_ns: int) -> None:
        """Let a held script run again from a time of the clock on."""
        if self.held:
            *before, (begin_ns, _) = self._holds
            self._holds = (*before, (begin_ns, max(begin_ns, end_ns)))

    def _unheld_ns(self, clock_ns: int) -> int:
        held = (max(0, (clock_ns if end is None else min(clock_ns, end)) - begin) for begin, end in self._holds)
        return clock_ns - sum(held)

    def go_on(self, now_ns: int) -> None:
        """End the present pause, or skip the next one."""
        number = len(self._waited_ns)
        if number < len(self._at_ns):
            begin_ns = self._at_ns[number] + sum(self._waited_ns)
            self._waited_ns.append(min(LONGEST_NS, max(0, self._unheld_ns(now_ns) + _LEAD_NS - begin_ns)))

    def _known(self) -> Iterator[tuple[int, int]]:
        """Yield start and length of each pause; an undecided one has the longest length."""
        waited = tuple(self._waited_ns)
        for number, at_ns in enumerate(self._at_ns):
            yield at_ns, waited[number] if number < len(waited) else LONGEST_NS
