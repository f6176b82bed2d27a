"""Watches the still table: places of rows and areas, the known cards there, and the visible ones.

Rows may have any layout. A card belongs to the row with the nearest card; a row without its own card keeps its place,
or begins at its first card.

A card under another one stays known as it was read. A card that vanished without a bare table is under an object.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.frames import Frame
from referee.engine.session import Notice, Outline
from referee.games.coloretto.table_score import as_counted, card_of
from referee.games.coloretto.watching.looks import TableLook, spot_of
from referee.watchers.stillness import (
    Mask,
    Stillness,
    box_of,
    changed_since,
    like_a_card,
    share,
    small_picture,
    unlike,
)
from referee.watchers.table_arms import ArmRegion, TableArms
from referee.watchers.table_finder import TableFinder
from vision.arrays import Box, Floats, Image
from vision.deck import Deck
from vision.errors import VisionError
from vision.markers import markers_in, white_of
from vision.profile import TableProfile
from vision.quads import shared_area
from vision.read.card_search import CardSearch
from vision.read.places import moved
from vision.reading import Card

Point = tuple[float, float]

# Distance between the middles of neighbours in a row. While a row without a row card may begin, a card farther away
# than two touching cards begins one: rows may be that close.
_FARTHEST_MM, _NEXT_MM = 150.0, 100.0
_AT_HOME_MM = 60.0
_LINE_MM = 50.0  # row cards within this height are on one line, counted from left to right


@dataclass(frozen=True)
class RowCard:
    """A row's own card: its middle, mm, and the row's room in cards."""

    place: Point
    room: int | None


class RowPlaces:
    """Places of the rows of one game; `rooms`: each row's room in cards."""

    def __init__(self, rooms: Sequence[int]) -> None:
        self._rooms = tuple(rooms)
        self._homes: dict[int, Point] = {}
        self._had_card: set[int] = set()

    def find(self, row_cards: Sequence[RowCard]) -> None:
        """Take the row cards that are between the seats now."""
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
            # A row card that was put back at another place moves its row.
            free = free or [row for row in range(len(self._rooms)) if row not in at_home]
            fitting = [row for row in free if card.room is None or self._rooms[row] == card.room]
            if fitting:
                self._set(fitting[0], card, at_home)
        self.marked = frozenset(at_home)

    marked: frozenset[int] = frozenset()
    """Rows with their own card on the table."""

    @property
    def homes(self) -> tuple[Point, ...]:
        """Return the known beginnings of the rows, mm."""
        return tuple(self._homes.values())

    def is_marked(self, row: int) -> bool | None:
        """Return whether a row's own card is on the table; None if it never was."""
        return row in self.marked if row in self._had_card else None

    def rows_of(self, places: Sequence[Point], *, hidden: bool = False) -> list[int | None]:
        """Return the row of each card between the seats, by their middles; None for a card in no row.

        hidden: these places are out of sight, so they begin no row.
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
                # The row's room is unknown: the largest is assumed, until other rows need it.
                row, k = max(free, key=lambda one: self._rooms[one]), min(left)
                self._homes[row] = places[k]
            rows[k] = row
            members.append((row, places[k]))
            left.remove(k)
        return rows if hidden else self._with_room(rows)

    def _with_room(self, rows: list[int | None]) -> list[int | None]:
        """Return the rows of cards; a row with more cards than room is split, unless a row card marks it as one."""
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
    """Return row cards in reading order: line by line, from left to right."""
    lines: list[list[RowCard]] = []
    for card in sorted(row_cards, key=lambda one: one.place[1]):
        if not lines or card.place[1] - lines[-1][0].place[1] > _LINE_MM:
            lines.append([])
        lines[-1].append(card)
    return [card for line in lines for card in sorted(line, key=lambda one: one.place[0])]


_COVERS = 0.04  # share of a card's area under another one
_SAME, _THE_SAME = 0.6, 0.8  # share of a card's area that another one overlaps; from which both are one card


@dataclass(frozen=True, eq=False)
class KnownCard:
    """A card that was found, and whether another one covers it since."""

    card: Card
    under: bool = False


class KnownCards:
    """Identified cards, and places (centre in mm, quad (4, 2) in px) of unidentified objects."""

    def __init__(self) -> None:
        self._cards: list[KnownCard] = []
        self.vanished: list[tuple[tuple[float, float], Floats]] = []

    def __iter__(self) -> Iterator[KnownCard]:
        return iter(self._cards)

    def forget(self, cards: Sequence[KnownCard]) -> None:
        """Forget some cards, which are to be read again."""
        self._cards = [known for known in self._cards if known not in cards]

    def forget_all(self) -> None:
        """Forget all cards: the table has changed."""
        self._cards = []

    def take(self, touched: Sequence[KnownCard], found: Sequence[Card]) -> None:
        """Replace the known cards where something changed by new findings."""
        taken = [known.card.corners_px for known in self._cards if not known.under]
        new: list[Card] = []
        for card in sorted(found, key=lambda one: one.reason is not None):
            if all(shared_area(card.corners_px, quad) < _SAME for quad in taken) and not self._is_known_under(card):
                new.append(card)
                taken.append(card.corners_px)
        certain = [card.corners_px for card in new if card.reason is None]
        self.vanished = [one for one in self.vanished if not is_among(one[1], certain)]
        for known in touched:
            quad = known.card.corners_px
            if known.card.reason is not None or is_among(quad, certain):
                continue
            if is_covered(quad, certain):
                self._cards.append(KnownCard(known.card, under=True))
            elif not known.under:
                self.vanished.append((known.card.place_mm, quad))
        self._cards += [KnownCard(card) for card in new]

    def _is_known_under(self, card: Card) -> bool:
        """Return whether a card was known before another one covered it; its visible part may be found again."""
        under = [known.card for known in self._cards if known.under and known.card.face is card.face]
        return is_among(card.corners_px, [other.corners_px for other in under])


def is_among(quad: Floats, quads: Sequence[Floats]) -> bool:
    """Return whether a card, quad (4, 2), is one of others."""
    return any(shared_area(quad, other) > _THE_SAME for other in quads)


def is_covered(quad: Floats, quads: Sequence[Floats]) -> bool:
    """Return whether another card covers a card, quad (4, 2)."""
    return any(shared_area(quad, other) > _COVERS for other in quads)


def covered_share(quad: Floats, quads: Sequence[Floats]) -> float:
    """Return the share of a card, quad (4, 2), under others that do not overlap each other."""
    return sum(shared_area(quad, other) for other in quads)


MS = 1_000_000
REACH_MM = 130.0
"""Distance of a player's cards from the edge, by their middles: rows need the middle of the table."""

