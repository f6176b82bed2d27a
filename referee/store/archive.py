"""Writes games with their evidence pictures into one ZIP file, and reads one like any file from elsewhere.

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
import sqlite3
import struct
import uuid
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from referee.engine.events import Header, parse_event
from referee.engine.log import CorrectionRow, corrected
from referee.errors import BadInputError, WorkFailedError
from referee.files import whole_file, write_whole
from referee.games.registry import game_kind
from referee.jsonlines import MAX_LINE, parse_object, to_line
from referee.names import distinct_names
from referee.safe_text import spreadsheet_cell
from referee.store.database import LAST_GAME, Connection, inserted
from referee.store.games import (
    EventRow,
    GameRow,
    HeaderModel,
    KeptGame,
    Query,
    event_data,
    header_data,
    iso_time,
    judged_again,
    statements,
)
from referee.store.history import IMPORTED
from referee.store.old_export import converted

RESULTS = "results.csv"
CSV_HEAD = "started,game,seat,player,points,won\r\n"
LEAST_FREE_BYTES = 500_000_000
MOST_GAME_BYTES = 8 << 20
_MOST_PICTURE_BYTES = 8 << 20
_MOST_MEMBERS, _MOST_BYTES, _MOST_RATIO = 100_000, 2_000_000_000, 200
_MOST_LIST_BYTES = 16 << 20
_MOST_EVENTS, _MOST_CORRECTIONS = 20_000, 5000
_MOST_NAMED = 3
_LIST_END, _LONG_LIST_END = b"PK\5\6", b"PK\6\7"
_LIST_END_BYTES, _LONG_LIST_END_BYTES = 22, 20
_JPEG = b"\xff\xd8\xff"
_GAME = re.compile(r"games/([0-9]{1,6})\.jsonl")
TORN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError, ValueError, struct.error)
"""All errors of `zipfile` on damaged files; OSError, ValueError and RuntimeError among them."""

Real = Annotated[float, Field(gt=-1e9, lt=1e9)]
Side = Annotated[int, Field(ge=1, le=20_000)]


class _Facts(BaseModel):
    """The tables check the ranges that no field names."""

    model_config = ConfigDict(strict=True, frozen=True)


class PictureFacts(_Facts):
    """A picture of an event. t_ms: from the event."""

    place: Annotated[int, Field(ge=0, le=99)]
    t_ms: Real
    kept_ms: int
    disputed: bool = False


class _Outline(_Facts):
    corners: Annotated[list[Annotated[list[Real], Field(min_length=2, max_length=2)]], Field(max_length=64)]
    seat: Annotated[int, Field(ge=0, lt=7)] | None
    label: Annotated[str, Field(max_length=80)]
    certain: bool


class SightFacts(_Facts):
    """The outlines in the picture that an event was judged on."""

    t_ms: Real
    width: Side
    height: Side
    outlines: Annotated[list[_Outline], Field(max_length=400)]


class EventFacts(_Facts):
    """The facts of an event beside the event log. was: the event as it came, where a correction changed it."""

    number: int
    wall_ms: int
    refused: bool = False
    was: dict[str, Any] | None = None
    pictures: Annotated[list[PictureFacts], Field(max_length=100)] = []
    sight: SightFacts | None = None


class _CorrectionFacts(_Facts):
    number: int
    wall_ms: int
    event: int | None
    data: dict[str, Any] | None
    undoes: int | None


class GameFacts(_Facts):
    """The facts of a game beside its event log. aside: events that the log leaves out. result: as it was ruled."""

    uid: Annotated[str, Field(pattern="^[ -~]{1,80}$")]
    started_ms: int
    ended_ms: int | None
    corrections: Annotated[list[_CorrectionFacts], Field(max_length=_MOST_CORRECTIONS)] = []
    aside: Annotated[list[dict[str, Any]], Field(max_length=_MOST_EVENTS)] = []
    result: dict[str, Any] | None = None


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


def write_archive(
    path: Path,
    games: Iterable[KeptGame],
    query: Query,
    evidence: Path | None,
    others: Mapping[str, Path] | None = None,
) -> tuple[int, int]:
    """Write an archive, whole or not at all, and return the numbers of games and pictures in it.

    evidence: the folder of pictures; None: without them. others: further files, by their names in it.

    Raises:
        BadInputError: the path is a folder, or is in none.
        WorkFailedError: it cannot be written.
    """
    number = count = 0
    results = [CSV_HEAD]
    with whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, game in enumerate(games, 1):
            shown = {} if evidence is None else _write_pictures(archive, number, game.row.game, query, evidence)
            count += sum(len(facts.get("pictures", ())) for facts in shown.values())
            archive.writestr(f"games/{number}.jsonl", "".join(f"{to_line(line)}\n" for line in _lines(game, shown)))
            results.append(csv_lines(game))
        archive.writestr(RESULTS, "".join(results))
        for name, other in (others or {}).items():
            archive.write(other, name)
    return number, count


def _write_pictures(
    archive: zipfile.ZipFile, number: int, game: int, query: Query, evidence: Path
) -> dict[int, dict[str, Any]]:
    """Write a game's pictures, and return the facts about them and the outlines, by event."""
    shown: dict[int, dict[str, Any]] = {}
    sql = "SELECT file, event, t_ms, kept_ms, disputed FROM evidence WHERE game = ? ORDER BY event, t_ms, file"
    for file, event, t_ms, kept_ms, disputed in query(sql, game):
        # A picture in the list may have been deleted a moment ago.
        with suppress(OSError):
            data = (evidence / f"{file}.jpg").read_bytes()
            pictures = shown.setdefault(event, {}).setdefault("pictures", [])
            archive.writestr(zipfile.ZipInfo(_picture(number, event, len(pictures))), data, zipfile.ZIP_STORED)
            pictures.append({"place": len(pictures), "t_ms": t_ms, "kept_ms": kept_ms, "disputed": bool(disputed)})
    for event, data in query("SELECT event, data FROM sights WHERE game = ? ORDER BY event", game):
        shown.setdefault(event, {})["sight"] = json.loads(data)
    return shown


