"""Reasons why a score may miss cards: hands over the table, hidden places, bad light."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.scoring.seated_reading import SeatedReader, SeatedReading
from referee.scoring.seats import SeatRing
from vision.arrays import Image, Points
from vision.deck import PRINTS, Deck
from vision.hidden_places import CELL_MM, LEAST_OWN, HiddenPlace, hidden_places
from vision.marker_look import blurs_mm
from vision.markers import levels_of
from vision.people_hands import HandFinder
from vision.profile import TableProfile
from vision.quads import distance_to_quads, enlarged, stacked, within_quads
from vision.reading import Card, doubt_at

_AROUND_MM = 100.0  # outside the markers' rectangle hands still reach over cards
_HIDES_A_CARD = 0.5  # of a card: so much of a seat's place is under a hand, and most of a card may
_GRID_MM = 5.0


class HandsOff:
    """Doubts the seats over whose places people's hands lie."""

    def __init__(self, deck: Deck) -> None:
        self._card_mm = deck.card_mm
        self._finder = HandFinder()

    def doubt(self, image: NDArray[np.uint8], seated: SeatedReading) -> SeatedReading:
        """Return a reading of a picture, (h, w, 3) BGR, with an unclear card more where a hand may hide one.

        There is at most one for each hand and seat, with the reason `hand`. No single picture shows whether a card is
        under a hand. This takes a few times as long as the reading.
        """
        table, corners = seated.table, seated.ring.corners_mm
        around = corners + _AROUND_MM * np.sign(corners - corners.mean(0))
        enough = _HIDES_A_CARD * self._card_mm[0] * self._card_mm[1] / _GRID_MM**2
        outlines = [hand.hides_mm(table) for hand in self._finder.find(image, table, around)]
        doubts = [
            doubt_at(spot, table, "hand", table.to_px(outline))
            for outline in outlines
            for _, spot in seated.ring.spots_of(_grid_within(outline), enough)
        ]
        return replace(seated, reading=seated.reading.and_unclear(doubts))


def _grid_within(outline_mm: Points) -> Points:
    """Return the points (n, 2) of a grid that are within an outline (k, 2)."""
    origin = outline_mm.min(0)
    columns, rows = np.ceil((outline_mm.max(0) - origin) / _GRID_MM).astype(int) + 1
    within = np.zeros((rows, columns), np.uint8)
    cv2.fillPoly(within, [np.rint((outline_mm - origin) / _GRID_MM).astype(np.int32)], 1)
    return np.asarray(np.argwhere(within)[:, ::-1] * _GRID_MM + origin)


LayBefore = Callable[[Points], bool]
"""Whether what is at places (n, 2), mm, lay there before the cards did."""

_SHEET = 1.3  # a marker card by its square
_SPOTS = 400  # of a place, whose owners are asked for
# Shorter and longer side of what may be a card itself, whatever light, shadow or blur has made of it.
_AS_A_CARD_MM = (110.0, 125.0)
_LEAST_CARD = 0.45  # of a card: of less that clips most of a card would show
# The same in a column: of 70 areas one was wrong unsaid with 0.45, none with this, as many were right.
_LEAST_STRIP = 0.15
# Cards of a hand lie no further apart, so that what hides one is as near to the next; a sheet reaches over that.
_APART_MM, _TOUCHING_MM = 25.0, 8.0
_SHEET_CARDS = 4.0  # times a card: more is a sheet or a book
# Levels of white. At 30 nearly all cards of darkened scenes were read, at 20 one seat in five lacked one.
_DARK = 28.0
# Of a marker card's white: the contrast with its black, which haze and overexposure lower. 51 scenes have 0.59 or more;
# of hands of veiled pictures 16 of 77 with less than 0.4 lacked a card, of 15 with more none.
_CONTRAST, _CLIPPED = 0.4, 248.0
_PLACE_MM = 1.5  # a card's place is measured within 0.6 mm nine times in ten, however the picture was spoiled
_COVERED_MM = 25.0  # the same of a card that mostly is under others: on 27 tables places were 20 mm off
_BLURRED_MM = 2.9  # sigma: scenes blurred so far lacked no card, and soon afterwards no marker is found


