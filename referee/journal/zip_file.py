"""Games with their evidence pictures in one ZIP file: packed for keeping, and taken out again with mistrust.

In it: `games.json` (as `ringmaster export` writes it, and which picture belongs to what), `results.csv` for people, and
`pictures/GAME/EVENT-PLACE.jpg`. What is taken out gets names of our own: no name in a file says where anything goes.
"""

from __future__ import annotations

import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from referee.errors import BadInputError, WorkFailedError
from referee.files import whole_file, write_whole
from referee.journal.database import Connection
from referee.journal.exchange import CSV_HEAD, add_games, csv_lines, game_data, json_parts
from referee.journal.judging import checked
from referee.journal.packed import Packed, Piece, packed_from
from referee.journal.rows import KeptGame, Query
from referee.journal.stored import sight_of
from referee.journal.stream import games_in
from referee.journal.taking import LeftOut, Tally
from referee.jsonlines import to_line

GAMES, RESULTS = "games.json", "results.csv"
MOST_PICTURE_BYTES = 8 << 20
MOST_BYTES = 2_000_000_000
MOST_PICTURES = 100_000
LEAST_FREE_BYTES = 500_000_000
_MOST_LIST_BYTES = 16 << 20
_JPEG = b"\xff\xd8\xff"
TORN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError, ValueError, struct.error)


def pack(path: Path, games: Iterable[KeptGame], query: Query, pictures: Path) -> tuple[int, int]:
    """Write a parcel, whole or not at all, and give how many games and pictures are in it.

    pictures: the evidence folder.

    Raises:
        BadInputError: the path is a folder, or lies in none.
        WorkFailedError: it cannot be written.
    """
    games_packed = pictures_packed = 0
    results = [CSV_HEAD]
    with (
        whole_file(path) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as parcel,
        # One entry is written at a time: what is said of the pictures waits outside until they are in.
        tempfile.TemporaryFile() as text,
    ):

        def entries() -> Iterator[dict[str, Any]]:
            nonlocal games_packed, pictures_packed
            for number, game in enumerate(games, 1):
                packed = _pack_pictures(parcel, number, game, query, pictures)
                results.append(csv_lines(checked(game)))
                games_packed, pictures_packed = number, pictures_packed + len(packed)
                yield {**game_data(game), "pictures": packed, "sights": _sights(query, game)}

        for part in json_parts(entries()):
            text.write(part.encode())
        text.seek(0)
        with parcel.open(GAMES, "w") as entry:
            shutil.copyfileobj(text, entry)
        parcel.writestr(RESULTS, "".join(results))
    return games_packed, pictures_packed


def _pack_pictures(
    parcel: zipfile.ZipFile, number: int, game: KeptGame, query: Query, folder: Path
) -> list[dict[str, Any]]:
    packed: list[dict[str, Any]] = []
    sql = "SELECT file, event, t_ms, kept_ms, disputed FROM evidence WHERE game = ? ORDER BY event, t_ms, file"
    for file, event, t_ms, kept_ms, disputed in query(sql, game.row.game):
        place = sum(one["event"] == event for one in packed[-50:])
        entry = f"pictures/{number}/{event}-{place}.jpg"
        try:
            # What is in the list may have been thinned out a moment ago.
            data = (folder / f"{file}.jpg").read_bytes()
        except OSError:
            continue
        parcel.writestr(zipfile.ZipInfo(entry), data, zipfile.ZIP_STORED)
        packed.append({"event": event, "place": place, "t_ms": t_ms, "kept_ms": kept_ms, "disputed": bool(disputed)})
    return packed


def _sights(query: Query, game: KeptGame) -> list[dict[str, Any]]:
    if not query("SELECT 1 FROM sqlite_master WHERE name = 'sights'"):
        # A journal that no newer referee has opened yet.
        return []
    rows = query("SELECT event FROM sights WHERE game = ? ORDER BY event", game.row.game)
    found = ((event, sight_of(query, game.row.game, event)) for (event,) in rows)
    return [{"event": event, "data": data} for event, data in found if data is not None]


def is_zip_file(path: Path) -> bool:
    """Whether a file begins as a ZIP file does."""
    try:
        with path.open("rb") as file:
            return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    except OSError:
        return False


