"""Writes games with their evidence pictures into one ZIP file, which `referee.store.import_zip` reads.

In it: `games/N.jsonl`, an event log a game that `ringmaster replay` rules on, with the other kept facts under the key
"kept" of its lines; `pictures/N/EVENT-PLACE.jpg`; and `results.csv` for people.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from referee.engine.log import GameLog, Record, RulingData
from referee.files import whole_file
from referee.jsonlines import to_line
from referee.safe_text import spreadsheet_cell
from referee.store.games import Query, iso_time, points_of

RESULTS = "results.csv"
CSV_HEAD = "started,game,seat,player,points,won\r\n"


def event_log(log: GameLog) -> str:
    """Return a game as an event log for `ringmaster replay`: its events after all corrections.

    Raises:
        BadInputError: a correction in it makes no event.
    """
    return _text([log.header.as_json(), *(event.as_json() for _, event in log.played())])


def csv_lines(log: GameLog) -> str:
    """Return a game's results, a line a player; points are cards in Piccolino, and empty where it has no end."""
    end, text = log.end(), io.StringIO()
    points, writer = points_of(end), csv.writer(text)
    for seat, player in enumerate(log.header.players):
        result = [points[seat], int(seat in end["winners"])] if end is not None and seat < len(points) else ["", ""]
        names = (spreadsheet_cell(log.header.game), seat, spreadsheet_cell(player))
        writer.writerow([iso_time(log.row.started_ms), *names, *result])
    return text.getvalue()


def write_zip(
    path: Path,
    games: Iterable[GameLog],
    query: Query,
    evidence: Path | None,
    others: Mapping[str, Path] | None = None,
) -> tuple[int, int]:
    """Write games into a file, whole or not at all, and return the numbers of games and pictures in it.

    evidence: the folder of pictures; None: without them. others: further files, by their names in it.

    Raises:
        BadInputError: the path is a folder, or is in none.
        WorkFailedError: it cannot be written.
    """
    number = count = 0
    results = [CSV_HEAD]
    with whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, log in enumerate(games, 1):
            shown = {} if evidence is None else _write_pictures(archive, number, log.game, query, evidence)
            count += sum(len(facts.get("pictures", ())) for facts in shown.values())
            archive.writestr(f"games/{number}.jsonl", _text(_lines(log, shown)))
            results.append(csv_lines(log))
        archive.writestr(RESULTS, "".join(results))
        for name, other in (others or {}).items():
            archive.write(other, name)
    return number, count


def picture_name(number: int, event: int, place: int) -> str:
    """Return the name of a picture in the file."""
    return f"pictures/{number}/{event}-{place}.jpg"


def result_of(end: RulingData | None) -> dict[str, Any] | None:
    """Return the result in the ruling that ended a game, as the file has it."""
    return None if end is None else {key: end[key] for key in ("winners", "points", "cards") if key in end}


def _text(lines: Iterable[dict[str, object]]) -> str:
    return "".join(f"{to_line(line)}\n" for line in lines)


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
            archive.writestr(zipfile.ZipInfo(picture_name(number, event, len(pictures))), data, zipfile.ZIP_STORED)
            pictures.append({"place": len(pictures), "t_ms": t_ms, "kept_ms": kept_ms, "disputed": bool(disputed)})
    for event, data in query("SELECT event, data FROM sights WHERE game = ? ORDER BY event", game):
        shown.setdefault(event, {})["sight"] = json.loads(data)
    return shown


def _lines(log: GameLog, shown: Mapping[int, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the lines of a game: the event log, with more under the key "kept"."""

    def kept(record: Record) -> dict[str, Any]:
        refused = {"refused": True} if record.refused else {}
        return {"number": record.number, "wall_ms": record.wall_ms, **refused, **shown.get(record.number, {})}

    played = {record.number: event for record, event in log.played()}
    aside = (record for record in log.records.values() if record.number not in played)
    facts = {
        "uid": log.row.uid,
        "started_ms": log.row.started_ms,
        "ended_ms": log.row.ended_ms,
        "corrections": [vars(one) for one in log.corrections],
        "aside": [{**record.event.as_json(), "kept": kept(record)} for record in aside],
        "result": result_of(log.end()),
    }
    yield {**log.header.as_json(), "kept": facts}
    for number, event in played.items():
        record = log.records[number]
        was = {} if event is record.event else {"was": record.event.as_json()}
        yield {**event.as_json(), "kept": {**kept(record), **was}}
