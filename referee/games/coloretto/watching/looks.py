"""What a look at a table of Coloretto shows, and what may have happened: plain records."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from referee.games.coloretto.rulings import Reason

UNKNOWN = "?"
"""A card that was put where nobody could see it."""
LONG_AGO_NS = -(10**18)
"""Before any look."""


@dataclass(frozen=True)
class Spot:
    """A row or a player's area as it was seen.

    cards: those that were read for certain, as the rules name them. unread: how many more lie there that could not be
    read. covered: something hides at least a part of it, so that what is not seen may still be there. marked: whether
    a row's own card lies there, None where nobody knows; who takes a row takes that card, too.
    """

    cards: tuple[str, ...] = ()
    unread: int = 0
    covered: bool = False
    marked: bool | None = None


class Pile:
    """Cards of a row or an area, while they are counted."""

    def __init__(self) -> None:
        self._cards: list[str] = []
        self._unread = 0

    def add(self, card: str, *, sure: bool) -> None:
        """Add a card, read or not."""
        if sure:
            self._cards.append(card)
        else:
            self._unread += 1

    def spot(self, covered: bool) -> Spot:
        """Give all of them."""
        return Spot(tuple(sorted(self._cards)), self._unread, covered)


@dataclass(frozen=True)
class Look:
    """The whole table at `t_ns`.

    last_round: that card lies open somewhere. arms: the seats whose arms reached over the rows since the look before,
    None where nobody knows.
    """

    t_ns: int
    rows: tuple[Spot, ...]
    areas: tuple[Spot, ...]
    last_round: bool = False
    arms: frozenset[int] | None = None


@dataclass(frozen=True)
class Move:
    """Something that may have been done.

    kind: "place", "take", "back" (the card placed last was taken back), "moved" (`card` lies in the row `to` instead,
    by whomever), "aside" (`card` lies before `seat` and is from no row: drawn, and not laid yet), or "misread" (`card`
    is seen in the area of `seat`, who should have one of `was`). foul: why the rules do not allow it, None if they do;
    it then changes what lies there, but not the game.
    """

    kind: str
    seat: int
    row: int
    card: str = ""
    foul: Reason | None = None
    was: tuple[str, ...] = ()
    to: int | None = None

    @property
    def is_told(self) -> bool:
        """Whether the game is told of it: somebody did something, or a card lies in another row."""
        return self.kind not in ("misread", "aside")


@dataclass(frozen=True)
class Allowed:
    """What lies otherwise than the game says, and is known to: after a foul, or before a row is cleared away.

    extra, absent: for each row, cards that lie there besides, and some that do not. beside, hidden: the same for each
    area, where cards lie over each other. loose: rows whose own cards say nothing: forgotten, or not put back yet.
    unseen: "row" or "area", which, and the instant since which what lies besides there is not all to be seen.
    """

    extra: tuple[Counter[str], ...]
    absent: tuple[Counter[str], ...]
    beside: tuple[Counter[str], ...]
    hidden: tuple[Counter[str], ...]
    loose: frozenset[int] = frozenset()
    unseen: frozenset[tuple[str, int, int]] = frozenset()

    @staticmethod
    def nothing(rows: int, seats: int) -> Allowed:
        """Everything lies as the game says."""
        on_rows, in_areas = ((Counter[str](),) * count for count in (rows, seats))
        return Allowed(on_rows, on_rows, in_areas, in_areas)
