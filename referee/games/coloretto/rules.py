"""Coloretto (K1–K9): cards placed, rows taken, rounds and the score; events in, rulings out.

`verify_x` returns why an action is not allowed (or None), and `x` does it. `apply` takes the events of the outside
contract; an action against the rules becomes a `ColorettoFoul` and changes nothing.
"""

from __future__ import annotations

from collections import Counter

from referee.engine.event_models import parsed
from referee.engine.events import Event, Game, Header, Ignored, Ruling
from referee.errors import BadInputError
from referee.games.coloretto.events import (
    EVENTS,
    CardMoved,
    CardPlaced,
    CardTakenBack,
    CardWas,
    LastRound,
    RowTaken,
    StartCards,
    Stopped,
)
from referee.games.coloretto.rulings import (
    ColorettoEnded,
    ColorettoFoul,
    ColorettoReason,
    RoundEnded,
)
from referee.games.coloretto.score import HandCards, score_coloretto
from referee.games.coloretto.start_options import (
    JOKER,
    MAX_JOKERS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    PLUS2,
    ColorettoOptions,
    colours_known,
    is_colour,
    rooms,
    settings_from,
)

Rulings = tuple[Ruling, ...]


class Coloretto(Game):
    """A game of Coloretto.

    `rows[row]` lists a row's cards, None once the row is taken; `hands[seat]` counts a seat's cards; `turn` is the seat
    that plays; `last` marks the last round (K6); `over` marks the end.

    Raises:
        BadInputError: the number of players is not 2 to 5.
    """

    def __init__(self, players: int, settings: ColorettoOptions | None = None) -> None:
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise BadInputError(
                "error.games.to_can_play_coloretto_not", least=MIN_PLAYERS, most=MAX_PLAYERS, number=players
            )
        self.settings = settings or ColorettoOptions()
        self.players = players
        self.rooms = rooms(players)
        self.rows: list[list[str] | None] = [[] for _ in self.rooms]
        self.hands = [Counter(cards) for cards in self.settings.start_cards or [()] * players]
        self._begun_with = [Counter(hand) for hand in self.hands]
        self.taken: set[int] = set()
        self.turn = self.settings.first
        self.last = False
        self.over = False
        self._stopped = False
        self._rows_taken = 0
        self._placed_last: tuple[int, int] | None = None  # seat and row, until the next action
        self._seen: Counter[str] = sum(self.hands, Counter())

    def apply(self, event: Event) -> Rulings:
        """Take the next event and return its rulings.

        Raises:
            BadInputError: unknown event, seat, row or card; the state is unchanged then.
        """
        action = parsed(EVENTS, event, self.players, "Coloretto")
        if isinstance(action, CardPlaced | CardMoved | CardWas) and self._has_all_jokers(action.card):
            raise BadInputError("error.games.no_deck_has_more_than", most=MAX_JOKERS)
        match action:
            case CardPlaced(seat=seat, row=row):
                if reason := self.verify_place(seat, row):
                    return self._refuse(event, seat, row, reason)
                self.place(seat, row, action.card)
            case RowTaken(seat=seat, row=row):
                reason = self.verify_take(seat, row)
                return self._refuse(event, seat, row, reason) if reason else self.take(event.t_ns, seat, row)
            case LastRound() | Stopped() if self.over:
                return (Ignored(event.t_ns, event.kind, ColorettoReason.GAME_OVER),)
            case LastRound():
                # The running round is the last (K6).
                self.last = True
            case Stopped():
                if not self._rows_taken:
                    raise BadInputError("error.games.nobody_has_taken_row_yet")
                # Each seat's cards count; cards in the rows belong to nobody.
                return self._end(event.t_ns, stopped=True)
            case CardTakenBack(row=row):
                if not self.can_take_back(row):
                    raise BadInputError("error.games.only_card_that_was_placed")
                self.take_back()
            case CardMoved():
                self.move(action.card, action.row, action.to)
            case CardWas():
                return self._card_was(action)
            case StartCards():
                self._start(action)
        return ()

    def verify_place(self, seat: int, row: int) -> ColorettoReason | None:
        """Return why a seat may not place a card in a row (K4), by the outside contract's order; None if it may."""
        if reason := self._why_not(seat, row):
            return reason
        return ColorettoReason.ROW_FULL if len(self.rows[row] or ()) >= self.rooms[row] else None

    def place(self, seat: int, row: int, card: str) -> None:
        """Place a card in a row (K4).

        Raises:
            BadInputError: the rules do not allow it now.
        """
        _demand(self.verify_place(seat, row))
        self._cards(row).append(card)
        self._placed_last = seat, row
        self._seen[card] += 1
        self._pass_on()

    @property
    def placed_last(self) -> int | None:
        """Return the seat that has placed a card, until the next action."""
        return None if self._placed_last is None else self._placed_last[0]

    def can_take_back(self, row: int) -> bool:
        """Return whether the last action placed a card in this row."""
        return not self.over and self._placed_last is not None and self._placed_last[1] == row

    def take_back(self) -> None:
        """Undo the last placement: the card was laid down and lifted again."""
        if self._placed_last is None:
            raise BadInputError("error.games.no_card_was_placed_just")
        self.turn, row = self._placed_last
        self._seen[self._cards(row).pop()] -= 1
        self._placed_last = None

    def can_move(self, card: str, row: int, to: int) -> bool:
        """Return whether a card of one row can move to another."""
        there = self.rows[to]
        has_room = there is not None and len(there) < self.rooms[to]
        return not self.over and row != to and has_room and card in self._cards(row)

    def move(self, card: str, row: int, to: int) -> None:
        """Move a card to another row: somebody pushed it, or put it right; no turn passes."""
        if not self.can_move(card, row, to):
            raise BadInputError("error.games.no_such_card_lies_in")
        self._cards(row).remove(card)
        self._cards(to).append(card)
        self._placed_last = None

    def copy(self) -> Coloretto:
        """Return an independent copy of the game."""
        twin = Coloretto.__new__(Coloretto)
        twin.__dict__.update(self.__dict__)
        twin.rows = [None if row is None else list(row) for row in self.rows]
        twin.hands = [Counter(hand) for hand in self.hands]
        twin._begun_with = list(self._begun_with)
        twin.taken, twin._seen = set(self.taken), Counter(self._seen)
        return twin

    def view(self) -> Coloretto:
        """Return a copy for the watcher, which plays hypotheses on it."""
        return self.copy()

    def verify_take(self, seat: int, row: int) -> ColorettoReason | None:
        """Return why a seat may not take a row (K4), in the order of the outside contract; None if it may."""
        if reason := self._why_not(seat, row):
            return reason
        return None if self.rows[row] else ColorettoReason.ROW_EMPTY

    def take(self, t_ns: int, seat: int, row: int) -> Rulings:
        """Take a row; the last taker ends the round, and after the last round the game (K5, K6).

        Raises:
            BadInputError: the rules do not allow it now.
        """
        _demand(self.verify_take(seat, row))
        self.hands[seat].update(self._cards(row))
        self.rows[row] = None
        self._placed_last = None
        self.taken.add(seat)
        self._rows_taken += 1
        if len(self.taken) < self.players:
            self._pass_on()
            return ()
        # With two players the cards of the third row leave the game here (K5).
        self.rows = [[] for _ in self.rooms]
        self.taken, self.turn = set(), seat
        return (RoundEnded(t_ns, seat, self.last), *(self._end(t_ns) if self.last else ()))

    def _why_not(self, seat: int, row: int) -> ColorettoReason | None:
        if self.over:
            return ColorettoReason.GAME_OVER
        if seat in self.taken:
            return ColorettoReason.ALREADY_OUT
        if seat != self.turn:
            return ColorettoReason.NOT_YOUR_TURN
        return ColorettoReason.ROW_GONE if self.rows[row] is None else None

    def _cards(self, row: int) -> list[str]:
        cards = self.rows[row]
        return [] if cards is None else cards

    def _pass_on(self) -> None:
        """Pass the turn to the next seat to the left without a row (K4, K5), perhaps the same one."""
        seats = ((self.turn + step) % self.players for step in range(1, self.players + 1))
        self.turn = next(seat for seat in seats if seat not in self.taken)

    def _end(self, t_ns: int, *, stopped: bool = False) -> Rulings:
        self.over, self._stopped = True, stopped
        hands = tuple(self._hand(cards) for cards in self.hands)
        scores = tuple(score_coloretto(hand, self.settings.table) for hand in hands)
        most = max(score.points for score in scores)
        winners = tuple(seat for seat, score in enumerate(scores) if score.points == most)
        return (ColorettoEnded(t_ns, winners, hands, scores, stopped),)

    def _hand(self, cards: Counter[str]) -> HandCards:
        known = colours_known(frozenset(card for card in self._seen if is_colour(card)), self.settings)
        colours = {card: count for card, count in cards.items() if is_colour(card)}
        colours |= dict.fromkeys([colour for colour in known if colour not in colours], 0)
        return HandCards(colours, cards[JOKER], cards[PLUS2])

    def _start(self, start: StartCards) -> None:
        """Take a seat's start colours (K2); the event may come late."""
        if self.over:
            raise BadInputError("error.games.cards_that_everybody_starts_with")
        before, now = self._begun_with[start.seat], Counter(start.cards)
        self._begun_with[start.seat] = now
        self.hands[start.seat] = self.hands[start.seat] - before + now
        self._seen = self._seen - before + now

    def _card_was(self, wrong: CardWas) -> Rulings:
        """Exchange a misread card of a seat for another one."""
        was, card = Counter([wrong.was]), Counter([wrong.card])
        if self.hands[wrong.seat][wrong.was] < 1:
            raise BadInputError("error.games.was_must_be_card_that")
        self.hands[wrong.seat] = self.hands[wrong.seat] - was + card
        self._seen = self._seen - was + card
        return self._end(wrong.t_ns, stopped=self._stopped) if self.over else ()

    def _has_all_jokers(self, card: str) -> bool:
        return card == JOKER and self._seen[JOKER] >= MAX_JOKERS

    def _refuse(self, event: Event, seat: int, row: int, reason: ColorettoReason) -> Rulings:
        over = reason is ColorettoReason.GAME_OVER
        return (
            Ignored(event.t_ns, event.kind, reason, seat=seat)
            if over
            else ColorettoFoul(event.t_ns, seat, reason, row),
        )


def _demand(reason: ColorettoReason | None) -> None:
    # After an event that a person entered, a hypothesis may contain impossible moves.
    if reason is not None:
        raise BadInputError(f"the rules do not allow it now ({reason.value})")


def from_header(header: Header) -> Coloretto:
    """Return a new game by an event log's header.

    Raises:
        BadInputError: an option or the number of players does not fit Coloretto.
    """
    if not MIN_PLAYERS <= len(header.players) <= MAX_PLAYERS:
        raise BadInputError(
            "error.games.to_can_play_coloretto_not", least=MIN_PLAYERS, most=MAX_PLAYERS, number=len(header.players)
        )
    return Coloretto(len(header.players), settings_from(header))
