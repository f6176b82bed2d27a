"""Keeps pictures of rulings, cut to the table, on a thread of its own, and gives the live one.

An event's evidence is a few pictures round its instant. The deciding one is the last before the instant; the page shows
it first (`web/page/photo_finish.js`). Its film has all watched pictures just before the instant and ten a second
earlier: a dispute begins after the ruling, when the frames are gone.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from hardware.camera.frames import SECOND_NS, Frame
from hardware.events import BellEdge, BellPressed
from hardware.recording import RecordedFrame
from hardware.settings import MS
from referee.engine.log import Record
from referee.engine.session import Outline, Session
from referee.errors import WorkFailedError
from referee.match.process import part_thread
from referee.store.evidence import Film
from vision.arrays import Image

if TYPE_CHECKING:
    from referee.match.referee import Referee

MOST_WAITING = 16
JPEG_QUALITY = 82
LIVE_WIDTH = 960
LIVE_EVERY_NS = 150 * MS
SURVEY_NS = 20 * SECOND_NS
OFFSETS_MS = (-400, -200, -100, 0, 100, 250)
"""Times of the pictures from the instant; 0 is the last one exposed before it (P9)."""
THIN_EVERY = 20
FILM_NS, FILM_EVERY_NS, FILM_NEAR_NS = 4 * SECOND_NS, 100 * MS, 600 * MS
"""The film's length, as far as the frame buffer reaches back, and its pace, also just before the instant."""
FILM_BYTES = 96_000_000
_PICTURED = frozenset({"ring", "unclear", "hand", "foul"})
_BELONGS = frozenset({"also_rang", "ignored"})


@dataclass(frozen=True)
class PictureRequest:
    """A request for pictures round `t_ns` of the monotonic clock, for an event of a game.

    before_only: only the last one before. outlines: of the frame whose exposure ended at `seen_ns`. frame: the deciding
    one, where reading it took longer than the buffer may keep it; None: the buffer has it.
    """

    game: int
    event: int
    t_ns: int
    before_only: bool = False
    seen_ns: int | None = None
    outlines: tuple[Outline, ...] = ()
    frame: Frame | None = None

    @property
    def until_ns(self) -> int:
        """Return the time of the last picture."""
        return self.t_ns if self.before_only else self.t_ns + OFFSETS_MS[-1] * MS


