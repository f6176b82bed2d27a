"""`bench hands` counts the hands that a family would find right, unclear, or wrong without a word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import pytest

from referee.cli import main
from referee.decks.finding import find_print_deck
from referee.demo.seating import AREA_MM, ring_of, spot
from simulation.live import LiveTable, Shots
from simulation.script import Script, ScriptCard
from simulation.still import table_picture
from simulation.view import Look
from vision.deck import load_deck
from vision.prints.reader import PrintReader

SIZE = (1280, 720)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    image, truth = table_picture(load_deck("confetti"), 10, seed=12, size=SIZE)
    cv2.imwrite(str(tmp_path / truth["image"]), image)
    write_truth(tmp_path, truth)
    return tmp_path


def write_truth(folder: Path, truth: dict[str, Any]) -> None:
    (folder / "truth-of-it.json").write_text(json.dumps(truth), encoding="utf-8")


def hands_in(folder: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    assert main(["bench", "hands", str(folder), "--players", "2", "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_hands_that_are_read_as_they_lie_are_right(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    *hands, total = hands_in(folder, capsys)
    assert [hand["seat"] for hand in hands] == [0, 1]
    assert {hand["outcome"] for hand in hands} == {"right"}
    assert total["summary"]["all cards in plain sight"] == {"right": 2, "doubted": 0, "unclear": 0, "wrong": 0}


def test_a_hand_that_differs_from_the_truth_without_a_word_is_wrong(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = json.loads((folder / "truth-of-it.json").read_text(encoding="utf-8"))
    for card in truth["cards"]:
        card["id"] = f"confetti-{(int(card['id'][-2:]) % 84) + 1:02d}"
    write_truth(folder, truth)
    *hands, total = hands_in(folder, capsys)
    assert {hand["outcome"] for hand in hands} == {"wrong"}
    assert all(hand["missed"] and hand["extra"] for hand in hands)
    assert total["summary"]["all cards in plain sight"]["wrong"] == 2


def test_a_table_that_cannot_be_scored_is_named_and_the_rest_is_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image, truth = table_picture(load_deck("confetti"), 4, seed=3, size=SIZE, markers=())
    truth["image"] = "no-markers.jpg"
    cv2.imwrite(str(folder / "no-markers.jpg"), image)
    (folder / "no-markers.json").write_text(json.dumps(truth), encoding="utf-8")
    assert main(["bench", "hands", str(folder), "--players", "2"]) == 0
    out, err = capsys.readouterr()
    assert "no-markers.jpg: not scored" in err
    assert "plain sight" in out


def test_people_are_told_what_cannot_be(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "hands", str(folder), "--players", "8"]) == 2
    assert main(["bench", "hands", str(folder / "nowhere")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_coloretto_s_cards_and_areas_are_counted_by_the_same_benches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = find_print_deck("coloretto")
    ring = ring_of(2)
    lies = [("red", spot(ring, 0, 0.0, 0, "front")), ("blue", spot(ring, 1, 0.0, 0, "front"))]
    script = Script(AREA_MM, tuple(ScriptCard(face, face, at) for face, at in lies), (), (), 1.0)
    image = LiveTable(script, deck, 3, Shots(size=SIZE, look=Look(table="cloth"))).frame(0).bgr()
    cv2.imwrite(str(tmp_path / "a.png"), image)
    cards = [
        {"id": card.face.id, "side": "front", "corners_px": card.corners_px.tolist(), "visible_fraction": 1.0}
        for card in PrintReader(deck).read(image).cards
        if card.face is not None
    ]
    assert sorted(card["id"] for card in cards) == ["blue", "red"]
    cards[0]["id"] = "green"
    write_truth(tmp_path, {"image": "a.png", "cards": cards})
    assert main(["bench", "accuracy", str(tmp_path), "--deck", "coloretto", "--json"]) == 0
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["exact"] for row in said[-1]["summary"]["rows"] if row["scene"] == "all"] == [1]
    assert [row["wrong"] for row in said[-1]["summary"]["rows"] if row["scene"] == "all"] == [1]
    assert main(["bench", "hands", str(tmp_path), "--players", "2", "--deck", "coloretto", "--json"]) == 0
    *hands, _ = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert sorted(hand["outcome"] for hand in hands) == ["right", "wrong"]


def test_a_deck_of_which_nobody_holds_a_hand_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "hands", str(tmp_path), "--deck", "piccolino"]) == 2
    assert "nobody has a hand of piccolino" in capsys.readouterr().err
