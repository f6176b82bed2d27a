"""A bell that is heard by a microphone: finds the times of its strokes in sound samples.

Four signs of a bell: it starts within milliseconds; nearly all of its sound above 1.5 kHz is in a few narrow tones; 0.1
s later the same tones are still there, but weaker; there is little sound below 1.2 kHz. A clap and a dropped card are
as sudden, but short and without tones. Speech and music have low tones, or tones that swell or do not fade. A coin's
tones fade within some hundredths of a second. Every measure is relative to the sound just before the strike: a noisy
room or a bell that still rings does not count.

`arecord` (alsa-utils, part of Raspberry Pi OS) captures the sound in its own process. A driver may hang when a USB
microphone is pulled out. It then hangs that process only, which can be restarted.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

import numpy as np
import numpy.typing as npt

from hardware.edges import Clock
from hardware.events import BellPressed, Sink
from hardware.problems import INSTALL_ALSA, DeviceMissingError, HardwareError, Health, Problem, Said, one_line
from hardware.settings import SECOND, MicrophoneSettings
from hardware.supervised import SupervisedThread

Samples = npt.NDArray[np.float32]
Power = npt.NDArray[np.float64]

LOW_HZ = (120.0, 1200.0)
BRIGHT_HZ = (1500.0, 15000.0)
WINDOW_S = 0.0213
HOP_S = 0.00533
# Bright power must rise by this factor within one window.
RISE = 4.0
QUIET_RMS = 1e-3
EARLY_S = (0.020, 0.060)
LATE_S = (0.100, 0.150)
TONES = 5
TONE_HALF_WIDTH = 2
TONAL_MIN = 0.6
BRIGHT_MIN = 2.0
FADE_MIN, FADE_MAX = 0.05, 0.9
ATTACK_MIN = 0.6
BELL_DEAD_S, OTHER_DEAD_S = 0.08, 0.01
ONSET_SHARE = 0.25
GROUND_FRAMES = 6
TINY = 1e-12


@dataclass(frozen=True)
class Strike:
    """Measurements of one sudden bright sound.

    t_ns: its onset. tonal: share of the bright power in the strongest tones. bright: bright power over low power. fade:
    the tones' share that remains after 0.1 s. attack: power at the start over the largest later power.
    """

    t_ns: int
    tonal: float
    bright: float
    fade: float
    attack: float

    @property
    def is_bell(self) -> bool:
        """Return whether the sound is a bell's."""
        return (
            self.tonal >= TONAL_MIN
            and self.bright >= BRIGHT_MIN
            and FADE_MIN <= self.fade <= FADE_MAX
            and self.attack >= ATTACK_MIN
        )


