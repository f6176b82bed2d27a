"""Piccolino (P1–P10): cards shown, rings, piles and penalties; events in, rulings out.

Every action is a triple: `verify_x` says why not (or None), `can_x` answers yes or no, `x` does it and gives the
rulings. Cards are known as counts only, but for the top of each discard pile. Who rang may be said later:
`one_bell` waits for it.
"""

from __future__ import annotations

from referee.engine.events import Header
from referee.errors import BadInputError
from referee.games.illegal_action import demand
from referee.games.piccolino.deck import Holdings
from referee.games.piccolino.events import (
    Action,
    Bell,
    CardRead,
    CardShown,
    Decided,
    PileGone,
    PileUnchanged,
    RingerNamed,
)
from referee.games.piccolino.one_bell import OneBell
from referee.games.piccolino.ring import EarlyRing, RingRuling, decided_ruling, ring_ruling
from referee.games.piccolino.rulings import (
    AlsoRang,
    FalseRing,
    PairsMissed,
    PiccolinoEnded,
    PiccolinoIgnored,
    PiccolinoRuling,
    Remark,
    UnclearRing,
    ValidRing,
)
from referee.games.piccolino.setup import (
    MAX_PLAYERS,
    MIN_PLAYERS,
    PiccolinoOptions,
    TwoLeft,
    cards_dealt,
    deal,
    settings_from,
)
from referee.games.piccolino.tops import PiccolinoReason, Top, Tops

TWO_AT_ONCE_NS = 200_000_000
NS_PER_MS = 1_000_000
Rulings = tuple[PiccolinoRuling, ...]


