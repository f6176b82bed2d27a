"""Cameras that are files: a folder of pictures, a video, a recording."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from hardware.camera.camera import BadCameraError, Camera, CameraMissingError, CameraSettings
from hardware.camera.frames import SECOND_NS, Frame, quiet_opencv
from hardware.recording import RecordedFrame, read_recording

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})


class FileCamera:
    """Returns the pictures of an iterator as frames at even intervals; their exposure is unknown.

    pace: waits until the clock shows the given time, ns; None: as fast as they are read.
    """

    def __init__(
        self,
        name: str,
        pictures: Iterator[npt.NDArray[np.uint8]],
        interval_ns: int,
        start_ns: int = 0,
        pace: Callable[[int], None] | None = None,
        close: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self.notes: tuple[str, ...] = ()
        self._pictures = pictures
        self._interval_ns = interval_ns
        self._start_ns = start_ns
        self._pace = pace
        self._close = close
        self._sequence = 0

    def read(self) -> Frame | None:
        """Return the next picture, or None after the last."""
        picture = next(self._pictures, None)
        if picture is None:
            return None
        t_ns = self._start_ns + self._sequence * self._interval_ns
        if self._pace is not None:
            self._pace(t_ns)
        frame = Frame(t_ns, t_ns, picture, self._sequence)
        self._sequence += 1
        return frame

    def close(self) -> None:
        """Close the files."""
        if self._close is not None:
            self._close()
            self._close = None


def wait_until(t_ns: int) -> None:
    """Sleep until the monotonic clock shows `t_ns`; return at once if that is past."""
    time.sleep(max(0, t_ns - time.monotonic_ns()) / SECOND_NS)


def open_folder(which: str, settings: CameraSettings) -> Camera:
    """Open a folder of pictures, in the order of their names (2.jpg before 10.jpg).

    Raises BadCameraError if it is not a folder or has no pictures, CameraMissingError if it cannot be read.
    `read` raises CameraMissingError for a damaged picture.
    """
    folder = Path(which)
    if not which or not folder.is_dir():
        raise BadCameraError(
            "error.camera.is_not_folder_of_pictures", "“{which}” is not a folder of pictures.", which=which
        )
    try:
        paths = sorted((path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES), key=_natural)
    except OSError as error:
        raise CameraMissingError(
            "error.camera.folder_cannot_be_read", "“{which}” cannot be read: {why}.", which=which, why=error.strerror
        ) from error
    if not paths:
        raise BadCameraError(
            "error.camera.there_are_no_pictures_in", "There are no pictures in “{which}”.", which=which
        )
    return _camera(f"the pictures in {which}", map(_picture, paths), settings, settings.frames_per_s)


def open_video(which: str, settings: CameraSettings) -> Camera:
    """Open a video file; its own frame rate gives the times.

    Raises BadCameraError if it cannot be read.
    """
    if not Path(which).is_file():
        raise BadCameraError("error.camera.there_is_no_video", "There is no video “{which}”.", which=which)
    quiet_opencv()
    capture = cv2.VideoCapture(which)
    if not capture.isOpened():
        capture.release()
        raise BadCameraError(
            "error.camera.is_not_video_that_can", "“{which}” is not a video that can be read.", which=which
        )
    rate = capture.get(cv2.CAP_PROP_FPS)
    return _camera(
        f"the video {which}", _video(capture), settings, rate if 0.1 <= rate <= 1000 else 30.0, capture.release
    )


def _camera(
    name: str,
    pictures: Iterator[npt.NDArray[np.uint8]],
    settings: CameraSettings,
    rate: float,
    close: Callable[[], None] | None = None,
) -> FileCamera:
    start_ns, pace = (time.monotonic_ns(), wait_until) if settings.live else (0, None)
    return FileCamera(name, pictures, round(SECOND_NS / rate), start_ns, pace, close)


def _video(capture: cv2.VideoCapture) -> Iterator[npt.NDArray[np.uint8]]:
    while True:
        there, picture = capture.read()
        if not there:
            return
        yield np.asarray(picture, dtype=np.uint8)


def _picture(path: Path) -> npt.NDArray[np.uint8]:
    quiet_opencv()
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise CameraMissingError(
            "error.camera.is_not_picture_that_can", "“{path}” is not a picture that can be read.", path=path
        )
    return np.asarray(picture, dtype=np.uint8)


def _natural(path: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path.name)]


class RecordingCamera:
    """Returns the frames of a recording.

    pace: waits until the clock shows the given time, ns; None: as fast as they are read, with the recorded times. With
    a pace all times shift equally, so that the first frame is at `start_ns`.
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
        """Return the faults found in the recording so far."""
        return tuple(self._notes)

    def read(self) -> Frame | None:
        """Return the next frame, or None after the last."""
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
        """Close the file."""
        self._frames = iter(())

    def _recorded(self, path: str) -> Iterator[RecordedFrame]:
        events = read_recording(path, self._notes.append).events
        return (payload for _, _, payload in events if isinstance(payload, RecordedFrame))


def open_recording(which: str, settings: CameraSettings) -> Camera:
    """Open the frames of a recording. Raises BadCameraError without a name, BadRecordingError if it cannot be read."""
    if not which:
        raise BadCameraError(
            "error.camera.say_which_recording_recording_game", "Say which recording: recording:GAME.mcap."
        )
    if settings.live:
        return RecordingCamera(which, time.monotonic_ns(), wait_until)
    return RecordingCamera(which)
