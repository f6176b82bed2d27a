"""What happened between looks at a table of Coloretto: all ways that fit, by the rules or against them.

The likeliest comes first. Costs are negative log-odds, in nats: of what was done, and of what each look shows otherwise
than it should.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count

from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.rulings import Reason
from referee.watchers.coloretto_looks import UNKNOWN, Allowed, Look, Move, Spot

# A card that was read and should not be there; one that should and is not; the same where a card could not be read.
_TOO_MUCH, _MISSING, _UNREAD, _SPARE_UNREAD = 14.0, 8.0, 0.3, 4.0
_MARK = 3.0  # a row's own card lies there and should not, or the other way round
_CLEARED = 3.0  # what a round left in a row was cleared away before anybody looked
# In areas cards lie over each other, and people hold what they took for a while.
_MISSING_IN_AREA, _MOST_MISSING_IN_AREA = 1.2, 6.0
_MOVE, _BACK, _FOUL, _UNSEEN, _OTHER_ARM = 1.5, 3.5, 7.0, 3.5, 2.0
_LEAST = 0.5  # less calls for no explanation
_DEPTH = 5
_MOST_TRIED = 300
_BEYOND = 5.0  # what costs so much more than the best is no explanation

_Items = tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class Explanation:
    """Moves that lead from what was known to what was seen.

    cost: of all together. left: of the last look alone, what it shows otherwise. game, allowed: as they are then.
    """

    moves: tuple[Move, ...]
    cost: float
    left: float
    game: Coloretto
    allowed: Allowed

    @property
    def fouls(self) -> tuple[Move, ...]:
        """The moves that the rules do not allow."""
        return tuple(move for move in self.moves if move.foul is not None)

    def outcome(self) -> tuple[object, ...]:
        """What it comes to: explanations that differ in the order of moves only come to the same."""
        game = self.game
        return (
            tuple(None if row is None else tuple(sorted(row)) for row in game.rows),
            tuple(tuple(sorted((+hand).items())) for hand in game.hands),
            game.turn,
            tuple(sorted(game.taken)),
            self.fouls,
        )


@dataclass(frozen=True, eq=False)
class _Node:
    game: Coloretto
    allowed: Allowed
    moves: tuple[Move, ...]
    spent: float
    fits: tuple[float, ...]  # fits[k]: the least that the first k looks cost, on the way here


def explain(game: Coloretto, allowed: Allowed, looks: Sequence[Look]) -> list[Explanation]:
    """Give the ways to get from a game to what looks show, one after the other; of those alike the likeliest."""
    best: dict[tuple[object, ...], Explanation] = {}
    start = _fitted(_Node(game, allowed, (), 0.0, (0.0, *([float("inf")] * len(looks)))), looks)
    if start.fits[-1] < _LEAST:
        return [Explanation((), start.fits[-1], start.fits[-1], game, allowed)]
    order = count()
    queue = [(start.fits[-1], next(order), start)]
    tried, least = 0, float("inf")
    while queue and tried < _MOST_TRIED:
        cost, _, node = heapq.heappop(queue)
        tried += 1
        found = Explanation(node.moves, cost, mismatch(node.game, node.allowed, looks[-1]), node.game, node.allowed)
        key = found.outcome()
        if key not in best or cost < best[key].cost:
            best[key] = found
        least = min(least, cost)
        if len(node.moves) < _DEPTH and node.spent < least + _BEYOND:
            for move, price in _next_moves(node, looks):
                if node.spent + price > least + _BEYOND:
                    continue
                further = _fitted(_done(node, move, price), looks)
                heapq.heappush(queue, (further.spent + further.fits[-1], next(order), further))
    return sorted((one for one in best.values() if one.cost < least + _BEYOND), key=lambda one: one.cost)


def mismatch(game: Coloretto, allowed: Allowed, look: Look) -> float:
    """Give what it costs that a look shows what it does, if a game stands so."""
    cost = 0.0
    for number, spot in enumerate(look.rows):
        told = number not in allowed.loose and not spot.covered and not allowed.absent[number]
        if told and spot.marked is not None and spot.marked != (game.rows[number] is not None):
            cost += _MARK
        cost += _row_off(
            tuple(game.rows[number] or ()), _items(allowed.extra[number]), _items(allowed.absent[number]), spot
        )
    for seat, spot in enumerate(look.areas):
        beside, hidden = _items(allowed.beside[seat]), _items(allowed.hidden[seat])
        cost += _area_off(_items(game.hands[seat]), beside, hidden, spot)
    return cost


def _items(cards: Counter[str]) -> _Items:
    return tuple(cards.items())


@lru_cache(maxsize=20_000)
def _row_off(row: tuple[str, ...], beside: _Items, lacking_too: _Items, spot: Spot) -> float:
    """What a row's spot shows otherwise; the same questions come again and again."""
    due, extra, absent, seen = Counter(row), Counter(dict(beside)), Counter(dict(lacking_too)), Counter(spot.cards)
    too_much, missing = seen - due - extra, due - seen - absent
    unknown = due[UNKNOWN] - seen[UNKNOWN]
    missing[UNKNOWN] = 0
    taken_for = min(unknown, too_much.total())
    off = _TOO_MUCH * (too_much.total() - taken_for)
    if spot.covered:
        return off
    off += _CLEARED * bool(extra - seen)
    lacking = missing.total() + unknown - taken_for
    unread = min(spot.unread, lacking)
    return off + _MISSING * (lacking - unread) + _UNREAD * unread + _SPARE_UNREAD * (spot.unread - unread)


