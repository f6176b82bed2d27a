"""Speech and the sounds before it: heard in order, stopped at once for what is urgent, never in anybody's way."""

from __future__ import annotations

import array
import io
import threading
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hardware import supervised
from hardware.problems import BadSettingError, Health, Problem
from hardware.settings import MS, SECOND
from hardware.speaker import NullSpeaker, SpokenSpeaker, open_speaker
from hardware.voice import Chime, SpeakerSettings, chime_wav
from tests.support.fails_once import FailsOnce
from tests.support.speech_fakes import HANG, PLAY, PLAY_LONG, RENDER, RENDER_SLOWLY, Machine, runs
from tests.support.waiting import wait_for

Open = Callable[..., SpokenSpeaker]
Reports = list[Problem]
TIMEOUT_S = 60


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path / "machine")
    made.install("espeak-ng", RENDER)
    made.install("aplay", PLAY)
    monkeypatch.setenv("PATH", str(made.bin))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return made


@pytest.fixture
def reports() -> Reports:
    return []


@pytest.fixture
def start(machine: Machine, tmp_path: Path, reports: Reports) -> Iterator[Open]:
    opened: list[SpokenSpeaker] = []

    def start_one(**more: object) -> SpokenSpeaker:
        settings = SpeakerSettings(**{"cache": tmp_path / "cache", **more})  # type: ignore[arg-type]
        speaker = open_speaker(settings, reports.append)
        assert isinstance(speaker, SpokenSpeaker), reports
        opened.append(speaker)
        return speaker

    yield start_one
    for speaker in opened:
        speaker.close()


def say(speaker: SpokenSpeaker, *sentences: str) -> None:
    speaker.say(sentences)
    assert speaker.wait(TIMEOUT_S)


def states(reports: Reports) -> list[Health]:
    return [report.state for report in reports]


def test_sentences_are_heard_in_order_as_they_are_written(machine: Machine, start: Open) -> None:
    say(start(language="de"), "Zeit! Hände weg.", "Zoë: fünf Sätze.")
    assert machine.played == ["Zeit! Hände weg.", "Zoë: fünf Sätze."]


def test_a_sentence_is_rendered_once_in_the_life_of_a_table_and_ahead_in_silence(machine: Machine, start: Open) -> None:
    speaker = start()
    speaker.prepare(["Time!", "False ring."])
    assert speaker.wait(TIMEOUT_S)
    assert (machine.renders, machine.played) == (2, [])
    for one in (speaker, speaker, start()):
        say(one, "Time!")
    assert (machine.renders, machine.played) == (2, ["Time!"] * 3)


def test_a_new_ruling_stops_the_old_sentence_and_what_was_to_follow(machine: Machine, start: Open) -> None:
    machine.install("aplay", PLAY_LONG)
    speaker = start()
    speaker.say(["Long story.", "Its end."])
    wait_for(lambda: (machine.folder / "pid").exists() and bool(machine.read("pid")))
    say(speaker, "False ring.")
    assert machine.played == ["Long story.", "False ring."]
    assert not runs(int(machine.read("pid")[0]))


def test_what_can_wait_waits_and_of_too_much_the_oldest_is_left_out(machine: Machine, start: Open) -> None:
    machine.install("aplay", PLAY_LONG)
    speaker = start(waiting=2)
    speaker.say(["Long story."])
    wait_for(lambda: machine.played == ["Long story."])
    for sentence in ("One.", "Two.", "Three."):
        speaker.say([sentence], urgent=False)
    machine.go()
    assert speaker.wait(TIMEOUT_S)
    assert machine.played == ["Long story.", "Two.", "Three."]


def test_hush_is_silence_at_once(machine: Machine, start: Open) -> None:
    machine.install("aplay", PLAY_LONG)
    speaker = start()
    speaker.say(["Long story.", "Its end."])
    wait_for(lambda: machine.played == ["Long story."])
    speaker.hush()
    assert speaker.wait(TIMEOUT_S)
    assert machine.played == ["Long story."]


