"""The bell heard by a microphone, for people with the game's own bell and no soldering iron.

Sound is captured by `arecord` (alsa-utils, part of Raspberry Pi OS) in a process of its own: a sound driver that hangs
when a USB microphone is pulled hangs that process, which can be ended and started anew, and not the referee.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from pathlib import Path
from typing import IO, Protocol

import numpy as np

from hardware.bell.sound import BellEar, SampleClock, Samples
from hardware.edges import Clock
from hardware.errors import DeviceMissingError, HardwareError
from hardware.events import BellPressed, Sink
from hardware.health import DeviceHealth, Health
from hardware.settings import SECOND, MicrophoneSettings
from hardware.supervised import SupervisedThread

SOUND_NS_PER_M = 2_915_000
SAMPLE_BYTES = 2
NAME = "bell microphone"
_FADES = 0.97  # from block to block, some 5 ms
MUTED = "The bell's microphone hears nothing at all: please see whether it is muted or turned down."
TOO_LOUD = "The bell's microphone is turned up too far to tell the bell: please turn it down."
_LEAST = 1.5 / 32768  # the converter's own noise moves the lowest bit
_CLIPPED, _OFTEN = 0.999, 0.05  # of full scale; of a second's samples
_SECONDS = 5  # a bell that is struck again and again clips for less


class SoundSource(Protocol):
    """Something that gives sound. Back-ends: `Arecord`, and recorded or simulated ones."""

    def open(self) -> None:
        """Begin. Raises HardwareError."""

    def read(self, timeout_s: float) -> Samples:
        """Give what has come, (n,) float32 in -1 to 1, waiting up to `timeout_s`; nothing: an empty array.

        Raises HardwareError when the microphone went away.
        """

    def close(self) -> None:
        """End. Harmless when not open."""


class Arecord:
    """ALSA through `arecord`."""

    def __init__(self, settings: MicrophoneSettings, program: str = "arecord") -> None:
        self._settings = settings
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def open(self) -> None:
        """Start the capture. Raises DeviceMissingError without `arecord`; a missing microphone shows in `read`."""
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
                f"The program that records sound is missing ({self._program}): sudo apt install alsa-utils."
            ) from error

    def read(self, timeout_s: float) -> Samples:
        """Give what has come."""
        process = self._process
        if process is None or process.stdout is None:
            raise DeviceMissingError("The microphone is not open.")
        ready, _, _ = select.select([process.stdout], [], [], timeout_s)
        if not ready:
            return np.zeros(0, dtype=np.float32)
        data = os.read(process.stdout.fileno(), 1 << 16)
        if not data:
            raise DeviceMissingError(f"The microphone cannot be heard: {self._complaint(process.stderr)}")
        data = self._rest + data
        whole = len(data) - len(data) % SAMPLE_BYTES
        self._rest = data[whole:]
        return np.frombuffer(data[:whole], dtype="<i2").astype(np.float32) / np.float32(32768)

    def close(self) -> None:
        """End the capture; a process that does not listen is killed."""
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
    """What is wrong with sound that comes, judged second by second."""

    def __init__(self) -> None:
        self._count = self._clipped = 0
        self._peak = 0.0
        self._muted = self._loud = 0

    def fault_after(self, samples: Samples, rate_hz: int) -> str | None:
        """Give a sentence, "" where all is well; None as long as that is not known."""
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
    """A bell that is heard. Nobody knows from the sound who struck it: its presses have no seat.

    loudness: the peak of what was heard lately, 0 to 1.
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
        """Begin to listen; returns at once."""
        if not self._thread.is_alive:
            self._thread.start()

    def stop(self) -> None:
        """End, and wait for it."""
        self._thread.stop()

    def step(self, timeout_s: float = 0.0) -> None:
        """Do one round: open if need be, read what has come, and judge it; the thread calls this for ever."""
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
            self._fail(Health.MISSING, str(error))
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
            self._fail(Health.MISSING, str(error))
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
        self._fail(Health.MISSING, f"It has a fault: {' '.join(str(fault).split())[:200]}")
        self._retry_at_ns = None

    def _report(self, state: Health, message: str) -> None:
        if self._health != (state, message):
            self._health = (state, message)
            self._sink.put(DeviceHealth(self._clock(), NAME, state, message))

    def _run(self) -> None:
        try:
            while not self._thread.stopping.is_set():
                self.step(0.2)
        finally:
            self._source.close()
            self._open = False
