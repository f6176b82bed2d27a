"""Keeping all that a family has in one file, taking it back, and the report for who is to find a fault."""

from __future__ import annotations

import io
import json
import platform
import threading
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import BadInputError
from referee.log import KEPT
from referee.match.why import log_named
from referee.sayings import kept as sayings
from referee.setup.finding import load_kept
from referee.store.backup import Restored, back_up, restore
from referee.store.disputed import Machine, keep_disputed, open_settings
from referee.store.games import games
from vision.errors import VisionError

if TYPE_CHECKING:
    from referee.match.referee import Referee

_MOST_GAMES = 50


class Keeping:
    """See the module."""

    def __init__(self, referee: Referee) -> None:
        self._referee, self._lock = referee, threading.Lock()

    def back_up(self, path: Path, *, pictures: bool) -> None:
        """Write all into a file.

        Raises:
            WorkFailedError: it cannot be written.
        """
        with self._lock:
            self._referee.store.flush()
            back_up(path, self._referee.store.read, self._referee.folder, self._referee.settings, pictures=pictures)

    def restore(self, path: Path) -> Restored:
        """Take what a file has and what is not here yet.

        Raises:
            BadInputError: a game is being played, or the file is no backup.
            WorkFailedError: the disk does not take it.
        """
        with self._lock:
            if self._referee.match.in_play:
                raise BadInputError(sayings.game_is_on(self._referee.language))
            try:
                return restore(
                    path,
                    self._referee.store,
                    self._referee.folder,
                    self._referee.change_settings,
                    self._referee.keep_profile,
                )
            except (BadInputError, VisionError) as error:
                raise BadInputError(sayings.no_backup(self._referee.language)) from error

    def disputed(self, ruling: str) -> bytes:
        """Give a file of a ruling that is in dispute, to be sent; it is kept, and so are the ruling's pictures.

        Raises:
            BadInputError: there is no such ruling.
            WorkFailedError: the disk does not take it.
        """
        with self._lock:
            with self._referee.lock:
                log, session = log_named(self._referee.match, ruling), self._referee.match.session
                number = log.about(*log.ruling(ruling))
                self._referee.store.dispute(log.game, number)
                self._referee.store.flush(durable=False)
                is_live = session is not None and session.log is log
                said = frozenset(session.said) if session is not None and is_live else frozenset[int]()
            machine = Machine(
                open_settings(self._referee.settings), tuple(self._referee.devices.camera_notes), log.shift_ns, said
            )
            path = keep_disputed(self._referee.folder, log, ruling, self._referee.film.of(log.game, number), machine)
            return path.read_bytes()

    def report(self) -> bytes:
        """Give a ZIP of how the machine is, without codes, names or pictures."""
        told = {
            "version": version("ringmaster"),
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            "settings": open_settings(self._referee.settings),
            "devices": [
                {"device": one.device, "state": one.state.value, "message": one.message}
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
