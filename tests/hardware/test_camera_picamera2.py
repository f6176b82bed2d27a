"""A camera of the Raspberry Pi: settled on the table, held, dated row by row; and when it does not obey."""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest

from hardware.camera.camera import CameraMissingError, CameraSettings, CameraTimeoutError, open_camera
from hardware.camera.frames import PixelFormat
from hardware.camera.picamera2 import Picamera2Camera
from tests.support.device_fakes import read
from tests.support.fake_picamera2 import MS, FakePicamera2

SETTINGS = CameraSettings(width=64, height=48, small_width=32)


def opened(device: FakePicamera2, settings: CameraSettings = SETTINGS) -> Picamera2Camera:
    return Picamera2Camera(
        device, "Camera 0", settings, lambda: device.now_ns, lambda: device.now_ns + device.asleep_ns
    )


@pytest.mark.parametrize("brightness", [0.05, 0.4, 3.0, 20.0])
def test_exposure_is_settled_on_the_white_of_the_cards_and_held(brightness: float) -> None:
    device = FakePicamera2(brightness)
    camera = opened(device)
    assert camera.notes == ()
    white = np.median(read(camera).bgr()[14:22, 18:30])
    assert 200 <= white <= 245
    held = device.set[-1]
    assert held["AeEnable"] is False
    assert held["AwbEnable"] is False
    assert held["ColourGains"] == (1.9, 1.6)
    assert held["ExposureTime"] == pytest.approx(device.values["ExposureTime"])


@pytest.mark.parametrize("asleep_ns", [0, 3_600_000 * MS])
def test_rows_end_one_after_another_from_the_sensors_stamp_on_whichever_clock(asleep_ns: int) -> None:
    device = FakePicamera2()
    device.asleep_ns = asleep_ns
    frame = read(opened(device))
    stamp_ns, readout_ns = device.now_ns - 25 * MS, 20 * MS
    # The stamp is the end of the first row's exposure; the exposure time is not added again.
    assert 2 * frame.t_ns - frame.exposure_end_ns == stamp_ns
    assert frame.exposure_end_ns == stamp_ns + readout_ns
    assert frame.t_ns == stamp_ns + readout_ns // 2


@pytest.mark.parametrize(("kind", "layout"), [("YUV420", PixelFormat.I420), ("NV12", PixelFormat.NV12)])
def test_both_streams_come_in_either_layout_without_their_padding(kind: str, layout: PixelFormat) -> None:
    frame = read(opened(FakePicamera2(kind=kind)))
    assert frame.pixel_format is layout
    assert frame.bgr().shape == (48, 64, 3)
    assert frame.small_grey is not None
    assert frame.small_grey.shape == (24, 32)
    # Neither the padding nor a wrong plane shows: the card is grey, the table dark.
    assert int(np.ptp(frame.bgr()[16:20, 20:28].astype(int), axis=2).max()) <= 3
    assert frame.bgr()[:, 60:].max() < 90


def test_a_camera_that_refuses_all_controls_is_used_and_it_is_said() -> None:
    device = FakePicamera2(kind="NV12")
    device.camera_controls = {}
    device.has_lores = False
    camera = opened(device)
    frame = read(camera)
    assert frame.small_grey is None
    assert frame.grey().shape == (48, 64)
    said = " ".join(camera.notes)
    assert all(word in said for word in ("white balance", "exposure", "small stream"))
    assert device.set == []


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ({"stubborn": True}, "bleached"),
        ({"brightness": 0.001}, "lamp"),
        ({"focuses": False}, "focus"),
        ({"stamps": False}, "arrival"),
    ],
    ids=["does not obey", "dark", "no focus", "no stamps"],
)
def test_a_camera_with_a_fault_is_used_and_it_is_said(fault: dict[str, float], word: str) -> None:
    device = FakePicamera2()
    vars(device).update(fault)
    camera = opened(device)
    assert any(word in note for note in camera.notes)
    assert [controls for controls in device.set if "AfMode" in controls] == [{"AfMode": 1, "AfTrigger": 0}]
    frame = read(camera)
    assert frame.rows == 48
    # Without a stamp the time of arrival counts.
    assert (frame.exposure_end_ns == device.now_ns) == (not device.stamps)


