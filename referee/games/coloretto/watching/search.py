"""Searches the moves that explain two looks at the table, as hypotheses in the order of their costs.

A cost is a negative log-odds in nats, of a move or of an observed difference. A difference is charged once, in the
look in which it begins.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count

from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.rulings import ColorettoReason
from referee.games.coloretto.watching.looks import LONG_AGO_NS, UNKNOWN, Allowed, Move, Owed, Spot, TableLook


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """Moves that lead from the known state to the last look.

    when: the look that showed each move. before: the total cost before each move. cost: the total of all. left: the
    differences of the last look alone. game, allowed: the state at its end. charged: the differences of each row and
    area that are paid. seen_ns: the last look that it fits; looked_ns: the last look. owed: cards taken that have
    reached no area yet. unread: number of unreadable cards in each area.
    """

    game: Coloretto
    allowed: Allowed
    moves: tuple[Move, ...] = ()
    when: tuple[int, ...] = ()
    before: tuple[float, ...] = ()
    cost: float = 0.0
    left: float = 0.0
    charged: tuple[object, ...] = ()
    seen_ns: int = 0
    looked_ns: int = 0
    owed: tuple[Owed, ...] = ()
    unread: tuple[int, ...] = ()

    @property
    def fouls(self) -> tuple[Move, ...]:
        """Return the moves against the rules."""
        return tuple(move for move in self.moves if move.foul is not None)

    def outcome(self) -> tuple[object, ...]:
        """Return its end state: hypotheses that differ only in the order of moves share it."""
        return (*standing(self.game), self.fouls)


def standing(game: Coloretto) -> tuple[object, ...]:
    """Return a game's state in a form that can be compared."""
    return (
        tuple(None if row is None else tuple(sorted(row)) for row in game.rows),
        tuple(tuple(sorted((+hand).items())) for hand in game.hands),
        game.turn,
        tuple(sorted(game.taken)),
    )


def after(
    hypothesis: Hypothesis, move: Move, t_ns: int, price: float = 0.0, unread: int = 0, *, reached: bool = False
) -> Hypothesis:
    """Return a hypothesis after one more move; a foul moves cards, but does not change the game.

    unread: number of unreadable cards in the mover's area before. reached: whether the mover's arm was seen.
    """
    game, allowed, owed = hypothesis.game.copy(), hypothesis.allowed, hypothesis.owed
    if move.foul is not None:
        allowed = _after_foul(game, allowed, move)
    elif move.kind == "place":
        game.place(move.seat, move.row, move.card)
    elif move.kind == "back":
        game.take_back()
    elif move.kind == "moved" and move.to is not None:
        game.move(move.card, move.row, move.to)
    elif move.kind == "strayed" and move.to is not None:
        card = Counter([move.card])
        extra, absent = _with(allowed.extra, move.to, card), _with(allowed.absent, move.row, card)
        allowed = replace(allowed, extra=extra, absent=absent)
    elif move.kind == "aside":
        allowed = replace(allowed, beside=_with(allowed.beside, move.seat, Counter([move.card])))
    elif move.kind == "misread":
        allowed = _after_misreading(allowed, move)
    else:
        before = game.hands[move.seat] + allowed.beside[move.seat] - allowed.hidden[move.seat]
        owed = (
            *owed,
            Owed(t_ns, move.seat, move.row, before, Counter(game.rows[move.row] or ()), unread, reached=reached),
        )
        allowed = _after_take(game, allowed, move)
        game.take(0, move.seat, move.row)
    return replace(
        hypothesis,
        game=game,
        allowed=allowed,
        moves=(*hypothesis.moves, move),
        when=(*hypothesis.when, t_ns),
        before=(*hypothesis.before, hypothesis.cost),
        cost=hypothesis.cost + price,
        owed=owed,
    )


def _after_foul(game: Coloretto, allowed: Allowed, move: Move) -> Allowed:
    if move.kind == "place":
        return replace(allowed, extra=_with(allowed.extra, move.row, Counter([move.card])))
    cards = Counter(game.rows[move.row] or ())
    return replace(
        allowed,
        absent=_with(allowed.absent, move.row, cards),
        beside=_with(allowed.beside, move.seat, cards),
    )


