"""What a referee is put together from where nothing else is wanted: loudspeaker, lamp, hour, and the measured table."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

from hardware.lamp import Lamp, open_lamp
from hardware.problems import Health, Problem
from hardware.speaker import NullSpeaker, Speaker, open_speaker
from hardware.voice import SpeakerSettings
from referee.files import set_aside, write_whole
from referee.service.settings import TableSettings
from vision.errors import VisionError
from vision.profile import TableProfile, load_profile, profile_text

PROFILE = "table.json"
OnHealth = Callable[[Problem], None]


def default_speaker(settings: TableSettings, on_health: OnHealth) -> Speaker:
    """Give the loudspeaker that is set."""
    if not settings.loudspeaker:
        return NullSpeaker()
    return open_speaker(SpeakerSettings(language=settings.language, volume=settings.volume), on_health)


def default_lamp(settings: TableSettings, on_health: OnHealth) -> Lamp:
    """Give the lamp that is set."""
    return open_lamp(settings.lamp_settings(), on_health=on_health)


def time_of_day() -> tuple[int, int]:
    """Give the hour and the minute."""
    now = time.localtime()
    return now.tm_hour, now.tm_min


def kept_profile(folder: Path, on_health: OnHealth) -> TableProfile | None:
    """Give what calibration measured; without it the marker cards in each picture tell."""
    path = folder / PROFILE
    if not path.exists():
        return None
    try:
        return load_profile(path)
    except VisionError as error:
        # The page reports what was set aside, at each start.
        if set_aside(path) is None:
            sentence = f"{error}; the marker cards tell."
            on_health(Problem("table", Health.MISSING, sentence, t_ns=time.monotonic_ns()))
        return None


def keep_profile(folder: Path, profile: TableProfile) -> None:
    """Keep what calibration measured.

    Raises:
        WorkFailedError: the disk does not take it.
    """
    write_whole(folder / PROFILE, profile_text(profile).encode())


def put_profile_away(folder: Path) -> None:
    """Put away what was measured with another camera."""
    path = folder / PROFILE
    with contextlib.suppress(OSError):
        path.replace(path.with_name(f"{path.stem}-of-the-camera-before{path.suffix}"))
