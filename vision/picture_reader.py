"""Reads all cards of a deck of pictures in one picture: where they lie, which face each shows, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import BadTableError
from vision.markers import Marker, find_markers, table_from_markers
from vision.picture_deck import PictureDeck, PictureFace
from vision.pile_faces import FaceMatch, FaceReader
from vision.pile_frames import Frames, find_frames
from vision.table import Table

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

WORK_PX_PER_MM = 1.25
_WORK_PX = 1280  # longer side of the working picture where no table tells the scale
_UNKNOWN_SCALE = (0.4, 2.4)  # px per mm in such a picture
_SLACK = (0.9, 1.12)  # of a frame's size on the table: a high pile is nearer to the camera
_SKEW = 0.06  # logarithm of the ratio of a frame's diagonals
_STRAIGHT = 0.7
_CARD_ERROR = 0.33  # mean capped error up to which a frame is a card of this deck
_SURE, _SURE_ERROR = 15.0, 0.22
_LEAST_TOLD = 0.6  # of what tells the picture from the next best one
_MOST_HIDDEN = 0.3
_ODDS_SCALE = 4.0
_LEAST_SIDE_PX = 40


@dataclass(frozen=True, eq=False)
class PictureCard:
    """A card that was found.

    `face` is None for a card that lies with its back up, and for an unclear one `face` is the likeliest; `reason` is
    None for a certain card, else `covered`, `glare` or `colours`; `corners_px` (4, 2) clockwise from the face's
    top-left corner; `confidence` the probability that the face is right.
    """

    face: PictureFace | None
    confidence: float
    corners_px: Floats
    centre_mm: tuple[float, float] | None
    reason: str | None

    @property
    def side(self) -> str:
        """`front` or `back`."""
        return "back" if self.face is None else "front"


@dataclass(frozen=True, eq=False)
class PictureReading:
    """All cards that were found in one picture: the certain ones, and the others."""

    cards: tuple[PictureCard, ...]
    unclear: tuple[PictureCard, ...]


class PictureReader:
    """Reads the cards of one deck."""

    def __init__(self, deck: PictureDeck) -> None:
        self.deck = deck
        self.faces = FaceReader(deck)

    def read(self, image_bgr: Image, table: Table | None = None) -> PictureReading:
        """Read a picture (h, w, 3) uint8 BGR; without a table its markers give one.

        Where no marker tells where the table's origin is, cards have no place in mm.
        """
        if min(image_bgr.shape[:2]) < _LEAST_SIDE_PX:
            return PictureReading((), ())
        markers: Sequence[Marker] = ()
        if table is None:
            markers = find_markers(np.asarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), np.uint8))
            table = _marked_table(markers, image_bgr)
        frames = self._frames(image_bgr, table)
        found = [
            (match, corners)
            for match, corners in ((self.faces.read(image_bgr, quad), quad) for quad in frames.corners_px)
            if match.error < _CARD_ERROR
        ]
        cards = [self._card(match, frame, table) for match, frame in one_a_place(found)]
        return PictureReading(
            tuple(card for card in cards if card.reason is None), tuple(card for card in cards if card.reason)
        )

    def _frames(self, image_bgr: Image, table: Table | None) -> Frames:
        height, width = image_bgr.shape[:2]
        if table is None:
            scale = min(1.0, _WORK_PX / max(height, width))
            least, most = _UNKNOWN_SCALE
        else:
            places = np.array([[0, 0], [width, 0], [width, height], [0, height], [width / 2, height / 2]], np.float64)
            scales = table.px_per_mm(places)
            scale = min(1.0, WORK_PX_PER_MM / float(scales[-1]))
            least, most = float(scales.min()) * _SLACK[0] * scale, float(scales.max()) * _SLACK[1] * scale
        work = image_bgr
        if scale < 1:
            size = (max(1, round(width * scale)), max(1, round(height * scale)))
            work = np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
        frames = find_frames(work, self.deck.frame_mm[2:], (least, most))
        frames = frames.take(frames.straight > _STRAIGHT)
        corners = (frames.corners_px + 0.5) / (work.shape[1] / width) - 0.5
        frames = Frames(corners, frames.straight)
        return frames if table is None else frames.take(_fits(table, corners, self.deck.frame_mm[2:]))

    def _card(self, match: FaceMatch, frame_px: Floats, table: Table | None) -> PictureCard:
        corners = card_corners(self.deck, np.roll(frame_px, -match.turn, axis=0))
        centre = None if table is None else table.to_mm(corners.mean(axis=0, keepdims=True))[0]
        place = None if centre is None else (float(centre[0]), float(centre[1]))
        return PictureCard(match.face, confidence_of(match), corners, place, doubt_of(match))


def card_corners(deck: PictureDeck, frame_px: Floats) -> Floats:
    """The corners (4, 2) of the card whose frame (4, 2) is given, in the same order."""
    x, y, across, down = deck.frame_mm
    width, height = deck.card_mm
    frame = np.array([[x, y], [x + across, y], [x + across, y + down], [x, y + down]], np.float32)
    card = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float32)
    warp = cv2.getPerspectiveTransform(frame, frame_px.astype(np.float32))
    return np.asarray(cv2.perspectiveTransform(card, warp)[0], np.float64)


def confidence_of(match: FaceMatch) -> float:
    """The probability that the match names the right picture."""
    return float(1 / (1 + np.exp(-match.log_odds / _ODDS_SCALE)))


def doubt_of(match: FaceMatch) -> str | None:
    """Why a match is not certain; None if it is."""
    if match.hidden > _MOST_HIDDEN or match.told < _LEAST_TOLD:
        return "covered"
    return None if match.log_odds > _SURE and match.error < _SURE_ERROR else "colours"


def _marked_table(markers: Sequence[Marker], image_bgr: Image) -> Table | None:
    try:
        return table_from_markers(tuple(markers), (image_bgr.shape[1], image_bgr.shape[0])) if markers else None
    except BadTableError:
        return None


def table_shape(table: Table, frames_px: Floats, frame_mm: tuple[float, float]) -> tuple[Floats, Floats]:
    """How large frames (n, 4, 2) are by what they would be on the table, (n, 2) for both sides, and how skew, (n,)."""
    corners = table.to_mm(frames_px.reshape(-1, 2)).reshape(-1, 4, 2)
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    pairs = (sides[:, :2] + sides[:, 2:]) / 2
    one, other = (np.linalg.norm(corners[:, k] - corners[:, k + 2], axis=1) for k in (0, 1))
    return np.sort(pairs, axis=1) / np.sort(frame_mm), np.abs(np.log(one / other))


def _fits(table: Table, frames_px: Floats, frame_mm: tuple[float, float]) -> NDArray[np.bool_]:
    """Which frames (n, 4, 2) have the frame's size on the table, and right angles."""
    sizes, skews = table_shape(table, frames_px, frame_mm)
    return np.asarray(((sizes > _SLACK[0]) & (sizes < _SLACK[1])).all(axis=1) & (skews < _SKEW))


def one_a_place(found: list[tuple[FaceMatch, Floats]]) -> list[tuple[FaceMatch, Floats]]:
    """The best of the matches that overlap."""
    chosen: list[tuple[FaceMatch, Floats]] = []
    for match, quad in sorted(found, key=lambda pair: pair[0].error):
        if all(_overlap(quad, other) < 0.2 for _, other in chosen):
            chosen.append((match, quad))
    return chosen


def _overlap(a: Floats, b: Floats) -> float:
    """Shared area by the smaller one's area."""
    one, other = a.astype(np.float32), b.astype(np.float32)
    shared, _ = cv2.intersectConvexConvex(one, other)
    return float(shared / max(1e-6, min(cv2.contourArea(one), cv2.contourArea(other))))
