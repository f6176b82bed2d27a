"""Programs that speak and play for tests, well-behaved and not: shell scripts put on PATH instead of the real ones."""

from __future__ import annotations

import os
import wave
from pathlib import Path

# A sound of 20 ms; the fake voice writes the text behind it, where the fake player finds it.
RATE, FRAMES = 8000, 160
SOUND_BYTES = 44 + 2 * FRAMES

RENDER = 'for out; do :; done; cat "$HERE/sound.wav" - > "$out"; echo x >> "$HERE/renders"'
# Takes until the test makes the file `go` for a text that begins with "Slow".
RENDER_SLOWLY = """for out; do :; done; text=$(cat)
case "$text" in Slow*) echo x >> "$HERE/slow"; until [ -e "$HERE/go" ]; do sleep 0.02; done;; esac
echo "$text" | cat "$HERE/sound.wav" - > "$out"; echo x >> "$HERE"/renders"""
PLAY = f'for wav; do :; done; text=$(tail -c +{SOUND_BYTES + 1} "$wav"); echo "$text" >> "$HERE/played"'
# Plays until the test makes the file `go`; prints its process id.
PLAY_LONG = f"""{PLAY}
case "$text" in Long*) echo $$ > "$HERE/pid"; until [ -e "$HERE/go" ]; do sleep 0.02; done;; esac"""
HANG = "exec sleep 600"


class Machine:
    """A PATH with only what a test installs, besides the shell's own tools."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        for tool in ("sh", "cat", "tail", "sleep", "echo"):
            (self.bin / tool).symlink_to(f"/bin/{tool}")
        with wave.open(str(folder / "sound.wav"), "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(RATE)
            sound.writeframes(bytes(2 * FRAMES))

    def install(self, name: str, script: str) -> None:
        program = self.bin / name
        fresh = self.folder / f"{name}.new"
        fresh.write_text(f'#!/bin/sh\nHERE="{self.folder}"\n{script}\n', encoding="utf-8")
        fresh.chmod(0o755)
        fresh.replace(program)

    def read(self, name: str) -> list[str]:
        path = self.folder / name
        return path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []

    @property
    def played(self) -> list[str]:
        return self.read("played")

    @property
    def renders(self) -> int:
        return len(self.read("renders"))

    def go(self) -> None:
        (self.folder / "go").touch()


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
