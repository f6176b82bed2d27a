"""Keeping all that a family has in one file, taking it back, and the report for who is to find a fault."""

from __future__ import annotations

import io
import json
import platform
import threading
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hardware.problems import HealthBoard
from referee.errors import BadInputError
from referee.journal.stored import games
from referee.log import KEPT
from referee.service.backup import Restored, back_up, restore
from referee.service.disputed import Machine, keep_disputed, open_settings
from referee.service.film import Film
from referee.service.game_controller import GameController
from referee.service.shown_ruling import log_named
from referee.setup.finding import load_kept
from vision.errors import VisionError
from vision.profile import TableProfile

_MOST_GAMES = 50


@dataclass
class Keeping:
    """See the module.

    change: takes other settings. keep_profile: takes a measured table. notes: what the camera could not do.
    film: gives what was seen round an event of a game.
    """

    folder: Path
    controller: GameController
    health: HealthBoard
    change: Callable[[Mapping[str, Any]], object]
    keep_profile: Callable[[TableProfile], None]
    notes: Callable[[], tuple[str, ...]]
    film: Callable[[int, int], Film] = lambda game, event: Film()
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def back_up(self, path: Path, *, pictures: bool) -> None:
        """Write all into a file.

        Raises:
            WorkFailedError: it cannot be written.
        """
        with self._lock:
            self.controller.journal.flush()
            back_up(path, self.controller.journal.read, self.folder, self.controller.settings, pictures=pictures)

    def restore(self, path: Path) -> Restored:
        """Take what a file has and what is not here yet.

        Raises:
            BadInputError: a game is being played, or the file is no backup.
            WorkFailedError: the disk does not take it.
        """
        with self._lock:
            if self.controller.in_play:
                raise BadInputError("kept.game_is_being_played_end")
            try:
                return restore(path, self.controller.journal, self.folder, self.change, self.keep_profile)
            except (BadInputError, VisionError) as error:
                raise BadInputError("kept.this_file_is_no_backup") from error

    def disputed(self, ruling: str) -> bytes:
        """Give a file of a ruling that is in dispute, to be sent; it is kept, and so are the ruling's pictures.

        Raises:
            BadInputError: there is no such ruling.
            WorkFailedError: the disk does not take it.
        """
        with self._lock:
            with self.controller.lock:
                log, play = log_named(self.controller, ruling), self.controller.play
                number = log.about_id(ruling)
                self.controller.journal.dispute(log.row.game, number)
                self.controller.journal.flush(durable=False)
                live = play if play is not None and play.log is log else None
                said = frozenset() if live is None else frozenset(live.said)
                shift_ns = log.row.shift_ns if live is None else live.shift_ns
            machine = Machine(open_settings(self.controller.settings), tuple(self.notes()), shift_ns, said)
            path = keep_disputed(self.folder, log, ruling, self.film(log.row.game, number), machine)
            return path.read_bytes()

    def report(self) -> bytes:
        """Give a ZIP of how the machine is, without codes, names or pictures."""
        told = {
            "version": version("ringmaster"),
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            "settings": open_settings(self.controller.settings),
            "devices": [
                {"device": one.part, "state": one.state.value, "message": one.message} for one in self.health.snapshot()
            ],
            "camera_notes": list(self.notes()),
            "setup": {name: {"state": one.state, "text": one.text} for name, one in load_kept(self.folder).items()},
            "games": [
                {"game": row.header.game, "players": len(row.header.players), "started_ms": row.started_ms}
                for row in games(self.controller.journal.read)[:_MOST_GAMES]
            ],
            "log": KEPT.lines(),
        }
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("report.json", json.dumps(told, indent=1, ensure_ascii=False))
        return data.getvalue()
