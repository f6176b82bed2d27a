"""The desk: settings, devices, and what is told of their troubles."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hardware.camera import notes as camera_notes
from hardware.problems import DeviceHealth, Health
from referee.errors import BadInputError
from referee.service.settings import load_settings
from tests.support.office import Office


def test_settings_are_kept_and_hold_at_once(office: Office, tmp_path: Path) -> None:
    office.desk.do({"do": "settings", "language": "fr", "quiet_hours": ["22:00", "07:00"]})
    state = office.state()
    assert (state["language"], state["settings"]["quiet_hours"]) == ("fr", ["22:00", "07:00"])
    office.desk.do({"do": "settings", "quiet_hours": None})
    sound = {key: office.state()["settings"][key] for key in ("language", "volume", "quiet", "quiet_hours")}
    assert sound == {"language": "fr", "volume": 1.0, "quiet": False, "quiet_hours": None}
    assert json.loads((tmp_path / "settings.json").read_text(encoding="utf-8"))["language"] == "fr"


def test_camera_bell_and_pins_are_set_without_any_file(office: Office, tmp_path: Path) -> None:
    office.desk.do({"do": "settings", "camera": "usb:0", "bell": "seats", "bell_pins": [17, 27, 22], "lamp": False})
    shown = office.state()["settings"]
    assert (shown["camera"], shown["bell"], shown["bell_pins"]) == ("usb:0", "seats", [17, 27, 22])
    assert office.fitted.bell_settings().pins[2].number == 22
    kept, complaint = load_settings(tmp_path)
    assert (kept.camera, kept.lamp, complaint) == ("usb:0", False, None)


def test_a_webcam_is_chosen_by_the_name_that_stays_its_own(office: Office, tmp_path: Path) -> None:
    lasting = "usb:/dev/v4l/by-id/usb-046d_HD_Pro_Webcam_C920_1A2B-video-index0"
    office.plugged = [(lasting, "HD Pro Webcam C920")]
    office.devices.camera_notes = (camera_notes.COLOURS_DRIFT,)
    office.table.controller.change_settings(replace(office.table.settings, language="de"))
    shown = office.desk.cameras()
    assert shown["cameras"] == [{"camera": lasting, "name": "HD Pro Webcam C920"}]
    assert "Weißabgleich" in shown["notes"][0]
    office.desk.do({"do": "settings", "camera": lasting})
    assert load_settings(tmp_path)[0].camera == lasting


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"bell_pins": [17, 27, 17], "bell": "seats"}, "GPIO17 has two buttons"),
        ({"bell_pins": [23]}, "GPIO23 is in use by the sandtimer or the lamp"),
        ({"bell_pins": [26]}, "GPIO26 is in use by the sandtimer or the lamp"),
        ({"bell_pins": [40]}, "there is no pin GPIO40"),
        ({"bell_pins": []}, "one to 7 bell buttons"),
        ({"bell_pins": "17"}, "numbers"),
        ({"camera": "usb:1"}, "gives no picture"),
        ({"camera": "/dev/sda"}, "no such camera"),
        ({"camera": "usb:/dev/v4l/by-id/../../sda"}, "no such camera"),
        ({"sand": [1, 2, 3]}, "no such setting"),
    ],
)
def test_a_wrong_setting_is_told_in_one_sentence_and_the_old_one_stays(
    office: Office, tmp_path: Path, wrong: dict[str, object], says: str
) -> None:
    before = office.state()["settings"]
    with pytest.raises(BadInputError, match=says):
        office.desk.do({"do": "settings", "volume": 0.5, **wrong})
    assert office.state()["settings"] == before
    assert load_settings(tmp_path)[0] == office.table.controller.settings


def test_device_troubles_are_shown_in_the_language_of_the_table(office: Office) -> None:
    office.health.report(DeviceHealth(1, "camera", Health.MISSING, "no camera"))
    office.desk.refresh()
    (device,) = office.state()["devices"]
    assert (device["name"], device["state"]) == ("camera", "missing")
    assert device["message"] == "The camera is missing: please check its cable."
