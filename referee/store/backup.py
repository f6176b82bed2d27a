"""Backs up a family's data in one file: games with their pictures, decks, settings, and the measured table.

It is the file of `ringmaster export`, with more in it: `ringmaster import` takes its games, too. Restored data is
checked like any file from elsewhere.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from referee.decks.store import DECKS, DeckStore
from referee.errors import BadInputError, RingmasterError, SettingError
from referee.language import Language
from referee.log import LOG
from referee.match.settings import GIVES_WAY, TableSettings
from referee.match.table import PROFILE
from referee.sayings import kept as sayings
from referee.settings_file import changed_where_possible
from referee.setup.step import FILE as SETUP
from referee.setup.step import kept_from, load_kept, save_kept
from referee.store.folder import EVIDENCE
from referee.store.games import Query, kept_game, shelf
from referee.store.parcel import TORN, ImportTally, Parcel, opened, pack, unpack
from referee.store.store import Store
from vision.deck_file import SUFFIX, unpack_deck
from vision.errors import VisionError
from vision.profile import TableProfile, load_profile

SETTINGS = "settings.json"
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


def back_up(path: Path, query: Query, folder: Path, settings: TableSettings, *, pictures: bool) -> None:
    """Write all into a file, whole or not at all.

    Raises:
        BadInputError: the path is a folder, or its folder is missing.
        WorkFailedError: it cannot be written.
    """
    kept = (kept_game(query, row) for row in shelf(query).games)
    pack(path, kept, query, folder / EVIDENCE, pictures=pictures)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr(SETTINGS, settings.model_dump_json())
        for name in (SETUP, PROFILE):
            if (folder / name).is_file():
                file.write(folder / name, name)
        for name in DeckStore(folder).names():
            file.write(folder / DECKS / f"{name}{SUFFIX}", f"{DECKS}/{name}{SUFFIX}")


def restore(
    path: Path,
    journal: Store,
    folder: Path,
    change: Callable[[Mapping[str, Any]], object],
    keep_profile: Callable[[TableProfile], None],
) -> Restored:
    """Restore all sound parts of a file that are not here yet, and list the rest; games that are here stay as they are.

    change: takes other settings. keep_profile: takes a measured table.

    Raises:
        BadInputError: it is not a backup, or torn so that nothing in it can be found.
        WorkFailedError: the disk does not take the games.
    """
    tally = ImportTally()
    with opened(path) as parcel:
        journal.take_in(lambda connection: unpack(parcel, parcel.games(), connection, folder / EVIDENCE, tally))
        done = Restored(tally.added, tally.there)
        if tally.left_out:
            LOG.warning("%s", tally.complaint())
        done.lost += [sayings.SOME_GAMES] * bool(tally.left_out) + [sayings.PICTURES] * bool(tally.pictures_left_out)
        done.decks = _restore_decks(parcel, folder, done.lost)
        done.table = _part(parcel, PROFILE, done.lost, lambda data: keep_profile(_profile(data)))
        done.settings = _part(
            parcel, SETTINGS, done.lost, lambda data: _restore_settings(_object(data), change, done.lost)
        )
        _part(parcel, SETUP, done.lost, lambda data: _restore_setup(_object(data), folder))
    return done


def _restore_decks(parcel: Parcel, folder: Path, lost: list[str]) -> int:
    store, count = DeckStore(folder), 0
    there = store.names()
    for info in parcel.file.infolist():
        name = info.filename.removeprefix(f"{DECKS}/").removesuffix(SUFFIX)
        if info.filename == f"{DECKS}/{name}{SUFFIX}" and name not in there:
            count += _part(parcel, info.filename, lost, partial(_restore_deck, store, name))
    return count


def _part(parcel: Parcel, name: str, lost: list[str], take: Callable[[bytes], object]) -> bool:
    """Restore a part of the backup if it is there, and return whether it was taken; else list it as lost."""
    if name not in parcel:
        return False
    try:
        take(parcel.member(name, _MOST_BYTES.get(name, _MOST_DECK_BYTES)))
    except (RingmasterError, VisionError, RecursionError, *TORN):
        lost.append(name)
        return False
    return True


def _restore_deck(store: DeckStore, name: str, data: bytes) -> None:
    store.add(unpack_deck(data, name))


def _profile(data: bytes) -> TableProfile:
    with TemporaryDirectory() as folder:
        path = Path(folder) / PROFILE
        path.write_bytes(data)
        return load_profile(path)


def _restore_settings(data: Mapping[str, Any], change: Callable[[Mapping[str, Any]], object], lost: list[str]) -> None:
    """Restore settings; a camera that is not plugged in here stays as it is."""
    known = {name: data[name] for name in TableSettings.model_fields if name in data}
    _, refused = changed_where_possible(TableSettings(), known, GIVES_WAY)
    wanted = {name: value for name, value in known.items() if name not in (*_HERE_ONLY, *refused)}
    lost += [sayings.SOME_SETTINGS] * bool(refused)
    try:
        change(wanted)
    except SettingError:
        wanted.pop("camera", None)
        change(wanted)


def _restore_setup(data: Mapping[str, Any], folder: Path) -> None:
    kept = kept_from(data)
    save_kept(folder, {**kept, **load_kept(folder)})
    if len(kept) < len(data):
        raise BadInputError("error.service.some_steps_in_it_make")


def _object(data: bytes) -> dict[str, Any]:
    value = json.loads(data)
    if not isinstance(value, dict):
        raise BadInputError("error.service.it_is_no_json_object")
    return value
