"""Speech and chimes as sound files: the programs that render them, and a cache of rendered sentences.

Every program runs as its own process: a driver that hangs with an unplugged loudspeaker blocks that one only.
`aplay` is the first choice: Raspberry Pi OS has it (alsa-utils), and it needs no sound server. A service can therefore
play before anybody has logged in.
"""

from __future__ import annotations

import array
import contextlib
import hashlib
import io
import math
import os
import shutil
import sys
import tempfile
import time
import wave
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hardware.problems import INSTALL_ALSA, BadSettingError, DeviceMissingError, Said
from hardware.settings import SECOND

BACKENDS = ("auto", "espeak-ng", "piper", "none")
# A speech recognizer understands the American voice best: 45 of 46 sentences against 42.
ESPEAK_VOICES = {"en": "en-us", "de": "de", "fr": "fr-fr"}


@dataclass(frozen=True)
class SpeakerSettings:
    """Properties of the referee's voice.

    backend: "auto" (piper where a voice of the language is installed, else espeak-ng), "espeak-ng", "piper", or "none"
        for silence.
    language: "en", "de" or "fr".
    piper_voice: piper's voice, a `.onnx` file with its `.onnx.json` beside it; None: an installed one.
    words_a_minute: pace of espeak-ng.
    player: "aplay", "pw-play" or "paplay"; None: the first of them that is installed.
    device: the player's name of the loudspeaker (`aplay -L` lists them); None: the default.
    cache: folder of rendered sentences; None: the default.
    cache_files: limit of the cached sentences.
    waiting: limit of the queued sentences; above it the oldest are dropped.
    render_limit_ns: longest time of a speech program for a sentence, ns; a slower one hangs.
    play_margin_ns: longest time of a player beyond the sentence's length, ns; a slower one hangs.
    volume: factor on the voices' samples, 0 to 1.
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
            raise BadSettingError(
                "error.setting.there_is_no_speech_of",
                'there is no speech of the kind "{kind}", there is {list}',
                kind=self.backend,
                list=", ".join(BACKENDS),
            )
        if self.language not in ESPEAK_VOICES:
            raise BadSettingError(
                "error.setting.nobody_speaks_here_only",
                'nobody speaks "{language}" here, only {list}',
                language=self.language,
                list=", ".join(ESPEAK_VOICES),
            )
        if not 80 <= self.words_a_minute <= 400:
            raise BadSettingError(
                "error.setting.speech_has_80_to_400",
                "speech has 80 to 400 words a minute, not {words_a_minute}",
                words_a_minute=self.words_a_minute,
            )
        if not 0 <= self.volume <= 1:
            raise BadSettingError(
                "error.setting.volume_of_speech_is_between",
                "the volume of speech is between 0 and 1, not {volume}",
                volume=self.volume,
            )
        if self.waiting < 1 or self.cache_files < 1:
            raise BadSettingError(
                "error.setting.at_least_one_sentence_must",
                "at least one sentence must be able to wait, and one to be kept",
            )


PLAYERS = ("aplay", "pw-play", "paplay")
# aplay and paplay call the option --device, pw-play calls it --target.
DEVICE_OPTION = {"aplay": "--device", "pw-play": "--target", "paplay": "--device"}


@dataclass(frozen=True)
class VoiceProgram:
    """A program that makes a WAV file of the text on its standard input.

    name: for people. identity: changes with everything that changes the sound. command: the output's path follows it.
    """

    name: str
    identity: str
    command: tuple[str, ...]

    def render_command(self, wav: Path) -> list[str]:
        """Return the command that writes `wav`."""
        return [*self.command, str(wav)]


@dataclass(frozen=True)
class Player:
    """A program that plays a WAV file, whose path follows the command."""

    name: str
    command: tuple[str, ...]

    def play_command(self, wav: Path) -> list[str]:
        """Return the command that plays `wav`."""
        return [*self.command, str(wav)]


def installed_voices(settings: SpeakerSettings) -> tuple[VoiceProgram, ...]:
    """Return the usable voices, the best first; an empty tuple if speech is off.

    Raises DeviceMissingError, with the package to install, if there is no voice.
    """
    if settings.backend == "none":
        return ()
    voices = []
    if settings.backend in ("auto", "piper"):
        voices += _piper_voices(settings)
    if settings.backend in ("auto", "espeak-ng"):
        voices += _espeak_voices(settings)
    if not voices and settings.backend == "piper":
        raise DeviceMissingError(
            "error.hardware.piper_or_voice_for_it",
            "Piper, or a voice for it, is missing.",
            advice=Said(
                "error.hardware.install_piper_voice",
                "Put the .onnx and .onnx.json of a voice for “{language}” into {folders}, or choose espeak-ng.",
                language=settings.language,
                folders=_piper_folders()[0],
            ),
        )
    if not voices:
        raise DeviceMissingError(
            "doctor.program_that_speaks_is_missing",
            "The program that speaks is missing.",
            advice=Said("doctor.install_espeak", "Install it: sudo apt install espeak-ng."),
        )
    return tuple(voices)


def installed_player(settings: SpeakerSettings) -> Player:
    """Return the program that plays sound. Raises DeviceMissingError, with the package to install, without one."""
    for name in (settings.player,) if settings.player else PLAYERS:
        program = shutil.which(name)
        if program is not None:
            device = () if settings.device is None else (f"{DEVICE_OPTION.get(name, '--device')}={settings.device}",)
            return Player(name, (program, *(("--quiet",) if name == "aplay" else ()), *device))
    raise DeviceMissingError(
        "doctor.program_that_plays_sound_is", "The program that plays sound is missing.", advice=INSTALL_ALSA
    )


def _espeak_voices(settings: SpeakerSettings) -> list[VoiceProgram]:
    program = shutil.which("espeak-ng")
    if program is None:
        return []
    voice, pace = ESPEAK_VOICES[settings.language], str(settings.words_a_minute)
    return [VoiceProgram("espeak-ng", f"espeak-ng {voice} {pace}", (program, "-v", voice, "-s", pace, "--stdin", "-w"))]


def _piper_voices(settings: SpeakerSettings) -> list[VoiceProgram]:
    program = shutil.which("piper")
    if program is None:
        return []
    models = [settings.piper_voice] if settings.piper_voice else _piper_models(settings.language)
    # Without a voice it may be Debian's `piper`, a tool for computer mice.
    usable = [model for model in models if model.is_file() and Path(f"{model}.json").is_file()]
    return [
        VoiceProgram(
            f"piper ({model.stem})", f"piper {model} {model.stat().st_size}", (program, "-m", str(model), "-f")
        )
        for model in usable[:1]
    ]


def _piper_models(language: str) -> list[Path]:
    return [model for folder in _piper_folders() for model in sorted(folder.glob(f"**/{language}[_-]*.onnx"))]


def _piper_folders() -> list[Path]:
    share = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return [Path(share) / "piper-voices", Path("/usr/local/share/piper-voices"), Path("/usr/share/piper-voices")]


TRIM_EVERY = 20
OLD_S = 3600
INSTALLED = Path("/var/cache/ringmaster/speech")
"""Folder of the installed service's files."""