class Piccolino:
    """A game of Piccolino among seats that are known.

    `cards` counts each seat's cards; `tops` are the open ones; `over` marks the end; `undecided` is the
    unclear ring that waits for the players' word.

    Raises:
        BadInputError: 2 to 5 can play.
    """

    def __init__(self, players: int, settings: PiccolinoOptions | None = None) -> None:
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise BadInputError(
                "error.games.to_can_play_piccolino_not", least=MIN_PLAYERS, most=MAX_PLAYERS, number=players
            )
        self.settings = settings or PiccolinoOptions()
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
        self._doubted: Bell | None = None  # the ring that is undecided, as long as what lay open then still does
        self._early = EarlyRing()

    def do(self, action: Action) -> Rulings:
        """Take an action and give the rulings that follow; one that the rules do not allow now is ignored."""
        t_ns = action.t_ns
        match action:
            case CardShown(seat=seat):
                reason = self.verify_show(seat)
                return (PiccolinoIgnored(t_ns, "card_shown", seat, reason),) if reason else self.show(action)
            case CardRead() | PileGone():
                reason = self.verify_look(action.seat)
                return (PiccolinoIgnored(t_ns, "look", action.seat, reason),) if reason else self.look(action)
            case Bell(seat=seat):
                reason = self.verify_ring(action)
                if reason is PiccolinoReason.ALSO_RANG and self._ruled_ns is not None:
                    again = seat is not None and seat == self._ruled_seat
                    return (AlsoRang(t_ns, seat, (t_ns - self._ruled_ns) / NS_PER_MS, again),)
                return (PiccolinoIgnored(t_ns, "bell", seat, reason),) if reason else self.ring(action)
            case PileUnchanged(seat=seat):
                reason = self.verify_settle(seat)
                return (PiccolinoIgnored(t_ns, "look", seat, reason),) if reason else self.settle(action)
            case Decided():
                reason = self.verify_decide()
                return (PiccolinoIgnored(t_ns, "decided", None, reason),) if reason else self.decide(action)
            case RingerNamed(seat=seat):
                return (PiccolinoIgnored(t_ns, "ringer", seat, PiccolinoReason.NO_RING),)
            case _:
                # A game that is over needs no other end.
                return self.stop(t_ns) if self.can_stop() else ()

    def verify_show(self, seat: int) -> PiccolinoReason | None:
        """Return why a card at a seat means nothing."""
        if self.over:
            return PiccolinoReason.GAME_OVER
        return PiccolinoReason.OUT if self.cards.is_out[seat] else None

    def can_show(self, seat: int) -> bool:
        """Return whether a seat may turn a card."""
        return self.verify_show(seat) is None

    def show(self, card: CardShown) -> Rulings:
        """Turn a seat's next card onto its discard pile (P2).

        A seat without draw pile has none to turn: either a count is wrong or a card was put there. What is open is
        believed, for rings are judged on it (P9); the counts stay, so that no card is made; and it is remarked on.
        """
        demand(self.verify_show(card.seat))
        remarks = self._remarks(card)
        self.cards.turn(card.seat)
        self.tops.show(card.t_ns, card.seat, Top(card.colour, card.mood), card.hidden_ns)
        self._next = (card.seat + 1) % self.players
        self._last_card_ns = card.t_ns
        self._cleared = False
        self.undecided = self._doubted = None
        return (*remarks, *self._early.shown(card, self.tops.pairs()))

    def _remarks(self, card: CardShown) -> Rulings:
        if not self.cards.draw[card.seat]:
            return (Remark(card.t_ns, card.seat, PiccolinoReason.NO_DRAW_PILE),)
        if not self.settings.remarks:
            return ()
        if self._last_card_ns is not None and card.t_ns - self._last_card_ns < TWO_AT_ONCE_NS:
            return (Remark(card.t_ns, card.seat, PiccolinoReason.TWO_AT_ONCE),)
        return () if card.seat == self.turn() else (Remark(card.t_ns, card.seat, PiccolinoReason.OUT_OF_TURN),)

    def verify_look(self, seat: int) -> PiccolinoReason | None:
        """Return why nothing can be learned about a seat's discard pile."""
        if self.over:
            return PiccolinoReason.GAME_OVER
        return None if self.cards.discard[seat] else PiccolinoReason.NO_PILE

    def look(self, seen: CardRead | PileGone) -> Rulings:
        """Take what is known of a discard pile that no card was turned onto (P10); no card moves."""
        demand(self.verify_look(seen.seat))
        if isinstance(seen, PileGone):
            self.tops.take_away(seen.t_ns, seen.seat)
            self._doubted = None
        else:
            self.tops.read_again(seen.seat, Top(seen.colour, seen.mood))
        return ()

    def turn(self) -> int | None:
        """Return the seat that turns the next card (P2), None when no draw pile is left.

        The winner of the piles starts (P4), **Ruling**: also where a wrong ring gave them to him.
        """
        seats = ((self._next + step) % self.players for step in range(self.players))
        return next((seat for seat in seats if self.cards.draw[seat]), None)

    def verify_ring(self, bell: Bell) -> PiccolinoReason | None:
        """Return why a ring is not ruled, in the order of the outside contract.

        A table on which a first card may be unseen is not known to be cleared: ringing for a card is not free (P5).
        """
        if bell.seat is not None and self.cards.is_out[bell.seat]:
            return PiccolinoReason.OUT
        if self._ruled_ns is not None and bell.t_ns - self._ruled_ns <= self.settings.lockout_ms * NS_PER_MS:
            return PiccolinoReason.ALSO_RANG
        if self._cleared and not bell.unseen:
            return PiccolinoReason.TABLE_CLEARED
        return PiccolinoReason.GAME_OVER if self.over else None

    def can_ring(self, bell: Bell) -> bool:
        """Return whether a ring would be ruled."""
        return self.verify_ring(bell) is None

    def ring(self, bell: Bell) -> Rulings:
        """Rule a ring on what is open, and let the cards move (P3–P5); nobody's ring (None) moves no card."""
        demand(self.verify_ring(bell))
        self._ruled_ns, self._ruled_seat = bell.t_ns, bell.seat
        return self._rule(bell, self.foresee(bell))

    def _rule(self, bell: Bell, ruling: RingRuling) -> Rulings:
        self.undecided, self._doubted = (ruling, bell) if isinstance(ruling, UnclearRing) else (None, None)
        self._early.rang(bell, wrong=isinstance(ruling, FalseRing))
        if bell.seat is None or isinstance(ruling, UnclearRing):
            return (ruling,)
        return (ruling, *self._move_cards(bell.t_ns, bell.seat, isinstance(ruling, ValidRing)))

    def foresee(self, bell: Bell) -> RingRuling:
        """Return what a ring would be ruled, and change nothing."""
        verdict = self.tops.judge(bell.t_ns, bell.unseen)
        return ring_ruling(bell, verdict, self.settings.lucky_guess, cleared=self._cleared)

    def unseen(self) -> tuple[int, ...]:
        """Return the seats that would settle an unclear ring if what is there has not changed since before it."""
        return () if self._doubted is None else self._doubted.unseen

    def verify_settle(self, seat: int) -> PiccolinoReason | None:
        """Return why it settles nothing that a seat's pile is unchanged: no unclear ring hangs on it."""
        if self.over:
            return PiccolinoReason.GAME_OVER
        return None if seat in self.unseen() else PiccolinoReason.NO_RING

    def can_settle(self, seat: int) -> bool:
        """Return whether an unclear ring hangs on what lay at a seat."""
        return self.verify_settle(seat) is None

    def settle(self, seen: PileUnchanged) -> Rulings:
        """Rule an unclear ring after all, if that was the last doubt."""
        demand(self.verify_settle(seen.seat))
        if self._doubted is None:
            return ()
        self._doubted = bell = self._doubted.with_seen(seen.seat)
        if self._cleared and not bell.unseen:
            self.undecided = self._doubted = None
            return (PiccolinoIgnored(bell.t_ns, "bell", bell.seat, PiccolinoReason.TABLE_CLEARED),)
        ruling = self.foresee(bell)
        return () if isinstance(ruling, UnclearRing) else self._rule(bell, ruling)

    def verify_decide(self) -> PiccolinoReason | None:
        """Return why the players have nothing to decide: play went on, or no ring was unclear."""
        if self.over:
            return PiccolinoReason.GAME_OVER
        return PiccolinoReason.NO_RING if self.undecided is None or self.undecided.seat is None else None

    def can_decide(self) -> bool:
        """Return whether an unclear ring waits for the players' word."""
        return self.verify_decide() is None

    def decide(self, decision: Decided) -> Rulings:
        """Rule the unclear ring as the players say (P10)."""
        demand(self.verify_decide())
        ring = self.undecided
        self.undecided = self._doubted = None
        if ring is None or ring.seat is None:
            return ()
        ruling = decided_ruling(ring.t_ns, ring.seat, valid=decision.valid)
        return (ruling, *self._move_cards(ring.t_ns, ring.seat, decision.valid))

    def verify_stop(self) -> PiccolinoReason | None:
        """Return why the game cannot be stopped."""
        return PiccolinoReason.GAME_OVER if self.over else None

    def can_stop(self) -> bool:
        """Return whether the game still goes on."""
        return self.verify_stop() is None

    def stop(self, t_ns: int) -> Rulings:
        """End the game: who has most cards wins, equal counts share (P7)."""
        demand(self.verify_stop())
        self.over = True
        cards = self.cards.totals()
        winners = tuple(seat for seat, held in enumerate(cards) if held == max(cards))
        return (PiccolinoEnded(t_ns, winners, cards),)

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
        ended = self.stop(t_ns) if self.cards.is_out.count(False) == 1 else ()
        return (*moves, *outs, *ended)

    def _win_piles(self, t_ns: int, seat: int) -> Rulings:
        won, missed_ns = self.cards.win_piles(t_ns, seat), self.tops.missed_ns
        self.tops.clear()
        self._next = seat
        if not missed_ns or not self.settings.missed:
            return won
        return (*won, PairsMissed(t_ns, len(missed_ns), max(missed_ns) / NS_PER_MS))


def from_header(header: Header) -> OneBell:
    """Start the game that an event log's header describes.

    Raises:
        BadInputError: it has an option or a number of players that Piccolino does not.
    """
    if not MIN_PLAYERS <= len(header.players) <= MAX_PLAYERS:
        raise BadInputError(
            "error.games.to_can_play_piccolino_not", least=MIN_PLAYERS, most=MAX_PLAYERS, number=len(header.players)
        )
    return OneBell(Piccolino(len(header.players), settings_from(header)))
