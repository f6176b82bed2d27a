"""Manages a family's data and the machine: backups, games, players, checks, reports.

A backup is the file of `ringmaster export`, with more in it: `ringmaster import` takes its games, too. Restored data is
checked like any file from elsewhere.
"""

from __future__ import annotations

import io
import json
import platform
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hardware.problems import Problem
from referee.decks.store import DECKS, DeckStore
from referee.doctor import checks
from referee.doctor.machine import Machine
from referee.errors import BadInputError, RingmasterError, SettingError
from referee.language import Language
from referee.log import KEPT, LOG
from referee.match.settings import FILE as SETTINGS
from referee.match.settings import GIVES_WAY, TableSettings
from referee.match.table import PROFILE
from referee.names import players_in
from referee.phrases import in_language
from referee.sayings import kept as sayings
from referee.sayings.service import problem
from referee.settings_file import changed_where_possible
from referee.setup.step import FILE as SETUP
from referee.setup.step import kept_from, load_kept, save_kept
from referee.state_folder import EVIDENCE
from referee.store import history
from referee.store.evidence import MachineReport, keep_disputed
from referee.store.export_zip import write_zip
from referee.store.games import game_numbered, games, iso_time, kept_game
from referee.store.import_zip import TORN, GamesZip, ImportTally, open_zip, take_games
from vision.deck_file import SUFFIX, unpack_deck
from vision.errors import VisionError
from vision.profile import load_profile

if TYPE_CHECKING:
    from referee.match.referee import Referee

_CHECKS = (checks.check_permissions, checks.check_power, checks.check_clock, checks.check_disk)
"""Checks of `ringmaster doctor` that try no device: the referee uses those."""
_MOST_GAMES = 50
_MOST_BYTES = {SETTINGS: 1 << 16, SETUP: 1 << 16, PROFILE: 1 << 20}
_MOST_DECK_BYTES = 64 << 20
_HERE_ONLY = ("voice_page",)
"""Settings of one device only."""


def public(referee: Referee) -> dict[str, Any]:
    """Return `version`, `offers`, `findings`, `log`, `unfinished` games, and `players` with their games."""
    language, machine = referee.language, Machine(folder=lambda: referee.folder)
    shown, held = history.listed(referee.store.read), referee.match.held()
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
        referee.evidence.forget_game(game)


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
        history.forget_player(referee.store, name, referee.language)
        if session is not None:
            # It is over, and is on the pages with the name.
            referee.end_game()
        referee.announcements.forget()


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
        referee.store.change_headers(history.renamed(referee.store.read, name, called))


def disputed(referee: Referee, ruling: str) -> bytes:
    """Return a file of a disputed ruling, to be sent; keep it and the ruling's pictures.

    Raises:
        BadInputError: there is no such ruling.
        WorkFailedError: the disk does not take it.
    """
    with referee.lock:
        log, session = referee.match.log(ruling), referee.match.session
        number = log.about(log.ruling(ruling))
        referee.store.dispute(log.game, number)
        referee.store.flush(durable=False)
        said = frozenset(session.said) if session is not None and session.log is log else frozenset[int]()
    notes = tuple(referee.devices.camera_notes)
    machine = MachineReport(referee.settings.open_to_all(), notes, log.shift_ns, said)
    return keep_disputed(referee.folder, log, ruling, referee.pictures.film(log.game, number), machine).read_bytes()


