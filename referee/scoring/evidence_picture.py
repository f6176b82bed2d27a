"""Draws the evidence picture of a score: outlines, sets and unused cards."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import BadInputError
from referee.files import check_writable, write_whole
from referee.language import Language
from referee.sayings.cards import say_reason, seat_tag
from referee.scoring.seats import SeatCards, SeatRing, Sharing
from vision.arrays import Image, Points
from vision.reading import Card, Reading
from vision.table import Table

Colour = tuple[int, int, int]

DARK: Colour = (24, 24, 24)
LIGHT: Colour = (255, 255, 255)
_SHIFT = 4  # OpenCV draws at sixteenths of a pixel
_FONT = cv2.FONT_HERSHEY_DUPLEX
_LEAST_WIDTH = 1280
_LETTERS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "œ": "oe"}
    | {"’": "'", "–": "-", "−": "-", "×": "x", "…": "..."}
)


class Canvas:
    """A copy of a picture to draw on, enlarged if it is too small for words.

    Points are given in pixels of the picture; `unit` is the width of a thin line on a large screen.
    """

    def __init__(self, image: Image) -> None:
        self._factor = max(1.0, _LEAST_WIDTH / image.shape[1])
        if self._factor > 1:
            size = (round(image.shape[1] * self._factor), round(image.shape[0] * self._factor))
            self.image: Image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_CUBIC), np.uint8)
        else:
            self.image = image.copy()
        self.unit = max(1.0, self.image.shape[1] / 1920)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the canvas."""
        return self.image.shape[1], self.image.shape[0]

    def placed(self, points_px: Points) -> Points:
        """(n, 2) points of the picture as points of the canvas."""
        return np.asarray((np.asarray(points_px).reshape(-1, 2) + 0.5) * self._factor - 0.5, np.float64)

    def line(self, points_px: Points, colour: Colour, width: float, *, closed: bool = False) -> None:
        """Draw a line through (n, 2) points on a casing that stands out from it."""
        points = _fixed(self.placed(points_px))
        for ink, thickness in ((casing(colour), width + 3), (colour, width)):
            cv2.polylines(self.image, [points], closed, ink, self._px(thickness), cv2.LINE_AA, _SHIFT)

    def dashes(self, points_px: Points, colour: Colour, width: float) -> None:
        """Draw a dashed line round (n, 2) corners."""
        corners = self.placed(points_px)
        for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            count = max(1, round(float(np.linalg.norm(end - start)) / (22 * self.unit)))
            for k in range(count):
                dash = _fixed(np.array([start + (end - start) * (k + f) / count for f in (0.0, 0.55)]))
                for ink, thickness in ((casing(colour), width + 3), (colour, width)):
                    cv2.polylines(self.image, [dash], False, ink, self._px(thickness), cv2.LINE_AA, _SHIFT)

    def text_size(self, text: str, size: float) -> tuple[int, int]:
        """Width and height in canvas pixels of a label of `size` (1 = large print)."""
        (width, height), below = cv2.getTextSize(drawable(text), _FONT, size * self.unit, self._px(2 * size))
        pad = self._px(9 * size)
        return width + 2 * pad, height + below + 2 * pad

    def label(self, text: str, corner: tuple[int, int], colour: Colour, size: float) -> None:
        """Write on a box of `colour`; `corner` is its top left in canvas pixels, moved so that all of it is seen."""
        width, height = self.text_size(text, size)
        x = min(max(corner[0], 0), max(0, self.size_px[0] - width))
        y = min(max(corner[1], 0), max(0, self.size_px[1] - height))
        ink, pad = casing(colour), self._px(9 * size)
        cv2.rectangle(self.image, (x, y), (x + width - 1, y + height - 1), colour, cv2.FILLED)
        cv2.rectangle(self.image, (x, y), (x + width - 1, y + height - 1), ink, self._px(1), cv2.LINE_AA)
        self._write(text, (x + pad, y + pad), ink, size)

    def footer(self, lines: Sequence[tuple[str, Colour]], size: float) -> None:
        """Add a strip below the picture with a line each, wrapped where it is too long, on boxes of its colour."""
        pieces = [(piece, colour) for text, colour in lines for piece in self._wrapped(text, size)]
        step = self.text_size("Ag", size)[1]
        height = self.size_px[1]
        strip = np.full((step * len(pieces), self.size_px[0], 3), DARK, dtype=np.uint8)
        self.image = np.concatenate([self.image, strip])
        pad = self._px(9 * size)
        for k, (text, colour) in enumerate(pieces):
            top = height + k * step
            self.image[top : top + step] = colour
            self._write(text, (2 * pad, top + pad), casing(colour), size)

    def _wrapped(self, text: str, size: float) -> list[str]:
        lines = [""]
        for word in text.split(" "):
            longer = f"{lines[-1]} {word}".lstrip()
            if lines[-1] and self.text_size(longer, size)[0] > 0.97 * self.size_px[0]:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def _write(self, text: str, corner: tuple[int, int], ink: Colour, size: float) -> None:
        text, scale, thickness = drawable(text), size * self.unit, self._px(2 * size)
        base = corner[1] + cv2.getTextSize(text, _FONT, scale, thickness)[0][1]
        cv2.putText(self.image, text, (corner[0], base), _FONT, scale, ink, thickness, cv2.LINE_AA)

    def _px(self, width: float) -> int:
        return int(max(1, round(width * self.unit)))


