"""What is wrong with a camera, told from its frames and their absence. Pure: the caller brings the time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from hardware.camera.frames import SECOND_NS, Frame
from hardware.health import DeviceHealth, Health


class CameraState(Enum):
    """How the camera is."""

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
    """state: how the camera is; since_ns: since when, monotonic; message: one sentence for people, with what to do."""

    state: CameraState
    since_ns: int
    message: str

    def health(self, device: str = "camera") -> DeviceHealth:
        """Give the report as the board of all devices keeps it."""
        state = HEALTH[self.state]
        return DeviceHealth(self.since_ns, device, state, "" if state is Health.OK else self.message)


@dataclass(frozen=True)
class WatchLimits:
    """When something counts as wrong.

    stall_ns: no frame for this long is a stall. open_ns: time a camera may take until its first frame (it settles).
    black_ns: black for this long is reported; a single black frame is only left out.
    frozen_ns: the very same picture for this long is reported; no sensor is without noise.
    wrong_ns: frames with impossible times for this long. reopen_black_ns: a camera black for this long is opened anew.
    future_ns: how far ahead of the clock a frame's time may be. old_ns: how far behind.
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
    """Follows one camera: frames go through `accept`, which says whether they may be used; `report` is how it is."""

    def __init__(self, now_ns: int, limits: WatchLimits | None = None) -> None:
        self.limits = limits or WatchLimits()
        self.report = CameraReport(CameraState.STARTING, now_ns, MESSAGES[CameraState.STARTING])
        self.black = 0
        self.wrong_time = 0
        self._opened_ns = now_ns
        self._last_frame_ns: int | None = None
        self._black_since_ns: int | None = None
        self._same = SamePicture()
        self._wrong_since_ns: int | None = None
        self._last_end_ns: int | None = None

    def accept(self, frame: Frame, now_ns: int) -> bool:
        """Whether a frame that came at `now_ns` may be used: it is new, not black, and its time is possible."""
        self._last_frame_ns = now_ns
        if not self._time_is_possible(frame, now_ns):
            self.wrong_time += 1
            self._wrong_since_ns = now_ns if self._wrong_since_ns is None else self._wrong_since_ns
            self.check(now_ns)
            return False
        self._wrong_since_ns = None
        self._last_end_ns = frame.exposure_end_ns
        if is_black(frame):
            self.black += 1
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
        """Look at the clock: what is too long ago by now."""
        fault = self._fault(now_ns)
        if fault is not None:
            self._become(fault, now_ns)

    def lost(self, message: str, now_ns: int) -> None:
        """Note that the camera could not be opened or went away; `message` says it for people."""
        self._forget(now_ns)
        if self.report.state is not CameraState.MISSING or self.report.message != message:
            self.report = CameraReport(CameraState.MISSING, now_ns, message)

    def ended(self, now_ns: int) -> None:
        """Note that a file has no more pictures."""
        self._forget(now_ns)
        self._become(CameraState.ENDED, now_ns)

    def opening(self, now_ns: int) -> None:
        """Note that the camera is opened anew; the report stays what it was until a frame has come."""
        self._forget(now_ns)

    def reopen(self, now_ns: int) -> bool:
        """Whether the camera that is open should be closed and opened anew."""
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
    """Tells pictures that are not new: a driver that hangs gives its last one again and again.

    since_ns: since when they are one and the same, None if they are not. A camera in dim light sends each picture twice
    to keep its pace; that is no sign of anything, and neither is a picture of one colour, which has no noise.
    """

    def __init__(self) -> None:
        self.since_ns: int | None = None
        self._last: tuple[tuple[int, ...], bytes] | None = None
        self._times = 0

    def again(self, frame: Frame, now_ns: int) -> bool:
        """Take the next frame, and tell whether its picture has come twice or more already."""
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
    """Whether nothing at all is to be seen: every sampled pixel is close to black (video black is 16 in NV12)."""
    step = max(1, frame.rows // 64)
    sample = frame.image[: frame.rows : step, ::step]
    return float(np.quantile(sample, 0.99)) <= 20.0
