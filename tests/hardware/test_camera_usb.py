from typing import cast

import cv2
import numpy as np
import pytest

from hardware.camera import notes as camera_notes
from hardware.camera.camera import CameraMissingError, CameraSettings, CameraTimeoutError, open_camera
from hardware.camera.usb import UsbCamera
from tests.support.device_fakes import read
from tests.support.fake_webcam import DAYLIGHT, FRAME_MS, LAMP, MS, FakeWebcam


def opened(capture: FakeWebcam, lock: bool = True) -> UsbCamera:
    return UsbCamera(cast(cv2.VideoCapture, capture), "USB camera 0", CameraSettings(lock=lock), lambda: capture.now_ns)


def card(camera: UsbCamera) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the colour of the white card, blue, green, red."""
    return np.asarray(np.median(read(camera).image[24:64, 34:39].reshape(-1, 3), axis=0))


@pytest.mark.parametrize("light", [DAYLIGHT, LAMP])
@pytest.mark.parametrize("brightness", [0.6, 4.0])
def test_white_is_white_and_not_clipped_and_all_is_held(light: tuple[float, float, float], brightness: float) -> None:
    capture = FakeWebcam(light, brightness)
    camera = opened(capture)
    assert camera.notes == ()
    white = card(camera)
    assert 200 <= white.max() <= 245
    # The white balance was not frozen on its way.
    assert white.min() > 0.97 * white.max()
    for prop, held in ((cv2.CAP_PROP_AUTO_WB, 0), (cv2.CAP_PROP_AUTOFOCUS, 0), (cv2.CAP_PROP_AUTO_EXPOSURE, 1)):
        assert capture.values[prop] == held
    before = read(camera).image
    assert np.abs(read(camera).image.astype(int) - before).max() <= 1


def test_what_another_evening_left_in_the_webcam_is_freed_first() -> None:
    capture = FakeWebcam()
    opened(capture)
    # It keeps the daylight's settings while it has power; tonight there is a lamp, and the table is nearer.
    capture.light, capture.brightness, capture.in_focus = np.array(LAMP), 0.7, 55.0
    camera = opened(capture)
    assert camera.notes == ()
    white = card(camera)
    assert white.min() > 0.97 * white.max() > 190
    assert capture.lens == pytest.approx(55.0, abs=1.0)


def test_the_light_may_change_while_it_is_open_and_is_settled_again() -> None:
    capture = FakeWebcam(brightness=0.5)
    camera = opened(capture)
    capture.brightness = 8.0
    assert card(camera).min() == 255
    camera.settle(focus=False)
    assert card(camera).max() <= 245


def test_a_window_beside_the_table_does_not_say_how_the_table_is_exposed() -> None:
    capture = FakeWebcam(brightness=2.0)
    capture.window = 6.0
    camera = opened(capture)
    assert card(camera).max() < 150
    camera.settle(np.array([[0.1, 0.1], [0.8, 0.1], [0.8, 0.9], [0.1, 0.9]]))
    assert 200 <= card(camera).max() <= 245


@pytest.mark.parametrize("mains_hz", [50, 60])
def test_a_lamp_of_either_mains_makes_no_stripes(mains_hz: int) -> None:
    capture = FakeWebcam(brightness=1.0)
    capture.lamp_hz = 2 * mains_hz
    camera = opened(capture)
    assert camera.notes == ()
    pictures = np.stack([read(camera).image[24:64, 34:39] for _ in range(8)]).astype(float)
    assert np.ptp(pictures.mean(axis=(2, 3))) < 5
    assert capture.values[cv2.CAP_PROP_EXPOSURE] == pytest.approx(5_000 / mains_hz, abs=1)


@pytest.mark.parametrize(
    ("fault", "notes"),
    [
        ({"lamp_hz": 133.0}, {camera_notes.LAMP_FLICKERS}),
        # It takes all controls and does as it likes.
        ({"misreports": True}, {camera_notes.NO_EXPOSURE, camera_notes.COLOURS_DRIFT, camera_notes.FOCUS_DRIFTS}),
    ],
)
def test_a_flickering_lamp_and_a_camera_that_does_not_obey_are_said(fault: dict[str, float], notes: set[str]) -> None:
    capture = FakeWebcam()
    vars(capture).update(fault)
    assert set(opened(capture).notes) == notes


def test_a_focus_that_runs_away_is_brought_back_or_left_to_itself() -> None:
    capture = FakeWebcam()
    capture.hunts = True
    assert opened(capture).notes == ()
    assert capture.lens == 40.0
    capture.lens, capture.deaf, capture.values[cv2.CAP_PROP_FOCUS] = 40.0, True, 40.0
    assert opened(capture).notes == (camera_notes.FOCUS_DRIFTS,)
    assert capture.values[cv2.CAP_PROP_AUTOFOCUS] == 1


@pytest.mark.parametrize(
    ("refused", "note"),
    [
        (cv2.CAP_PROP_AUTO_EXPOSURE, camera_notes.NO_EXPOSURE),
        (cv2.CAP_PROP_AUTO_WB, camera_notes.COLOURS_DRIFT),
        (cv2.CAP_PROP_AUTOFOCUS, None),
        (cv2.CAP_PROP_BUFFERSIZE, None),
    ],
)
def test_a_camera_that_refuses_a_control_is_used_and_it_is_said(refused: int, note: str | None) -> None:
    capture = FakeWebcam()
    capture.refused = {refused}
    camera = opened(capture)
    assert read(camera).rows == 96
    assert camera.notes == ((note,) if note else ())


def test_a_webcam_that_is_unplugged_or_has_no_rest_while_it_settles_ends_in_time() -> None:
    capture = FakeWebcam()
    capture.dies_after = 50
    with pytest.raises(CameraMissingError, match="cable"):
        opened(capture)
    capture = FakeWebcam()
    capture.lamp_hz = 1.1  # somebody who plays with the switch
    opened(capture)
    assert capture.frames * FRAME_MS < 20_000


@pytest.mark.parametrize(("stamped", "readout_ns"), [(True, 12 * MS), (False, 1e9 / 30)])
def test_a_frame_counts_as_exposed_when_it_has_arrived_and_lost_ones_show(stamped: bool, readout_ns: float) -> None:
    capture = FakeWebcam()
    capture.stamped = stamped
    camera = opened(capture, lock=False)
    frame = read(camera)
    assert frame.exposure_end_ns == capture.now_ns
    assert 2 * frame.t_ns - frame.exposure_end_ns == pytest.approx(capture.now_ns - readout_ns, abs=1000)
    assert read(camera).sequence == frame.sequence + 1
    capture.delay_frames = 3
    assert read(camera).sequence == frame.sequence + 4


def test_unplugging_faults_and_half_pictures_are_clear_errors() -> None:
    capture = FakeWebcam()
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
