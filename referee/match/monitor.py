"""Detects causes of wrong readings in light, camera and computer, and chooses the troubles that are announced.

Without a game the camera is checked once a minute, and when something is wrong. Then, also in a pause, it is set up
again. In play it is left alone: a picture that changes in play would be one more mishap. Only at a game's beginning is
it set up in play, and that is announced.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hardware.camera import notes as camera_notes
from hardware.camera.frames import SECOND_NS
from hardware.problems import Health, Problem
from referee.doctor.checks import CAPPED, HOT, HOT_MILLIDEGREES, LEAST_BYTES, THROTTLED, UNDER_VOLTAGE, power_bits
from referee.doctor.machine import Machine
from referee.games.kind import GameKind
from referee.language import Language
from referee.match.announcements import TAKEN_BACK_AFTER_NS
from referee.match.monitor_pictures import Mishap, PictureMonitor
from referee.match.process import part_thread
from referee.phrases import phrase
from referee.sayings import service as sayings
from referee.sayings.service import GUARD
from referee.store.recovery import FILES

if TYPE_CHECKING:
    from referee.match.referee import Referee

LOOK_S = 0.25
JUDGE_NS = 60 * SECOND_NS
AGAIN_NS, LONGEST_NS = 5 * SECOND_NS, 600 * SECOND_NS
MACHINE_NS = 10 * SECOND_NS
BEGIN_NS = 3 * SECOND_NS
"""The time after its beginning in which a game is not played yet: cards are dealt."""
SAID_AFTER_NS = 10 * SECOND_NS
"""The least time of a trouble, without a break, before it is announced."""
_OLD_NS = SECOND_NS
_LOST = frozenset({camera_notes.EXPOSURE_DRIFTS, camera_notes.COLOURS_DRIFT})
_COOLER_MILLIDEGREES = 5_000
_WINDOW_NS = 2 * SECOND_NS
_FEWER, _ENOUGH_PER_S = 0.5, 12.0  # of the best rate, and the rate at which nobody misses a picture

_SETTLED = frozenset({Mishap.DARK, Mishap.BRIGHT, Mishap.LIGHT, Mishap.BLURRED, Mishap.FLICKER, Mishap.LOCK})
"""Mishaps that setting the camera up again may help."""
_BY_BELL = frozenset({"bell", GUARD + Mishap.PACE.value})


def computer_mishaps(machine: Machine, folder: Path, on: frozenset[Mishap]) -> dict[Mishap, bool]:
    """Return whether power, cooling or room on a folder's disk are short, with a margin for the mishaps that are `on`.

    A computer without reports is neither hot nor short of power.
    """
    bits = power_bits(machine)
    is_weak = bool((bits or 0) & UNDER_VOLTAGE)
    # The firmware slows down for want of power, too.
    is_slowed = bool((bits or 0) & (HOT | (0 if is_weak else CAPPED | THROTTLED)))
    limit = HOT_MILLIDEGREES - (_COOLER_MILLIDEGREES if Mishap.HOT in on else 0)
    is_hot = bits is not None and (machine.number("sys/class/thermal/thermal_zone0/temp") or 0) >= limit
    try:
        is_full = machine.free_bytes(folder) < LEAST_BYTES * (1.2 if Mishap.DISK in on else 1.0)
    except OSError:
        is_full = Mishap.DISK in on
    return {Mishap.POWER: is_weak, Mishap.HOT: is_hot or is_slowed, Mishap.DISK: is_full}


class Monitor:
    """Checks a picture four times a second, and reports to the health board and the journal; `Notices` announces.

    on: the present mishaps. drawn: whether the table draws itself, so that no camera can see it badly.
    """

    def __init__(self, referee: Referee, machine: Machine, *, drawn: bool = False) -> None:
        self._referee, self._camera, self._machine = referee, referee.devices.supervisor, machine
        self._buffer, self._drawn = referee.devices.buffer, drawn
        self._judged_ns = self._tried_ns = -LONGEST_NS
        self._tries = 0
        self._wrong: frozenset[Mishap] = frozenset()
        self._others: dict[Mishap, bool] = {}
        self._machine_ns = -MACHINE_NS
        self._frame_ns = 0
        self._settling = self._because = False
        self._noted: tuple[int | None, frozenset[Mishap]] = None, frozenset()  # the game, and its journal's mishaps
        self.on: frozenset[Mishap] = frozenset()
        self.forget()
        self.thread = part_thread("guard", self._run, referee.report)

    def forget(self) -> None:
        """Start again for another camera."""
        self._camera, self._picture = self._referee.devices.supervisor, PictureMonitor()
        self._notes, self._best_per_s = frozenset[str](), 0.0

    def step(self, now_ns: int) -> None:
        """Check once, and do all that is due."""
        if not self._drawn:
            if self._camera.settling:
                self._settling = True
                return
            if self._settling:
                self._settling, self._notes, self._best_per_s = False, frozenset(self._camera.notes), 0.0
                self._picture.settled()
            self._look(now_ns)
        if now_ns - self._machine_ns >= MACHINE_NS:
            self._machine_ns = now_ns
            self._others |= computer_mishaps(self._machine, self._referee.folder, self.on)
        self._report(self._picture.on | {mishap for mishap, is_here in self._others.items() if is_here})
        if not self._drawn:
            self._see_to_camera(now_ns)

    def _look(self, now_ns: int) -> None:
        frame, notes = self._buffer.newest, frozenset(self._camera.notes)
        if frame is not None and frame.exposure_end_ns > self._frame_ns and now_ns - frame.exposure_end_ns <= _OLD_NS:
            self._frame_ns = frame.exposure_end_ns
            self._picture.look(frame.bgr(), now_ns, self._referee.area.outline)
        self._others |= {
            Mishap.PACE: self._is_slow(now_ns),
            Mishap.FLICKER: camera_notes.LAMP_FLICKERS in notes,
            Mishap.BLURRED: camera_notes.NO_FOCUS in notes,
            Mishap.LOCK: bool(notes & _LOST - self._notes),
        }

    def _is_slow(self, now_ns: int) -> bool:
        """Return whether the last two seconds had far fewer pictures than at best; none at all is another trouble."""
        per_s = len(self._buffer.between(now_ns - _WINDOW_NS, now_ns)) * SECOND_NS / _WINDOW_NS
        self._best_per_s = max(self._best_per_s, per_s)
        return 0 < per_s < min(_FEWER * self._best_per_s, _ENOUGH_PER_S)

    def _report(self, on: frozenset[Mishap]) -> None:
        """Report changes; journal those in a game, and what is there at its beginning."""
        for mishap in sorted(on ^ self.on, key=list(Mishap).index):
            state = Health.POOR if mishap in on else Health.OK
            message = phrase(f"guard.begun.{mishap.value}") if mishap in on else ""
            self._referee.report(Problem(GUARD + mishap.value, state, message, t_ns=self._referee.clock()))
        self.on = on
        with self._referee.lock:
            match = self._referee.match
            noted = self._noted[1] if match.game == self._noted[0] else frozenset()
            self._noted = match.game, on
            for mishap in sorted(on ^ noted, key=list(Mishap).index):
                match.note_mishap(mishap.value, mishap in on)

    def _see_to_camera(self, now_ns: int) -> None:
        """Have the camera set up again where that may help and disturbs nobody."""
        wrong, language, session = self.on & _SETTLED, self._referee.language, self._referee.match.session
        if wrong != self._wrong:
            # Other light may help where the last try did not.
            self._wrong, self._tries = wrong, 0
        if self._because and not wrong and not self._camera.settling:
            self._because = False
            if session is not None and not session.over:
                self._referee.announcements.speak(language.text("guard.camera_has_set_itself_to"))
        begins = False
        if session is not None and self._referee.match.in_play:
            begins = now_ns - (session.begun_ns - session.log.shift_ns) < BEGIN_NS
            if not begins:
                return
        is_due = begins or now_ns - self._judged_ns >= JUDGE_NS
        if wrong or (is_due and not self._picture.well):
            if self._settle(now_ns) and begins:
                self._referee.announcements.speak(language.text("guard.one_moment_camera_sets_itself"))
        elif is_due and not begins:
            self._judged_ns = now_ns
            self._picture.refresh()

    def _settle(self, now_ns: int) -> bool:
        """Have the camera set up; False if that cannot be, or was tried just now, or often in vain."""
        patience_ns = min(JUDGE_NS * 2 ** (self._tries - 1), LONGEST_NS) if self._tries else AGAIN_NS
        if now_ns - self._tried_ns < patience_ns:
            return False
        self._tried_ns = self._judged_ns = now_ns
        self._tries += 1
        self._settling = self._camera.settle(self._referee.area.outline, focus=Mishap.BLURRED in self._wrong)
        self._because = self._settling and bool(self._wrong)
        return self._settling

    def _run(self) -> None:
        while not self.thread.stopping.wait(LOOK_S):
            self.step(self._referee.clock())


class Notices:
    """Hysteresis for announced troubles of devices and mishaps: one that comes and goes is announced once at most."""

    def __init__(self) -> None:
        self._announced: set[str] = set()

    def take(self, states: Sequence[Problem], kind: GameKind | None, language: Language, now_ns: int) -> list[str]:
        """Return the sentences to announce now: of troubles that have lasted, and of parts that work again for long.

        kind: of the game in play; a trouble that does not matter to it is announced as soon as it does.
        """
        sentences = list[str]()
        self._announced &= {one.part for one in states}
        for one in states:
            is_announced, lasted_ns = one.part in self._announced, now_ns - one.t_ns
            if one.state is Health.OK and is_announced and lasted_ns >= TAKEN_BACK_AFTER_NS:
                self._announced.discard(one.part)
                if matters_to(one.part, kind):
                    sentences.append(sayings.works_again(one.part, language))
            is_due = one.state is not Health.OK and not is_announced and lasted_ns >= SAID_AFTER_NS
            if is_due and matters_to(one.part, kind):
                self._announced.add(one.part)
                sentences.append(sayings.problem(one, language))
        return sentences


def matters_to(name: str, kind: GameKind | None) -> bool:
    """Return whether a device or a mishap is announced in a game of this kind; None: no game.

    At night in an empty room nobody wants to hear that it is dark.
    """
    if name == FILES:
        # Files that were set aside are announced once, at the start.
        return False
    if kind is None:
        return not name.startswith(GUARD)
    part = name if name.startswith(GUARD) else name.split()[0]
    return ("bell" in kind.devices) if part in _BY_BELL else part != "sandtimer" or part in kind.devices
