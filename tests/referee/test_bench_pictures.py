"""`bench accuracy --deck piccolino`: what it counts as right, wrong, unclear, missed, bleached and false."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.bench.picture_tally import summary
from referee.bench.pictures import judge_reading
from referee.bench.truth import TruePicture, parse_scene
from referee.cli import main
from tests.support.flat_piles import pile_scene
from vision.pictured.picture_deck import PictureFace, load_picture_deck
from vision.pictured.picture_reader import PictureCard, PictureReading

DECK = load_picture_deck("piccolino")
KINDS = ("exact", "wrong", "unclear")
PLACES = [np.array([[x, 100], [x + 63, 100], [x + 63, 188], [x, 188]], np.float64) for x in range(50, 500, 100)]


def read(place: int, face: str | None, reason: str | None = None) -> PictureCard:
    shown: PictureFace | None = DECK.by_id[face] if face else None
    return PictureCard(shown, 0.99, PLACES[place], None, reason)


def truth(*cards: tuple[str, str, float], **scene: object) -> TruePicture:
    entries = [
        {"id": name, "side": side, "corners_px": PLACES[place].tolist(), "visible_fraction": visible, "marks": []}
        for place, (name, side, visible) in enumerate(cards)
    ]
    return parse_scene({"image": "a.jpg", "cards": entries, **scene})


def counted(picture: TruePicture, *found: PictureCard, grey: int = 90) -> dict[str, Any]:
    image = np.full((300, 600, 3), grey, np.uint8)
    certain = tuple(card for card in found if card.reason is None)
    reading = PictureReading(certain, tuple(card for card in found if card.reason is not None))
    return summary([judge_reading(picture, image, reading, DECK)], DECK)


def test_outcomes_are_told_apart() -> None:
    picture = truth(
        ("red-happy.3", "front", 1.0),
        ("red-happy.4", "front", 1.0),
        ("red-sad.0", "back", 0.7),
        ("pink-sad.0", "front", 1),
    )
    total = counted(picture, read(0, "red-happy"), read(1, "red-sad"), read(2, None, "covered"), read(4, "blue-sad"))
    assert total["cards"][">=0.90"] == {"exact": 1, "wrong": 1, "unclear": 0, "missed": 1}
    assert total["cards"]["0.50-0.90"] == {"exact": 0, "wrong": 0, "unclear": 1, "missed": 0}
    assert total["false"] == 1


def test_a_back_read_as_a_face_is_wrong() -> None:
    assert counted(truth(("red-sad.0", "back", 1.0)), read(0, "red-sad"))["cards"][">=0.90"]["wrong"] == 1
    assert counted(truth(("red-sad.0", "back", 1.0)), read(0, None))["cards"][">=0.90"]["exact"] == 1


def test_attributes_count_each_for_itself() -> None:
    picture = truth(("red-happy.3", "front", 1.0), ("blue-sad.4", "front", 1.0), ("red-sad.0", "back", 1.0))
    total = counted(picture, read(0, "red-sad"), read(1, "blue-sad", "covered"), read(2, None))["attributes"]
    right, wrong, unclear = ({"exact": 0, "wrong": 0, "unclear": 0, "missed": 0, kind: 1} for kind in KINDS)
    assert total["colour"] == {"red": right, "blue": unclear}
    assert total["mood"] == {"happy": wrong, "sad": unclear}
    assert total["side"] == {"front": {**right, "unclear": 1}, "back": right}
    assert total["face"] == {"red-happy": wrong, "blue-sad": unclear, "back": right}


def test_circumstances_are_told_apart() -> None:
    scene = {"scenario": "piles", "light": {"kind": "warm"}, "hands": [{"mode": "flat"}]}
    found = counted(truth(("red-happy.3", "front", 1.0), ("red-sad.1", "front", 0.6), **scene), read(0, "red-happy"))
    once = {"exact": 1, "wrong": 0, "unclear": 0, "missed": 0}
    assert found["circumstances"] == {"scene": {"piles": once}, "lamp": {"warm": once}, "hands": {"yes": once}}


def test_cards_beneath_count_only_when_read() -> None:
    assert all(not any(row.values()) for row in counted(truth(("red-sad.0", "front", 0.1)))["cards"].values())
    assert counted(truth(("red-sad.0", "front", 0.1)), read(0, "red-happy"))["cards"]["<0.50"]["wrong"] == 1


def test_bleached_cards_are_counted_apart() -> None:
    assert counted(truth(("red-sad.0", "front", 1.0)), grey=255)["cards"]["bleached"]["missed"] == 1


@pytest.mark.parametrize(
    ("face", "wiped_mm", "group"),
    [
        # White print clips in any well exposed picture.
        ("red-happy", (0, 0, 0, 0), ">=0.90"),
        ("red-sad", (0, 0, 0, 0), ">=0.90"),
        # What both moods have, as the suit, tells none of them.
        ("red-happy", (0, 60, 63, 88), ">=0.90"),
        ("red-sad", (0, 60, 63, 88), ">=0.90"),
        # Hat and face tell a clown's mood.
        ("red-happy", (0, 0, 63, 60), "bleached"),
        ("red-sad", (20, 25, 43, 60), "bleached"),
        ("red-sad", (0, 0, 63, 60), "bleached"),
        # Backs have no mood: half of their print must be gone.
        ("back", (0, 0, 63, 40), ">=0.90"),
        ("back", (0, 0, 63, 52), "bleached"),
    ],
)
def test_a_card_is_bleached_where_what_tells_it_is_white(
    face: str, wiped_mm: tuple[int, int, int, int], group: str
) -> None:
    art = cv2.resize(DECK.picture(face), (63, 88), interpolation=cv2.INTER_AREA)
    left, top, right, bottom = wiped_mm
    art[top:bottom, left:right] = 255
    image = np.full((300, 600, 3), 90, np.uint8)
    image[100:188, 50:113] = art
    picture = truth(("red-sad.0", "back", 1.0) if face == "back" else (f"{face}.0", "front", 1.0))
    picture = replace(picture, cards=(replace(picture.cards[0], corners_px=PLACES[0] - 0.5),))
    ((found, outcome, _, _),) = judge_reading(picture, image, PictureReading((), ()), DECK).cards
    assert (found, outcome) == (group, "missed")


def test_the_command_measures_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image, _, tops = pile_scene(33, 0.2)
    cv2.imwrite(str(tmp_path / "a.jpg"), image)
    cards = [
        {
            "id": f"{top.face or 'red-sad'}.{number}",
            "side": "front" if top.face else "back",
            "corners_px": top.corners_px.tolist(),
            "visible_fraction": 1.0,
        }
        for number, top in enumerate(tops)
    ]
    # A card that nobody drew: it is missed, and drawn among the failures.
    cards.append({**cards[0], "corners_px": (PLACES[0] + 400).tolist()})
    (tmp_path / "a.json").write_text(json.dumps({"image": "a.jpg", "cards": cards}), encoding="utf-8")
    failures = tmp_path / "failures"
    assert main(["bench", "accuracy", str(tmp_path), "--deck", "piccolino", "--failures", str(failures)]) == 0
    said = capsys.readouterr().out
    assert [line.split() for line in said.splitlines() if line.startswith(">=0.90")] == [
        [">=0.90", str(len(tops)), "0", "0", "1"]
    ]
    assert [line.split() for line in said.splitlines() if line.startswith("back")] == [
        ["back", str(sum(top.face is None for top in tops)), "0", "0", "1"]
    ] * 2
    assert [path.name.split("-")[2] for path in failures.iterdir()] == ["missed"]
    assert main(["bench", "accuracy", str(tmp_path), "--deck", "piccolino", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["exact"] == len(tops)
    assert lines[1]["summary"]["cards"][">=0.90"]["missed"] == 1
