"""Manages the machine for paired devices: version, log, checks, games, players, backups, reports."""

from __future__ import annotations

import io
import json
import platform
import threading
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardware.problems import Problem
from referee.doctor import checks
from referee.doctor.machine import Machine
from referee.errors import BadInputError, WorkFailedError
from referee.files import note_set_aside
from referee.language import Language
from referee.log import KEPT
from referee.match.backup import Restored, back_up, restore
from referee.match.process import Power
from referee.names import players_in
from referee.phrases import in_language
from referee.sayings.service import problem
from referee.setup.step import load_kept
from referee.store.evidence import MachineReport, keep_disputed
from referee.store.games import game_numbered, games, iso_time
from referee.store.history import forget_player, listed, renamed
from referee.store.recovery import report_set_aside
from vision.errors import VisionError

if TYPE_CHECKING:
    from referee.match.referee import Referee

_MOST_GAMES = 50


class System:
    """Shows and changes the machine, and the games and players that are kept.

    power: the possible requests to the computer. machine: the one to check; None: this one.
    """

    def __init__(self, referee: Referee, power: Power, machine: Machine | None = None) -> None:
        self._referee, self._power = referee, power
        self._machine = machine or Machine(folder=lambda: referee.folder)

    def public(self) -> dict[str, Any]:
        """Return `version`, `offers`, `findings`, `log`, `unfinished` games, and `players` with their games."""
        language = self._referee.language
        shown = listed(self._referee.store.read)
        names = Counter(name for past in shown for name in past.row.header.players)
        held = self._referee.match.held()
        return {
            "version": version("ringmaster"),
            "offers": list(self._power.offers),
            "findings": [_data(finding, language) for finding in self._findings(language)],
            "log": KEPT.lines(),
            "unfinished": [
                {
                    "id": str(past.row.game),
                    "game": past.row.header.game,
                    "players": list(past.row.header.players),
                    "started": iso_time(past.started_ms),
                }
                for past in shown
                if past.end is None and past.row.game not in held
            ],
            "players": [{"name": name, "games": names[name]} for name in sorted(names, key=str.casefold)],
        }

    def switch(self, what: str) -> None:
        """Restart the referee or the computer, or shut the computer down.

        Raises:
            WorkFailedError: it cannot be done from here.
        """
        if not self._power.ask(what):
            raise WorkFailedError("kept.that_cannot_be_done_from")

    def note_set_aside(self) -> None:
        """Note that somebody has read which files were set aside.

        Raises:
            WorkFailedError: the disk does not let them be moved.
        """
        note_set_aside(self._referee.folder)
        report_set_aside(self._referee.folder, self._referee.store, self._referee.health)
        self._referee.changed()

    def forget_game(self, game: int) -> None:
        """Delete a game with its pictures.

        Raises:
            BadInputError: there is none with that number, or it may still be resumed.
            WorkFailedError: the disk does not take it.
        """
        referee = self._referee
        with referee.turn():
            if referee.match.session is not None and referee.match.session.over and referee.match.game == game:
                referee.end_game()
            if game in self._referee.match.held():
                raise BadInputError("kept.game_is_being_played_end")
            if game_numbered(referee.store.read, game) is None:
                raise BadInputError("kept.there_is_no_such_game")
            referee.evidence.forget_game(game)

    def forget_player(self, name: str) -> int:
        """Replace a name by "Somebody" everywhere, and return the number of games.

        Raises:
            BadInputError: a game is in play, or nobody has this name.
            WorkFailedError: the disk does not take it.
        """
        referee = self._referee
        with referee.turn():
            if referee.match.session is not None and not referee.match.session.over:
                raise BadInputError("kept.game_is_being_played_end")
            count = forget_player(referee.store, name, referee.language)
            if referee.match.session is not None:
                # It is over, and is on the pages with the name.
                referee.end_game()
            referee.voice.forget()
            return count

    def rename(self, name: str, new: str) -> int:
        """Rename a player in all games, also to another player's name: then both are one from now on.

        Return the number of games.

        Raises:
            BadInputError: a game is in play, nobody has this name, the new name cannot be, or the two have played
            against each
                other.
            WorkFailedError: the disk does not take it.
        """
        (called,) = players_in([new])
        with self._referee.lock:
            if self._referee.match.in_play:
                raise BadInputError("kept.game_is_being_played_end")
            changes = renamed(self._referee.store.read, name, called)
            self._referee.store.change_headers(changes)
        return len(changes)

    def _findings(self, language: Language) -> Iterator[Problem]:
        """Check the computer as `ringmaster doctor` does, and yield the states of the referee's devices.

        While the referee runs, nothing else can try its devices.
        """
        wanted = (
            checks.check_permissions,
            checks.check_power,
            checks.check_clock,
            checks.check_disk,
        )
        for check in wanted:
            yield from check(self._machine)
        for one in self._referee.health.snapshot():
            yield replace(one, message=problem(one, language))