class Pictures:
    """Takes pictures from the buffer in time.

    watched: the ends of exposure of the frames that the watcher saw last. bell: the last edges and presses.
    """

    def __init__(self, referee: Referee) -> None:
        self._referee, self._buffer, self._area = referee, referee.devices.buffer, referee.area
        self.watched: deque[int] = deque(maxlen=400)
        self.bell: deque[BellEdge | BellPressed] = deque(maxlen=400)
        self._wanted: queue.Queue[PictureRequest | None] = queue.Queue()
        self._films: OrderedDict[tuple[int, int], Film] = OrderedDict()
        self._lock = threading.Lock()
        self._live: tuple[int, bytes] | None = None
        self._surveyed_ns: int | None = None
        self._count = 0
        self._thread = part_thread("pictures", self._run, referee.report)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, timeout_s: float = 1.0) -> None:
        """End; waiting pictures are dropped."""
        self._thread.stopping.set()
        self._wanted.put(None)
        self._thread.stop(timeout_s)

    def want(self, session: Session, records: Sequence[Record], frame: Frame | None) -> None:
        """Request the pictures of a game's new events; never waits. When too many wait, the oldest are dropped.

        frame: the last watched one.
        """
        for record in records:
            is_ring = record.event.kind == "bell"
            kinds = {ruling["ruling"] for ruling in record.rulings}
            if not kinds & _PICTURED and not (is_ring and not (kinds and kinds <= _BELONGS)):
                continue
            # An event read from a frame has the end of that frame's exposure.
            t_ns = record.event.t_ns - session.log.shift_ns + (not is_ring)
            end_ns = None if frame is None else frame.exposure_end_ns
            read_from = frame if not is_ring and end_ns == t_ns - 1 else None
            outlines, game = tuple(session.watcher.outlines), session.log.game
            self._wanted.put(PictureRequest(game, record.number, t_ns, not is_ring, end_ns, outlines, read_from))
        while self._wanted.qsize() > MOST_WAITING:
            with contextlib.suppress(queue.Empty):
                self._wanted.get_nowait()

    @property
    def waiting(self) -> tuple[PictureRequest, ...]:
        """Return the requested pictures that are not taken yet."""
        return tuple(wanted for wanted in tuple(self._wanted.queue) if wanted is not None)

    def live(self) -> bytes | None:
        """Return the newest frame as a JPEG, black outside the table once that is known; None if there is no frame."""
        with self._lock:
            now_ns, frame = self._referee.clock(), self._buffer.newest
            if self._live is None or now_ns - self._live[0] >= LIVE_EVERY_NS:
                if frame is None:
                    return None
                self._live = (now_ns, jpeg(self._area.shroud(smaller(frame.bgr())), 70))
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
        if newest is None:
            return None
        self._area.survey(newest[1])
        return self._area.shroud(newest[1])

    def film(self, game: int, event: int) -> Film:
        """Return the film before an event, without pictures if it was not kept."""
        with self._lock:
            return self._films.get((game, event), Film())

    def take(self, wanted: PictureRequest) -> bool:
        """Take requested pictures from the buffer and keep them; False if there is no evidence to keep."""
        frames = self._chosen(wanted)
        if not frames:
            return False
        self._area.survey(frames[0].bgr())
        pictures: list[tuple[float, bytes]] = []
        sight: dict[str, Any] | None = None
        for frame in frames:
            found = self._area.cut(frame.bgr())
            if found is None:
                continue
            cut, corner_px = found
            # Counted from the end of exposure, as rulings are: a frame before the ring is not after it.
            t_ms = (frame.exposure_end_ns - wanted.t_ns) / MS
            pictures.append((t_ms, jpeg(cut)))
            if wanted.outlines and wanted.seen_ns == frame.exposure_end_ns:
                size = {"width": cut.shape[1], "height": cut.shape[0]}
                sight = {"t_ms": round(t_ms, 1), **size, "outlines": _moved(wanted.outlines, *corner_px)}
        return bool(pictures) and self._referee.evidence.add(wanted.game, wanted.event, pictures, sight)

    def take_film(self, wanted: PictureRequest) -> None:
        """Hold the film before an event, and let the oldest go."""
        if self._area.outline is None:
            # There would be faces in it.
            return
        own = () if wanted.frame is None else (wanted.frame,)
        between = self._buffer.between(wanted.t_ns - FILM_NS, wanted.until_ns + 1)
        frames, watched = {frame.exposure_end_ns: frame for frame in (*own, *between)}, set(self.watched)
        shots: list[RecordedFrame] = []
        for end_ns, frame in sorted(frames.items()):
            is_near = wanted.t_ns - FILM_NEAR_NS <= end_ns < wanted.t_ns
            if end_ns in watched and (is_near or not shots or end_ns - shots[-1].exposure_end_ns >= FILM_EVERY_NS):
                data = jpeg(self._area.shroud(frame.bgr()), 90)
                shots.append(RecordedFrame(frame.t_ns, end_ns, frame.sequence, data))
        bell = [one for one in tuple(self.bell) if 0 <= wanted.until_ns - one.t_ns <= FILM_NS]
        with self._lock:
            self._films[wanted.game, wanted.event] = Film(tuple(shots), _edges(bell))
            while len(self._films) > 1 and sum(map(_size, self._films.values())) > FILM_BYTES:
                self._films.popitem(last=False)

    def _run(self) -> None:
        while True:
            try:
                wanted = self._wanted.get(timeout=1.0)
            except queue.Empty:
                self._survey()
                self._referee.store.checkpoint()
                continue
            if wanted is None:
                return
            if not wanted.before_only:
                timeout_s = (wanted.until_ns - self._referee.clock()) / SECOND_NS + 0.2
                self._buffer.wait_complete(wanted.until_ns, max(0.0, timeout_s))
            with contextlib.suppress(WorkFailedError):
                # Another part reports a journal that cannot be read; play goes on without pictures.
                if self.take(wanted):
                    self._referee.pictures_kept(wanted.game)
                self._count += 1
                if self._count % THIN_EVERY == 1:
                    self._referee.evidence.thin(time.time_ns() // MS)
            self.take_film(wanted)

    def _survey(self) -> None:
        """Learn the table's place while there is no work."""
        now_ns, frame = self._referee.clock(), self._buffer.newest
        known = self._surveyed_ns is not None and now_ns - self._surveyed_ns < SURVEY_NS
        if frame is not None and not known:
            self._surveyed_ns = now_ns
            self._area.survey(frame.bgr())

    def _chosen(self, wanted: PictureRequest) -> list[Frame]:
        if wanted.frame is not None:
            return [wanted.frame]
        offsets = (0,) if wanted.before_only else OFFSETS_MS
        found = (self._buffer.last_before(wanted.t_ns + offset * MS) for offset in offsets)
        oldest_ns = 0 if wanted.before_only else wanted.t_ns + 2 * OFFSETS_MS[0] * MS
        chosen = {one.exposure_end_ns: one for one in found if one is not None and one.exposure_end_ns >= oldest_ns}
        return [chosen[t_ns] for t_ns in sorted(chosen)]


def _moved(outlines: Sequence[Outline], left: int, top: int) -> list[dict[str, Any]]:
    """Return outlines for the part of a picture with this top left corner, px."""
    return [
        {
            "corners": [[round(x - left, 1), round(y - top, 1)] for x, y in outline.corners_px],
            "seat": outline.seat,
            "label": outline.label,
            "certain": outline.certain,
        }
        for outline in outlines
        if outline.corners_px
    ]


def _edges(bell: Sequence[BellEdge | BellPressed]) -> tuple[BellEdge, ...]:
    """Return the edges; a ring without any (a phone's, a microphone's) gets those of a short press."""
    edges = [one for one in bell if isinstance(one, BellEdge)]
    known = {edge.t_ns for edge in edges if edge.pressed}
    for one in bell:
        if isinstance(one, BellPressed) and one.t_ns not in known:
            edges += [BellEdge(one.t_ns, one.seat, True), BellEdge(one.t_ns + 50 * MS, one.seat, False)]
    return tuple(sorted(edges, key=lambda edge: edge.t_ns))


def _size(film: Film) -> int:
    return sum(len(shot.encoded) for shot in film.frames)


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
