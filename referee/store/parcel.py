"""Packs games with their evidence pictures in one ZIP file, and reads one like any file from elsewhere.

In it: `games/N.jsonl`, an event log a game that `ringmaster replay` rules on, with the other kept facts under the key
"kept" of its lines; `pictures/N/EVENT-PLACE.jpg`; and `results.csv` for people. Names in a file never decide where
anything is written.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import struct
import uuid
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from referee.engine.events import Event, Header, parse_event
from referee.engine.log import CorrectionRow, corrected
from referee.errors import BadInputError, WorkFailedError
from referee.files import whole_file, write_whole
from referee.games.registry import game_kind
from referee.jsonlines import is_name, parse_object, to_line
from referee.names import told_apart
from referee.safe_text import spreadsheet_cell
from referee.store.database import LAST_GAME, LAST_MS, Connection, inserted
from referee.store.games import (
    EventRow,
    GameRow,
    HeaderModel,
    KeptGame,
    Query,
    event_data,
    header_data,
    iso_time,
    statements,
)
from referee.store.history import IMPORTED
from referee.store.judging import judged_again
from referee.store.old_export import OLD, old_game, old_lines

RESULTS = "results.csv"
CSV_HEAD = "started,game,seat,player,points,won\r\n"
LEAST_FREE_BYTES = 500_000_000
MOST_GAME_BYTES = 8 << 20
MOST_PICTURE_BYTES = 8 << 20
MOST_LEFT_OUT = 1000
_MOST_MEMBERS, _MOST_BYTES, _MOST_RATIO = 100_000, 2_000_000_000, 200
_MOST_LIST_BYTES = 16 << 20
_MOST_EVENTS, _MOST_CORRECTIONS, _MOST_LINE = 20_000, 5000, 1 << 19
_MOST_NAMED = 3
_JPEG = b"\xff\xd8\xff"
_GAME = re.compile(r"games/([0-9]{1,6})\.jsonl")
TORN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError, ValueError, struct.error)

Time = Annotated[int, Field(ge=0, le=LAST_MS)]
Number = Annotated[int, Field(ge=1, lt=1 << 63)]
Real = Annotated[float, Field(gt=-1e9, lt=1e9)]
Side = Annotated[int, Field(ge=1, le=20_000)]
Point = Annotated[list[Real], Field(min_length=2, max_length=2)]


def _named(text: str) -> str:
    if not is_name(text):
        raise ValueError("no name")
    return text


class _Checked(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class ParcelPicture(_Checked):
    """A picture of an event. t_ms: from the event."""

    place: Annotated[int, Field(ge=0, le=99)]
    t_ms: Real
    kept_ms: Time
    disputed: bool = False


class _Outline(_Checked):
    corners: Annotated[list[Point], Field(min_length=3, max_length=64)]
    seat: Annotated[int, Field(ge=0, lt=7)] | None
    label: Annotated[str, Field(max_length=80)]
    certain: bool


class ParcelSight(_Checked):
    """The outlines in the picture that an event was judged on."""

    t_ms: Real
    width: Side
    height: Side
    outlines: Annotated[list[_Outline], Field(max_length=400)]


class ParcelFacts(_Checked):
    """The facts of an event beside the event log. was: the event as it came, where a correction changed it."""

    number: Number
    wall_ms: Time
    refused: bool = False
    was: dict[str, Any] | None = None
    pictures: Annotated[list[ParcelPicture], Field(max_length=100)] = []
    sight: ParcelSight | None = None


class _Correction(_Checked):
    number: Number
    wall_ms: Time
    event: Number | None
    data: dict[str, Any] | None
    undoes: Number | None


class KeptHeader(_Checked):
    """The facts of a game beside its event log. aside: events that the log leaves out. result: as it was ruled."""

    uid: Annotated[str, AfterValidator(_named)]
    started_ms: Time
    ended_ms: Time | None
    corrections: Annotated[list[_Correction], Field(max_length=_MOST_CORRECTIONS)] = []
    aside: Annotated[list[dict[str, Any]], Field(max_length=_MOST_EVENTS)] = []
    result: dict[str, Any] | None = None


@dataclass(frozen=True)
class Packed:
    """A game from a file, with its pictures and sights by event. again: its result differs from the file's."""

    number: int
    game: KeptGame
    pieces: Mapping[int, list[ParcelPicture]]
    sights: Mapping[int, ParcelSight]
    again: bool


