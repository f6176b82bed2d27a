"""What is said and shown between two inputs: by the voice, of the disk, of devices that come and go, at night."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from hardware.lamp import Lamp, NullLamp, RecordedLamp, Signal
from hardware.problems import Health, Problem
from hardware.voice import NOTES, Chime
from referee.match.process import Watchdog, interval_ns, notify
from referee.state_folder import JOURNAL
from referee.store.database import copies
from tests.referee.match.conftest import until
from tests.support.table_fakes import S, Table


class Round:
    def __init__(self, folder: Path) -> None:
        self.table = Table(folder, quiet_hours=("22:00", "06:00"))
        self.health = self.table.referee.health
        self.now_ns = 1000 * S

    def go(self, seconds: float = 0.1) -> None:
        self.now_ns += round(seconds * S)
        self.table.referee.tend(self.now_ns)

    def report(self, device: str, state: Health, message: str = "x") -> None:
        self.table.referee.report(Problem(device, state, message, t_ns=self.now_ns))


@pytest.fixture
def round_(tmp_path: Path) -> Round:
    return Round(tmp_path)


def test_a_lamp_whose_pins_another_program_held_is_opened_again(round_: Round, monkeypatch: pytest.MonkeyPatch) -> None:
    parts, lamp = round_.table.referee.announcements._parts, RecordedLamp()
    found: list[Lamp] = [NullLamp(), NullLamp(), lamp]
    monkeypatch.setattr(round_.table.referee.announcements, "_parts", replace(parts, lamp=lambda *_: found.pop(0)))
    for fitted in (False, True):
        round_.table.referee.change_settings({"lamp": fitted})
    round_.report("lamp", Health.MISSING)
    round_.go(30)
    round_.table.referee.announcements.show(Signal.VALID)
    assert [signal for _, signal in lamp.shown] == [Signal.VALID]
    assert round_.health.troubles() == ()


def test_a_full_disk_is_said_once_tried_again_and_said_to_be_well(round_: Round) -> None:
    table = round_.table
    table.piccolino_with_a_pair()
    ((pages,),) = table.referee.store.read("PRAGMA page_count")
    table.referee.store.read(f"PRAGMA max_page_count = {pages}")
    for _ in range(40):
        table.referee.say("card_shown", {"seat": 0, "colour": "x" * 70, "mood": "sad"})
    for _ in range(20):
        round_.go(1)
    assert len([text for text in table.said if text.startswith("The disk is full")]) == 1
    assert round_.health.troubles()[0].part == "journal"
    table.referee.store.read("PRAGMA max_page_count = 100000")
    round_.go(6)
    assert round_.health.troubles() == ()
    round_.go(30)
    assert table.said[-1] == "The game is kept again."
    assert table.again().referee.resume() is not None


def test_a_device_that_comes_and_goes_is_said_once_and_its_end_once(round_: Round) -> None:
    for seconds in (12, *(1 for _ in range(10))):
        round_.report("speaker", Health.MISSING)
        round_.go(seconds)
        round_.report("speaker", Health.OK, "")
        round_.go(1)
    missing, works = "The loudspeaker gives no sound: please read the page.", "The loudspeaker works again."
    assert round_.table.said == [missing]
    round_.go(30)
    assert round_.table.said == [missing, works]
    round_.report("speaker", Health.MISSING)
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
    assert [one.part for one in round_.health.troubles()] == ["camera"]
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
    round_.report("sandtimer", Health.MISSING)
    round_.go(1)
    round_.go(60)
    assert round_.table.said == []
    round_.report("bell", Health.MISSING)
    round_.go(1)
    round_.go(20)
    assert round_.table.said == ["The bell is missing: rings are not noticed."]
    round_.table.referee.begin("confetti", ["Ann", "Ben"], {})
    round_.go(1)
    assert "The sandtimer's sensor is missing: please use the page's button." in round_.table.said


def test_a_caption_is_taken_away_after_a_while_and_the_hour_is_heeded(round_: Round) -> None:
    round_.table.referee.announcements.speak("Time! Hands off.")
    for seconds, caption in ((0.1, "Time! Hands off."), (5, "Time! Hands off."), (5, "")):
        round_.go(seconds)
        assert round_.table.referee.announcements.caption == caption
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
    round_.table.referee.end_game()
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


def test_quiet_hours_silence_speech_and_buzzer_but_not_the_caption(tmp_path: Path) -> None:
    table = Table(tmp_path, quiet_hours=("20:00", "07:00"))
    table.piccolino_with_a_pair()
    spoken = len(table.said)
    table.hour = (23, 30)
    table.referee.announcements.heed_the_hour()
    table.hear("bell", seat=2)
    assert len(table.said) == spoken
    assert table.lamp.silent
    assert table.lamp.shown[-1][1] is Signal.VALID
    assert table.referee.announcements.caption.startswith("Valid ring, Cem")
    table.hour = (8, 0)
    table.referee.announcements.heed_the_hour()
    table.referee.announcements.speak("Good morning.")
    assert table.said[-1] == "Good morning."
    assert not table.lamp.silent


def test_pages_that_speak_get_what_is_said_but_at_night_nothing_and_never_a_code(pair: Table) -> None:
    pair.hear("bell", seat=2)
    before = pair.referee.announcements.said
    assert before[-1]["text"].startswith("Valid ring, Cem") and before[-1]["urgent"]
    assert before[-1]["chime"] == NOTES[Chime.VALID]
    pair.referee.announcements.say_aloud("The code is one.")
    pair.referee.change_settings({"quiet": True})
    pair.referee.announcements.speak("Nobody hears this.")
    pair.referee.announcements.say_aloud("The code is two.")
    assert pair.said[-2:] == ["The code is one.", "The code is two."]
    assert pair.referee.announcements.said == before
    assert pair.referee.announcements.caption == "Nobody hears this."
    numbers = [one["number"] for one in before]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_what_names_a_forgotten_player_is_neither_shown_nor_kept_nor_said_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "cache"))
    kept = tmp_path / "cache" / "speech"
    kept.mkdir(parents=True)
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=2)
    (kept / "rendered.wav").write_bytes(b"Cem")
    (kept / "chime-valid-1.00.wav").write_bytes(b"ding")
    table.referee.announcements.forget()
    assert (table.referee.announcements.caption, table.referee.announcements.said) == ("", ())
    assert [path.name for path in kept.iterdir()] == ["chime-valid-1.00.wav"]
    table.referee.announcements.speak("The next game begins.")
    assert table.said[-1] == table.referee.announcements.caption == "The next game begins."


def test_the_lamp_runs_with_the_sand_and_ends_with_it(table: Table) -> None:
    table.referee.begin("confetti", ["Ann"], {})
    table.hear("timer_flipped")
    table.hear("timer_ran_out")
    assert [signal for _, signal in table.lamp.shown] == [Signal.OFF, Signal.TIME_RUNNING, Signal.TIME_OVER]


def test_a_caption_has_two_short_sentences_and_all_is_said(table: Table) -> None:
    said = ["Ann: four points.", "Ben: three points.", "The end: Ann wins with four points."]
    table.referee.announcements.speak(*said)
    assert table.said[-3:] == said
    assert table.referee.announcements.caption == "Ann: four points. Ben: three points. …"
    assert table.referee.announcements.said[-1]["text"] == " ".join(said)
    long = "The file of past games was damaged and put aside; all but the last of them could be read and are kept."
    table.referee.announcements.speak(long, long)
    assert table.referee.announcements.caption == f"{long} …"
    table.referee.announcements.speak("Time! Hands off.")
    assert table.referee.announcements.caption == "Time! Hands off."


def signs(seconds: range, hangs: bool = False, every_ns: int | None = 20 * S) -> int:
    """Return how many signs of life rounds at these seconds give."""
    lines: list[str] = []

    def systemd(line: str) -> bool:
        lines.append(line)
        return True

    dog = Watchdog(every_ns, lambda: hangs, systemd)
    for second in seconds:
        dog.worked(second * S)
    assert set(lines) <= {"WATCHDOG=1"}
    return len(lines)


def test_every_round_that_is_due_gives_a_sign_and_a_camera_that_hangs_ends_them() -> None:
    assert signs(range(60)) == 12
    assert signs(range(60), every_ns=None) == 0
    assert signs(range(100, 160, 6), hangs=True) == 0


@pytest.mark.parametrize(
    ("said", "interval"),
    [
        ({"WATCHDOG_USEC": "20000000"}, 20 * S),
        ({"WATCHDOG_USEC": "20000000", "WATCHDOG_PID": str(os.getpid())}, 20 * S),
        ({"WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_interval_is_what_systemd_says_for_this_process(said: dict[str, str], interval: int | None) -> None:
    assert interval_ns(said) == interval


def test_systemd_hears_what_is_sent(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        assert notify("READY=1", {"NOTIFY_SOCKET": str(tmp_path / "notify")})
        assert listener.recv(100) == b"READY=1"
    assert not notify("READY=1", {})
    assert not notify("READY=1", {"NOTIFY_SOCKET": str(tmp_path / "nobody")})