class BackupDesk:
    """Backs up a family's data in one file, restores it, and reports on a ruling or the machine."""

    def __init__(self, referee: Referee) -> None:
        self._referee, self._lock = referee, threading.Lock()

    def back_up(self, path: Path, *, pictures: bool) -> None:
        """Write all data into a file.

        Raises:
            WorkFailedError: it cannot be written.
        """
        with self._lock:
            self._referee.store.flush()
            back_up(path, self._referee, pictures=pictures)

    def restore(self, path: Path) -> Restored:
        """Restore the data of a file that is not here yet.

        Raises:
            BadInputError: a game is in play, or the file is not a backup.
            WorkFailedError: the disk does not take it.
        """
        with self._lock:
            if self._referee.match.in_play:
                raise BadInputError("kept.game_is_being_played_end")
            try:
                return restore(path, self._referee)
            except (BadInputError, VisionError) as error:
                raise BadInputError("kept.this_file_is_no_backup") from error

    def disputed(self, ruling: str) -> bytes:
        """Return a file of a disputed ruling, to be sent; keep it and the ruling's pictures.

        Raises:
            BadInputError: there is no such ruling.
            WorkFailedError: the disk does not take it.
        """
        with self._lock:
            with self._referee.lock:
                log, session = self._referee.match.log(ruling), self._referee.match.session
                number = log.about(*log.ruling(ruling))
                self._referee.store.dispute(log.game, number)
                self._referee.store.flush(durable=False)
                is_live = session is not None and session.log is log
                said = frozenset(session.said) if session is not None and is_live else frozenset[int]()
            machine = MachineReport(
                self._referee.settings.open_to_all(), tuple(self._referee.devices.camera_notes), log.shift_ns, said
            )
            path = keep_disputed(self._referee.folder, log, ruling, self._referee.film.of(log.game, number), machine)
            return path.read_bytes()

    def report(self) -> bytes:
        """Return a ZIP with the state of the machine, without codes, names or pictures."""
        told = {
            "version": version("ringmaster"),
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            "settings": self._referee.settings.open_to_all(),
            "devices": [
                {"device": one.part, "state": one.state.value, "message": one.message}
                for one in self._referee.health.snapshot()
            ],
            "camera_notes": list(self._referee.devices.camera_notes),
            "setup": {
                name: {"state": one.state, "text": one.text} for name, one in load_kept(self._referee.folder).items()
            },
            "games": [
                {"game": row.header.game, "players": len(row.header.players), "started_ms": row.started_ms}
                for row in games(self._referee.store.read)[:_MOST_GAMES]
            ],
            "log": KEPT.lines(),
        }
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("report.json", json.dumps(told, indent=1, ensure_ascii=False))
        return data.getvalue()


def _data(finding: Problem, language: Language) -> dict[str, str]:
    return {
        "check": finding.part,
        "state": finding.severity.value,
        "message": in_language(finding.message, language),
        "advice": in_language(finding.advice, language),
    }
