"""The programs that make speech and those that play it, and which of them this machine has.

All are run as processes of their own: a sound driver that hangs when a loudspeaker is pulled hangs only those. `aplay`
is the first choice: Raspberry Pi OS has it (alsa-utils, as the microphone's `arecord`), it plays with and without a
sound server, and so also from a service that runs before anybody has logged in.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from hardware.errors import DeviceMissingError
from hardware.speaker.settings import ESPEAK_VOICES, SpeakerSettings

PLAYERS = ("aplay", "pw-play", "paplay")
# A bare --device is aplay's and paplay's; pw-play has another word for it.
DEVICE_OPTION = {"aplay": "--device", "pw-play": "--target", "paplay": "--device"}


@dataclass(frozen=True)
class Voice:
    """A program that makes a WAV file of the text on its standard input.

    name: for people. identity: changes with everything that changes the sound. command: the output's path follows it.
    """

    name: str
    identity: str
    command: tuple[str, ...]

    def render_command(self, wav: Path) -> list[str]:
        """Give the command that writes `wav`."""
        return [*self.command, str(wav)]


@dataclass(frozen=True)
class Player:
    """A program that plays a WAV file, whose path follows the command."""

    name: str
    command: tuple[str, ...]

    def play_command(self, wav: Path) -> list[str]:
        """Give the command that plays `wav`."""
        return [*self.command, str(wav)]


def installed_voices(settings: SpeakerSettings) -> tuple[Voice, ...]:
    """Give the voices that can be used, the best first; none if speech is off.

    Raises DeviceMissingError, with what to install, if there is none.
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
            f"Piper, or a voice for it, is missing: put the .onnx and .onnx.json of a voice for “{settings.language}” "
            f"into {_piper_folders()[0]}, or choose espeak-ng."
        )
    if not voices:
        raise DeviceMissingError("The program that speaks is missing: sudo apt install espeak-ng.")
    return tuple(voices)


def installed_player(settings: SpeakerSettings) -> Player:
    """Give the program that plays sound. Raises DeviceMissingError, with what to install, if there is none."""
    for name in (settings.player,) if settings.player else PLAYERS:
        program = shutil.which(name)
        if program is not None:
            device = () if settings.device is None else (f"{DEVICE_OPTION.get(name, '--device')}={settings.device}",)
            return Player(name, (program, *(("--quiet",) if name == "aplay" else ()), *device))
    raise DeviceMissingError("The program that plays sound is missing: sudo apt install alsa-utils.")


def _espeak_voices(settings: SpeakerSettings) -> list[Voice]:
    program = shutil.which("espeak-ng")
    if program is None:
        return []
    voice, pace = ESPEAK_VOICES[settings.language], str(settings.words_a_minute)
    return [Voice("espeak-ng", f"espeak-ng {voice} {pace}", (program, "-v", voice, "-s", pace, "--stdin", "-w"))]


def _piper_voices(settings: SpeakerSettings) -> list[Voice]:
    program = shutil.which("piper")
    if program is None:
        return []
    models = [settings.piper_voice] if settings.piper_voice else _piper_models(settings.language)
    # Without a voice it may be another program called piper: Debian has one for mice.
    usable = [model for model in models if model.is_file() and Path(f"{model}.json").is_file()]
    return [
        Voice(f"piper ({model.stem})", f"piper {model} {model.stat().st_size}", (program, "-m", str(model), "-f"))
        for model in usable[:1]
    ]


def _piper_models(language: str) -> list[Path]:
    return [model for folder in _piper_folders() for model in sorted(folder.glob(f"**/{language}[_-]*.onnx"))]


def _piper_folders() -> list[Path]:
    share = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return [Path(share) / "piper-voices", Path("/usr/local/share/piper-voices"), Path("/usr/share/piper-voices")]
