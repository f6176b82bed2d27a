"""Keeps the last seconds of watched frames, black outside of the table, and holds those round each ruling.

A dispute begins after the ruling, when the frames are gone. So they are kept as JPEGs, on a thread of their own, and
those round the last rulings are held until newer ones need the room.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from hardware.camera.frames import SECOND_NS, Frame, FrameBuffer, FrameExposed
from hardware.events import BellEdge, BellPressed
from hardware.events import TimedEvent as DeviceEvent
from hardware.recording import RecordedFrame
from hardware.settings import MS
from hardware.supervised import SupervisedThread, nothing
from referee.engine.session import Outcome
from referee.match.pictures import PictureRequest, jpeg
from referee.match.process import Report, part_thread
from referee.match.table import TableArea
from referee.store.evidence import Film

BEFORE_NS, AFTER_NS = 7 * SECOND_NS, 3 * SECOND_NS
EVERY_NS = 100 * MS
"""The least distance of pictures; but just before an instant, all watched ones are kept."""
NEAR_NS = 600 * MS
SURVEY_NS = 2 * SECOND_NS
"""The least time between two searches for an unknown table: one takes longer than a picture."""
MOST_BYTES = 96_000_000
JPEG_QUALITY = 90
_MOST_LOOKS, _MOST_EDGES = 400, 400


@dataclass
class FrameHistory:
    """Keeps the film; see the module.

    buffer: has the frames of the last seconds. area: the table's place; nothing is filmed while it is unknown, as there
    would be faces in it. report: gets failures.
    """

    buffer: FrameBuffer
    area: TableArea
    report: Report = nothing
    clock: Callable[[], int] = time.monotonic_ns
    _news: threading.Condition = field(default_factory=threading.Condition)
    _shots: deque[RecordedFrame] = field(default_factory=deque)
    _looks: deque[int] = field(default_factory=lambda: deque(maxlen=_MOST_LOOKS))
    _bell: deque[BellEdge | BellPressed] = field(default_factory=lambda: deque(maxlen=_MOST_EDGES))
    _next: Frame | None = None
    _fresh: list[PictureRequest] = field(default_factory=list)
    _open: dict[tuple[int, int], int] = field(default_factory=dict)
    _held: OrderedDict[tuple[int, int], Film] = field(default_factory=OrderedDict)
    _survey_ns: int = 0
    _stopping: bool = False
    _thread: SupervisedThread | None = None

    def start(self) -> None:
        """Begin."""
        self._thread = part_thread("film", self._run, self.report)
        self._thread.start()

    def stop(self, timeout_s: float = 1.0) -> None:
        """End."""
        with self._news:
            self._stopping = True
            self._news.notify()
        if self._thread is not None:
            self._thread.stop(timeout_s)

    def take(self, event: DeviceEvent, outcome: Outcome) -> None:
        """Take an event before the game does, with its outcome; never waits."""
        if isinstance(event, FrameExposed):
            frame = outcome.frame
            if frame is not None and frame.exposure_end_ns + 1 == event.t_ns:
                with self._news:
                    self._looks.append(frame.exposure_end_ns)
                    self._next = frame
                    self._news.notify()
        elif isinstance(event, BellEdge | BellPressed):
            with self._news:
                self._bell.append(event)

    def want(self, wanted: PictureRequest) -> None:
        """Hold the film round an event of a game; never waits."""
        with self._news:
            self._fresh.append(wanted)
            self._open[wanted.game, wanted.event] = wanted.t_ns
            self._news.notify()

    def of(self, game: int, event: int) -> Film:
        """Return the film round an event, as far as there is one by now."""
        with self._news:
            at = self._open.get((game, event))
            return self._held.get((game, event), Film()) if at is None else self._cut(at)

    def tend(self) -> None:
        """Do the waiting work: on the film's thread, or for a test."""
        with self._news:
            frame, self._next = self._next, None
            fresh, self._fresh = self._fresh, []
        for wanted in fresh:
            self._fill(wanted)
        if frame is not None and not (self._shots and frame.exposure_end_ns - self._shots[-1].t_ns < EVERY_NS):
            self._add([frame])
        self._close_up()

    def _run(self) -> None:
        while True:
            with self._news:
                if not (self._stopping or self._next or self._fresh):
                    self._news.wait(0.5)
                if self._stopping:
                    return
            self.tend()

    def _fill(self, wanted: PictureRequest) -> None:
        """Add the watched frames just before an instant: there each frame counts."""
        near = self.buffer.between(wanted.t_ns - NEAR_NS, wanted.t_ns)
        with self._news:
            known, looks = {shot.exposure_end_ns for shot in self._shots}, set(self._looks)
        own = [] if wanted.frame is None else [wanted.frame]
        ends = {frame.exposure_end_ns: frame for frame in (*near, *own)}
        self._add([frame for end, frame in ends.items() if end not in known and end in looks])

    def _add(self, frames: list[Frame]) -> None:
        if not frames:
            return
        end_ns = frames[-1].exposure_end_ns
        if self.area.outline() is None and end_ns >= self._survey_ns:
            self._survey_ns = end_ns + SURVEY_NS
            self.area.survey(frames[-1].bgr())
        if self.area.outline() is None:
            return
        new = [self._shot(frame) for frame in frames]
        with self._news:
            shots = sorted((*self._shots, *new), key=lambda shot: shot.exposure_end_ns)
            oldest_ns = shots[-1].exposure_end_ns - BEFORE_NS - AFTER_NS - SECOND_NS
            self._shots = deque(shot for shot in shots if shot.exposure_end_ns >= oldest_ns)

    def _shot(self, frame: Frame) -> RecordedFrame:
        data = jpeg(self.area.shroud(frame.bgr()), JPEG_QUALITY)
        return RecordedFrame(frame.t_ns, frame.exposure_end_ns, frame.sequence, data)

    def _close_up(self) -> None:
        """Hold complete films, and let the oldest go."""
        now_ns = self.clock()
        with self._news:
            for key, at_ns in list(self._open.items()):
                if now_ns - at_ns > AFTER_NS:
                    self._held[key] = self._cut(at_ns)
                    del self._open[key]
            while len(self._held) > 1 and self._held_bytes() > MOST_BYTES:
                self._held.popitem(last=False)

    def _held_bytes(self) -> int:
        # Films that overlap share their pictures.
        every = {shot.exposure_end_ns: len(shot.encoded) for film in self._held.values() for shot in film.frames}
        return sum(every.values())

    def _cut(self, at_ns: int) -> Film:
        window = range(at_ns - BEFORE_NS, at_ns + AFTER_NS)
        bell = [one for one in self._bell if one.t_ns in window]
        return Film(tuple(shot for shot in self._shots if shot.exposure_end_ns in window), _edges(bell))


def _edges(bell: list[BellEdge | BellPressed]) -> tuple[BellEdge, ...]:
    """Return the edges; a ring without any (a phone's, a microphone's) gets those of a short press."""
    edges = [one for one in bell if isinstance(one, BellEdge)]
    known = {edge.t_ns for edge in edges if edge.pressed}
    for one in bell:
        if isinstance(one, BellPressed) and one.t_ns not in known:
            edges += [BellEdge(one.t_ns, one.seat, True), BellEdge(one.t_ns + 50 * MS, one.seat, False)]
    return tuple(sorted(edges, key=lambda edge: edge.t_ns))
