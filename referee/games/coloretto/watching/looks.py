"""Records of one observation of a Coloretto table, and of the moves that may explain it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from referee.games.coloretto.rulings import ColorettoReason

UNKNOWN = "?"
"""A card that was put where nobody could see it."""
LONG_AGO_NS = -(10**18)
"""Before any look."""


@dataclass(frozen=True)
class Spot:
    """A row or a player's area as it was seen.

    cards: those that were read for certain, as the rules name them. unread: how many more lie there that could not be
    read. covered: something hides at least a part of it, so that what is not seen may still be there. marked: whether
    a row's own card is there, None where nobody knows; who takes a row takes that card, too.
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
        """Return all of them."""
        return Spot(tuple(sorted(self._cards)), self._unread, covered)


@dataclass(frozen=True)
class TableLook:
    """The whole table at `t_ns`.

    last_round: that card is open somewhere. arms: the seats whose arms reached over the rows since the look before,
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

    kind: "place", "take", "back" (the card placed last was taken back), "moved" (`card` is in the row `to` instead,
    by whomever), "aside" (`card` is before `seat` and is from no row: drawn, and not laid yet), or "misread" (`card`
    is seen in the area of `seat`, who should have one of `was`). foul: why the rules do not allow it, None if they do;
    it then changes what is there, but not the game.
    """

    kind: str
    seat: int
    row: int
    card: str = ""
    foul: ColorettoReason | None = None
    was: tuple[str, ...] = ()
    to: int | None = None

    @property
    def is_told(self) -> bool:
        """Return whether it becomes an event of the game: a move, or a card in another row."""
        return self.kind not in ("misread", "aside")


@dataclass(frozen=True)
class Allowed:
    """Known differences between table and game: after a foul, or before a row is cleared away.

    extra, absent: for each row, cards that are there besides, and some that do not. beside, hidden: the same for each
    area, where cards are over each other. loose: rows whose own cards say nothing: forgotten, or not put back yet.
    unseen: "row" or "area", which, and the instant since which what is besides there is not all to be seen.
    """

    extra: tuple[Counter[str], ...]
    absent: tuple[Counter[str], ...]
    beside: tuple[Counter[str], ...]
    hidden: tuple[Counter[str], ...]
    loose: frozenset[int] = frozenset()
    unseen: frozenset[tuple[str, int, int]] = frozenset()

    @staticmethod
    def nothing(rows: int, seats: int) -> Allowed:
        """Everything is as the game says."""
        on_rows, in_areas = ((Counter[str](),) * count for count in (rows, seats))
        return Allowed(on_rows, on_rows, in_areas, in_areas)
