"""What stands in the journal's tables, read with mistrust: a row that makes no sense is counted, and hides no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.engine.corrections import CorrectionRow
from referee.engine.events import Header, parse_event
from referee.errors import BadInputError
from referee.journal.rows import LAST_MS, EventRow, GameRow, KeptGame, Lost, Query, RulingRow
from referee.jsonlines import parse_object, whole_number
from referee.names import told_apart

MOST_NUMBER = (1 << 63) - 1
_MOST_PLAYERS = 20
_GAME = "SELECT game, uid, header, started_ms, boot, shift_ns, judged, ended_ms, closed FROM games"


@dataclass(frozen=True)
class Shelf:
    """The games in a journal, in the order in which they were entered, and the numbers of those that make no sense."""

    games: tuple[GameRow, ...]
    unreadable: tuple[int, ...] = ()


def shelf(query: Query) -> Shelf:
    """Give all games."""
    found, unreadable = [], []
    for row in query(f"{_GAME} ORDER BY game"):
        try:
            found.append(_game(row))
        except BadInputError:
            unreadable.append(row[0])
    return Shelf(tuple(found), tuple(unreadable))


def games(query: Query) -> tuple[GameRow, ...]:
    """Give all games that can be read, the last entered first."""
    return shelf(query).games[::-1]


def open_game(query: Query) -> GameRow | None:
    """Give the game to resume, None if there is none.

    Raises:
        BadInputError: its header makes no sense.
    """
    rows = query(f"{_GAME} WHERE closed = 0 ORDER BY game DESC LIMIT 1")
    return _game(rows[0]) if rows else None


def game_numbered(query: Query, game: int) -> GameRow | None:
    """Give the game with this number, None if there is none that makes sense."""
    rows = query(f"{_GAME} WHERE game = ?", game) if game <= MOST_NUMBER else ()
    try:
        return _game(rows[0]) if rows else None
    except BadInputError:
        return None


def kept_game(query: Query, row: GameRow) -> KeptGame:
    """Give all that is kept of a game and can be read."""
    events, lost = _events(query, row, Lost())
    corrections, lost = _corrections(query, row, lost)
    rulings, lost = _rulings(query, row, lost)
    return KeptGame(row, tuple(events), tuple(rulings), tuple(corrections), lost)


def sight_of(query: Query, game: int, event: int) -> dict[str, Any] | None:
    """Give what was outlined in the picture that an event was judged on, None if nothing is kept of that."""
    rows = query("SELECT data FROM sights WHERE game = ? AND event = ?", game, event)
    try:
        return stored_object(rows[0][0]) if rows else None
    except BadInputError:
        return None


def stored_object(text: object) -> dict[str, Any]:
    """Give the JSON object in a column.

    Raises:
        BadInputError: there is none.
    """
    if not isinstance(text, str):
        raise BadInputError("error.json_object_in_braces_is")
    return parse_object(text.encode())


def ruling_data(data: object) -> Mapping[str, Any]:
    """Give what might be a ruling: its kind is said, and its time.

    Raises:
        BadInputError: it is none.
    """
    if not isinstance(data, dict) or not isinstance(data.get("ruling"), str):
        raise BadInputError("error.journal.ruling_must_say_what_was")
    number(data.get("t_ns"), "t_ns")
    return data


def number(value: object, name: str, least: int = 0) -> int:
    """Give a number that the journal can hold.

    Raises:
        BadInputError: it is none; `name` says what it stands for.
    """
    found = whole_number(value, name, least)
    if found > MOST_NUMBER:
        raise BadInputError("error.journal.is_too_large", name=name)
    return found


def maybe(value: object, name: str, least: int = 0) -> int | None:
    """Give the same, or None where there is none."""
    return None if value is None else number(value, name, least)


def wall_time(value: object, name: str) -> int:
    """Give a time of day, ms.

    Raises:
        BadInputError: there is no such time.
    """
    found = whole_number(value, name)
    if found > LAST_MS:
        raise BadInputError("error.journal.is_no_time_that_there", name=name)
    return found


def kept_header(data: Mapping[str, Any]) -> Header:
    """Give the header of a game that was played: its names are made such that people can read and tell them apart.

    Raises:
        BadInputError: it is none.
    """
    game, players, options = data.get("game"), data.get("players"), data.get("options", {})
    if not isinstance(game, str) or not isinstance(options, dict):
        raise BadInputError("error.journal.game_says_which_one_it")
    if not isinstance(players, list) or not all(isinstance(player, str) for player in players):
        raise BadInputError("error.journal.players_must_be_list_of")
    if not 1 <= len(players) <= _MOST_PLAYERS:
        raise BadInputError("error.journal.so_many_cannot_have_played")
    return Header(game, told_apart(players), options)


def _events(query: Query, row: GameRow, lost: Lost) -> tuple[list[EventRow], Lost]:
    found: list[EventRow] = []
    sql = "SELECT number, wall_ms, data, refused FROM events WHERE game = ? ORDER BY number"
    for number_, wall_ms, data, refused in query(sql, row.game):
        awaited = len(found) + 1
        try:
            event = parse_event(stored_object(data))
            entry = EventRow(number(number_, "number", 1), wall_time(wall_ms, "wall_ms"), event, bool(refused))
        except BadInputError:
            return found, lost.event(awaited)
        if entry.number != awaited:
            return found, lost.event(awaited)
        found.append(entry)
    return found, lost if len(found) >= row.judged else lost.event(len(found) + 1)


def _corrections(query: Query, row: GameRow, lost: Lost) -> tuple[list[CorrectionRow], Lost]:
    found: list[CorrectionRow] = []
    sql = "SELECT number, wall_ms, event, data, undoes FROM corrections WHERE game = ? ORDER BY number"
    for number_, wall_ms, event, data, undoes in query(sql, row.game):
        try:
            found.append(
                CorrectionRow(
                    number(number_, "number", 1),
                    wall_time(wall_ms, "wall_ms"),
                    maybe(event, "event", 1),
                    None if data is None else stored_object(data),
                    maybe(undoes, "undoes", 1),
                )
            )
        except BadInputError:
            lost = lost.event(event if type(event) is int else 1)
    return found, lost


def _rulings(query: Query, row: GameRow, lost: Lost) -> tuple[list[RulingRow], Lost]:
    found: list[RulingRow] = []
    sql = "SELECT event, place, since, until, data FROM rulings WHERE game = ? ORDER BY event, place, since"
    for event, place, since, until, data in query(sql, row.game):
        try:
            found.append(
                RulingRow(
                    number(event, "event", 1),
                    number(place, "place"),
                    number(since, "since"),
                    maybe(until, "until"),
                    ruling_data(stored_object(data)),
                )
            )
        except BadInputError:
            lost = lost.row()
    return found, lost


def _game(row: Sequence[Any]) -> GameRow:
    game, uid, header, started_ms, boot, shift_ns, judged, ended_ms, closed = row
    return GameRow(
        number(game, "game", 1),
        uid if isinstance(uid, str) else f"game-{game}",
        kept_header(stored_object(header)),
        wall_time(started_ms, "started_ms"),
        boot if isinstance(boot, str) else "",
        shift_ns if type(shift_ns) is int else 0,
        judged if type(judged) is int else 0,
        wall_time(ended_ms, "ended_ms") if type(ended_ms) is int and 0 <= ended_ms <= LAST_MS else None,
        closed != 0,
    )
