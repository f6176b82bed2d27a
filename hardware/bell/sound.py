"""A call bell heard: from sound samples to the instants at which it was struck. No clock, thread or device in here.

What makes a bell: it starts within milliseconds, nearly all of its sound above 1.5 kHz sits in a few narrow tones,
those same tones are still there a tenth of a second later but weaker, and there is little below. A clap and a dropped
card are as sudden but have no tones and are over; speech and music have tones, but low ones, or they swell or do not
fade; a coin's tones fade within some hundredths of a second. All this is measured against the sound just before the
strike, so a noisy room and a bell that still rings from the last strike are taken off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hardware.settings import SECOND

Samples = npt.NDArray[np.float32]
Power = npt.NDArray[np.float64]

LOW_HZ = (120.0, 1200.0)
BRIGHT_HZ = (1500.0, 15000.0)
WINDOW_S = 0.0213
HOP_S = 0.00533
# Bright power must rise by this within one window, against what was there.
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
    """What was measured of one sudden bright sound.

    t_ns: its onset. tonal: share of the bright power that lies in the few strongest tones. bright: bright power over
    low power. fade: what is left of the tones after a tenth of a second. attack: power at the start over the largest
    power later.
    """

    t_ns: int
    tonal: float
    bright: float
    fade: float
    attack: float

    @property
    def is_bell(self) -> bool:
        """Whether this is a bell."""
        return (
            self.tonal >= TONAL_MIN
            and self.bright >= BRIGHT_MIN
            and FADE_MIN <= self.fade <= FADE_MAX
            and self.attack >= ATTACK_MIN
        )


class BellEar:
    """Listens to one microphone; feed it the samples as they come."""

    def __init__(self, rate_hz: int, sensitivity: float = 1.0) -> None:
        """sensitivity: 2 hears a bell of half the loudness."""
        self._rate_hz = rate_hz
        self._window = 2 ** round(np.log2(WINDOW_S * rate_hz))
        self._hop = max(round(HOP_S * rate_hz), 1)
        self._taper = np.hanning(self._window)
        frequencies = np.fft.rfftfreq(self._window, 1 / rate_hz)
        self._low = (frequencies >= LOW_HZ[0]) & (frequencies <= LOW_HZ[1])
        self._bright = (frequencies >= BRIGHT_HZ[0]) & (frequencies <= min(BRIGHT_HZ[1], 0.45 * rate_hz))
        # Parseval: the power that a tone of the quietest loudness has in a tapered window.
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
        """Take samples ((n,), -1 to 1), the first of which was taken at `t_ns`; give the strikes that are now judged.

        A strike is judged 0.17 s after its onset; `undecided_ns` is the onset that waits for that.
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
        """Go through the new frames for sudden brightness; judge it when enough has been heard after it."""
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
        """Give when the sound of this frame began, if it is suddenly bright in it."""
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
            """Give the mean power in the windows that lie in this span after the onset."""
            first = int(np.ceil((onset + span_s[0] * self._rate_hz) / self._hop))
            last = max(int((onset + span_s[1] * self._rate_hz - self._window) / self._hop), first)
            power: Power = np.mean(self._powers[first : last + 1], axis=0)
            return power

        early = heard(EARLY_S)
        added = np.maximum(early - ground, 0.0)
        tones = self._tones(added)
        bright = float(np.sum(added[self._bright])) + TINY
        # A voice that was there before the strike may get louder by as much again.
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
        """Mark the bins of the strongest tones, with their neighbours."""
        left = np.where(self._bright, power, 0.0)
        tones = np.zeros(len(power), dtype=np.bool_)
        for _ in range(TONES):
            peak = int(np.argmax(left))
            near = slice(max(peak - TONE_HALF_WIDTH, 0), peak + TONE_HALF_WIDTH + 1)
            tones[near] = True
            left[near] = 0.0
        return tones & self._bright

    def _forget(self) -> None:
        """Drop what no onset can need any more."""
        spare = self._next - 2 * self._before - GROUND_FRAMES
        if spare > 0:
            del self._powers[:spare]
            self._next -= spare
            self._sound = self._sound[spare * self._hop :]
            self._stamp_ns += round(spare * self._hop * SECOND / self._rate_hz)


def _first_loud(sound: Samples) -> int:
    """Give the index of the first sample whose brightness is a good part of the loudest."""
    bright = np.abs(np.diff(sound, n=2, prepend=sound[:1], append=sound[-1:]))
    return int(np.argmax(bright >= ONSET_SHARE * float(np.max(bright))))


class SampleClock:
    """When each sample was taken, from when the blocks arrived.

    A block arrives when its last sample has been taken, or later: reading is sometimes late, never early. So the
    earliest arrivals of the last seconds, less the samples' own time, are the clock of the sound card; its drift (some
    ten millionths) does not matter in so short a time. What remains is the block's way through the driver, about 1 ms.
    """

    def __init__(self, rate_hz: int, memory: int = 512, jump_ns: int = 100_000_000) -> None:
        """memory: blocks to look back. jump_ns: samples were lost when all is later than this, ns."""
        self._rate_hz = rate_hz
        self._memory = memory
        self._jump_ns = jump_ns
        self._offsets: list[int] = []
        self._samples = 0

    def stamp(self, count: int, arrival_ns: int) -> int:
        """Take a block of `count` samples that arrived at `arrival_ns`; give when its first sample was taken."""
        first = self._samples
        self._samples += count
        self._offsets.append(arrival_ns - round(self._samples * SECOND / self._rate_hz))
        del self._offsets[: -self._memory]
        recent = self._offsets[-16:]
        if len(recent) == 16 and min(recent) > min(self._offsets) + self._jump_ns:
            del self._offsets[:-16]
        return min(self._offsets) + round(first * SECOND / self._rate_hz)
