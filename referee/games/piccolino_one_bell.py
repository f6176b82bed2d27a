"""One bell for all: who rang is said afterwards, and everything is ruled as if it had been known at once.

A ring whose ringer nobody knows yet, and whatever follows it, waits for the name (P8, "out" and the penalty hang on
it). So cards that are turned meanwhile never change what the ring is judged on. What waits:

- A ring that would be ruled waits until `ringer` names it, or the game is stopped: then its verdict is told with nobody
  as its ringer, and no card moves. `ringer` names the oldest ring that waits.
- A ring that belongs to one before, or comes while the table is cleared, is answered all the same, for no card hangs on
  it: with a name if that is the next thing said, else without.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from referee.events import Event
from referee.games.piccolino_events import Action, Bell, RingerNamed, Stopped, parse_action
from referee.games.piccolino_rulings import PiccolinoRuling
from referee.games.piccolino_tops import Reason, Tops, Verdict

Rulings = tuple[PiccolinoRuling, ...]


class KnownSeats(Protocol):
    """A game that has to know who rang before a card may move."""

    players: int
    tops: Tops

    def do(self, action: Action) -> Rulings:
        """Take an action and give the rulings that follow."""
        ...

    def verify_ring(self, t_ns: int, seat: int | None) -> Reason | None:
        """Tell why a ring is not ruled; None as `seat`: nobody knows who rang."""
        ...


class OneBell:
    """Piccolino, with rings that wait for their ringer's name; `game` is where play stands without what waits."""

    def __init__(self, game: KnownSeats) -> None:
        self.game = game
        self._waiting: deque[Action] = deque()

    def apply(self, event: Event) -> Rulings:
        """Take the next event and give the rulings that follow from it, and from what has waited for it.

        Raises:
            BadInputError: there is no such event, no such seat, or no such card; nothing has changed then.
        """
        action = parse_action(event, self.game.players)
        if isinstance(action, RingerNamed) and self._waiting:
            self._waiting[0] = Bell(self._waiting[0].t_ns, action.seat)
        else:
            self._waiting.append(action)
        return self._go_on(to_the_end=isinstance(action, Stopped))

    def open_verdict(self) -> Verdict | None:
        """Give what the ring is that waits for a name, so that it can be said at once; None if none waits."""
        ring = self._waiting[0] if self._waiting else None
        return self.game.tops.judge(ring.t_ns) if ring and self._would_be_ruled(ring) else None

    def _go_on(self, *, to_the_end: bool) -> Rulings:
        rulings: list[PiccolinoRuling] = []
        while self._waiting and (to_the_end or not self._must_wait(self._waiting[0])):
            rulings += self.game.do(self._waiting.popleft())
        return tuple(rulings)

    def _must_wait(self, action: Action) -> bool:
        """Tell whether an action needs a name, or is the last one and may still get one."""
        if not isinstance(action, Bell) or action.seat is not None:
            return False
        return len(self._waiting) == 1 or self._would_be_ruled(action)

    def _would_be_ruled(self, action: Action) -> bool:
        return isinstance(action, Bell) and self.game.verify_ring(action.t_ns, None) is None