def test_rendering_ahead_gives_way_to_what_is_to_be_said(machine: Machine, start: Open) -> None:
    machine.install("espeak-ng", RENDER_SLOWLY)
    speaker = start()
    speaker.prepare(["Slow phrase."])
    wait_for(lambda: machine.read("slow") == ["x"])
    speaker.say(["Time!"])
    wait_for(lambda: machine.played == ["Time!"])
    machine.go()
    assert speaker.wait(TIMEOUT_S)
    assert (machine.renders, machine.read("slow")) == (2, ["x", "x"])


def test_names_are_text_and_no_commands(machine: Machine, start: Open) -> None:
    say(start(), "--version wins.", "[[a]] and\tBen\x1b[2J\nlose.", "   ", "x" * 5000)
    assert machine.played[:2] == ["--version wins.", "(a) and Ben [2J lose."]
    assert [len(text) for text in machine.played[2:]] == [600]


def test_an_unexpected_fault_costs_one_sentence(
    machine: Machine, start: Open, reports: Reports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised, "LAST_WAIT_S", 0.01)
    speaker = start()
    monkeypatch.setattr(speaker, "_rendered", FailsOnce(speaker._rendered))
    say(speaker, "One.", "Two.")
    assert (machine.played, states(reports)) == (["Two."], [Health.MISSING, Health.OK])


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ('echo "first"; echo "no such voice" >&2; exit 3', "no such voice"),
        ('for out; do :; done; head -c 60 "$HERE/sound.wav" > "$out"', ""),
        ('for out; do :; done; : > "$out"', ""),
        ("exit 0", ""),
    ],
)
def test_a_voice_that_crashes_or_gives_half_a_sound_is_reported_once_and_works_again(
    machine: Machine, start: Open, reports: Reports, script: str, said: str
) -> None:
    (machine.bin / "head").symlink_to("/usr/bin/head")
    machine.install("espeak-ng", script)
    speaker = start()
    say(speaker, "One.", "Two.", "Three.")
    assert (machine.played, [(one.part, one.state) for one in reports]) == ([], [("speaker", Health.MISSING)])
    assert said in reports[0].message
    machine.install("espeak-ng", RENDER)
    say(speaker, "One.")
    assert (machine.played, states(reports)) == (["One."], [Health.MISSING, Health.OK])


def test_a_voice_that_hangs_is_ended_and_reported(machine: Machine, start: Open, reports: Reports) -> None:
    machine.install("espeak-ng", f'echo $$ >> "$HERE/pid"; {HANG}')
    say(start(render_limit_ns=300 * MS), "One.")
    assert (machine.played, states(reports)) == ([], [Health.STALLED])
    assert not any(runs(int(pid)) for pid in machine.read("pid"))


def test_a_loudspeaker_that_is_missing_is_said_once(machine: Machine, start: Open, reports: Reports) -> None:
    machine.install("aplay", 'echo "audio open error: No such file" >&2; exit 1')
    speaker = start()
    for sentence in ("One.", "Two.", "Three."):
        speaker.say([sentence], urgent=False)
    assert speaker.wait(TIMEOUT_S)
    assert states(reports) == [Health.MISSING]
    assert "loudspeaker" in reports[0].message
    machine.install("aplay", PLAY)
    say(speaker, "Four.")
    assert (machine.played, states(reports)) == (["Four."], [Health.MISSING, Health.OK])


def test_a_player_that_hangs_holds_up_one_sentence(machine: Machine, start: Open, reports: Reports) -> None:
    machine.install("aplay", f'{PLAY}\ncase "$text" in One*) {HANG};; esac')
    say(start(play_margin_ns=2 * SECOND), "One.", "Two.")
    assert (machine.played, states(reports)) == (["One.", "Two."], [Health.STALLED, Health.OK])


def test_closing_stops_the_sentence_and_leaves_nothing_behind(machine: Machine, start: Open) -> None:
    before = threading.active_count()
    machine.install("aplay", PLAY_LONG)
    speaker = start()
    speaker.say(["Long story.", "Its end."])
    wait_for(lambda: bool(machine.read("pid")))
    speaker.close()
    speaker.close()
    speaker.say(["After the end."])
    assert threading.active_count() == before
    assert not runs(int(machine.read("pid")[0]))
    assert machine.played == ["Long story."]