class BellEar:
    """Finds strikes in the samples of one microphone."""

    def __init__(self, rate_hz: int, sensitivity: float = 1.0) -> None:
        """sensitivity: 2 hears a bell of half the loudness."""
        self._rate_hz = rate_hz
        self._window = 2 ** round(np.log2(WINDOW_S * rate_hz))
        self._hop = max(round(HOP_S * rate_hz), 1)
        self._taper = np.hanning(self._window)
        frequencies = np.fft.rfftfreq(self._window, 1 / rate_hz)
        self._low = (frequencies >= LOW_HZ[0]) & (frequencies <= LOW_HZ[1])
        self._bright = (frequencies >= BRIGHT_HZ[0]) & (frequencies <= min(BRIGHT_HZ[1], 0.45 * rate_hz))
        # Parseval: the power of a tone of the lowest loudness in a tapered window.
        quiet = QUIET_RMS / sensitivity
        self._floor = quiet**2 * self._window * float(np.sum(self._taper**2)) / 2
        self._before = self._window // self._hop
        self._after = round(LATE_S[1] * rate_hz / self._hop) + self._before + 1
        self._sound: Samples = np.zeros(0, dtype=np.float32)
        self._stamp_ns = 0
        self._powers: list[Power] = []
        self._next = self._before + GROUND_FRAMES
        self._dead_until_ns: int | None = None
        self.undecided_ns: int | None = None

    def feed(self, samples: Samples, t_ns: int) -> list[Strike]:
        """Take samples ((n,), -1 to 1), of which the first was taken at `t_ns`; return the strikes decided by now.

        A strike is decided 0.17 s after its onset; `undecided_ns` is an onset that still waits.
        """
        self._stamp_ns = t_ns - round(len(self._sound) * SECOND / self._rate_hz)
        self._sound = np.concatenate((self._sound, samples))
        while (start := len(self._powers) * self._hop) + self._window <= len(self._sound):
            windowed = self._sound[start : start + self._window] * self._taper
            self._powers.append(np.square(np.abs(np.fft.rfft(windowed))))
        strikes = self._look()
        self._forget()
        return strikes

    def _look(self) -> list[Strike]:
        """Return strikes in the new frames; each is measured when enough sound has followed it."""
        strikes: list[Strike] = []
        self.undecided_ns = None
        while self._next < len(self._powers):
            onset_ns = self._onset(self._next)
            if onset_ns is not None:
                if self._next + self._after >= len(self._powers):
                    self.undecided_ns = onset_ns
                    break
                strike = self._measure(self._next, onset_ns)
                strikes.append(strike)
                self._dead_until_ns = onset_ns + round((BELL_DEAD_S if strike.is_bell else OTHER_DEAD_S) * SECOND)
            self._next += 1
        return strikes

    def _onset(self, frame: int) -> int | None:
        """Return the onset of a sudden bright sound in this frame, or None."""
        now = float(np.sum(self._powers[frame][self._bright]))
        before = float(np.sum(self._powers[frame - self._before][self._bright]))
        if now < RISE * before + self._floor:
            return None
        start = frame * self._hop
        onset = start + _first_loud(self._sound[max(start - self._window, 0) : start + self._window])
        onset -= min(start, self._window)
        onset_ns: int = self._stamp_ns + round(onset * SECOND / self._rate_hz)
        if self._dead_until_ns is not None and onset_ns < self._dead_until_ns:
            return None
        return onset_ns

    def _measure(self, frame: int, onset_ns: int) -> Strike:
        ground = np.max(self._powers[frame - self._before - GROUND_FRAMES : frame - self._before + 1], axis=0)
        onset = (onset_ns - self._stamp_ns) * self._rate_hz / SECOND

        def heard(span_s: tuple[float, float]) -> Power:
            """Return the mean power of the windows in this span after the onset."""
            first = int(np.ceil((onset + span_s[0] * self._rate_hz) / self._hop))
            last = max(int((onset + span_s[1] * self._rate_hz - self._window) / self._hop), first)
            power: Power = np.mean(self._powers[first : last + 1], axis=0)
            return power

        early = heard(EARLY_S)
        added = np.maximum(early - ground, 0.0)
        tones = self._tones(added)
        bright = float(np.sum(added[self._bright])) + TINY
        # A voice before the strike may get twice as loud.
        low = max(float(np.sum(early[self._low])) - 2 * float(np.sum(ground[self._low])), 0.0)
        in_tones = float(np.sum(early[tones])) + TINY
        peak = max(float(np.sum(power[tones])) for power in self._powers[frame : frame + self._after])
        return Strike(
            t_ns=onset_ns,
            tonal=float(np.sum(added[tones])) / bright,
            bright=bright / (low + TINY),
            fade=float(np.sum(heard(LATE_S)[tones])) / in_tones,
            attack=float(np.sum(heard((0.0, WINDOW_S))[tones])) / (peak + TINY),
        )

    def _tones(self, power: Power) -> npt.NDArray[np.bool_]:
        """Return a mask of the strongest tones' bins and their neighbours."""
        left = np.where(self._bright, power, 0.0)
        tones = np.zeros(len(power), dtype=np.bool_)
        for _ in range(TONES):
            peak = int(np.argmax(left))
            near = slice(max(peak - TONE_HALF_WIDTH, 0), peak + TONE_HALF_WIDTH + 1)
            tones[near] = True
            left[near] = 0.0
        return tones & self._bright

    def _forget(self) -> None:
        """Drop the frames that no onset needs any more."""
        spare = self._next - 2 * self._before - GROUND_FRAMES
        if spare > 0:
            del self._powers[:spare]
            self._next -= spare
            self._sound = self._sound[spare * self._hop :]
            self._stamp_ns += round(spare * self._hop * SECOND / self._rate_hz)


def _first_loud(sound: Samples) -> int:
    """Return the index of the first sample with ONSET_SHARE of the greatest brightness."""
    bright = np.abs(np.diff(sound, n=2, prepend=sound[:1], append=sound[-1:]))
    return int(np.argmax(bright >= ONSET_SHARE * float(np.max(bright))))


MEMORY = 512  # blocks to look back
JUMP_NS = 100_000_000  # a delay of all blocks above this means lost samples


