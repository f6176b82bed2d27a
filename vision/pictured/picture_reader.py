"""Reads all cards of a deck of pictures in one picture: where they lie, which face each shows, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from vision.arrays import Floats, Image
from vision.effort import YARDSTICK, at_most, counted
from vision.markers import Marker, markers_in, table_if_shown
from vision.pictured.card_frame import card_corners, frame_corners
from vision.pictured.face_match import FaceMatch
from vision.pictured.outlines import darkest_of
from vision.pictured.pile_bleached import bleached_cards, clipped_share, faint_prints
from vision.pictured.pile_corners import frames_from_corners
from vision.pictured.pile_faces import FaceReader
from vision.pictured.pile_fit import FaceFitter
from vision.pictured.pile_frames import SLACK, Frames, find_frames, fits_table
from vision.pictured.pile_proof import (
    CARD_ERROR,
    cleared,
    confidence_of,
    doubt_of,
    may_be_card,
    misfit_of,
    proved,
    worth_a_look,
    worth_another_look,
)
from vision.prints.card_search import FoundCard
from vision.prints.print_deck import Print, PrintDeck
from vision.prints.reader import PrintCard, PrintReading
from vision.quads import shared_area
from vision.search_scale import shrinking
from vision.table import Table

WORK_PX_PER_MM = 1.25
_WORK_PX = 1280  # longer side of the working picture where no table tells the scale
_UNKNOWN_SCALE = (0.4, 2.4)  # px per mm in such a picture
# Of a frame's sides, of which all are in sight, a part, or what light has left of them where it has bleached so much.
_STRAIGHT, _STRAIGHT_PART, _STRAIGHT_BLEACHED, _BLEACHED = 0.6, 0.3, 0.2, 0.2
_CLIPPED_MARGIN = 0.5  # of what lies about a frame, where faint print stands out of it
_TAKEN = 0.3  # of a guessed frame that another card or a marker has already
_SAME, _TRIES = 0.6, 3  # how many frames at one place are looked at closer, and what overlap is one place
_MOST_EFFORT = 400 * YARDSTICK  # a bleached card on an untidy pile takes 325
_LEAST_SIDE_PX = 40
_MATCHED, _GUESSED = 0.6, 0.9  # of the steps of a reading: until then whole frames, and guessed ones, are looked at


class PictureReader:
    """Reads the cards of one deck."""

    def __init__(self, deck: PrintDeck) -> None:
        self.deck = deck
        self.faces = FaceReader(deck)
        self.fitter = FaceFitter(self.faces)

    def read(self, image_bgr: Image, table: Table | None = None) -> PrintReading:
        """Read a picture (h, w, 3) uint8 BGR; without a table its markers give one.

        Where no marker tells where the table's origin is, cards have no place in mm.

        Raises:
            BadTableError: the picture is mirrored, as its markers show.
        """
        if min(image_bgr.shape[:2]) < _LEAST_SIDE_PX:
            return PrintReading((), ())
        with counted(_MOST_EFFORT):
            return self._read(image_bgr, table)

    def _read(self, image_bgr: Image, table: Table | None) -> PrintReading:
        markers: tuple[Marker, ...] = ()
        if table is None:
            markers = markers_in(image_bgr)
            table = table_if_shown(markers, (image_bgr.shape[1], image_bgr.shape[0]))
        work, scale, limits = self._work(image_bgr, table)
        frames = self._kept(find_frames(work, self.deck.frame[2:], limits), scale, table)
        found = self.matches(image_bgr, frames.corners_px)
        bleached = np.zeros((0, 4, 2))
        if table is not None:
            bleached = self._bleached(work, scale, table, limits)
            part = self._parts(work, scale, table, limits)
            taken = [quad for match, quad in found if doubt_of(match) is None]
            taken += [np.asarray(marker.corners_px) for marker in markers]
            darkest = darkest_of(image_bgr)
            for guesses in (Frames(bleached, np.ones(len(bleached))), part):
                found += self._guessed(image_bgr, darkest, guesses, taken)
            for faint in faint_prints(work, self.deck.card_mm, limits):
                part = self._parts(faint, scale, table, limits)
                margins = [clipped_share(darkest, card_corners(self.deck, quad), quad) for quad in part.corners_px]
                found += self._guessed(image_bgr, darkest, part.take(np.array(margins) > _CLIPPED_MARGIN), taken)
        chosen = one_a_place(found)
        cards = [self._card(match, frame, table) for match, frame in chosen]
        taken = [quad for _, quad in chosen]
        for quad in bleached:
            if all(shared_area(quad, other) < _TAKEN for other in taken):
                centre = None if table is None else table.centre_mm(quad)
                cards.append(PrintCard(None, 0.0, card_corners(self.deck, quad), centre, "glare"))
                taken.append(quad)
        return PrintReading(
            tuple(card for card in cards if card.reason is None), tuple(card for card in cards if card.reason)
        )

    def read_part(
        self, image_bgr: Image, table: Table, box_px: tuple[int, int, int, int], *, hidden: bool = False
    ) -> tuple[FoundCard, ...]:
        """Read the cards that lie whole within a part of a picture: left, top, right and bottom, px; certain ones only.

        hidden: also those of which something hides a part, which takes most of the time of `read`.
        """
        left, top, right, bottom = box_px
        crop = image_bgr[top:bottom, left:right]
        if min(crop.shape[:2]) < _LEAST_SIDE_PX:
            return ()
        work, scale, limits = self._work(crop, table, (left, top))
        frames = self._kept(find_frames(work, self.deck.frame[2:], limits), scale, table, (left, top))
        found = self.matches(image_bgr, frames.corners_px)
        if hidden:
            taken = [quad for match, quad in found if doubt_of(match) is None]
            part = self._parts(work, scale, table, limits, (left, top))
            found += self._guessed(image_bgr, darkest_of(image_bgr), part, taken)
        return tuple(
            FoundCard(self._shown(match), confidence_of(match), corners, table.centre_mm(corners), None)
            for match, frame in one_a_place(found)
            if doubt_of(match) is None
            for corners in [self._corners(match, frame)]
        )

    def matches(self, image_bgr: Image, frames_px: Floats) -> list[tuple[FaceMatch, Floats]]:
        """Compare frames (n, 4, 2) with the art, and keep those that look like a card of the deck, doubts cleared."""
        found = []
        with at_most(_MATCHED):
            for quad in frames_px:
                match = self.faces.read(image_bgr, quad)
                if may_be_card(match):
                    found.append(cleared(self.fitter, image_bgr, match, quad))
        return [(match, quad) for match, quad in found if match.error < CARD_ERROR]

    def _guessed(
        self, image_bgr: Image, darkest: Image, frames: Frames, taken: list[Floats]
    ) -> list[tuple[FaceMatch, Floats]]:
        """Which of guessed frames are cards where none of `taken` lies; `darkest`: see `darkest_of`."""

        def is_free(quad: Floats) -> bool:
            return all(shared_area(quad, other) < _TAKEN for other in taken)

        def is_bleached(quad: Floats) -> bool:
            return clipped_share(darkest, quad) > _BLEACHED

        found: list[tuple[FaceMatch, Floats]] = []
        tried: list[Floats] = []
        with at_most(_GUESSED):
            guesses = [
                (self.faces.read(image_bgr, quad), float(straight), quad)
                for quad, straight in zip(frames.corners_px, frames.straight, strict=True)
                if is_free(quad) and (straight > _STRAIGHT_PART or is_bleached(quad))
            ]
            guesses = [guess for guess in guesses if worth_a_look(guess[0])]
            for match, straight, quad in sorted(guesses, key=lambda guess: misfit_of(guess[0], guess[1])):
                tries = sum(shared_area(quad, other) >= _SAME for other in tried)
                if not is_free(quad) or tries >= _TRIES:
                    continue
                if tries and not worth_another_look(match, straight, bleached=is_bleached(quad)):
                    continue
                tried.append(quad)
                card = proved(self.fitter, image_bgr, match, quad)
                if card is not None:
                    found.append(card)
                    taken += [card[1]] if card[0].log_odds > 0 else []
        return found

    def _parts(
        self,
        work: Image,
        scale: float,
        table: Table,
        limits: tuple[float, float],
        offset: tuple[int, int] = (0, 0),
    ) -> Frames:
        """Frames in the whole picture by what shows of them in the searched one."""
        middle = float(np.sqrt(limits[0] * limits[1]))
        part = frames_from_corners(work, self.deck.frame[2:], middle, steps_of(table, scale, offset))
        return self._kept(part, scale, table, offset, least=_STRAIGHT_BLEACHED)

    def _bleached(self, work: Image, scale: float, table: Table, limits: tuple[float, float]) -> Floats:
        """Frames (n, 4, 2) in the whole picture of cards that light has bleached."""
        cards = (bleached_cards(work, self.deck.card_mm, limits) + 0.5) / scale - 0.5
        frames = np.array([frame_corners(self.deck, card) for card in cards]).reshape(-1, 4, 2)
        return frames[fits_table(table, frames, self.deck.frame[2:])]

    def _work(
        self, image_bgr: Image, table: Table | None, offset: tuple[int, int] = (0, 0)
    ) -> tuple[Image, float, tuple[float, float]]:
        """The picture to search, its scale, and the least and most px per mm in it; it begins at `offset`, px."""
        height, width = image_bgr.shape[:2]
        if table is None:
            scale = 1 / shrinking(max(height, width), height * width, _WORK_PX)
            least, most = _UNKNOWN_SCALE
        else:
            places = np.array([[0, 0], [width, 0], [width, height], [0, height], [width / 2, height / 2]], np.float64)
            scales = table.px_per_mm(places + offset)
            scale = min(1.0, WORK_PX_PER_MM / float(scales[-1]))
            least, most = float(scales.min()) * SLACK[0] * scale, float(scales.max()) * SLACK[1] * scale
        if scale == 1:
            return image_bgr, 1.0, (least, most)
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        work = np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
        return work, work.shape[1] / width, (least, most)

    def _kept(
        self,
        frames: Frames,
        scale: float,
        table: Table | None,
        offset: tuple[int, int] = (0, 0),
        least: float = _STRAIGHT,
    ) -> Frames:
        """Frames of the searched picture in the whole one, those with straight sides and the right size."""
        frames = frames.take(frames.straight > least)
        frames = Frames((frames.corners_px + 0.5) / scale - 0.5 + offset, frames.straight)
        return frames if table is None else frames.take(fits_table(table, frames.corners_px, self.deck.frame[2:]))

    def _card(self, match: FaceMatch, frame_px: Floats, table: Table | None) -> PrintCard:
        corners = self._corners(match, frame_px)
        centre = None if table is None else table.centre_mm(corners)
        return PrintCard(self._shown(match), confidence_of(match), corners, centre, doubt_of(match))

    def _corners(self, match: FaceMatch, frame_px: Floats) -> Floats:
        return card_corners(self.deck, np.roll(frame_px, -match.turn, axis=0))

    def _shown(self, match: FaceMatch) -> Print:
        return match.face or self.faces.back


def steps_of(table: Table, scale: float = 1.0, offset: tuple[float, float] = (0.0, 0.0)) -> Callable[[Floats], Floats]:
    """What a step of a mm on the table is in px, at points of a part of the picture that begins at `offset`, scaled."""

    def steps(points: Floats) -> Floats:
        here = (points + 0.5) / scale - 0.5 + offset
        middle = table.to_mm(here)
        right, down = (table.to_px(middle + step) for step in np.eye(2))
        return np.asarray(np.stack([right - here, down - here], axis=2) * scale)

    return steps


def one_a_place(found: list[tuple[FaceMatch, Floats]]) -> list[tuple[FaceMatch, Floats]]:
    """The best of the matches that overlap: a certain one if there is one."""
    chosen: list[tuple[FaceMatch, Floats]] = []
    for match, quad in sorted(found, key=lambda pair: (doubt_of(pair[0]) is not None, pair[0].error)):
        if all(shared_area(quad, other) < 0.2 for _, other in chosen):
            chosen.append((match, quad))
    return chosen