@lru_cache(maxsize=20_000)
def _area_off(hand: _Items, more: _Items, under: _Items, spot: Spot) -> float:
    """What an area's spot shows otherwise."""
    due, beside, hidden, seen = Counter(dict(hand)), Counter(dict(more)), Counter(dict(under)), Counter(spot.cards)
    too_much = (seen - due - beside).total()
    off = _TOO_MUCH * max(0, too_much - due[UNKNOWN])
    if spot.covered:
        return off
    missing = (due - seen - hidden).total()
    unread = min(spot.unread, missing)
    return off + _UNREAD * unread + min(_MISSING_IN_AREA * (missing - unread), _MOST_MISSING_IN_AREA)


def _fitted(node: _Node, looks: Sequence[Look]) -> _Node:
    """A node with what the looks cost if some of them were taken when the game stood so."""
    fits = list(node.fits)
    for k, look in enumerate(looks):
        price = mismatch(node.game, node.allowed, look)
        arms = look.arms
        if arms and node.moves and node.moves[-1].seat not in arms:
            price += _OTHER_ARM
        fits[k + 1] = min(fits[k + 1], fits[k] + price) if k + 1 < len(looks) else fits[k] + price
    return replace(node, fits=tuple(fits))


def _next_moves(node: _Node, looks: Sequence[Look]) -> Iterator[tuple[Move, float]]:
    """The moves that something in the looks speaks for, and what each costs."""
    game = node.game
    if game.over:
        return
    fouls_left = not any(move.foul for move in node.moves)
    if not node.moves:
        for row in range(len(game.rooms)):
            if game.can_take_back(row):
                yield Move("back", game.turn, row), _BACK
    placed: set[tuple[int, str]] = set()
    in_sight = {(row, card) for look in looks for row, spot in enumerate(look.rows) for card in spot.cards}
    for row, card in _wanted(node, looks):
        if (row, card) in placed:
            continue
        placed.add((row, card))
        reason = game.verify_place(game.turn, row)
        price = _MOVE + (0 if (row, card) in in_sight else _UNSEEN)
        if reason is None:
            yield Move("place", game.turn, row, card), price
        elif fouls_left and card != UNKNOWN and reason in (Reason.ROW_FULL, Reason.ROW_GONE):
            yield Move("place", game.turn, row, card, reason), price + _FOUL
    for row, cards in enumerate(game.rows):
        if (
            cards is None
            or not Counter(cards) - node.allowed.absent[row]
            or not any(_may_be_gone(cards, look.rows[row]) for look in looks)
        ):
            continue
        # Nobody lifts a card just so that the rest is taken.
        lifted = bool(node.moves) and node.moves[-1].kind == "back"
        yield Move("take", game.turn, row), _MOVE + (_BACK if lifted else 0)
        if fouls_left:
            for seat in range(game.players):
                gained = any(Counter(cards) & (Counter(look.areas[seat].cards) - game.hands[seat]) for look in looks)
                if seat != game.turn and gained:
                    yield Move("take", seat, row, "", game.verify_take(seat, row)), _MOVE + _FOUL