def drawable(text: str) -> str:
    """Return a text as it can be drawn: OpenCV has Latin letters with their accents from version 5 on."""
    whole = int(cv2.__version__.split(".")[0]) >= 5 and all(ord(char) < 0x250 or char in "’–−…×“”„" for char in text)
    return text if whole else plain_letters(text)


def plain_letters(text: str) -> str:
    """Return a text in English letters."""
    return unicodedata.normalize("NFKD", text.translate(_LETTERS)).encode("ascii", "ignore").decode()


def casing(colour: Colour) -> Colour:
    """Dark or light, whichever stands out from `colour` (BGR)."""
    blue, green, red = colour
    return DARK if 0.11 * blue + 0.59 * green + 0.3 * red > 115 else LIGHT


def _fixed(points: Points) -> NDArray[np.int32]:
    # Far outside of the picture OpenCV's fixed numbers would run over.
    return np.asarray(np.rint(np.clip(points, -20_000, 20_000) * (1 << _SHIFT)), np.int32)


# In BGR: as the page outlines the seats' cards over a picture (views.css).
SEAT_COLOURS: tuple[Colour, ...] = (
    (240, 178, 77),
    (85, 146, 255),
    (162, 208, 63),
    (200, 143, 240),
    (74, 205, 240),
    (255, 166, 179),
    (224, 211, 188),
)
NOBODY: Colour = (190, 190, 190)
UNSURE: Colour = (40, 40, 220)
_KINDS = {".jpg": ".jpg", ".jpeg": ".jpg", ".png": ".png"}