Games = Iterable[tuple[int, Callable[[], Packed]]]
"""The number of each game in a file, and a call that returns it or raises BadInputError."""


@dataclass
class ImportTally:
    """Result of taking games. again: games in the file that have another result by their events.

    left_out: sentences by the game's number in the file. pictures_left_out: pictures that could not be read.
    """

    added: int = 0
    there: int = 0
    left_out: list[tuple[int, str]] = field(default_factory=list)
    again: list[int] = field(default_factory=list)
    pictures_left_out: int = 0

    def complaint(self) -> str | None:
        """Return one sentence about the games that were left out, None if none were."""
        if not self.left_out:
            return None
        named = "; ".join(f"game {number}: {why}" for number, why in self.left_out[:_MOST_NAMED])
        more = len(self.left_out) - _MOST_NAMED
        count = "one game" if len(self.left_out) == 1 else f"{len(self.left_out)} games"
        return f"{count} in it cannot be taken ({named}{f'; and {more} more' if more > 0 else ''})"


def event_log(kept: KeptGame) -> str:
    """Return a game as an event log for `ringmaster replay`: its events after all corrections.

    Raises:
        BadInputError: a correction in it makes no event.
    """
    lines = [header_data(kept.row.header), *(event_data(event) for _, event in kept.played())]
    return "".join(f"{to_line(line)}\n" for line in lines)


def csv_lines(kept: KeptGame) -> str:
    """Return a game's results, a line a player; points are cards in Piccolino, and empty where it has no end."""
    row, end = kept.row, kept.end()
    points = [] if end is None else list(end.get("points", end.get("cards", [])))
    text = io.StringIO()
    writer = csv.writer(text)
    for seat, player in enumerate(row.header.players):
        result = [points[seat], int(seat in end["winners"])] if end is not None and seat < len(points) else ["", ""]
        names = (spreadsheet_cell(row.header.game), seat, spreadsheet_cell(player))
        writer.writerow([iso_time(row.started_ms), *names, *result])
    return text.getvalue()


def pack(
    path: Path, games: Iterable[KeptGame], query: Query, folder: Path, *, pictures: bool = True
) -> tuple[int, int]:
    """Write a parcel, whole or not at all, and return the numbers of games and pictures in it.

    folder: the evidence folder.

    Raises:
        BadInputError: the path is a folder, or is in none.
        WorkFailedError: it cannot be written.
    """
    number = count = 0
    results = [CSV_HEAD]
    with whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as parcel:
        for number, game in enumerate(games, 1):
            shown = _pack_pictures(parcel, number, game, query, folder) if pictures else {}
            count += sum(map(len, shown.values()))
            sights = _sights(query, game.row.game) if pictures else {}
            parcel.writestr(f"games/{number}.jsonl", "".join(_lines(game, shown, sights)))
            results.append(csv_lines(game))
        parcel.writestr(RESULTS, "".join(results))
    return number, count


def _pack_pictures(
    parcel: zipfile.ZipFile, number: int, game: KeptGame, query: Query, folder: Path
) -> dict[int, list[dict[str, Any]]]:
    packed: dict[int, list[dict[str, Any]]] = {}
    sql = "SELECT file, event, t_ms, kept_ms, disputed FROM evidence WHERE game = ? ORDER BY event, t_ms, file"
    for file, event, t_ms, kept_ms, disputed in query(sql, game.row.game):
        place = len(packed.get(event, ()))
        try:
            # A picture in the list may have been deleted a moment ago.
            data = (folder / f"{file}.jpg").read_bytes()
        except OSError:
            continue
        parcel.writestr(zipfile.ZipInfo(_picture(number, event, place)), data, zipfile.ZIP_STORED)
        about = {"place": place, "t_ms": t_ms, "kept_ms": kept_ms, "disputed": bool(disputed)}
        packed.setdefault(event, []).append(about)
    return packed


