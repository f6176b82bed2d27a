"""A call bell heard: struck is struck, talk and claps are not, and a microphone that goes away comes back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hardware.events import BellPressed
from hardware.microphone import MUTED, TOO_LOUD, Arecord, BellEar, MicrophoneBell, SampleClock, Samples
from hardware.problems import BadSettingError, DeviceMissingError, HardwareError, Health, Problem
from hardware.settings import MS, SECOND, MicrophoneSettings
from tests.support import table_sounds as sounds
from tests.support.device_fakes import FakeClock, ListSink

Maker = Callable[[np.random.Generator], sounds.Sound]


def heard_ns(sound: sounds.Sound, block: int = 256) -> list[int]:
    ear = BellEar(sounds.RATE)
    strikes = []
    for start in range(0, len(sound), block):
        strikes += ear.feed(sound[start : start + block], round(start * SECOND / sounds.RATE))
    return [strike.t_ns for strike in strikes if strike.is_bell]


def between_silence(sound: sounds.Sound, rng: np.random.Generator) -> sounds.Sound:
    return np.concatenate([sounds.silence(0.3, rng), sound, sounds.silence(0.4, rng)])


@pytest.mark.parametrize("loud", [0.5, 0.05, 0.01])
def test_every_bell_in_a_quiet_room_is_heard_once_at_its_stroke(loud: float) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        times = heard_ns(between_silence(sounds.call_bell(rng, loud), rng))
        assert len(times) == 1
        assert abs(times[0] - 300 * MS) < 1 * MS


@pytest.mark.parametrize(
    "make",
    [sounds.clap, sounds.hiss, sounds.vowel, sounds.shout, sounds.chord, sounds.whistle, sounds.card_slap],
)
def test_nothing_else_at_the_table_is_a_bell(make: Maker) -> None:
    for seed in range(100, 112):
        rng = np.random.default_rng(seed)
        assert heard_ns(between_silence(make(rng), rng)) == []


def test_a_bell_is_heard_over_music() -> None:
    heard = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        music = np.concatenate([sounds.chord(rng) for _ in range(3)])
        bell = sounds.call_bell(rng)
        at = round(0.5 * sounds.RATE)
        music[at : at + len(bell)] += bell
        heard += any(abs(t_ns - 500 * MS) < 2 * MS for t_ns in heard_ns(music))
    assert heard >= 11


def test_samples_are_stamped_by_the_earliest_arrivals_and_right_again_after_lost_ones() -> None:
    rng = np.random.default_rng(1)
    clock, block_ns = SampleClock(48_000), 256 * SECOND / 48_000
    for block in range(800):
        lost_ns = SECOND if block >= 600 else 0
        taken_ns = 10 * SECOND + round(block * block_ns) + lost_ns
        late_ns = int(rng.exponential(4 * MS)) if block % 5 else 0
        stamp_ns = clock.stamp(256, taken_ns + round(block_ns) + late_ns)
        if 10 < block < 600:
            assert abs(stamp_ns - taken_ns) < 1000
    assert abs(stamp_ns - taken_ns) < 1 * MS


class FakeSource:
    """A microphone that gives the blocks put into it, or fails."""

    def __init__(self) -> None:
        self.error: HardwareError | None = None
        self.blocks: list[Samples] = []
        self.opened = 0

    def open(self) -> None:
        self.opened += 1
        if self.error is not None:
            raise self.error

    def read(self, timeout_s: float) -> Samples:
        if self.error is not None:
            raise self.error
        return self.blocks.pop(0) if self.blocks else np.zeros(0, dtype=np.float32)

    def close(self) -> None:
        self.blocks.clear()


class Rig:
    """A microphone at a table whose clock goes on with its sound."""

    def __init__(self, settings: MicrophoneSettings | None = None) -> None:
        self.clock, self.sink, self.source = FakeClock(), ListSink(), FakeSource()
        self.bell = MicrophoneBell(settings or MicrophoneSettings(), self.sink, self.source, self.clock)
        self.bell.step()
        self.rng = np.random.default_rng(6)

    def play(self, sound: sounds.Sound) -> None:
        for start in range(0, len(sound), 256):
            block = sound[start : start + 256]
            self.clock.t_ns += round(len(block) * SECOND / sounds.RATE)
            self.source.blocks.append(block)
            self.bell.step()

    def ring(self) -> sounds.Sound:
        return between_silence(sounds.call_bell(self.rng), self.rng)

    def later(self, steps: int) -> None:
        for _ in range(steps):
            self.clock.t_ns += 100 * MS
            self.bell.step()

    def states(self) -> list[Health]:
        return [health.state for health in self.sink.of(Problem)]


def test_a_stroke_arrives_with_the_time_at_the_bell_not_at_the_microphone() -> None:
    rig = Rig(MicrophoneSettings(distance_m=1.0))
    start_ns = rig.clock.t_ns
    rig.play(rig.ring())
    (rung,) = rig.sink.of(BellPressed)
    assert rung.seat is None
    assert abs(rung.t_ns - (start_ns + 300 * MS - 2_915_000)) < 1 * MS


def test_a_microphone_that_is_pulled_and_put_back_is_reported_and_heard_again() -> None:
    rig = Rig()
    rig.play(sounds.silence(0.2, rig.rng))
    rig.source.error = DeviceMissingError("some.fault", "It was unplugged.")
    rig.later(100)
    assert 3 <= rig.source.opened <= 7
    rig.source.error = None
    rig.clock.t_ns += 2 * SECOND
    rig.bell.step()
    rig.play(rig.ring())
    assert rig.states() == [Health.OK, Health.MISSING, Health.OK]
    assert len(rig.sink.of(BellPressed)) == 1


@pytest.mark.parametrize(("level", "sentence"), [(0, MUTED), (1, TOO_LOUD)])
def test_a_microphone_that_is_muted_or_far_too_loud_is_reported_and_so_is_its_end(level: int, sentence: str) -> None:
    rig = Rig()
    rig.play(sounds.silence(1.5, rig.rng))
    rig.play(np.full(8 * sounds.RATE, level, np.float32))
    rig.play(sounds.silence(2.5, rig.rng))
    reports = [(health.state, health.message) for health in rig.sink.of(Problem)]
    assert reports == [(Health.OK, ""), (Health.POOR, sentence), (Health.OK, "")]


def test_a_bell_that_is_struck_again_and_again_is_not_too_loud() -> None:
    rig = Rig()
    for _ in range(8):
        rig.play(np.clip(3 * rig.ring(), -1, 1).astype(np.float32))
    assert set(rig.states()) == {Health.OK}


def test_a_microphone_that_hangs_is_started_again() -> None:
    rig = Rig()
    rig.later(49)
    assert rig.source.opened >= 2
    assert rig.states() == [Health.STALLED]


def arecord(folder: Path, script: str) -> Arecord:
    path = folder / "arecord"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    source = Arecord(MicrophoneSettings(), str(path))
    source.open()
    return source


def test_sound_comes_out_of_the_recording_program(tmp_path: Path) -> None:
    source = arecord(tmp_path, r"printf '\000\100\000\300'; exec sleep 60")
    samples = np.zeros(0, dtype=np.float32)
    while len(samples) < 2:
        samples = np.concatenate([samples, source.read(20)])
    assert samples.tolist() == [0.5, -0.5]
    source.close()
    source.close()


def test_a_recording_program_that_ends_says_why_and_a_missing_one_what_to_install(tmp_path: Path) -> None:
    source = arecord(tmp_path, "echo 'arecord: main:831: audio open error: No such file or directory' >&2; exit 1")
    with pytest.raises(DeviceMissingError, match="audio open error"):
        source.read(20)
    source.close()
    with pytest.raises(DeviceMissingError, match="alsa-utils"):
        Arecord(MicrophoneSettings(), str(tmp_path / "nothing")).open()


@pytest.mark.parametrize("wrong", [{"rate_hz": 8000}, {"sensitivity": 0}])
def test_settings_that_cannot_hear_a_bell_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(BadSettingError):
        MicrophoneSettings(**wrong)  # type: ignore[arg-type]
