"""Which row a card of Coloretto lies in: rows begin where their own cards lie, and go on from card to card.

Nothing is asked of how rows are laid out. A card belongs to the row of which something lies nearest to it; where a
row's own card is missing, its place is where it lay, or where the first card of it came to lie.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Point = tuple[float, float]

# From the middle of a card of a row to the next one's; as long as a row may begin that no card of its own marks, what
# lies further away than two cards that touch begins one: rows may lie as close as that.
_FARTHEST_MM, _NEXT_MM = 150.0, 100.0
_AT_HOME_MM = 60.0
_LINE_MM = 50.0  # rows whose own cards lie so near in height are counted from left to right


@dataclass(frozen=True)
class RowCard:
    """A row's own card: its middle, mm, and for how many cards it has room."""

    place: Point
    room: int | None


class RowPlaces:
    """Knows where the rows of one game are; `rooms`: for how many cards each has room."""

    def __init__(self, rooms: Sequence[int]) -> None:
        self._rooms = tuple(rooms)
        self._homes: dict[int, Point] = {}
        self._had_card: set[int] = set()

    def find(self, row_cards: Sequence[RowCard]) -> None:
        """Take the rows' own cards that lie between the seats now."""
        lying = _as_read(row_cards)
        at_home: set[int] = set()
        left: list[RowCard] = []
        for card in lying:
            near = [row for row in self._homes if math.dist(self._homes[row], card.place) < _AT_HOME_MM]
            row = min(near, key=lambda one: math.dist(self._homes[one], card.place), default=None)
            if row is None:
                left.append(card)
            else:
                self._set(row, card, at_home)
        for card in left:
            free = [row for row in range(len(self._rooms)) if row not in at_home and row not in self._homes]
            # A card that was put back elsewhere takes its row with it.
            free = free or [row for row in range(len(self._rooms)) if row not in at_home]
            fitting = [row for row in free if card.room is None or self._rooms[row] == card.room]
            if fitting:
                self._set(fitting[0], card, at_home)
        self.marked = frozenset(at_home)

    marked: frozenset[int] = frozenset()
    """Rows whose own cards lie there."""

    @property
    def homes(self) -> tuple[Point, ...]:
        """Where the rows begin, as far as that is known, mm."""
        return tuple(self._homes.values())

    def is_marked(self, row: int) -> bool | None:
        """Tell whether a row's own card lies there; None if it never did."""
        return row in self.marked if row in self._had_card else None

    def rows_of(self, places: Sequence[Point], *, hidden: bool = False) -> list[int | None]:
        """Give the row of each card, by the middles of all that lie between the seats; None for what is in no row.

        hidden: nobody sees what lies in these places, so they begin no row.
        """
        rows: list[int | None] = [None] * len(places)
        members = [(row, home) for row, home in self._homes.items()]
        left = set(range(len(places)))
        while left:
            nearest = min(
                ((math.dist(place, places[k]), row, k) for row, place in members for k in left),
                default=(math.inf, 0, min(left)),
            )
            distance, row, k = nearest
            free = [row for row in range(len(self._rooms)) if row not in self._homes and not hidden]
            if distance > (_NEXT_MM if free else _FARTHEST_MM):
                if not free:
                    break
                # Nothing says for how many cards it has room: the most, until others are seen to need it.
                row, k = max(free, key=lambda one: self._rooms[one]), min(left)
                self._homes[row] = places[k]
            rows[k] = row
            members.append((row, places[k]))
            left.remove(k)
        return rows if hidden else self._with_room(rows)

    def _with_room(self, rows: list[int | None]) -> list[int | None]:
        """The rows of cards; one with more cards than room is another row, if no card of its own says otherwise."""
        lying = Counter(rows)
        for row in range(len(self._rooms)):
            if lying[row] <= self._rooms[row] or row in self._had_card:
                continue
            for other in range(len(self._rooms)):
                fits = self._rooms[other] >= lying[row] and lying[other] <= self._rooms[row]
                if fits and other not in self._had_card:
                    return self._exchanged(rows, row, other)
        return rows

    def _exchanged(self, rows: list[int | None], one: int, other: int) -> list[int | None]:
        turned = {one: other, other: one}
        self._homes = {turned.get(row, row): home for row, home in self._homes.items()}
        return [row if row is None else turned.get(row, row) for row in rows]

    def _set(self, row: int, card: RowCard, at_home: set[int]) -> None:
        self._homes[row] = card.place
        self._had_card.add(row)
        at_home.add(row)


def _as_read(row_cards: Sequence[RowCard]) -> list[RowCard]:
    """Rows' own cards in the order in which one reads: line by line, from left to right."""
    lines: list[list[RowCard]] = []
    for card in sorted(row_cards, key=lambda one: one.place[1]):
        if not lines or card.place[1] - lines[-1][0].place[1] > _LINE_MM:
            lines.append([])
        lines[-1].append(card)
    return [card for line in lines for card in sorted(line, key=lambda one: one.place[0])]
