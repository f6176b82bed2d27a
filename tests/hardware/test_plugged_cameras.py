"""Which cameras are offered: those of both back-ends, by name, and none twice."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from hardware.camera.picamera2 import picamera2_cameras
from hardware.camera.plugged import KEPT_S, Plugged


class Library(ModuleType):
    """picamera2, which lists USB cameras, too."""

    Picamera2 = SimpleNamespace(
        global_camera_info=lambda: [
            {"Model": "imx708_wide", "Num": 0, "Id": "/base/axi/pcie@1000120000/rp1/i2c@88000/imx708@1a"},
            {"Model": "ov5647", "Num": 1, "Id": "/base/axi/pcie@1000120000/rp1/i2c@80000/ov5647@36"},
            {"Model": "C920", "Num": 2, "Id": "/base/axi/pcie@1000120000/rp1/usb@200000-1:1.0-046d:08e5"},
        ]
    )


def test_cameras_of_the_raspberry_pi_are_named_and_those_at_a_usb_plug_left_to_the_other_back_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", Library("picamera2"))
    assert picamera2_cameras() == [("picamera2", "imx708_wide"), ("picamera2:1", "ov5647")]


def test_a_library_that_is_missing_or_fails_lists_no_camera(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    assert picamera2_cameras() == []

    def fails() -> None:
        raise RuntimeError("Camera __init__ sequence did not complete.")

    broken = Library("picamera2")
    broken.Picamera2 = SimpleNamespace(global_camera_info=fails)
    monkeypatch.setitem(sys.modules, "picamera2", broken)
    assert picamera2_cameras() == []


def test_cameras_are_looked_for_again_after_a_while_and_not_at_each_question() -> None:
    now, there = [100.0], [("usb:0", "Old")]
    plugged = Plugged(lambda: list(there), lambda: now[0])
    assert plugged() == [("usb:0", "Old")]
    there.append(("usb:1", "New"))
    assert plugged() == [("usb:0", "Old")]
    now[0] += KEPT_S
    assert plugged() == [("usb:0", "Old"), ("usb:1", "New")]
