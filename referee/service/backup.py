"""All that a family would miss, in one file: games with their pictures, decks, settings, and the measured table.

It is what `ringmaster export` writes, with more in it: `ringmaster import` takes its games, too. What is restored is
read with the same mistrust as anything that comes from elsewhere.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from referee.decks.store import DECKS, DeckStore
from referee.errors import BadInputError, SettingError
from referee.journal.folder import EVIDENCE
from referee.journal.journal import Journal
from referee.journal.rows import Query
from referee.journal.stored import games, kept_game
from referee.journal.taking import Tally
from referee.journal.zip_file import opened, pack, unpack
from referee.service.defaults import PROFILE
from referee.service.settings import TableSettings
from referee.setup.record import FILE as SETUP
from referee.setup.record import kept_from, load_kept, save_kept
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
    """What came out of a file: games that were added and that were there already, decks, and whether the rest was."""

    games: int = 0
    there: int = 0
    decks: int = 0
    settings: bool = False
    table: bool = False
    left_out: str = ""


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
    """Take what a file has and what is not here yet; games that are here stay as they are.

    change: takes other settings. keep_profile: takes a measured table.

    Raises:
        BadInputError: it is torn, or no backup.
        WorkFailedError: the disk does not take it.
    """
    done, tally = Restored(), Tally()
    with opened(path) as parcel:
        journal.take_in(lambda connection: unpack(parcel, connection, folder / EVIDENCE, tally))
    done.games, done.there, done.left_out = tally.added, tally.there, tally.complaint() or ""
    with zipfile.ZipFile(path) as file:
        done.decks = _restore_decks(file, folder)
        done.table = _restore_table(file, keep_profile)
        data = _json(file, SETTINGS)
        if data is not None:
            done.settings = _restore_settings(data, change)
        setup = _json(file, SETUP)
        if setup is not None:
            save_kept(folder, {**kept_from(setup), **load_kept(folder)})
    return done


def _restore_decks(file: zipfile.ZipFile, folder: Path) -> int:
    store, count = DeckStore(folder), 0
    there = store.names()
    for info in file.infolist():
        name = info.filename.removeprefix(f"{DECKS}/").removesuffix(SUFFIX)
        if info.filename != f"{DECKS}/{name}{SUFFIX}" or "/" in name or name in there:
            continue
        if info.file_size > _MOST_DECK_BYTES:
            raise BadInputError(f"the deck {name} in it is larger than any of ours")
        with file.open(info) as opened_:
            deck = unpack_deck(opened_.read(_MOST_DECK_BYTES), name)
        store.add(deck)
        count += 1
    return count


def _restore_table(file: zipfile.ZipFile, keep_profile: Callable[[TableProfile], None]) -> bool:
    data = _content(file, PROFILE)
    if data is None:
        return False
    with TemporaryDirectory() as folder:
        path = Path(folder) / PROFILE
        path.write_bytes(data)
        try:
            profile = load_profile(path)
        except VisionError:
            return False
    keep_profile(profile)
    return True


def _restore_settings(data: Mapping[str, Any], change: Callable[[Mapping[str, Any]], object]) -> bool:
    """Take settings; a camera that is not plugged in here is left as it is."""
    known = asdict(TableSettings())
    wanted = {name: value for name, value in data.items() if name in known and name not in _HERE_ONLY}
    try:
        change(wanted)
    except SettingError:
        wanted.pop("camera", None)
        change(wanted)
    return True


def _json(file: zipfile.ZipFile, name: str) -> dict[str, Any] | None:
    data = _content(file, name)
    try:
        value = None if data is None else json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _content(file: zipfile.ZipFile, name: str) -> bytes | None:
    most = _MOST_BYTES[name]
    if name not in file.namelist() or file.getinfo(name).file_size > most:
        return None
    with file.open(name) as entry:
        return entry.read(most)


def _without_pictures(query: Query) -> Query:
    def asked(sql: str, *values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - what a query takes
        return [] if "FROM evidence" in sql or "FROM sights" in sql else list(query(sql, *values))

    return asked
