"""Keeps evidence of rulings, and pictures of a watcher's questions.

`Pictures` takes those round an instant, cut to the table, on a thread of its own. The deciding picture is the last one
before the instant; the page shows it first (`web/page/photo_finish.js`).
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from hardware.camera.frames import SECOND_NS, Frame, FrameBuffer
from hardware.settings import MS
from hardware.supervised import nothing
from referee.engine.log import Record
from referee.engine.session import Outline, Session, Shown
from referee.errors import WorkFailedError
from referee.match.process import Report, part_thread
from referee.match.table import TableArea
from referee.scoring.evidence_picture import SEAT_COLOURS, UNSURE, Canvas
from referee.store.evidence import EvidenceFolder
from referee.watchers.stillness import Mask, changed_since, small_picture
from vision.arrays import Image

MOST_WAITING = 16
JPEG_QUALITY = 82
LIVE_WIDTH = 960
LIVE_EVERY_NS = 150 * MS
SURVEY_NS = 20 * SECOND_NS
OFFSETS_MS = (-400, -200, -100, 0, 100, 250)
"""Times of the pictures from the instant; 0 is the last one exposed before it (P9)."""
THIN_EVERY = 20
_PICTURED = frozenset({"ring", "unclear", "hand", "foul"})
_BELONGS = frozenset({"also_rang", "ignored"})


@dataclass(frozen=True)
class Overlay:
    """Outlines in a frame of `size_px` (width, height) whose exposure ended at `exposure_end_ns`, monotonic."""

    exposure_end_ns: int
    size_px: tuple[int, int]
    outlines: tuple[Outline, ...]

    def in_cut(self, corner_px: tuple[int, int], cut_px: tuple[int, int], t_ms: float) -> dict[str, Any]:
        """Return it for a part of the frame: its top left corner, its width and height; t_ms: from the event.

        `{"t_ms", "width", "height", "outlines": [{"corners": [[x, y], …] px of the part, "seat", "label", "certain"}]}`
        """
        left, top = corner_px
        return {
            "t_ms": round(t_ms, 1),
            "width": cut_px[0],
            "height": cut_px[1],
            "outlines": [
                {
                    "corners": [[round(x - left, 1), round(y - top, 1)] for x, y in outline.corners_px],
                    "seat": outline.seat,
                    "label": outline.label,
                    "certain": outline.certain,
                }
                for outline in self.outlines
                if outline.corners_px
            ],
        }


@dataclass(frozen=True)
class PictureRequest:
    """A request for pictures round `t_ns` of the monotonic clock, for an event of a game.

    before_only: only the last one before. sight: outlines in the deciding frame. frame: that one, where reading it took
    longer than the buffer may keep it; None: the buffer has it.
    """

    game: int
    event: int
    t_ns: int
    before_only: bool = False
    sight: Overlay | None = None
    frame: Frame | None = None


def pictures_wanted(session: Session, records: Sequence[Record], frame: Frame | None) -> list[PictureRequest]:
    """Return the pictures to take of a game's events. frame: the last watched one."""
    wanted: list[PictureRequest] = []
    for record in records:
        is_ring = record.event.kind == "bell"
        kinds = {ruling["ruling"] for ruling in record.rulings}
        if not kinds & _PICTURED and not (is_ring and not (kinds and kinds <= _BELONGS)):
            continue
        # An event read from a frame has the end of that frame's exposure.
        t_ns = record.event.t_ns - session.log.shift_ns + (not is_ring)
        read_from = frame if frame is not None and not is_ring and frame.exposure_end_ns + 1 == t_ns else None
        outlines = tuple(session.watcher.outlines)
        sight = None if frame is None or not outlines else Overlay(frame.exposure_end_ns, frame.size_px, outlines)
        number = record.number
        wanted.append(PictureRequest(session.log.game, number, t_ns, not is_ring, sight, read_from))
    return wanted


