"""Settings: kept, checked, and never a reason not to start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.camera import notes as camera_notes
from referee.errors import BadInputError
from referee.match.settings import FILE, TableSettings, load_settings, save_settings
from tests.support.commands import sent
from tests.support.office import Office
from tests.support.page_tools import served


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    settings = TableSettings(language="fr", volume=0.25, quiet_hours=("22:00", "07:00"), bell="seats", sand=(9, 2, 1))
    save_settings(tmp_path, settings)
    assert load_settings(tmp_path) == (settings, None)


NEWER: dict[str, object] = {"language": "de", "volume": 0.4, "quiet": True, "bell": "seats", "bell_pins": [17, 27, 22]}


@pytest.mark.parametrize(
    ("other", "left"),
    [
        ({"a_setting_of_a_newer_version": 1}, "a_setting_of_a_newer_version"),
        ({"camera": 5}, "camera"),
        ({"quiet_hours": {"from": 22}}, "quiet_hours"),
        ({"sand": ["a", "b", "c"]}, "sand"),
        ({"lamp": "blinking", "\x1b[2J": {}}, "lamp, \\u001b[2J"),
    ],
)
def test_what_this_version_cannot_use_is_reported_stays_in_the_file_and_takes_no_other_setting_along(
    tmp_path: Path, other: dict[str, object], left: str
) -> None:
    (tmp_path / FILE).write_text(json.dumps({**NEWER, **other}), encoding="utf-8")
    settings, complaint = load_settings(tmp_path)
    wanted = TableSettings(language="de", volume=0.4, quiet=True, bell="seats", bell_pins=(17, 27, 22))
    assert settings == wanted
    assert complaint is not None and f": {left}." in complaint
    save_settings(tmp_path, settings.changed({"volume": 0.5}))
    assert load_settings(tmp_path)[0] == wanted.changed({"volume": 0.5})
    kept = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    kept |= kept.get("not_usable_here", {})
    assert all(kept[name] == value for name, value in other.items())


DATA = Path(__file__).parents[2] / "data"
KEPT = json.loads((DATA / "settings.expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", KEPT)
def test_files_of_other_versions_and_damaged_ones_keep_all_that_can_be_used(tmp_path: Path, name: str) -> None:
    file = DATA / "settings" / f"{name}.json"
    (tmp_path / FILE).write_bytes(file.read_bytes())
    settings, complaint = load_settings(tmp_path)
    assert settings == TableSettings.model_validate(KEPT[name]["settings"])
    assert (complaint is None) is (KEPT[name]["left"] is None)
    assert complaint is None or f": {KEPT[name]['left']}." in complaint
    assert (tmp_path / FILE).exists() is not KEPT[name]["set_aside"]
    save_settings(tmp_path, settings)
    assert load_settings(tmp_path)[0] == settings
    if not KEPT[name]["set_aside"]:
        saved, before = json.loads((tmp_path / FILE).read_text()), json.loads(file.read_text())
        assert before.keys() <= saved.keys() | saved.get("not_usable_here", {}).keys()


def test_settings_that_want_one_pin_give_way_one_by_one(tmp_path: Path) -> None:
    lamp = TableSettings().lamp_settings().red
    (tmp_path / FILE).write_text(json.dumps({"language": "fr", "bell": "seats", "bell_pins": [lamp, 27]}))
    settings, complaint = load_settings(tmp_path)
    assert (settings.language, settings.bell) == ("fr", "seats")
    assert complaint is not None and "bell_pins" in complaint
    (tmp_path / FILE).write_text(json.dumps({"lamp": False, "bell": "seats", "bell_pins": [lamp, 27]}))
    assert load_settings(tmp_path)[1] is None


@given(st.integers(0, 23), st.integers(0, 59), st.integers(0, 1439), st.integers(0, 1439))
def test_quiet_hours_are_those_from_the_one_time_to_the_other_over_midnight_too(
    hour: int, minute: int, start: int, end: int
) -> None:
    def clock(minutes: int) -> str:
        return f"{minutes // 60:02}:{minutes % 60:02}"

    quiet = TableSettings(quiet_hours=(clock(start), clock(end))).is_quiet_at(hour, minute)
    assert quiet is ((60 * hour + minute - start) % 1440 < (end - start) % 1440)


def test_a_webcam_is_chosen_by_the_name_that_stays_its_own(office: Office, tmp_path: Path) -> None:
    lasting = "usb:/dev/v4l/by-id/usb-046d_HD_Pro_Webcam_C920_1A2B-video-index0"
    office.table.plugged = [(lasting, "HD Pro Webcam C920")]
    office.devices.camera_notes = (camera_notes.COLOURS_DRIFT,)
    office.referee.change_settings({"language": "de"})
    with served(tmp_path / "page", office.referee) as page:
        shown = page.phone().get("/api/cameras").data
    assert shown["cameras"] == [{"camera": lasting, "name": "HD Pro Webcam C920"}]
    assert "Weißabgleich" in shown["notes"][0]
    office.referee.do(sent({"do": "settings", "camera": lasting}))
    assert load_settings(tmp_path)[0].camera == lasting


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"bell_pins": [17, 27, 17], "bell": "seats"}, "GPIO17 is in use already"),
        ({"bell_pins": [23]}, "GPIO23 is in use already"),
        ({"bell_pins": [26]}, "GPIO26 is in use already"),
        ({"bell_pins": [40]}, "There is no pin GPIO40"),
        ({"bell_pins": []}, "one to seven buttons"),
        ({"bell_pins": "17"}, "bell_pins"),
        ({"camera": "/dev/sda"}, "camera"),
        ({"camera": "usb:/dev/v4l/by-id/../../sda"}, "camera"),
        ({"sand": [1, 2, 3]}, "sand"),
        ({"colour": "red"}, "."),
        ({"volume": True}, "."),
        ({"quiet": "yes"}, "."),
        ({"quiet_hours": ["25:00", "07:00"]}, "."),
        ({"quiet_hours": ["22:00"]}, "."),
        ({"quiet_hours": 7}, "."),
        ({"quiet_hours": ["2200", "0700"]}, "."),
        ({"bell": "gong"}, "."),
    ],
)
def test_a_wrong_setting_is_reported_in_one_sentence_and_the_old_one_stays(
    office: Office, tmp_path: Path, wrong: dict[str, object], says: str
) -> None:
    before = office.state()["settings"]
    with pytest.raises(BadInputError, match=says):
        office.referee.do(sent({"do": "settings", "volume": 0.5, **wrong}))
    assert office.state()["settings"] == before
    assert load_settings(tmp_path)[0] == office.table.referee.settings


def test_settings_are_kept_and_hold_at_once(office: Office, tmp_path: Path) -> None:
    chosen = {"camera": "usb:0", "bell": "seats", "bell_pins": [17, 27, 22], "lamp": False, "language": "fr"}
    office.referee.do(sent({"do": "settings", **chosen, "quiet_hours": ["22:00", "07:00"]}))
    state = office.state()
    assert (state["language"], state["settings"]["quiet_hours"]) == ("fr", ["22:00", "07:00"])
    office.referee.do(sent({"do": "settings", "quiet_hours": None}))
    shown = {**chosen, "volume": 1.0, "quiet": False, "quiet_hours": None}
    assert {key: office.state()["settings"][key] for key in shown} == shown
    assert office.referee.settings.bell_settings().pins[2].number == 22
    kept, complaint = load_settings(tmp_path)
    assert (kept.camera, kept.lamp, kept.language, complaint) == ("usb:0", False, "fr", None)