def _after_misreading(allowed: Allowed, move: Move) -> Allowed:
    beside = _with(allowed.beside, move.seat, Counter([move.card]))
    hidden = allowed.hidden
    if len(move.was) == 1:
        hidden = _with(hidden, move.seat, Counter(move.was))
    return replace(allowed, beside=beside, hidden=hidden)


def _after_take(game: Coloretto, allowed: Allowed, move: Move) -> Allowed:
    """Return the differences after a row was taken: they go with it; at a round's end loose cards may stay a while."""
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
    # Row cards come back one by one, and cards that were left there are gone once a look does not show them.
    gone = frozenset(("row", row, LONG_AGO_NS) for row, cards in enumerate(left) if cards)
    return replace(allowed, extra=left, loose=frozenset(range(len(game.rooms))), unseen=allowed.unseen | gone)


def _with(counters: tuple[Counter[str], ...], at: int, more: Counter[str]) -> tuple[Counter[str], ...]:
    return _instead(counters, at, counters[at] + more)


def _instead(counters: tuple[Counter[str], ...], at: int, one: Counter[str]) -> tuple[Counter[str], ...]:
    return (*counters[:at], one, *counters[at + 1 :])


# An identified card that does not belong there; a missing card; the same with an unreadable card.
_TOO_MUCH, _MISSING, _UNREAD, _SPARE_UNREAD = 14.0, 8.0, 0.3, 4.0
_MARK = 3.0  # a row's own card is there against the game, or missing
_CLEARED = 3.0  # a round's remains in a row were cleared away unseen
# Cards overlap in areas, and players hold taken cards for a while.
_MISSING_IN_AREA, _EACH_FURTHER, _MOST_MISSING_IN_AREA = 2.0, 0.7, 4.0

_OVERLOOKED_NS = 1_400_000_000  # the longest time for which looks may miss a card

_Items = tuple[tuple[str, int], ...]


def charges(game: Coloretto, allowed: Allowed, look: TableLook) -> tuple[list[float], tuple[object, ...]]:
    """Return the cost of each row and each area, and the differences behind them; a repeated one is not charged again.

    None stands for a row or an area without information.
    """
    prices: list[float] = []
    keys: list[object] = []
    for number, spot in enumerate(look.rows):
        comparable = number not in allowed.loose and not spot.covered and not allowed.absent[number]
        off = comparable and spot.marked is not None and spot.marked != (game.rows[number] is not None)
        row = tuple(sorted(game.rows[number] or ()))
        extra, absent = _items(allowed.extra[number]), _items(allowed.absent[number])
        prices.append(_MARK * off + _row_off(row, extra, absent, spot))
        silent = spot.covered and not prices[-1]
        keys.append(None if silent else (row, extra, absent, off, spot.cards, spot.unread))
    for seat, spot in enumerate(look.areas):
        hand = _items(game.hands[seat])
        beside, hidden = _items(allowed.beside[seat]), _items(allowed.hidden[seat])
        prices.append(_area_off(hand, beside, hidden, spot))
        silent = spot.covered and not prices[-1]
        keys.append(None if silent else (hand, beside, hidden, spot.cards, spot.unread))
    return prices, tuple(keys)


