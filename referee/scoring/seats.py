"""Assigns cards to seats round the rectangle of the markers, evenly or where people have put them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from referee.errors import BadInputError
from vision.arrays import Points
from vision.markers import Marker
from vision.profile import REACH_MM
from vision.quads import stacked
from vision.reading import Card, Reading
from vision.table import Table

MOST_PLAYERS = 7  # C2
_USUAL_IDS = range(4)
_LEAST_SIDE_MM = 150.0
_MOST_TURN_DEG = 35.0
_STRAIGHT_DEG = 4.0
_TELLING = 4  # points needed for the rectangle's angle: the smallest one round three may be along their diagonal


@dataclass(frozen=True, eq=False)
class SeatRing:
    """Seats round a table.

    `corners_mm` (4, 2): the rectangle, clockwise as the camera sees it from bottom right; seat 0 sits at the middle of
    its first (bottom) edge, the others follow clockwise at equal distances along the edge. `places`, where they sit
    elsewhere: how far along the edge each is, clockwise from that middle, in shares of the whole way round; the first
    may be below 0. A card belongs to the seat whose part of the edge is nearest, if that is at most `reach_mm` away;
    parts end halfway between two seats.
    """

    corners_mm: Points
    players: int
    reach_mm: float = REACH_MM
    places: tuple[float, ...] | None = None

    @cached_property
    def _sides_mm(self) -> Points:
        return np.asarray(np.linalg.norm(np.roll(self.corners_mm, -1, axis=0) - self.corners_mm, axis=1))

    @cached_property
    def _ways_mm(self) -> Points:
        """Return how far along the edge each seat is."""
        shares = even_places(self.players) if self.places is None else self.places
        return np.asarray(np.array(shares) * self._sides_mm.sum())

    @cached_property
    def _bounds_mm(self) -> Points:
        """Return where each seat's part begins, and where the last one ends."""
        ways, whole = self._ways_mm, self._sides_mm.sum()
        around = np.concatenate([[ways[-1] - whole], ways, [ways[0] + whole]])
        return np.asarray((around[1:] + around[:-1]) / 2)

    def seat_at(self, point_mm: tuple[float, float]) -> int | None:
        """Return the seat that owns a card with its centre here; None in the middle of the table, and far outside."""
        distance, way = self._nearest(point_mm)
        if distance > self.reach_mm:
            return None
        way = self._bounds_mm[0] + (way - self._bounds_mm[0]) % self._sides_mm.sum()
        return min(int(np.searchsorted(self._bounds_mm, way, side="right")) - 1, self.players - 1)

    @property
    def length_mm(self) -> float:
        """Return how long the edge is, all the way round."""
        return float(self._sides_mm.sum())

    def way_of(self, point_mm: tuple[float, float]) -> float:
        """Return how far along the edge the nearest point of it is, in mm clockwise from the bottom edge's middle."""
        return self._nearest(point_mm)[1]

    def _nearest(self, point_mm: tuple[float, float]) -> tuple[float, float]:
        """Return how far away the edge is, and how far along it its nearest point, mm."""
        start, sides = self.corners_mm, self._sides_mm
        along = (np.roll(start, -1, axis=0) - start) / sides[:, None]
        reached = np.clip(((np.asarray(point_mm) - start) * along).sum(1), 0, sides)
        distances = np.linalg.norm(start + reached[:, None] * along - np.asarray(point_mm), axis=1)
        side = int(distances.argmin())
        return float(distances[side]), float(sides[:side].sum() + reached[side] - sides[0] / 2)

    def point_at(self, way_mm: float) -> tuple[float, float]:
        """Return the point of the edge that is `way_mm` clockwise from the bottom edge's middle."""
        sides = self._sides_mm
        left = (way_mm + sides[0] / 2) % sides.sum()
        side = min(int(np.searchsorted(np.cumsum(sides), left, side="right")), 3)
        start, end = self.corners_mm[side], self.corners_mm[(side + 1) % 4]
        x, y = start + (end - start) * (left - sides[:side].sum()) / sides[side]
        return float(x), float(y)

    def part_of(self, seat: int, step_mm: float = 10.0) -> Points:
        """(n, 2) points along the seat's part of the edge; the middle one is where the seat is."""
        begin, end = self._bounds_mm[seat], self._bounds_mm[seat + 1]
        half = max(1, round((end - begin) / 2 / step_mm))
        way = self._ways_mm[seat]
        before, after = np.linspace(begin, way, half + 1), np.linspace(way, end, half + 1)
        return np.array([self.point_at(float(one)) for one in (*before, *after[1:])])

    @property
    def middles(self) -> list[Points]:
        """Return the middle (2,) of each seat's part of the edge."""
        parts = [self.part_of(seat) for seat in range(self.players)]
        return [part[len(part) // 2] for part in parts]

    def spots_of(self, spots_mm: Points, least: float = 1) -> Iterator[tuple[int, Points]]:
        """Return each seat that owns at least so many of some spots (n, 2), with the middle one (2,) of its own."""
        owners = np.array(
            [-1 if seat is None else seat for seat in (self.seat_at((x, y)) for x, y in spots_mm.tolist())]
        )
        for seat in range(self.players):
            own = spots_mm[owners == seat]
            if len(own) >= least:
                yield seat, own[np.linalg.norm(own - own.mean(0), axis=1).argmin()]


def even_places(players: int) -> tuple[float, ...]:
    """Return where so many people sit evenly."""
    return tuple(seat / players for seat in range(players))


def rectangle_of(centres_mm: Points, turn_deg: float | None = None) -> Points:
    """Return the rectangle that points (n, 2) span, as (4, 2) corners, clockwise as seen from bottom right.

    It is at the angle at which it is smallest, or at `turn_deg` to the camera; where neither decides (a diamond), it
    is upright.
    """
    points = np.asarray(centres_mm, np.float64)
    if turn_deg is None and len(points) >= _TELLING:
        found = float(cv2.minAreaRect(points.astype(np.float32))[2])
        turn_deg = found - 90 * round(found / 90)
    if turn_deg is None or abs(turn_deg) > _MOST_TURN_DEG:
        turn_deg = 0.0
    cos, sin = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    turn = np.array([[cos, -sin], [sin, cos]])
    turned = points @ turn
    low, high = turned.min(0), turned.max(0)
    corners = np.array([[high[0], high[1]], [low[0], high[1]], [low[0], low[1]], [high[0], low[1]]])
    return np.asarray(corners @ turn.T)


def marker_rectangle(markers: Sequence[Marker], table: Table) -> Points:
    """Return the rectangle (see `rectangle_of`) that the centres of the marker cards in sight span.

    Two or three are enough if they lie straight with the table, as their equal angles show.

    Raises:
        BadInputError: they are too few, or lie all on one line; it says which are missing.
    """
    corners = stacked(table.to_mm(marker.corners_px) for marker in markers)
    turn = None if len(corners) >= _TELLING else _common_turn_deg(corners)
    if len(corners) >= 3 or turn is not None:
        rectangle = rectangle_of(corners.mean(1), turn)
        sides = np.linalg.norm(rectangle[1:3] - rectangle[:2], axis=1)
        if sides.min() >= _LEAST_SIDE_MM:
            return rectangle
    raise markers_missing([marker.id for marker in markers])


def _common_turn_deg(corners_mm: Points) -> float | None:
    """Return the angle, -45 to 45, at which all markers (n, 4, 2) lie, whichever way up; None if they differ."""
    if len(corners_mm) < 2:
        return None
    edges = corners_mm[:, 1] - corners_mm[:, 0]
    quarter = (edges[:, 0] + 1j * edges[:, 1]) ** 4
    quarter /= np.abs(quarter)
    common = quarter.mean()
    differ = np.degrees(np.abs(np.angle(quarter / common))).max() / 4
    return float(np.degrees(np.angle(common)) / 4) if differ < _STRAIGHT_DEG else None


def markers_missing(ids: Sequence[int]) -> BadInputError:
    """Return the error of a picture in which the markers with these ids do not show where the seats are."""
    missing = [number for number in _USUAL_IDS if number not in ids]
    if not ids:
        return BadInputError("error.markers.none")
    if len(ids) >= _TELLING or not missing:
        return BadInputError("error.markers.on_one_line", list=tuple(ids))
    if len(ids) == 1:
        return BadInputError("error.markers.one", number=ids[0], list=tuple(missing))
    if len(missing) == 1:
        return BadInputError("error.markers.some_but_one", seen=tuple(ids), number=missing[0])
    return BadInputError("error.markers.some", seen=tuple(ids), list=tuple(missing))


@dataclass(frozen=True, eq=False)
class SeatCards:
    """The cards before one seat: those that count, those that show the side that is not played, and the unclear.

    A card that certainly shows the other side is not unclear: the winner of a round keeps cards in a pile (C8).
    """

    seat: int
    cards: tuple[Card, ...]
    other_side: tuple[Card, ...]
    unclear: tuple[Card, ...]


@dataclass(frozen=True, eq=False)
class Sharing:
    """All cards on the table, shared among the seats; `side` is the one that is played.

    inferred: nobody said which side is played, so the cards before the seats decided.
    """

    side: str
    seats: tuple[SeatCards, ...]
    heap: tuple[Card, ...]
    heap_unclear: tuple[Card, ...]
    inferred: bool = False


def share_out(reading: Reading, ring: SeatRing, side: str | None) -> Sharing:
    """Give every card to its seat or to the heap.

    side: the one that is played. None is for a single picture without a game: the side that most cards
    before the seats show is played, or white. A game never infers it: late point cards outnumber the hands (C8).
    """
    owners = [_owner(card.centre_mm, ring) for card in reading.cards]
    unclear_owners = [_owner(card.centre_mm, ring) for card in reading.unclear]
    shown = [card.named.side for card, owner in zip(reading.cards, owners, strict=True) if owner is not None]
    played = side or max(("white", "black"), key=shown.count)

    def cards_of(seat: int | None) -> tuple[Card, ...]:
        return tuple(card for card, owner in zip(reading.cards, owners, strict=True) if owner == seat)

    def unclear_of(seat: int | None) -> tuple[Card, ...]:
        return tuple(card for card, owner in zip(reading.unclear, unclear_owners, strict=True) if owner == seat)

    seats = tuple(
        SeatCards(
            seat,
            tuple(card for card in cards_of(seat) if card.side == played),
            tuple(card for card in cards_of(seat) if card.side != played),
            tuple(card for card in unclear_of(seat) if card.side in (None, played)),
        )
        for seat in range(ring.players)
    )
    return Sharing(played, seats, cards_of(None), unclear_of(None), inferred=side is None)


def _owner(centre_mm: tuple[float, float] | None, ring: SeatRing) -> int | None:
    return None if centre_mm is None else ring.seat_at(centre_mm)
