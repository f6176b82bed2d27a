"""What a sandtimer's two sensors see, each on its own: whether sand runs, and which way up the timer stands."""

from __future__ import annotations


class Grains:
    """The light barrier at the neck. Grains flicker: only edges count, not levels.

    Sand runs when there were `start_edges` edges over at least `start_span_ns` with no gap above `gap_ns` (a knock on
    the table is less); it has stopped after a gap longer than `gap_ns`, and then it stopped at the last edge.
    """

    def __init__(self, gap_ns: int, start_edges: int, start_span_ns: int) -> None:
        self._gap_ns = gap_ns
        self._start_edges = start_edges
        self._start_span_ns = start_span_ns
        self._edges = 0
        self.first_ns: int | None = None
        self.last_ns: int | None = None
        self.running = False
        self.ever_seen = False

    @property
    def stop_ns(self) -> int | None:
        """When the sand will have stopped if no edge comes, ns; None: none runs."""
        return None if self.last_ns is None else self.last_ns + self._gap_ns

    def feed(self, t_ns: int) -> bool:
        """Take an edge of the barrier; True if with it sand is seen to run (since `first_ns`)."""
        self.ever_seen = True
        if self.first_ns is None or self.last_ns is None:
            self.first_ns = t_ns
        self.last_ns = t_ns if self.last_ns is None else max(t_ns, self.last_ns)
        self._edges += 1
        if self.running or self._edges < self._start_edges or self.last_ns - self.first_ns < self._start_span_ns:
            return False
        self.running = True
        return True

    def stop(self) -> int | None:
        """Forget the run (call at `stop_ns`); give when the sand stopped, or None if it never ran."""
        stopped_ns = self.last_ns if self.running else None
        self._edges = 0
        self.first_ns = self.last_ns = None
        self.running = False
        return stopped_ns


class Tilt:
    """The tilt switch. Its ball rolls while the timer is turned: only what it comes to rest at counts."""

    def __init__(self, settle_ns: int) -> None:
        self._settle_ns = settle_ns
        self._now: bool | None = None
        self.level: bool | None = None
        self.since_ns: int | None = None
        self.last_ns: int | None = None
        self.moving = False

    @property
    def settles_ns(self) -> int | None:
        """When it will have come to rest if no edge comes, ns; None: it is at rest."""
        return self.last_ns + self._settle_ns if self.moving and self.last_ns is not None else None

    def begin(self, level: bool) -> None:
        """Take the level as it is found at the start."""
        self._now = self.level = level
        self.moving = False

    def feed(self, t_ns: int, level: bool) -> bool:
        """Take an edge; True if the timer was at rest until now (since `since_ns` it moves)."""
        if self.level is None:
            self.level = not level
        self._now = level
        self.last_ns = t_ns if self.last_ns is None else max(t_ns, self.last_ns)
        if self.moving:
            return False
        self.moving = True
        self.since_ns = self.last_ns
        return True

    def settle(self) -> bool:
        """Come to rest (call at `settles_ns`); True if the other way round than before."""
        changed = self._now != self.level
        self.level = self._now
        self.moving = False
        return changed