def put_right(game: Coloretto, allowed: Allowed, look: TableLook) -> Allowed:
    """Return the differences that remain allowed after a look: a vanished one was put right.

    A card that one look misses is still there.
    """
    extra, absent, beside = list(allowed.extra), list(allowed.absent), list(allowed.beside)
    hidden = list(allowed.hidden)
    loose = set(allowed.loose)
    unseen_ns = {(kind, at): t_ns for kind, at, t_ns in allowed.unseen}

    def lasting(kind: str, at: int, known: Counter[str], seen: Counter[str]) -> Counter[str]:
        if not known - seen:
            # A round's remains will be cleared away; a card that appears there later is a new one.
            if not known or unseen_ns.get((kind, at)) != LONG_AGO_NS:
                unseen_ns.pop((kind, at), None)
            return known
        return known if look.t_ns - unseen_ns.setdefault((kind, at), look.t_ns) < _OVERLOOKED_NS else known & seen

    for number, spot in enumerate(look.rows):
        due = Counter(game.rows[number] or ())
        if not spot.covered and not spot.unread:
            extra[number] = lasting("row", number, extra[number], Counter(spot.cards) - due)
            # Not `&=`: other hypotheses share the counter.
            absent[number] = absent[number] & (due - Counter(spot.cards))
        # A row's own card that was forgotten means nothing.
        if spot.marked is not None:
            (loose.add if spot.marked != (game.rows[number] is not None) else loose.discard)(number)
    for seat, spot in enumerate(look.areas):
        if spot.covered:
            continue
        if not spot.unread:
            beside[seat] = lasting("area", seat, beside[seat], Counter(spot.cards) - game.hands[seat])
        # The card is under other cards, because no object covers the area.
        hidden[seat] = game.hands[seat] + beside[seat] - Counter(spot.cards)
    return replace(
        allowed,
        extra=tuple(extra),
        absent=tuple(absent),
        beside=tuple(beside),
        hidden=tuple(hidden),
        loose=frozenset(loose),
        unseen=frozenset((kind, at, t_ns) for (kind, at), t_ns in unseen_ns.items()),
    )


def as_seen(game: Coloretto, allowed: Allowed, look: TableLook) -> Allowed:
    """Return the differences that accept the table as it is, so that later moves can be identified all the same."""
    rows = [(Counter(spot.cards), Counter(row or ())) for spot, row in zip(look.rows, game.rows, strict=True)]
    areas = [(Counter(spot.cards), hand) for spot, hand in zip(look.areas, game.hands, strict=True)]
    return replace(
        allowed,
        extra=tuple(seen - due for seen, due in rows),
        absent=tuple(due - seen for seen, due in rows),
        beside=tuple(seen - due for seen, due in areas),
        hidden=tuple(due - seen for seen, due in areas),
    )


def _items(cards: Counter[str]) -> _Items:
    return tuple(sorted(cards.items()))


@lru_cache(maxsize=20_000)
def _row_off(row: tuple[str, ...], beside: _Items, lacking_too: _Items, spot: Spot) -> float:
    """Return the cost of a row's difference from the game; cached, because the same questions repeat."""
    due, extra, absent, seen = Counter(row), Counter(dict(beside)), Counter(dict(lacking_too)), Counter(spot.cards)
    too_much, missing = seen - due - extra, due - seen - absent
    unknown = max(0, due[UNKNOWN] - absent[UNKNOWN])
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
    """Return the cost of an area's difference from the game."""
    due, beside, hidden, seen = Counter(dict(hand)), Counter(dict(more)), Counter(dict(under)), Counter(spot.cards)
    too_much = max(0, (seen - due - beside).total() - due[UNKNOWN] - beside[UNKNOWN])
    missing = (due - seen - hidden).total()
    if spot.covered:
        return _TOO_MUCH * too_much
    off = _TOO_MUCH * too_much
    unread = min(spot.unread, missing)
    lacking = missing - unread
    if lacking:
        off += min(_MISSING_IN_AREA + _EACH_FURTHER * (lacking - 1), _MOST_MISSING_IN_AREA)
    return off + _UNREAD * unread


_MOVE, _BACK, _FOUL, _UNSEEN, _OTHER_ARM, _UNREADABLE = 1.5, 3.2, 7.0, 3.5, 2.0, 1.0
_MISREAD = 6.5  # about one reading in a thousand is wrong
_MOVED = 5.0  # a card slipped to another row's place, also of a taken or full one, or was put back
_ASIDE = 9.0  # a drawn card waits before its player; at 7.5 a taken row passed for one
_HIDDEN = 2.0  # a taken card is under others now
_SAME_CARD = 2.0  # log-odds of a lifted card against a new one of the same kind: one in seven is


def next_moves(hypothesis: Hypothesis, look: TableLook, *, first: bool) -> Iterator[tuple[Move, float]]:
    """Yield the moves that a look supports, each with its cost."""
    for move, price in _moves(hypothesis, look, first=first):
        other = (
            bool(look.arms) and move.kind not in ("moved", "strayed", "aside") and move.seat not in (look.arms or ())
        )
        yield move, price + (_OTHER_ARM if other else 0.0)


