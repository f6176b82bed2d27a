"""The moves of Coloretto that something in a look speaks for, and what each costs, in nats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from referee.games.coloretto.rulings import Reason
from referee.games.coloretto.watching.hypotheses import Hypothesis
from referee.games.coloretto.watching.looks import UNKNOWN, Look, Move, Spot

_MOVE, _BACK, _FOUL, _UNSEEN, _OTHER_ARM, _UNREADABLE = 1.5, 3.2, 7.0, 3.5, 2.0, 1.0
_MISREAD = 6.5  # of about a thousand readings one is wrong
_MOVED = 5.0  # a card slipped to where another row's lie, or was put back
_ASIDE = 9.0  # a card lies before somebody who thinks where to lay it; at 7.5 a row that was taken passed for it
_HIDDEN = 2.0  # a card that was taken lies under others now
_SAME_CARD = 2.0  # what speaks for a card that was lifted, and not for a new one of the same kind: one in seven is


def next_moves(hypothesis: Hypothesis, look: Look, *, first: bool) -> Iterator[tuple[Move, float]]:
    """The moves that something in the look speaks for, and what each costs."""
    for move, price in _moves(hypothesis, look, first=first):
        other = bool(look.arms) and move.kind not in ("moved", "aside") and move.seat not in (look.arms or ())
        yield move, price + (_OTHER_ARM if other else 0.0)


def _moves(hypothesis: Hypothesis, look: Look, *, first: bool) -> Iterator[tuple[Move, float]]:
    game = hypothesis.game
    if game.over:
        return
    fouls_left = not any(move.foul for move in hypothesis.moves)
    if first:
        for row in range(len(game.rooms)):
            last = (game.rows[row] or [""])[-1]
            who = game.placed_last
            if who is not None and game.can_take_back(row) and _may_be_gone([last], look.rows[row], game.rows[row]):
                yield Move("back", who, row, last), _BACK
    placed: set[tuple[int, str]] = set()
    for row, card, price in _wanted(hypothesis, look):
        if (row, card) in placed:
            continue
        placed.add((row, card))
        if hypothesis.moves and (hypothesis.moves[-1].kind, hypothesis.moves[-1].card) == ("back", card):
            price -= _SAME_CARD
        reason = game.verify_place(game.turn, row)
        if reason is None:
            yield Move("place", game.turn, row, card), _MOVE + price
        elif fouls_left and card != UNKNOWN and reason is Reason.ROW_FULL:
            # A card where no row is any more was pushed there, or it was misunderstood that the row was taken.
            yield Move("place", game.turn, row, card, reason), _MOVE + price + _FOUL
    for row, cards in enumerate(game.rows):
        if (
            cards is None
            or not Counter(cards) - hypothesis.allowed.absent[row]
            or not _may_be_gone(cards, look.rows[row])
        ):
            continue
        # Nobody lifts a card just so that the rest is taken.
        lifted = bool(hypothesis.moves) and hypothesis.moves[-1].kind == "back"
        yield Move("take", game.turn, row), _MOVE + (_BACK if lifted else 0)
        if fouls_left:
            for seat in range(game.players):
                gained = Counter(cards) & (Counter(look.areas[seat].cards) - game.hands[seat])
                if seat != game.turn and (gained or seat in (look.arms or ())):
                    yield Move("take", seat, row, "", game.verify_take(seat, row)), _MOVE + _FOUL
    yield from ((move, _MOVED) for move in _slips(hypothesis, look))
    yield from ((move, _ASIDE) for move in _aside(hypothesis, look))
    yield from ((move, _MISREAD) for move in _misreadings(hypothesis, look))


def _slips(hypothesis: Hypothesis, look: Look) -> Iterator[Move]:
    """Cards that lie in another row than they did."""
    game, extra = hypothesis.game, hypothesis.allowed.extra
    for to, spot in enumerate(look.rows):
        for card in Counter(spot.cards) - Counter(game.rows[to] or ()) - extra[to]:
            for row, cards in enumerate(game.rows):
                if game.can_move(card, row, to) and _may_be_gone([card], look.rows[row], cards):
                    yield Move("moved", game.turn, row, card, to=to)


def _aside(hypothesis: Hypothesis, look: Look) -> Iterator[Move]:
    """Cards in areas that nobody can have from a row."""
    for seat, spot in enumerate(look.areas):
        if not spot.covered:
            for card in Counter(spot.cards) - hypothesis.game.hands[seat] - hypothesis.allowed.beside[seat]:
                yield Move("aside", seat, 0, card)


def _misreadings(hypothesis: Hypothesis, look: Look) -> Iterator[Move]:
    """Cards that are seen in an area in place of others that were read in a row."""
    game, allowed = hypothesis.game, hypothesis.allowed
    for seat, spot in enumerate(look.areas):
        hand, seen = game.hands[seat], Counter(spot.cards)
        lacking = Counter[str]() if spot.covered else hand - seen - allowed.hidden[seat]
        for card in seen - hand - allowed.beside[seat]:
            if lacking:
                yield Move("misread", seat, 0, card, was=tuple(sorted(lacking)))


def _wanted(hypothesis: Hypothesis, look: Look) -> Iterator[tuple[int, str, float]]:
    """Rows and cards that may have been put there, and what that costs: seen there, or in an area since, or hidden."""
    game, allowed = hypothesis.game, hypothesis.allowed
    for row, spot in enumerate(look.rows):
        for card in Counter(spot.cards) - Counter(game.rows[row] or ()) - allowed.extra[row]:
            yield row, card, 0.0
    gains = [Counter(spot.cards) - game.hands[seat] - allowed.beside[seat] for seat, spot in enumerate(look.areas)]
    for row, cards in enumerate(game.rows):
        # A row that nobody saw with a card in it may have come and gone.
        if cards is not None and (_may_be_gone(cards, look.rows[row]) or look.rows[row].marked is False):
            for gain in gains:
                for card in gain - Counter(cards):
                    yield row, card, _UNSEEN
    for row, spot in enumerate(look.rows):
        cards = game.rows[row]
        if cards is not None and spot.unread > cards.count(UNKNOWN):
            yield row, UNKNOWN, _UNREADABLE
        elif cards is not None and spot.covered:
            yield row, UNKNOWN, _UNSEEN + 0.1
        elif cards and not spot.cards:
            # Somebody may have laid one more before the row was taken, and it lies under others now.
            yield row, UNKNOWN, _UNSEEN + _HIDDEN


def _may_be_gone(cards: Sequence[str], spot: Spot, among: Sequence[str] | None = None) -> bool:
    """Whether some of these cards may lie in a row no longer; among: all that should."""
    lacking = Counter(among or cards) - Counter(spot.cards)
    return spot.covered or any(lacking[card] for card in cards)
