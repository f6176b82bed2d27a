"""Confetti's rules: rounds, limits, hands after time, points kept (C1 to C11).

Every action is a triple: `verify_x` says why not (or None), `can_x` answers yes or no, `x` does it and gives the
rulings. `apply` takes the events of the outside contract; what the rules do not allow now becomes an `ConfettiIgnored`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum

from referee.engine.event_models import parsed
from referee.engine.events import Event, Header, Question
from referee.errors import BadInputError
from referee.games.confetti.events import (
    EVENTS,
    Challenged,
    Contested,
    Count,
    HandsGone,
    HandShown,
    Stopped,
    TimerFlipped,
    TimerRanOut,
)
from referee.games.confetti.rulings import (
    ArrangementShown,
    ConfettiEnded,
    ConfettiFoul,
    ConfettiIgnored,
    ConfettiReason,
    ConfettiRuling,
    HandCounted,
    HandsUnseen,
    RoundStarted,
    TimeUp,
)
from referee.games.confetti.score import Card, score_hand
from referee.games.confetti.setup import (
    ConfettiOptions,
    LateCards,
    Supply,
    cards_to_lay_out,
    round_limits,
    settings_from,
)
from referee.games.illegal_action import demand

Hand = tuple[Card, ...]


class RoundHands:
    """The last hand of each of `players` seats, in time and after it."""

    def __init__(self, players: int) -> None:
        self.players = players
        self._in_time: dict[int, Hand] = {}
        self._late: dict[int, Hand] = {}
        self._changed: dict[int, Counter[Card]] = {}
        self._swept: set[int] = set()
        self.gone: dict[int, Hand | None] = {}
        """Seats whose cards went before they were counted, with the hand seen last, None where none was complete."""

    @property
    def all_late(self) -> bool:
        """Return whether every seat has shown a hand after time."""
        return len(self._late) == self.players

    def unseen(self) -> tuple[int, ...]:
        """Return the seats that have shown no hand at all, or whose hand went before it was counted."""
        shown = (self._in_time.keys() | self._late.keys()) - self.gone.keys()
        return tuple(seat for seat in range(self.players) if seat not in shown)

    def lose(self, hands: Mapping[int, Hand | None]) -> None:
        """Note that the cards of seats went before they were counted; hands: those seen last."""
        for seat, hand in hands.items():
            self._late.pop(seat, None)
            self._swept.add(seat)
            self.gone[seat] = self._in_time.get(seat) if hand is None else hand

    def show_in_time(self, seat: int, cards: Hand) -> None:
        """Note what a seat holds while the sand runs."""
        self._in_time[seat] = cards

    def show_late(self, seat: int, cards: Hand) -> tuple[Hand, Hand] | None:
        """Note what a seat holds after time, and give what it took and put back since its last hand in time.

        None where nothing changed, where no hand in time is known, for a change that was given already, and where the
        cards went before they were counted: what people lay or say then is a hand from memory, not a card taken.
        """
        self._late[seat] = cards
        self.gone.pop(seat, None)
        if seat in self._swept:
            return None
        before, now = Counter(self._in_time.get(seat, cards)), Counter(cards)
        if now in (before, self._changed.get(seat)):
            return None
        self._changed[seat] = now
        return tuple((now - before).elements()), tuple((before - now).elements())

    def to_count(self, seat: int, late_cards: LateCards) -> Hand | None:
        """Return the hand of a seat that counts: with COUNT its last, with VOID its last in time, if there is one."""
        in_time, late = self._in_time.get(seat), self._late.get(seat)
        void = late_cards is LateCards.VOID and seat not in self._swept
        first, second = (in_time, late) if void else (late, in_time)
        return second if first is None else first


MAX_PLAYERS = 7
Rulings = tuple[ConfettiRuling, ...]


class Phase(Enum):
    """State of the game."""

    BEFORE_ROUND = "before the round"
    RUNNING = "the sand runs"
    COUNTING = "hands are counted"
    OVER = "over"


class Confetti:
    """A game of Confetti.

    `kept[seat]` counts point cards (C8); `number` and `limit` are of the running or last round, 0 before the first.

    Raises:
        BadInputError: 1 to 7 can play (C2).
    """

    def __init__(self, players: int, settings: ConfettiOptions | None = None) -> None:
        if not 1 <= players <= MAX_PLAYERS:
            raise BadInputError("error.games.1_to_can_play_confetti", most=MAX_PLAYERS, players=players)
        self.settings = settings or ConfettiOptions()
        self.players = players
        self.limits = round_limits(players)
        self.phase = Phase.BEFORE_ROUND
        self.number = 0
        self.limit = 0
        self.kept = [0] * players
        self.supply = Supply()
        self.counted: dict[int, HandCounted] = {}
        self._hands = RoundHands(players)
        self._asked_ns: int | None = None  # since when the count waits for hands that nobody has seen
        self._gone_ns: int | None = None  # since when it waits for hands that went before they were counted

    def apply(self, event: Event) -> Rulings:
        """Take the next event and give the rulings that follow from it.

        Raises:
            BadInputError: there is no such event, no such seat, or no such hand; nothing has changed then.
        """
        action = parsed(EVENTS, event, self.players, "Confetti")
        t_ns = event.t_ns
        match action:
            case TimerFlipped():
                reason = self.verify_flip()
                return self._ignore(event, reason) if reason else self.flip(t_ns)
            case TimerRanOut():
                reason = self.verify_run_out()
                return self._ignore(event, reason) if reason else self.run_out(t_ns)
            case Contested():
                reason = self.verify_contest()
                return self._ignore(event, reason) if reason else self.contest(t_ns)
            case Count():
                reason = self.verify_count()
                if reason:
                    return self._ignore(event, reason)
                return self.ask_for_hands(t_ns) if action.ask and self.unseen() else self.count(t_ns)
            case Stopped():
                reason = self.verify_stop()
                return self._ignore(event, reason) if reason else self.stop(t_ns)
            case HandShown(seat=seat, cards=cards):
                reason = self.verify_see_hand()
                return self._ignore(event, reason, seat) if reason else self.see_hand(t_ns, seat, cards)
            case HandsGone():
                gone = dict(zip(action.seats, action.last_seen, strict=True))
                reason = self.verify_lose_hands()
                return self._ignore(event, reason) if reason else self.lose_hands(t_ns, gone)
            case Challenged(seat=seat):
                reason = self.verify_challenge(seat)
                return self._ignore(event, reason, seat) if reason else self.challenge(t_ns, seat)

    def verify_flip(self) -> ConfettiReason | None:
        """Return why the sandtimer may not be flipped to start a round."""
        if self.phase is Phase.COUNTING and not self.unseen() and self.number < len(self.limits):
            return None
        return {
            Phase.RUNNING: ConfettiReason.TIMER_RUNNING,
            Phase.COUNTING: ConfettiReason.NOT_COUNTED,
            Phase.OVER: ConfettiReason.GAME_OVER,
        }.get(self.phase)

    def can_flip(self) -> bool:
        """Return whether a round may start."""
        return self.verify_flip() is None

    def flip(self, t_ns: int) -> Rulings:
        """Start the next round (C2, C4), with more cards laid out (C3).

        Hands of the round before that still wait for their count are counted first, if every seat has shown one.
        """
        demand(self.verify_flip())
        hands = self.count(t_ns) if self.phase is Phase.COUNTING else ()
        self.phase = Phase.RUNNING
        self.limit = self.limits[self.number]
        self.number += 1
        more = cards_to_lay_out(self.supply.aside, self.number, self.players, self.settings.edition)
        self.supply = replace(self.supply, aside=self.supply.aside - more, table=self.supply.table + more)
        self._hands, self._asked_ns, self._gone_ns = RoundHands(self.players), None, None
        return (*hands, RoundStarted(t_ns, self.number, self.limit, more))

    def unseen(self) -> tuple[int, ...]:
        """Return the seats that have shown no hand in this round, or that swept it up too soon, and have said none."""
        return self._hands.unseen()

    def verify_run_out(self) -> ConfettiReason | None:
        """Return why the sand cannot run out now."""
        return self._why_not_in(ConfettiReason.NO_TIMER, Phase.RUNNING)

    def can_run_out(self) -> bool:
        """Return whether the sand is running."""
        return self.verify_run_out() is None

    def run_out(self, t_ns: int) -> Rulings:
        """End the taking of cards (C4); hands seen from here on are those that are counted."""
        demand(self.verify_run_out())
        self.phase = Phase.COUNTING
        return (TimeUp(t_ns),)

    def verify_contest(self) -> ConfettiReason | None:
        """Return why no card can be contested now."""
        return self._why_not_in(ConfettiReason.NO_ROUND, Phase.RUNNING, Phase.COUNTING)

    def can_contest(self) -> bool:
        """Return whether two players could be holding one card."""
        return self.verify_contest() is None

    def contest(self, _t_ns: int) -> Rulings:
        """Take a card out of play that two players hold (C9); that calls for no ruling."""
        demand(self.verify_contest())
        self.supply = self.supply.without_contested(self.settings.edition)
        return ()

    def verify_see_hand(self) -> ConfettiReason | None:
        """Return why a hand means nothing now."""
        return self._why_not_in(ConfettiReason.NO_ROUND, Phase.RUNNING, Phase.COUNTING)

    def can_see_hand(self) -> bool:
        """Return whether hands are held now."""
        return self.verify_see_hand() is None

    def see_hand(self, t_ns: int, seat: int, cards: tuple[Card, ...]) -> Rulings:
        """Note what a seat holds.

        After time, other cards than in the last hand seen in time are a foul (C4), called once for the same cards;
        and when every seat has shown a hand since, or the hands are there that a count waits for, all are counted.
        """
        demand(self.verify_see_hand())
        if self.phase is Phase.RUNNING:
            self._hands.show_in_time(seat, cards)
            return ()
        change = self._hands.show_late(seat, cards)
        fouls = (ConfettiFoul(t_ns, seat, ConfettiReason.AFTER_TIME, *change),) if change else ()
        complete = self._hands.all_late or (self._asked_ns is not None and not self.unseen())
        return fouls + (self.count(t_ns) if complete else ())

    def verify_lose_hands(self) -> ConfettiReason | None:
        """Return why no hand can go before it is counted."""
        return self.verify_count()

    def can_lose_hands(self) -> bool:
        """Return whether hands wait to be counted."""
        return self.verify_lose_hands() is None

    def lose_hands(self, t_ns: int, hands: Mapping[int, tuple[Card, ...] | None]) -> Rulings:
        """Let the count wait for seats whose cards went before they were counted: no foul, no points, a question.

        hands: those seen last, None where none was complete.
        """
        demand(self.verify_lose_hands())
        self._hands.lose(hands)
        self._gone_ns = t_ns
        return (self._hands_unseen(t_ns),)

    def verify_count(self) -> ConfettiReason | None:
        """Return why hands cannot be counted now."""
        return {
            Phase.BEFORE_ROUND: ConfettiReason.NO_ROUND,
            Phase.RUNNING: ConfettiReason.TIMER_RUNNING,
            Phase.OVER: ConfettiReason.GAME_OVER,
        }.get(self.phase)

    def can_count(self) -> bool:
        """Return whether hands can be counted now."""
        return self.verify_count() is None

    def count(self, t_ns: int) -> Rulings:
        """Score every seat's last hand (C6, C7), keep point cards or lose them (C8), and end the game after the last.

        A seat that never showed a hand this round holds none: who counts so vouches for it (see `ask_for_hands`).
        """
        demand(self.verify_count())
        hands = tuple(self._count_seat(t_ns, seat) for seat in range(self.players))
        self.counted = {hand.seat: hand for hand in hands}
        back = self.supply.out_for_round
        self.supply = replace(self.supply, table=self.supply.table + back, out_for_round=0)
        if self.number < len(self.limits):
            self.phase = Phase.BEFORE_ROUND
            return hands
        return (*hands, self._end(t_ns))

    def verify_stop(self) -> ConfettiReason | None:
        """Return why the players cannot end the game early; one in which nothing was counted has no result.

        Raises:
            BadInputError: nothing was.
        """
        if self.phase is not Phase.OVER and not self.counted:
            raise BadInputError("error.games.no_hand_has_been_counted")
        return ConfettiReason.GAME_OVER if self.phase is Phase.OVER else None

    def can_stop(self) -> bool:
        """Return whether the players can end the game early, with a result."""
        return self.phase is not Phase.OVER and bool(self.counted)

    def stop(self, t_ns: int) -> Rulings:
        """End the game with the points as they are: those kept so far (C8); hands not counted yet count for nothing."""
        demand(self.verify_stop())
        return (self._end(t_ns, stopped=True),)

    def _end(self, t_ns: int, *, stopped: bool = False) -> ConfettiEnded:
        self.phase = Phase.OVER
        winners = tuple(seat for seat, kept in enumerate(self.kept) if kept == max(self.kept))
        return ConfettiEnded(t_ns, winners, tuple(self.kept), stopped)

    def ask_for_hands(self, t_ns: int) -> Rulings:
        """Make the count wait for hands that are neither seen nor entered: an unseen hand is not an empty one."""
        demand(self.verify_count())
        self._asked_ns = t_ns
        return (self._hands_unseen(t_ns),)

    def _hands_unseen(self, t_ns: int) -> HandsUnseen:
        gone = dict(self._hands.gone)
        return HandsUnseen(t_ns, tuple(sorted(gone)) if self._asked_ns is None else self.unseen(), gone)

    def question(self) -> Question | None:
        """Ask the players for the hands that a count waits for."""
        gone_ns = self._gone_ns if self._hands.gone else None
        asked = [t_ns for t_ns in (self._asked_ns, gone_ns) if t_ns is not None]
        if not asked or self.phase is not Phase.COUNTING:
            return None
        ruling = self._hands_unseen(max(asked))
        return Question(max(asked), "no_hand", ruling.seats, ruling)

    def _count_seat(self, t_ns: int, seat: int) -> HandCounted:
        hand = self._hands.to_count(seat, self.settings.late_cards)
        cards = hand or ()
        score = score_hand(cards, self.limit, self.settings.overlimit)
        before = self.kept[seat]
        self.kept[seat] = max(0, before + score.points)
        self.supply = replace(self.supply, table=max(0, self.supply.table + before - self.kept[seat]))
        return HandCounted(t_ns, seat, cards, score, self.kept[seat], seen=hand is not None)

    def verify_challenge(self, seat: int) -> ConfettiReason | None:
        """Return why a seat's score cannot be challenged."""
        return None if seat in self.counted else ConfettiReason.NOTHING_COUNTED

    def can_challenge(self, seat: int) -> bool:
        """Return whether a seat has a score to challenge."""
        return self.verify_challenge(seat) is None

    def challenge(self, t_ns: int, seat: int) -> Rulings:
        """Show how the seat's last counted hand makes its sets on the fewest cards (C11)."""
        demand(self.verify_challenge(seat))
        hand = self.counted[seat]
        return (ArrangementShown(t_ns, seat, hand.cards, hand.score),)

    def _why_not_in(self, reason: ConfettiReason, *phases: Phase) -> ConfettiReason | None:
        if self.phase in phases:
            return None
        return ConfettiReason.GAME_OVER if self.phase is Phase.OVER else reason

    def _ignore(self, event: Event, reason: ConfettiReason, seat: int | None = None) -> Rulings:
        return (ConfettiIgnored(event.t_ns, event.kind, reason, seat),)


def from_header(header: Header) -> Confetti:
    """Start the game that an event log's header describes.

    Raises:
        BadInputError: it has an option or a number of players that Confetti does not.
    """
    return Confetti(len(header.players), settings_from(header))
