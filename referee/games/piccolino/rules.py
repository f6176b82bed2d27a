"""Piccolino (P1–P10): cards shown, rings, piles and penalties; events in, rulings out.

Cards are counts, except for the top of each discard pile. `hardware/camera/frames.py` holds a ring back until the last
frame exposed before it is there, so the order of events settles which frame a ring is judged on (P9).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from referee.engine.event_models import parsed
from referee.engine.events import Event, Game, Header, Question, Ruling
from referee.errors import BadInputError
from referee.games.piccolino.events import (
    EVENTS,
    Action,
    Bell,
    CardRead,
    CardShown,
    Decided,
    PileGone,
    PileUnchanged,
    RingerNamed,
    Stopped,
)
from referee.games.piccolino.rulings import (
    AlsoRang,
    CardsMoved,
    FalseRing,
    PairsMissed,
    PiccolinoEnded,
    PiccolinoIgnored,
    PlayerOut,
    Remark,
    TooEarly,
    UnclearRing,
    ValidRing,
)
from referee.games.piccolino.start_options import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    LuckyGuess,
    PiccolinoOptions,
    TwoLeft,
    cards_dealt,
    deal,
    settings_from,
)
from referee.games.piccolino.tops import PiccolinoReason, Top, Tops

TWO_AT_ONCE_NS = 200_000_000
TOO_EARLY_NS = 1_000_000_000
NS_PER_MS = 1_000_000
_LOOKS = ("card_read", "pile_gone", "pile_unchanged")
Rulings = tuple[Ruling, ...]
RingRuling = ValidRing | FalseRing | UnclearRing


class Holdings:
    """Cards of each seat: `draw[seat]` and `discard[seat]` in its piles; `is_out[seat]` once it has none left."""

    def __init__(self, draw: Sequence[int]) -> None:
        self.draw = list(draw)
        self.discard = [0] * len(draw)
        self.is_out = [cards == 0 for cards in draw]

    def turn(self, seat: int) -> None:
        """Move a seat's next card onto its discard pile, if it has one."""
        if self.draw[seat]:
            self.draw[seat] -= 1
            self.discard[seat] += 1

    def win_piles(self, t_ns: int, seat: int) -> Rulings:
        """Put all discard piles under a seat's draw pile (P4)."""
        count = sum(self.discard)
        self.discard[:] = [0] * len(self.discard)
        self.draw[seat] += count
        return (CardsMoved(t_ns, "piles", seat, count),) if count else ()

    def pay(self, t_ns: int, giver: int) -> Rulings:
        """Give a card to each other seat, clockwise, as far as the giver's cards last (P5)."""
        receivers = self.others(giver)[: self.draw[giver]]
        for other in receivers:
            self.draw[giver] -= 1
            self.draw[other] += 1
        return tuple(CardsMoved(t_ns, giver, other, 1) for other in receivers)

    def others(self, seat: int) -> list[int]:
        """Return the other seats that are still in, clockwise."""
        seats = len(self.draw)
        return [other for step in range(1, seats) if not self.is_out[other := (seat + step) % seats]]

    def put_out(self, t_ns: int) -> Rulings:
        """Put out every seat without cards (P6), lowest seat first."""
        held = enumerate(self.totals())
        gone = [seat for seat, cards in held if not (self.is_out[seat] or cards)]
        for seat in gone:
            self.is_out[seat] = True
        return tuple(PlayerOut(t_ns, seat) for seat in gone)

    def totals(self) -> tuple[int, ...]:
        """Return each seat's cards, draw and discard pile together."""
        return tuple(draw + discard for draw, discard in zip(self.draw, self.discard, strict=True))


