"""All that a family would miss, in one file: games with their pictures, decks, settings, and the measured table.

It is what `ringmaster export` writes, with more in it: `ringmaster import` takes its games, too. What is restored is
read with the same mistrust as anything that comes from elsewhere.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from referee.decks.store import DECKS, DeckStore
from referee.errors import BadInputError, RingmasterError, SettingError
from referee.journal.folder import EVIDENCE
from referee.journal.journal import Journal
from referee.journal.rows import Query
from referee.journal.stored import games, kept_game
from referee.journal.taking import Tally
from referee.journal.zip_file import TORN, opened, pack, unpack
from referee.language import Language
from referee.sayings import kept as sayings
from referee.service.defaults import PROFILE
from referee.service.settings import TableSettings, unusable
from referee.setup.finding import FILE as SETUP
from referee.setup.finding import kept_from, load_kept, save_kept
from vision.errors import VisionError
from vision.profile import TableProfile, load_profile
from vision.taught.deck_file import SUFFIX, unpack_deck

SETTINGS = "settings.json"
_MOST_BYTES = {SETTINGS: 1 << 16, SETUP: 1 << 16, PROFILE: 1 << 20}
_MOST_DECK_BYTES = 64 << 20
_HERE_ONLY = ("voice_page",)
"""What holds for one device only."""


@dataclass
class Restored:
    """What came out of a file: games that were added and that were there already, decks, and whether the rest was.

    games_left_out: one sentence about them. lost: which other parts of the file were not sound.
    """

    games: int = 0
    there: int = 0
    decks: int = 0
    settings: bool = False
    table: bool = False
    games_left_out: str = ""
    lost: list[str] = field(default_factory=list)

    def left_out(self, language: Language) -> str:
        """Give what was not taken, in words; "" if all was."""
        parts = [self.games_left_out, sayings.not_restored(self.lost, language)]
        return " ".join(filter(None, parts))


def back_up(path: Path, query: Query, folder: Path, settings: TableSettings, *, pictures: bool) -> None:
    """Write all into a file, whole or not at all.

    Raises:
        BadInputError: the path is a folder, or lies in none.
        WorkFailedError: it cannot be written.
    """
    kept = (kept_game(query, row) for row in list(games(query)))
    pack(path, kept, query if pictures else _without_pictures(query), folder / EVIDENCE)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr(SETTINGS, json.dumps(asdict(settings)))
        for name in (SETUP, PROFILE):
            if (folder / name).is_file():
                file.write(folder / name, name)
        for name in DeckStore(folder).names():
            file.write(folder / DECKS / f"{name}{SUFFIX}", f"{DECKS}/{name}{SUFFIX}")


def restore(
    path: Path,
    journal: Journal,
    folder: Path,
    change: Callable[[Mapping[str, Any]], object],
    keep_profile: Callable[[TableProfile], None],
) -> Restored:
    """Take all that is sound in a file and not here yet, and list the rest; games that are here stay as they are.

    change: takes other settings. keep_profile: takes a measured table.

    Raises:
        BadInputError: it is no backup, or torn so that nothing in it can be found.
        WorkFailedError: the disk does not take the games.
    """
    tally = Tally()
    with opened(path) as parcel:
        journal.take_in(lambda connection: unpack(parcel, connection, folder / EVIDENCE, tally, whatever_is_sound=True))
    done = Restored(tally.added, tally.there, games_left_out=tally.complaint() or "")
    done.lost += [sayings.GAMES] * tally.torn + [sayings.PICTURES] * bool(tally.pictures_left_out)
    with zipfile.ZipFile(path) as file:
        done.decks = _restore_decks(file, folder, done.lost)
        done.table = _part(file, PROFILE, done.lost, lambda data: keep_profile(_profile(data)))
        done.settings = _part(
            file, SETTINGS, done.lost, lambda data: _restore_settings(_object(data), change, done.lost)
        )
        _part(file, SETUP, done.lost, lambda data: _restore_setup(_object(data), folder))
    return done


def _restore_decks(file: zipfile.ZipFile, folder: Path, lost: list[str]) -> int:
    store, count = DeckStore(folder), 0
    there = store.names()
    for info in file.infolist():
        name = info.filename.removeprefix(f"{DECKS}/").removesuffix(SUFFIX)
        if info.filename == f"{DECKS}/{name}{SUFFIX}" and name not in there:
            count += _part(file, info.filename, lost, partial(_restore_deck, store, name))
    return count


def _part(file: zipfile.ZipFile, name: str, lost: list[str], take: Callable[[bytes], object]) -> bool:
    """Take a part of the backup if it is in there, and give whether it was taken; else it is listed as lost."""
    if name not in file.namelist():
        return False
    most = _MOST_BYTES.get(name, _MOST_DECK_BYTES)
    try:
        with file.open(name) as entry:
            data = entry.read(most + 1)
        if len(data) > most:
            raise BadInputError("error.service.it_is_larger_than_any")
        take(data)
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
    """Take settings; a camera that is not plugged in here is left as it is."""
    known = asdict(TableSettings())
    refused = unusable({name: value for name, value in data.items() if name in known})
    wanted = {name: data[name] for name in known if name in data and name not in (*_HERE_ONLY, *refused)}
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


def _without_pictures(query: Query) -> Query:
    def asked(sql: str, *values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - what a query takes
        return [] if "FROM evidence" in sql or "FROM sights" in sql else list(query(sql, *values))

    return asked
