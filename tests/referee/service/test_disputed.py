"""A disputed ruling as a file to send: what was seen round it and nothing else, judged again as it was ruled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.bell import BellLogic
from hardware.camera.frames import FrameExposed
from hardware.edges import Edge, judge_edges
from hardware.events import BellEdge
from hardware.recording import RecordedFrame, read_recording
from referee.cli import main
from referee.engine.recorded_game import DECK_FILE, TABLE
from referee.games.registry import watcher_for
from referee.service import film as film_module
from referee.service.film import FilmKeeper
from referee.service.ring_pictures import Wanted
from referee.service.table_area import TableArea
from referee.watchers.table_finder import WatchSetup
from tests.support.quiet_table import QuietTable, quiet_table
from tests.support.short_game import record_short_game

Capture = pytest.CaptureFixture[str]
NAMES = ("Annegret", "Benjamin", "Cemile")
S = 1_000_000_000


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("game") / "game.mcap"
    record_short_game(path)
    return path


def play(folder: Path, game: Path) -> QuietTable:
    """Let a referee see and hear a recorded game as it happens, with a film on its way."""
    table = quiet_table(folder, watcher=lambda header: watcher_for(header, WatchSetup()))
    now_ns = 0
    film = FilmKeeper(table.buffer, TableArea(), clock=lambda: now_ns)
    table.keeping.film = film.of
    table.bus.subscribe(Wanted, film.want)
    table.controller.start("piccolino", NAMES, {})
    events = [one.payload for one in read_recording(game).events]
    edges = [one for one in events if isinstance(one, BellEdge)]
    presses = judge_edges(
        BellLogic({f"{seat}": seat for seat in range(3)}), [Edge(e.t_ns, str(e.seat), e.pressed) for e in edges], 99 * S
    )
    rest: list[Any] = [*(one for one in events if isinstance(one, RecordedFrame)), *presses]
    for one in sorted(rest, key=lambda one: getattr(one, "exposure_end_ns", one.t_ns - 1) + 1):
        now_ns = one.t_ns
        if isinstance(one, RecordedFrame):
            frame = one.frame()
            table.buffer.push(frame)
            film.take(FrameExposed(frame.exposure_end_ns + 1), table.controller.look(frame))
        else:
            film.take(one, table.controller.hear(one))
        film.tend()
    return table


def ring_of(table: QuietTable, valid: bool) -> str:
    (found,) = [one for one in table.desk.state()["rulings"] if one["ruling"].get("valid") is valid]
    return str(found["id"])


def beyond_the_table(payload: object) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    """Give what of a picture is well outside of its table, and the picture."""
    assert isinstance(payload, RecordedFrame)
    area, image = TableArea(), payload.frame().image
    area.survey(image)
    shown = area.shroud(np.full_like(image, 255))
    return np.asarray(cv2.dilate(shown[..., 0], np.ones((17, 17), np.uint8)) == 0), image


def replayed(path: Path, capfd: Capture, *more: str) -> list[dict[str, Any]]:
    capfd.readouterr()
    assert main(["replay", str(path), "--json", *more]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return [json.loads(line) for line in out.splitlines()]


@pytest.fixture(params=[film_module.BEFORE_NS, 3 * S // 2])
def before_ns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(film_module, "BEFORE_NS", request.param)
    return int(request.param)


def test_a_disputed_ring_is_judged_again_from_its_own_file(
    tmp_path: Path, game: Path, capfd: Capture, before_ns: int
) -> None:
    table = play(tmp_path, game)
    ruling = ring_of(table, valid=True)
    file = tmp_path / "sent.mcap"
    file.write_bytes(table.keeping.disputed(ruling))
    (ruled,) = [dict(one["ruling"]) for one in table.desk.state()["rulings"] if one["id"] == ruling]
    (again,) = [one for one in replayed(file, capfd) if one.get("valid") is True]
    # Compressed, a picture may tell a card a frame sooner or later.
    assert abs(again.pop("reaction_ms") - ruled.pop("reaction_ms")) < 150
    assert again == ruled
    assert replayed(file, capfd, "--changed") == []
    frames = [one.payload for one in read_recording(file).events if isinstance(one.payload, RecordedFrame)]
    ring_ns = ruled["t_ns"]
    assert all(-before_ns <= frame.t_ns - ring_ns <= 3 * S for frame in frames)
    assert sum(frame.t_ns < ring_ns for frame in frames) >= 4
    # Nothing beyond the table, nobody's name.
    image = frames[0].frame().image
    first = next(read_recording(game).events).payload
    outside, before = beyond_the_table(first)
    assert outside.mean() > 0.01 and before[outside].mean() > 30
    assert np.percentile(image[outside], 99) < 8
    assert not any(name.encode() in file.read_bytes() for name in NAMES)
    # The one that was sent is kept, for who sits at the machine; its pictures are kept for long.
    out = tmp_path / "again.mcap"
    assert main(["export", "--state", str(tmp_path), "--ruling", ruling, "-o", str(out)]) == 0
    assert out.read_bytes() == file.read_bytes()
    assert "the table is seen" in capfd.readouterr().out
    table.close()


def test_what_was_seen_long_ago_is_judged_from_what_was_read_then(tmp_path: Path, game: Path, capfd: Capture) -> None:
    table = play(tmp_path, game)
    ruling, valid = ring_of(table, valid=False), ring_of(table, valid=True)
    table.close()
    file = tmp_path / "old.mcap"
    assert main(["export", "--state", str(tmp_path), "--ruling", ruling, "-o", str(file)]) == 0
    assert "no pictures" in capfd.readouterr().out
    (ring,) = [one for one in replayed(file, capfd) if one["ruling"] == "ring"]
    assert (ring["valid"], ring["reason"]) == (False, "no_pair")
    assert replayed(file, capfd, "--changed") == []
    last = tmp_path / "last.mcap"
    assert main(["export", "--state", str(tmp_path), "--ruling", "last", "-o", str(last)]) == 0
    assert any(one.get("valid") is True for one in replayed(last, capfd))
    assert int(valid.split("-")[1]) > int(ruling.split("-")[1])


def test_the_measured_table_and_the_familys_deck_go_with_it(
    tmp_path: Path, game: Path, capfd: Capture, make_measured: Callable[[Path], None]
) -> None:
    table = play(tmp_path, game)
    make_measured(tmp_path)
    file = tmp_path / "sent.mcap"
    file.write_bytes(table.keeping.disputed(ring_of(table, valid=True)))
    assert set(read_recording(file).attachments()) == {"disputed.json", TABLE}
    assert DECK_FILE not in read_recording(file).attachments()
    told = json.loads(read_recording(file).attachments()["disputed.json"])
    assert told["disputed"]["valid"] is True
    assert {"version", "settings", "system"} <= set(told)
    assert any(one.get("valid") is True for one in replayed(file, capfd))
    table.close()


@pytest.fixture
def make_measured() -> Callable[[Path], None]:
    from referee.service.defaults import keep_profile
    from simulation.still import table_picture
    from vision.deck import load_deck
    from vision.markers import find_markers, table_from_markers
    from vision.profile import TableProfile

    def make(folder: Path) -> None:
        image, _ = table_picture(load_deck("confetti"), 10, 4, (640, 360))
        keep_profile(folder, TableProfile(table_from_markers(find_markers(image), (640, 360))))

    return make


@pytest.mark.parametrize("ruling", ["1-1-7", "7-1-0", "none", "1-1", "999999999999999999-1-0"])
def test_what_is_no_ruling_is_one_line(tmp_path: Path, ruling: str, capfd: Capture) -> None:
    table = quiet_table(tmp_path)
    table.controller.start("piccolino", NAMES, {})
    table.close()
    assert main(["export", "--state", str(tmp_path), "--ruling", ruling, "-o", str(tmp_path / "x.mcap")]) == 2
    assert "there is no" in capfd.readouterr().err
    assert not (tmp_path / "x.mcap").exists()