def cache_folder() -> Path:
    """Return the default cache folder: systemd's for a service, else the user's (XDG)."""
    if given := os.environ.get("CACHE_DIRECTORY"):
        return Path(given.split(":")[0]) / "speech"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringmaster" / "speech"


def forget_phrases() -> None:
    """Delete all rendered sentences: any of them may name a player."""
    for folder in {cache_folder(), INSTALLED}:
        for path in folder.glob("*"):
            if not path.name.startswith("chime-"):
                with contextlib.suppress(OSError):
                    path.unlink()


def wav_length_ns(path: Path) -> int | None:
    """Return the length of a WAV file, ns; None if it is not a WAV file, is empty, or is torn."""
    try:
        with wave.open(str(path), "rb") as sound:
            frames, size, rate = sound.getnframes(), sound.getnchannels() * sound.getsampwidth(), sound.getframerate()
        whole = path.stat().st_size >= frames * size
    except (OSError, EOFError, wave.Error):
        return None
    return frames * SECOND // rate if frames and rate and whole else None


def make_quieter(path: Path, volume: float) -> None:
    """Multiply a WAV file's samples by `volume`; only 16 bits, which all voices write."""
    with wave.open(str(path), "rb") as sound:
        parameters, data = sound.getparams(), sound.readframes(sound.getnframes())
    if parameters.sampwidth != 2:
        return
    samples = array.array("h", data)
    if sys.byteorder == "big":
        samples.byteswap()
    quieter = array.array("h", (round(sample * volume) for sample in samples))
    if sys.byteorder == "big":
        quieter.byteswap()
    with wave.open(str(path), "wb") as sound:
        sound.setparams(parameters)
        sound.writeframes(quieter.tobytes())