_STILL_NS, _AGAIN_NS, _SEEK_NS = 250 * MS, 900 * MS, 1_000 * MS
_LONGEST_ARM_NS = 8_000 * MS  # an apparent arm that stays longer is another object
_LEAST_CHANGED = 30  # px of the small picture: a mark on a card
_BARE = 22.0  # levels by which bare table may change
_MOSTLY = 0.5  # of a card under others: a smaller visible part resembles bare table where the card has gone
_MOST_FOREIGN, _SOME = 0.3, 0.1  # share of the place of a vanished, or unreadable, card
_AROUND_MM = 60.0
_ARMS_NS, _AT_REST_NS = 60 * MS, 450 * MS  # interval of searches for arms
_OVER_MM = 45.0  # from an arm to a card of a row: it reaches over it
_TOUCHED = 0.04  # share of a card's area that has changed
_NEAR = (3.0, float(np.radians(3.0)))  # mm and turn: range of the search for a known card
_RIM_PX, _LEAST_ARM_PX = 2, 10


class TableWatch:
    """Watcher of the rows and areas of one table."""

    def __init__(self, deck: Deck, profile: TableProfile | None, players: int, rooms: Sequence[int]) -> None:
        self._deck = as_counted(deck)
        # A summary card has little print, so many things resemble it; its place does not matter.
        played = tuple(face for face in deck.faces if face.attributes.get("kind") != "summary")
        self._search = CardSearch(replace(self._deck, faces=played))
        self._finder = TableFinder(profile, players)
        self._players = players
        self._rows = RowPlaces(rooms)
        self._rooms = len(rooms)
        self._still = Stillness()
        self._arm_since_ns: int | None = None
        self._white: Floats | None = None
        self._read: NDArray[np.float32] | None = None  # the small picture at the last reading
        self._bare: NDArray[np.float32] | None = None  # the table without cards
        self._known = KnownCards()
        self._amid_mm: list[tuple[float, float]] = []  # cards between the seats
        self._last: TableLook | None = None
        self._arms = TableArms()
        self._arms_ns: int | None = None
        self._reached: set[int | None] = set()  # seats whose arms reached over the rows since the last look
        self.outlines: tuple[Outline, ...] = ()

    @property
    def place(self) -> ArmRegion | None:
        """Return the table and its seats, None while its place is unknown."""
        return self._finder.place

    @property
    def notice(self) -> Notice | None:
        """Return why the table is not found; None once it is."""
        return self._finder.notice

    def look(self, frame: Frame) -> TableLook | None:
        """Take the next frame; return a look after each change that has come to rest, and again now and then."""
        t_ns = frame.exposure_end_ns
        self._still.look(frame)
        image = frame.bgr()
        self._find_table(image, t_ns)
        place = self.place
        if place is not None:
            self._follow_arms(place, frame)
        if place is None or self._still.still_ns(t_ns) < _STILL_NS:
            return None
        last = self._last
        edge = place.table.to_px(place.ring.corners_mm) / frame.size_px
        if last is not None and t_ns - last.t_ns < _AGAIN_NS and not self._still.moved_since(last.t_ns, edge):
            return None
        small = small_picture(image)
        changed = changed_since(self._read, small)
        if self._is_reached_over(changed, t_ns):
            return None
        self._read_changed(image, small, changed, place)
        arms = None if None in self._reached else frozenset(seat for seat in self._reached if seat is not None)
        self._last = replace(self._as_look(place, t_ns), arms=arms)
        self._reached.clear()
        self._arms.settle()
        return self._last

    def _follow_arms(self, place: ArmRegion, frame: Frame) -> None:
        """Note the seats whose arms reach over the rows, or over the table's middle while no row is known."""
        t_ns = frame.exposure_end_ns
        every_ns = _ARMS_NS if self._still.still_ns(t_ns) < _AGAIN_NS else _AT_REST_NS
        if self._arms_ns is not None and t_ns - self._arms_ns < every_ns:
            return
        self._arms_ns = t_ns
        spots_mm = np.array([*self._rows.homes, *self._amid_mm] or [tuple(place.ring.corners_mm.mean(0))])
        spots_px = place.table.to_px(spots_mm)
        near_px = _OVER_MM * float(place.table.px_per_mm(spots_px[:1])[0])
        self._reached |= {seat for seat, arm in self._arms.look(place, frame, spots_px) if arm.reach_px < near_px}

    def _is_reached_over(self, changed: Mask, t_ns: int) -> bool:
        """Return whether an object enters over the picture's edge: a resting arm."""
        rim = np.zeros(changed.shape, bool)
        rim[:_RIM_PX], rim[-_RIM_PX:], rim[:, :_RIM_PX], rim[:, -_RIM_PX:] = True, True, True, True
        if self._read is None or np.count_nonzero(changed & rim) < _RIM_PX * _LEAST_ARM_PX:
            self._arm_since_ns = None
            return False
        if self._arm_since_ns is None:
            self._arm_since_ns = t_ns
        return t_ns - self._arm_since_ns < _LONGEST_ARM_NS

    def _find_table(self, image: Image, t_ns: int) -> None:
        before = self.place
        searched = self._finder.search(image, t_ns, 20 * _SEEK_NS if before and self._finder.is_exact else _SEEK_NS)
        place = self.place
        if place is None or not searched:
            return
        with contextlib.suppress(VisionError):
            white = white_of(image, markers_in(image))
            self._white = self._white if white is None else white
        self._still.watch(place.table.to_px(place.ring.corners_mm) / place.table.size_px)
        if before is None or before.table is not place.table:
            self._read = self._bare = None
            self._known.forget_all()
            self._amid_mm = []

    def _read_changed(self, image: Image, small: NDArray[np.float32], changed: Mask, place: ArmRegion) -> None:
        """Read the places that changed since the last reading, and merge the result with the known cards."""
        factor = image.shape[1] / small.shape[1]
        first = self._read is None or bool(changed.all())
        self._read = small
        touched = [known for known in self._known if first or share(changed, known.card.corners_px / factor) > _TOUCHED]
        self._known.forget(touched)
        if first:
            found = self._search.cards(image, place.table, self._whole(place, image), self._white)
        else:
            found = self._found_in(changed, factor, place, image)
            found += self._still_there(touched, found, place, image)
        if self._bare is None:
            self._bare = small.copy()
        certain = [card.corners_px / factor for card in found if card.reason is None]
        certain += [known.card.corners_px / factor for known in self._known if known.card.reason is None]
        lying = [
            card
            for card in found
            if card.reason is None or unlike(small, self._bare, card.corners_px / factor, _BARE, beside=certain) > _SOME
        ]
        bare = self._bare
        gone = [
            known
            for known in touched
            if covered_share(known.card.corners_px / factor, certain) < _MOSTLY
            and unlike(small, bare, known.card.corners_px / factor, _BARE, beside=certain) <= _SOME
        ]
        self._known.take([known for known in touched if known not in gone], lying)
        self._learn_bare(small, factor)
        hidden = [(one, unlike(small, bare, one[1] / factor, 2.5 * _BARE)) for one in self._known.vanished]
        self._known.vanished = [one for one, share_unlike in hidden if share_unlike > _MOST_FOREIGN]

    def _whole(self, place: ArmRegion, image: Image) -> Box:
        corners = place.ring.corners_mm
        around = corners + _AROUND_MM * np.sign(corners - corners.mean(0))
        return box_of(place.table.to_px(around), image)

    def _found_in(self, changed: Mask, factor: float, place: ArmRegion, image: Image) -> list[Card]:
        """Return the cards at changed places: a new card has changed the inside of its outline."""
        joined = cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
        outlines, _ = cv2.findContours(joined, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        found: list[Card] = []
        for outline in outlines:
            if len(outline) < 4 or cv2.contourArea(outline) < _LEAST_CHANGED:
                continue
            points_px = (outline[:, 0].astype(np.float64) + 0.5) * factor - 0.5
            points_mm = place.table.to_mm(points_px)
            quads = like_a_card(points_mm, self._deck.card_mm)
            card = None
            if quads is not None:
                px = place.table.to_px(quads)
                near = moved(px, place.table, *_NEAR).reshape(-1, 4, 2)
                card = self._search.at(image, place.table, near, self._white)
            if card is not None and card.reason is None:
                found.append(card)
                continue
            margin = max(self._deck.card_mm) * float(place.table.px_per_mm(points_px.mean(axis=0)[None])[0])
            box = box_of(np.array([points_px.min(axis=0) - margin, points_px.max(axis=0) + margin]), image)
            found += self._search.cards(image, place.table, box, self._white)
        return found

    def _still_there(
        self, touched: Sequence[KnownCard], found: Sequence[Card], place: ArmRegion, image: Image
    ) -> list[Card]:
        """Return the known cards that look different in a part, are under no other, and have not moved."""
        certain = [card.corners_px for card in found if card.reason is None]
        still: list[Card] = []
        for known in touched:
            quad = known.card.corners_px
            if known.under or known.card.reason is not None or is_covered(quad, certain):
                continue
            card = self._search.at(image, place.table, quad[None], self._white)
            if card is not None and card.reason is None:
                still.append(card)
        return still

    def _learn_bare(self, small: NDArray[np.float32], factor: float) -> None:
        """Update the picture of the table without cards, except at places of cards that have just vanished."""
        if self._bare is None:
            return
        mask = np.ones(small.shape[:2], np.uint8)
        for quad in [*(known.card.corners_px for known in self._known), *(quad for _, quad in self._known.vanished)]:
            cv2.fillConvexPoly(mask, np.rint(quad / factor).astype(np.int32), 0)
        free = mask > 0
        self._bare[free] = 0.8 * self._bare[free] + 0.2 * small[free]

    def _as_look(self, place: ArmRegion, t_ns: int) -> TableLook:
        """Return the known cards as rows and areas."""
        ring = replace(place.ring, reach_mm=REACH_MM)
        rows: list[list[tuple[str, bool]]] = [[] for _ in range(self._rooms)]
        areas: list[list[tuple[str, bool]]] = [[] for _ in range(self._players)]
        middle: list[KnownCard] = []
        row_cards: list[RowCard] = []
        last_round = False
        outlines = []
        self._amid_mm = []
        for known in self._known:
            kind = known.card.attributes.get("kind")
            seat = ring.seat_at(known.card.place_mm)
            if seat is None:
                self._amid_mm.append(known.card.place_mm)
            certain = known.card.reason is None
            last_round |= certain and kind == "last round"
            if certain and kind == "row" and seat is None:
                room = known.card.attributes.get("room", "")
                green = self._rooms == 3 and self._players == 2
                row_cards.append(RowCard(known.card.place_mm, int(room) if green and room.isdecimal() else None))
            name = None if known.card.front is None else card_of(self._deck, known.card.front.id)
            if name is not None and seat is not None:
                areas[seat].append((name, certain))
            elif name is not None:
                middle.append(known)
            if not known.under:
                outlines.append(_outline(known.card, seat, name or str(kind or "back")))
        self._rows.find(row_cards)
        for known, row in zip(middle, self._rows.rows_of([one.card.place_mm for one in middle]), strict=True):
            if row is not None and known.card.front is not None:
                rows[row].append((str(card_of(self._deck, known.card.front.id)), known.card.reason is None))
        hidden = [centre for centre, _ in self._known.vanished]
        hidden_rows = self._rows.rows_of([centre for centre in hidden if ring.seat_at(centre) is None], hidden=True)
        hidden_seats = {ring.seat_at(centre) for centre in hidden}
        self.outlines = tuple(outlines)
        return TableLook(
            t_ns,
            tuple(spot_of(cards, row in hidden_rows, self._rows.is_marked(row)) for row, cards in enumerate(rows)),
            tuple(spot_of(cards, seat in hidden_seats) for seat, cards in enumerate(areas)),
            last_round,
        )


def _outline(card: Card, seat: int | None, label: str) -> Outline:
    corners = tuple((float(x), float(y)) for x, y in card.corners_px)
    return Outline(corners, seat, label if card.reason is None else card.reason, card.reason is None)
