"""What can be set about speech."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hardware.errors import BadSettingError
from hardware.settings import SECOND

BACKENDS = ("auto", "espeak-ng", "piper", "none")
# Of espeak-ng's English voices a recognizer understands the American one best: 45 of 46 sentences against 42.
ESPEAK_VOICES = {"en": "en-us", "de": "de", "fr": "fr-fr"}


@dataclass(frozen=True)
class SpeakerSettings:
    """How the referee speaks.

    backend: "auto" (piper where a voice of the language is installed, else espeak-ng), "espeak-ng", "piper", or "none"
        for silence.
    language: "en", "de" or "fr".
    piper_voice: piper's voice, a `.onnx` file with its `.onnx.json` beside it; None: one that is installed.
    words_a_minute: pace of espeak-ng.
    player: "aplay", "pw-play" or "paplay"; None: the first of them that is installed.
    device: the player's name of the loudspeaker (`aplay -L` lists them); None: the usual one.
    cache: folder of rendered sentences; None: the usual place.
    cache_files: most sentences that are kept there.
    waiting: most sentences that wait to be said; of more, the oldest are left out.
    render_limit_ns: a speech program that takes longer than this for a sentence hangs, ns.
    play_margin_ns: a player that takes this much longer than the sentence hangs, ns.
    volume: of what the voices give, 0 to 1.
    """

    backend: str = "auto"
    language: str = "en"
    piper_voice: Path | None = None
    words_a_minute: int = 165
    player: str | None = None
    device: str | None = None
    cache: Path | None = None
    cache_files: int = 500
    waiting: int = 16
    render_limit_ns: int = 10 * SECOND
    play_margin_ns: int = 3 * SECOND
    volume: float = 1.0

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise BadSettingError(f'there is no speech of the kind "{self.backend}", there is {", ".join(BACKENDS)}')
        if self.language not in ESPEAK_VOICES:
            raise BadSettingError(f'nobody speaks "{self.language}" here, only {", ".join(ESPEAK_VOICES)}')
        if not 80 <= self.words_a_minute <= 400:
            raise BadSettingError(f"speech has 80 to 400 words a minute, not {self.words_a_minute}")
        if not 0 <= self.volume <= 1:
            raise BadSettingError(f"the volume of speech is between 0 and 1, not {self.volume}")
        if self.waiting < 1 or self.cache_files < 1:
            raise BadSettingError("at least one sentence must be able to wait, and one to be kept")
