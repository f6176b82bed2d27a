"""One bell for all: who rang is said afterwards, and everything is ruled as if it had been known at once.

A ring whose ringer nobody knows yet, and whatever follows it, waits for the name (P8, "out" and the penalty hang on
it). So cards that are turned meanwhile never change what the ring is judged on. What waits:

- A ring that would be ruled waits until `ringer` names it, or the game is stopped: then its verdict is ruled with no
  as its ringer, and no card moves. `ringer` names the oldest ring that waits.
- A ring that belongs to one before, or comes while the table is cleared, is answered all the same, for no card hangs on
  it: with a name if that is the next thing said, else without.
- A pile that turns out to be unchanged takes a doubt from the ring that waits, before it is ruled.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Protocol

from referee.engine.events import Event, Question
from referee.games.piccolino.deck import Holdings
from referee.games.piccolino.events import Action, Bell, CardShown, PileUnchanged, RingerNamed, Stopped, parse_action
from referee.games.piccolino.rulings import PiccolinoRuling, UnclearRing, ValidRing
from referee.games.piccolino.tops import PiccolinoReason

Rulings = tuple[PiccolinoRuling, ...]


class KnownSeats(Protocol):
    """A game that has to know who rang before a card may move."""

    players: int
    over: bool
    cards: Holdings
    undecided: UnclearRing | None

    def do(self, action: Action) -> Rulings:
        """Take an action and give the rulings that follow."""
        ...

    def turn(self) -> int | None:
        """Return the seat that turns the next card; None when no card is left to turn."""
        ...

    def verify_ring(self, bell: Bell) -> PiccolinoReason | None:
        """Return why a ring is not ruled; None as its seat: nobody knows who rang."""
        ...

    def foresee(self, bell: Bell) -> PiccolinoRuling:
        """Return what a ring would be ruled, and change nothing."""
        ...

    def unseen(self) -> tuple[int, ...]:
        """Return the seats that would settle an unclear ring if what is there has not changed since before it."""
        ...


@dataclass(frozen=True)
class PiccolinoView:
    """State of a game for its watcher.

    turn: whose it is, None if nobody's. is_out: by seat. unseen: seats of which it settles a ring what lay there.
    ring_t_ns: of a ring that is valid and waits for its ringer's name.
    """

    turn: int | None
    is_out: tuple[bool, ...]
    unseen: tuple[int, ...]
    ring_t_ns: int | None


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
        if isinstance(action, RingerNamed) and (self._waiting or action.ring_t_ns is not None):
            self._name(action)
        elif not (isinstance(action, PileUnchanged) and self._take_doubt(action.seat)):
            self._waiting.append(action)
        return self._go_on(to_the_end=isinstance(action, Stopped))

    def _name(self, named: RingerNamed) -> None:
        """Name the ring that is meant; one that has been answered meanwhile needs no name any more."""
        for place, action in enumerate(self._waiting):
            if isinstance(action, Bell) and named.ring_t_ns in (None, action.t_ns):
                if action.seat is None:
                    self._waiting[place] = action.model_copy(update={"seat": named.seat})
                return

    def unseen(self) -> tuple[int, ...]:
        """Return the seats that would settle an unclear ring if what is there has not changed since before it."""
        ring = self._first_ring()
        if ring is None or not isinstance(self.open_verdict(), UnclearRing):
            return self.game.unseen()
        shown = {action.seat for action in self._waiting if isinstance(action, CardShown)}
        return tuple(seat for seat in ring.unseen if seat not in shown)

    def _take_doubt(self, seat: int) -> bool:
        """Give the waiting ring the card of a seat; return whether that card was in doubt."""
        ring = self._first_ring()
        if ring is None or seat not in self.unseen():
            return False
        self._waiting[0] = ring.with_seen(seat)
        return True

    def open_verdict(self) -> PiccolinoRuling | None:
        """Give how the ring will be ruled that waits for a name, so that it can be said at once; None if none waits."""
        ring = self._first_ring()
        return self.game.foresee(ring) if ring is not None and self._would_be_ruled(ring) else None

    def _first_ring(self) -> Bell | None:
        """Return the ring that all else waits for; None if none does."""
        first = self._waiting[0] if self._waiting else None
        return first if isinstance(first, Bell) else None

    def question(self) -> Question | None:
        """Give what the players are asked: who rang, with the ring's ruling, or how an unclear ring is to be ruled."""
        ruling = self.open_verdict()
        if ruling is not None:
            inside = tuple(seat for seat, out in enumerate(self.game.cards.is_out) if not out)
            return Question(ruling.t_ns, "who_rang", inside, ruling)
        unclear = self.game.undecided
        asked = unclear is not None and unclear.seat is not None
        return Question(unclear.t_ns, "decide", unclear.seats, unclear) if asked and unclear else None

    def view(self) -> PiccolinoView:
        """Return how it stands, with what a ring that waits for a name would come to."""
        waiting, out = self.open_verdict(), self.game.cards.is_out
        ring_t_ns = waiting.t_ns if isinstance(waiting, ValidRing) else None
        return PiccolinoView(self.game.turn(), tuple(map(bool, out)), self.unseen(), ring_t_ns)

    def advice(self) -> str | None:
        """Note that no card is left to turn: only a ring or the end can follow."""
        stuck = not self._waiting and not self.game.over and self.game.turn() is None
        return "no_card_to_turn" if stuck else None

    def _go_on(self, *, to_the_end: bool) -> Rulings:
        rulings: list[PiccolinoRuling] = []
        while self._waiting and (to_the_end or not self._must_wait(self._waiting[0])):
            rulings += self.game.do(self._waiting.popleft())
        return tuple(rulings)

    def _must_wait(self, action: Action) -> bool:
        """Return whether an action needs a name, or is the last one and may still get one."""
        if not isinstance(action, Bell) or action.seat is not None:
            return False
        return len(self._waiting) == 1 or self._would_be_ruled(action)

    def _would_be_ruled(self, action: Action) -> bool:
        return isinstance(action, Bell) and self.game.verify_ring(action.model_copy(update={"seat": None})) is None
