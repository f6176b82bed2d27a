"""Reads a picture of a table and assigns its cards to seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.errors import BadInputError
from referee.phrases import Phrase, phrase, phrase_of
from referee.scoring.seats import SeatRing, marker_rectangle, markers_missing
from vision.deck import Deck
from vision.markers import (
    Marker,
    MarkerSight,
    check_not_doubled,
    table_from_markers,
    unmirrored_markers,
)
from vision.profile import REACH_MM, TableProfile
from vision.profile_check import MOST_OFF_MM, Stand, not_shown_to_stand, stand_of, strays_among
from vision.reading import Reading, doubt_at, reader_of
from vision.table import Table

OUT_OF_SIGHT = "out of sight"
"""The reason of something unclear before a seat whose place is not in the picture."""
NOT_SHOWN = "camera"
"""The reason of something unclear before every seat, where nothing shows that the camera stands as it stood."""

_ALL = 4
_PROOF = 2  # markers in sight that show the table to be where it was
_SAME_PLACE_MM = 2 * MOST_OFF_MM  # the earlier picture may be as far off
_INWARD_MM = (0.0, 40.0, 80.0, 120.0)  # from the edge: where a seat's cards are
_UNSEEN = 0.1  # of a seat's place


@dataclass(frozen=True, eq=False)
class SeatedReading:
    """Cards on a table, and the seats round it.

    `doubled` are numbers that two marker cards have, `pushed` the marker cards that were pushed since the table was
    calibrated, and `moved` that the camera was, so that the table was fitted again. `doubt` says that
    nothing shows it to stand; every seat has something unclear then. Of cards with one number, `strays` do not lie
    where the one lay. `markers` are the marker cards in sight.
    """

    reading: Reading
    table: Table
    ring: SeatRing
    doubled: tuple[int, ...] = ()
    pushed: tuple[int, ...] = ()
    moved: bool = False
    doubt: str | None = None
    strays: tuple[Marker, ...] = ()
    markers: tuple[Marker, ...] = ()

    def remarks(self) -> tuple[str, ...]:
        """Return what to do about camera and marker cards."""
        said = [] if self.doubt is None else [self.doubt]
        if self.moved:
            said.append(phrase("error.camera_was_moved_since_table_was_calibrated"))
        said += [phrase("error.marker_card_was_pushed_since", number=n) for n in self.pushed]
        for number in self.doubled:
            which = [_where(marker, self.table.size_px) for marker in self.strays if marker.id == number]
            if which:
                said.append(phrase("error.markers.two_alike_at", number=number, where=which[0]))
            else:
                said.append(phrase("error.markers.two_alike", number=number))
        return tuple(said)


@dataclass(frozen=True, eq=False)
class SurveyedTable:
    """A table as a picture showed it: `markers_mm` are the centres of the marker cards by id."""

    table: Table
    ring: SeatRing
    markers_mm: dict[int, NDArray[np.float64]]

    def fits(self, markers: Sequence[Marker], size_px: tuple[int, int]) -> bool:
        """Return whether enough markers in a picture lie where they lay: else camera or markers have been moved."""
        return (
            self.table.size_px == size_px
            and len(markers) >= min(_PROOF, len(self.markers_mm))
            and all(
                marker.id in self.markers_mm
                and np.linalg.norm(self._centre_mm(marker) - self.markers_mm[marker.id]) < _SAME_PLACE_MM
                for marker in markers
            )
        )

    def _centre_mm(self, marker: Marker) -> NDArray[np.float64]:
        return np.asarray(self.table.to_mm(marker.corners_px).mean(0))


class SeatedReader:
    """Reads pictures of one table.

    A profile holds as long as each picture shows that the camera stands where it stood. Else every picture's own
    markers define table and seats. Where an arm covers them, those of an earlier picture still hold,
    as long as two markers are in sight and lie where they lay.
    """

    def __init__(self, deck: Deck, profile: TableProfile | None, players: int) -> None:
        self._reader = reader_of(deck)
        self._profile = profile
        self._players = players
        self.survey: SurveyedTable | None = None

    def read(self, image: NDArray[np.uint8]) -> SeatedReading:
        """Read a picture, (h, w, 3) BGR. A seat whose place is not in it has something unclear.

        Raises:
            BadInputError: too few markers are in sight to know the seats.
            BadTableError: the markers lie on no flat table, are mirrored, have one number twice, or the picture does
                not fit the profile, or shows that the camera was moved.
        """
        profile = self._profile
        sight = unmirrored_markers(image)
        if profile is None:
            return self._read_by_markers(image, sight)
        stand = stand_of(profile, image, sight.markers)
        if stand.stands:
            return self._read_by_profile(image, sight, profile, stand)
        try:
            return replace(self._read_by_markers(image, sight), moved=True)
        except BadInputError as error:
            if stand.stands is False:
                raise not_shown_to_stand(profile, stand) from error
        return _doubted(
            self._read_by_profile(image, sight, profile, stand), phrase_of(not_shown_to_stand(profile, stand))
        )

    def _read_by_profile(
        self, image: NDArray[np.uint8], sight: MarkerSight, profile: TableProfile, stand: Stand
    ) -> SeatedReading:
        surveyed = profile.table_for((image.shape[1], image.shape[0]))
        reading = self._reader.read(image, surveyed, sight.cards)
        table = reading.table or surveyed
        if profile.edge_mm is None:
            rectangle = marker_rectangle(sight.markers, table)
        else:
            # The cards have put the scale right; the edge stays where it is in the picture.
            rectangle = table.to_mm(surveyed.to_px(profile.edge_mm))
        strays = strays_among(sight.copies, profile, surveyed.size_px)
        return replace(self._seated(reading, table, rectangle, sight, stand.pushed), strays=strays)

    def _read_by_markers(self, image: NDArray[np.uint8], sight: MarkerSight) -> SeatedReading:
        size_px = (image.shape[1], image.shape[0])
        markers, before = sight.markers, self.survey
        if len(markers) < _ALL and before is not None and before.fits(markers, size_px):
            reading = self._reader.read(image, before.table, sight.cards)
            table = reading.table or before.table
            seen = _with_doubts(reading, table, before.ring)
            return SeatedReading(seen, table, before.ring, sight.doubled, markers=sight.cards)
        if len(markers) < _ALL:
            check_not_doubled(sight)
        if not markers:
            raise markers_missing(())
        # Where two have one number, the others define the table; neither is taken for a playing card.
        shown = table_from_markers(markers, size_px) if sight.doubled else None
        reading = self._reader.read(image, shown, sight.cards)
        if reading.table is None:
            raise markers_missing(())
        return self._seated(reading, reading.table, marker_rectangle(markers, reading.table), sight)

    def _seated(
        self,
        reading: Reading,
        table: Table,
        rectangle: NDArray[np.float64],
        sight: MarkerSight,
        pushed: tuple[int, ...] = (),
    ) -> SeatedReading:
        reach_mm = REACH_MM if self._profile is None else self._profile.reach_mm
        put = None if self._profile is None else self._profile.seats.get(self._players)
        ring = SeatRing(rectangle, self._players, reach_mm, put)
        places = {marker.id: np.asarray(table.to_mm(marker.corners_px).mean(0)) for marker in sight.markers}
        self.survey = SurveyedTable(
            table, ring, {number: place for number, place in places.items() if number not in pushed}
        )
        seen = _with_doubts(reading, table, ring)
        return SeatedReading(seen, table, ring, sight.doubled, pushed, markers=sight.cards)


def _where(marker: Marker, size_px: tuple[int, int]) -> Phrase:
    """Say in which part of a picture a marker card is."""
    across, down = np.clip((3 * marker.corners_px.mean(0) / size_px).astype(int), 0, 2)
    words = [("top", "", "bottom")[down], ("left", "", "right")[across]]
    return phrase(f"error.part.{'_'.join(word for word in words if word) or 'middle'}")


def _doubted(seated: SeatedReading, why: str) -> SeatedReading:
    """Leave every seat unclear: nothing shows where the camera stands."""
    unclear = (doubt_at(spot, seated.table, NOT_SHOWN) for spot in seated.ring.middles)
    return replace(seated, reading=seated.reading.and_unclear(unclear), doubt=why)


def _with_doubts(reading: Reading, table: Table, ring: SeatRing) -> Reading:
    """Leave unclear seats that are not in the picture, at least in part."""
    unseen = []
    middle = ring.corners_mm.mean(0)
    for seat in range(ring.players):
        edge = ring.part_of(seat)
        ways = np.linalg.norm(middle - edge, axis=1, keepdims=True)
        inward = (middle - edge) / np.maximum(ways, 1.0)
        places = np.concatenate([edge + inward * np.minimum(ways, way) for way in _INWARD_MM if way <= ring.reach_mm])
        places_px = table.to_px(places)
        outside = np.any((places_px < 0) | (places_px > np.array(table.size_px) - 1), axis=1).reshape(-1)
        if outside.mean() > _UNSEEN:
            # One point stands for them all; it is on the edge, so that it is before this seat.
            ends = edge[outside[: len(edge)]] if outside[: len(edge)].any() else edge
            unseen.append(doubt_at(ends[len(ends) // 2], table, OUT_OF_SIGHT))
    return reading.and_unclear(unseen)