def test_a_frame_with_a_drifted_exposure_is_left_out_and_the_lock_set_again() -> None:
    device = FakePicamera2()
    camera = opened(device)
    for _ in range(5):
        read(camera)
    before = len(device.set)
    device.values["ExposureTime"] *= 2
    frame = read(camera)
    assert camera.refused == 3
    assert len(device.set) == before + 1
    assert 200 <= np.median(frame.bgr()[14:22, 18:30]) <= 245
    # The frames left out are missing from the count.
    assert read(camera).sequence == frame.sequence + 1


def test_a_camera_that_drifts_for_good_is_used_after_a_while_and_it_is_said() -> None:
    device = FakePicamera2()
    camera = opened(device)
    device.stubborn = True
    device.values["ColourGains"] = (3.0, 1.0)
    frames = []
    for _ in range(10):
        with suppress(CameraTimeoutError):
            frames.append(camera.read())
    assert frames
    assert any("white balance" in note for note in camera.notes)


def test_lost_frames_show_in_the_count_and_a_silent_cameras_request_is_kept() -> None:
    device = FakePicamera2()
    camera = opened(device)
    first = read(camera)
    device.skip_frames = 4
    assert read(camera).sequence == first.sequence + 5
    device.silent = True
    for _ in range(3):
        with pytest.raises(CameraTimeoutError):
            camera.read()
    device.silent = False
    assert read(camera).rows == 48


def test_an_unplugged_camera_is_missing_and_is_closed() -> None:
    device, failing = FakePicamera2(), FakePicamera2()
    camera = opened(device)
    device.broken = RuntimeError("Camera frontend has timed out!")
    with pytest.raises(CameraMissingError, match="timed out"):
        camera.read()
    camera.close()
    failing.broken = RuntimeError("Device or resource\nbusy")
    with pytest.raises(CameraMissingError, match="Device or resource busy"):
        opened(failing)
    assert device.closed and failing.closed


def test_opening_says_what_to_install_or_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(CameraMissingError, match="apt install python3-picamera2"):
        open_camera("picamera2")

    def no_camera(number: int) -> object:
        raise IndexError("list index out of range")

    monkeypatch.setitem(sys.modules, "picamera2", module(no_camera))
    with pytest.raises(CameraMissingError, match=r"Camera 1 is not there, .* Check its cable"):
        open_camera("picamera2:1")


@pytest.mark.parametrize(("owners", "asked"), [(None, "*:FATAL"), ("*:DEBUG", "*:DEBUG")])
def test_the_cameras_library_is_still_unless_its_owner_wants_to_hear_it(
    monkeypatch: pytest.MonkeyPatch, owners: str | None, asked: str
) -> None:
    monkeypatch.setenv("LIBCAMERA_LOG_LEVELS", owners or "")
    if owners is None:
        monkeypatch.delenv("LIBCAMERA_LOG_LEVELS")
    levels = []

    def busy_camera(number: int) -> object:
        levels.append(os.environ["LIBCAMERA_LOG_LEVELS"])
        raise RuntimeError("busy")

    monkeypatch.setitem(sys.modules, "picamera2", module(busy_camera))
    with pytest.raises(CameraMissingError):
        open_camera("picamera2")
    assert levels == [asked]


def module(make: Callable[[int], object]) -> types.ModuleType:
    library = types.ModuleType("picamera2")
    library.Picamera2 = make  # type: ignore[attr-defined]
    return library


@pytest.mark.parametrize("brighter", [0.1, 8.0])
def test_a_pi_camera_is_set_up_again_and_frees_its_automatics_for_that(brighter: float) -> None:
    device = FakePicamera2()
    camera = opened(device)
    device.brightness *= brighter
    device.focuses = False
    set_before = len(device.set)
    camera.settle(focus=False)
    assert {"AeEnable": True, "AwbEnable": True} in device.set[set_before:]
    assert not any("AfTrigger" in controls for controls in device.set[set_before:])
    assert 200 <= np.median(read(camera).bgr()[14:22, 18:30]) <= 245
    assert camera.notes == ()
    device.broken = RuntimeError("Camera frontend has timed out!")
    with pytest.raises(CameraMissingError, match="timed out"):
        camera.settle()
