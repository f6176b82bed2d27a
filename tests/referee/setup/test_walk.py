"""The walk through the steps: kept one by one, with devices that misbehave, going on after a power cut."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hardware.problems import Health, Problem
from referee.errors import BadInputError
from referee.language import Language
from referee.match.settings import TableSettings
from referee.setup.step import FILE, KeptStep, State, StepFinding, StepInput, Wish, load_kept
from referee.setup.terminal import Terminal
from referee.setup.walk import NAMES, Walk
from simulation.still import table_picture
from tests.referee.match.test_misbehaving import rogues
from tests.support.commands import sent
from tests.support.quiet_table import QuietTable, quiet_table
from tests.support.waiting import wait_for
from vision.deck import load_deck


@pytest.fixture
def table(tmp_path: Path) -> Iterator[QuietTable]:
    table = quiet_table(tmp_path, can_be_set_up=True)
    yield table
    table.close()


class PaperKit:
    """A kit without devices."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = TableSettings(bell="none", sandtimer=False)
        self.said: list[str] = []
        self.time_ns = 0

    def now_ns(self) -> int:
        self.time_ns += 1_000_000_000
        return self.time_ns

    def seen(self, since_ns: int, kept: Mapping[str, KeptStep]) -> StepInput:
        troubles = {"camera": "The camera is not there.", "lamp": "The lamp is not there."}
        return StepInput(
            self.time_ns, since_ns, Language("en"), self.settings, self.folder, troubles=troubles, kept=kept
        )

    def carry_out(self, wish: Wish) -> None:
        self.settings = self.settings.changed(wish.settings)
        if wish.say:
            self.said.append(wish.say)


def test_steps_are_kept_one_by_one_and_go_on_after_a_power_cut(tmp_path: Path) -> None:
    kit = PaperKit(tmp_path)
    walk = Walk(kit)
    assert walk.left == list(NAMES)
    walk.open("deck")
    assert kit.said == ["Which cards do you play with?"]
    walk.answer({"deck": "piccolino"})
    walk.keep()
    walk.open("bell")
    walk.keep()
    walk.open("table")
    walk.skip()
    walk.open("camera")
    walk.keep()
    # A step whose device is missing is remembered; skipping it later does not lose what was known.
    walk.open("camera")
    walk.skip()
    with pytest.raises(BadInputError):
        walk.keep()
    # The power goes, here in the middle of the sandtimer.
    walk.open("sandtimer")
    again = Walk(PaperKit(tmp_path))
    assert again.kept["camera"] == KeptStep("missing", "No camera is plugged in: check its cable.")
    assert again.left == ["seats", "light", "sandtimer", "lamp", "check"]
    assert again.progress(look=False)["open"] is None
    kept = again.kept
    assert (kept["deck"].data, kept["table"].state, kept["bell"].state) == ({"deck": "piccolino"}, "skipped", "good")


def test_the_terminal_leads_through_all_steps_and_ends_by_itself(tmp_path: Path) -> None:
    kit, lines = PaperKit(tmp_path), list[str]()
    terminal = Terminal(Walk(kit), Language("en"), None, 0.0, lines.append)
    assert not terminal.lead(["camera", "bell", "deck"])
    assert [line.split(":")[0].strip() for line in lines if line.startswith("\n")] == ["Camera", "Bell", "Cards"]
    kept = json.loads((tmp_path / FILE).read_text())
    assert {name: one["state"] for name, one in kept.items()} == {"camera": "missing", "bell": "good", "deck": "good"}


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("It is dark: one more lamp would help.", "It is dark: one more lamp would help."),
        ({"message": "You play with {deck}.", "values": {"deck": {"message": "the {x}"}}}, "You play with the {x}."),
        (
            {"message": "{deck.__class__} {deck:>99999999}", "values": {"deck": "x"}},
            "{deck.__class__} {deck:>99999999}",
        ),
        ({"message": "x", "values": [1]}, ""),
        ([], ""),
    ],
)
def test_a_record_of_an_older_version_or_of_somebody_else_is_only_text(
    tmp_path: Path, said: object, shown: str
) -> None:
    (tmp_path / FILE).write_text(json.dumps({"light": {"state": "mend", "said": said}}))
    assert load_kept(tmp_path)["light"].text == shown


def test_what_was_set_up_is_proposed_for_the_first_game_and_said_in_the_language_of_the_day(
    table: QuietTable, tmp_path: Path
) -> None:
    walk = table.referee.walk
    assert table.referee.state()["setup"] == {"due": True, "left": 0, "players": None, "game": None}
    walk.open("seats")
    walk.answer({"players": 5})
    walk.open("deck")
    walk.answer({"deck": "piccolino"})
    walk.keep()
    table.referee.changed()
    setup = table.referee.state()["setup"]
    assert (setup["due"], setup["players"], setup["game"]) == (False, 5, "piccolino")
    table.referee.health.report(Problem("bell", Health.MISSING, "no pins", t_ns=1))
    walk.open("bell")
    walk.keep()
    # It is kept by its key, whatever was spoken then, and outlasts a restart.
    assert "You play with Piccolino." not in (tmp_path / FILE).read_text()
    for _ in range(2):
        for code in ("de", "en", "fr"):
            table.referee.do(sent({"do": "settings", "language": code}))
            texts = {one["step"]: one["text"] for one in walk.progress(look=False)["steps"]}
            assert texts["deck"] == Language(code).text("setup.seats.you_play_with", deck="Piccolino")
            assert texts["bell"] == Language(code).text("service.device.bell_missing")
        walk = Walk(table.referee.setup_kit)


