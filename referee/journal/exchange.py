"""Games out of the journal and into another one: as JSON with everything, as CSV with the results, as an event log."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from referee.errors import BadInputError
from referee.events import parse_event, parse_header
from referee.journal.corrections import corrected, corrected_events
from referee.journal.database import Connection
from referee.journal.rows import (
    LAST_MS,
    CorrectionRow,
    EventRow,
    GameRow,
    KeptGame,
    RulingRow,
    event_data,
    header_data,
    iso_time,
)
from referee.jsonlines import is_name, to_line, whole_number

FORMAT = "ringmaster-games-1"
CSV_COLUMNS = ("started", "game", "seat", "player", "points", "won")


def as_json(games: Iterable[KeptGame]) -> dict[str, Any]:
    """Give games with all that is kept of them, but for pictures."""
    return {"format": FORMAT, "games": [_game_data(game) for game in games]}


def as_csv(games: Iterable[KeptGame]) -> str:
    """Give the results, a line a player; points are cards in Piccolino, and empty where a game has no end."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(CSV_COLUMNS)
    for game in games:
        end = next((row.data for row in reversed(game.in_force()) if row.data["ruling"] == "end"), None)
        points = [] if end is None else list(end.get("points", end.get("cards", [])))
        for seat, player in enumerate(game.row.header.players):
            result = [points[seat], int(seat in end["winners"])] if end is not None and seat < len(points) else ["", ""]
            # A name that looks like a formula would be one in a spreadsheet.
            name = f"'{player}" if player.startswith(("=", "+", "-", "@")) else player
            writer.writerow([iso_time(game.row.started_ms), game.row.header.game, seat, name, *result])
    return text.getvalue()


def as_event_log(game: KeptGame) -> str:
    """Give a game as an event log that `ringmaster replay` judges: its events as they hold after all corrections."""
    instead = corrected_events(game.corrections)
    lines = [to_line(header_data(game.row.header))]
    for row in game.events:
        data = instead.get(row.number, {})
        if data is None or (row.refused and not data):
            continue
        lines.append(to_line(event_data(corrected(row.event, data) if data else row.event)))
    return "\n".join([*lines, ""])


def games_from(data: object) -> list[KeptGame]:
    """Give the games in what `as_json` gave.

    Raises:
        BadInputError: it is nothing of the kind.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("games"), list):
        raise BadInputError(f'this is no export of games: "format" must be "{FORMAT}"')
    try:
        return [_game_from(game) for game in data["games"]]
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"a game in it is not whole ({' '.join(str(error).split())[:60]})") from error


def add_games(
    connection: Connection,
    games: Iterable[KeptGame],
    added_as: Callable[[KeptGame, int], None] = lambda game, number: None,
) -> tuple[int, int]:
    """Add games to a journal, all or none; gives how many were added, and how many were there already.

    added_as: told of each that is added, and its number, before all is kept.
    """
    added = there = 0
    # A journal that is closed before the COMMIT is as it was.
    connection.execute("BEGIN IMMEDIATE")
    for game in games:
        if list(connection.execute("SELECT 1 FROM games WHERE uid = ?", (game.row.uid,))):
            there += 1
        else:
            added_as(game, _add(connection, game))
            added += 1
    connection.execute("COMMIT")
    return added, there


def _add(connection: Connection, game: KeptGame) -> int:
    """Add a game and give its number."""
    row = game.row
    ((number,),) = connection.execute("SELECT coalesce(max(game), 0) + 1 FROM games")
    header = to_line(header_data(row.header))
    connection.execute(
        "INSERT INTO games (game, uid, header, started_ms, boot, shift_ns, judged, ended_ms, closed) "
        "VALUES (?, ?, ?, ?, '', 0, ?, ?, 1)",
        (number, row.uid, header, row.started_ms, row.judged, row.ended_ms),
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


def _game_data(game: KeptGame) -> dict[str, Any]:
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


def _game_from(data: Mapping[str, Any]) -> KeptGame:
    uid = data["uid"]
    if not is_name(uid):
        raise BadInputError('"uid" must be the name of a game')
    header = parse_header(data)
    ended = None if data["ended_ms"] is None else _time(data["ended_ms"], "ended_ms")
    started, judged = _time(data["started_ms"], "started_ms"), _number(data["judged"], "judged")
    events = tuple(
        EventRow(
            _number(one["number"], "number", 1),
            _time(one["wall_ms"], "wall_ms"),
            parse_event(one["data"]),
            bool(one["refused"]),
        )
        for one in data["events"]
    )
    rulings = tuple(
        RulingRow(
            _number(one["event"], "event", 1),
            _number(one["place"], "place"),
            _number(one["since"], "since"),
            _maybe(one["until"], "until"),
            _ruling(one["data"]),
        )
        for one in data["rulings"]
    )
    corrections = tuple(
        CorrectionRow(
            _number(one["number"], "number", 1),
            _time(one["wall_ms"], "wall_ms"),
            _maybe(one["event"], "event"),
            None if one["data"] is None else dict(one["data"]),
            _maybe(one["undoes"], "undoes"),
        )
        for one in data["corrections"]
    )
    row = GameRow(0, uid, header, started, "", 0, judged, ended, True)
    return _once(KeptGame(row, events, rulings, corrections))


def _ruling(data: object) -> Mapping[str, Any]:
    if not isinstance(data, dict) or not isinstance(data.get("ruling"), str):
        raise BadInputError('"ruling" must say what was ruled')
    whole_number(data.get("t_ns"), "t_ns")
    return data


def _once(game: KeptGame) -> KeptGame:
    """Refuse a game in which a number stands twice: the journal could not hold it."""
    for keys in (
        [one.number for one in game.events],
        [(one.event, one.place, one.since) for one in game.rulings],
        [one.number for one in game.corrections],
    ):
        if len(set(keys)) < len(keys):
            raise BadInputError("a number stands twice in a game")
    return game


def _maybe(value: object, name: str) -> int | None:
    return None if value is None else _number(value, name)


def _number(value: object, name: str, least: int = 0) -> int:
    """Give a number that the journal can hold."""
    number = whole_number(value, name, least)
    if number >= 1 << 63:
        raise BadInputError(f'"{name}" is too large')
    return number


def _time(value: object, name: str) -> int:
    number = whole_number(value, name)
    if number > LAST_MS:
        raise BadInputError(f'"{name}" is no time that there is')
    return number


def load_games(text: bytes) -> list[KeptGame]:
    """Give the games in an export file.

    Raises:
        BadInputError: it is none.
    """
    try:
        return games_from(json.loads(text))
    except (ValueError, RecursionError) as error:
        if isinstance(error, BadInputError):
            raise
        raise BadInputError("this is no export of games: it is not JSON") from error