class Piccolino:
    """A game of Piccolino among known seats.

    `cards` counts each seat's cards; `tops` holds the open ones; `over` is the end; `undecided` is the unclear ring
    that waits for the players' decision.
    """

    def __init__(self, players: int, settings: PiccolinoOptions) -> None:
        self.settings = settings
        self.players = players
        self.cards = Holdings(deal(players, cards_dealt(players, self.settings), self.settings.dealer))
        self.tops = Tops()
        self.over = False
        self._next = self.settings.dealer
        self._last_card_ns: int | None = None
        self._ruled_ns: int | None = None
        self._ruled_seat: int | None = None
        self._cleared = False
        self.undecided: UnclearRing | None = None
        self._doubted: Bell | None = None  # the undecided ring, while the cards that were open then still are
        self._early: Bell | None = None  # the last wrong ring, until the card in mid-turn at it has been read

    def do(self, action: Action) -> Rulings:
        """Take an action and return its rulings; the game ignores an action that the rules do not allow now."""
        match action:
            case CardShown():
                done = self._show(action)
            case CardRead() | PileGone():
                done = self._look(action)
            case Bell():
                done = self._ring(action)
            case PileUnchanged():
                done = self._settle(action)
            case Decided():
                done = self._decide(action)
            case RingerNamed():
                done = PiccolinoReason.NO_RING
            case Stopped():
                # A game ends once.
                return () if self.over else (self._end(action.t_ns),)
        if not isinstance(done, PiccolinoReason):
            return done
        event, seat = "look" if action.event in _LOOKS else action.event, getattr(action, "seat", None)
        return (PiccolinoIgnored(action.t_ns, seat, event, done),)

    def _show(self, card: CardShown) -> Rulings | PiccolinoReason:
        """Turn a seat's next card onto its discard pile (P2).

        A seat without a draw pile has no card to turn: a count is wrong, or somebody put a card there. The open card is
        believed, because rings are judged on it (P9); the counts stay, so that no card is made; a remark follows.
        """
        if self.over:
            return PiccolinoReason.GAME_OVER
        if self.cards.is_out[card.seat]:
            return PiccolinoReason.OUT
        remarks = self._remarks(card)
        self.cards.turn(card.seat)
        self.tops.show(card.t_ns, card.seat, Top(card.colour, card.mood), card.hidden_ns)
        self._next = (card.seat + 1) % self.players
        self._last_card_ns = card.t_ns
        self._cleared = False
        self.undecided = self._doubted = None
        return (*remarks, *self._too_early(card))

    def _remarks(self, card: CardShown) -> Rulings:
        if not self.cards.draw[card.seat]:
            return (Remark(card.t_ns, card.seat, PiccolinoReason.NO_DRAW_PILE),)
        if not self.settings.remarks:
            return ()
        if self._last_card_ns is not None and card.t_ns - self._last_card_ns < TWO_AT_ONCE_NS:
            return (Remark(card.t_ns, card.seat, PiccolinoReason.TWO_AT_ONCE),)
        return () if card.seat == self.turn() else (Remark(card.t_ns, card.seat, PiccolinoReason.OUT_OF_TURN),)

    def _too_early(self, card: CardShown) -> Rulings:
        """Return a ruling if a card completes a happy pair for which somebody rang too early."""
        ring = self._early
        if ring is None or card.seat not in ring.turning:
            return ()
        self._early = None
        early_ns = card.t_ns - ring.t_ns
        if early_ns > TOO_EARLY_NS:
            return ()
        made = [(colour, seats) for colour, seats in self.tops.pairs().items() if card.seat in seats]
        return tuple(TooEarly(card.t_ns, ring.seat, colour, seats, early_ns / 1e6) for colour, seats in made)

    def _look(self, seen: CardRead | PileGone) -> Rulings | PiccolinoReason:
        """Take a new reading of a discard pile onto which no card was turned (P10); no card moves."""
        if self.over:
            return PiccolinoReason.GAME_OVER
        if not self.cards.discard[seen.seat]:
            return PiccolinoReason.NO_PILE
        if isinstance(seen, PileGone):
            self.tops.take_away(seen.t_ns, seen.seat)
            self._doubted = None
        else:
            self.tops.read_again(seen.seat, Top(seen.colour, seen.mood))
        return ()

    def turn(self) -> int | None:
        """Return the seat that turns the next card (P2); None without a draw pile.

        The winner of the piles starts (P4). **Ruling**: also a winner by somebody's wrong ring.
        """
        seats = ((self._next + step) % self.players for step in range(self.players))
        return next((seat for seat in seats if self.cards.draw[seat]), None)

    def why_not_ruled(self, bell: Bell, seat: int | None) -> PiccolinoReason | None:
        """Return why a ring of a seat is not ruled, in the order of the outside contract; seat: None if unknown.

        A table with an unseen first card may hold a pair, so it does not count as cleared: the ring has a price (P5).
        """
        if seat is not None and self.cards.is_out[seat]:
            return PiccolinoReason.OUT
        if self._ruled_ns is not None and bell.t_ns - self._ruled_ns <= self.settings.lockout_ms * NS_PER_MS:
            return PiccolinoReason.ALSO_RANG
        if self._cleared and not bell.unseen:
            return PiccolinoReason.TABLE_CLEARED
        return PiccolinoReason.GAME_OVER if self.over else None

    def _ring(self, bell: Bell) -> Rulings | PiccolinoReason:
        """Rule a ring on the open cards and move cards (P3–P5); an anonymous ring (None) moves no card."""
        reason, seat = self.why_not_ruled(bell, bell.seat), bell.seat
        if reason is PiccolinoReason.ALSO_RANG and self._ruled_ns is not None:
            again = seat is not None and seat == self._ruled_seat
            return (AlsoRang(bell.t_ns, seat, (bell.t_ns - self._ruled_ns) / NS_PER_MS, again),)
        if reason is not None:
            return reason
        self._ruled_ns, self._ruled_seat = bell.t_ns, seat
        return self._rule(bell, self.foresee(bell))

    def _rule(self, bell: Bell, ruling: RingRuling) -> Rulings:
        self.undecided, self._doubted = (ruling, bell) if isinstance(ruling, UnclearRing) else (None, None)
        self._early = bell if isinstance(ruling, FalseRing) and bell.turning else None
        if bell.seat is None or isinstance(ruling, UnclearRing):
            return (ruling,)
        return (ruling, *self._move_cards(bell.t_ns, bell.seat, isinstance(ruling, ValidRing)))

    def foresee(self, bell: Bell) -> RingRuling:
        """Return the ruling that a ring would get, without a change of state."""
        t_ns, seat, again = bell.t_ns, bell.seat, bell.seen_again
        if bell.valid is not None:
            return _decided(t_ns, seat, valid=bell.valid)
        verdict, no_clowns = self.tops.judge(t_ns, bell.unseen), "no_clowns" if bell.no_clowns else None
        if self._cleared:
            # No card was seen since the piles were won.
            return UnclearRing(t_ns, seat, bell.unseen, no_clowns)
        colour, seats = verdict.colour, verdict.seats
        if verdict.valid is None:
            return UnclearRing(t_ns, seat, seats, no_clowns)
        if verdict.lucky and self.settings.lucky_guess is LuckyGuess.FALSE:
            return FalseRing(t_ns, seat, PiccolinoReason.LUCKY_GUESS, colour, seats, seen_again=again)
        if verdict.valid:
            return ValidRing(t_ns, seat, colour, seats, verdict.since_ms, verdict.lucky, seen_again=again)
        return FalseRing(t_ns, seat, verdict.reason, colour, seats, verdict.since_ms, bell.turning, again)

    def unseen(self) -> tuple[int, ...]:
        """Return the seats whose unchanged piles would settle an unclear ring."""
        return () if self._doubted is None else self._doubted.unseen

    def _settle(self, seen: PileUnchanged) -> Rulings | PiccolinoReason:
        """Rule an unclear ring if this settles its last doubt."""
        if self.over:
            return PiccolinoReason.GAME_OVER
        if self._doubted is None or seen.seat not in self._doubted.unseen:
            return PiccolinoReason.NO_RING
        self._doubted = bell = self._doubted.with_seen(seen.seat)
        if self._cleared and not bell.unseen:
            self.undecided = self._doubted = None
            return (PiccolinoIgnored(bell.t_ns, bell.seat, "bell", PiccolinoReason.TABLE_CLEARED),)
        ruling = self.foresee(bell)
        return () if isinstance(ruling, UnclearRing) else self._rule(bell, ruling)

    def _decide(self, decision: Decided) -> Rulings | PiccolinoReason:
        """Rule the unclear ring by the players' decision (P10), unless play went on or no ring was unclear."""
        if self.over:
            return PiccolinoReason.GAME_OVER
        ring = self.undecided
        if ring is None or ring.seat is None:
            return PiccolinoReason.NO_RING
        self.undecided = self._doubted = None
        ruling = _decided(ring.t_ns, ring.seat, valid=decision.valid)
        return (ruling, *self._move_cards(ring.t_ns, ring.seat, decision.valid))

    def _end(self, t_ns: int) -> PiccolinoEnded:
        """End the game: the seat with most cards wins, equal counts share (P7)."""
        self.over = True
        cards = self.cards.totals()
        winners = tuple(seat for seat, held in enumerate(cards) if held == max(cards))
        return PiccolinoEnded(t_ns, winners, cards)

    def _move_cards(self, t_ns: int, seat: int, valid: bool) -> Rulings:
        left = self.cards.others(seat)
        if valid:
            moves = self._win_piles(t_ns, seat)
            self._cleared = True
        elif len(left) == 1 and (self.settings.two_left is TwoLeft.ALWAYS or self.players == MIN_PLAYERS):
            moves = self._win_piles(t_ns, left[0])
        else:
            moves = self.cards.pay(t_ns, seat)
        outs = self.cards.put_out(t_ns)
        ended = (self._end(t_ns),) if self.cards.is_out.count(False) == 1 else ()
        return (*moves, *outs, *ended)

    def _win_piles(self, t_ns: int, seat: int) -> Rulings:
        won, missed_ns = self.cards.win_piles(t_ns, seat), self.tops.missed_ns
        self.tops.clear()
        self._next = seat
        if not missed_ns or not self.settings.missed:
            return won
        return (*won, PairsMissed(t_ns, len(missed_ns), max(missed_ns) / NS_PER_MS))


