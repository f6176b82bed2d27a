"""Raw edges of bell and sandtimer as a recording keeps them: taken from the lines, not judged."""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping

from hardware.edges import Edge, EdgeLines
from hardware.events import BellEdge, SandEdge, SandLine
from hardware.health import Health


class EdgeTap:
    """Collects the edges of some lines until somebody fetches them.

    lines: where they come from. seats: the bell's lines by name, and whose they are (None: nobody knows). The lines
    "barrier" and "tilt" are the sandtimer's; others are left out. on_trouble: told in one sentence, from any thread.
    """

    def __init__(self, lines: EdgeLines, seats: Mapping[str, int | None], on_trouble: Callable[[str], None]) -> None:
        self._lines = lines
        self._seats = seats
        self._on_trouble = on_trouble
        self._inbox: queue.SimpleQueue[tuple[Edge, bool]] = queue.SimpleQueue()

    def open(self) -> None:
        """Begin, with the lines' levels as they are found. Raises HardwareError if a line cannot be had."""
        # An edge may come before the levels are told; a replay takes levels first, whenever they were written.
        for level in self._lines.open(lambda edge: self._inbox.put((edge, False)), self._health):
            self._inbox.put((level, True))

    def fetch(self) -> list[BellEdge | SandEdge]:
        """Give what has come since the last time, in the order it came; never waits."""
        edges: list[BellEdge | SandEdge] = []
        while True:
            try:
                edge, found = self._inbox.get_nowait()
            except queue.Empty:
                return edges
            if edge.line in self._seats:
                edges.append(BellEdge(edge.t_ns, self._seats[edge.line], edge.active, found))
            elif edge.line in (SandLine.BARRIER.value, SandLine.TILT.value):
                edges.append(SandEdge(edge.t_ns, SandLine(edge.line), int(edge.active), found))

    def close(self) -> None:
        """End and free the lines."""
        self._lines.close()

    def _health(self, state: Health, message: str) -> None:
        if state is not Health.OK:
            self._on_trouble(message)
