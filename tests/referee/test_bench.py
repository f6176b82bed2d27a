"""`ringmaster bench` counts cards by the truth that is beside pictures, and wrong ones as wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import pytest

from referee.commands import main
from simulation.still import table_picture
from vision.deck import Deck

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, deck: Deck) -> Path:
    """A table of eight white cards, of which the truth calls the first by another one's name."""
    image, truth = table_picture(deck, 8, seed=4, size=(960, 540))
    cv2.imwrite(str(tmp_path / truth["image"]), image)
    truth["cards"][0]["id"] = "confetti-01" if truth["cards"][0]["id"] != "confetti-01" else "confetti-02"
    (tmp_path / "table.json").write_text(json.dumps(truth), encoding="utf-8")
    return tmp_path


def bench(capsys: Capture, *arguments: str) -> list[dict[str, Any]]:
    assert main(["bench", *arguments, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_card_that_is_read_as_another_one_or_is_not_in_the_deck_is_wrong(folder: Path, capsys: Capture) -> None:
    truth = json.loads((folder / "table.json").read_text(encoding="utf-8"))
    truth["cards"][1]["id"] = "joker"
    (folder / "table.json").write_text(json.dumps(truth), encoding="utf-8")
    picture, last = bench(capsys, "accuracy", str(folder))
    assert [card["outcome"] for card in picture["not_right"]] == ["wrong", "wrong"]
    assert last["summary"]["groups"][">=0.90"] == {"wrong": 1, "right": 6, "unclear": 0, "missed": 0}
    assert last["summary"]["groups"]["not in the deck"]["wrong"] == 1


def test_speed_is_given_in_yardsticks(folder: Path, capsys: Capture) -> None:
    picture = next(folder.glob("*.[jp][pn]g"))
    read, yardstick = bench(capsys, "speed", str(picture), "--runs", "1")
    assert (read["unit"], yardstick["unit"]) == ("yardsticks", "ms")
    assert "8 read, 0 unclear" in read["note"]
    assert read["value"] > 1