def _decided(t_ns: int, seat: int | None, *, valid: bool) -> ValidRing | FalseRing:
    """Return the ruling of an unclear ring by the players' decision (P10)."""
    return ValidRing(t_ns, seat, None, (), decided=True) if valid else FalseRing(t_ns, seat, decided=True)


@dataclass(frozen=True)
class PiccolinoView:
    """State of a game for its watcher.

    turn: the seat to turn a card, or None. is_out: by seat. unseen: seats whose earlier top card settles a ring.
    ring_t_ns: time of a valid ring that waits for its ringer's name.
    """

    turn: int | None
    is_out: tuple[bool, ...]
    unseen: tuple[int, ...]
    ring_t_ns: int | None


class OneBell(Game):
    """Piccolino with rings that wait for their ringer's name; `game` is the state without the waiting events.

    The lockout (P8), "out" and the penalty depend on the ringer. So an anonymous ring, and every event after it, waits
    for the name; cards that are turned meanwhile never change the ring's verdict.

    - A ring that would be ruled waits until `ringer` names it or the game is stopped. A stopped game rules it without a
      ringer, and no card moves. `ringer` names the oldest ring that waits.
    - A ring that belongs to an earlier one, or comes while the table is cleared, is answered at once, because no card
      depends on it: with a name if the name is the next event.
    - A pile that proves unchanged removes a doubt from the ring that waits, before it is ruled.
    """

    def __init__(self, game: Piccolino) -> None:
        self.game = game
        self._waiting: deque[Action] = deque()

    def apply(self, event: Event) -> Rulings:
        """Take the next event; return its rulings and those of the events that waited for it.

        Raises:
            BadInputError: unknown event, seat or card; the state is unchanged then.
        """
        action = parsed(EVENTS, event, self.game.players, "Piccolino")
        if isinstance(action, RingerNamed) and (self._waiting or action.ring_t_ns is not None):
            self._name(action)
        elif not (isinstance(action, PileUnchanged) and self._take_doubt(action.seat)):
            self._waiting.append(action)
        rulings: list[Ruling] = []
        while self._waiting and (isinstance(action, Stopped) or not self._must_wait(self._waiting[0])):
            rulings += self.game.do(self._waiting.popleft())
        return tuple(rulings)

    def _name(self, named: RingerNamed) -> None:
        """Name the waiting ring that an event means; a ring that was answered meanwhile needs no name."""
        for place, action in enumerate(self._waiting):
            if isinstance(action, Bell) and named.ring_t_ns in (None, action.t_ns):
                if action.seat is None:
                    self._waiting[place] = action.model_copy(update={"seat": named.seat})
                return

    def _unseen(self) -> tuple[int, ...]:
        """Return the seats whose unchanged piles would settle an unclear ring."""
        ring = self._first_ring()
        if ring is None or not isinstance(self.open_verdict(), UnclearRing):
            return self.game.unseen()
        shown = {action.seat for action in self._waiting if isinstance(action, CardShown)}
        return tuple(seat for seat in ring.unseen if seat not in shown)

    def _take_doubt(self, seat: int) -> bool:
        """Mark a seat's pile as known to the waiting ring; return whether it was in doubt."""
        ring = self._first_ring()
        if ring is None or seat not in self._unseen():
            return False
        self._waiting[0] = ring.with_seen(seat)
        return True

    def open_verdict(self) -> RingRuling | None:
        """Return the verdict of the ring that waits for a name, to be announced at once; None without one."""
        ring = self._first_ring()
        return self.game.foresee(ring) if ring is not None and self._would_be_ruled(ring) else None

    def _first_ring(self) -> Bell | None:
        """Return the ring that all other events wait for, or None."""
        first = self._waiting[0] if self._waiting else None
        return first if isinstance(first, Bell) else None

    def question(self) -> Question | None:
        """Return the players' question: the name of a ringer, or the verdict of an unclear ring."""
        ruling = self.open_verdict()
        if ruling is not None:
            inside = tuple(seat for seat, out in enumerate(self.game.cards.is_out) if not out)
            return Question(ruling.t_ns, "who_rang", inside, ruling.as_json())
        unclear = self.game.undecided
        if unclear is None or unclear.seat is None:
            return None
        return Question(unclear.t_ns, "decide", unclear.seats, unclear.as_json())

    def view(self) -> PiccolinoView:
        """Return the game's state, with the verdict of a ring that waits for a name."""
        waiting, out = self.open_verdict(), self.game.cards.is_out
        ring_t_ns = waiting.t_ns if isinstance(waiting, ValidRing) else None
        return PiccolinoView(self.game.turn(), tuple(out), self._unseen(), ring_t_ns)

    def advice(self) -> str | None:
        """Return the advice for a table on which no card is left to turn: only a ring or the end can follow."""
        stuck = not self._waiting and not self.game.over and self.game.turn() is None
        return "no_card_to_turn" if stuck else None

    def _must_wait(self, action: Action) -> bool:
        """Return whether an action needs a name, or is the last one and may still get one."""
        if not isinstance(action, Bell) or action.seat is not None:
            return False
        return len(self._waiting) == 1 or self._would_be_ruled(action)

    def _would_be_ruled(self, bell: Bell) -> bool:
        return self.game.why_not_ruled(bell, None) is None


def from_header(header: Header) -> OneBell:
    """Return a new game by an event log's header.

    Raises:
        BadInputError: an option or the number of players does not fit Piccolino.
    """
    players = len(header.players)
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise BadInputError(
            "error.games.to_can_play_piccolino_not", least=MIN_PLAYERS, most=MAX_PLAYERS, number=players
        )
    return OneBell(Piccolino(players, settings_from(header)))
