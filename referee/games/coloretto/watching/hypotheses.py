"""Hypotheses in which a game of Coloretto may have gone since it was clear, and what moves do to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.watching.looks import LONG_AGO_NS, Allowed, Move


@dataclass(frozen=True, eq=False)
class Owed:
    """Cards that a seat took at `t_ns`, as long as none is seen in its area, which showed what was there `before`.

    unread: how many cards could not be read there. late: whether they are not there after long. reached: whether its
    arm was seen over the rows.
    """

    t_ns: int
    seat: int
    row: int
    before: Counter[str]
    cards: Counter[str]
    unread: int = 0
    late: bool = False
    reached: bool = False


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """Moves that lead from what was known to what was seen since.

    when: of each move, the look that showed it. before: what all cost before each move. cost: of all together.
    left: of the last look alone, what it shows otherwise. game, allowed: as they are then. charged: what of each row
    and area was charged for. seen_ns: the last look that it fits, and looked_ns: the last one of all. owed: what was
    taken and has come to no area yet. unread: unread cards in each area.
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
        """The moves that the rules do not allow."""
        return tuple(move for move in self.moves if move.foul is not None)

    def outcome(self) -> tuple[object, ...]:
        """What it comes to: hypotheses that differ in the order of moves only come to the same."""
        return (*standing(self.game), self.fouls)


def standing(game: Coloretto) -> tuple[object, ...]:
    """Give how a game stands, to be compared."""
    return (
        tuple(None if row is None else tuple(sorted(row)) for row in game.rows),
        tuple(tuple(sorted((+hand).items())) for hand in game.hands),
        game.turn,
        tuple(sorted(game.taken)),
    )


def after(
    hypothesis: Hypothesis, move: Move, t_ns: int, price: float = 0.0, unread: int = 0, *, reached: bool = False
) -> Hypothesis:
    """Give a hypothesis after one more move; a foul moves cards, but not the game.

    unread: how many cards could not be read in the area of who moved, before. reached: whether his arm was seen.
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
    # Rows' own cards come back one by one, and what was left there is gone as soon as it is not seen.
    gone = frozenset(("row", row, LONG_AGO_NS) for row, cards in enumerate(left) if cards)
    return replace(allowed, extra=left, loose=frozenset(range(len(game.rooms))), unseen=allowed.unseen | gone)


def _with(counters: tuple[Counter[str], ...], at: int, more: Counter[str]) -> tuple[Counter[str], ...]:
    return _instead(counters, at, counters[at] + more)


def _instead(counters: tuple[Counter[str], ...], at: int, one: Counter[str]) -> tuple[Counter[str], ...]:
    return (*counters[:at], one, *counters[at + 1 :])
