"""What setting up measures and changes with while the referee runs: its own devices, settings, voice and lamp."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from hardware.camera.exposure import Polygon
from hardware.camera.frames import SECOND_NS
from hardware.events import Event
from hardware.problems import HealthBoard
from referee.errors import SettingError
from referee.phrases import Remembering, in_language
from referee.service.game_controller import GameController
from referee.service.guard.guard import Eyes
from referee.setup.devices import loudness
from referee.setup.finding import Hearing, Kept, Seen, Wish, troubles_in_words
from vision.profile import TableProfile

_OLD_NS = 3 * SECOND_NS
"""A picture that is older is none: the camera is gone."""


class Senses(Eyes, Protocol):
    """What is used of the devices (`referee.service.devices.Devices`)."""

    @property
    def loudness(self) -> float | None:
        """How loud the bell's microphone is now; None where none listens."""


@dataclass
class SetupKit:
    """A `referee.setup.walk.Kit`.

    change: takes other settings as the page's do. profile, keep_profile: the measured table, and takes another one.
    area: where the table is. cameras: those that are plugged in, what each is set by and is called.
    """

    folder: Path
    controller: GameController
    health: HealthBoard
    devices: Senses
    change: Callable[[Mapping[str, Any]], object]
    profile: Callable[[], TableProfile | None]
    keep_profile: Callable[[TableProfile], None]
    area: Callable[[], Polygon | None]
    clock: Callable[[], int] = time.monotonic_ns
    cameras: Callable[[], Sequence[tuple[str, str]]] = tuple
    hearing: Hearing = field(default_factory=Hearing)

    def heard(self, event: Event) -> None:
        """Take what bell and sandtimer do."""
        self.hearing.note(event, self.clock())

    def now_ns(self) -> int:
        """Give the time."""
        return self.clock()

    def seen(self, since_ns: int, kept: Mapping[str, Kept]) -> Seen:
        """Give what is seen now, and heard since."""
        language, now_ns = Remembering(self.controller.language.code), self.clock()
        frame = self.devices.buffer.newest
        fresh = frame is not None and now_ns - frame.exposure_end_ns < _OLD_NS
        peak = self.devices.loudness
        return Seen(
            now_ns=now_ns,
            since_ns=since_ns,
            language=language,
            settings=self.controller.settings,
            folder=self.folder,
            image=frame.bgr() if frame is not None and fresh else None,
            image_t_ns=frame.exposure_end_ns if frame is not None else 0,
            heard=self.hearing.since(since_ns),
            profile=self.profile(),
            troubles=troubles_in_words(self.health.troubles(), language),
            notes=tuple(in_language(note, language) for note in self.devices.camera_notes),
            settling=self.devices.settling,
            level=None if peak is None else loudness(peak),
            kept=kept,
            cameras=self.cameras,
        )

    def carry_out(self, wish: Wish) -> None:
        """Do what a step wants."""
        if wish.settings:
            self.change(wish.settings)
        for camera in wish.cameras:
            try:
                self.change({"camera": camera})
            except SettingError:
                continue
            break
        if wish.profile is not None:
            self.keep_profile(wish.profile)
        if wish.settle and not self.controller.in_play:
            self.devices.settle(self.area(), focus=True)
        if wish.signal is not None:
            self.controller.voice.show(wish.signal)
        if wish.say:
            self.controller.voice.tell(wish.say)