@pytest.mark.parametrize(
    ("language", "script", "tried"),
    [("de", RENDER, 2), ("fr", RENDER, 0), ("de", "exit 1", 1)],
    ids=["its voice", "another voice", "it fails"],
)
def test_piper_speaks_where_it_has_a_voice_and_espeak_where_it_fails(
    machine: Machine, start: Open, reports: Reports, tmp_path: Path, language: str, script: str, tried: int
) -> None:
    machine.install("piper", f'echo x >> "$HERE/piper"; {script}')
    folder = tmp_path / "share" / "piper-voices"
    folder.mkdir(parents=True)
    for name in ("de_DE-x.onnx", "de_DE-x.onnx.json"):
        (folder / name).write_text("{}", encoding="utf-8")
    say(start(language=language), "Eins.", "Zwei.")
    assert (machine.played, states(reports)) == (["Eins.", "Zwei."], [])
    assert len(machine.read("piper")) == tried


@pytest.mark.parametrize(
    ("gone", "backend", "advice"),
    [("espeak-ng", "auto", "espeak-ng"), ("aplay", "auto", "alsa-utils"), ("", "piper", "piper-voices")],
)
def test_what_is_not_installed_is_said_with_what_to_do(
    machine: Machine, reports: Reports, gone: str, backend: str, advice: str
) -> None:
    if gone:
        (machine.bin / gone).unlink()
    speaker = open_speaker(SpeakerSettings(backend=backend), reports.append)
    speaker.say(["One."])
    assert isinstance(speaker, NullSpeaker)
    assert states(reports) == [Health.MISSING]
    assert advice in reports[0].message


def test_other_players_and_devices_can_be_chosen(machine: Machine, start: Open) -> None:
    machine.install("paplay", f'echo "$1" >> "$HERE/device"; {PLAY}')
    (machine.bin / "aplay").unlink()
    say(start(device="kitchen"), "One.")
    assert (machine.played, machine.read("device")) == (["One."], ["--device=kitchen"])


def test_the_folder_of_sounds_may_fail(machine: Machine, start: Open, tmp_path: Path, reports: Reports) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    speaker = start(cache=tmp_path / "file" / "cache")
    say(speaker, "One.")
    speaker = start(cache_files=3)
    speaker.say([f"{number}." for number in range(21)], urgent=False)
    assert speaker.wait(TIMEOUT_S)
    say(speaker, *(f"{number}." for number in range(21, 26)))
    cache = tmp_path / "cache"
    kept = sorted(cache.iterdir())
    assert 3 <= len(kept) < 21 - 3
    for file in kept:
        file.write_bytes(b"RIFF")
    say(speaker, "25.")
    assert (machine.played.count("25."), reports) == (2, [])


@pytest.mark.parametrize(
    "wrong", [{"backend": "shout"}, {"language": "nl"}, {"words_a_minute": 5}, {"waiting": 0}, {"cache_files": 0}]
)
def test_settings_that_cannot_work_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadSettingError):
        SpeakerSettings(**wrong)  # type: ignore[arg-type]


def samples(chime: Chime, volume: float = 1.0) -> array.array[int]:
    with wave.open(io.BytesIO(chime_wav(chime, volume))) as sound:
        assert (sound.getnchannels(), sound.getsampwidth()) == (1, 2)
        return array.array("h", sound.readframes(sound.getnframes()))


def test_each_chime_is_another_sound_of_less_than_a_second_and_half_as_loud_at_half_the_volume() -> None:
    sounds = {chime: samples(chime) for chime in Chime}
    assert len({sound.tobytes() for sound in sounds.values()}) == len(Chime)
    for chime, sound in sounds.items():
        assert 2000 < len(sound) < 22_050 and max(sound) > 4000
        assert max(samples(chime, 0.5)) == pytest.approx(max(sound) / 2, rel=0.01)
        assert not any(samples(chime, 0.0))


def test_a_chime_is_played_before_its_sentence_at_its_volume(machine: Machine, start: Open, tmp_path: Path) -> None:
    machine.install("aplay", 'for wav; do :; done; echo "${wav##*/}" >> "$HERE/played"')
    speaker = start(volume=0.5)
    speaker.say(["Valid ring."], chime=Chime.VALID)
    assert speaker.wait(TIMEOUT_S)
    assert [name.startswith("chime-valid") for name in machine.played] == [True, False]
    chime = next((tmp_path / "cache").glob("chime-valid*"))
    assert chime.read_bytes() == chime_wav(Chime.VALID, 0.5)
