"""Makes pictures of a watcher's question: the table as last understood, and now, at the changed part."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from hardware.camera.frames import Frame
from referee.engine.session import Outline, Shown
from referee.match.pictures import jpeg, smaller
from referee.match.table import TableArea
from referee.scoring.evidence_picture import SEAT_COLOURS, UNSURE, Canvas
from referee.watchers.stillness import Mask, changed_since, small_picture
from vision.arrays import Image

_MOST_QUESTIONS = 2  # whose frames are kept: a computer of 1 GB has no room for many
_LEAST_CHANGED = 30  # px of the small picture: the least change by a card
_ROOM, _LEAST_SHARE, _WHOLE = 0.15, 0.3, 0.7  # of the table's picture: margin, least size, all
_QUESTION_WIDTH_PX = 800
_BEFORE, _NOW = "-before", "-now"


@dataclass(eq=False)
class _Asked:
    """before: None where there is no earlier picture. outlines: drawn into `now`. made: the JPEGs, by their ending."""

    before: Frame | None
    now: Frame
    outlines: tuple[Outline, ...] = ()
    made: dict[str, bytes] | None = None


class QuestionPictures:
    """Pictures of a watcher's question: the table as last understood, and now, at the changed part.

    They are made on a page's request, on its thread, from the frames of a few questions at most. Safe to use from any
    thread. area: hides people round the table. names: by question those of its pictures: `before`, which
    may be None, and `now`.
    """

    def __init__(self, area: TableArea) -> None:
        self._area = area
        self._lock = threading.Lock()
        self._asked: dict[str, _Asked] = {}
        self.names: Mapping[str, Mapping[str, str | None]] = {}

    def heed(self, questions: Mapping[str, Shown | None], before: Frame | None, now: Frame) -> None:
        """Keep the frames of new questions of the watcher, and drop those of old questions.

        questions: by their names, with the picture that shows them, None where the table does. before: the last frame
        that the watcher understood.
        """
        with self._lock:
            self._asked = {
                name: self._asked.get(name)
                or (_Asked(before, now) if shown is None else _Asked(None, shown.frame, shown.outlines))
                for name, shown in list(questions.items())[-_MOST_QUESTIONS:]
            }
            self.names = {
                name: {"before": None if one.before is None else name + _BEFORE, "now": name + _NOW}
                for name, one in self._asked.items()
            }

    def find(self, which: str) -> bytes | None:
        """Return a JPEG by its name; None if its question is gone, or the table's place is unknown."""
        with self._lock:
            asked = self._asked.get(which.removesuffix(_BEFORE).removesuffix(_NOW))
        if asked is None:
            return None
        # Not with the lock held: the referee's thread must not wait for it. Two results at once are equal.
        asked.made = asked.made or self._made(asked)
        return (asked.made or {}).get(_BEFORE if which.endswith(_BEFORE) else _NOW)

    def _made(self, asked: _Asked) -> dict[str, bytes] | None:
        image = asked.now.bgr()
        if self._area.outline is None:
            self._area.survey(image)
        if asked.outlines and self._area.outline is not None:
            return {_NOW: jpeg(smaller(_drawn(self._area.shroud(image), asked.outlines), _QUESTION_WIDTH_PX))}
        now = self._area.cut(image)
        if now is None:
            return None
        before = None if asked.before is None else self._area.cut(asked.before.bgr())
        if before is None or before[0].shape != now[0].shape:
            return {_NOW: jpeg(smaller(now[0], _QUESTION_WIDTH_PX))}
        left, top, right, bottom = _where_changed(before[0], now[0])
        parts = {_BEFORE: before[0][top:bottom, left:right], _NOW: now[0][top:bottom, left:right]}
        return {when: jpeg(smaller(part, _QUESTION_WIDTH_PX)) for when, part in parts.items()}


def _drawn(image: Image, outlines: Sequence[Outline]) -> Image:
    """Return the part of a picture with cards, with their outlines; those in doubt in dashes."""
    canvas = Canvas(image)
    for outline in outlines:
        corners = np.array(outline.corners_px)
        if outline.certain:
            canvas.line(corners, SEAT_COLOURS[(outline.seat or 0) % len(SEAT_COLOURS)], 3, closed=True)
        else:
            canvas.dashes(corners, UNSURE, 3)
    corners = np.concatenate([canvas.placed(np.array(outline.corners_px)) for outline in outlines])
    low, high = corners.min(axis=0), corners.max(axis=0)
    room = _ROOM * float((high - low).max())
    height, width = canvas.image.shape[:2]
    left, top = (max(0, int(value - room)) for value in low)
    right, bottom = (min(most, int(value + room) + 1) for value, most in zip(high, (width, height), strict=True))
    return np.asarray(canvas.image[top:bottom, left:right])


def _where_changed(before: Image, now: Image) -> tuple[int, int, int, int]:
    """Return the part of two pictures of one size in which they differ, left, top, right, bottom; all if large."""
    height, width = now.shape[:2]
    changed = _without_specks(changed_since(small_picture(before), small_picture(now)))
    if not changed.any():
        return 0, 0, width, height
    spans = []
    for along, size in ((0, width), (1, height)):
        at = np.flatnonzero(changed.any(axis=along)) / changed.shape[1 - along]
        low, high = float(at.min()) - _ROOM, float(at.max()) + _ROOM
        if high - low < _LEAST_SHARE:
            low, high = (low + high - _LEAST_SHARE) / 2, (low + high + _LEAST_SHARE) / 2
        spans.append((max(0, int(low * size)), min(size, int(np.ceil(high * size)))))
    (left, right), (top, bottom) = spans
    if (right - left) * (bottom - top) > _WHOLE * width * height:
        return 0, 0, width, height
    return left, top, right, bottom


def _without_specks(changed: Mask) -> Mask:
    _, labels, stats, _ = cv2.connectedComponentsWithStats(changed.astype(np.uint8), connectivity=8)
    large = stats[:, cv2.CC_STAT_AREA] >= _LEAST_CHANGED
    large[0] = False
    return np.asarray(large[labels], np.bool_)
