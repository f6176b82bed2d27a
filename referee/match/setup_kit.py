"""Gives the setup steps the running referee's devices, settings, voice and lamp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hardware.camera.frames import SECOND_NS
from referee.phrases import Remembering, in_language
from referee.setup.devices import loudness
from referee.setup.step import Hearing, KeptStep, StepInput, Wish, troubles_in_words

if TYPE_CHECKING:
    from referee.match.referee import Referee

_OLD_NS = 3 * SECOND_NS
"""A picture that is older does not count: the camera is gone."""


class SetupKit:
    """A `referee.setup.walk.Kit`. hearing: takes the events of bell and sandtimer."""

    def __init__(self, referee: Referee) -> None:
        self._referee, self.hearing = referee, Hearing()

    def now_ns(self) -> int:
        """Return the time."""
        return self._referee.clock()

    def seen(self, since_ns: int, kept: Mapping[str, KeptStep]) -> StepInput:
        """Return the present observations, and the events heard since."""
        referee, devices = self._referee, self._referee.devices
        language, now_ns, frame = Remembering(referee.language.code), referee.clock(), devices.buffer.newest
        fresh = frame is not None and now_ns - frame.exposure_end_ns < _OLD_NS
        return StepInput(
            now_ns=now_ns,
            since_ns=since_ns,
            language=language,
            settings=referee.settings,
            folder=referee.folder,
            image=frame.bgr() if frame is not None and fresh else None,
            image_t_ns=frame.exposure_end_ns if frame is not None else 0,
            heard=self.hearing.since(since_ns),
            profile=referee.area.profile,
            troubles=troubles_in_words(referee.health.troubles(), language),
            notes=tuple(in_language(note, language) for note in devices.camera_notes),
            settling=devices.supervisor.settling,
            level=None if devices.loudness is None else loudness(devices.loudness),
            kept=kept,
            cameras=referee.plugged,
        )

    def carry_out(self, wish: Wish) -> None:
        """Carry out a step's wish."""
        referee = self._referee
        if wish.settings:
            referee.change_settings(wish.settings)
        if wish.profile is not None:
            referee.keep_profile(wish.profile)
        if wish.settle and not referee.match.in_play:
            referee.devices.supervisor.settle(referee.area.outline, focus=True)
        if wish.signal is not None:
            referee.announcements.show(wish.signal)
        referee.announcements.speak(wish.say)
