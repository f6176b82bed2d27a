"""Games with their evidence pictures in one ZIP file: packed for keeping, and taken out again with mistrust.

In it: `games.json` (as `ringmaster export` writes it, and which picture belongs to what), `results.csv` for people, and
`pictures/GAME/EVENT-PLACE.jpg`. What is taken out gets names of our own: no name in a file says where anything goes.
"""

from __future__ import annotations

import json
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import BadInputError, WorkFailedError
from referee.files import whole_file
from referee.journal.database import Connection
from referee.journal.evidence import write_lasting
from referee.journal.exchange import add_games, as_csv, as_json, games_from
from referee.journal.rows import KeptGame, Query
from referee.jsonlines import parse_object, to_line, whole_number

GAMES, RESULTS = "games.json", "results.csv"
MOST_JSON_BYTES = 1 << 28
MOST_PICTURE_BYTES = 8 << 20
MOST_BYTES = 2_000_000_000
MOST_PICTURES = 100_000
LEAST_FREE_BYTES = 500_000_000
_MOST_OUTLINES = 400
_JPEG = b"\xff\xd8\xff"
_TORN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError, ValueError)


@dataclass(frozen=True)
class Piece:
    """A picture of an event, as it stands in the parcel; t_ms: from the event."""

    entry: str
    event: int
    place: int
    t_ms: float
    kept_ms: int
    disputed: bool


@dataclass(frozen=True)
class Packed:
    """A game, its pictures, and what was outlined in those that decided, by event."""

    game: KeptGame
    pieces: tuple[Piece, ...]
    sights: Mapping[int, Mapping[str, Any]]


def pack(path: Path, games: Sequence[KeptGame], query: Query, pictures: Path) -> int:
    """Write a parcel, whole or not at all, and give how many pictures are in it. pictures: the evidence folder.

    Raises:
        BadInputError: the path is a folder, or lies in none.
        WorkFailedError: it cannot be written.
    """
    count = 0
    with whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as parcel:
        data = as_json(games)
        for number, (game, entry) in enumerate(zip(games, data["games"], strict=True), 1):
            entry["pictures"] = _pack_pictures(parcel, number, game, query, pictures)
            entry["sights"] = _sights(query, game)
            count += len(entry["pictures"])
        parcel.writestr(GAMES, json.dumps(data, ensure_ascii=False, indent=1))
        parcel.writestr(RESULTS, as_csv(games))
    return count


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
    rows = query("SELECT event, data FROM sights WHERE game = ? ORDER BY event", game.row.game)
    return [{"event": event, "data": parse_object(data.encode())} for event, data in rows]


def is_parcel(path: Path) -> bool:
    """Whether a file begins as a ZIP file does."""
    try:
        with path.open("rb") as file:
            return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    except OSError:
        return False


