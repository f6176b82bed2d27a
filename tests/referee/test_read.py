"""`ringmaster read` as a person or another program runs it."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.survey import survey
from referee.cli import main
from referee.measured_table import profile_of
from vision.deck import load_deck
from vision.image import load_picture
from vision.profile import profile_text

SCENES = Path(__file__).parents[1] / "data" / "scenes"
EASY = SCENES / "white-easy.jpg"

Capture = pytest.CaptureFixture[str]


def truth_of(picture: Path) -> dict[str, Any]:
    truth: dict[str, Any] = json.loads(picture.with_suffix(".json").read_text(encoding="utf-8"))
    return truth


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_an_easy_table_is_read_with_the_keys_of_the_contract(capfd: Capture) -> None:
    assert main(["read", str(EASY), "--deck", "confetti", "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    (line,) = lines_of(out)
    assert set(line) == {"image", "deck", "ms", "cards", "unclear"}
    assert (line["image"], line["deck"]) == (str(EASY), "confetti")
    assert line["ms"] > 0
    true = {card["id"]: card for card in truth_of(EASY)["cards"]}
    faces = load_deck("confetti").by_id
    assert {card["face"] for card in line["cards"]} == set(true)
    for card in line["cards"]:
        assert set(card) == {"face", "side", "confidence", "marks", "corners_px", "centre_mm", "seat"}
        assert (card["side"], card["seat"]) == ("white", None)
        assert 0.9 < card["confidence"] <= 1
        np.testing.assert_allclose(card["corners_px"], true[card["face"]]["corners_px"], atol=3)
        printed = faces["white", card["face"]].marks
        assert [mark["size"] for mark in card["marks"]] == ["small", "medium", "big"]
        assert [(mark["colour"], mark["shape"]) for mark in card["marks"]] == [(m.colour, m.shape) for m in printed]
        assert len(card["centre_mm"]) == 2


def test_a_bad_picture_costs_no_other_one_its_answer(tmp_path: Path, capfd: Capture) -> None:
    text, torn, black, bomb = (tmp_path / name for name in ("text.jpg", "torn.jpg", "black.png", "bomb.png"))
    text.write_text("not a picture\n" * 50)
    torn.write_bytes(EASY.read_bytes()[:50_000])
    cv2.imwrite(str(black), np.zeros((720, 1280, 3), np.uint8))
    # Only its head says 20 000 × 20 000: whoever decodes it finds nothing, whoever reads the head refuses it.
    head = b"IHDR" + struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    bomb.write_bytes(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head)))
    bad = [text, torn, bomb, tmp_path, tmp_path / "none.jpg"]
    pictures = [text, EASY, torn, bomb, tmp_path, tmp_path / "none.jpg", black]
    assert main(["read", *map(str, pictures), "--deck", "confetti", "--json"]) == 2
    out, err = capfd.readouterr()
    assert [line["image"] for line in lines_of(out)] == [str(EASY), str(black)]
    assert lines_of(out)[1]["cards"] == lines_of(out)[1]["unclear"] == []
    complaints = err.splitlines()
    assert len(complaints) == len(bad)
    assert "20000 × 20000 pixels" in complaints[2]
    for complaint, path in zip(complaints, bad, strict=True):
        assert complaint.startswith("ringmaster read: ")
        assert str(path) in complaint


def test_the_picture_itself_is_never_written_over(tmp_path: Path, capfd: Capture) -> None:
    picture, link = tmp_path / "table.jpg", tmp_path / "link.jpg"
    picture.write_bytes(EASY.read_bytes())
    link.symlink_to(picture)
    for output in map(str, (picture, link)):
        for arguments in (
            ["read", str(picture), "--deck", "confetti", "--picture", output],
            ["score", "confetti", "--image", str(picture), "--players", "3", "--picture", output],
            ["calibrate", "table", str(picture), "-o", output],
        ):
            assert main(arguments) == 2
            assert "would be lost" in capfd.readouterr().err
    assert picture.read_bytes() == EASY.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--deck", "canasta"], "there is no deck called 'canasta'"),
        (["--deck", "confetti", "--table", "none.json"], "there is no table profile none.json"),
        (["--deck", "confetti", "--picture", "out.txt"], "must end in .jpg or .png"),
        (["--deck", "confetti", "--picture", "nowhere/out.jpg"], "there is no folder nowhere"),
        (["b.jpg", "--deck", "confetti", "--picture", "out.jpg"], "one picture at a time"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(arguments: list[str], complaint: str, capfd: Capture) -> None:
    assert main(["read", str(EASY), *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert complaint in err
    assert len(err.splitlines()) == 1


def test_people_get_a_line_a_card_and_a_drawn_picture(tmp_path: Path, capfd: Capture) -> None:
    drawn = tmp_path / "drawn.png"
    assert main(["read", str(EASY), "--deck", "confetti", "--picture", str(drawn)]) == 0
    out = capfd.readouterr().out
    assert f"{EASY}: 5 cards" in out
    for card in truth_of(EASY)["cards"]:
        assert f"{card['id']}, white side: small " in out
    before, after = load_picture(EASY).image, load_picture(drawn).image
    changed = np.abs(before.astype(int) - after).max(2) > 60
    for card in truth_of(EASY)["cards"]:
        x, y = np.rint(card["corners_px"][0]).astype(int)
        assert changed[y - 6 : y + 7, x - 6 : x + 7].any()


def test_a_profile_stands_in_for_covered_markers(tmp_path: Path, capfd: Capture) -> None:
    picture = load_picture(EASY).image.copy()
    found = survey([("easy", picture)])
    profile = tmp_path / "table.json"
    profile.write_text(profile_text(profile_of(found, 180.0)), encoding="utf-8")
    for marker in found.markers:
        cv2.fillConvexPoly(picture, np.rint(marker.corners_px).astype(np.int32), (90, 110, 120))
    for name, size in (("full.png", (1920, 1080)), ("half.png", (960, 540))):
        cv2.imwrite(str(tmp_path / name), cv2.resize(picture, size, interpolation=cv2.INTER_AREA))
    cut = tmp_path / "cut.png"
    cv2.imwrite(str(cut), picture[:, :1400])
    pictures = [str(tmp_path / "full.png"), str(cut), str(tmp_path / "half.png")]
    assert main(["read", *pictures, "--deck", "confetti", "--table", str(profile), "--json"]) == 2
    out, err = capfd.readouterr()
    assert [len(line["cards"]) for line in lines_of(out)] == [5, 5]
    assert "1920 × 1080" in err
