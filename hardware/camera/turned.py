"""A camera that hangs the other way round, or whose pictures are mirrored: its frames put right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from hardware.camera.camera import Camera, Settling
from hardware.camera.exposure import Polygon
from hardware.camera.frames import Frame
from hardware.camera.pixels import PixelFormat

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Turn:
    """upside_down: by half a turn. mirrored: left and right are swapped (after that)."""

    upside_down: bool = False
    mirrored: bool = False

    @property
    def flips(self) -> tuple[bool, bool]:
        """Whether columns and whether rows are to be reversed."""
        return self.upside_down != self.mirrored, self.upside_down

    def image(self, image: Image, pixel_format: PixelFormat = PixelFormat.BGR) -> Image:
        """Give a picture put right; `image` laid out as `pixel_format` says."""
        if pixel_format is PixelFormat.BGR:
            return self._plane(image)
        rows = image.shape[0] * 2 // 3
        width, half = image.shape[1], rows // 2
        turned = np.empty_like(image)
        turned[:rows] = self._plane(image[:rows])
        if pixel_format is PixelFormat.NV12:
            colours = image[rows:].reshape(half, width // 2, 2)
            turned[rows:] = self._plane(colours).reshape(half, width)
            return turned
        planes = image[rows:].reshape(2, half, width // 2)
        turned[rows:] = np.stack([self._plane(plane) for plane in planes]).reshape(half, width)
        return turned

    def area(self, area: Polygon | None) -> Polygon | None:
        """Give an area, (k, 2) in shares of the right picture, as it lies in the camera's own."""
        if area is None:
            return None
        columns, rows = self.flips
        return np.asarray(np.abs(area - (float(columns), float(rows))), np.float64)

    def _plane(self, plane: Image) -> Image:
        columns, rows = self.flips
        if not (columns or rows):
            return plane
        return np.asarray(cv2.flip(plane, -1 if columns and rows else 1 if columns else 0), np.uint8)


class TurnedCamera:
    """A camera (a `hardware.camera.camera.Camera`) whose frames are put right."""

    def __init__(self, camera: Camera, turn: Turn) -> None:
        self._camera, self._turn = camera, turn

    @property
    def name(self) -> str:
        """What to call it, for people."""
        return self._camera.name

    @property
    def notes(self) -> tuple[str, ...]:
        """What it could not do."""
        return self._camera.notes

    def read(self) -> Frame | None:
        """Wait for the next frame and put it right."""
        frame = self._camera.read()
        if frame is None:
            return None
        small = None if frame.small_grey is None else self._turn.image(frame.small_grey)
        return replace(frame, image=self._turn.image(frame.image, frame.pixel_format), small_grey=small)

    def close(self) -> None:
        """Let the camera go."""
        self._camera.close()


class SettlingTurnedCamera(TurnedCamera):
    """The same of a camera that can be set up anew."""

    def __init__(self, camera: Camera, turn: Turn, settling: Settling) -> None:
        super().__init__(camera, turn)
        self._settling = settling

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> None:
        """Let it be set up anew."""
        self._settling.settle(self._turn.area(area), focus=focus)


def opened_turned(open_camera: Callable[[], Camera], turn: Turn) -> Camera:
    """Open a camera and have its frames put right."""
    camera = open_camera()
    if not any(turn.flips):
        return camera
    return SettlingTurnedCamera(camera, turn, camera) if isinstance(camera, Settling) else TurnedCamera(camera, turn)
