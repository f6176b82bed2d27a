"""Sees Piccolino's discard piles: finds out where each seat lays its cards, then watches those places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Frame
from referee.errors import BadInputError
from referee.seats import SeatRing, marker_rectangle
from referee.session import Notice
from referee.watchers.piccolino_ringer import Place
from referee.watchers.piccolino_seat import Corners, Sight
from vision.errors import BadTableError
from vision.markers import find_markers, table_from_markers
from vision.picture_deck import PictureDeck
from vision.picture_reader import PictureCard, PictureReader
from vision.pile_watch import PileWatch
from vision.piles import PilePlace, PileReader
from vision.profile import REACH_MM, TableProfile
from vision.table import Table

MS = 1_000_000
SEARCH_NS = 400 * MS
SURVEY_NS = 60_000 * MS
"""The whole table takes a second to read, in which no ring is ruled: it is looked at now and then only."""
_REACH_MM = 1.6 * REACH_MM  # piles may lie further in than hands of cards
_MOVED_MM = 22.0
_MOVED_PX = 3.0

Image = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class BareSight:
    """What the place of a seat showed that had no pile before."""

    seat: int
    kind: str
    colour: str | None = None
    mood: str | None = None
    corners_px: Corners | None = None


class TableEyes:
    """Sees the piles of one table; `notices` has `no_table` as long as the marker cards do not show where it is."""

    def __init__(self, deck: PictureDeck, profile: TableProfile | None, players: int) -> None:
        self._cards = PictureReader(deck)
        self._profile = profile
        self._players = players
        self._places: dict[int, tuple[float, float]] = {}
        self._watch: PileWatch | None = None
        self._frame: Frame | None = None
        self._searched_ns: int | None = None
        self.seating: Place | None = None
        self.notices: tuple[Notice, ...] = ()

    @property
    def places_mm(self) -> dict[int, tuple[float, float]]:
        """The middles of the discard piles on the table, by seat, as far as they are known."""
        return dict(self._places)

    @property
    def settled(self) -> bool:
        """Whether every seat's place is known."""
        return len(self._places) == self._players

    def look(self, frame: Frame) -> Sequence[Sight]:
        """Give what each discard pile's place shows."""
        self._frame = frame
        image = frame.bgr()
        t_ns = frame.exposure_end_ns
        found: list[Sight] = []
        since_ns = SURVEY_NS if self.settled else SEARCH_NS
        if self._searched_ns is None or t_ns - self._searched_ns >= since_ns:
            found = self._search(image, t_ns)
        if self._watch is None:
            return found
        self._watch.look(image, t_ns)
        watched: list[Sight] = [state.sight for state in self._watch.states]
        return watched + [sight for sight in found if sight.seat not in self._places]

    def look_closely(self) -> Sequence[Sight]:
        """Look in the last frame for piles that lie where none lay before: somebody has rung."""
        frame = self._frame
        if frame is None or self.settled or self._searched_ns == frame.exposure_end_ns:
            return ()
        known = set(self._places)
        found = self._search(frame.bgr(), frame.exposure_end_ns)
        return [sight for sight in found if sight.seat not in known]

    def _search(self, image: Image, t_ns: int) -> list[Sight]:
        """Look at the whole table: where it is, where piles lie, and what lies where there was none."""
        self._searched_ns = t_ns
        before = self.seating
        self.seating = self._survey(image) or self._still_fits(image)
        if self.seating is None:
            self.notices = (Notice(t_ns, "no_table", None, {}),)
            return []
        self.notices = ()
        reading = self._cards.read(image, self.seating.table)
        sights: list[Sight] = []
        moved = before is None or not _same_view(before.table, self.seating.table)
        for seat in range(self._players):
            mine = [card for card in reading.cards if self._seat_of(card) == seat]
            face = self._nearest(seat, [card for card in mine if card.face is not None])
            if face is not None and face.centre_mm is not None and self._is_new(seat, face.centre_mm):
                self._places[seat] = face.centre_mm
                moved = True
                sights.append(_face_sight(seat, face))
            elif face is None and seat not in self._places:
                # His cards are in sight and none of them lies open; else an arm is in the way.
                sights.append(BareSight(seat, "empty" if mine else "covered"))
        if moved and self._places:
            self._watch = self._watch_places(image)
        return sights

    def _survey(self, image: Image) -> Place | None:
        """Find table and seats in a picture, by a profile or by the marker cards."""
        size = (image.shape[1], image.shape[0])
        try:
            if self._profile is not None and self._profile.edge_mm is not None:
                table = self._profile.table_for(size)
                return Place(table, SeatRing(self._profile.edge_mm, self._players, _REACH_MM))
            markers = find_markers(np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8))
            if not markers or (self.seating is not None and len(markers) < 4):
                return None
            table = self._profile.table_for(size) if self._profile else table_from_markers(markers, size)
            if self.seating is not None and _same_view(self.seating.table, table):
                return self.seating
            return Place(table, SeatRing(marker_rectangle(markers, table), self._players, _REACH_MM))
        except (BadTableError, BadInputError):
            return None

    def _still_fits(self, image: Image) -> Place | None:
        """Keep the table that was known: arms cover markers all the time."""
        if self.seating is None or self.seating.table.size_px != (image.shape[1], image.shape[0]):
            return None
        return self.seating

    def _seat_of(self, card: PictureCard) -> int | None:
        if card.centre_mm is None or self.seating is None:
            return None
        return self.seating.ring.seat_at(card.centre_mm)

    def _nearest(self, seat: int, cards: Sequence[PictureCard]) -> PictureCard | None:
        """Give the card that lies nearest to a seat's pile, or to the seat itself while no pile is known."""
        if not cards or self.seating is None:
            return None
        part = self.seating.ring.part_of(seat)
        goal = np.array(self._places.get(seat, tuple(part[len(part) // 2])))
        return min(cards, key=lambda card: float(np.linalg.norm(np.array(card.centre_mm) - goal)))

    def _is_new(self, seat: int, centre_mm: tuple[float, float]) -> bool:
        place = self._places.get(seat)
        return place is None or float(np.linalg.norm(np.array(place) - centre_mm)) > _MOVED_MM

    def _watch_places(self, image: Image) -> PileWatch | None:
        if self.seating is None:
            return None
        places = [PilePlace(seat, centre_mm=place) for seat, place in sorted(self._places.items())]
        size = (image.shape[1], image.shape[0])
        return PileWatch(PileReader(self._cards.deck, self.seating.table, size, places, self._cards.faces))


def _face_sight(seat: int, card: PictureCard) -> BareSight:
    attributes = card.face.attributes if card.face else {}
    return BareSight(seat, "face", attributes.get("colour"), attributes.get("mood"), card.corners_px)


def _same_view(one: Table, other: Table) -> bool:
    """Whether two tables put the same place at the same point of the picture."""
    if one.size_px != other.size_px:
        return False
    width, height = one.size_px
    points = np.array([[0.2 * width, 0.2 * height], [0.8 * width, 0.2 * height], [0.5 * width, 0.8 * height]])
    return float(np.abs(other.to_px(one.to_mm(points)) - points).max()) < _MOVED_PX