class SampleClock:
    """Estimates the times of samples from the arrival of blocks.

    A block arrives when its last sample has been taken, or later, never earlier. The earliest arrivals of the last
    seconds, minus the samples' own time, therefore give the sound card's clock. Its drift of some ten millionths does
    not matter in so short a time. The error left is the block's way through the driver, about 1 ms.
    """

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._offsets: list[int] = []
        self._samples = 0

    def stamp(self, count: int, arrival_ns: int) -> int:
        """Take a block of `count` samples that arrived at `arrival_ns`; return the time of its first sample."""
        first = self._samples
        self._samples += count
        self._offsets.append(arrival_ns - round(self._samples * SECOND / self._rate_hz))
        del self._offsets[:-MEMORY]
        recent = self._offsets[-16:]
        if len(recent) == 16 and min(recent) > min(self._offsets) + JUMP_NS:
            del self._offsets[:-16]
        return min(self._offsets) + round(first * SECOND / self._rate_hz)


SOUND_NS_PER_M = 2_915_000
SAMPLE_BYTES = 2
NAME = "bell microphone"
_FADES = 0.97  # from block to block, about 5 ms
MUTED = Said(
    "service.bells_microphone_hears_nothing_at",
    "The bell’s microphone hears nothing. Please see whether it is turned down.",
)
TOO_LOUD = Said(
    "service.bells_microphone_is_turned_up",
    "The bell’s microphone is too loud. Please turn it down.",
)
_LEAST = 1.5 / 32768  # the converter's own noise moves the lowest bit
_CLIPPED, _OFTEN = 0.999, 0.05  # of full scale; share of a second's samples
_SECONDS = 5  # a bell that is struck repeatedly clips for less


class SoundSource(Protocol):
    """A source of sound. Back-ends: `Arecord`, and recorded or simulated ones."""

    def open(self) -> None:
        """Start. Raises HardwareError."""

    def read(self, timeout_s: float) -> Samples:
        """Return the new samples, (n,) float32 in -1 to 1, after at most `timeout_s`; an empty array without any.

        Raises HardwareError when the microphone went away.
        """

    def close(self) -> None:
        """Stop. Harmless when not open."""


