"""Games out of the journal and into another one: as JSON with everything, as CSV with the results, as an event log."""

from __future__ import annotations

import csv
import io
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from referee.engine.corrections import corrected, corrected_events
from referee.jsonlines import to_line
from referee.safe_text import spreadsheet_cell
from referee.store.database import Connection
from referee.store.evenings import IMPORTED
from referee.store.games import KeptGame, event_data, header_data, iso_time
from referee.store.judging import Checked
from referee.store.stream import FORMAT
from referee.store.tables import LAST_GAME, WAY_CLEARED
from referee.store.taking import Tally

T = TypeVar("T")
CSV_HEAD = "started,game,seat,player,points,won\r\n"


def json_parts(games: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Give the text of an export, a part a game; games: as `game_data` gives them."""
    yield f'{{"format": "{FORMAT}", "games": ['
    for place, data in enumerate(games):
        yield (",\n" if place else "\n") + to_line(dict(data))
    yield "\n]}\n"


def csv_lines(game: Checked) -> str:
    """Give a game's results, a line a player; points are cards in Piccolino, and empty where it has no end."""
    row, end = game.kept.row, game.end
    points = [] if end is None else list(end.get("points", end.get("cards", [])))
    text = io.StringIO()
    writer = csv.writer(text)
    for seat, player in enumerate(row.header.players):
        result = [points[seat], int(seat in end["winners"])] if end is not None and seat < len(points) else ["", ""]
        names = (spreadsheet_cell(row.header.game), seat, spreadsheet_cell(player))
        writer.writerow([iso_time(row.started_ms), *names, *result])
    return text.getvalue()


def as_event_log(game: KeptGame) -> str:
    """Give a game as an event log that `ringmaster replay` judges: its events as they hold after all corrections.

    Raises:
        BadInputError: a correction in it makes no event.
    """
    instead = corrected_events(game.corrections)
    lines = [to_line(header_data(game.row.header))]
    for row in game.events:
        data = instead.get(row.number, {})
        if data is None or (row.refused and not data):
            continue
        lines.append(to_line(event_data(corrected(row.event, data) if data else row.event)))
    return "\n".join([*lines, ""])


def add_games(
    connection: Connection,
    given: Iterable[T],
    game_of: Callable[[T], KeptGame],
    tally: Tally,
    added_as: Callable[[T, int], None] = lambda given, number: None,
) -> None:
    """Add games to a journal, all that are given or none; tally: learns how many were added, or there already.

    added_as: told of each that is added, and its number, before all is kept.
    """
    origin = f"{IMPORTED}{uuid.uuid4().hex}"
    # A journal that is closed before the COMMIT is as it was.
    connection.execute("BEGIN IMMEDIATE")
    for one in given:
        game = game_of(one)
        if list(connection.execute("SELECT 1 FROM games WHERE uid = ?", (game.row.uid,))):
            tally.there += 1
        else:
            added_as(one, _add(connection, game, origin))
            tally.added += 1
    connection.execute("COMMIT")


def _add(connection: Connection, game: KeptGame, origin: str) -> int:
    """Add a game and give its number. origin: names what it came with, in the place of a start of the machine."""
    row = game.row
    ((last,),) = connection.execute(LAST_GAME)
    number = last + 1
    for sql in WAY_CLEARED:
        connection.execute(sql, (number,))
    header = to_line(header_data(row.header))
    connection.execute(
        "INSERT INTO games (game, uid, header, started_ms, boot, shift_ns, judged, ended_ms, closed) "
        "VALUES (?, ?, ?, ?, ?, 0, ?, ?, 1)",
        (number, row.uid, header, row.started_ms, origin, row.judged, row.ended_ms),
    )
    for event in game.events:
        values = (number, event.number, event.wall_ms, to_line(event_data(event.event)), int(event.refused))
        connection.execute("INSERT INTO events (game, number, wall_ms, data, refused) VALUES (?, ?, ?, ?, ?)", values)
    for ruling in game.rulings:
        kept = (number, ruling.event, ruling.place, ruling.since, ruling.until, to_line(dict(ruling.data)))
        connection.execute(
            "INSERT INTO rulings (game, event, place, since, until, data) VALUES (?, ?, ?, ?, ?, ?)", kept
        )
    for one in game.corrections:
        data = None if one.data is None else to_line(dict(one.data))
        connection.execute(
            "INSERT INTO corrections (game, number, wall_ms, event, data, undoes) VALUES (?, ?, ?, ?, ?, ?)",
            (number, one.number, one.wall_ms, one.event, data, one.undoes),
        )
    return int(number)


def game_data(game: KeptGame) -> dict[str, Any]:
    """Give all that is kept of a game, but for its pictures."""
    row = game.row
    return {
        "uid": row.uid,
        **header_data(row.header),
        "started_ms": row.started_ms,
        "ended_ms": row.ended_ms,
        "judged": row.judged,
        "events": [
            {"number": one.number, "wall_ms": one.wall_ms, "refused": one.refused, "data": event_data(one.event)}
            for one in game.events
        ],
        "rulings": [
            {"event": one.event, "place": one.place, "since": one.since, "until": one.until, "data": dict(one.data)}
            for one in game.rulings
        ],
        "corrections": [
            {"number": one.number, "wall_ms": one.wall_ms, "event": one.event, "data": one.data, "undoes": one.undoes}
            for one in game.corrections
        ],
    }
