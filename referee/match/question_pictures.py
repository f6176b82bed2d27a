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
    """frames: before, which may be None, and now; until the pictures are `made` of them. outlines: drawn into it."""

    has_before: bool
    frames: tuple[Frame | None, Frame] | None
    outlines: tuple[Outline, ...]
    made: dict[str, bytes] | None = None


def _new(shown: Shown | None, before: Frame | None, now: Frame) -> _Asked:
    if shown is not None:
        return _Asked(False, (None, shown.frame), shown.outlines)
    return _Asked(before is not None, (before, now), ())


class QuestionPictures:
    """Pictures of a watcher's question: the table as last understood, and now, at the changed part.

    They are made on a page's request, on its thread; until then the frames of a few questions at most are kept. Safe to
    use from any thread. area: hides people round the table. names: by question those of its pictures: `before`, which
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
            asked = {
                name: self._asked.get(name) or _new(shown, before, now)
                for name, shown in list(questions.items())[-_MOST_QUESTIONS:]
            }
            self._asked = asked
            self.names = {
                name: {"before": name + _BEFORE if one.has_before else None, "now": name + _NOW}
                for name, one in asked.items()
            }

    def find(self, which: str) -> bytes | None:
        """Return a JPEG by its name; None if its question is gone, or the table's place is unknown."""
        with self._lock:
            asked = self._asked.get(which.removesuffix(_BEFORE).removesuffix(_NOW))
        if asked is None:
            return None
        # Not with the lock held: the referee's thread must not wait for it. Two results at once are equal.
        frames = asked.frames
        if asked.made is None and frames is not None:
            asked.made = self._made(*frames, asked.outlines)
        if asked.made is not None:
            asked.frames = None
        return (asked.made or {}).get(_BEFORE if which.endswith(_BEFORE) else _NOW)

    def _made(self, before: Frame | None, now: Frame, outlines: Sequence[Outline]) -> dict[str, bytes] | None:
        image = now.bgr()
        if self._area.outline() is None:
            self._area.survey(image)
        if outlines and self._area.outline() is not None:
            return {_NOW: jpeg(smaller(_drawn(self._area.shroud(image), outlines), _QUESTION_WIDTH_PX))}
        found = self._area.cut(image)
        if found is None:
            return None
        shown, found_before = found[0], None if before is None else self._area.cut(before.bgr())
        if found_before is None or found_before[0].shape != shown.shape:
            return {_NOW: jpeg(smaller(shown, _QUESTION_WIDTH_PX))}
        earlier = found_before[0]
        left, top, right, bottom = _where_changed(earlier, shown)
        parts = (image[top:bottom, left:right] for image in (earlier, shown))
        return {
            when: jpeg(smaller(part, _QUESTION_WIDTH_PX)) for when, part in zip((_BEFORE, _NOW), parts, strict=True)
        }


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
