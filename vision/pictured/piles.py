"""Reads the tops of piles: one look at each place where a pile lies, from a picture to what lies open there.

Pure: a picture in, sights out; `pile_watch` adds the times.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import cv2
import numpy as np

from vision.arrays import Floats, Image
from vision.pictured.card_frame import card_corners, frame_corners
from vision.pictured.face_match import FaceMatch
from vision.pictured.outlines import card_outlines
from vision.pictured.picture_reader import WORK_PX_PER_MM, steps_of
from vision.pictured.pile_bleached import bleached_cards
from vision.pictured.pile_corners import frames_from_corners, squared
from vision.pictured.pile_faces import FaceReader
from vision.pictured.pile_fit import FaceFitter
from vision.pictured.pile_frames import find_frames, table_shape
from vision.pictured.pile_proof import (
    CARD_ERROR,
    cleared,
    confidence_of,
    doubt_of,
    may_be_bleached,
    misfit_of,
    proved,
    worth_another_look,
)
from vision.piles.bare import bare_or_covered
from vision.piles.sights import MOVED_MM, Kind, PilePlace, PileSight, Region, nothing_at, region_of
from vision.prints.print_deck import PrintDeck
from vision.table import Table

_SIZE = (0.92, 1.09)  # of a frame's size on the table: 55 cards are 16 mm high, and the camera may be near
_LIFTED = (0.6, 1.45)  # of a card that somebody holds over the pile
_FLAT = 0.06  # logarithm of the ratio of a frame's diagonals
_CROOKED = 0.03  # the same, of a frame of which something may have carried off a side
_STRAIGHT = 0.7
_AS_WELL, _AS_WELL_MORE = 1.15, 0.01  # of a sight's error
_GUESSES, _LOOKS = 12, 2  # of a covered frame: to be compared with the art, and of those to be looked at closer
_LEAST_SIDE_PX = 16


class PileReader:
    """Reads piles at known places in pictures of one size.

    Raises:
        ValueError: a place has neither a centre on the known table nor one in the picture with the scale there.
    """

    def __init__(
        self,
        deck: PrintDeck,
        table: Table | None,
        size_px: tuple[int, int],
        pile_places: Sequence[PilePlace],
        fitter: FaceFitter | None = None,
    ) -> None:
        self.deck = deck
        self.table = table
        self.size_px = size_px
        self.places = tuple(pile_places)
        self.fitter = fitter or FaceFitter(FaceReader(deck))
        self.faces = self.fitter.faces
        self.regions = tuple(region_of(place, table, size_px) for place in self.places)

    def read(self, image_bgr: Image, seats: Collection[int] | None = None) -> tuple[PileSight, ...]:
        """Read the piles of some seats, or all, in the order of the places; `image_bgr` (h, w, 3) uint8."""
        return tuple(
            self.read_place(image_bgr, number)
            for number, place in enumerate(self.places)
            if seats is None or place.seat in seats
        )

    def still_there(self, image_bgr: Image, sight: PileSight) -> bool:
        """Tell, with little work, whether a face that was seen certainly lies there as it lay, to be seen as well."""
        if sight.kind != "face" or sight.corners_px is None:
            return False
        match = self.faces.read(image_bgr, frame_corners(self.deck, sight.corners_px))
        same = match.face is not None and match.turn == 0 and match.face.attributes.get("colour") == sight.colour
        same = same and match.face is not None and match.face.attributes.get("mood") == sight.mood
        return same and doubt_of(match) is None and match.error < _AS_WELL * sight.error + _AS_WELL_MORE

    def read_place(self, image_bgr: Image, number: int, *, moves: bool = False) -> PileSight:
        """Read the pile at one place, by its number among `places`."""
        place, region = self.places[number], self.regions[number]
        crop = region.crop(image_bgr)
        if min(crop.shape[:2]) < _LEAST_SIDE_PX:
            return nothing_at(place, "covered", "edge of picture")
        work, scale = _shrunk(crop, region)
        px_per_mm = region.px_per_mm * scale
        frames = find_frames(work, self.deck.frame[2:], (px_per_mm * _LIFTED[0], px_per_mm * _LIFTED[1]))
        frames = frames.take(frames.straight > _STRAIGHT)
        offset = np.array([region.left, region.top], np.float64)
        corners = (frames.corners_px + 0.5) / scale - 0.5
        near = np.linalg.norm(corners.mean(axis=1) + offset - region.centre_px, axis=1) < MOVED_MM * region.px_per_mm
        corners = corners[near]
        found = [(match, quad) for match, quad in ((self.faces.read(crop, quad), quad) for quad in corners)]
        cards = [(match, quad) for match, quad in found if match.error < CARD_ERROR or may_be_bleached(match)]
        if cards:
            match, quad = self._straightened(crop, offset, *min(cards, key=lambda pair: pair[0].error))
            match, quad = cleared(self.fitter, crop, match, quad)
            if match.error < CARD_ERROR:
                return self._sight(place, match, quad + offset, region)
        for quad in bleached_cards(work, self.deck.card_mm, (px_per_mm * _SIZE[0], px_per_mm * _SIZE[1])):
            bleached = self._bleached(image_bgr, number, (quad + 0.5) / scale - 0.5 + offset)
            if bleached is not None:
                return bleached
        nothing = bare_or_covered(place, region.crop(image_bgr), region)
        return nothing if nothing.kind == "covered" else self._stranger(image_bgr, place, region) or nothing

    def read_part(self, image_bgr: Image, number: int) -> PileSight | None:
        """Read a face with a fingertip across its edge, where `read_place` saw something in the way.

        None unless what is in sight proves it. It takes several times as long as `read_place`.
        """
        region, size = self.regions[number], self.deck.frame[2:]
        crop, offset = region.crop(image_bgr), (float(region.left), float(region.top))
        if self.table is None or min(crop.shape[:2]) < _LEAST_SIDE_PX:
            return None
        work, scale = _shrunk(crop, region)
        frames = frames_from_corners(work, size, region.px_per_mm * scale, steps_of(self.table, scale, offset))
        frames = frames.take(np.argsort(-frames.straight, kind="stable"))
        guessed = (frames.corners_px + 0.5) / scale - 0.5 + offset
        near = np.linalg.norm(guessed.mean(axis=1) - region.centre_px, axis=1) < MOVED_MM * region.px_per_mm
        guesses = list(zip(guessed[near], frames.straight[near].tolist(), strict=True))[:_GUESSES]
        looks = ((self.faces.read(image_bgr, quad), straight, quad) for quad, straight in guesses)
        found = sorted(looks, key=lambda guess: misfit_of(*guess[:2]))
        # The closer look takes long: it is for the best guess, and for others only if they are likely by themselves.
        others = [guess for guess in found[1:] if worth_another_look(*guess[:2], bleached=False)]
        cards = (proved(self.fitter, image_bgr, match, quad) for match, _, quad in [*found[:1], *others][:_LOOKS])
        sights = (self._sight(self.places[number], *card, region) for card in cards if card is not None)
        return next((sight for sight in sights if sight.kind == "face"), None)

    def _bleached(self, image_bgr: Image, number: int, card_px: Floats) -> PileSight | None:
        """What a card (4, 2) shows that light has bleached; None if it lies elsewhere, or not flat."""
        place, region = self.places[number], self.regions[number]
        frame = frame_corners(self.deck, card_px)
        size, skew = self._shape(frame, region)
        aside = float(np.linalg.norm(card_px.mean(axis=0) - region.centre_px))
        if not _SIZE[0] < size < _SIZE[1] or skew > _FLAT or aside > MOVED_MM * region.px_per_mm:
            return None
        card = proved(self.fitter, image_bgr, self.faces.read(image_bgr, frame), frame)
        if card is not None:
            return self._sight(place, *card, region)
        return PileSight(place.seat, "unclear", None, None, 0.0, card_px, "glare")

    def _straightened(
        self, crop: Image, offset: Floats, match: FaceMatch, frame_px: Floats
    ) -> tuple[FaceMatch, Floats]:
        """A frame that one of its own corners gives, if the whole frame lies crooked and looks less like a card."""
        if self.table is None:
            return match, frame_px
        sizes, skews = table_shape(self.table, (frame_px + offset)[None], self.deck.frame[2:])
        if skews[0] < _CROOKED and abs(np.log(sizes[0, 0] / sizes[0, 1])) < _CROOKED:
            return match, frame_px
        steps = steps_of(self.table, 1.0, (float(offset[0]), float(offset[1])))
        quads = squared(crop, frame_px, self.deck.frame[2:], steps).corners_px
        others = [(self.faces.read(crop, quad), quad) for quad in quads]
        return min([(match, frame_px), *others], key=lambda pair: pair[0].error)

    def _sight(self, place: PilePlace, match: FaceMatch, frame_px: Floats, region: Region) -> PileSight:
        corners = card_corners(self.deck, np.roll(frame_px, -match.turn, axis=0))
        size, skew = self._shape(frame_px, region)
        attributes = match.face.attributes if match.face else {}
        kind: Kind = "face" if match.face else "back"
        reason = doubt_of(match)
        if not _SIZE[0] < size < _SIZE[1] or skew > _FLAT:
            kind, reason = "turning", "not lying flat"
        elif reason:
            kind = "unclear"
        return PileSight(
            place.seat,
            kind,
            attributes.get("colour"),
            attributes.get("mood"),
            confidence_of(match),
            corners,
            reason,
            match.error,
        )

    def _shape(self, frame_px: Floats, region: Region) -> tuple[float, float]:
        """The frame's size by that of one on the table, and how far from a rectangle it is."""
        if self.table is not None:
            sizes, skews = table_shape(self.table, frame_px[None], self.deck.frame[2:])
            return float(np.sqrt(sizes[0].prod())), float(skews[0])
        width, height = self.deck.frame[2:]
        area = cv2.contourArea(frame_px.astype(np.float32))
        return float(np.sqrt(area / (width * height))) / region.px_per_mm, 0.0

    def _stranger(self, image_bgr: Image, place: PilePlace, region: Region) -> PileSight | None:
        """A card of another deck, by its outline."""
        box = (region.left, region.top, region.right, region.bottom)
        for outline in card_outlines(image_bgr, self.table, self.deck.card_mm, box) if self.table else ():
            if np.linalg.norm(outline.mean(axis=0) - region.centre_px) < MOVED_MM * region.px_per_mm:
                return PileSight(place.seat, "unclear", None, None, 0.0, outline, "stranger")
        return None


def _shrunk(crop: Image, region: Region) -> tuple[Image, float]:
    """A region's picture at the scale at which frames are searched, and that scale."""
    scale = min(1.0, WORK_PX_PER_MM / region.px_per_mm)
    if scale == 1:
        return crop, scale
    size = (round(crop.shape[1] * scale), round(crop.shape[0] * scale))
    work = np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), np.uint8)
    return work, work.shape[1] / crop.shape[1]
