"""Reads exports of Ringmaster before 2026-11-30: one JSON file, a game a line. To be removed in December 2027."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from referee.errors import BadInputError
from referee.jsonlines import parse_object

OLD = "games.json"
"""The file in a ZIP file."""
_FIRST, _LAST = b'{"format": "ringmaster-games-1", "games": [', b"]}"
_MOST_GAME_BYTES = 8 << 20

Data = dict[str, Any]


def zipped(path: Path, folder: Path) -> Path:
    """Return a ZIP file with an export that is bare JSON.

    Raises:
        BadInputError: the file is no such export.
    """
    with path.open("rb") as file:
        next(old_lines(file), None)
    whole = folder / "export.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        archive.write(path, OLD)
        archive.writestr("results.csv", "")
    return whole


def old_lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the line of each game; a torn file ends with an empty line.

    Raises:
        BadInputError: the file is no such export.
    """
    if file.readline(100).strip() != _FIRST:
        raise BadInputError("error.journal.this_is_no_export_of_games_it")
    number = 0
    while (line := file.readline(_MOST_GAME_BYTES + 1).strip().removesuffix(b",")) != _LAST:
        number += 1
        yield number, line
        if not line or len(line) > _MOST_GAME_BYTES:
            return


def old_game(line: bytes) -> tuple[Data, list[Data]]:
    """Return a game's header and its events as `archive.game_of` takes them.

    Raises:
        BadInputError: it is torn, or not a game.
    """
    data: Data = {**parse_object(line)}
    try:
        facts = ("number", "wall_ms", "refused")
        kept: dict[int, dict[str, Any]] = {one["number"]: {key: one[key] for key in facts} for one in data["events"]}
        for picture in data.get("pictures", ()):
            kept[picture["event"]].setdefault("pictures", []).append({**picture})
        for sight in data.get("sights", ()):
            kept[sight["event"]]["sight"] = sight["data"]
        ends = [one["data"] for one in data["rulings"] if one["until"] is None and one["data"]["ruling"] == "end"]
        result = {key: ends[-1][key] for key in ("winners", "points", "cards") if key in ends[-1]} if ends else None
        about = {key: data[key] for key in ("uid", "started_ms", "ended_ms", "corrections")}
        events = [{**one["data"], "kept": kept[one["number"]]} for one in data["events"]]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadInputError("error.journal.it_is_not_whole", list=" ".join(str(error).split())[:60]) from error
    return {**data, "kept": {**about, "result": result}}, events
