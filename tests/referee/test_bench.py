"""`ringmaster bench` counts cards by the truth that lies beside pictures, and wrong ones as wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import pytest

from referee.cli import main
from simulation.still import table_picture
from vision.deck import Deck


@pytest.fixture
def folder(tmp_path: Path, deck: Deck) -> Path:
    """A table of eight white cards, of which the truth calls the first by another one's name."""
    image, truth = table_picture(deck, 8, seed=4, size=(960, 540))
    cv2.imwrite(str(tmp_path / truth["image"]), image)
    truth["cards"][0]["id"] = "confetti-01" if truth["cards"][0]["id"] != "confetti-01" else "confetti-02"
    (tmp_path / "table.json").write_text(json.dumps(truth), encoding="utf-8")
    return tmp_path


def bench(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["bench", *arguments, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_card_that_is_read_as_another_one_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, last = bench(capsys, "accuracy", str(folder))
    assert [card["outcome"] for card in picture["not_right"]] == ["wrong"]
    assert last["summary"]["groups"] == {">=0.90": {"wrong": 1, "right": 7, "unclear": 0, "missed": 0}}


def test_cards_of_any_deck_are_right_where_their_corners_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = bench(capsys, "accuracy", str(folder), "--deck", "none")[-1]
    assert last["summary"]["groups"][">=0.90"]["right"] == 8
    truth = json.loads((folder / "table.json").read_text(encoding="utf-8"))
    for card in truth["cards"][1:]:
        card["corners_px"] = [[x + 300, y + 300] for x, y in card["corners_px"]]
    (folder / "table.json").write_text(json.dumps(truth), encoding="utf-8")
    last = bench(capsys, "accuracy", str(folder), "--deck", "none")[-1]
    assert (last["summary"]["groups"][">=0.90"]["right"], last["summary"]["false"]) == (1, 7)


def test_a_card_that_the_deck_does_not_have_is_wrong_once_it_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = json.loads((folder / "table.json").read_text(encoding="utf-8"))
    truth["cards"][0]["id"] = "joker"
    (folder / "table.json").write_text(json.dumps(truth), encoding="utf-8")
    last = bench(capsys, "accuracy", str(folder))[-1]
    assert last["summary"]["groups"]["not in the deck"]["wrong"] == 1


def test_speed_is_given_in_yardsticks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = next(folder.glob("*.[jp][pn]g"))
    read, yardstick = bench(capsys, "speed", str(picture), "--runs", "1")
    assert (read["unit"], yardstick["unit"]) == ("yardsticks", "ms")
    assert "8 read, 0 unclear" in read["note"]
    assert read["value"] > 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["accuracy", "nowhere"], "there is no folder nowhere"),
        (["accuracy", "."], "holds no pictures with truth files"),
        (["speed", "--runs", "0"], "--runs must be at least 1"),
        (["accuracy", ".", "--deck", "tarot"], "tarot"),
    ],
)
def test_bad_input_gets_one_line(
    arguments: list[str], said: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "tarot" not in arguments:
        (folder / "table.json").unlink()
    monkeypatch.chdir(folder)
    assert main(["bench", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_truth_that_is_broken_names_its_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "table.json").write_text('{"cards": [{"id": "confetti-01"}]}', encoding="utf-8")
    assert main(["bench", "accuracy", str(folder)]) == 2
    assert "table.json is broken" in capsys.readouterr().err
