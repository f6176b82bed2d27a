"""Rendered sentences on disk, so that a phrase is rendered once in the life of a table."""

from __future__ import annotations

import array
import contextlib
import hashlib
import os
import sys
import tempfile
import time
import wave
from pathlib import Path

from hardware.settings import SECOND
from hardware.speaker.chimes import Chime, chime_wav
from hardware.speaker.voice import Voice

TRIM_EVERY = 20
OLD_S = 3600
INSTALLED = Path("/var/cache/ringmaster/speech")
"""Where the installed service keeps its own."""


def cache_folder() -> Path:
    """Give the usual place: what systemd gives a service, or the user's cache (XDG)."""
    if given := os.environ.get("CACHE_DIRECTORY"):
        return Path(given.split(":")[0]) / "speech"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringmaster" / "speech"


def forget_phrases() -> None:
    """Delete all rendered sentences: their files do not say which of them name a player."""
    for folder in {cache_folder(), INSTALLED}:
        for path in folder.glob("*"):
            if not path.name.startswith("chime-"):
                with contextlib.suppress(OSError):
                    path.unlink()


def wav_length_ns(path: Path) -> int | None:
    """Give how long a WAV file plays, ns; None if it is none, is empty, or is torn."""
    try:
        with wave.open(str(path), "rb") as sound:
            frames, size, rate = sound.getnframes(), sound.getnchannels() * sound.getsampwidth(), sound.getframerate()
        whole = path.stat().st_size >= frames * size
    except (OSError, EOFError, wave.Error):
        return None
    return frames * SECOND // rate if frames and rate and whole else None


def make_quieter(path: Path, volume: float) -> None:
    """Multiply the samples of a WAV file of 16 bits, which all voices write, by `volume`; others stay as they are."""
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
    """A folder of WAV files, the least used of which are deleted. Every write is whole or not at all.

    A folder that cannot be written to is replaced by one that lasts until `close`. volume: of what is kept, 0 to 1 of
    what the voice gave. Raises OSError if there is no place on the whole machine.
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

    def find(self, voice: Voice, text: str) -> Path | None:
        """Give the file of a sentence if it was rendered before and is whole."""
        path = self._path(voice, text)
        if wav_length_ns(path) is None:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return path

    def part(self, voice: Voice, text: str) -> Path:
        """Give the path to render a sentence to; then call `keep`."""
        return self._path(voice, text).with_suffix(f".{os.getpid()}.part")

    def keep(self, voice: Voice, text: str) -> Path | None:
        """Keep what was rendered, and give it; None if it is no sound or the disk is full."""
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
        """Give a chime's file, made if it is not there; None if the disk is full."""
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

    def _path(self, voice: Voice, text: str) -> Path:
        loudness = "" if self._volume == 1 else f"\n{self._volume:.2f}"
        name = hashlib.sha256(f"{voice.identity}\n{text}{loudness}".encode()).hexdigest()[:32]
        return self.folder / f"{name}.wav"

    def _trim(self, newest: Path) -> None:
        files = sorted((path.stat().st_mtime_ns, path) for path in self.folder.glob("*.wav") if path != newest)
        for _, path in files[: max(0, len(files) + 1 - self._most_files)]:
            path.unlink(missing_ok=True)
        # Left behind by a referee that was switched off in the middle.
        for part in self.folder.glob("*.part"):
            if time.time() - part.stat().st_mtime > OLD_S:
                part.unlink(missing_ok=True)
