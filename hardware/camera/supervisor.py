"""Keeps a camera running: reads it on a thread, detects each way it fails, and reopens it.

The reading thread may hang inside a driver. A second thread therefore watches the clock: it reports within 2 s,
abandons the hung thread, and opens the camera again.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np

from hardware.camera.camera import Camera, CameraTimeoutError, Settling
from hardware.camera.exposure import Polygon
from hardware.camera.frames import SECOND_NS, Frame
from hardware.problems import HardwareError, Health, Problem, one_line
from hardware.supervised import SupervisedThread


class CameraState(Enum):
    """State of the camera."""

    STARTING = "starting"
    OK = "ok"
    MISSING = "missing"
    STALLED = "stalled"
    BLACK = "black"
    FROZEN = "frozen"
    WRONG_TIME = "wrong time"
    ENDED = "ended"


@dataclass(frozen=True)
class CameraReport:
    """State of the camera since `since_ns` (monotonic); message: one sentence for people, with a remedy."""

    state: CameraState
    since_ns: int
    message: str

    def health(self) -> Problem:
        """Return the report as a `Problem` of the camera."""
        state = HEALTH[self.state]
        return Problem("camera", state, "" if state is Health.OK else self.message, t_ns=self.since_ns)


@dataclass(frozen=True)
class WatchLimits:
    """Limits beyond which the camera counts as faulty.

    stall_ns: no frame for this long is a stall. open_ns: time from opening to the first frame.
    black_ns: black for this long is reported; single black frames are dropped.
    frozen_ns: an identical picture for this long is reported, since every sensor has noise.
    wrong_ns: impossible times for this long are reported. reopen_black_ns: black for this long reopens the camera.
    future_ns: largest lead of a frame's time over the clock. old_ns: largest delay.
    """

    stall_ns: int = 3 * SECOND_NS // 2
    open_ns: int = 30 * SECOND_NS
    black_ns: int = SECOND_NS // 2
    frozen_ns: int = SECOND_NS
    wrong_ns: int = SECOND_NS // 2
    reopen_black_ns: int = 30 * SECOND_NS
    future_ns: int = SECOND_NS // 20
    old_ns: int = 5 * SECOND_NS


HEALTH = {
    CameraState.STARTING: Health.MISSING,
    CameraState.OK: Health.OK,
    CameraState.MISSING: Health.MISSING,
    CameraState.STALLED: Health.STALLED,
    CameraState.BLACK: Health.STALLED,
    CameraState.FROZEN: Health.STALLED,
    CameraState.WRONG_TIME: Health.CLOCK,
    CameraState.ENDED: Health.MISSING,
}
MESSAGES = {
    CameraState.STARTING: "The camera is starting.",
    CameraState.OK: "The camera is working.",
    CameraState.STALLED: "The camera has stopped sending pictures; it is being restarted.",
    CameraState.BLACK: "The camera sees nothing but black: is something over the lens, or is the light off?",
    CameraState.FROZEN: "The camera shows one and the same picture; it is being restarted.",
    CameraState.WRONG_TIME: "The camera's clock is wrong; it is being restarted.",
    CameraState.ENDED: "There are no more pictures.",
}


_SAMPLED_ROWS = 64
_MOST_TIMES = 2


class CameraWatch:
    """Follows one camera: `accept` says whether a frame may be used, `report` is the camera's state."""

    def __init__(self, now_ns: int, limits: WatchLimits | None = None) -> None:
        self.limits = limits or WatchLimits()
        self.report = CameraReport(CameraState.STARTING, now_ns, MESSAGES[CameraState.STARTING])
        self._opened_ns = now_ns
        self._last_frame_ns: int | None = None
        self._black_since_ns: int | None = None
        self._same = SamePicture()
        self._wrong_since_ns: int | None = None
        self._last_end_ns: int | None = None

    def accept(self, frame: Frame, now_ns: int) -> bool:
        """Return whether a frame that came at `now_ns` may be used: it is new, not black, with a possible time."""
        self._last_frame_ns = now_ns
        if not self._time_is_possible(frame, now_ns):
            self._wrong_since_ns = now_ns if self._wrong_since_ns is None else self._wrong_since_ns
            self.check(now_ns)
            return False
        self._wrong_since_ns = None
        self._last_end_ns = frame.exposure_end_ns
        if is_black(frame):
            self._black_since_ns = now_ns if self._black_since_ns is None else self._black_since_ns
            self.check(now_ns)
            return False
        self._black_since_ns = None
        if self._same.again(frame, now_ns):
            self.check(now_ns)
            return False
        self._become(CameraState.OK, now_ns)
        return True

    def check(self, now_ns: int) -> None:
        """Report what has lasted too long at `now_ns`."""
        fault = self._fault(now_ns)
        if fault is not None:
            self._become(fault, now_ns)

    def lost(self, message: str, now_ns: int) -> None:
        """Note that the camera could not be opened or went away; `message` is for people."""
        self._forget(now_ns)
        if self.report.state is not CameraState.MISSING or self.report.message != message:
            self.report = CameraReport(CameraState.MISSING, now_ns, message)

    def ended(self, now_ns: int) -> None:
        """Note that a file has no more pictures."""
        self._forget(now_ns)
        self._become(CameraState.ENDED, now_ns)

    def opening(self, now_ns: int) -> None:
        """Note that the camera is being reopened; the report stays until a frame comes."""
        self._forget(now_ns)

    def reopen(self, now_ns: int) -> bool:
        """Return whether the open camera should be closed and reopened."""
        if self._fault(now_ns) in (CameraState.STALLED, CameraState.WRONG_TIME):
            return True
        useless = (self._black_since_ns, self._same.since_ns)
        return any(_past(since_ns, self.limits.reopen_black_ns, now_ns) for since_ns in useless)

    def _fault(self, now_ns: int) -> CameraState | None:
        limits = self.limits
        if self._last_frame_ns is None:
            waiting = self.report.state is not CameraState.ENDED
            return CameraState.STALLED if waiting and now_ns - self._opened_ns >= limits.open_ns else None
        if now_ns - self._last_frame_ns >= limits.stall_ns:
            return CameraState.STALLED
        if _past(self._wrong_since_ns, limits.wrong_ns, now_ns):
            return CameraState.WRONG_TIME
        if _past(self._black_since_ns, limits.black_ns, now_ns):
            return CameraState.BLACK
        if _past(self._same.since_ns, limits.frozen_ns, now_ns):
            return CameraState.FROZEN
        return None

    def _forget(self, now_ns: int) -> None:
        self._opened_ns = now_ns
        self._last_frame_ns = self._black_since_ns = self._wrong_since_ns = self._last_end_ns = None
        self._same = SamePicture()

    def _time_is_possible(self, frame: Frame, now_ns: int) -> bool:
        if not now_ns - self.limits.old_ns <= frame.exposure_end_ns <= now_ns + self.limits.future_ns:
            return False
        return self._last_end_ns is None or frame.exposure_end_ns > self._last_end_ns

    def _become(self, state: CameraState, now_ns: int) -> None:
        if self.report.state is not state:
            self.report = CameraReport(state, now_ns, MESSAGES[state])