def _sights(query: Query, game: int) -> dict[int, dict[str, Any]]:
    rows = query("SELECT event, data FROM sights WHERE game = ? ORDER BY event", game)
    return {event: json.loads(data) for event, data in rows}


def _picture(number: int, event: int, place: int) -> str:
    return f"pictures/{number}/{event}-{place}.jpg"


def _lines(
    game: KeptGame, pictures: Mapping[int, list[dict[str, Any]]], sights: Mapping[int, dict[str, Any]]
) -> Iterator[str]:
    """Yield the lines of a game's member: the event log, with more under the key "kept"."""
    row, end = game.row, game.end()
    played = {one.number: event for one, event in game.played()}

    def kept(one: EventRow) -> dict[str, Any]:
        about: dict[str, Any] = {"number": one.number, "wall_ms": one.wall_ms}
        if one.refused:
            about["refused"] = True
        if one.number in pictures:
            about["pictures"] = pictures[one.number]
        if one.number in sights:
            about["sight"] = sights[one.number]
        return about

    about = {
        "uid": row.uid,
        "started_ms": row.started_ms,
        "ended_ms": row.ended_ms,
        "corrections": [vars(one) for one in game.corrections],
        "aside": [{**event_data(one.event), "kept": kept(one)} for one in game.events if one.number not in played],
        "result": _result(end),
    }
    yield to_line({**header_data(row.header), "kept": about}) + "\n"
    for one in game.events:
        if one.number in played:
            event = played[one.number]
            was = {} if event is one.event else {"was": event_data(one.event)}
            yield to_line({**event_data(event), "kept": {**kept(one), **was}}) + "\n"


