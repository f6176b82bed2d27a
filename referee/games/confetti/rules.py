"""Confetti's rules: rounds, limits, hands after time, points kept (C1 to C11).

`apply` takes the events of the outside contract; what the rules do not allow now becomes an `Ignored`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum

from referee.engine.event_models import parsed
from referee.engine.events import Event, Game, Header, Ignored, Question, Ruling
from referee.errors import BadInputError
from referee.games.confetti.events import (
    EVENTS,
    Action,
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
    ConfettiReason,
    HandCounted,
    HandsUnseen,
    RoundStarted,
    TimeUp,
)
from referee.games.confetti.score import Card, score_hand
from referee.games.confetti.start_options import (
    ConfettiOptions,
    LateCards,
    Supply,
    cards_to_lay_out,
    round_limits,
    settings_from,
)

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
        """Note that the cards of seats went before they were counted; hands: the last ones seen."""
        for seat, hand in hands.items():
            self._late.pop(seat, None)
            self._swept.add(seat)
            self.gone[seat] = self._in_time.get(seat) if hand is None else hand

    def show_in_time(self, seat: int, cards: Hand) -> None:
        """Note a seat's cards while the sand runs."""
        self._in_time[seat] = cards

    def show_late(self, seat: int, cards: Hand) -> tuple[Hand, Hand] | None:
        """Note a seat's cards after time; return the cards taken and put back since its last hand in time.

        Returns None if nothing changed, if no hand in time is known, and for a change that was returned before. Also
        None if the cards went before they were counted: a hand that people show then is from memory, and no card was
        taken.
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
        """Return the hand of a seat that counts: with COUNT its last one, with VOID its last one in time."""
        in_time, late = self._in_time.get(seat), self._late.get(seat)
        void = late_cards is LateCards.VOID and seat not in self._swept
        first, second = (in_time, late) if void else (late, in_time)
        return second if first is None else first


MAX_PLAYERS = 7
Rulings = tuple[Ruling, ...]


class Phase(Enum):
    """State of the game."""

    BEFORE_ROUND = "before the round"
    RUNNING = "the sand runs"
    COUNTING = "hands are counted"
    OVER = "over"


class Confetti(Game):
    """A game of Confetti.

    `kept[seat]` counts point cards (C8); `number` and `limit` belong to the running or last round, 0 before the first.

    Raises:
        BadInputError: the number of players is not 1 to 7 (C2).
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
        self._asked_ns: int | None = None  # since when the count waits for unseen hands
        self._gone_ns: int | None = None  # since when the count waits for hands that went too soon

    def apply(self, event: Event) -> Rulings:
        """Take the next event and return its rulings.

        Raises:
            BadInputError: unknown event, seat or hand; the state is unchanged then.
        """
        action = parsed(EVENTS, event, self.players, "Confetti")
        t_ns, reason = event.t_ns, self.why_not(action)
        if reason is not None:
            return (Ignored(t_ns, event.kind, reason, seat=getattr(action, "seat", None)),)
        match action:
            case TimerFlipped():
                return self.flip(t_ns)
            case TimerRanOut():
                return self.run_out(t_ns)
            case Contested():
                self.supply = self.supply.without_contested(self.settings.edition)
                return ()
            case Count(ask=ask):
                return self._ask_for_hands(t_ns) if ask and self.unseen() else self.count(t_ns)
            case Stopped():
                return (self._end(t_ns, stopped=True),)
            case HandShown(seat=seat, cards=cards):
                return self.see_hand(t_ns, seat, cards)
            case HandsGone():
                # A question, without a foul and without points.
                self._hands.lose(dict(zip(action.seats, action.last_seen, strict=True)))
                self._gone_ns = t_ns
                return (self._hands_unseen(t_ns),)
            case Challenged(seat=seat):
                hand = self.counted[seat]
                return (ArrangementShown(t_ns, seat, hand.cards, hand.score),)

    def why_not(self, action: Action) -> ConfettiReason | None:
        """Return why an action is not allowed now, or None.

        Raises:
            BadInputError: the players stop a game before its first count: it has no result.
        """
        phase, counts = self.phase, self.phase is Phase.COUNTING
        match action:
            case TimerFlipped() if phase is Phase.BEFORE_ROUND or (
                counts and not self.unseen() and self.number < len(self.limits)
            ):
                return None
            case TimerFlipped() if counts:
                return ConfettiReason.NOT_COUNTED
            case Count() | HandsGone() if counts:
                return None
            case TimerFlipped() | Count() | HandsGone() if phase is Phase.RUNNING:
                return ConfettiReason.TIMER_RUNNING
            case TimerRanOut() if phase is not Phase.OVER:
                return None if phase is Phase.RUNNING else ConfettiReason.NO_TIMER
            case Contested() | HandShown() if counts or phase is Phase.RUNNING:
                return None
            case Challenged(seat=seat):
                return None if seat in self.counted else ConfettiReason.NOTHING_COUNTED
            case Stopped() if phase is not Phase.OVER:
                if not self.counted:
                    raise BadInputError("error.games.no_hand_has_been_counted")
                return None
        return ConfettiReason.GAME_OVER if phase is Phase.OVER else ConfettiReason.NO_ROUND

    def flip(self, t_ns: int) -> Rulings:
        """Start the next round (C2, C4), with more cards laid out (C3).

        Hands of the last round that still wait for their count are counted first, if every seat has shown one.
        """
        hands = self.count(t_ns) if self.phase is Phase.COUNTING else ()
        self.phase = Phase.RUNNING
        self.limit = self.limits[self.number]
        self.number += 1
        more = cards_to_lay_out(self.supply.aside, self.number, self.players, self.settings.edition)
        self.supply = replace(self.supply, aside=self.supply.aside - more, table=self.supply.table + more)
        self._hands, self._asked_ns, self._gone_ns = RoundHands(self.players), None, None
        return (*hands, RoundStarted(t_ns, self.number, self.limit, more))

    def unseen(self) -> tuple[int, ...]:
        """Return the seats without a hand in this round: never shown, or swept up too soon and not named since."""
        return self._hands.unseen()

    def run_out(self, t_ns: int) -> Rulings:
        """End the taking of cards (C4); hands that are seen from now on are counted."""
        self.phase = Phase.COUNTING
        return (TimeUp(t_ns),)

    def see_hand(self, t_ns: int, seat: int, cards: tuple[Card, ...]) -> Rulings:
        """Note a seat's hand.

        After time, other cards than in the last hand in time are a foul (C4), called once for the same cards. Once
        every seat has shown a hand since, or the hands are there that a count waits for, all are counted.
        """
        if self.phase is Phase.RUNNING:
            self._hands.show_in_time(seat, cards)
            return ()
        change = self._hands.show_late(seat, cards)
        fouls = (ConfettiFoul(t_ns, seat, ConfettiReason.AFTER_TIME, *change),) if change else ()
        complete = self._hands.all_late or (self._asked_ns is not None and not self.unseen())
        return fouls + (self.count(t_ns) if complete else ())

    def count(self, t_ns: int) -> Rulings:
        """Score every seat's last hand (C6, C7), keep point cards or lose them (C8), end the game after the last round.

        A seat that never showed a hand in this round counts as empty: the players confirm that (see `Count.ask`).
        """
        hands = tuple(self._count_seat(t_ns, seat) for seat in range(self.players))
        self.counted = {hand.seat: hand for hand in hands}
        back = self.supply.out_for_round
        self.supply = replace(self.supply, table=self.supply.table + back, out_for_round=0)
        if self.number < len(self.limits):
            self.phase = Phase.BEFORE_ROUND
            return hands
        return (*hands, self._end(t_ns))

    def _end(self, t_ns: int, *, stopped: bool = False) -> ConfettiEnded:
        self.phase = Phase.OVER
        winners = tuple(seat for seat, kept in enumerate(self.kept) if kept == max(self.kept))
        return ConfettiEnded(t_ns, winners, tuple(self.kept), stopped)

    def _ask_for_hands(self, t_ns: int) -> Rulings:
        """Let the count wait for hands that are neither seen nor entered: an unseen hand is not an empty one."""
        self._asked_ns = t_ns
        return (self._hands_unseen(t_ns),)

    def _hands_unseen(self, t_ns: int) -> HandsUnseen:
        gone = dict(self._hands.gone)
        return HandsUnseen(t_ns, tuple(sorted(gone)) if self._asked_ns is None else self.unseen(), gone)

    def question(self) -> Question | None:
        """Return the question for the hands that a count waits for."""
        gone_ns = self._gone_ns if self._hands.gone else None
        asked = [t_ns for t_ns in (self._asked_ns, gone_ns) if t_ns is not None]
        if not asked or self.phase is not Phase.COUNTING:
            return None
        ruling = self._hands_unseen(max(asked))
        return Question(max(asked), "no_hand", ruling.seats, ruling.as_json())

    def _count_seat(self, t_ns: int, seat: int) -> HandCounted:
        hand = self._hands.to_count(seat, self.settings.late_cards)
        cards = hand or ()
        score = score_hand(cards, self.limit, self.settings.overlimit)
        before = self.kept[seat]
        self.kept[seat] = max(0, before + score.points)
        self.supply = replace(self.supply, table=max(0, self.supply.table + before - self.kept[seat]))
        return HandCounted(t_ns, seat, cards, score, self.kept[seat], seen=hand is not None)


def from_header(header: Header) -> Confetti:
    """Return a new game by an event log's header.

    Raises:
        BadInputError: an option or the number of players does not fit Confetti.
    """
    return Confetti(len(header.players), settings_from(header))