class SamePicture:
    """Detects repeated pictures: a hung driver returns its last one again and again.

    since_ns: start of the repetition, None without one. Two equal pictures are normal: in dim light a camera sends each
    twice to keep its rate. A picture of one colour does not count either, since it has no noise.
    """

    def __init__(self) -> None:
        self.since_ns: int | None = None
        self._last: tuple[tuple[int, ...], bytes] | None = None
        self._times = 0

    def again(self, frame: Frame, now_ns: int) -> bool:
        """Take the next frame; return whether its picture has already come twice or more."""
        sample = frame.image[:: max(1, frame.rows // _SAMPLED_ROWS)]
        shown = frame.image.shape, sample.tobytes()
        if shown != self._last or int(sample.min()) == int(sample.max()):
            self._last, self._times, self.since_ns = shown, 1, None
            return False
        self._times += 1
        if self._times > _MOST_TIMES and self.since_ns is None:
            self.since_ns = now_ns
        return self._times > _MOST_TIMES


def _past(since_ns: int | None, limit_ns: int, now_ns: int) -> bool:
    return since_ns is not None and now_ns - since_ns >= limit_ns


def is_black(frame: Frame) -> bool:
    """Return whether every sampled pixel is close to black (video black is 16 in NV12)."""
    step = max(1, frame.rows // 64)
    sample = frame.image[: frame.rows : step, ::step]
    return float(np.quantile(sample, 0.99)) <= 20.0


CHECK_S = 0.2
RETRY_NS = SECOND_NS
# A thread that hangs in a driver cannot be ended; at most this many are abandoned.
MOST_HUNG = 3
HUNG_NS = 10 * SECOND_NS


class FrameSink(Protocol):
    """Destination of frames: a `FrameBuffer`, or a `FrameTap` that also advances the queue."""

    def push(self, frame: Frame) -> bool:
        """Add the newest frame; return False if it is not newer than the last one."""

    def restart(self) -> None:
        """Note that the camera was reopened."""


class _Session:
    """One opening of the camera, and the thread that reads it."""

    def __init__(self, owner: CameraSupervisor, started_ns: int) -> None:
        self.left_behind = threading.Event()
        self.left_ns: int | None = None
        self.thread = threading.Thread(target=owner.run_session, args=(self,), name="camera", daemon=True)
        self.started_ns = started_ns


class CameraSupervisor:
    """Runs a camera and puts its frames into a buffer.

    open_camera: opens the camera, at the start and after each failure. buffer: destination of the frames. on_report:
    receives each change, from either thread; must be quick. clock: monotonic, ns.
    """

    def __init__(
        self,
        open_camera: Callable[[], Camera],
        buffer: FrameSink,
        on_report: Callable[[CameraReport], None] = lambda report: None,
        clock: Callable[[], int] = time.monotonic_ns,
        limits: WatchLimits | None = None,
    ) -> None:
        self._open_camera = open_camera
        self._buffer = buffer
        self._on_report = on_report
        self._clock = clock
        self._watch = CameraWatch(clock(), limits)
        self._reported: CameraReport | None = None
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._session: _Session | None = None
        self._hung: list[_Session] = []
        self._retry_ns = clock()
        self._camera: Camera | None = None
        self._wish: tuple[Polygon | None, bool] | None = None
        self._settling = False
        self._name = "the camera"
        self._watcher = SupervisedThread("camera watch", self._keep_watching, self._failed)

    def start(self) -> None:
        """Open the camera and run it until `stop`."""
        self.check()
        self._watcher.start()

    def stop(self, timeout_s: float = 1.5) -> bool:
        """End both threads and close the camera; return False if a thread hangs in the driver."""
        self._stopping.set()
        with self._lock:
            sessions = [*self._hung, *([self._session] if self._session else [])]
            for session in sessions:
                session.left_behind.set()
        end_s = time.monotonic() + timeout_s
        self._watcher.stop(timeout_s)
        for session in sessions:
            session.thread.join(max(0.0, end_s - time.monotonic()))
        return not any(session.thread.is_alive() for session in sessions)

    @property
    def report(self) -> CameraReport:
        """State of the camera."""
        with self._lock:
            return self._watch.report

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence for each setting that the open camera could not apply."""
        camera = self._camera
        return () if camera is None else camera.notes

    @property
    def settling(self) -> bool:
        """Return whether the camera is being set up or will be; no frames come meanwhile."""
        return self._settling or self._wish is not None

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> bool:
        """Request a new set-up before the next frame (see `Settling`); return False if the camera has none."""
        with self._lock:
            can = self._session is not None and isinstance(self._camera, Settling)
            if can:
                self._wish = area, focus
            return can

    @property
    def name(self) -> str:
        """Return the camera's name for people."""
        return self._name

    def check(self) -> None:
        """Report faults by the clock, abandon a hung thread, and open the camera when it is due."""
        now_ns = self._clock()
        with self._lock:
            self._watch.check(now_ns)
            if self._session is not None and self._watch.reopen(now_ns):
                self._leave(self._session, now_ns)
            self._hung = [session for session in self._hung if session.thread.is_alive()]
            if self._session is None and now_ns >= self._retry_ns and self._may_open(now_ns):
                self._watch.opening(now_ns)
                self._session = _Session(self, now_ns)
                self._session.thread.start()
        self._report_change()

    def run_session(self, session: _Session) -> None:
        """Open the camera and read it until it fails, ends, or is abandoned (on the session's own thread)."""
        message = "The camera driver has a fault; it is being restarted."
        camera: Camera | None = None
        try:
            camera = self._open_camera()
            self._opened(session, camera)
            while not session.left_behind.is_set():
                try:
                    self._settle(session, camera)
                    frame = camera.read()
                except CameraTimeoutError:
                    continue
                if frame is None:
                    message = ""
                    break
                self._take(session, frame)
        except Exception as error:  # Drivers raise anything; the watch reopens the camera.
            message = _sentence(error)
        finally:
            if camera is not None:
                # A camera that fails on closing is reopened like any other.
                with contextlib.suppress(HardwareError, OSError, RuntimeError, ValueError):
                    camera.close()
            self._over(session, message)

    def _opened(self, session: _Session, camera: Camera) -> None:
        with self._lock:
            if session is self._session:
                self._buffer.restart()
                self._camera, self._name, self._wish = camera, camera.name, None

    def _settle(self, session: _Session, camera: Camera) -> None:
        """Set the camera up again if requested; its next frame may then take as long as after opening."""
        with self._lock:
            wish, self._wish = self._wish, None
            if wish is None or session is not self._session or not isinstance(camera, Settling):
                return
            self._settling = True
            self._watch.opening(self._clock())
        try:
            camera.settle(wish[0], focus=wish[1])
        finally:
            with self._lock:
                self._settling = False
                if session is self._session:
                    self._watch.opening(self._clock())
                    self._buffer.restart()

    def _take(self, session: _Session, frame: Frame) -> None:
        with self._lock:
            if session is self._session and self._watch.accept(frame, self._clock()):
                self._buffer.push(frame)
        self._report_change()

    def _over(self, session: _Session, message: str) -> None:
        now_ns = self._clock()
        with self._lock:
            # A camera that was stopped has no fault.
            if session is not self._session or self._stopping.is_set():
                return
            self._session = self._camera = self._wish = None
            self._retry_ns = now_ns + RETRY_NS
            if message:
                self._watch.lost(message, now_ns)
            else:
                self._watch.ended(now_ns)
        self._report_change()

    def _leave(self, session: _Session, now_ns: int) -> None:
        session.left_behind.set()
        session.left_ns = now_ns
        self._hung.append(session)
        self._session = self._camera = self._wish = None
        self._settling = False

    def _may_open(self, now_ns: int) -> bool:
        """Return whether the camera may be opened: an abandoned thread first gets HUNG_NS to free the device."""
        if self._stopping.is_set() or self._watch.report.state is CameraState.ENDED:
            return False
        fresh = any(now_ns - (session.left_ns or 0) < HUNG_NS for session in self._hung)
        return not fresh and len(self._hung) < MOST_HUNG

    def _failed(self, _fault: Exception) -> None:
        """Report that the watch failed, and let the camera be reopened."""
        with self._lock:
            self._watch.lost("The camera's watch has a fault; it is being restarted.", self._clock())
            self._reported = None
        self._report_change()

    def _report_change(self) -> None:
        with self._lock:
            report = self._watch.report
            if report == self._reported:
                return
            self._reported = report
        self._on_report(report)

    def _keep_watching(self) -> None:
        while not self._stopping.wait(CHECK_S):
            self.check()


def _sentence(error: Exception) -> str:
    return one_line(error) if isinstance(error, HardwareError) else f"The camera has a fault: {one_line(error)}"