class Pictures:
    """Takes pictures from the buffer in time, and gives the live one.

    on_kept: called, on this thread, with a game that has more pictures now; on_idle: when there is none to keep.
    """

    def __init__(
        self,
        buffer: FrameBuffer,
        folder: EvidenceFolder,
        area: TableArea,
        on_kept: Callable[[int], object] = nothing,
        on_idle: Callable[[], object] = nothing,
        report: Report = nothing,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._buffer = buffer
        self._folder = folder
        self.area = area
        self._on_kept, self._on_idle = on_kept, on_idle
        self._clock = clock
        self._wanted: queue.Queue[PictureRequest | None] = queue.Queue(MOST_WAITING)
        self._live_lock = threading.Lock()
        self._live: tuple[int, bytes] | None = None
        self._surveyed_ns: int | None = None
        self._count = 0
        self._thread = part_thread("pictures", self._run, report)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, timeout_s: float = 1.0) -> None:
        """End; waiting pictures are dropped."""
        if not self._thread.is_alive:
            return
        while True:
            try:
                self._wanted.put_nowait(None)
                break
            except queue.Full:
                self._drop_one()
        self._thread.stop(timeout_s)

    def want(self, wanted: PictureRequest) -> None:
        """Request pictures; never waits. When too many wait, the oldest are dropped."""
        while True:
            try:
                self._wanted.put_nowait(wanted)
                return
            except queue.Full:
                self._drop_one()

    @property
    def waiting(self) -> tuple[PictureRequest, ...]:
        """Return the requested pictures that are not taken yet."""
        return tuple(wanted for wanted in tuple(self._wanted.queue) if wanted is not None)

    def live(self) -> bytes | None:
        """Return the newest frame as a JPEG, black outside the table once that is known; None if there is no frame."""
        with self._live_lock:
            now_ns = self._clock()
            if self._live is not None and now_ns - self._live[0] < LIVE_EVERY_NS:
                return self._live[1]
            frame = self._buffer.newest
            if frame is None:
                return None
            image = self.area.shroud(smaller(frame.bgr()))
            self._live = (now_ns, jpeg(image, 70))
            return self._live[1]

    def whole(self) -> bytes | None:
        """Return the newest frame as a small JPEG, all of it: for aiming the camera."""
        frame = self._buffer.newest
        return None if frame is None else jpeg(smaller(frame.bgr()), 60)

    def newest(self) -> tuple[int, Image] | None:
        """Return the newest frame's time of exposure, ns, and the frame, BGR."""
        frame = self._buffer.newest
        return None if frame is None else (frame.t_ns, frame.bgr())

    def newest_of_table(self) -> Image | None:
        """Return the newest frame, BGR, black outside of the table where its place is known."""
        newest = self.newest()
        return None if newest is None else self.area.surveyed(newest[1])

    def take(self, wanted: PictureRequest) -> bool:
        """Take requested pictures from the buffer and keep them; False if there are none to keep."""
        frames = self._choose(wanted)
        if not frames:
            return False
        self.area.survey(frames[0].bgr())
        pictures: list[tuple[float, bytes]] = []
        sight: dict[str, Any] | None = None
        for frame in frames:
            image = frame.bgr()
            size_px = (image.shape[1], image.shape[0])
            cut, box = self.area.cut(image), self.area.box_px(size_px)
            if cut is None or box is None:
                continue
            # Counted from the end of exposure, as rulings are: a frame before the ring is not after it.
            t_ms = (frame.exposure_end_ns - wanted.t_ns) / MS
            pictures.append((t_ms, jpeg(cut)))
            seen = wanted.sight
            if seen is not None and (seen.exposure_end_ns, seen.size_px) == (frame.exposure_end_ns, size_px):
                sight = seen.in_cut(box[:2], (cut.shape[1], cut.shape[0]), t_ms)
        return bool(pictures) and self._folder.add(wanted.game, wanted.event, pictures, sight)

    def _run(self) -> None:
        while True:
            try:
                wanted = self._wanted.get(timeout=1.0)
            except queue.Empty:
                self._survey()
                self._on_idle()
                continue
            if wanted is None:
                return
            self._wait_for(wanted)
            with contextlib.suppress(WorkFailedError):
                # Another part reports a journal that cannot be read; play goes on without pictures.
                if self.take(wanted):
                    self._on_kept(wanted.game)
                self._count += 1
                if self._count % THIN_EVERY == 1:
                    self._folder.thin(time.time_ns() // MS)

    def _survey(self) -> None:
        """Learn the table's place while there is no work."""
        now_ns, frame = self._clock(), self._buffer.newest
        known = self._surveyed_ns is not None and now_ns - self._surveyed_ns < SURVEY_NS
        if frame is not None and not known:
            self._surveyed_ns = now_ns
            self.area.survey(frame.bgr())

    def _wait_for(self, wanted: PictureRequest) -> None:
        if not wanted.before_only:
            last_ns = wanted.t_ns + OFFSETS_MS[-1] * MS
            self._buffer.wait_complete(last_ns, max(0.0, (last_ns - self._clock()) / SECOND_NS + 0.2))

    def _choose(self, wanted: PictureRequest) -> list[Frame]:
        if wanted.frame is not None:
            return [wanted.frame]
        offsets = (0,) if wanted.before_only else OFFSETS_MS
        found = (self._buffer.last_before(wanted.t_ns + offset * MS) for offset in offsets)
        chosen: dict[int, Frame] = {}
        oldest_ns = wanted.t_ns + 2 * OFFSETS_MS[0] * MS
        for frame in found:
            if frame is not None and (frame.exposure_end_ns >= oldest_ns or wanted.before_only):
                chosen[frame.exposure_end_ns] = frame
        return [chosen[t_ns] for t_ns in sorted(chosen)]

    def _drop_one(self) -> None:
        try:
            self._wanted.get_nowait()
        except queue.Empty:
            return


def smaller(image: Image, most_wide: int = LIVE_WIDTH) -> Image:
    """Return a picture at most `most_wide` px wide."""
    height, width = image.shape[:2]
    if width <= most_wide:
        return image
    size = (most_wide, max(1, round(height * most_wide / width)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def jpeg(image: Image, quality: int = JPEG_QUALITY) -> bytes:
    """Return a picture as a JPEG file."""
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes()


_MOST_QUESTIONS = 2  # whose frames are kept: a computer of 1 GB has no room for many
_LEAST_CHANGED = 30  # px of the small picture: the least change by a card
_ROOM, _LEAST_SHARE, _WHOLE = 0.15, 0.3, 0.7  # of the table's picture: margin, least size, all
_QUESTION_WIDTH_PX = 800
_BEFORE, _NOW = "-before", "-now"

PictureNames = Mapping[str, Mapping[str, str | None]]
"""By question the names of its pictures: `before`, which may be None, and `now`."""


@dataclass(eq=False)
class _Asked:
    """frames: before, which may be None, and now; until the pictures are `made` of them. outlines: drawn into it."""

    has_before: bool
    frames: tuple[Frame | None, Frame] | None
    outlines: tuple[Outline, ...] = ()
    made: dict[str, bytes] | None = None


class QuestionPictures:
    """Pictures of a watcher's question: the table as last understood, and now, at the changed part.

    They are made on a page's request, on its thread; until then the frames of a few questions at most are kept. Safe to
    use from any thread. area: hides people round the table.
    """

    def __init__(self, area: TableArea) -> None:
        self._area = area
        self._lock = threading.Lock()
        self._asked: dict[str, _Asked] = {}

    def heed(self, questions: Mapping[str, Shown | None], before: Frame | None, now: Frame) -> None:
        """Keep the frames of new questions of the watcher, and drop those of old questions.

        questions: by their names, with the picture that shows them, None where the table does. before: the last frame
        that the watcher understood.
        """
        with self._lock:
            asked = {
                name: self._asked.get(name)
                or (
                    _Asked(before is not None, (before, now))
                    if shown is None
                    else _Asked(has_before=False, frames=(None, shown.frame), outlines=shown.outlines)
                )
                for name, shown in questions.items()
            }
            self._asked = dict(list(asked.items())[-_MOST_QUESTIONS:])

    def names(self) -> PictureNames:
        """Return the names of each question's pictures."""
        with self._lock:
            return {
                name: {"before": name + _BEFORE if asked.has_before else None, "now": name + _NOW}
                for name, asked in self._asked.items()
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
        shown = self._area.cut(image)
        if shown is None:
            return None
        earlier = None if before is None else self._area.cut(before.bgr())
        if earlier is None or earlier.shape != shown.shape:
            return {_NOW: jpeg(smaller(shown, _QUESTION_WIDTH_PX))}
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