def report(referee: Referee) -> bytes:
    """Return a ZIP with the state of the machine, without codes, names or pictures."""
    about = {
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
        file.writestr("report.json", json.dumps(about, indent=1, ensure_ascii=False))
    return data.getvalue()


def _data(finding: Problem, language: Language) -> dict[str, str]:
    return {
        "check": finding.part,
        "state": finding.state.severity.value,
        "message": in_language(finding.message, language),
        "advice": in_language(finding.advice, language),
    }


def back_up(referee: Referee, path: Path, *, pictures: bool) -> None:
    """Write all into a file, whole or not at all.

    Raises:
        BadInputError: the path is a folder, or its folder is missing.
        WorkFailedError: it cannot be written.
    """
    referee.store.flush()
    folder, query = referee.folder, referee.store.read
    decks = [f"{DECKS}/{name}{SUFFIX}" for name in DeckStore(folder).names()]
    others = [name for name in (SETTINGS, SETUP, PROFILE, *decks) if (folder / name).is_file()]
    logs = (kept_game(query, row) for row in games(query)[::-1])
    write_zip(path, logs, query, folder / EVIDENCE if pictures else None, {name: folder / name for name in others})


def restore(referee: Referee, path: Path) -> dict[str, Any]:
    """Restore all sound parts of a file that are not here yet; games that are here stay as they are.

    Return `games` added, games already `there`, `decks`, success of `settings` and `table`, and the parts `left_out`, a
    sentence or "".

    Raises:
        BadInputError: a game is in play, or the file is not a backup, or torn so that nothing in it can be found.
        WorkFailedError: the disk does not take the games.
    """
    if referee.match.in_play:
        raise BadInputError("kept.game_is_being_played_end")
    try:
        with open_zip(path) as archive:
            return _Restoring(referee, archive).result()
    except (BadInputError, VisionError) as error:
        raise BadInputError("kept.this_file_is_no_backup") from error


class _Restoring:
    """lost: the parts of the archive that were not restored."""

    def __init__(self, referee: Referee, archive: GamesZip) -> None:
        self._referee, self._archive = referee, archive
        self.lost: list[str] = []

    def result(self) -> dict[str, Any]:
        referee, tally, store = self._referee, ImportTally(), DeckStore(self._referee.folder)
        evidence = referee.folder / EVIDENCE
        referee.store.take_in(lambda connection: take_games(self._archive, connection, evidence, tally))
        if tally.left_out:
            LOG.warning("%s", tally.complaint())
        self.lost += [sayings.SOME_GAMES] * bool(tally.left_out) + [sayings.PICTURES] * bool(tally.pictures_left_out)
        decks = 0
        for name in self._archive.names:
            deck = name.removeprefix(f"{DECKS}/").removesuffix(SUFFIX)
            if name == f"{DECKS}/{deck}{SUFFIX}" and deck not in store.names():
                decks += self._took(name, partial(self._deck, deck))
        table, settings = self._took(PROFILE, self._profile), self._took(SETTINGS, self._settings)
        self._took(SETUP, self._setup)
        return {
            "games": tally.added,
            "there": tally.there,
            "decks": decks,
            "settings": settings,
            "table": table,
            "left_out": sayings.not_restored(self.lost, referee.language),
        }

    def _took(self, name: str, take: Callable[[bytes], object]) -> bool:
        """Restore a part of the backup if it is there, and return whether it was taken; else list it as lost."""
        if name not in self._archive.names:
            return False
        try:
            take(self._archive.member(name, _MOST_BYTES.get(name, _MOST_DECK_BYTES)))
        except (RingmasterError, VisionError, RecursionError, *TORN):
            self.lost.append(name)
            return False
        return True

    def _deck(self, name: str, data: bytes) -> None:
        DeckStore(self._referee.folder).add(unpack_deck(data, name))

    def _profile(self, data: bytes) -> None:
        with TemporaryDirectory() as place:
            path = Path(place) / PROFILE
            path.write_bytes(data)
            self._referee.keep_profile(load_profile(path))

    def _settings(self, data: bytes) -> None:
        """Restore settings; a camera that is not plugged in here stays as it is."""
        given = _object(data)
        known = {name: given[name] for name in TableSettings.model_fields if name in given}
        _, refused = changed_where_possible(TableSettings(), known, GIVES_WAY)
        wanted = {name: value for name, value in known.items() if name not in (*_HERE_ONLY, *refused)}
        self.lost += [sayings.SOME_SETTINGS] * bool(refused)
        with suppress(SettingError):
            self._referee.change_settings(wanted)
            return
        self._referee.change_settings({name: value for name, value in wanted.items() if name != "camera"})

    def _setup(self, data: bytes) -> None:
        given = _object(data)
        kept = kept_from(given)
        save_kept(self._referee.folder, {**kept, **load_kept(self._referee.folder)})
        if len(kept) < len(given):
            raise BadInputError("error.service.some_steps_in_it_make")


def _object(data: bytes) -> dict[str, Any]:
    value = json.loads(data)
    if not isinstance(value, dict):
        raise BadInputError("error.service.it_is_no_json_object")
    return value