def _picture(number: int, event: int, place: int) -> str:
    return f"pictures/{number}/{event}-{place}.jpg"


def _lines(game: KeptGame, shown: Mapping[int, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the lines of a game's member: the event log, with more under the key "kept"."""
    row = game.row
    played = {one.number: event for one, event in game.played()}

    def kept(one: EventRow) -> dict[str, Any]:
        refused = {"refused": True} if one.refused else {}
        return {"number": one.number, "wall_ms": one.wall_ms, **refused, **shown.get(one.number, {})}

    facts = {
        "uid": row.uid,
        "started_ms": row.started_ms,
        "ended_ms": row.ended_ms,
        "corrections": [vars(one) for one in game.corrections],
        "aside": [{**event_data(one.event), "kept": kept(one)} for one in game.events if one.number not in played],
        "result": _result(game.end()),
    }
    yield {**header_data(row.header), "kept": facts}
    for one in game.events:
        if (event := played.get(one.number)) is not None:
            was = {} if event is one.event else {"was": event_data(one.event)}
            yield {**event_data(event), "kept": {**kept(one), **was}}


def _result(end: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the shown result of a game's end."""
    return None if end is None else {key: end[key] for key in ("winners", "points", "cards") if key in end}


@dataclass(frozen=True)
class PackedGame:
    """A game of an archive, with the facts of its events. again: its result differs from the archive's."""

    game: KeptGame
    facts: tuple[EventFacts, ...]
    again: bool


def game_of(header: Mapping[str, Any], lines: Iterable[Mapping[str, Any]]) -> PackedGame:
    """Return the game of a header and its events, with new rulings: those in a file do not count.

    Raises:
        BadInputError: it is not a game that can be played.
    """
    found: list[tuple[EventFacts, EventRow]] = []
    try:
        model = HeaderModel.model_validate(header)
        about = GameFacts.model_validate(header.get("kept"))
        for line in (*lines, *about.aside):
            one = EventFacts.model_validate(line.get("kept"))
            data = {key: value for key, value in (one.was or line).items() if key != "kept"}
            found.append((one, EventRow(one.number, one.wall_ms, parse_event(data), one.refused)))
    except ValidationError as error:
        place = ".".join(map(str, error.errors(include_url=False, include_input=False)[0]["loc"]))
        raise BadInputError("error.journal.it_is_not_whole", list=place) from None
    found.sort(key=lambda pair: pair[0].number)
    facts, events = tuple(one for one, _ in found), tuple(event for _, event in found)
    if any(one.number != place for place, one in enumerate(events, 1)):
        raise BadInputError("error.journal.its_events_are_not_numbered")
    corrections = tuple(CorrectionRow(**vars(one)) for one in about.corrections)
    for number, change in enumerate(corrections, 1):
        at = 1 if change.event is None else change.event
        if change.number != number or not 0 <= (change.undoes or 0) < number or not 0 < at <= len(events):
            raise BadInputError("error.store.correction_makes_no_sense")
        corrected(events[at - 1].event, change.data or {})
    told = Header(model.game, distinct_names(model.players), model.options)
    game_kind(told.game).start(told)
    row = GameRow(0, about.uid, told, about.started_ms, "", 0, len(events), about.ended_ms, True)
    kept = judged_again(KeptGame(row, events, (), corrections))
    end = kept.end()
    ended_ms = None if end is None else about.ended_ms or events[-1].wall_ms
    return PackedGame(replace(kept, row=replace(row, ended_ms=ended_ms)), facts, _result(end) != about.result)


class Archive:
    """An open archive. picture_bytes: of its pictures, as its list says. A member is checked when it is taken out."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._infos = {info.filename: info for info in file.infolist()}
        self.names = list(self._infos)
        self.picture_bytes = sum(info.file_size for name, info in self._infos.items() if name.startswith("pictures/"))
        if RESULTS not in self._infos:
            raise BadInputError("error.store.no_games_in_it")

    def member(self, name: str, most: int) -> bytes:
        """Return a member of at most so many bytes, whatever size its list gives.

        Raises:
            BadInputError: it is larger, torn or missing.
        """
        try:
            with self._file.open(self._infos[name]) as file:
                data = file.read(most + 1)
        except (KeyError, *TORN) as error:
            raise BadInputError("error.store.torn_or_missing", name=name) from error
        if len(data) > most:
            raise BadInputError("error.journal.in_it_is_larger_than", entry=name)
        return data

    def games(self) -> Iterator[tuple[int, PackedGame | str]]:
        """Yield the number of each game, and the game, or a sentence if it cannot be taken."""
        for number in sorted(int(found[1]) for name in self.names if (found := _GAME.fullmatch(name))):
            try:
                lines = self.member(f"games/{number}.jsonl", MOST_GAME_BYTES).splitlines()
                if len(lines) > _MOST_EVENTS + 1:
                    raise BadInputError("error.journal.more_happened_in_it_than")
                header, *events = (parse_object(None if len(line) > MAX_LINE else line) for line in lines or [b""])
                yield number, game_of(header, events)
            except (BadInputError, RecursionError) as error:
                yield number, str(error)

    def picture(self, number: int, event: int, place: int) -> bytes:
        """Return a picture.

        Raises:
            BadInputError: it is not a picture, or is larger than ours are.
        """
        name = _picture(number, event, place)
        data = self.member(name, _MOST_PICTURE_BYTES)
        if not data.startswith(_JPEG):
            raise BadInputError("error.journal.in_it_is_no_picture", entry=name)
        return data


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an archive, or an export of an earlier Ringmaster.

    Raises:
        BadInputError: it cannot be read, is torn, or not an export of games.
    """
    try:
        with (
            TemporaryDirectory() as place,
            zipfile.ZipFile(converted(path, Path(place) / "export.zip", _check_bounds)) as file,
        ):
            yield Archive(file)
    except (BadInputError, WorkFailedError):
        raise
    except FileNotFoundError as error:
        raise BadInputError("error.cannot_be_read", path=path, why=error.strerror or error) from error
    except TORN as error:
        raise BadInputError("error.is_torn_or_no_export", path=path) from error


def _check_bounds(path: Path) -> None:
    """Refuse a file that unpacks to too much, or whose list would fill the memory when the file is opened.

    Ours end with the short form of the list's end, and without a comment.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _LIST_END_BYTES - _LONG_LIST_END_BYTES))
        before, end = (tail := file.read())[:-_LIST_END_BYTES], tail[-_LIST_END_BYTES:]
    if not end.startswith(_LIST_END) or before.startswith(_LONG_LIST_END):
        raise zipfile.BadZipFile
    if int.from_bytes(end[12:16], "little") > _MOST_LIST_BYTES:
        raise BadInputError("error.journal.there_are_more_files_in", path=path)
    with zipfile.ZipFile(path) as archive:
        sizes = [info.file_size for info in archive.infolist()]
    if len(sizes) > _MOST_MEMBERS or sum(sizes) > min(_MOST_BYTES, _MOST_RATIO * size + MOST_GAME_BYTES):
        raise BadInputError("error.store.unpacks_to_more")


def take_games(archive: Archive, connection: Connection, evidence: Path, tally: ImportTally) -> None:
    """Add the games of an archive to a store, and their pictures to a folder; games that are there stay as they are.

    tally: counts the games, and names unreadable ones.

    Raises:
        BadInputError: it is no export of an earlier Ringmaster.
        WorkFailedError, sqlite3.Error: the disk does not take them. After any error, nothing is left of it.
    """
    evidence.mkdir(mode=0o750, exist_ok=True)
    with suppress(OSError):
        if shutil.disk_usage(evidence).free - archive.picture_bytes < LEAST_FREE_BYTES:
            raise WorkFailedError("error.journal.there_is_no_room_for", wanted=archive.picture_bytes // 1000000)
    taking = _Import(archive, connection, evidence, tally, f"{IMPORTED}{uuid.uuid4().hex}")
    try:
        # A connection that is closed before the COMMIT leaves the file as it was.
        connection.execute("BEGIN IMMEDIATE")
        for number, packed in archive.games():
            if isinstance(packed, str):
                tally.left_out.append((number, packed))
            elif list(connection.execute("SELECT 1 FROM games WHERE uid = ?", (packed.game.row.uid,))):
                tally.there += 1
            else:
                taking.take(number, packed)
        connection.execute("COMMIT")
    except BaseException:
        for path in taking.written:
            path.unlink(missing_ok=True)
        raise


@dataclass
class _Import:
    """An import at work. origin: marks its games. written: the paths of its pictures."""

    archive: Archive
    connection: Connection
    evidence: Path
    tally: ImportTally
    origin: str
    written: list[Path] = field(default_factory=list)

    def take(self, number: int, packed: PackedGame) -> None:
        """Add a game with its pictures, or leave it out if the tables refuse a row of it."""
        ((last,),) = self.connection.execute(LAST_GAME)
        self.connection.execute("SAVEPOINT game")
        try:
            game = replace(packed.game, row=replace(packed.game.row, boot=self.origin))
            for statement in statements(game, last + 1):
                self.connection.execute(*statement)
        except (sqlite3.IntegrityError, OverflowError) as error:
            self.connection.execute("ROLLBACK TO game")
            self.tally.left_out.append((number, str(BadInputError("error.journal.it_is_not_whole", list=error))))
            return
        for facts in packed.facts:
            self._take_pictures(number, last + 1, facts)
        self.tally.added += 1
        self.tally.again += [number] * packed.again

    def _take_pictures(self, number: int, game: int, facts: EventFacts) -> None:
        about: dict[str, Any] = {"game": game, "event": facts.number}
        if facts.sight is not None:
            self.connection.execute(*inserted("INSERT", "sights", **about, data=facts.sight.model_dump()))
        for one in facts.pictures:
            try:
                picture = self.archive.picture(number, facts.number, one.place)
            except BadInputError:
                self.tally.pictures_left_out += 1
                continue
            path = self.evidence / f"{game}-{facts.number}-{one.place}.jpg"
            self.written.append(path)
            write_whole(path, picture)
            about |= {"file": path.stem, "t_ms": one.t_ms, "bytes": len(picture), "kept_ms": one.kept_ms}
            self.connection.execute(*inserted("INSERT OR REPLACE", "evidence", **about, disputed=one.disputed))
