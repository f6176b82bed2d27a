"""`ringmaster replay`: recorded games and recordings with pictures are judged again, always the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera.frames import Frame
from hardware.events import BellEdge, SandEdge, SandLine
from hardware.recording import RecordingWriter
from referee.announcer import Announcer
from referee.commands import main
from referee.games.recorded_game import Fault, judge_log, open_log
from referee.games.registry import game_kind
from referee.jsonlines import to_line
from referee.language import LANGUAGES, Language
from vision.image import load_picture

Image = NDArray[np.uint8]
Capture = pytest.CaptureFixture[str]

TABLE = Path(__file__).parents[2] / "data" / "tables" / "confetti-three-seats.jpg"
MS = 1_000_000
HEADER = {"game": "confetti", "players": ["Ann", "Ben", "Cem"], "options": {}}
GAMES = sorted(
    path for path in (Path(__file__).parents[2] / "games").glob("*.jsonl") if ".expected" not in path.suffixes
)
FLIPPED, LAST_GRAIN, END = 2_000, 8_000, 12_400


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_recorded_game_is_judged_as_expected(path: Path) -> None:
    assert len(GAMES) >= 5
    with open_log(path) as (header, entries):
        results = list(judge_log(game_kind(header.game).start(header), entries))
    rulings = [result for result in results if not isinstance(result, Fault)]
    assert len(rulings) == len(results)
    expected = path.with_suffix(".expected.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(to_line(ruling.as_json())) for ruling in rulings] == [json.loads(line) for line in expected]
    for code in LANGUAGES:
        announcer = Announcer(header.game, header.players, Language(code))
        said = [(ruling.as_json()["ruling"], announcer.say(ruling.as_json())) for ruling in rulings]
        # What changes nothing may need no words.
        assert all(sentence or kind == "ignored" for kind, sentence in said)
        assert not any(set(sentence) & set("\n{}") for _, sentence in said)


@pytest.fixture(scope="module")
def table() -> Image:
    picture = load_picture(TABLE).image
    return np.asarray(cv2.resize(picture, (1120, 630), interpolation=cv2.INTER_AREA), np.uint8)


def record(
    path: Path, header: Mapping[str, object] | None, picture_at: Callable[[int], Image], step_ms: int = 400
) -> Path:
    """A round from the first grain to the last, with frames every `step_ms`."""
    grains = [SandEdge(t * MS, SandLine.BARRIER, (t // 40) % 2) for t in range(FLIPPED, LAST_GRAIN + 1, 40)]
    with RecordingWriter(path, header, 1) as writer:
        for t in range(1_000, END, step_ms):
            while grains and grains[0].t_ns <= t * MS:
                writer.edge(grains.pop(0))
            writer.frame(Frame(t * MS, (t + 8) * MS, picture_at(t), t // step_ms))
    return path


def replay(path: Path, capfd: Capture) -> tuple[int, list[dict[str, Any]], str]:
    status = main(["replay", str(path), "--json"])
    out, err = capfd.readouterr()
    return status, [json.loads(line) for line in out.splitlines()], err


@pytest.mark.usefixtures("no_hands_sought")
def test_a_recorded_round_is_judged_and_always_the_same(table: Image, tmp_path: Path, capfd: Capture) -> None:
    path = record(tmp_path / "round.mcap", HEADER, lambda t: table)
    status, rulings, err = replay(path, capfd)
    assert (status, err) == (0, "")
    assert [ruling["ruling"] for ruling in rulings] == ["round", "time", "hand", "hand", "hand"]
    assert [ruling["points"] for ruling in rulings[2:]] == [5, 2, 3]
    assert rulings[1]["t_ns"] == LAST_GRAIN * MS
    assert all(ruling["t_ns"] > LAST_GRAIN * MS for ruling in rulings[2:])
    assert replay(path, capfd) == (status, rulings, err)


@pytest.mark.usefixtures("no_hands_sought")
def test_a_recording_stopped_at_once_is_counted_from_what_it_shows(
    table: Image, tmp_path: Path, capfd: Capture
) -> None:
    nobody = np.full_like(table, 90)
    path = record(tmp_path / "round.mcap", HEADER, lambda t: table if t > LAST_GRAIN + 2_000 else nobody, 1_500)
    _, rulings, _ = replay(path, capfd)
    assert [ruling["points"] for ruling in rulings if ruling["ruling"] == "hand"] == [5, 2, 3]


def test_a_picture_that_has_lost_pixels_or_bursts_the_memory_is_left_out_in_one_line(
    tmp_path: Path, capfd: Capture
) -> None:
    jpeg = cv2.imencode(".jpg", np.full((90, 160, 3), 90, np.uint8) + np.arange(160, dtype=np.uint8)[None, :, None])[1]
    claims = bytearray(jpeg.tobytes())
    claims[claims.index(b"\xff\xc0") + 5 : claims.index(b"\xff\xc0") + 9] = bytes((0x1F, 0x40, 0x1F, 0x40))
    for number, (data, complaint) in enumerate(
        (
            (bytes(claims), r"too large \(8000 × 8000 pixels\)"),
            (jpeg.tobytes()[:-60] + b"\xff\xd9", "is torn or damaged"),
        )
    ):
        path = tmp_path / f"{number}.mcap"
        with RecordingWriter(path, HEADER, 1) as writer:
            writer.frame(Frame(5 * MS, 6 * MS, np.zeros((9, 9, 3), np.uint8), 1), data)
        status, rulings, err = replay(path, capfd)
        assert (status, rulings, err.count("\n")) == (2, [], 1)
        assert re.search(complaint, err)


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        (None, "does not say which game it is"),
        ({**HEADER, "game": "canasta"}, "there is no game 'canasta'"),
        ("text", "is not a recording"),
        ("", "There is no recording"),
    ],
)
def test_what_cannot_be_judged_is_said_in_one_line(
    header: Mapping[str, object] | str | None, complaint: str, tmp_path: Path, capfd: Capture
) -> None:
    path = tmp_path / "game.mcap"
    if not isinstance(header, str):
        record(path, header, lambda t: np.zeros((64, 64, 3), np.uint8), 5_000)
    elif header:
        path.write_text(header)
    status, rulings, err = replay(path, capfd)
    assert (status, rulings, len(err.splitlines())) == (2, [], 1)
    assert complaint in err


@pytest.mark.usefixtures("no_hands_sought")
def test_a_torn_recording_is_judged_as_far_as_it_goes(table: Image, tmp_path: Path, capfd: Capture) -> None:
    whole = record(tmp_path / "round.mcap", HEADER, lambda t: table)
    torn = tmp_path / "torn.mcap"
    torn.write_bytes(whole.read_bytes()[: whole.stat().st_size * 2 // 3])
    status, rulings, err = replay(torn, capfd)
    assert status == 2
    assert "breaks off in the middle" in err
    assert [ruling["ruling"] for ruling in rulings] == ["round"]


@pytest.mark.parametrize(("found", "rings"), [(True, 0), (False, 1)])
def test_a_button_that_was_held_when_the_recording_began_did_not_ring(
    found: bool, rings: int, tmp_path: Path, capfd: Capture
) -> None:
    path = tmp_path / "held.mcap"
    with RecordingWriter(path, {"game": "piccolino", "players": ["Ann", "Ben"], "options": {}}, 1) as writer:
        writer.edge(BellEdge(1 * MS, 0, True, found=found))
        writer.edge(BellEdge(600 * MS, 0, False))
        for t in (500, 900, 1_400):
            writer.frame(Frame(t * MS, t * MS, np.zeros((64, 64, 3), np.uint8), t))
    _, ruled, _ = replay(path, capfd)
    assert sum(ruling.get("ruling") in ("ring", "unclear") for ruling in ruled) == rings
