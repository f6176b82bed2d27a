"""Pictures that are upside down or mirrored are put right, in every layout that cameras give."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera.camera import Settling, Turn, opened_turned
from hardware.camera.exposure import Polygon
from hardware.camera.frames import Frame, PixelFormat, to_bgr
from simulation.live import to_nv12

Image = NDArray[np.uint8]
RNG = np.random.default_rng(1)
SMOOTH: Image = np.asarray(
    cv2.resize(RNG.integers(0, 255, (4, 6, 3), np.uint8), (96, 64), interpolation=cv2.INTER_CUBIC), np.uint8
)


class Still:
    """A camera with one picture."""

    name, notes = "still", ()

    def __init__(self, image: Image, layout: PixelFormat) -> None:
        self._frame = Frame(1, 2, image, 0, layout, image[:64])
        self.areas: list[Polygon | None] = []

    def read(self) -> Frame | None:
        return self._frame

    def close(self) -> None:
        pass

    def settle(self, area: Polygon | None = None, *, focus: bool = True) -> None:
        self.areas.append(area)


@pytest.mark.parametrize("layout", list(PixelFormat))
@pytest.mark.parametrize(
    ("turn", "flip"), [(Turn(True, False), -1), (Turn(False, True), 1), (Turn(True, True), 0)], ids=str
)
def test_pictures_are_put_right(layout: PixelFormat, turn: Turn, flip: int) -> None:
    image: Image = SMOOTH
    if layout is PixelFormat.NV12:
        image = to_nv12(SMOOTH)
    if layout is PixelFormat.I420:
        image = np.asarray(cv2.cvtColor(SMOOTH, cv2.COLOR_BGR2YUV_I420))
    frame = opened_turned(lambda: Still(image, layout), turn).read()
    assert frame is not None
    right = cv2.flip(to_bgr(image, layout), flip)
    assert np.abs(frame.bgr().astype(int) - right.astype(int)).max() <= 1


def test_a_camera_that_can_be_set_up_anew_still_can_where_the_table_is_in_its_own_picture() -> None:
    still = Still(SMOOTH, PixelFormat.BGR)
    camera = opened_turned(lambda: still, Turn(upside_down=True))
    assert isinstance(camera, Settling)
    camera.settle(np.array([[0.1, 0.2]]))
    assert still.areas[0] is not None
    assert np.allclose(still.areas[0], [[0.9, 0.8]])
    assert opened_turned(lambda: still, Turn()) is still
