"""Reads exports of Ringmaster before 2026-11-30: one JSON file, a game a line. To be removed in December 2027."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from referee.errors import BadInputError
from referee.jsonlines import parse_object, to_line
from referee.store.export_zip import result_of

_OLD = "games.json"
"""The file in a ZIP file."""
_FIRST, _LAST = b'{"format": "ringmaster-games-1", "games": [', b"]}"
_MOST_GAME_BYTES = 8 << 20


def converted(path: Path, new: Path, check: Callable[[Path], None]) -> Path:
    """Return an export as a ZIP file with one member a game: the file itself, or a new one where it is an old export.

    check: refuses a ZIP file beyond the bounds.

    Raises:
        BadInputError: the file is no such export.
        OSError, zipfile.BadZipFile: it cannot be read.
    """
    with path.open("rb") as file:
        if file.read(2) != b"PK":
            file.seek(0)
            with zipfile.ZipFile(new, "w") as archive:
                _convert(file, archive)
            return new
    check(path)
    with zipfile.ZipFile(path) as old:
        if _OLD not in old.namelist():
            return path
        with zipfile.ZipFile(new, "w") as archive, old.open(_OLD) as file:
            _convert(file, archive)
            for info in old.infolist():
                if info.filename.startswith("pictures/"):
                    archive.writestr(info.filename, old.read(info))
    return new


def _convert(file: IO[bytes], archive: zipfile.ZipFile) -> None:
    for number, line in _lines(file):
        try:
            text = "".join(f"{to_line(part)}\n" for part in _game(line)).encode()
        except BadInputError:
            # The import complains of it.
            text = line
        archive.writestr(f"games/{number}.jsonl", text)
    archive.writestr("results.csv", "")


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the line of each game; a torn file ends with a torn line."""
    if file.readline(100).strip() != _FIRST:
        raise BadInputError("error.journal.this_is_no_export_of_games_it")
    number = 0
    while (line := file.readline(_MOST_GAME_BYTES + 1).strip().removesuffix(b",")) != _LAST:
        number += 1
        yield number, line
        if not line or len(line) > _MOST_GAME_BYTES:
            return


def _game(line: bytes) -> list[dict[str, Any]]:
    """Return the header of a game and its events, as a member has them."""
    data: dict[str, Any] = {**parse_object(line)}
    try:
        facts = ("number", "wall_ms", "refused")
        kept: dict[int, dict[str, Any]] = {one["number"]: {key: one[key] for key in facts} for one in data["events"]}
        for picture in data.get("pictures", ()):
            kept[picture["event"]].setdefault("pictures", []).append(picture)
        for sight in data.get("sights", ()):
            kept[sight["event"]]["sight"] = sight["data"]
        ends = [one["data"] for one in data["rulings"] if one["until"] is None and one["data"]["ruling"] == "end"]
        result = result_of(ends[-1] if ends else None)
        about = {key: data[key] for key in ("uid", "started_ms", "ended_ms", "corrections")}
        header = {key: data[key] for key in ("game", "players", "options")}
        events = [{**one["data"], "kept": kept[one["number"]]} for one in data["events"]]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadInputError("error.journal.it_is_not_whole", list=" ".join(str(error).split())[:60]) from error
    return [{**header, "kept": {**about, "result": result}}, *events]