class UnseenCards:
    """Doubts the seats at which a card may be that a picture does not show."""

    def __init__(self, deck: Deck) -> None:
        self._card_mm = deck.card_mm
        # Decks of prints are laid in columns, too, where a strip shows of a card.
        self._least_own = _LEAST_STRIP if deck.kind == PRINTS else LEAST_OWN

    def doubt(self, image: Image, seated: SeatedReading, lay_before: LayBefore | None = None) -> SeatedReading:
        """Return a reading of a picture, (h, w, 3) BGR, with an unclear card more for each cause to doubt a seat.

        The reasons are `darkness` and `blur`, which the marker cards show, `light` that clips, there or everywhere,
        a `thing` that is there, for which a card that could not be read is taken, too, and `between` or `apart` where
        a card is so near to the border of two seats, or of a seat and the middle, that nobody knows whose it is.
        An object apart from a hand causes no doubt, unless it may be a card itself, or an arm. Nor does a thing that
        lay there before the cards did, as far as `lay_before` knows.
        """
        at_all = dict((*self._blurred(image, seated), *self._faint(image, seated)))
        owners = {seated.ring.seat_at(card.centre_mm) for card in seated.reading.unclear if card.centre_mm is not None}
        hidden = {
            (seat, doubt.reason): doubt
            for seat, doubt in self._hidden(image, seated, lay_before)
            # What is at a seat that is doubted anyway may be what is doubted.
            if seat not in at_all and not (doubt.reason == "thing" and seat in owners)
        }
        doubts = [*at_all.values(), *hidden.values(), *_between(seated)]
        return replace(seated, reading=seated.reading.and_unclear(doubts))

    def _faint(self, image: Image, seated: SeatedReading) -> Iterator[tuple[int, Card]]:
        """The seats whose markers are too dark or faint, or the nearest marker where they have none of their own."""
        if not seated.markers:
            return
        centres = np.array([seated.table.to_mm(marker.corners_px).mean(0) for marker in seated.markers])
        white, black = (levels_of(image, seated.markers, white=which) for which in (True, False))
        contrast = ((white - black) / np.maximum(white, 1.0)).min(axis=1)
        owners = [seated.ring.seat_at((float(x), float(y))) for x, y in centres]
        for seat, middle in enumerate(seated.ring.middles):
            own = [k for k, owner in enumerate(owners) if owner == seat]
            own = own or [int(np.linalg.norm(centres - middle, axis=1).argmin())]
            if white[own].max(axis=1).min() < _DARK:
                yield seat, doubt_at(middle, seated.table, "darkness")
            elif contrast[own].min() < _CONTRAST:
                # Haze is wiped off the lens; other light is turned away.
                yield seat, doubt_at(middle, seated.table, "light" if white[own].max() >= _CLIPPED else "blur")

    def _blurred(self, image: Image, seated: SeatedReading) -> Iterator[tuple[int, Card]]:
        """All seats, where the markers are blurred."""
        if seated.markers and np.median(blurs_mm(image, seated.markers)) > _BLURRED_MM:
            yield from enumerate(doubt_at(spot, seated.table, "blur") for spot in seated.ring.middles)

    def _hidden(self, image: Image, seated: SeatedReading, lay_before: LayBefore | None) -> Iterator[tuple[int, Card]]:
        """The seats before which something hides a place for a card."""
        cards = stacked(card.corners_px for card in seated.reading.cards)
        markers = stacked(marker.corners_px for marker in seated.markers)
        known = np.concatenate([cards, enlarged(markers, _SHEET)])
        ring = seated.ring
        doubted = [card for card in seated.reading.unclear if len(card.corners_px) == 4 and card.centre_mm is not None]
        owners = [ring.seat_at(card.centre_mm) for card in doubted if card.centre_mm is not None]
        for place in hidden_places(
            image, seated.table, ring.corners_mm, ring.reach_mm, known, self._card_mm, self._least_own
        ):
            if place.cause != "light" and lay_before is not None and lay_before(place.places_mm):
                continue
            spots = list(ring.spots_of(place.middles_mm[:: max(1, len(place.middles_mm) // _SPOTS)]))
            # What may hide a card of one hand may hide one of each hand that it reaches.
            near = place.cause == "card" or self._as_a_card(place)
            if not near and not any(self._at_hand(place, seat, seated) for seat, _ in spots):
                continue
            for seat, spot in spots:
                own = [card.corners_px for card, owner in zip(doubted, owners, strict=True) if owner == seat]
                if not within_quads(seated.table.to_px(spot[None]), stacked(own))[0]:
                    yield seat, doubt_at(spot, seated.table, "light" if place.cause == "light" else "thing")

    def _as_a_card(self, place: HiddenPlace) -> bool:
        """Return whether a place has about a card's size: there may be a card that was not read."""
        sides = np.array(cv2.minAreaRect(place.places_mm.astype(np.float32))[1]) + CELL_MM
        within = bool((np.sort(sides) <= _AS_A_CARD_MM).all())
        return within and self._in_cards(place) >= min(_LEAST_CARD, self._least_own)

    def _at_hand(self, place: HiddenPlace, seat: int, seated: SeatedReading) -> bool:
        """Return whether a place is so near to a seat's cards that it may hide one more of them.

        An object larger than cards counts where it touches any card, one from beyond the table everywhere: an arm is
        over the hand of the one whose it is, or of somebody else.
        """
        own = [card.corners_px for card in seated.reading.cards if _owned(card, seat, seated.ring)]
        if not own or place.comes_in:
            return True
        sheet = self._in_cards(place) >= _SHEET_CARDS
        if sheet:
            own = [card.corners_px for card in seated.reading.cards]
        reach = _TOUCHING_MM if sheet else _APART_MM
        return bool(distance_to_quads(place.places_mm, seated.table.to_mm(stacked(own))).min() <= reach)

    def _in_cards(self, place: HiddenPlace) -> float:
        return len(place.places_mm) * CELL_MM**2 / (self._card_mm[0] * self._card_mm[1])


def _owned(card: Card, seat: int, ring: SeatRing) -> bool:
    return card.centre_mm is not None and ring.seat_at(card.centre_mm) == seat


def read_to_score(image: Image, deck: Deck, profile: TableProfile | None, players: int) -> SeatedReading:
    """Read a picture, (h, w, 3) BGR, and doubt the seats at which hands or other things may hide a card.

    Raises:
        BadInputError: too few markers are in sight to know the seats.
        BadTableError: the markers lie on no flat table, or the picture does not fit the profile.
    """
    seated = SeatedReader(deck, profile, players).read(image)
    return UnseenCards(deck).doubt(image, HandsOff(deck).doubt(image, seated))


def _between(seated: SeatedReading) -> Iterator[Card]:
    """A doubt at each seat that may own a card, were it measured a little better, and another one or nobody as well."""
    turns = np.arange(8) * np.pi / 4
    ways = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    centres = [np.array(card.centre_mm) for card in seated.reading.cards if card.centre_mm is not None]
    for centre in centres:
        spots = {seated.ring.seat_at((float(x), float(y))): np.array([x, y]) for x, y in centre + _PLACE_MM * ways}
        owners = {seat: spot for seat, spot in spots.items() if seat is not None}
        if len(spots) > 1:
            reason = "between" if len(owners) > 1 else "apart"
            yield from (doubt_at(spot, seated.table, reason) for spot in owners.values())
    for card in seated.reading.unclear:
        if card.reason == "covered" and card.face is None and card.centre_mm is not None:
            own = seated.ring.seat_at(card.centre_mm)
            wide = np.array(card.centre_mm) + _COVERED_MM * ways
            near = {seated.ring.seat_at((float(x), float(y))): np.array([x, y]) for x, y in wide}
            yield from (
                doubt_at(spot, seated.table, "between") for seat, spot in near.items() if seat not in (None, own)
            )
