"""The walk through the steps: kept one by one, skipped ones remembered, going on after a power cut."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.survey import survey
from referee.errors import BadInputError
from referee.language import Language
from referee.measured_table import profile_of
from referee.service.settings import TableSettings
from referee.setup.finding import Kept, Seen, Wish
from referee.setup.record import FILE, load_kept
from referee.setup.steps import NAMES
from referee.setup.terminal import Terminal
from referee.setup.walk import Walk
from simulation.still import table_picture
from tests.support.quiet_table import quiet_table
from vision.deck import load_deck
from vision.profile import TableProfile


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

    def seen(self, since_ns: int, kept: Mapping[str, Kept]) -> Seen:
        troubles = {"camera": "The camera is not there.", "lamp": "The lamp is not there."}
        return Seen(self.time_ns, since_ns, Language("en"), self.settings, self.folder, troubles=troubles, kept=kept)

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
    # The power goes, here in the middle of the sandtimer.
    walk.open("sandtimer")
    again = Walk(PaperKit(tmp_path))
    assert again.left == ["camera", "seats", "light", "sandtimer", "lamp", "check"]
    assert again.open_step is None
    kept = again.kept
    assert (kept["deck"].data, kept["table"].state, kept["bell"].state) == ({"deck": "piccolino"}, "skipped", "good")


def test_what_was_set_up_is_proposed_for_the_first_game(tmp_path: Path) -> None:
    table = quiet_table(tmp_path, can_be_set_up=True)
    walk = table.desk.opened_walk()
    assert table.desk.state()["setup"] == {"due": True, "left": 0, "players": None, "game": None}
    walk.open("seats")
    walk.answer({"players": 5})
    walk.open("deck")
    walk.answer({"deck": "piccolino"})
    table.desk.refresh()
    setup = table.desk.state()["setup"]
    assert (setup["due"], setup["players"], setup["game"]) == (False, 5, "piccolino")
    table.close()


def test_a_step_whose_device_is_missing_is_remembered_and_offered_again(tmp_path: Path) -> None:
    walk = Walk(PaperKit(tmp_path))
    walk.open("camera")
    walk.keep()
    assert walk.kept["camera"] == Kept(
        "missing", "No picture comes from the camera: check its cable, or choose another one in Settings."
    )
    # Skipping it later does not lose what was known.
    walk.open("camera")
    walk.skip()
    assert walk.kept["camera"].state == "missing"
    with pytest.raises(BadInputError):
        walk.keep()


@pytest.mark.parametrize("text", ["", "[1]", '{"camera": 3, "bell": {"state": "odd"}}', '{"camera": {"sta'])
def test_a_damaged_record_counts_as_nothing_done(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert load_kept(tmp_path) == {}


def test_the_terminal_leads_through_all_steps_and_ends_by_itself(tmp_path: Path) -> None:
    kit, lines = PaperKit(tmp_path), list[str]()
    terminal = Terminal(Walk(kit), Language("en"), None, 0.0, lines.append)
    assert not terminal.lead(["camera", "bell", "deck"])
    assert [line.split(":")[0].strip() for line in lines if line.startswith("\n")] == ["Camera", "Bell", "Cards"]
    kept = json.loads((tmp_path / FILE).read_text())
    assert {name: one["state"] for name, one in kept.items()} == {"camera": "missing", "bell": "good", "deck": "good"}


class SeatKit(PaperKit):
    """A kit with a measured table."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.image, _ = table_picture(load_deck("confetti"), 0, 4, (1280, 720))
        self.profile: TableProfile | None = profile_of(survey([("table", self.image)]), 180.0)

    def seen(self, since_ns: int, kept: Mapping[str, Kept]) -> Seen:
        return replace(super().seen(since_ns, kept), image=self.image, profile=self.profile)

    def carry_out(self, wish: Wish) -> None:
        super().carry_out(wish)
        self.profile = wish.profile or self.profile


def test_a_seat_is_moved_by_typing(tmp_path: Path) -> None:
    kit, lines = SeatKit(tmp_path), list[str]()
    there, typed = os.pipe()
    with os.fdopen(there) as keys, os.fdopen(typed, "w", buffering=1) as people:
        people.write("2 -15\n9 +5\n2 +400\n\n")
        assert Terminal(Walk(kit), Language("en"), keys, 5.0, lines.append).lead(["seats"])
    assert any("“2 +10” moves seat 2" in line for line in lines)
    assert any("there is no such seat" in line for line in lines)
    assert kit.profile is not None
    first, second, third = kit.profile.seats[3]
    assert first < second < third and second > 1 / 3
    assert load_kept(tmp_path)["seats"].data["places"] == {"3": [first, second, third]}