class PhraseCache:
    """A folder of WAV files with a limit; the least used are deleted. Every write is atomic.

    A folder that cannot be written is replaced by a temporary one until `close`. volume: factor on the voices' samples,
    0 to 1. Raises OSError if no folder can be written.
    """

    def __init__(self, folder: Path, most_files: int, volume: float = 1.0) -> None:
        self._most_files = most_files
        self._volume = volume
        self._kept = 0
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=folder):
                pass
        except OSError:
            self._temporary = tempfile.TemporaryDirectory(prefix="ringmaster-speech-")
            folder = Path(self._temporary.name)
        self.folder = folder

    def find(self, voice: VoiceProgram, text: str) -> Path | None:
        """Return the file of a sentence if it was rendered before and is whole."""
        path = self._path(voice, text)
        if wav_length_ns(path) is None:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return path

    def part(self, voice: VoiceProgram, text: str) -> Path:
        """Return the temporary path for rendering a sentence; then call `keep`."""
        return self._path(voice, text).with_suffix(f".{os.getpid()}.part")

    def keep(self, voice: VoiceProgram, text: str) -> Path | None:
        """Move the rendered file into the cache and return it; None if it is no sound or the disk is full."""
        part, path = self.part(voice, text), self._path(voice, text)
        try:
            if wav_length_ns(part) is None:
                part.unlink(missing_ok=True)
                return None
            if self._volume < 1:
                make_quieter(part, self._volume)
            part.replace(path)
            self._kept += 1
            if self._kept % TRIM_EVERY == 1:
                self._trim(path)
        except OSError:
            return None
        return path

    def chime(self, chime: Chime) -> Path | None:
        """Return a chime's file, made if it is missing; None if the disk is full."""
        path = self.folder / f"chime-{chime.value}-{self._volume:.2f}.wav"
        if wav_length_ns(path) is None:
            part = path.with_suffix(f".{os.getpid()}.part")
            try:
                part.write_bytes(chime_wav(chime, self._volume))
                part.replace(path)
            except OSError:
                return None
        return path

    def close(self) -> None:
        """Delete a temporary folder."""
        if self._temporary is not None:
            self._temporary.cleanup()

    def _path(self, voice: VoiceProgram, text: str) -> Path:
        loudness = "" if self._volume == 1 else f"\n{self._volume:.2f}"
        name = hashlib.sha256(f"{voice.identity}\n{text}{loudness}".encode()).hexdigest()[:32]
        return self.folder / f"{name}.wav"

    def _trim(self, newest: Path) -> None:
        files = sorted((path.stat().st_mtime_ns, path) for path in self.folder.glob("*.wav") if path != newest)
        for _, path in files[: max(0, len(files) + 1 - self._most_files)]:
            path.unlink(missing_ok=True)
        # A process that was switched off during rendering left these.
        for part in self.folder.glob("*.part"):
            if time.time() - part.stat().st_mtime > OLD_S:
                part.unlink(missing_ok=True)


RATE_HZ = 22_050
_LOUDNESS = 0.4
_ATTACK_S = 0.005


class Chime(Enum):
    """Meaning of a chime. Chimes differ in rhythm and in rising or falling pitch."""

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
    """Return a sound as a WAV file, 16 bits; volume: 0 to 1."""
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
    """Return a struck tone with its octave, which small loudspeakers play without the fundamental."""
    samples = []
    for number in range(round(length_s * RATE_HZ)):
        t_s = number / RATE_HZ
        envelope = min(1.0, t_s / _ATTACK_S) * math.exp(-3 * t_s / length_s)
        swing = math.sin(2 * math.pi * pitch_hz * t_s) + 0.3 * math.sin(4 * math.pi * pitch_hz * t_s)
        samples.append(round(32_767 * _LOUDNESS * volume * envelope * swing / 1.3))
    return samples
