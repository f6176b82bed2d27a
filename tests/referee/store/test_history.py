"""In which order games were played, and on which evening, over midnight and whatever the clock says."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from referee.engine.events import Event, Header
from referee.engine.log import GameLog, GameRow, Record, RulingRow
from referee.language import Language
from referee.store.database import connect, make_tables
from referee.store.games import Query, statements
from referee.store.history import IMPORTED, history, listed, statistics

BERLIN = ZoneInfo("Europe/Berlin")
HALF_HOUR_MS = 30 * 60_000
Kept = Callable[[Sequence[GameLog]], Query]


def at(text: str, zone: ZoneInfo = BERLIN) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


def game(number: int, wall_ms: int, up_ms: int, boot: str = "boot", later_ms: int = 0) -> GameLog:
    """Return a game of half an hour; up_ms: since the machine's start, later_ms: how far the clock is set during it."""
    row = GameRow(number, str(number), Header("confetti", ("Ann",), {}), wall_ms, boot, 0, closed=True)
    first = Record(1, Event(up_ms * 1_000_000, "count", {}), wall_ms)
    last = Record(2, Event((up_ms + HALF_HOUR_MS) * 1_000_000, "count", {}), wall_ms + HALF_HOUR_MS + later_ms)
    return GameLog(row, {1: first, 2: last})


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    connection = connect(tmp_path / "journal.sqlite")
    make_tables(connection)

    def keep(games: Sequence[GameLog]) -> Query:
        for one in games:
            for statement in statements(one, one.row.game):
                connection.execute(*statement)
        return lambda sql, *values: connection.execute(sql, values).fetchall()

    return keep


def shown(query: Query) -> list[tuple[int, str, str]]:
    """Return number, beginning and evening of each game, in the order in which they were played."""
    return [
        (one.row.game, datetime.fromtimestamp(one.started_ms / 1000, BERLIN).strftime("%d. %H:%M"), one.evening)
        for one in listed(query, BERLIN)
    ]


def test_the_night_in_which_the_clocks_go_back_is_one_evening(kept: Kept) -> None:
    first = at("2026-10-24T20:00")
    games = [game(n, first + hours * 3_600_000, hours * 3_600_000) for n, hours in enumerate((0, 6, 7, 8, 20), 1)]
    assert [evening for *_, evening in shown(kept(games))] == ["2026-10-24"] * 4 + ["2026-10-25"]


def test_a_clock_that_is_set_during_an_evening_dates_all_games_since_the_machines_start(kept: Kept) -> None:
    lost, true, hour = at("2024-01-01T01:00"), at("2026-11-25T20:00"), 2 * HALF_HOUR_MS
    games = [
        game(1, at("2026-11-20T20:00"), 0, boot="a week before"),
        game(2, lost, 0),
        game(3, lost + hour, hour, later_ms=true - lost),
        game(4, true + 2 * hour, 2 * hour),
    ]
    assert shown(kept(games)) == [
        (1, "20. 20:00", "2026-11-20"),
        (2, "25. 20:00", "2026-11-25"),
        (3, "25. 21:00", "2026-11-25"),
        (4, "25. 22:00", "2026-11-25"),
    ]


def test_games_of_another_table_are_put_among_those_of_this_one_by_their_time(kept: Kept) -> None:
    own = [game(1, at("2026-01-10T20:00"), 0, "a"), game(2, at("2026-03-10T20:00"), 0, "b")]
    batch = f"{IMPORTED}{uuid.uuid4()}"
    other = [game(n, at(text), 0, batch) for n, text in enumerate(["2026-02-01T20:00", "2026-01-31T20:00"], 3)]
    last = game(5, at("2026-02-15T20:00"), 0, "set back")
    assert [number for number, *_ in shown(kept([*own, *other, last]))] == [1, 3, 4, 2, 5]


def test_an_evening_over_midnight_is_one_in_history_and_figures(kept: Kept) -> None:
    began = [at("2026-07-17T19:30"), at("2026-07-17T21:00"), at("2026-07-18T00:30"), at("2026-07-18T15:00")]
    end = RulingRow(1, 0, 0, None, {"ruling": "end", "t_ns": 5, "winners": [0], "points": [3]})
    query = kept([replace(game(n, ms, 0, f"{n}"), lost=(end,)) for n, ms in enumerate(began, 1)])
    listed = history(query, Language(), zone=BERLIN)["games"]
    assert [one["evening"] for one in listed] == ["2026-07-18", "2026-07-17", "2026-07-17", "2026-07-17"]
    figures = statistics(query, zone=BERLIN)
    assert [(one["date"], one["games"]) for one in figures["evenings"]] == [("2026-07-17", 3), ("2026-07-18", 1)]
    assert figures["players"][0]["wins"] == 4