def _wanted(node: _Node, looks: Sequence[Look]) -> Iterator[tuple[int, str]]:
    """Rows and cards that may have been put there: seen there, or seen in an area since, or hidden."""
    game, allowed = node.game, node.allowed
    for look in looks:
        for row, spot in enumerate(look.rows):
            for card in Counter(spot.cards) - Counter(game.rows[row] or ()) - allowed.extra[row]:
                yield row, card
    for look in looks:
        gains = [Counter(spot.cards) - game.hands[seat] - allowed.beside[seat] for seat, spot in enumerate(look.areas)]
        for row, cards in enumerate(game.rows):
            # A row that nobody saw with a card in it may have come and gone.
            if cards is not None and (_may_be_gone(cards, look.rows[row]) or look.rows[row].marked is False):
                for gain in gains:
                    for card in gain - Counter(cards):
                        yield row, card
    for row, spot in enumerate(looks[-1].rows):
        if spot.covered and game.rows[row] is not None:
            yield row, UNKNOWN


def _may_be_gone(cards: Sequence[str], spot: Spot) -> bool:
    return spot.covered or bool(Counter(cards) - Counter(spot.cards))


def _done(node: _Node, move: Move, price: float) -> _Node:
    """A node after a move; a foul moves cards, but not the game."""
    game, allowed = node.game.copy(), node.allowed
    if move.foul is not None:
        allowed = _after_foul(game, allowed, move)
    elif move.kind == "place":
        game.place(move.seat, move.row, move.card)
    elif move.kind == "back":
        game.take_back()
    else:
        allowed = _after_take(game, allowed, move)
        game.take(0, move.seat, move.row)
    return _Node(game, allowed, (*node.moves, move), node.spent + price, node.fits)


def _after_foul(game: Coloretto, allowed: Allowed, move: Move) -> Allowed:
    if move.kind == "place":
        return replace(allowed, extra=_with(allowed.extra, move.row, Counter([move.card])))
    cards = Counter(game.rows[move.row] or ())
    return replace(
        allowed,
        absent=_with(allowed.absent, move.row, cards),
        beside=_with(allowed.beside, move.seat, cards),
    )


def _after_take(game: Coloretto, allowed: Allowed, move: Move) -> Allowed:
    """Where cards that lie beside the rules go: with the row; what no row holds at a round's end may lie a while."""
    with_it = allowed.extra[move.row]
    allowed = replace(
        allowed,
        extra=_instead(allowed.extra, move.row, Counter()),
        absent=_instead(allowed.absent, move.row, Counter()),
        beside=_with(allowed.beside, move.seat, with_it),
    )
    if len(game.taken) + 1 < game.players:
        return allowed
    left = tuple(
        allowed.extra[row] + Counter(cards or ()) if row != move.row else Counter()
        for row, cards in enumerate(game.rows)
    )
    # Rows' own cards come back one by one.
    return replace(allowed, extra=left, loose=frozenset(range(len(game.rooms))))


def _with(counters: tuple[Counter[str], ...], at: int, more: Counter[str]) -> tuple[Counter[str], ...]:
    return _instead(counters, at, counters[at] + more)


def _instead(counters: tuple[Counter[str], ...], at: int, one: Counter[str]) -> tuple[Counter[str], ...]:
    return (*counters[:at], one, *counters[at + 1 :])
