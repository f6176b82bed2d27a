"""A call bell heard: struck is struck, talk and claps are not, and a microphone that goes away comes back."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hardware.events import BellPressed, Event
from hardware.microphone import MUTED, TOO_LOUD, Arecord, BellEar, MicrophoneBell, SampleClock, Samples
from hardware.problems import BadSettingError, DeviceHealth, DeviceMissingError, HardwareError, Health
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


def test_how_the_sound_is_cut_into_blocks_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    sound = between_silence(sounds.call_bell(rng), rng)
    results = {tuple(heard_ns(sound, block)) for block in (64, 256, 1000, len(sound))}
    assert len(results) == 1


def test_what_waits_to_be_judged_is_held() -> None:
    rng = np.random.default_rng(4)
    sound = between_silence(sounds.call_bell(rng), rng)
    ear = BellEar(sounds.RATE)
    ear.feed(sound[: round(0.36 * sounds.RATE)], 0)
    assert ear.undecided_ns is not None
    assert abs(ear.undecided_ns - 300 * MS) < 1 * MS


def test_samples_are_stamped_by_the_earliest_arrivals() -> None:
    rng = np.random.default_rng(1)
    clock = SampleClock(48_000)
    worst = 0
    for block in range(600):
        taken = 10 * SECOND + round(block * 256 * SECOND / 48_000)
        late = int(rng.exponential(4 * MS)) if block % 5 else 0
        stamp = clock.stamp(256, taken + round(256 * SECOND / 48_000) + late)
        if block > 10:
            worst = max(worst, abs(stamp - taken))
    assert worst < 1000


def test_lost_samples_shift_the_stamps_after_some_blocks() -> None:
    clock = SampleClock(48_000)
    t_ns = SECOND
    for block in range(200):
        t_ns += round(256 * SECOND / 48_000) + (SECOND if block == 100 else 0)
        stamp = clock.stamp(256, t_ns)
    assert abs(stamp - (t_ns - round(256 * SECOND / 48_000))) < 1 * MS


class FakeSource:
    """A microphone that gives what it is told to, or fails."""

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


def play(bell: MicrophoneBell, source: FakeSource, clock: FakeClock, sound: sounds.Sound) -> None:
    for start in range(0, len(sound), 256):
        block = sound[start : start + 256]
        clock.t_ns += round(len(block) * SECOND / sounds.RATE)
        source.blocks.append(block)
        bell.step()


def test_a_stroke_arrives_with_the_time_at_the_bell_not_at_the_microphone() -> None:
    clock, sink, source = FakeClock(), ListSink(), FakeSource()
    bell = MicrophoneBell(MicrophoneSettings(distance_m=1.0), sink, source, clock)
    bell.step()
    rng = np.random.default_rng(5)
    start_ns = clock.t_ns
    play(bell, source, clock, between_silence(sounds.call_bell(rng), rng))
    (rung,) = sink.of(BellPressed)
    assert rung.seat is None
    assert abs(rung.t_ns - (start_ns + 300 * MS - 2_915_000)) < 1 * MS


def test_a_microphone_that_is_pulled_and_put_back_is_reported_and_heard_again() -> None:
    clock, sink, source = FakeClock(), ListSink(), FakeSource()
    bell = MicrophoneBell(MicrophoneSettings(), sink, source, clock)
    rng = np.random.default_rng(6)
    bell.step()
    play(bell, source, clock, sounds.silence(0.2, rng))
    source.error = DeviceMissingError("It was unplugged.")
    for _ in range(100):
        clock.t_ns += 100 * MS
        bell.step()
    assert 3 <= source.opened <= 7
    source.error = None
    clock.t_ns += 2 * SECOND
    bell.step()
    play(bell, source, clock, between_silence(sounds.call_bell(rng), rng))
    assert [health.state for health in sink.of(DeviceHealth)] == [Health.OK, Health.MISSING, Health.OK]
    assert len(sink.of(BellPressed)) == 1


@pytest.mark.parametrize(
    ("sound", "sentence"), [(np.zeros(sounds.RATE, np.float32), MUTED), (np.ones(sounds.RATE, np.float32), TOO_LOUD)]
)
def test_a_microphone_that_is_muted_or_far_too_loud_is_told_of_and_so_is_its_end(
    sound: sounds.Sound, sentence: str
) -> None:
    clock, sink, source = FakeClock(), ListSink(), FakeSource()
    bell = MicrophoneBell(MicrophoneSettings(), sink, source, clock)
    rng = np.random.default_rng(7)
    bell.step()
    play(bell, source, clock, sounds.silence(1.5, rng))
    for _ in range(8):
        play(bell, source, clock, sound)
    play(bell, source, clock, sounds.silence(2.5, rng))
    told = [(health.state, health.message) for health in sink.of(DeviceHealth)]
    assert told == [(Health.OK, ""), (Health.POOR, sentence), (Health.OK, "")]


def test_a_bell_that_is_struck_again_and_again_is_not_too_loud() -> None:
    clock, sink, source = FakeClock(), ListSink(), FakeSource()
    bell = MicrophoneBell(MicrophoneSettings(), sink, source, clock)
    rng = np.random.default_rng(8)
    bell.step()
    for _ in range(8):
        play(bell, source, clock, np.clip(3 * between_silence(sounds.call_bell(rng), rng), -1, 1).astype(np.float32))
    assert {health.state for health in sink.of(DeviceHealth)} == {Health.OK}


def test_a_microphone_that_hangs_is_started_anew() -> None:
    clock, sink, source = FakeClock(), ListSink(), FakeSource()
    bell = MicrophoneBell(MicrophoneSettings(), sink, source, clock)
    for _ in range(50):
        bell.step()
        clock.t_ns += 100 * MS
    assert source.opened >= 2
    assert [health.state for health in sink.of(DeviceHealth)] == [Health.STALLED]


def program(path: Path, script: str) -> str:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_sound_comes_out_of_the_recording_program(tmp_path: Path) -> None:
    source = Arecord(
        MicrophoneSettings(), program(tmp_path / "arecord", r"printf '\000\100\000\300\000'; exec sleep 60")
    )
    source.open()
    samples = np.zeros(0, dtype=np.float32)
    while len(samples) < 2:
        samples = np.concatenate([samples, source.read(20)])
    assert samples.tolist() == [0.5, -0.5]
    source.close()
    source.close()


def test_a_recording_program_that_ends_says_why(tmp_path: Path) -> None:
    script = "echo 'arecord: main:831: audio open error: No such file or directory' >&2; exit 1"
    source = Arecord(MicrophoneSettings(), program(tmp_path / "arecord", script))
    source.open()
    with pytest.raises(DeviceMissingError, match="audio open error"):
        source.read(20)
    source.close()


def test_a_missing_recording_program_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(DeviceMissingError, match="alsa-utils"):
        Arecord(MicrophoneSettings(), str(tmp_path / "nothing")).open()


def test_the_thread_reports_a_missing_program_and_ends(tmp_path: Path) -> None:
    told = threading.Event()

    class Waker(ListSink):
        def put(self, event: Event) -> None:
            super().put(event)
            told.set()

    sink = Waker()
    settings = MicrophoneSettings()
    before = threading.active_count()
    bell = MicrophoneBell(settings, sink, Arecord(settings, str(tmp_path / "nothing")))
    bell.start()
    assert told.wait(20)
    bell.stop()
    assert threading.active_count() == before
    assert sink.of(DeviceHealth)[0].state is Health.MISSING


def test_settings_that_cannot_hear_a_bell_are_refused() -> None:
    with pytest.raises(BadSettingError):
        MicrophoneSettings(rate_hz=8000)
    with pytest.raises(BadSettingError):
        MicrophoneSettings(sensitivity=0)