def _moves(hypothesis: Hypothesis, look: TableLook, *, first: bool) -> Iterator[tuple[Move, float]]:
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
        elif fouls_left and card != UNKNOWN and reason is ColorettoReason.ROW_FULL:
            # A card at the place of a taken row was pushed there, or the row was not taken.
            yield Move("place", game.turn, row, card, reason), _MOVE + price + _FOUL
    for row, cards in enumerate(game.rows):
        if (
            cards is None
            or not Counter(cards) - hypothesis.allowed.absent[row]
            or not _may_be_gone(cards, look.rows[row])
        ):
            continue
        # Nobody lifts a card before the rest of its row is taken.
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


def _slips(hypothesis: Hypothesis, look: TableLook) -> Iterator[Move]:
    """Yield the cards that have moved to another row."""
    game, extra = hypothesis.game, hypothesis.allowed.extra
    for to, spot in enumerate(look.rows):
        there = game.rows[to]
        has_room = there is not None and len(there) < game.rooms[to]
        for card in Counter(spot.cards) - Counter(there or ()) - extra[to]:
            for row, cards in enumerate(game.rows):
                strays = not has_room and row != to and card in (cards or ())
                if (strays or game.can_move(card, row, to)) and _may_be_gone([card], look.rows[row], cards):
                    yield Move("strayed" if strays else "moved", game.turn, row, card, to=to)


def _aside(hypothesis: Hypothesis, look: TableLook) -> Iterator[Move]:
    """Yield the cards in areas that came from no row."""
    for seat, spot in enumerate(look.areas):
        if not spot.covered:
            for card in Counter(spot.cards) - hypothesis.game.hands[seat] - hypothesis.allowed.beside[seat]:
                yield Move("aside", seat, 0, card)


def _misreadings(hypothesis: Hypothesis, look: TableLook) -> Iterator[Move]:
    """Yield the cards in areas that differ from the ones read in a row before."""
    game, allowed = hypothesis.game, hypothesis.allowed
    for seat, spot in enumerate(look.areas):
        hand, seen = game.hands[seat], Counter(spot.cards)
        lacking = Counter[str]() if spot.covered else hand - seen - allowed.hidden[seat]
        for card in seen - hand - allowed.beside[seat]:
            if lacking:
                yield Move("misread", seat, 0, card, was=tuple(sorted(lacking)))


def _wanted(hypothesis: Hypothesis, look: TableLook) -> Iterator[tuple[int, str, float]]:
    """Yield possible placements, row, card and cost: seen there, seen in an area since, or hidden."""
    game, allowed = hypothesis.game, hypothesis.allowed
    for row, spot in enumerate(look.rows):
        for card in Counter(spot.cards) - Counter(game.rows[row] or ()) - allowed.extra[row]:
            yield row, card, 0.0
    gains = [Counter(spot.cards) - game.hands[seat] - allowed.beside[seat] for seat, spot in enumerate(look.areas)]
    for row, cards in enumerate(game.rows):
        # A row that no look showed with a card may have been filled and taken.
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
            # A player may have placed one more card before the row was taken, and it is under others now.
            yield row, UNKNOWN, _UNSEEN + _HIDDEN


def _may_be_gone(cards: Sequence[str], spot: Spot, among: Sequence[str] | None = None) -> bool:
    """Return whether some of these cards may have left a row; among: all that should be there."""
    lacking = Counter(among or cards) - Counter(spot.cards)
    return spot.covered or any(lacking[card] for card in cards)


_HASTE, _TAKES_NS = 3.0, 900_000_000  # two actions of one player take at least that long
_LATE, _LATE_NS = 4.0, 3_500_000_000  # taken cards have reached no area for so long
_SPOILED = 5.0  # a look with impossible content: an unnoticed hand, cards on their way
_SPOILED_NS, _ONE_SPELL_NS = 500_000_000, 1_200_000_000  # its duration; a longer one counts as another such look
_STAYS = 2.0  # a paid difference that persists, each look
_MOST_OFF = 9.0  # more differences make such a look
_STRANGE, _RESTART = 3.2, 2.0  # cost of a look that calls for a new start, and the cost of that
_MANY_STRANGE = 5  # looks in a row
_LEAST_EACH = 6.0  # cost that each move must explain in a spoiled look
_LEAST = 0.5  # a lower cost needs no explanation
_DEPTH, _MOST_OPEN = 5, 12
_MOST_TRIED = 120
_BEYOND = 5.0  # above the best: no explanation of a look
_KEPT, _MOST_KEPT = 10.0, 16  # above the best over several looks; number of hypotheses


