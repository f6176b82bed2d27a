"""The announcer at work: what is said when, and what is not said at night."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.lamp import Signal
from referee.service.settings import TableSettings
from tests.support.table_fakes import Table


def test_quiet_hours_silence_speech_and_buzzer_but_not_the_caption(tmp_path: Path) -> None:
    table = Table(tmp_path, quiet_hours=("20:00", "07:00"))
    table.piccolino_with_a_pair()
    spoken = len(table.said)
    table.hour = (23, 30)
    table.voice.heed_the_hour()
    table.hear("bell", seat=2)
    assert len(table.said) == spoken
    assert table.lamp.silent
    assert table.lamp.shown[-1][1] is Signal.VALID
    assert table.voice.caption.startswith("Valid ring, Cem")
    table.hour = (8, 0)
    table.voice.heed_the_hour()
    table.voice.tell("Good morning.")
    assert table.said[-1] == "Good morning."
    assert not table.lamp.silent


def test_pages_that_speak_are_told_what_is_said_but_at_night_nothing_and_never_a_code(pair: Table) -> None:
    pair.hear("bell", seat=2)
    assert pair.voice.said[-1]["text"].startswith("Valid ring, Cem") and pair.voice.said[-1]["urgent"]
    before = pair.voice.said
    pair.voice.say_aloud("The code is one.")
    pair.controller.change_settings(TableSettings(quiet=True))
    pair.voice.tell("Nobody hears this.")
    pair.voice.say_aloud("The code is two.")
    assert pair.said[-2:] == ["The code is one.", "The code is two."]
    assert pair.voice.said == before
    assert pair.voice.caption == "Nobody hears this."
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
    table.voice.forget()
    assert (table.voice.caption, table.voice.said) == ("", ())
    assert [path.name for path in kept.iterdir()] == ["chime-valid-1.00.wav"]
    table.voice.tell("The next game begins.")
    assert table.said[-1] == table.voice.caption == "The next game begins."


def test_the_lamp_runs_with_the_sand_and_ends_with_it(table: Table) -> None:
    table.controller.start("confetti", ["Ann"], {})
    table.hear("timer_flipped")
    table.hear("timer_ran_out")
    assert [signal for _, signal in table.lamp.shown] == [Signal.OFF, Signal.TIME_RUNNING, Signal.TIME_OVER]


def test_a_caption_has_two_short_sentences_and_all_is_said(table: Table) -> None:
    said = ["Ann: four points.", "Ben: three points.", "The end: Ann wins with four points."]
    table.voice.tell(*said)
    assert table.said[-3:] == said
    assert table.voice.caption == "Ann: four points. Ben: three points. …"
    assert table.voice.said[-1]["text"] == " ".join(said)
    long = "The file of past games was damaged and put aside; all but the last of them could be read and are kept."
    table.voice.tell(long, long)
    assert table.voice.caption == f"{long} …"
    table.voice.tell("Time! Hands off.")
    assert table.voice.caption == "Time! Hands off."
