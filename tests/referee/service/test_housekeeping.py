"""What is seen to between two inputs: the disk, devices that come and go, captions, the hour."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from hardware.problems import DeviceHealth, Health, HealthBoard
from referee.journal.copies import copies
from referee.journal.evidence import EvidenceFolder
from referee.journal.folder import JOURNAL
from referee.service.housekeeping import Housekeeping
from referee.service.watchdog import Watchdog
from tests.referee.service.conftest import until
from tests.support.table_fakes import S, Table


class Round:
    def __init__(self, folder: Path) -> None:
        self.table = Table(folder, quiet_hours=("22:00", "06:00"))
        self.health = HealthBoard()
        self.news = threading.Event()
        self.evidence = EvidenceFolder(folder / "evidence", self.table.journal)
        dog = Watchdog(None, lambda: False, folder, "boot")
        self.housekeeping = Housekeeping(
            self.table.controller, self.health, self.evidence, dog, self.news, lambda: None
        )
        self.now_ns = 1000 * S

    def go(self, seconds: float = 0.1) -> None:
        self.now_ns += round(seconds * S)
        self.housekeeping.tend(self.now_ns)

    def report(self, device: str, state: Health, message: str = "x") -> None:
        self.health.report(DeviceHealth(self.now_ns, device, state, message))
        self.news.set()


@pytest.fixture
def round_(tmp_path: Path) -> Round:
    return Round(tmp_path)


def test_a_full_disk_is_said_once_tried_again_and_said_to_be_well(round_: Round) -> None:
    table = round_.table
    table.piccolino_with_a_pair()
    ((pages,),) = table.journal.read("PRAGMA page_count")
    table.journal.read(f"PRAGMA max_page_count = {pages}")
    for _ in range(40):
        table.controller.say("card_shown", {"seat": 0, "colour": "x" * 70, "mood": "sad"})
    for _ in range(20):
        round_.go(1)
    assert len([text for text in table.said if text.startswith("The disk is full")]) == 1
    assert round_.health.troubles()[0].device == "journal"
    table.journal.read("PRAGMA max_page_count = 100000")
    round_.go(6)
    assert round_.health.troubles() == ()
    round_.go(30)
    assert table.said[-1] == "The game is kept again."
    assert table.again().controller.resume() is not None


def test_a_device_that_comes_and_goes_is_said_once_and_its_end_once(round_: Round) -> None:
    for _ in range(20):
        round_.report("speaker", Health.MISSING)
        round_.go(1)
        round_.report("speaker", Health.OK, "")
        round_.go(1)
    missing, works = "The loudspeaker gives no sound: please read the page.", "The loudspeaker works again."
    assert round_.table.said == [missing]
    round_.go(30)
    assert round_.table.said == [missing, works]
    round_.report("speaker", Health.MISSING)
    round_.go(1)
    round_.go(9)
    assert round_.table.said == [missing, works]
    round_.go(1)
    assert round_.table.said == [missing, works, missing]


def test_a_short_trouble_is_shown_and_not_said_and_a_device_that_was_taken_away_does_not_work_again(
    round_: Round,
) -> None:
    round_.report("camera", Health.MISSING)
    round_.go(1)
    round_.go(8)
    assert [one.device for one in round_.health.troubles()] == ["camera"]
    round_.report("camera", Health.OK, "")
    round_.go(60)
    assert round_.table.said == []
    round_.report("lamp", Health.MISSING)
    round_.go(1)
    round_.go(10)
    round_.health.forget("lamp")
    round_.go(60)
    assert round_.table.said == ["The lamp does not answer."]


def test_only_what_the_game_needs_is_said_while_it_is_played(round_: Round) -> None:
    round_.table.piccolino_with_a_pair()
    round_.table.speaker.said.clear()
    for device in ("sandtimer", "guard clock"):
        round_.report(device, Health.MISSING)
    round_.go(1)
    round_.go(60)
    assert round_.table.said == []
    round_.report("bell", Health.MISSING)
    round_.go(1)
    round_.go(20)
    assert round_.table.said == ["The bell is missing: rings are not noticed."]
    round_.table.controller.start("confetti", ["Ann", "Ben"], {})
    round_.go(1)
    assert "The sandtimer's sensor is missing: please use the page's button." in round_.table.said


def test_a_caption_is_taken_away_after_a_while_and_the_hour_is_heeded(round_: Round) -> None:
    round_.table.voice.tell("Time! Hands off.")
    for seconds, caption in ((0.1, "Time! Hands off."), (5, "Time! Hands off."), (5, "")):
        round_.go(seconds)
        assert round_.table.voice.caption == caption
    for hour in (23, 7):
        round_.table.hour = (hour, 0)
        round_.go(30)
        assert round_.table.lamp.silent is (hour == 23)


def test_the_journal_is_copied_when_an_evening_rests_and_never_in_a_game(round_: Round, tmp_path: Path) -> None:
    journal = tmp_path / JOURNAL

    def go_far(minutes: int) -> None:
        for _ in range(minutes):
            round_.go(60)

    round_.table.piccolino_with_a_pair()
    go_far(30)
    assert copies(journal) == []
    round_.table.controller.stop()
    round_.go(1)
    round_.go(61)
    assert until(lambda: len(copies(journal)) == 1)
    before = copies(journal)
    go_far(60)
    assert copies(journal) == before
    # A game that nobody ends is copied at night.
    round_.table.piccolino_with_a_pair()
    go_far(22 * 60)
    assert until(lambda: copies(journal) != before)