def _result(end: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the shown result of a game's end."""
    return None if end is None else {key: end[key] for key in ("winners", "points", "cards") if key in end}


def game_of(number: int, header: Mapping[str, Any], lines: Iterable[Mapping[str, Any]]) -> Packed:
    """Return the game of a header and its events, with new rulings: those in a file do not count.

    Raises:
        BadInputError: it is not a game that can be played.
    """
    events: dict[int, EventRow] = {}
    facts: dict[int, ParcelFacts] = {}
    try:
        model = HeaderModel.model_validate(header)
        about = KeptHeader.model_validate(header.get("kept"))
        for line in (*lines, *about.aside):
            one = ParcelFacts.model_validate(line.get("kept"))
            data = {key: value for key, value in (one.was or line).items() if key != "kept"}
            if one.number in events:
                raise BadInputError("error.journal.its_events_are_not_numbered")
            events[one.number] = EventRow(one.number, one.wall_ms, _event(data), one.refused)
            facts[one.number] = one
    except ValidationError as error:
        place = ".".join(map(str, error.errors(include_url=False, include_input=False)[0]["loc"]))
        raise BadInputError("error.journal.it_is_not_whole", list=place) from None
    if sorted(events) != list(range(1, len(events) + 1)) or len(events) > _MOST_EVENTS:
        raise BadInputError("error.journal.its_events_are_not_numbered")
    corrections = tuple(CorrectionRow(**vars(one)) for one in about.corrections)
    _check_corrections(corrections, events)
    told = Header(model.game, told_apart(model.players), model.options)
    game_kind(told.game).start(told)
    row = GameRow(0, about.uid, told, about.started_ms, "", 0, len(events), about.ended_ms, True)
    kept = judged_again(KeptGame(row, tuple(events[one] for one in sorted(events)), (), corrections))
    end = kept.end()
    ended_ms = None if end is None else about.ended_ms or kept.events[-1].wall_ms
    return Packed(
        number,
        replace(kept, row=replace(row, ended_ms=ended_ms)),
        {event: one.pictures for event, one in facts.items() if one.pictures},
        {event: one.sight for event, one in facts.items() if one.sight is not None},
        _result(end) != about.result,
    )


def _event(data: dict[str, Any]) -> Event:
    if len(to_line(data)) > _MOST_LINE:
        raise BadInputError("error.journal.event_in_it_is_none")
    return parse_event(data)


def _check_corrections(corrections: tuple[CorrectionRow, ...], events: Mapping[int, EventRow]) -> None:
    for place, one in enumerate(corrections, 1):
        if one.number != place or (one.undoes or 0) >= place or (one.event is not None and one.event not in events):
            raise BadInputError("error.store.correction_makes_no_sense")
        if one.event is not None and one.data is not None:
            corrected(events[one.event].event, one.data)


class Parcel:
    """An open parcel. bytes: of its pictures, as its list says. Its content is checked when it is taken out."""

    def __init__(self, file: zipfile.ZipFile, size: int) -> None:
        self.file = file
        self._infos = {info.filename: info for info in file.infolist()}
        self.bytes = sum(info.file_size for name, info in self._infos.items() if name.startswith("pictures/"))
        unpacked = sum(info.file_size for info in self._infos.values())
        if len(self._infos) > _MOST_MEMBERS or unpacked > min(_MOST_BYTES, _MOST_RATIO * size + MOST_GAME_BYTES):
            raise BadInputError("error.store.unpacks_to_more")
        if RESULTS not in self._infos:
            raise BadInputError("error.store.no_games_in_it")

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def member(self, name: str, most: int) -> bytes:
        """Return a member of at most so many bytes, whatever size its list gives.

        Raises:
            BadInputError: it is larger, torn or missing.
        """
        try:
            with self.file.open(self._infos[name]) as file:
                data = file.read(most + 1)
        except (KeyError, *TORN) as error:
            raise BadInputError("error.store.torn_or_missing", name=name) from error
        if len(data) > most:
            raise BadInputError("error.journal.in_it_is_larger_than", entry=name)
        return data

    def games(self) -> Games:
        """Return the games in it, one after the other."""
        if OLD in self._infos:
            return plain_games(self.file.open(OLD))
        numbers = sorted(int(found[1]) for name in self._infos if (found := _GAME.fullmatch(name)))
        return ((number, partial(self.game, number)) for number in numbers)

    def game(self, number: int) -> Packed:
        """Return a game.

        Raises:
            BadInputError: it cannot be taken.
        """
        lines = self.member(f"games/{number}.jsonl", MOST_GAME_BYTES).splitlines()
        if len(lines) > _MOST_EVENTS + 1:
            raise BadInputError("error.journal.more_happened_in_it_than")
        header, *events = (parse_object(line) for line in lines or [b""])
        return game_of(number, header, events)

    def picture(self, number: int, event: int, piece: ParcelPicture) -> bytes:
        """Return a picture.

        Raises:
            BadInputError: it is not a picture, or is larger than ours are.
        """
        name = _picture(number, event, piece.place)
        data = self.member(name, MOST_PICTURE_BYTES)
        if not data.startswith(_JPEG):
            raise BadInputError("error.journal.in_it_is_no_picture", entry=name)
        return data


def plain_games(file: IO[bytes]) -> Games:
    """Return the games of an export in JSON, as Ringmaster wrote them before 2026-11-30."""
    return ((number, partial(_old, number, line)) for number, line in old_lines(file))


def _old(number: int, line: bytes) -> Packed:
    return game_of(number, *old_game(line))


@contextmanager
def opened(path: Path) -> Iterator[Parcel]:
    """Open a parcel.

    Raises:
        BadInputError: it is torn, or not an export of games.
    """
    try:
        _check_list(path)
        with zipfile.ZipFile(path) as file:
            yield Parcel(file, path.stat().st_size)
    except (BadInputError, WorkFailedError):
        raise
    except TORN as error:
        raise BadInputError("error.is_torn_or_no_export", path=path) from error


def _check_list(path: Path) -> None:
    """Refuse a file whose list of entries would fill the memory: it is read whole when the file is opened."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 22 - 65_535))
        tail = file.read()
    # As `zipfile` finds it: without a comment it is at the very end, else it is the last that looks like it.
    bare = tail[-22:-18] == b"PK\x05\x06" and tail[-2:] == b"\0\0"
    at = len(tail) - 22 if bare else tail.rfind(b"PK\x05\x06")
    if at < 0:
        raise zipfile.BadZipFile
    (bytes_of_list,) = struct.unpack_from("<L", tail, at + 12)
    # Such a list has its true length elsewhere (ZIP64), and is longer than any of ours.
    if bytes_of_list > _MOST_LIST_BYTES:
        raise BadInputError("error.journal.there_are_more_files_in", path=path)


def unpack(parcel: Parcel | None, games: Games, connection: Connection, folder: Path, tally: ImportTally) -> None:
    """Add games to a store, and their pictures to its evidence folder; games that are there already stay as they are.

    parcel: with the pictures. tally: counts the games, and names unreadable ones.

    Raises:
        BadInputError: no game of the first thousand can be read.
        WorkFailedError, sqlite3.Error: the disk does not take them. After any error, nothing is left of it.
    """
    folder.mkdir(mode=0o750, exist_ok=True)
    if parcel is not None:
        check_room(folder, parcel.bytes)
    origin, written = f"{IMPORTED}{uuid.uuid4().hex}", list[Path]()
    try:
        # A connection that is closed before the COMMIT leaves the file as it was.
        connection.execute("BEGIN IMMEDIATE")
        for number, give in games:
            try:
                packed = give()
            except (BadInputError, RecursionError) as error:
                tally.left_out.append((number, str(error)))
                if len(tally.left_out) > MOST_LEFT_OUT:
                    raise BadInputError(
                        "error.journal.none_of_first_games_in", most=MOST_LEFT_OUT, why=error
                    ) from error
                continue
            if list(connection.execute("SELECT 1 FROM games WHERE uid = ?", (packed.game.row.uid,))):
                tally.there += 1
                continue
            _add(parcel, packed, origin, connection, folder, written, tally)
        connection.execute("COMMIT")
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def _add(
    parcel: Parcel | None,
    packed: Packed,
    origin: str,
    connection: Connection,
    folder: Path,
    written: list[Path],
    tally: ImportTally,
) -> None:
    number = int(next(iter(connection.execute(LAST_GAME)))[0]) + 1
    game = replace(packed.game, row=replace(packed.game.row, boot=origin))
    for statement in statements(game, number):
        connection.execute(*statement)
    for event, sight in packed.sights.items():
        connection.execute(*inserted("sights", game=number, event=event, data=to_line(sight.model_dump())))
    for event, pieces in packed.pieces.items():
        for piece in pieces:
            try:
                data = b"" if parcel is None else parcel.picture(packed.number, event, piece)
            except BadInputError:
                data = b""
            if not data:
                tally.pictures_left_out += 1
                continue
            name = f"{number}-{event}-{piece.place}"
            written.append(folder / f"{name}.jpg")
            write_whole(written[-1], data)
            values = {"t_ms": piece.t_ms, "bytes": len(data), "kept_ms": piece.kept_ms, "disputed": int(piece.disputed)}
            connection.execute(*inserted("evidence", file=name, game=number, event=event, **values))
    tally.added += 1
    if packed.again:
        tally.again.append(packed.number)


def check_room(folder: Path, wanted: int) -> None:
    """Refuse pictures for which there is no room.

    Raises:
        WorkFailedError: there is none.
    """
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return
    if free - wanted < LEAST_FREE_BYTES:
        raise WorkFailedError("error.journal.there_is_no_room_for", wanted=wanted // 1000000)
