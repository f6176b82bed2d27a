"""Runs the monitor: checks a picture four times a second, has the camera set up again, and reports mishaps.

Without a game the camera is checked once a minute, and when something is wrong. Then, also in a pause, it is set up
again. In play it is left alone: a picture that changes in play would be one more mishap. Only at a game's beginning is
it set up in play, and that is announced.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hardware.camera import notes as camera_notes
from hardware.camera.frames import SECOND_NS
from hardware.problems import Health, Problem
from referee.match.monitor.machine import Pace, Watching
from referee.match.monitor.mishaps import Lasting, Mishap
from referee.match.monitor.pictures import PictureMonitor, Stripes
from referee.match.process import part_thread
from referee.phrases import phrase
from referee.sayings import mishaps as sayings

if TYPE_CHECKING:
    from referee.match.referee import Referee

LOOK_S = 0.25
JUDGE_NS = 60 * SECOND_NS
AGAIN_NS, LONGEST_NS = 5 * SECOND_NS, 600 * SECOND_NS
MACHINE_NS = 10 * SECOND_NS
BEGIN_NS = 3 * SECOND_NS
"""The time after its beginning in which a game is not played yet: cards are dealt."""
_OLD_NS = SECOND_NS
_SAID_BY_CAMERA: dict[str, Mishap] = {
    camera_notes.NO_FOCUS: Mishap.BLURRED,
    camera_notes.LAMP_FLICKERS: Mishap.FLICKER,
}
_LOST = frozenset({camera_notes.EXPOSURE_DRIFTS, camera_notes.COLOURS_DRIFT})


class Monitor:
    """Reports to the health board and the journal; `Notices` chooses the announced reports.

    machine: watches the computer. on: the present mishaps. drawn: whether the table draws itself, so that no camera can
    see it badly.
    """

    def __init__(self, referee: Referee, machine: Sequence[Watching] = (), *, drawn: bool = False) -> None:
        self._referee, self._devices, self._machine = referee, referee.devices, machine
        self._drawn = drawn
        self._picture = PictureMonitor()
        self._pace = Pace(lambda: self._devices.buffer.pushed)
        self._stripes = Stripes(self._devices.buffer.between)
        self._others = Lasting(begins_ns=0, ends_ns=0)
        self._judged_ns = self._tried_ns = -LONGEST_NS
        self._tries = 0
        self._wrong: frozenset[Mishap] = frozenset()
        self._machine_ns: int | None = None
        self._frame_ns = 0
        self._settling = self._because = False
        self._notes: frozenset[str] = frozenset()
        self._game: tuple[int, int] | None = None  # the one in play, and since when
        self._noted: set[Mishap] = set()
        self.on: frozenset[Mishap] = frozenset()
        self._thread = part_thread("guard", self._run, referee.report)

    def start(self) -> None:
        """Begin to check."""
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._thread.stop(1.0)

    def forget(self) -> None:
        """Start again for another camera."""
        self._picture = PictureMonitor()
        self._pace.begin()
        self._notes = frozenset()

    def step(self, now_ns: int) -> None:
        """Check once, and do all that is due."""
        self._heed_game(now_ns)
        if self._drawn:
            self._look_at_computer(now_ns)
            self._tell()
            return
        if self._devices.settling:
            self._settling = True
            return
        if self._settling:
            self._has_settled()
        self._look(now_ns)
        self._look_at_devices(now_ns)
        self._look_at_computer(now_ns)
        self._tell()
        self._see_to_camera(now_ns)

    def _look(self, now_ns: int) -> None:
        frame = self._devices.buffer.newest
        if frame is not None and frame.exposure_end_ns > self._frame_ns and now_ns - frame.exposure_end_ns <= _OLD_NS:
            self._frame_ns = frame.exposure_end_ns
            self._picture.look(frame.bgr(), now_ns, self._referee.area.outline())

    def _look_at_devices(self, now_ns: int) -> None:
        notes = frozenset(self._devices.camera_notes)
        asked = {*self._pace.mishaps, *_SAID_BY_CAMERA.values(), Mishap.LOCK}
        here = {*self._pace.here(now_ns), *self._stripes.here(now_ns)}
        here |= {_SAID_BY_CAMERA[note] for note in notes if note in _SAID_BY_CAMERA}
        if notes & _LOST - self._notes:
            here.add(Mishap.LOCK)
        self._others.take(here, asked, now_ns)

    def _look_at_computer(self, now_ns: int) -> None:
        if self._machine_ns is not None and now_ns - self._machine_ns < MACHINE_NS:
            return
        self._machine_ns = now_ns
        asked = {mishap for one in self._machine for mishap in one.mishaps}
        here = {mishap for one in self._machine for mishap in one.here(now_ns)}
        self._others.take(here, asked, now_ns)

    def _heed_game(self, now_ns: int) -> None:
        """Follow which game is in play; journal the present mishaps of a new one."""
        with self._referee.lock:
            session = self._referee.match.session
            game = None if session is None or session.over else session.log.game
        if game is None or self._game is None or self._game[0] != game:
            self._game = None if game is None else (game, now_ns)
            self._noted.clear()
            if game is not None:
                self._note_begun([mishap for mishap in Mishap if mishap in self.on])

    def _tell(self) -> None:
        on = self._picture.on | self._others.on
        begun = [mishap for mishap in Mishap if mishap in on - self.on]
        ended = [mishap for mishap in Mishap if mishap in self.on - on]
        if not begun and not ended:
            return
        self.on = on
        for mishap in (*begun, *ended):
            part, now_ns = sayings.GUARD + mishap.value, self._referee.clock()
            if mishap in on:
                said = phrase(f"guard.begun.{mishap.value}")
                self._referee.health.report(Problem(part, Health.POOR, said, t_ns=now_ns))
            else:
                self._referee.health.report(Problem(part, Health.OK, t_ns=now_ns))
        if self._game is not None:
            self._note_begun(begun)
            for mishap in self._noted.intersection(ended):
                self._noted.discard(mishap)
                self._note(mishap, on=False)
        self._referee.changed()

    def _note_begun(self, begun: Sequence[Mishap]) -> None:
        for mishap in begun:
            self._noted.add(mishap)
            self._note(mishap, on=True)

    def _note(self, mishap: Mishap, *, on: bool) -> None:
        with self._referee.lock:
            self._referee.match.note_mishap(mishap.value, on)

    def _see_to_camera(self, now_ns: int) -> None:
        """Have the camera set up again where that may help and disturbs nobody."""
        wrong = frozenset(mishap for mishap in self.on if mishap.settles)
        if wrong != self._wrong:
            # Other light may help where the last try did not.
            self._wrong, self._tries = wrong, 0
        if self._because and not wrong and not self._devices.settling:
            self._because = False
            if self._game is not None:
                self._referee.voice.tell(sayings.camera_set(self._referee.language))
        if self._referee.match.in_play:
            if self._begins(now_ns) and (wrong or not self._picture.well) and self._settle(now_ns):
                self._referee.voice.tell(sayings.setting_camera(self._referee.language))
            return
        if wrong:
            self._settle(now_ns)
        elif now_ns - self._judged_ns >= JUDGE_NS:
            self._judged_ns = now_ns
            if self._picture.well:
                self._picture.refresh()
            else:
                self._settle(now_ns)

    def _begins(self, now_ns: int) -> bool:
        return self._game is not None and now_ns - self._game[1] < BEGIN_NS

    def _settle(self, now_ns: int) -> bool:
        """Have the camera set up; False if that cannot be, or was tried just now, or often in vain."""
        patience_ns = min(JUDGE_NS * 2 ** (self._tries - 1), LONGEST_NS) if self._tries else AGAIN_NS
        if now_ns - self._tried_ns < patience_ns:
            return False
        self._tried_ns = self._judged_ns = now_ns
        self._tries += 1
        self._settling = self._devices.settle(self._referee.area.outline(), focus=Mishap.BLURRED in self._wrong)
        self._because = self._settling and bool(self._wrong)
        return self._settling

    def _has_settled(self) -> None:
        self._settling = False
        self._notes = frozenset(self._devices.camera_notes)
        self._picture.settled()
        self._pace.begin()

    def _run(self) -> None:
        while not self._thread.stopping.wait(LOOK_S):
            self.step(self._referee.clock())
