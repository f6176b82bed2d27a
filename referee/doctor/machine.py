"""The computer as the checks need it, and the problems that prevent a game from being judged."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from hardware.camera.camera import Camera, CameraSettings, open_camera
from hardware.gpio import FactoryMaker, lgpio_factory
from hardware.problems import Health, Problem
from hardware.settings import BellSettings, LampSettings, MicrophoneSettings, SandSettings
from hardware.voice import SpeakerSettings
from referee.games.registry import game_kind

ALWAYS_NEEDED = frozenset({"camera", "disk"})
EITHER = frozenset({"bell", "sandtimer"})


def lacking(findings: Iterable[Problem], game: str | None) -> frozenset[str]:
    """Return the checks that prevent the game from being judged.

    Every game needs the camera and disk space, Piccolino the bell, Confetti the sandtimer; None: one of the two.
    """
    faults = {finding.part for finding in findings if finding.state is Health.MISSING}
    unused = {finding.part for finding in findings if finding.state is Health.SKIPPED}
    lacks = ALWAYS_NEEDED & faults
    if game is not None:
        return lacks | (game_kind(game).devices & (faults | unused))
    return lacks | (EITHER if (faults | unused).issuperset(EITHER) else frozenset())


PROGRAM_LIMIT_S = 5


def run_program(*command: str) -> str | None:
    """Return a program's output; None if it is missing, fails, or hangs."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=PROGRAM_LIMIT_S, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None


def usable(path: Path) -> bool:
    """Return whether this user may read and write a device."""
    return os.access(path, os.R_OK | os.W_OK)


def user_name() -> str:
    """Return the user's name, "$USER" if it is unknown."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "$USER"


def state_folder() -> Path:
    """Return the folder of recordings and journals: systemd's for a service, else the user's home."""
    given = os.environ.get("STATE_DIRECTORY")
    return Path(given.split(":")[0]) if given else Path.home()


@dataclass(frozen=True)
class Machine:
    """The computer.

    root: root of its file system. run: runs a program. usable: whether a device may be used. free_bytes: free space on
    a folder's disk. release: the kernel's. year: the wall clock's. monotonic_ns: the clock of all stamps.
    """

    root: Path = Path("/")
    run: Callable[..., str | None] = run_program
    usable: Callable[[Path], bool] = usable
    user: Callable[[], str] = user_name
    folder: Callable[[], Path] = state_folder
    free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free
    writable: Callable[[Path], bool] = lambda folder: os.access(folder, os.W_OK)
    release: Callable[[], str] = lambda: os.uname().release
    year: Callable[[], int] = lambda: time.gmtime().tm_year
    monotonic_ns: Callable[[], int] = time.monotonic_ns

    def text(self, path: str) -> str | None:
        """Return the text of a system file; None if it is missing or unreadable."""
        try:
            return (self.root / path).read_text(encoding="utf-8", errors="replace").strip(" \n\0")
        except OSError:
            return None

    def number(self, path: str) -> int | None:
        """Return the number in a system file; None if it is missing."""
        text = self.text(path)
        return int(text) if text is not None and text.lstrip("-").isdecimal() else None

    def paths(self, *patterns: str) -> list[Path]:
        """Return the files that match any of the patterns."""
        return sorted(path for pattern in patterns for path in self.root.glob(pattern))


@dataclass(frozen=True)
class FittedDevices:
    """The devices' settings for the checks.

    game: the game to be judged, None for any. camera: its name, as `open_camera` takes it. silent: no sound and no
    light. press_s: seconds to wait for a ring; 0: none. pins, opener: open the pins and the camera.
    """

    game: str | None = None
    camera: str = "picamera2"
    bell: BellSettings = field(default_factory=BellSettings)
    sand: SandSettings = field(default_factory=SandSettings)
    lamp: LampSettings = field(default_factory=LampSettings)
    microphone: MicrophoneSettings = field(default_factory=MicrophoneSettings)
    speaker: SpeakerSettings = field(default_factory=SpeakerSettings)
    silent: bool = False
    press_s: float = 0.0
    pins: FactoryMaker = lgpio_factory
    opener: Callable[[str, CameraSettings], Camera] = open_camera
