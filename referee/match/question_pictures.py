"""Makes pictures of a watcher's question: the table as last understood, and now."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hardware.camera.frames import Frame
from referee.engine.session import Outline, Shown
from referee.match.pictures import jpeg, smaller
from referee.match.table import TableArea
from referee.scoring.evidence_picture import SEAT_COLOURS, UNSURE, Canvas

_MOST_QUESTIONS = 2  # whose frames are kept: a computer of 1 GB has no room for many
_WIDTH_PX = 1280
_BEFORE, _NOW = "-before", "-now"


@dataclass(frozen=True, eq=False)
class _Asked:
    """before: None where no picture is earlier. outlines: drawn into `now`."""

    before: Frame | None
    now: Frame
    outlines: tuple[Outline, ...] = ()


class QuestionPictures:
    """Pictures of a watcher's question: the table as last understood, and now.

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
        # Not with the lock held: the referee's thread must not wait for it.
        is_before = which.endswith(_BEFORE)
        frame = None if asked is None else asked.before if is_before else asked.now
        if asked is None or frame is None:
            return None
        if self._area.outline is None:
            self._area.survey(frame.bgr())
        found = self._area.cut(frame.bgr())
        if found is None:
            return None
        canvas = Canvas(found[0])
        for outline in () if is_before else asked.outlines:
            corners = np.array(outline.corners_px).reshape(-1, 2) - found[1]
            if outline.certain:
                canvas.line(corners, SEAT_COLOURS[(outline.seat or 0) % len(SEAT_COLOURS)], 3, closed=True)
            else:
                canvas.dashes(corners, UNSURE, 3)
        return jpeg(smaller(canvas.image, _WIDTH_PX))
