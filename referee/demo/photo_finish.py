"""The photo-finish of a ring: the last frame before it with outlined cards, the ruling, and a time line."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from hardware.camera.frames import Frame
from referee.engine.events import Event
from referee.engine.log import RulingData
from referee.engine.session import Outline
from referee.scoring.evidence_picture import DARK, LIGHT, SEAT_COLOURS, Canvas, Colour
from vision.arrays import Image

BEFORE_NS, AFTER_NS = 1_500_000_000, 300_000_000
_KEPT_FRAMES = 90
_KEPT_MARKS = 60
_UNSURE: Colour = (200, 200, 200)
_RING: Colour = (60, 60, 230)


@dataclass(frozen=True)
class StripMark:
    """A mark on the time line: time, seat (None: without one), and text."""

    t_ns: int
    seat: int | None
    text: str


@dataclass(frozen=True, eq=False)
class Finish:
    """Contents of a photo-finish. frame: the one that was judged; frames_ns: ends of exposure."""

    ring_ns: int
    seat: int | None
    frame: Frame
    outlines: tuple[Outline, ...]
    marks: tuple[StripMark, ...]
    frames_ns: tuple[int, ...]


class PhotoFinishes:
    """Collects the contents of photo-finishes for future rings; players: their names by seat."""

    def __init__(self, players: Sequence[str]) -> None:
        self.players = tuple(players)
        self._marks: deque[StripMark] = deque(maxlen=_KEPT_MARKS)
        self._frames_ns: deque[int] = deque(maxlen=_KEPT_FRAMES)
        self._last: tuple[Frame, tuple[Outline, ...]] | None = None
        self._rung: dict[int, tuple[Frame, tuple[Outline, ...]]] = {}

    def look(self, frame: Frame, outlines: Sequence[Outline]) -> None:
        """Take a frame with its detected cards."""
        self._frames_ns.append(frame.exposure_end_ns)
        self._last = frame, tuple(outlines)

    def take(self, event: Event) -> None:
        """Take an event of the game before it is judged."""
        seat = event.data.get("seat")
        whose = seat if isinstance(seat, int) else None
        if event.kind == "card_shown":
            face = [str(event.data[key]) for key in ("colour", "mood") if event.data.get(key)]
            self._marks.append(StripMark(event.t_ns, whose, " ".join(face) or "?"))
        elif event.kind == "bell":
            self._marks.append(StripMark(event.t_ns, whose, "bell"))
            if self._last is not None:
                self._rung[event.t_ns] = self._last
            # A ring is judged soon, or never.
            while len(self._rung) > 4:
                self._rung.pop(next(iter(self._rung)))

    def of(self, ruling: RulingData) -> Finish | None:
        """Return the photo-finish of a ruling; None for other rulings than rings, and without a frame before it."""
        if ruling["ruling"] not in ("ring", "unclear") or ruling["t_ns"] not in self._rung:
            return None
        t_ns = ruling["t_ns"]
        frame, outlines = self._rung[t_ns]
        near = range(t_ns - BEFORE_NS, t_ns + AFTER_NS)
        marks = tuple(mark for mark in self._marks if mark.t_ns in near)
        frames_ns = tuple(end_ns for end_ns in self._frames_ns if end_ns in near)
        return Finish(t_ns, ruling.get("seat"), frame, outlines, marks, frames_ns)


def draw_finish(finish: Finish, players: Sequence[str], sentences: Sequence[str]) -> Image:
    """Return a photo-finish, (h, w, 3): the picture, the time line below it, and the sentences."""
    canvas = Canvas(finish.frame.bgr())
    for outline in finish.outlines:
        colour = _seat_colour(outline.seat)
        corners = np.array(outline.corners_px)
        if outline.certain:
            canvas.line(corners, colour, 5, closed=True)
        else:
            canvas.dashes(corners, _UNSURE, 4)
        width = canvas.text_size(outline.label, 0.6)[0]
        x, y = canvas.placed(corners).max(0)
        canvas.label(outline.label, (round(x - width), round(y)), colour, 0.6)
    _draw_strip(canvas, finish, players)
    canvas.footer([(text, _seat_colour(finish.seat)) for text in sentences], 0.9)
    return canvas.image


def _seat_colour(seat: int | None) -> Colour:
    return _UNSURE if seat is None else SEAT_COLOURS[seat % len(SEAT_COLOURS)]


def _draw_strip(canvas: Canvas, finish: Finish, players: Sequence[str]) -> None:
    """Add a time line with a row a seat for its cards, the frames above, and the ring across."""
    width, unit = canvas.size_px[0], canvas.unit
    row, left = round(34 * unit), round(170 * unit)
    top = canvas.size_px[1]
    strip = np.full((row * (len(players) + 1), width, 3), DARK, np.uint8)
    canvas.image = np.concatenate([canvas.image, strip])

    def x_of(t_ns: int) -> int:
        share = (t_ns - finish.ring_ns + BEFORE_NS) / (BEFORE_NS + AFTER_NS)
        return int(left + share * (width - left - 20 * unit))

    for end_ns in finish.frames_ns:
        judged = end_ns == finish.frame.exposure_end_ns
        ink, thick = (LIGHT, 4) if judged else ((120, 120, 120), 1)
        bottom = top + (row * (len(players) + 1) if judged else row // 2)
        cv2.line(canvas.image, (x_of(end_ns), top), (x_of(end_ns), bottom), ink, max(1, round(thick * unit / 2)))
    for seat, name in enumerate(players):
        middle = top + row * seat + row
        canvas.label(name[:12], (round(8 * unit), middle), _seat_colour(seat), 0.5)
        cv2.line(canvas.image, (left, middle + row // 2), (width, middle + row // 2), (90, 90, 90), 1)
    ring_x = x_of(finish.ring_ns)
    cv2.line(canvas.image, (ring_x, top), (ring_x, canvas.size_px[1]), _RING, max(2, round(4 * unit)), cv2.LINE_AA)
    for mark in finish.marks:
        if mark.text == "bell" and mark.t_ns == finish.ring_ns:
            continue
        seat = 0 if mark.seat is None else mark.seat
        ago_ms = round((mark.t_ns - finish.ring_ns) / 1e6)
        text = f"{mark.text} {ago_ms:+} ms"
        canvas.label(text, (x_of(mark.t_ns), top + row * seat + row), _seat_colour(mark.seat), 0.45)
    canvas.label("RING", (ring_x, top), _RING, 0.5)
