from typing import cast

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from hardware.camera import CameraMissingError, CameraSettings, CameraTimeoutError, open_camera
from hardware.camera_usb import UsbCamera
from hardware.frames import Frame

MS = 1_000_000
FRAME_MS = 33


class FakeCapture:
    """A webcam as OpenCV shows it: properties that may be refused, stamps that may be missing."""

    def __init__(self) -> None:
        self.now_ns = 9_000_000 * MS
        self.values: dict[int, float] = {
            cv2.CAP_PROP_FPS: 30.0,
            cv2.CAP_PROP_AUTO_EXPOSURE: 3.0,
            cv2.CAP_PROP_EXPOSURE: 330.0,
            cv2.CAP_PROP_AUTO_WB: 1.0,
        }
        self.refused: set[int] = set()
        self.stamped = True
        self.alive = True
        self.picture: npt.NDArray[np.uint8] | None = None
        self.fault: cv2.error | None = None
        self.delay_frames = 1
        self.released = 0

    def grab(self) -> bool:
        if self.fault is not None:
            raise self.fault
        self.now_ns += FRAME_MS * MS * self.delay_frames
        return self.alive

    def retrieve(self) -> tuple[bool, npt.NDArray[np.uint8] | None]:
        if self.picture is not None:
            return True, self.picture
        light = np.full((24, 32, 3), 0.03)
        light[6:16, 8:20] = 0.8
        linear = np.clip(light * self.values[cv2.CAP_PROP_EXPOSURE] / 50, 0, 1)
        return True, np.rint(255 * linear ** (1 / 2.2)).astype(np.uint8)

    def get(self, prop: int) -> float:
        if prop == cv2.CAP_PROP_POS_MSEC:
            return self.now_ns / MS - 12 if self.stamped else 0.0
        return self.values.get(prop, 0.0)

    def set(self, prop: int, value: float) -> bool:
        if prop in self.refused:
            return False
        self.values[prop] = value
        return True

    def release(self) -> None:
        self.released += 1


def opened(capture: FakeCapture, lock: bool = True) -> UsbCamera:
    return UsbCamera(cast(cv2.VideoCapture, capture), "USB camera 0", CameraSettings(lock=lock), lambda: capture.now_ns)


def read(camera: UsbCamera) -> Frame:
    frame = camera.read()
    assert frame is not None
    return frame


def test_exposure_is_settled_so_that_white_is_not_clipped() -> None:
    capture = FakeCapture()
    camera = opened(capture)
    assert camera.notes == ()
    assert 200 <= np.median(read(camera).image[7:15, 9:19]) <= 245
    assert capture.values[cv2.CAP_PROP_AUTO_WB] == 0


def test_a_camera_that_refuses_its_controls_is_used_and_it_is_said() -> None:
    capture = FakeCapture()
    capture.refused = {cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_AUTO_WB, cv2.CAP_PROP_BUFFERSIZE}
    camera = opened(capture)
    assert read(camera).rows == 24
    said = " ".join(camera.notes)
    assert "exposure" in said
    assert "white balance" in said


def test_a_frame_counts_as_exposed_when_it_has_arrived_never_earlier() -> None:
    capture = FakeCapture()
    camera = opened(capture, lock=False)
    frame = read(camera)
    assert frame.exposure_end_ns == capture.now_ns
    assert frame.row_exposure_end_ns(0) == pytest.approx(capture.now_ns - 12 * MS, abs=1000)


def test_without_a_drivers_stamp_a_whole_frame_is_taken_for_the_readout() -> None:
    capture = FakeCapture()
    capture.stamped = False
    frame = read(opened(capture, lock=False))
    assert frame.exposure_end_ns == capture.now_ns
    assert frame.readout_ns == pytest.approx(1e9 / 30, abs=2)


def test_lost_frames_show_in_the_count() -> None:
    capture = FakeCapture()
    camera = opened(capture, lock=False)
    first = read(camera)
    assert read(camera).sequence == first.sequence + 1
    capture.delay_frames = 3
    assert read(camera).sequence == first.sequence + 4


def test_unplugging_faults_and_half_pictures_are_clear_errors() -> None:
    capture = FakeCapture()
    camera = opened(capture, lock=False)
    capture.picture = np.zeros((24, 32), np.uint8)
    with pytest.raises(CameraTimeoutError, match="not whole"):
        camera.read()
    capture.alive = False
    with pytest.raises(CameraMissingError, match="cable"):
        camera.read()
    capture.fault = cv2.error("OpenCV: select()\ntimeout")
    with pytest.raises(CameraMissingError) as caught:
        camera.read()
    assert "\n" not in str(caught.value)


def test_opening_a_camera_that_is_not_there_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CameraMissingError, match="USB camera /dev/video987 is not there"):
        open_camera("usb:/dev/video987")
    assert capfd.readouterr().err == ""
