"""Which messages are on their way: a few at a time, in order, and all of them again from the first that did not arrive.

Go-back-N, as in any book on networks. Pure: times are given, s.
"""

from __future__ import annotations

from dataclasses import dataclass, field

WIDTH = 20
"""Forty tables together stay below the thousand messages that Mosquitto keeps for one reader."""
PATIENCE_S, MOST_PATIENCE_S = 5.0, 60.0


@dataclass
class Window:
    """arrived: up to which message all is known to have arrived; next: the one to be sent next."""

    arrived: int = 0
    next: int = field(default=0)
    patience_s: float = PATIENCE_S
    _moved_s: float = 0.0

    def __post_init__(self) -> None:
        self.next = self.arrived + 1

    def due(self, last: int, now_s: float) -> range:
        """Give the messages to be sent now, of those up to `last`; they count as sent then."""
        if self.next > self.arrived + 1 and now_s - self._moved_s > self.patience_s:
            self.patience_s = min(2 * self.patience_s, MOST_PATIENCE_S)
            self.go_back(now_s)
        due = range(self.next, min(last, self.arrived + WIDTH) + 1)
        if due:
            if self.next == self.arrived + 1:
                self._moved_s = now_s
            self.next = due.stop
        return due

    def take(self, arrived: int, now_s: float) -> bool:
        """Take it that all up to `arrived` is there; False if that is no news."""
        if arrived <= self.arrived:
            return False
        self.arrived, self.next = arrived, max(self.next, arrived + 1)
        self.patience_s, self._moved_s = PATIENCE_S, now_s
        return True

    def go_back(self, now_s: float) -> None:
        """Send all again that may not have arrived."""
        self.next, self._moved_s = self.arrived + 1, now_s

    def wait_s(self, now_s: float) -> float | None:
        """Give in how many seconds something may be due again by itself, None for never."""
        if self.next == self.arrived + 1:
            return None
        return max(0.0, self._moved_s + self.patience_s - now_s)
