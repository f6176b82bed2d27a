"""What happened at a table of Coloretto until a look at it: the hypotheses that fit, by the rules or against them.

The likeliest comes first. Costs are negative log-odds, in nats: of what was done, and of what each look shows otherwise
than it should. What a look shows otherwise is charged once, when it begins to.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from referee.games.coloretto.watching.candidates import next_moves
from referee.games.coloretto.watching.fit import charges, put_right
from referee.games.coloretto.watching.hypotheses import Hypothesis, Owed, after
from referee.games.coloretto.watching.looks import UNKNOWN, Look, Move

_HASTE, _TAKES_NS = 3.0, 900_000_000  # nobody does more than one thing in so long
_LATE, _LATE_NS = 4.0, 3_500_000_000  # cards that were taken and lie in no area for so long
_SPOILED = 5.0  # a look that shows what cannot be: a hand that nobody noticed, cards on their way
_SPOILED_NS, _ONE_SPELL_NS = 500_000_000, 1_200_000_000  # and is for so long; after longer it is another such look
_STAYS = 2.0  # what was charged for and is still so, each look
_MOST_OFF = 9.0  # what shows more otherwise is such a look
_STRANGE, _ANEW = 3.2, 2.0  # of a look: what calls for beginning anew, and what that costs
_MANY_STRANGE = 5  # looks in a row
_LEAST_EACH = 6.0  # what each move explains at least of a look that is spoiled all the same
_LEAST = 0.5  # less calls for no explanation
_DEPTH, _MOST_OPEN = 5, 12
_MOST_TRIED = 120
_BEYOND = 5.0  # what costs so much more than the best is no explanation of a look
_KEPT, _MOST_KEPT = 10.0, 16  # of several looks


def further(hypotheses: Sequence[Hypothesis], root: Hypothesis, look: Look, strange: int = 0) -> list[Hypothesis]:
    """Follow all hypotheses to the next look: those that fit, of those alike the likeliest, the likeliest first.

    root: how it stood when all was clear. Where no hypothesis fits well, something happened before that nobody saw.
    strange: how many looks before this one none fitted. One such look may be spoiled; of many in a row nothing is held
    against what explains them at last.
    """
    found = _further(hypotheses, look)
    if not is_strange(found[0]):
        return found
    before = root.cost if strange >= _MANY_STRANGE else hypotheses[0].cost
    return _further([*hypotheses, replace(root, cost=before + _ANEW)], look)


def is_strange(hypothesis: Hypothesis) -> bool:
    """Whether a hypothesis does not fit the look that it has come to."""
    return hypothesis.left > _STRANGE


def _further(hypotheses: Sequence[Hypothesis], look: Look) -> list[Hypothesis]:
    best: dict[tuple[object, ...], Hypothesis] = {}
    for hypothesis in hypotheses:
        for found in _hypotheses_on(hypothesis, look):
            # What is left unexplained is dearer with every look: whoever explains it is not the same.
            key = found.outcome(), tuple(move for move in found.moves if move.kind == "misread")
            if key not in best or found.cost < best[key].cost:
                best[key] = found
    ordered = _without_unknown(sorted(best.values(), key=lambda one: one.cost))
    return [hypothesis for hypothesis in ordered if hypothesis.cost < ordered[0].cost + _KEPT][:_MOST_KEPT]


def _without_unknown(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Leave out hypotheses with a card that nobody knows where a hypothesis as likely knows it."""
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


def _hypotheses_on(start: Hypothesis, look: Look) -> Iterator[Hypothesis]:
    """Give the hypotheses from one hypothesis to a look."""
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
        # What a look speaks for explains some of it, also where not all can be explained.
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


def _price(hypothesis: Hypothesis, look: Look) -> float:
    prices, keys = charges(hypothesis.game, hypothesis.allowed, look)
    before = hypothesis.charged or (None,) * len(keys)
    return sum(price for price, key, old in zip(prices, keys, before, strict=True) if key != old)


def _looked_at(hypothesis: Hypothesis, look: Look) -> Hypothesis:
    """Give a hypothesis that has come to a look."""
    hypothesis = _known_now(hypothesis, look)
    prices, keys = charges(hypothesis.game, hypothesis.allowed, look)
    price = _price(hypothesis, look)
    if price > _MOST_OFF:
        spoiled = _SPOILED * _times_spoiled(hypothesis, look)
        return replace(hypothesis, cost=hypothesis.cost + spoiled, left=sum(prices), looked_ns=look.t_ns)
    allowed = put_right(hypothesis.game, hypothesis.allowed, look)
    before = hypothesis.charged or (None,) * len(keys)
    # What is known to lie so from now on is not charged again.
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


def _times_spoiled(hypothesis: Hypothesis, look: Look) -> float:
    """How many times the price of one spoiled look this one is: what is still so after longer costs more."""
    since_ns = look.t_ns - hypothesis.looked_ns
    if hypothesis.looked_ns == hypothesis.seen_ns or since_ns > _ONE_SPELL_NS:
        return 1.0
    return max(1.0, since_ns / _SPOILED_NS)


def _known_now(hypothesis: Hypothesis, look: Look) -> Hypothesis:
    """Give a hypothesis whose cards that nobody knew are those that can be read now."""
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


def _still_owed(owed: Sequence[Owed], look: Look) -> tuple[tuple[Owed, ...], float]:
    """Give which cards that were taken have come to no area yet, and what it costs that they have not for so long."""
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
