"""In which order games were played, and on which evening, over midnight and whatever the clock says."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from referee.commands import main
from referee.engine.events import Event, Header
from referee.language import Language
from referee.store.evenings import IMPORTED, in_order, played, span_of
from referee.store.figures import statistics
from referee.store.games import EventRow, GameRow, KeptGame
from referee.store.history import history
from referee.store.reading import reading

BERLIN = ZoneInfo("Europe/Berlin")
MINUTE_MS = 60_000


def at(text: str, zone: ZoneInfo = BERLIN) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


def game(number: int, wall_ms: int, up_ms: int, boot: str = "boot", later_ms: int = 0) -> KeptGame:
    """Give a game of half an hour; up_ms: since the machine's start, later_ms: how far the clock is set during it."""
    row = GameRow(number, str(number), Header("confetti", ("Ann",), {}), wall_ms, boot, 0, closed=True)
    events = [
        EventRow(n, wall_ms + ms + (later_ms if ms else 0), Event((up_ms + ms) * 1_000_000, "count", {}))
        for n, ms in enumerate((0, 30 * MINUTE_MS), 1)
    ]
    return KeptGame(row, tuple(events))


def told(kept: list[KeptGame]) -> list[tuple[int, str, str]]:
    """Give number, beginning and evening of each game, in the order in which they were played."""
    rows = in_order([one.row for one in kept])
    spans = {one.row.game: span_of(one) for one in kept}
    return [
        (row.game, datetime.fromtimestamp(when.started_ms / 1000, BERLIN).strftime("%d. %H:%M"), when.evening)
        for row, when in zip(rows, played(rows, [spans[row.game] for row in rows], BERLIN), strict=True)
    ]


def test_the_night_in_which_the_clocks_go_back_is_one_evening() -> None:
    first = at("2026-10-24T20:00")
    kept = [game(n, first + hours * 3_600_000, hours * 3_600_000) for n, hours in enumerate((0, 6, 7, 8, 20))]
    assert [evening for *_, evening in told(kept)] == ["2026-10-24"] * 4 + ["2026-10-25"]


def test_a_clock_that_is_set_during_an_evening_dates_all_games_since_the_machines_start() -> None:
    lost, true, hour = at("2024-01-01T01:00"), at("2026-11-25T20:00"), 60 * MINUTE_MS
    kept = [
        game(1, at("2026-11-20T20:00"), 0, boot="a week before"),
        game(2, lost, 0),
        game(3, lost + hour, hour, later_ms=true - lost),
        game(4, true + 2 * hour, 2 * hour),
    ]
    assert told(kept) == [
        (1, "20. 20:00", "2026-11-20"),
        (2, "25. 20:00", "2026-11-25"),
        (3, "25. 21:00", "2026-11-25"),
        (4, "25. 22:00", "2026-11-25"),
    ]


def test_games_of_another_table_are_put_among_those_of_this_one_by_their_time() -> None:
    own = [game(1, at("2026-01-10T20:00"), 0, "a"), game(2, at("2026-03-10T20:00"), 0, "b")]
    batch = f"{IMPORTED}{uuid.uuid4()}"
    other = [game(n, at(text), 0, batch) for n, text in enumerate(["2026-02-01T20:00", "2026-01-31T20:00"], 3)]
    last = game(5, at("2026-02-15T20:00"), 0, "set back")
    assert [number for number, *_ in told([*own, *other, last])] == [1, 3, 4, 2, 5]


def test_an_evening_over_midnight_is_one_in_history_and_figures(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    began = [at("2026-07-17T19:30"), at("2026-07-17T21:00"), at("2026-07-18T00:30"), at("2026-07-18T15:00")]
    stop = {"number": 1, "refused": False, "data": {"t_ns": 5, "event": "stop"}}
    games = [
        {"uid": f"{n}", "game": "piccolino", "players": ["Ann", "Ben"], "options": {}, "started_ms": ms, "ended_ms": ms}
        | {"judged": 1, "events": [{**stop, "wall_ms": ms}], "rulings": [], "corrections": []}
        for n, ms in enumerate(began)
    ]
    file = tmp_path / "evening.json"
    file.write_text(json.dumps({"format": "ringmaster-games-1", "games": games}))
    assert main(["import", str(file), "--state", str(tmp_path)]) == 0
    with reading(tmp_path) as query:
        listed = history(query, Language(), zone=BERLIN)["games"]
        figures = statistics(query, zone=BERLIN)["evenings"]
    assert [one["evening"] for one in listed] == ["2026-07-18", "2026-07-17", "2026-07-17", "2026-07-17"]
    assert listed[1]["started"] == datetime.fromtimestamp(began[2] / 1000, UTC).isoformat(timespec="seconds")
    assert [(one["date"], one["games"]) for one in figures] == [("2026-07-17", 3), ("2026-07-18", 1)]