class Arecord:
    """Captures sound with ALSA's `arecord`."""

    def __init__(self, settings: MicrophoneSettings, program: str = "arecord") -> None:
        self._settings = settings
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def open(self) -> None:
        """Start the capture. Raises DeviceMissingError without `arecord`; `read` reports a missing microphone."""
        settings = self._settings
        command = [self._program, "--quiet", f"--device={settings.device}", "--file-type=raw", "--format=S16_LE"]
        command += ["--channels=1", f"--rate={settings.rate_hz}", f"--period-size={settings.block}"]
        command += [f"--buffer-size={settings.block * 32}"]
        self._rest = b""
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
            )
        except OSError as error:
            raise DeviceMissingError(
                "error.hardware.program_that_records_sound_is",
                "The program that records sound is missing ({program}).",
                advice=INSTALL_ALSA,
                program=self._program,
            ) from error

    def read(self, timeout_s: float) -> Samples:
        """Return the new samples."""
        process = self._process
        if process is None or process.stdout is None:
            raise DeviceMissingError("error.hardware.microphone_is_not_open", "The microphone is not open.")
        ready, _, _ = select.select([process.stdout], [], [], timeout_s)
        if not ready:
            return np.zeros(0, dtype=np.float32)
        data = os.read(process.stdout.fileno(), 1 << 16)
        if not data:
            raise DeviceMissingError(
                "error.hardware.microphone_cannot_be_heard",
                "The microphone cannot be heard: {why}",
                why=self._complaint(process.stderr),
            )
        data = self._rest + data
        whole = len(data) - len(data) % SAMPLE_BYTES
        self._rest = data[whole:]
        return np.frombuffer(data[:whole], dtype="<i2").astype(np.float32) / np.float32(32768)

    def close(self) -> None:
        """End the capture; kill a process that does not end."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()

    def _complaint(self, stderr: IO[bytes] | None) -> str:
        said = stderr.read().decode(errors="replace") if stderr is not None else ""
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        return lines[0].removeprefix(f"{Path(self._program).name}: ") if lines else "it was unplugged."


class _Second:
    """Judges the incoming sound second by second."""

    def __init__(self) -> None:
        self._count = self._clipped = 0
        self._peak = 0.0
        self._muted = self._loud = 0

    def fault_after(self, samples: Samples, rate_hz: int) -> str | None:
        """Return a sentence for a fault, "" without one; None while it is unknown."""
        size = np.abs(samples)
        first = self._count == 0 and not self._muted and not self._loud and float(size.max()) > _LEAST
        self._count += len(size)
        self._peak = max(self._peak, float(size.max()))
        self._clipped += int(np.count_nonzero(size >= _CLIPPED))
        if self._count < rate_hz:
            return "" if first else None
        self._muted = self._muted + 1 if self._peak < _LEAST else 0
        self._loud = self._loud + 1 if self._clipped > _OFTEN * self._count else 0
        self._count, self._clipped, self._peak = 0, 0, 0.0
        if self._muted >= _SECONDS:
            return MUTED
        if self._loud >= _SECONDS:
            return TOO_LOUD
        return None if self._muted or self._loud else ""


class MicrophoneBell:
    """A bell that is heard. Its presses have no seat: the sound does not identify the ringer.

    loudness: recent peak, 0 to 1.
    """

    def __init__(
        self,
        settings: MicrophoneSettings,
        sink: Sink,
        source: SoundSource | None = None,
        clock: Clock = time.monotonic_ns,
        retry_ns: int = 2 * SECOND,
    ) -> None:
        self._settings = settings
        self._sink = sink
        self._source = source or Arecord(settings)
        self._clock = clock
        self._retry_ns = retry_ns
        self._thread = SupervisedThread(NAME, self._run, self._failed, first_wait_s=retry_ns / SECOND)
        self._open = False
        self._heard_ns = 0
        self._retry_at_ns: int | None = None
        self._health: tuple[Health, str] | None = None
        self.loudness = 0.0
        self._begin()

    def start(self) -> None:
        """Start and return at once."""
        if not self._thread.is_alive:
            self._thread.start()

    def stop(self) -> None:
        """Stop, and wait for the thread."""
        self._thread.stop()

    def step(self, timeout_s: float = 0.0) -> None:
        """Open the source if due, or read and judge new samples; the thread calls this in a loop."""
        now_ns = self._clock()
        if not self._open:
            if self._retry_at_ns is not None and now_ns < self._retry_at_ns:
                self._thread.stopping.wait(timeout_s)
                return
            self._try_open(now_ns)
            return
        try:
            samples = self._source.read(timeout_s)
        except HardwareError as error:
            self._fail(Health.MISSING, error.said)
            return
        if len(samples):
            self._listen(samples)
        elif self._clock() - self._heard_ns > self._settings.stall_ns:
            self._fail(Health.STALLED, "The bell's microphone gives no sound any more; it is started anew.")

    def _begin(self) -> None:
        self._ear = BellEar(self._settings.rate_hz, self._settings.sensitivity)
        self._samples = SampleClock(self._settings.rate_hz)
        self._second = _Second()

    def _try_open(self, now_ns: int) -> None:
        try:
            self._source.open()
        except HardwareError as error:
            self._fail(Health.MISSING, error.said)
            return
        self._begin()
        self._open = True
        self._heard_ns = now_ns

    def _listen(self, samples: Samples) -> None:
        self._heard_ns = self._clock()
        fault = self._second.fault_after(samples, self._settings.rate_hz)
        if fault is not None:
            self._report(Health.POOR if fault else Health.OK, fault)
        way_ns = round(self._settings.distance_m * SOUND_NS_PER_M)
        first_ns = self._samples.stamp(len(samples), self._heard_ns) - way_ns
        self.loudness = max(float(np.abs(samples).max()), _FADES * self.loudness)
        for strike in self._ear.feed(samples, first_ns):
            if strike.is_bell:
                self._sink.put(BellPressed(strike.t_ns, None))
        self._sink.hold(self._ear.undecided_ns)

    def _fail(self, state: Health, message: str) -> None:
        self._source.close()
        self._open = False
        self._retry_at_ns = self._clock() + self._retry_ns
        self._sink.hold(None)
        self._report(state, message)

    def _failed(self, fault: Exception) -> None:
        self._fail(Health.MISSING, f"It has a fault: {one_line(fault)}")
        self._retry_at_ns = None

    def _report(self, state: Health, message: str) -> None:
        if self._health != (state, message):
            self._health = (state, message)
            self._sink.put(Problem(NAME, state, message, t_ns=self._clock()))

    def _run(self) -> None:
        try:
            while not self._thread.stopping.is_set():
                self.step(0.2)
        finally:
            self._source.close()
            self._open = False
