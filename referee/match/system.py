"""Manages the machine for paired devices: version, log, checks, games, players, reports."""

from __future__ import annotations

import io
import json
import platform
import zipfile
from collections import Counter
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from hardware.problems import Problem
from referee.doctor import checks
from referee.doctor.machine import Machine
from referee.errors import BadInputError
from referee.language import Language
from referee.log import KEPT
from referee.names import players_in
from referee.phrases import in_language
from referee.sayings.service import problem
from referee.setup.step import load_kept
from referee.store import upkeep
from referee.store.disputed import MachineReport, keep_disputed
from referee.store.games import game_numbered, games, iso_time
from referee.store.history import listed

if TYPE_CHECKING:
    from referee.match.referee import Referee

_CHECKS = (checks.check_permissions, checks.check_power, checks.check_clock, checks.check_disk)
"""Checks of `ringmaster doctor` that try no device: the referee uses those."""
_MOST_GAMES = 50


def public(referee: Referee) -> dict[str, Any]:
    """Return `version`, `offers`, `findings`, `log`, `unfinished` games, and `players` with their games."""
    language, machine = referee.language, Machine(folder=lambda: referee.folder)
    shown, held = listed(referee.store.read).games, referee.match.held()
    names = Counter(name for past in shown for name in past.row.header.players)
    devices = (replace(one, message=problem(one, language)) for one in referee.health.states)
    findings = [*(finding for check in _CHECKS for finding in check(machine)), *devices]
    return {
        "version": version("ringmaster"),
        "offers": list(referee.power.offers),
        "findings": [_data(finding, language) for finding in findings],
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


def forget_game(referee: Referee, game: int) -> None:
    """Delete a game with its pictures.

    Raises:
        BadInputError: there is none with that number, or it may still be resumed.
        WorkFailedError: the disk does not take it.
    """
    with referee.turn():
        session = referee.match.session
        if session is not None and session.over and session.log.game == game:
            referee.end_game()
        if game in referee.match.held():
            raise BadInputError("kept.game_is_being_played_end")
        if game_numbered(referee.store.read, game) is None:
            raise BadInputError("kept.there_is_no_such_game")
        upkeep.forget_game(referee.store, referee.evidence, referee.folder, game)


def forget_player(referee: Referee, name: str) -> None:
    """Replace a name by "Somebody" everywhere.

    Raises:
        BadInputError: a game is in play, or nobody has this name.
        WorkFailedError: the disk does not take it.
    """
    with referee.turn():
        session = referee.match.session
        if session is not None and not session.over:
            raise BadInputError("kept.game_is_being_played_end")
        upkeep.forget_player(referee.store, name, referee.language)
        if session is not None:
            # It is over, and is on the pages with the name.
            referee.end_game()
        referee.voice.forget()


def rename(referee: Referee, name: str, new: str) -> None:
    """Rename a player in all games, also to another player's name: then both are one from now on.

    Raises:
        BadInputError: a game is in play, nobody has this name, the new name cannot be, or the two have played against
            each other.
        WorkFailedError: the disk does not take it.
    """
    (called,) = players_in([new])
    with referee.lock:
        if referee.match.in_play:
            raise BadInputError("kept.game_is_being_played_end")
        referee.store.change_headers(upkeep.renamed(referee.store.read, name, called, referee.language))


def disputed(referee: Referee, ruling: str) -> bytes:
    """Return a file of a disputed ruling, to be sent; keep it and the ruling's pictures.

    Raises:
        BadInputError: there is no such ruling.
        WorkFailedError: the disk does not take it.
    """
    with referee.lock:
        log, session = referee.match.log(ruling), referee.match.session
        number = log.about(*log.ruling(ruling))
        referee.store.dispute(log.game, number)
        referee.store.flush(durable=False)
        said = frozenset(session.said) if session is not None and session.log is log else frozenset[int]()
    notes = tuple(referee.devices.camera_notes)
    machine = MachineReport(referee.settings.open_to_all(), notes, log.shift_ns, said)
    return keep_disputed(referee.folder, log, ruling, referee.pictures.film(log.game, number), machine).read_bytes()


def report(referee: Referee) -> bytes:
    """Return a ZIP with the state of the machine, without codes, names or pictures."""
    told = {
        "version": version("ringmaster"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "settings": referee.settings.open_to_all(),
        "devices": [
            {"device": one.part, "state": one.state.value, "message": one.message} for one in referee.health.states
        ],
        "camera_notes": list(referee.devices.camera_notes),
        "setup": {name: {"state": one.state, "text": one.text} for name, one in load_kept(referee.folder).items()},
        "games": [
            {"game": row.header.game, "players": len(row.header.players), "started_ms": row.started_ms}
            for row in games(referee.store.read)[:_MOST_GAMES]
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
