"""Keeps evidence of rulings: pictures round an instant, cut to the table, on a thread of its own.

The deciding picture is the last one before the instant; the page shows it first (`web/page/photo_finish.js`).
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from hardware.camera.frames import SECOND_NS, Frame, FrameBuffer
from hardware.settings import MS
from hardware.supervised import nothing
from referee.engine.session import Outline, Session
from referee.errors import WorkFailedError
from referee.match.process import Report, part_thread
from referee.match.table import TableArea
from referee.store.evidence import EvidenceFolder
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


def pictures_wanted(session: Session, count: int, frame: Frame | None) -> Iterator[PictureRequest]:
    """Yield the pictures to take of a game's events after the first `count`. frame: the last watched one."""
    outlines = session.watcher.outlines
    sight = None if frame is None or not outlines else Overlay(frame.exposure_end_ns, frame.size_px, tuple(outlines))
    for record in session.log.since(count):
        is_ring = record.event.kind == "bell"
        kinds = {ruling["ruling"] for ruling in record.rulings}
        if kinds & _PICTURED or (is_ring and not (kinds and kinds <= _BELONGS)):
            # An event read from a frame has the end of that frame's exposure.
            t_ns = record.event.t_ns - session.log.shift_ns + (not is_ring)
            read_from = frame if frame is not None and not is_ring and frame.exposure_end_ns + 1 == t_ns else None
            yield PictureRequest(
                session.log.game, record.number, t_ns, before_only=not is_ring, sight=sight, frame=read_from
            )


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