def test_the_first_step_takes_another_camera_that_is_plugged_in_and_lists_them(table: QuietTable) -> None:
    old, good = "usb:/dev/v4l/by-id/usb-old", "usb:/dev/v4l/by-id/usb-c920"
    plugged = table.plugged
    plugged += [("picamera2", "imx708"), (old, "Old Cam"), (good, "C920")]
    walk = table.referee.walk
    # As long as the usual one is only slow, nothing is changed.
    walk.open("camera")
    assert table.referee.settings.camera == "picamera2"
    table.referee.health.report(Problem("camera", Health.MISSING, "picamera2 is not there", t_ns=1))
    walk.open("camera")
    assert table.referee.settings.camera == old
    assert walk.look()[1].text == "One moment: the camera is being started."
    table.referee.health.report(Problem("camera", Health.MISSING, "it is unplugged", t_ns=2))
    _, found = walk.look()
    assert [one.text for one in found.choices] == ["imx708", "Old Cam", "C920"]
    assert found.text == "No picture comes from this camera. Tap the one to use:"
    walk.answer({"camera": good})
    assert table.referee.settings.camera == good
    with pytest.raises(BadInputError):
        walk.answer({"camera": "/etc/passwd"})
    plugged.clear()
    table.referee.health.report(Problem("camera", Health.MISSING, "it is unplugged", t_ns=3))
    assert walk.look()[1].text == "No camera is plugged in: check its cable."


def test_of_cameras_that_give_a_picture_another_one_can_be_tapped(table: QuietTable) -> None:
    table.show(table_picture(load_deck("confetti"), 10, 4, (1280, 720))[0])
    plugged = table.plugged
    walk = table.referee.walk
    for name, offered in (("one", []), ("other", ["one", "other"])):
        plugged.append((f"usb:{name}", name))
        walk.open("camera")
        assert [one.text for one in walk.look()[1].choices if "camera" in one.answer] == offered


MS = 1_000_000


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.match.setup_kit._OLD_NS", 400 * MS)


def one_sentence(found: StepFinding) -> bool:
    return found.text.endswith((".", "?")) and len(found.text) < 160 and "Error" not in found.text


@pytest.mark.parametrize("mood", ["gone", "silent", "black", "odd", "jumps", "stripes"])
def test_a_camera_that_fails_in_the_middle_of_any_step_is_one_sentence_and_it_goes_on(
    tmp_path: Path, mood: str
) -> None:
    with rogues(tmp_path) as home:
        walk = home.service.walk
        home.camera.mood = mood
        if mood in ("gone", "silent", "black"):
            wait_for(lambda: "camera" in home.troubles())
            time.sleep(0.5)
        for name in NAMES:
            walk.open(name)
            _, found = walk.look()
            assert one_sentence(found), (name, found)
            if mood in ("gone", "silent") and name in ("camera", "table", "seats", "light", "check"):
                assert found.state is State.MISSING
                assert "camera" in found.text
            try:
                walk.keep()
            except BadInputError as error:
                assert str(error).endswith((".", "again", "known yet")), error
                walk.skip()
        assert set(walk.kept) == set(NAMES)
        # It comes back, and so does the step.
        home.camera.mood = "good"
        walk.open("camera")
        wait_for(lambda: walk.look()[1].state is not State.MISSING)


def test_bell_sandtimer_lamp_and_voice_that_fail_are_one_sentence_each(tmp_path: Path) -> None:
    with rogues(tmp_path) as home:
        bell, sand, walk = home.bell, home.sand, home.service.walk
        walk.open("bell")
        bell.press()
        wait_for(lambda: walk.look()[1].text == "Heard so far: 1 of 3.")
        bell.fail()
        wait_for(lambda: walk.look()[1].state is State.MISSING)
        assert one_sentence(walk.look()[1]) and "bell" in walk.look()[1].text
        walk.keep()
        walk.open("sandtimer")
        sand.fail()
        wait_for(lambda: walk.look()[1].state is State.MISSING)
        assert one_sentence(walk.look()[1]) and "sandtimer" in walk.look()[1].text
        # Its time can be tapped all the same.
        walk.answer({"seconds": 60})
        wait_for(lambda: walk.look()[1].state is State.GOOD)
        walk.keep()
        for part in ("lamp", "speaker"):
            home.service.report(Problem(part, Health.MISSING, "It does not answer.", t_ns=1))
        walk.open("lamp")
        wait_for(lambda: home.troubles().keys() >= {"lamp", "speaker"})
        _, found = walk.look()
        assert found.state is State.MISSING and one_sentence(found)
        walk.answer({"seen": False})
        walk.answer({"heard": False})
        assert walk.look()[1].text == "No lamp, no voice – that is fine."
        walk.keep()
        assert walk.kept["bell"].state == "missing"
