"""A disputed ruling as a file to send: what was seen round it and nothing else, judged again as it was ruled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.bell import BellLogic
from hardware.edges import Edge, judge_edges
from hardware.events import BellEdge
from hardware.recording import RecordedFrame, read_recording
from referee.commands import main
from referee.games.registry import watcher_for
from referee.match import pictures as film_module
from referee.match.system import disputed
from referee.match.table import TableArea
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


@pytest.fixture
def before_ns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    length_ns: int = getattr(request, "param", film_module.FILM_NS)
    monkeypatch.setattr(film_module, "FILM_NS", length_ns)
    return length_ns


@pytest.fixture
def table(tmp_path: Path, game: Path, before_ns: int) -> Iterator[QuietTable]:
    """A referee that has seen and heard a recorded game as it happened, with its pictures."""
    now_ns = 0
    table = quiet_table(tmp_path, watcher=lambda header: watcher_for(header, WatchSetup()), clock=lambda: now_ns)
    pictures, taken = table.referee.pictures, 0
    table.referee.begin("piccolino", NAMES, {})
    events = [one.payload for one in read_recording(game).events]
    edges = [Edge(one.t_ns, str(one.seat), one.pressed) for one in events if isinstance(one, BellEdge)]
    presses = judge_edges(BellLogic({f"{seat}": seat for seat in range(3)}), edges, 99 * S)
    rest: list[Any] = [*(one for one in events if isinstance(one, RecordedFrame)), *presses]
    for one in sorted(rest, key=lambda one: getattr(one, "exposure_end_ns", one.t_ns - 1) + 1):
        now_ns = one.t_ns
        if isinstance(one, RecordedFrame):
            frame = one.frame()
            table.devices.buffer.push(frame)
            table.referee.look(frame)
        else:
            pictures.bell.append(one)
            table.referee.hear(one)
        for wanted in pictures.waiting[taken:]:
            if wanted.until_ns < now_ns - 100_000_000:
                pictures.take(wanted)
                pictures.take_film(wanted)
                taken += 1
    yield table
    table.close()


def ring_of(table: QuietTable, valid: bool) -> dict[str, Any]:
    (found,) = [one for one in table.referee.state()["rulings"] if one["ruling"].get("valid") is valid]
    return dict(found)


def replayed(path: Path, capfd: Capture, *more: str) -> list[dict[str, Any]]:
    capfd.readouterr()
    assert main(["replay", str(path), "--json", *more]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return [json.loads(line) for line in out.splitlines()]


def exported(folder: Path, ruling: str) -> Path:
    file = folder / "exported.mcap"
    assert main(["export", "--state", str(folder), "--ruling", ruling, "-o", str(file)]) == 0
    return file


def beyond_the_table(payload: object) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    """Return the part of a picture that is well outside of its table, and the picture."""
    assert isinstance(payload, RecordedFrame)
    area, image = TableArea(), payload.frame().image
    area.survey(image)
    shown = area.shroud(np.full_like(image, 255))
    return np.asarray(cv2.dilate(shown[..., 0], np.ones((17, 17), np.uint8)) == 0), image


@pytest.mark.parametrize("before_ns", [film_module.FILM_NS, 3 * S // 2], indirect=True)
def test_a_disputed_ring_is_judged_again_from_its_own_file(
    tmp_path: Path, game: Path, table: QuietTable, capfd: Capture, before_ns: int
) -> None:
    ring = ring_of(table, valid=True)
    file = tmp_path / "sent.mcap"
    file.write_bytes(disputed(table.referee, ring["id"]))
    ruled = dict(ring["ruling"])
    (again,) = [one for one in replayed(file, capfd) if one.get("valid") is True]
    # Compressed, a picture may identify a card that a hand still holds two frames sooner or later.
    assert abs(again.pop("reaction_ms") - ruled.pop("reaction_ms")) < 250
    assert again == ruled
    assert replayed(file, capfd, "--changed") == []
    about = json.loads(read_recording(file).attachments()["disputed.json"])
    assert about["disputed"]["valid"] is True
    assert {"version", "settings", "system"} <= set(about)
    frames = [one.payload for one in read_recording(file).events if isinstance(one.payload, RecordedFrame)]
    ring_ns = ruled["t_ns"]
    assert all(-before_ns <= frame.t_ns - ring_ns <= 3 * S for frame in frames)
    assert sum(frame.t_ns < ring_ns for frame in frames) >= 4
    # Nothing beyond the table, nobody's name.
    outside, before = beyond_the_table(next(read_recording(game).events).payload)
    assert outside.mean() > 0.01 and before[outside].mean() > 30
    assert np.percentile(frames[0].frame().image[outside], 99) < 8
    assert not any(name.encode() in file.read_bytes() for name in NAMES)
    # The one that was sent is kept, for who sits at the machine; its pictures are kept for long.
    assert exported(tmp_path, ring["id"]).read_bytes() == file.read_bytes()
    assert "the table is seen" in capfd.readouterr().out


def test_a_ring_seen_long_ago_is_judged_from_its_readings(tmp_path: Path, table: QuietTable, capfd: Capture) -> None:
    ruling = ring_of(table, valid=False)["id"]
    table.close()
    file = exported(tmp_path, ruling)
    assert "no pictures" in capfd.readouterr().out
    (ring,) = [one for one in replayed(file, capfd) if one["ruling"] == "ring"]
    assert (ring["valid"], ring["reason"]) == (False, "no_pair")
    assert replayed(file, capfd, "--changed") == []
    assert any(one.get("valid") is True for one in replayed(exported(tmp_path, "last"), capfd))


@pytest.mark.parametrize("ruling", ["1-1-7", "7-1-0", "none", "1-1", "999999999999999999-1-0"])
def test_what_is_no_ruling_is_one_line(tmp_path: Path, ruling: str, capfd: Capture) -> None:
    table = quiet_table(tmp_path)
    table.referee.begin("piccolino", NAMES, {})
    table.close()
    assert main(["export", "--state", str(tmp_path), "--ruling", ruling, "-o", str(tmp_path / "x.mcap")]) == 2
    assert "there is no" in capfd.readouterr().err
    assert not (tmp_path / "x.mcap").exists()
