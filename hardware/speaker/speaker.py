"""The speaker: says sentences and keeps nobody waiting. Back-ends: spoken, recorded, silent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from hardware.edges import Clock
from hardware.errors import DeviceMissingError
from hardware.health import DeviceHealth, Health
from hardware.speaker.chimes import Chime
from hardware.speaker.settings import SpeakerSettings
from hardware.speaker.spoken import NAME, SpokenSpeaker
from hardware.speaker.voice import installed_player, installed_voices


class Speaker(Protocol):
    """Something that says sentences. Every method returns at once and never raises for a fault of the loudspeaker."""

    def say(self, sentences: Sequence[str], *, urgent: bool = True, chime: Chime | None = None) -> None:
        """Say sentences one after the other, after a chime if there is one.

        urgent: stop what is being said, and forget what was to follow.
        """

    def hush(self) -> None:
        """Be silent at once."""

    def prepare(self, sentences: Sequence[str]) -> None:
        """Get ready for sentences that will be wanted quickly."""

    def close(self) -> None:
        """Be silent and let the loudspeaker go."""


class NullSpeaker:
    """Silence."""

    def say(self, sentences: Sequence[str], *, urgent: bool = True, chime: Chime | None = None) -> None:
        """Say nothing."""

    def hush(self) -> None:
        """Be silent."""

    def prepare(self, sentences: Sequence[str]) -> None:
        """Render nothing."""

    def close(self) -> None:
        """Let nothing go."""


class RecordedSpeaker:
    """A speaker that writes down what it was to say, with the time; for tests and the simulated table."""

    def __init__(self, clock: Clock = time.monotonic_ns) -> None:
        self._clock = clock
        self.said: list[tuple[int, str]] = []
        self.chimes: list[Chime] = []

    def say(self, sentences: Sequence[str], *, urgent: bool = True, chime: Chime | None = None) -> None:
        """Write the sentences down."""
        if chime is not None:
            self.chimes.append(chime)
        self.said += [(self._clock(), sentence) for sentence in sentences]

    def hush(self) -> None:
        """Be silent."""

    def prepare(self, sentences: Sequence[str]) -> None:
        """Render nothing."""

    def close(self) -> None:
        """Let nothing go."""


def open_speaker(
    settings: SpeakerSettings,
    on_health: Callable[[DeviceHealth], None] | None = None,
    clock: Clock = time.monotonic_ns,
) -> Speaker:
    """Give the speaker that the settings ask for; one that cannot be had is reported, and nothing is said aloud."""
    if settings.backend == "none":
        return NullSpeaker()
    try:
        return SpokenSpeaker(settings, installed_voices(settings), installed_player(settings), on_health, clock)
    except DeviceMissingError as error:
        message = str(error)
    except OSError as error:
        message = f"There is no place on the disk for speech: {error.strerror or error}."
    if on_health is not None:
        on_health(DeviceHealth(clock(), NAME, Health.MISSING, message))
    return NullSpeaker()
