"""Short sounds before speech: who does not see the lamp hears what it was before the first word."""

from __future__ import annotations

import array
import io
import math
import sys
import wave
from enum import Enum

RATE_HZ = 22_050
_LOUDNESS = 0.4
_ATTACK_S = 0.005


class Chime(Enum):
    """What a sound means: told apart by rhythm and by rising or falling, for those who hear few tones, too."""

    VALID = "valid"
    FALSE = "false"
    UNCLEAR = "unclear"
    TIME = "time"


# (Hz, ms) one after the other; 0 Hz is a pause.
NOTES: dict[Chime, tuple[tuple[float, int], ...]] = {
    Chime.VALID: ((659.3, 90), (987.8, 200)),
    Chime.FALSE: ((311.1, 120), (0, 40), (207.7, 260)),
    Chime.UNCLEAR: ((523.3, 70), (0, 70), (523.3, 70), (0, 70), (523.3, 120)),
    Chime.TIME: ((440.0, 650),),
}


def chime_wav(chime: Chime, volume: float = 1.0) -> bytes:
    """Give a sound as a WAV file, 16 bits; volume: 0 to 1."""
    samples = array.array("h")
    for pitch_hz, length_ms in NOTES[chime]:
        samples.extend(_note(pitch_hz, length_ms / 1000, volume))
    if sys.byteorder == "big":
        samples.byteswap()
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE_HZ)
        sound.writeframes(samples.tobytes())
    return file.getvalue()


def _note(pitch_hz: float, length_s: float, volume: float) -> list[int]:
    """Give a struck tone with an octave over it, which small loudspeakers still give when they lose the ground tone."""
    samples = []
    for number in range(round(length_s * RATE_HZ)):
        t_s = number / RATE_HZ
        envelope = min(1.0, t_s / _ATTACK_S) * math.exp(-3 * t_s / length_s)
        swing = math.sin(2 * math.pi * pitch_hz * t_s) + 0.3 * math.sin(4 * math.pi * pitch_hz * t_s)
        samples.append(round(32_767 * _LOUDNESS * volume * envelope * swing / 1.3))
    return samples
