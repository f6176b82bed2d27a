"""Records of one observation of a Coloretto table, and of the moves that may explain it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from referee.games.coloretto.rulings import ColorettoReason

UNKNOWN = "?"
"""A card that was placed out of sight."""
LONG_AGO_NS = -(10**18)
"""Before any look."""


@dataclass(frozen=True)
class Spot:
    """A row or a player's area in one look.

    cards: the identified cards, by the rules' names. unread: number of further cards, which could not be read. covered:
    an object hides a part of it, so unseen cards may still be there. marked: whether a row's own card is there, None if
    unknown; the taker of a row takes that card as well.
    """

    cards: tuple[str, ...] = ()
    unread: int = 0
    covered: bool = False
    marked: bool | None = None


def spot_of(cards: Sequence[tuple[str, bool]], covered: bool, marked: bool | None = None) -> Spot:
    """Return a row or an area of cards, each by its name and whether that is certain."""
    names = sorted(name for name, certain in cards if certain)
    return Spot(tuple(names), len(cards) - len(names), covered, marked)


@dataclass(frozen=True)
class TableLook:
    """The whole table at `t_ns`.

    last_round: that card is open somewhere. arms: seats whose arms reached over the rows since the last look, None if
    unknown.
    """

    t_ns: int
    rows: tuple[Spot, ...]
    areas: tuple[Spot, ...]
    last_round: bool = False
    arms: frozenset[int] | None = None


@dataclass(frozen=True)
class Move:
    """A possible move.

    kind: "place"; "take"; "back", the card placed last was lifted again; "moved", `card` went to the row `to`;
    "strayed", it is at the place of the row `to`, which is taken or full; "aside", `card` is before `seat` and from no
    row, so it was drawn and not placed yet; or "misread", `card` is in the area of `seat`, which should have one of
    `was`. foul: the rule that the move breaks, or None; a foul moves cards, but does not change the game.
    """

    kind: str
    seat: int
    row: int
    card: str = ""
    foul: ColorettoReason | None = None
    was: tuple[str, ...] = ()
    to: int | None = None

    @property
    def is_reported(self) -> bool:
        """Return whether it becomes an event of the game: a move, or a card in another row."""
        return self.kind not in ("misread", "aside", "strayed")


@dataclass(frozen=True)
class Allowed:
    """Known differences between table and game: after a foul, or before a row is cleared away.

    extra, absent: each row's additional and missing cards. beside, hidden: the same for each area, where cards overlap.
    loose: rows whose own cards are forgotten, or not put back yet, and mean nothing. unseen: "row" or "area", its
    number, and the instant since which its additional cards are not all visible.
    """

    extra: tuple[Counter[str], ...]
    absent: tuple[Counter[str], ...]
    beside: tuple[Counter[str], ...]
    hidden: tuple[Counter[str], ...]
    loose: frozenset[int] = frozenset()
    unseen: frozenset[tuple[str, int, int]] = frozenset()

    @staticmethod
    def nothing(rows: int, seats: int) -> Allowed:
        """Return no differences."""
        on_rows, in_areas = ((Counter[str](),) * count for count in (rows, seats))
        return Allowed(on_rows, on_rows, in_areas, in_areas)


@dataclass(frozen=True, eq=False)
class Owed:
    """Cards that a seat took at `t_ns` and that its area, which showed `before`, does not show yet.

    unread: number of unreadable cards there. late: they have been missing for long. reached: the seat's arm was over
    the rows.
    """

    t_ns: int
    seat: int
    row: int
    before: Counter[str]
    cards: Counter[str]
    unread: int = 0
    late: bool = False
    reached: bool = False
