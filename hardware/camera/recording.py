"""A camera that is a recording: its frames come again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from hardware.camera.camera import BadCameraError, Camera, CameraSettings
from hardware.camera.files import wait_until
from hardware.camera.frames import Frame
from hardware.recording import RecordedFrame, read_recording


class RecordingCamera:
    """Gives the frames of a recording.

    pace: waits until the clock shows the time it is given; None: as fast as they are read, with the times recorded.
    With a pace the first frame is moved to `start_ns` and all others with it.
    """

    def __init__(self, path: str, start_ns: int = 0, pace: Callable[[int], None] | None = None) -> None:
        self.name = f"the recording {path}"
        self._notes: list[str] = []
        self._frames = self._recorded(path)
        self._start_ns = start_ns
        self._pace = pace
        self._shift_ns: int | None = None if pace else 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found wrong with the recording so far."""
        return tuple(self._notes)

    def read(self) -> Frame | None:
        """Give the next frame, or None after the last."""
        recorded = next(self._frames, None)
        if recorded is None:
            return None
        frame = recorded.frame()
        if self._shift_ns is None:
            self._shift_ns = self._start_ns - frame.t_ns
        if self._pace is None:
            return frame
        t_ns = frame.t_ns + self._shift_ns
        self._pace(t_ns)
        return Frame(t_ns, frame.exposure_end_ns + self._shift_ns, frame.image, frame.sequence)

    def close(self) -> None:
        """Let the file go."""
        self._frames = iter(())

    def _recorded(self, path: str) -> Iterator[RecordedFrame]:
        events = read_recording(path, self._notes.append).events
        return (payload for _, _, payload in events if isinstance(payload, RecordedFrame))


def open_recording(which: str, settings: CameraSettings) -> Camera:
    """Open the frames of a recording. Raises BadCameraError without a name, BadRecordingError if it cannot be read."""
    if not which:
        raise BadCameraError("Say which recording: recording:GAME.mcap.")
    if settings.live:
        return RecordingCamera(which, time.monotonic_ns(), wait_until)
    return RecordingCamera(which)
