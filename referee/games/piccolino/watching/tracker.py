"""Tracks Piccolino's discard piles: finds the place of each seat's pile, then watches those places."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hardware.camera.frames import Frame
from referee.engine.session import Notice
from referee.watchers.table_arms import ArmRegion
from referee.watchers.table_finder import TableFinder
from vision.arrays import Image
from vision.piles.card_watch import CardWatch
from vision.piles.observations import Kind, PileSight, pile_place
from vision.piles.pile_reader import PrintTableReader
from vision.piles.pile_watch import PileWatch
from vision.piles.small_copies import Cells
from vision.profile import TableProfile
from vision.reading import Card

MS = 1_000_000
SEARCH_NS = 400 * MS
AGAIN_NS = 2_000 * MS
SURVEY_NS = 60_000 * MS
"""Interval between unrequested searches, part by part: AGAIN_NS until each seat's pile has been found."""
_MOVED_MM = 22.0
_RESTS_MM, _RESTS_NS = 3.0, 400 * MS
_BARE_NS = 1_000 * MS
_MOST_BARE = 3
_NOBODY = -1


class PileTracker:
    """Tracks the piles of one table; `notices` has one of `no_table_notice` as long as no table was found."""

    def __init__(self, cards: PrintTableReader, profile: TableProfile | None, players: int) -> None:
        self._cards = cards
        self._finder = TableFinder(profile, players)
        self._players = players
        self._places: dict[int, tuple[float, float]] = {}
        # Of seats without a place: where the last frame shows a face, and since when.
        self._latest: dict[int, tuple[tuple[float, float], int]] = {}
        self._bare: dict[int, list[tuple[int, Image]]] = {}  # pictures from before a seat's first card, and their times
        self._table: CardWatch | None = None
        self._seats: NDArray[np.intp] = np.zeros((0, 0), np.intp)
        self._wanted: Cells = np.zeros((0, 0), np.bool_)
        self._watch: PileWatch | None = None
        self._frame: Frame | None = None
        self._swept_ns: int | None = None
        self.notices: tuple[Notice, ...] = ()

    @property
    def seating(self) -> ArmRegion | None:
        """Table and seats, None as long as no table was found."""
        return self._finder.place

    @property
    def settled(self) -> bool:
        """Return whether every seat's place is known."""
        return len(self._places) == self._players

    def look(self, frame: Frame) -> Sequence[PileSight]:
        """Return a sight of each discard pile."""
        self._frame = frame
        image = frame.bgr()
        t_ns = frame.exposure_end_ns
        self._find_table(image, t_ns)
        if self._table is None:
            return ()
        self._table.look(image, t_ns, self._wanted)
        sights: list[PileSight] = []
        if self._watch is not None:
            sights += self._watch.look(image, t_ns)
        known = len(self._places)
        sights += (found := self._places_found())
        if self._table.still:
            for sight in found:
                if sight.kind == "empty":
                    self._keep_bare(sight.seat, image, t_ns)
        # New places are watched from the next frame on: to read them twice in one would hold up a ring.
        if self._follow_moved(image, t_ns) or len(self._places) > known:
            self._watch_places()
        return sights

    def look_closely(self) -> Sequence[PileSight]:
        """Read the last frame again because of a ring, also where that takes long; return the new sights.

        These are piles left unread, tops under a fingertip, and seats without a known place where something moves.
        """
        if self._frame is None or self._table is None:
            return ()
        image = self._frame.bgr()
        if not self._finder.is_in_sight(image):
            # The places are no longer known; the next frame is searched for the table.
            self._finder.searched_ns = None
            return [PileSight(seat, "unclear") for seat in range(self._players)]
        sights: list[PileSight] = []
        if self._watch is not None:
            sights += self._watch.look_closely(image)
        if not self.settled:
            self._table.look_closely(image)
            for seat in range(self._players):
                if seat not in self._places and self._nearest(seat, self._cards_of(seat)) is None:
                    self._table.search(image, self._seats == seat)
            sights += self._places_found(rests=False)
        return sights

    def _find_table(self, image: Image, t_ns: int) -> None:
        """Search for the marker cards now and then, and begin again where the camera was moved."""
        still = self._table is None or self._table.still
        every_ns = SURVEY_NS if self.settled else AGAIN_NS if self.seating else SEARCH_NS
        before = self.seating
        if not still or not self._finder.search(image, t_ns, every_ns):
            return
        self.notices = () if self._finder.notice is None else (self._finder.notice,)
        if self.seating is None:
            self._table = self._watch = None
            return
        if self._table is None or before is not self.seating:
            self._table = CardWatch(self._cards, self.seating.table, image)
            # A place empty at the start is distinguished from a cover by its look at that time.
            self._bare = {seat: [(t_ns, image)] for seat in range(self._players) if before is None}
            self._seats = _seats_of(self._table.cells_mm, self.seating)
            self._watch = None
            self._watch_places()

    def _places_found(self, *, rests: bool = True) -> list[PileSight]:
        """Return sights of the seats without a known place: the cards before them, as they come.

        rests: a card at rest for a while gives the place.
        """
        sights: list[PileSight] = []
        t_ns = self._frame.exposure_end_ns if self._frame is not None else 0
        for seat in range(self._players):
            if seat in self._places or self._table is None:
                continue
            mine = self._cards_of(seat)
            face = self._nearest(seat, mine)
            before = self._latest.pop(seat, None)
            if face is None or face.centre_mm is None:
                sights.append(PileSight(seat, self._without_face(seat, mine)))
                continue
            sights.append(_face_sight(seat, face))
            is_still = before is not None and math.dist(before[0], face.centre_mm) < _RESTS_MM
            self._latest[seat] = before if before is not None and is_still else (face.centre_mm, t_ns)
            # A face may be read while its card still comes down, and one that was won may rest here on its way.
            if rests and is_still and t_ns - self._latest[seat][1] >= _RESTS_NS:
                self._places[seat] = face.centre_mm
        return sights

    def _without_face(self, seat: int, cards: Sequence[Card]) -> Kind:
        """Return the state of a seat without a face: "empty" only where nothing else is there, either.

        An arm that moves beside a draw pile may lay the first card: the seat is covered then.
        """
        mine = self._seats == seat
        if self._table is None or self._table.moves_in(mine):
            return "covered"
        things = self._table.things_in(mine)
        if things is not None and things > (0 if cards else 1):
            return "strange"
        # One thing alone may be a draw pile whose back is unreadable; of two backs one is a card laid face down.
        return "empty" if len(cards) == 1 and things == 0 else "covered"

    def _follow_moved(self, image: Image, t_ns: int) -> bool:
        """Read the changed parts of a still table one by one; return whether piles were moved."""
        due_ns = SURVEY_NS if self.settled else AGAIN_NS
        if self._swept_ns is None:
            self._swept_ns = t_ns
        if self._table is None or not self._table.still or t_ns - self._swept_ns < due_ns:
            return False
        if not self._table.sweep(image):
            return False
        self._swept_ns = t_ns
        moved = False
        for seat, place in self._places.items():
            face = self._nearest(seat, self._cards_of(seat))
            if face is not None and face.centre_mm is not None and math.dist(place, face.centre_mm) > _MOVED_MM:
                self._places[seat] = face.centre_mm
                moved = True
        return moved

    def _cards_of(self, seat: int) -> list[Card]:
        """Return the known cards before a seat."""
        if self._table is None or self.seating is None:
            return []
        seat_at = self.seating.ring.seat_at
        return [c for c in self._table.cards if c.centre_mm is not None and seat_at(c.centre_mm) == seat]

    def _keep_bare(self, seat: int, image: Image, t_ns: int) -> None:
        """Keep pictures of a seat before its first card: the first one and the latest, some time apart.

        In one of them an arm may still hide the card that it has just laid.
        """
        kept = self._bare.setdefault(seat, [])
        if len(kept) < 2 or t_ns - kept[-2][0] >= _BARE_NS:
            kept.append((t_ns, image))
            del kept[1 : -(_MOST_BARE - 1)]
        else:
            kept[-1] = (t_ns, image)

    def _nearest(self, seat: int, cards: Sequence[Card]) -> Card | None:
        """Return the face nearest to a seat's pile, or to the seat while no pile is known."""
        cards = [card for card in cards if card.front is not None]
        if not cards or self.seating is None:
            return None
        part = self.seating.parts_mm[seat]
        goal = np.array(self._places.get(seat, tuple(part[len(part) // 2])))
        return min(cards, key=lambda card: float(np.linalg.norm(np.array(card.centre_mm) - goal)))

    def _watch_places(self) -> None:
        """Watch the known places; search for cards before the other seats."""
        if self.seating is None or self._table is None:
            return
        table = self.seating.table
        self._wanted = ~np.isin(self._seats, [_NOBODY, *self._places])
        places = [pile_place(seat, centre_mm, table) for seat, centre_mm in sorted(self._places.items())]
        if places:
            self._watch = self._watch or PileWatch(self._cards, table)
            self._watch.follow(places)
            self._watch.know_bare({seat: [image for _, image in kept] for seat, kept in self._bare.items()})


def _seats_of(cells_mm: NDArray[np.float64], place: ArmRegion) -> NDArray[np.intp]:
    """Return the seat (rows, columns) of each cell (rows, columns, 2), as `SeatRing.seat_at` gives it."""
    x, y = cells_mm[..., 0, None].astype(np.float32), cells_mm[..., 1, None].astype(np.float32)
    ways = [np.hypot(x - part[:, 0], y - part[:, 1]).min(axis=-1) for part in place.parts_mm]
    return np.where(np.min(ways, axis=0) <= place.ring.reach_mm, np.argmin(ways, axis=0), _NOBODY)


def _face_sight(seat: int, card: Card) -> PileSight:
    return PileSight(seat, "face", card.attributes.get("colour"), card.attributes.get("mood"), card.corners_px)