class Parcel:
    """An open parcel. games: what is in it, checked; its pictures are checked when they are taken out."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._sizes = {info.filename: info.file_size for info in file.infolist()}
        data = json.loads(self._read(GAMES, MOST_JSON_BYTES))
        games = games_from(data)
        self.games = tuple(
            _packed(number, game, entry)
            for number, (game, entry) in enumerate(zip(games, data["games"], strict=True), 1)
        )
        pieces = [piece for packed in self.games for piece in packed.pieces]
        if len(pieces) > MOST_PICTURES:
            raise BadInputError("there are more pictures in it than any journal keeps")
        missing = next((piece.entry for piece in pieces if piece.entry not in self._sizes), None)
        if missing is not None:
            raise BadInputError(f"the picture {missing} is missing in it")
        self.bytes = sum(self._sizes[piece.entry] for piece in pieces)
        if self.bytes > MOST_BYTES:
            raise BadInputError("its pictures are larger than all that a journal keeps")

    def picture(self, piece: Piece) -> bytes:
        """Give a picture.

        Raises:
            BadInputError: it is none, or larger than ours are.
        """
        data = self._read(piece.entry, MOST_PICTURE_BYTES)
        if not data.startswith(_JPEG):
            raise BadInputError(f"{piece.entry} in it is no picture")
        return data

    def _read(self, entry: str, most: int) -> bytes:
        if self._sizes.get(entry, 0) > most:
            raise BadInputError(f"{entry} in it is larger than any of ours")
        with self._file.open(entry) as file:
            # What it says of its size need not be true.
            data = file.read(most + 1)
        if len(data) > most:
            raise BadInputError(f"{entry} in it is larger than any of ours")
        return data


@contextmanager
def opened(path: Path) -> Iterator[Parcel]:
    """Open a parcel.

    Raises:
        BadInputError: it is torn, or none of ours; also for what is found while it is open.
    """
    try:
        with zipfile.ZipFile(path) as file:
            yield Parcel(file)
    except (BadInputError, WorkFailedError):
        raise
    except (KeyError, *_TORN) as error:
        raise BadInputError(f"{path} is torn, or no export of games") from error


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
        raise WorkFailedError(f"there is no room for its pictures: {wanted // 1_000_000} MB are wanted")


def unpack(parcel: Parcel, connection: Connection, folder: Path) -> tuple[int, int]:
    """Add a parcel's games to a journal, all or none, and their pictures to its evidence folder.

    Gives how many games were added, and how many were there already.

    Raises:
        BadInputError: a picture in it is none.
        WorkFailedError, sqlite3.Error: the disk does not take them. Whatever is raised, nothing is left of it.
    """
    by_uid = {packed.game.row.uid: packed for packed in parcel.games}
    written: list[Path] = []

    def add(game: KeptGame, number: int) -> None:
        packed = by_uid[game.row.uid]
        for event, data in packed.sights.items():
            values = (number, event, to_line(dict(data)))
            connection.execute("INSERT INTO sights (game, event, data) VALUES (?, ?, ?)", values)
        for piece in packed.pieces:
            name = f"{number}-{piece.event}-{piece.place}"
            data_of = parcel.picture(piece)
            written.append(folder / f"{name}.jpg")
            try:
                write_lasting(folder, name, data_of)
            except OSError as error:
                raise WorkFailedError(f"the pictures could not be kept: {error.strerror or error}") from error
            row = (name, number, piece.event, piece.t_ms, len(data_of), piece.kept_ms, int(piece.disputed))
            connection.execute(
                "INSERT INTO evidence (file, game, event, t_ms, bytes, kept_ms, disputed) VALUES (?, ?, ?, ?, ?, ?, ?)",
                row,
            )

    folder.mkdir(mode=0o750, exist_ok=True)
    check_room(folder, parcel.bytes)
    try:
        return add_games(connection, [packed.game for packed in parcel.games], add)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def _packed(number: int, game: KeptGame, data: Mapping[str, Any]) -> Packed:
    events = {one.number for one in game.events}
    try:
        pieces = tuple(_piece(number, one, events) for one in data.get("pictures", []))
        sights = {_event(one, events): _sight(one["data"]) for one in data.get("sights", [])}
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInputError("what is said of a picture in it is not whole") from error
    if len({(one.event, one.place) for one in pieces}) < len(pieces):
        raise BadInputError("a picture stands twice in it")
    return Packed(game, pieces, sights)


def _piece(number: int, data: Mapping[str, Any], events: set[int]) -> Piece:
    event, place = _event(data, events), whole_number(data["place"], "place")
    if place > 99 or not isinstance(data["disputed"], bool):
        raise BadInputError("what is said of a picture in it makes no sense")
    kept_ms = whole_number(data["kept_ms"], "kept_ms")
    return Piece(f"pictures/{number}/{event}-{place}.jpg", event, place, _real(data["t_ms"]), kept_ms, data["disputed"])


def _event(data: Mapping[str, Any], events: set[int]) -> int:
    event = whole_number(data["event"], "event", 1)
    if event not in events:
        raise BadInputError("a picture in it belongs to no event")
    return event


def _sight(data: Mapping[str, Any]) -> dict[str, Any]:
    outlines = data["outlines"]
    if not isinstance(outlines, list) or len(outlines) > _MOST_OUTLINES:
        raise BadInputError("what was outlined in a picture in it makes no sense")
    return {
        "t_ms": _real(data["t_ms"]),
        "width": _size(data["width"]),
        "height": _size(data["height"]),
        "outlines": [_outline(one) for one in outlines],
    }


def _outline(data: Mapping[str, Any]) -> dict[str, Any]:
    seat, label, certain, corners = (data[key] for key in ("seat", "label", "certain", "corners"))
    fits = (seat is None or (type(seat) is int and 0 <= seat < 7)) and isinstance(label, str) and len(label) <= 80
    if not fits or not isinstance(certain, bool) or not 3 <= len(corners) <= 64:
        raise BadInputError("what was outlined in a picture in it makes no sense")
    return {"corners": [[_real(x), _real(y)] for x, y in corners], "seat": seat, "label": label, "certain": certain}


def _size(value: object) -> int:
    size = whole_number(value, "width", 1)
    if size > 20_000:
        raise BadInputError("a picture in it is larger than any of ours")
    return size


def _real(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        raise BadInputError("a number in it makes no sense")
    return float(value)
