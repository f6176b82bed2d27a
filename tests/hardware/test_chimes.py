"""The sounds before speech: short, all different, as loud as was asked for, and heard before the first word."""

from __future__ import annotations

import array
import io
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.speaker import SpokenSpeaker, open_speaker
from hardware.voice import Chime, SpeakerSettings, chime_wav
from tests.support.speech_fakes import RENDER, Machine


def samples(chime: Chime, volume: float = 1.0) -> array.array[int]:
    with wave.open(io.BytesIO(chime_wav(chime, volume))) as sound:
        assert (sound.getnchannels(), sound.getsampwidth()) == (1, 2)
        return array.array("h", sound.readframes(sound.getnframes()))


def test_each_chime_is_another_sound_of_less_than_a_second() -> None:
    sounds = {chime: samples(chime) for chime in Chime}
    assert len({sound.tobytes() for sound in sounds.values()}) == len(Chime)
    assert all(2000 < len(sound) < 22_050 for sound in sounds.values())
    assert all(max(sound) > 4000 for sound in sounds.values())


@pytest.mark.parametrize("chime", list(Chime))
def test_half_the_volume_is_half_the_swing(chime: Chime) -> None:
    assert max(samples(chime, 0.5)) == pytest.approx(max(samples(chime)) / 2, rel=0.01)
    assert not any(samples(chime, 0.0))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path / "machine")
    made.install("espeak-ng", RENDER)
    made.install("aplay", 'for wav; do :; done; echo "${wav##*/}" >> "$HERE/played"')
    monkeypatch.setenv("PATH", str(made.bin))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return made


@pytest.fixture
def speaker(machine: Machine, tmp_path: Path) -> Iterator[SpokenSpeaker]:
    made = open_speaker(SpeakerSettings(cache=tmp_path / "cache", volume=0.5))
    assert isinstance(made, SpokenSpeaker)
    yield made
    made.close()


def test_the_chime_is_played_before_the_sentence_and_at_its_volume(
    machine: Machine, speaker: SpokenSpeaker, tmp_path: Path
) -> None:
    speaker.say(["Valid ring."], chime=Chime.VALID)
    assert speaker.wait(60)
    assert [name.startswith("chime-valid") for name in machine.played] == [True, False]
    chime = next((tmp_path / "cache").glob("chime-valid*"))
    assert chime.read_bytes() == chime_wav(Chime.VALID, 0.5)