def further(hypotheses: Sequence[Hypothesis], root: Hypothesis, look: TableLook, strange: int = 0) -> list[Hypothesis]:
    """Return the hypotheses extended to the next look, without misfits and duplicates, the lowest cost first.

    root: the last certain state. If no hypothesis fits well, an unseen move happened before. strange: number of looks
    before this one that no hypothesis fits. One such look may be spoiled; after many in a row their cost is dropped
    from the hypotheses that explain them at last.
    """
    found = _further(hypotheses, look)
    if not is_strange(found[0]):
        return found
    before = root.cost if strange >= _MANY_STRANGE else hypotheses[0].cost
    return _further([*hypotheses, replace(root, cost=before + _RESTART)], look)


def is_strange(hypothesis: Hypothesis) -> bool:
    """Return whether a hypothesis does not fit its last look."""
    return hypothesis.left > _STRANGE


def _further(hypotheses: Sequence[Hypothesis], look: TableLook) -> list[Hypothesis]:
    best: dict[tuple[object, ...], Hypothesis] = {}
    for hypothesis in hypotheses:
        for found in _hypotheses_on(hypothesis, look):
            # An unexplained difference costs more with every look, so a later explanation wins.
            key = found.outcome(), tuple(move for move in found.moves if move.kind in ("misread", "strayed"))
            if key not in best or found.cost < best[key].cost:
                best[key] = found
    ordered = _without_unknown(sorted(best.values(), key=lambda one: one.cost))
    return [hypothesis for hypothesis in ordered if hypothesis.cost < ordered[0].cost + _KEPT][:_MOST_KEPT]


