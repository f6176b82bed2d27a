"""Backs up a family's data in one file: games with their pictures, decks, settings, and the measured table.

It is the file of `ringmaster export`, with more in it: `ringmaster import` takes its games, too. Restored data is
checked like any file from elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from referee.decks.store import DECKS, DeckStore
from referee.errors import BadInputError, RingmasterError, SettingError
from referee.language import Language
from referee.log import LOG
from referee.match.settings import FILE as SETTINGS
from referee.match.settings import GIVES_WAY, TableSettings
from referee.match.table import PROFILE
from referee.sayings import kept as sayings
from referee.settings_file import changed_where_possible
from referee.setup.step import FILE as SETUP
from referee.setup.step import kept_from, load_kept, save_kept
from referee.state_folder import EVIDENCE
from referee.store.archive import TORN, Archive, ImportTally, open_archive, take_games, write_archive
from referee.store.games import kept_game, shelf
from vision.deck_file import SUFFIX, unpack_deck
from vision.errors import VisionError
from vision.profile import load_profile

if TYPE_CHECKING:
    from referee.match.referee import Referee

_MOST_BYTES = {SETTINGS: 1 << 16, SETUP: 1 << 16, PROFILE: 1 << 20}
_MOST_DECK_BYTES = 64 << 20
_HERE_ONLY = ("voice_page",)
"""Settings of one device only."""


@dataclass
class Restored:
    """Result of restoring a file: games added, games already there, decks, and success of the rest.

    lost: the unsound parts of the file.
    """

    games: int = 0
    there: int = 0
    decks: int = 0
    settings: bool = False
    table: bool = False
    lost: list[str] = field(default_factory=list)

    def left_out(self, language: Language) -> str:
        """Return the parts left out, in words; "" if all were restored."""
        return sayings.not_restored(self.lost, language)


def back_up(path: Path, referee: Referee, *, pictures: bool) -> None:
    """Write all into a file, whole or not at all.

    Raises:
        BadInputError: the path is a folder, or its folder is missing.
        WorkFailedError: it cannot be written.
    """
    folder, query = referee.folder, referee.store.read
    decks = [f"{DECKS}/{name}{SUFFIX}" for name in DeckStore(folder).names()]
    others = [name for name in (SETTINGS, SETUP, PROFILE, *decks) if (folder / name).is_file()]
    games = (kept_game(query, row) for row in shelf(query).games)
    write_archive(path, games, query, folder / EVIDENCE if pictures else None, {name: folder / name for name in others})


def restore(path: Path, referee: Referee) -> Restored:
    """Restore all sound parts of a file that are not here yet, and list the rest; games that are here stay as they are.

    Raises:
        BadInputError: it is not a backup, or torn so that nothing in it can be found.
        WorkFailedError: the disk does not take the games.
    """
    tally, folder = ImportTally(), referee.folder
    with open_archive(path) as archive:
        referee.store.take_in(lambda connection: take_games(archive, connection, folder / EVIDENCE, tally))
        done = Restored(tally.added, tally.there)
        if tally.left_out:
            LOG.warning("%s", tally.complaint())
        done.lost += [sayings.SOME_GAMES] * bool(tally.left_out) + [sayings.PICTURES] * bool(tally.pictures_left_out)
        for name in archive.names:
            deck = name.removeprefix(f"{DECKS}/").removesuffix(SUFFIX)
            if name == f"{DECKS}/{deck}{SUFFIX}" and deck not in DeckStore(folder).names():
                done.decks += _part(archive, name, done.lost, partial(_restore_deck, folder, deck))
        done.table = _part(archive, PROFILE, done.lost, partial(_restore_profile, referee))
        done.settings = _part(archive, SETTINGS, done.lost, partial(_restore_settings, referee, done.lost))
        _part(archive, SETUP, done.lost, partial(_restore_setup, folder))
    return done


def _part(archive: Archive, name: str, lost: list[str], take: Callable[[bytes], object]) -> bool:
    """Restore a part of the backup if it is there, and return whether it was taken; else list it as lost."""
    if name not in archive.names:
        return False
    try:
        take(archive.member(name, _MOST_BYTES.get(name, _MOST_DECK_BYTES)))
    except (RingmasterError, VisionError, RecursionError, *TORN):
        lost.append(name)
        return False
    return True


def _restore_deck(folder: Path, name: str, data: bytes) -> None:
    DeckStore(folder).add(unpack_deck(data, name))


def _restore_profile(referee: Referee, data: bytes) -> None:
    with TemporaryDirectory() as place:
        path = Path(place) / PROFILE
        path.write_bytes(data)
        referee.keep_profile(load_profile(path))


def _restore_settings(referee: Referee, lost: list[str], data: bytes) -> None:
    """Restore settings; a camera that is not plugged in here stays as it is."""
    given = _object(data)
    known = {name: given[name] for name in TableSettings.model_fields if name in given}
    _, refused = changed_where_possible(TableSettings(), known, GIVES_WAY)
    wanted = {name: value for name, value in known.items() if name not in (*_HERE_ONLY, *refused)}
    lost += [sayings.SOME_SETTINGS] * bool(refused)
    with suppress(SettingError):
        referee.change_settings(wanted)
        return
    referee.change_settings({name: value for name, value in wanted.items() if name != "camera"})


def _restore_setup(folder: Path, data: bytes) -> None:
    given = _object(data)
    kept = kept_from(given)
    save_kept(folder, {**kept, **load_kept(folder)})
    if len(kept) < len(given):
        raise BadInputError("error.service.some_steps_in_it_make")


def _object(data: bytes) -> dict[str, Any]:
    value = json.loads(data)
    if not isinstance(value, dict):
        raise BadInputError("error.service.it_is_no_json_object")
    return value