class GamesZip:
    """An open parcel. bytes: of its pictures, as the list in it says. What is in it is checked when it is taken out."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._sizes = {info.filename: info.file_size for info in file.infolist()}
        if GAMES not in self._sizes:
            raise KeyError(GAMES)
        if len(self._sizes) > MOST_PICTURES:
            raise BadInputError("error.journal.there_are_more_pictures_in")
        self.bytes = sum(size for name, size in self._sizes.items() if name.startswith("pictures/"))
        if self.bytes > MOST_BYTES:
            raise BadInputError("error.journal.its_pictures_are_larger_than")

    def games(self, tally: Tally, *, whatever_is_sound: bool = False) -> Iterator[Packed]:
        """Give the games in it, one after the other; tally: learns which were left out, and why.

        Raises:
            BadInputError: it is torn, or none of ours; not so where whatever is sound will do.
        """
        try:
            yield from self._games(tally, pictures_too=not whatever_is_sound)
        except (BadInputError, *TORN):
            if not whatever_is_sound:
                raise
            tally.torn = True

    def _games(self, tally: Tally, *, pictures_too: bool) -> Iterator[Packed]:
        with self._file.open(GAMES) as file:
            for item in games_in(file.read):
                try:
                    packed = packed_from(item, tally)
                    missing = next((one.entry for one in packed.pieces if one.entry not in self._sizes), None)
                    if missing is not None and pictures_too:
                        raise BadInputError("error.journal.picture_is_missing", what=missing)
                except BadInputError as error:
                    tally.leave_out(LeftOut(item.number, str(error)))
                    continue
                yield packed

    def picture(self, piece: Piece) -> bytes:
        """Give a picture.

        Raises:
            BadInputError: it is none, or larger than ours are.
        """
        data = self._read(piece.entry, MOST_PICTURE_BYTES)
        if not data.startswith(_JPEG):
            raise BadInputError("error.journal.in_it_is_no_picture", entry=piece.entry)
        return data

    def _read(self, entry: str, most: int) -> bytes:
        if self._sizes.get(entry, 0) > most:
            raise BadInputError("error.journal.in_it_is_larger_than", entry=entry)
        with self._file.open(entry) as file:
            # What it says of its size need not be true.
            data = file.read(most + 1)
        if len(data) > most:
            raise BadInputError("error.journal.in_it_is_larger_than", entry=entry)
        return data


@contextmanager
def opened(path: Path) -> Iterator[GamesZip]:
    """Open a parcel.

    Raises:
        BadInputError: it is torn, or none of ours; also for what is found while it is open.
    """
    try:
        _check_list(path)
        with zipfile.ZipFile(path) as file:
            yield GamesZip(file)
    except (BadInputError, WorkFailedError):
        raise
    except (KeyError, *TORN) as error:
        raise BadInputError("error.is_torn_or_no_export", path=path) from error


def _check_list(path: Path) -> None:
    """Refuse a file whose list of entries would fill the memory: it is read whole when the file is opened."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 22 - 65_535))
        tail = file.read()
    # As `zipfile` looks for it: without a comment it stands at the very end, else it is the last that looks like it.
    bare = tail[-22:-18] == b"PK\x05\x06" and tail[-2:] == b"\0\0"
    at = len(tail) - 22 if bare else tail.rfind(b"PK\x05\x06")
    if at < 0:
        raise zipfile.BadZipFile
    (bytes_of_list,) = struct.unpack_from("<L", tail, at + 12)
    # Such a list has its true length elsewhere (ZIP64), and is longer than any of ours.
    if bytes_of_list > _MOST_LIST_BYTES:
        raise BadInputError("error.journal.there_are_more_files_in", path=path)


def check_room(folder: Path, wanted: int) -> None:
    """Say beforehand that there is no room.

    Raises:
        WorkFailedError: there is none.
    """
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return
    if free - wanted < LEAST_FREE_BYTES:
        raise WorkFailedError("error.journal.there_is_no_room_for", wanted=wanted // 1000000)


def unpack(
    parcel: GamesZip, connection: Connection, folder: Path, tally: Tally, *, whatever_is_sound: bool = False
) -> None:
    """Add a parcel's games to a journal, and their pictures to its evidence folder: all that can be read, or none.

    tally: learns how many games were added, how many were there already, and which cannot be read.
    whatever_is_sound: pictures that are none are left out, and games behind a tear.

    Raises:
        BadInputError: a picture in it is none.
        WorkFailedError, sqlite3.Error: the disk does not take them. Whatever is raised, nothing is left of it.
    """
    written: list[Path] = []

    def add(packed: Packed, number: int) -> None:
        for event, data in packed.sights.items():
            values = (number, event, to_line(dict(data)))
            connection.execute("INSERT INTO sights (game, event, data) VALUES (?, ?, ?)", values)
        for piece in packed.pieces:
            name = f"{number}-{piece.event}-{piece.place}"
            try:
                data_of = parcel.picture(piece)
            except (BadInputError, KeyError, *TORN):
                if not whatever_is_sound:
                    raise
                tally.pictures_left_out += 1
                continue
            written.append(folder / f"{name}.jpg")
            write_whole(written[-1], data_of)
            row = (name, number, piece.event, piece.t_ms, len(data_of), piece.kept_ms, int(piece.disputed))
            connection.execute(
                "INSERT INTO evidence (file, game, event, t_ms, bytes, kept_ms, disputed) VALUES (?, ?, ?, ?, ?, ?, ?)",
                row,
            )

    folder.mkdir(mode=0o750, exist_ok=True)
    check_room(folder, parcel.bytes)
    try:
        given = parcel.games(tally, whatever_is_sound=whatever_is_sound)
        add_games(connection, given, lambda packed: packed.game, tally, add)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