def check_picture_path(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Say beforehand that no picture can be written there; `inputs` are files that are to be read.

    Raises:
        BadInputError: the name does not end like a picture's, its folder does not exist, or it is one of the inputs.
    """
    if path.suffix.lower() not in _KINDS:
        raise BadInputError("error.scoring.name_of_picture_to_write", path=path)
    check_writable(path, inputs)


def write_picture(path: Path, image: Image) -> None:
    """Write a picture, (h, w, 3) uint8 BGR, whole or not at all.

    Raises:
        BadInputError: as `check_picture_path`.
        WorkFailedError: it cannot be written.
    """
    check_picture_path(path)
    kind = _KINDS[path.suffix.lower()]
    _, data = cv2.imencode(kind, image, [cv2.IMWRITE_JPEG_QUALITY, 90] if kind == ".jpg" else [])
    write_whole(path, data.tobytes())


def draw_reading(image: Image, reading: Reading, language: Language) -> Image:
    """Draw what was read, without asking whose it is."""
    canvas = Canvas(image)
    for card in reading.cards:
        canvas.line(card.corners_px, SEAT_COLOURS[0], 3, closed=True)
        if card.face is not None:
            name = card.face.id.rsplit("-", 1)[-1] if card.face.marks else card.face.id
            draw_tag(canvas, card.corners_px, name, SEAT_COLOURS[0])
    for unclear in reading.unclear:
        draw_unclear(canvas, unclear, language)
    return canvas.image


def draw_table(
    image: Image,
    table: Table,
    ring: SeatRing,
    sharing: Sharing,
    points: Mapping[int, int],
    words: Sequence[tuple[int | None, str]],
    language: Language,
    draw_hand: Callable[[Canvas, SeatCards], None],
) -> Image:
    """Draw the evidence for a score: all cards, where the seats are, and the sentences in a strip below.

    `points` are by seat; `words` have a seat, or None, and what is said of it. draw_hand: draws a seat's cards.
    """
    canvas = Canvas(image)
    for card in sharing.heap:
        canvas.line(card.corners_px, NOBODY, 1.5, closed=True)
    for unclear in sharing.heap_unclear:
        canvas.dashes(unclear.corners_px, NOBODY, 1.5)
    for seat in range(ring.players):
        canvas.line(table.to_px(ring.part_of(seat)), SEAT_COLOURS[seat], 4)
    for hand in sharing.seats:
        draw_hand(canvas, hand)
    for hand in sharing.seats:
        for unclear in hand.unclear:
            draw_unclear(canvas, unclear, language)
    _draw_seat_tags(canvas, table, ring, sharing, points, language)
    canvas.footer([(text, DARK if seat is None else SEAT_COLOURS[seat]) for seat, text in words], 0.9)
    return canvas.image


def draw_unclear(canvas: Canvas, card: Card, language: Language) -> None:
    """Draw what could not be read, with the reason."""
    if len(card.corners_px):
        canvas.dashes(card.corners_px, UNSURE, 5)
    draw_tag(canvas, np.array([card.centre_px]), f"? {say_reason(card.reason or '', language)}", UNSURE)


def draw_tag(canvas: Canvas, around_px: Points, text: str, colour: Colour) -> None:
    """Write small in the middle of some points."""
    width, height = canvas.text_size(text, 0.6)
    x, y = canvas.placed(around_px).mean(0)
    canvas.label(text, (round(x - width / 2), round(y - height / 2)), colour, 0.6)


def _draw_seat_tags(
    canvas: Canvas, table: Table, ring: SeatRing, sharing: Sharing, scores: Mapping[int, int], language: Language
) -> None:
    """Put each seat's name and points near the middle of its part, where they hide as little as can be."""
    busy = np.zeros(canvas.image.shape[:2], np.uint8)
    for hand in sharing.seats:
        for card in hand.cards + hand.other_side + hand.unclear:
            if len(card.corners_px):
                cv2.fillPoly(busy, [np.asarray(np.rint(canvas.placed(card.corners_px)), np.int32)], 1)
    middle = ring.corners_mm.mean(0)
    for hand in sharing.seats:
        text = seat_tag(hand.seat, scores.get(hand.seat), language, doubtful=bool(hand.unclear))
        width, height = canvas.text_size(text, 1.1)
        part = ring.part_of(hand.seat)
        outwards = part - middle
        outwards /= np.maximum(np.linalg.norm(outwards, axis=1, keepdims=True), 1)
        half = np.array([width, height]) / 2
        places = np.concatenate([canvas.placed(table.to_px(part + away * outwards)) for away in (0, 40, 80, -90, 120)])
        low = np.clip(places - half, 0, np.maximum(np.array(canvas.size_px) - 2 * half, 0))
        corners = np.rint(low).astype(int)
        home = canvas.placed(table.to_px(part[len(part) // 2][None]))[0]
        hidden = np.array([busy[y : y + height, x : x + width].mean() for x, y in corners])
        far = np.linalg.norm(corners + half - home, axis=1) / canvas.size_px[0]
        x, y = corners[int((hidden + far).argmin())].tolist()
        canvas.label(text, (x, y), SEAT_COLOURS[hand.seat], 1.1)
        busy[y : y + height, x : x + width] = 1