def _without_unknown(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Return the hypotheses without those with an unknown card that an equally likely one identifies."""
    known: set[tuple[object, ...]] = set()
    kept = []
    for hypothesis in hypotheses:
        shape = tuple((move.kind, move.seat, move.row, move.foul) for move in hypothesis.moves)
        if any(move.card == UNKNOWN for move in hypothesis.moves):
            if shape in known:
                continue
        else:
            known.add(shape)
        kept.append(hypothesis)
    return kept


def _hypotheses_on(start: Hypothesis, look: TableLook) -> Iterator[Hypothesis]:
    """Yield the extensions of one hypothesis to a look."""
    order = count()
    at_first = _price(start, look)
    queue = [(start.cost + at_first, next(order), start)]
    tried, least = 0, float("inf")
    while queue and tried < _MOST_TRIED:
        whole, _, node = heapq.heappop(queue)
        if node.cost > least + _BEYOND:
            continue
        tried += 1
        done = len(node.moves) - len(start.moves)
        # A move that a look supports explains a part of it, even if it does not explain all.
        if not done or whole - node.cost < max(_MOST_OFF, at_first - _LEAST_EACH * done):
            found = _looked_at(node, look)
            least = min(least, found.cost)
            yield found
        if whole - node.cost < _LEAST or done >= _DEPTH or len(node.moves) >= _MOST_OPEN:
            continue
        acts = sum(move.kind != "back" for move in node.moves[len(start.moves) :])
        haste = _HASTE if start.seen_ns and acts * _TAKES_NS > look.t_ns - start.seen_ns else 0.0
        for move, price in next_moves(node, look, first=done == 0):
            price += haste
            if node.cost + price > least + _BEYOND:
                continue
            reached = move.seat in (look.arms or ())
            next_one = after(node, move, look.t_ns, price, _unread_before(start, move), reached=reached)
            heapq.heappush(queue, (next_one.cost + _price(next_one, look), next(order), next_one))


def _unread_before(hypothesis: Hypothesis, move: Move) -> int:
    return hypothesis.unread[move.seat] if hypothesis.unread and move.kind == "take" else 0


def _price(hypothesis: Hypothesis, look: TableLook) -> float:
    prices, keys = charges(hypothesis.game, hypothesis.allowed, look)
    before = hypothesis.charged or (None,) * len(keys)
    return sum(price for price, key, old in zip(prices, keys, before, strict=True) if key != old)


def _looked_at(hypothesis: Hypothesis, look: TableLook) -> Hypothesis:
    """Return a hypothesis extended to a look without a move."""
    hypothesis = _known_now(hypothesis, look)
    prices, keys = charges(hypothesis.game, hypothesis.allowed, look)
    price = _price(hypothesis, look)
    if price > _MOST_OFF:
        spoiled = _SPOILED * _times_spoiled(hypothesis, look)
        return replace(hypothesis, cost=hypothesis.cost + spoiled, left=sum(prices), looked_ns=look.t_ns)
    allowed = put_right(hypothesis.game, hypothesis.allowed, look)
    before = hypothesis.charged or (None,) * len(keys)
    # A known difference is not charged again.
    known = charges(hypothesis.game, allowed, look)[1]
    owed, fine = _still_owed(hypothesis.owed, look)
    return replace(
        hypothesis,
        cost=hypothesis.cost + price + fine + (_STAYS if price < sum(prices) > _STAYS else 0.0),
        left=sum(prices),
        allowed=allowed,
        charged=tuple(old if key is None else key for key, old in zip(known, before, strict=True)),
        seen_ns=look.t_ns,
        looked_ns=look.t_ns,
        owed=owed,
        unread=tuple(spot.unread for spot in look.areas),
    )


def _times_spoiled(hypothesis: Hypothesis, look: TableLook) -> float:
    """Return the multiple of a spoiled look's cost for this look: a longer lasting one costs more."""
    since_ns = look.t_ns - hypothesis.looked_ns
    if hypothesis.looked_ns == hypothesis.seen_ns or since_ns > _ONE_SPELL_NS:
        return 1.0
    return max(1.0, since_ns / _SPOILED_NS)


def _known_now(hypothesis: Hypothesis, look: TableLook) -> Hypothesis:
    """Return a hypothesis in which unknown cards are those that a look identifies now."""
    for at, move in enumerate(hypothesis.moves):
        if move.card != UNKNOWN:
            continue
        row = hypothesis.game.rows[move.row]
        holder = next((seat for seat in range(hypothesis.game.players) if hypothesis.game.hands[seat][UNKNOWN]), None)
        if row is not None and UNKNOWN in row:
            fresh = Counter(look.rows[move.row].cards) - Counter(row) - hypothesis.allowed.extra[move.row]
        elif holder is not None:
            fresh = (
                Counter(look.areas[holder].cards) - hypothesis.game.hands[holder] - hypothesis.allowed.beside[holder]
            )
        else:
            continue
        if fresh.total() != 1:
            continue
        (card,) = fresh
        game = hypothesis.game.copy()
        if row is not None and UNKNOWN in row:
            at_row = row.index(UNKNOWN)
            game.rows[move.row] = [*row[:at_row], card, *row[at_row + 1 :]]
        elif holder is not None:
            game.hands[holder] = game.hands[holder] - Counter([UNKNOWN]) + Counter([card])
        moves = (*hypothesis.moves[:at], replace(move, card=card), *hypothesis.moves[at + 1 :])
        hypothesis = replace(hypothesis, game=game, moves=moves)
    return hypothesis


def _still_owed(owed: Sequence[Owed], look: TableLook) -> tuple[tuple[Owed, ...], float]:
    """Return the taken cards that have reached no area yet, and the cost of their delay."""
    left, fine = [], 0.0
    for one in owed:
        spot = look.areas[one.seat]
        if (Counter(spot.cards) - one.before) & one.cards:
            fine -= _LATE * one.late
            continue
        late = not spot.covered and spot.unread <= one.unread and look.t_ns - one.t_ns > _LATE_NS
        fine += _LATE * (late and not one.late)
        left.append(replace(one, late=late or one.late))
    return tuple(left), fine
