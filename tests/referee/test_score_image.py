"""`ringmaster score confetti --image`: from a picture to every seat's score and the evidence for it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.survey import survey
from referee.cli import main
from referee.measured_table import profile_of
from referee.schemas import SCHEMAS
from tests.support.pasted_hand import with_hand
from vision.deck import Deck
from vision.image import load_picture
from vision.marked.reader import read_picture, table_in
from vision.markers import Marker
from vision.profile import profile_text
from vision.reading import Reading, UnclearCard
from vision.table import Table

DATA = Path(__file__).parents[1] / "data"
TABLE = DATA / "tables" / "confetti-three-seats.jpg"
MUG = DATA / "scenes" / "white-seats-mug.jpg"
HANDS = json.loads(MUG.with_suffix(".json").read_text(encoding="utf-8"))["seats"]  # the same on both tables

Capture = pytest.CaptureFixture[str]


def score(capfd: Capture, *arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    status = main(["score", "confetti", "--json", *arguments])
    out, err = capfd.readouterr()
    for line in out.splitlines():
        SCHEMAS["score-confetti-picture"].validate_json(line)
    return status, [json.loads(line) for line in out.splitlines()], err


def without_markers(folder: Path, numbers: list[int]) -> Path:
    """The table with some of its marker cards painted over."""
    picture = load_picture(TABLE).image.copy()
    for marker in table_in(picture)[1]:
        if marker.id in numbers:
            middle = marker.corners_px.mean(0)
            wide = (marker.corners_px - middle) * 1.4 + middle
            cv2.fillConvexPoly(picture, np.rint(wide).astype(np.int32), (40, 60, 90))
    path = folder / "table.png"
    cv2.imwrite(str(path), picture)
    return path


def test_every_seat_gets_its_cards_and_its_score(capfd: Capture) -> None:
    status, lines, err = score(capfd, "--image", str(TABLE), "--players", "3", "--limit", "6")
    assert (status, err) == (0, "")
    assert [line["seat"] for line in lines] == [0, 1, 2]
    assert [set(line["faces"]) for line in lines] == [set(hand) for hand in HANDS]
    assert [line["unclear"] for line in lines] == [0, 0, 0]
    keys = ("sets", "cards_needed", "unused", "over_limit", "points")
    assert [[line[key] for key in keys] for line in lines] == [[5, 6, 0, 0, 5], [3, 4, 1, 0, 2], [4, 5, 1, 0, 3]]
    for line in lines:
        assert len(line["arrangement"]) == line["sets"]
        used = {at for one in line["arrangement"] for at in one["cards"]}
        assert used <= set(range(len(line["faces"])))
        assert len(used) == line["cards_needed"]


@pytest.mark.usefixtures("no_hands_sought")
def test_the_limit_and_the_side_are_heeded(capfd: Capture) -> None:
    _, lines, _ = score(capfd, "--image", str(TABLE), "--players", "3", "--limit", "4")
    assert [(line["over_limit"], line["points"]) for line in lines] == [(2, 3), (1, 1), (2, 1)]
    assert [(line["side"], line["side_inferred"]) for line in lines] == [("white", True)] * 3
    _, lines, _ = score(capfd, "--image", str(TABLE), "--players", "3", "--side", "black")
    assert [(line["faces"], line["points"]) for line in lines] == [([], 0)] * 3
    assert [set(line["other_side"]) for line in lines] == [set(hand) for hand in HANDS]
    assert [(line["side"], line["side_inferred"]) for line in lines] == [("black", False)] * 3


@pytest.mark.usefixtures("no_hands_sought")
@pytest.mark.parametrize(("side", "said"), [([], True), (["--side", "white"], False)])
def test_people_are_told_where_the_side_was_inferred(capfd: Capture, side: list[str], said: bool) -> None:
    assert main(["score", "confetti", "--image", str(TABLE), "--players", "3", *side]) == 0
    out = capfd.readouterr().out
    assert "White side played" in out
    assert ("Nobody said which side is played" in out) is said


@pytest.mark.usefixtures("no_hands_sought")
def test_a_covered_card_makes_its_seat_uncertain_or_is_left_out_but_is_never_guessed(capfd: Capture) -> None:
    _, lines, _ = score(capfd, "--image", str(MUG), "--players", "3")
    assert [set(line["faces"]) <= set(hand) for line, hand in zip(lines, HANDS, strict=True)] == [True] * 3
    assert [len(line["faces"]) for line in lines] == [6, 4, 6]


@pytest.mark.usefixtures("no_hands_sought")
def test_one_player_owns_all_round_the_table(capfd: Capture) -> None:
    _, (line,), _ = score(capfd, "--image", str(TABLE), "--players", "1")
    assert set(line["faces"]) == {face for hand in HANDS for face in hand}


@pytest.mark.parametrize("covered", [[1], [0, 2]])
@pytest.mark.usefixtures("no_hands_sought")
def test_a_covered_marker_changes_nothing(tmp_path: Path, covered: list[int], capfd: Capture) -> None:
    status, lines, _ = score(capfd, "--image", str(without_markers(tmp_path, covered)), "--players", "3")
    assert status == 0
    assert [line["points"] for line in lines] == [5, 2, 3]


def test_too_few_markers_are_named(tmp_path: Path, capfd: Capture) -> None:
    status, lines, err = score(capfd, "--image", str(without_markers(tmp_path, [0, 1])), "--players", "3")
    assert (status, lines) == (2, [])
    assert "only marker cards 2 and 3 are in sight, 0 and 1 are missing" in err
    status, lines, err = score(capfd, "--image", str(without_markers(tmp_path, [0, 1, 2, 3])), "--players", "3")
    assert (status, lines) == (2, [])
    assert "no marker card is in sight" in err
    assert len(err.splitlines()) == 1


@pytest.mark.usefixtures("no_hands_sought")
def test_a_profile_may_say_where_the_seats_are(tmp_path: Path, capfd: Capture) -> None:
    kept = profile_of(survey([("table", load_picture(TABLE).image)]), 120.0)
    corners = kept.table.to_mm(np.array([[1430.0, 830], [190, 810], [240, 130], [1380, 150]]))
    profile = tmp_path / "profile.json"
    profile.write_text(profile_text(replace(kept, edge_mm=corners)), encoding="utf-8")
    # One of an earlier version, which cannot show that the camera stands: it is doubted.
    old = tmp_path / "old.json"
    old.write_text(profile_text(replace(kept, edge_mm=corners, markers_mm={}, texture=None)), encoding="utf-8")
    bare = without_markers(tmp_path, [0, 1, 2, 3])
    status, lines, _ = score(capfd, "--image", str(bare), "--players", "3", "--table", str(profile))
    assert status == 0
    assert [(line["points"], line["unclear"]) for line in lines] == [(5, 0), (2, 0), (3, 0)]
    status, lines, err = score(capfd, "--image", str(bare), "--players", "3", "--table", str(old))
    assert [(line["points"], line["unclear"]) for line in lines] == [(5, 1), (2, 1), (3, 1)]
    assert "of an earlier version and cannot show whether the camera was moved" in err


@pytest.mark.usefixtures("no_hands_sought")
def test_a_seat_that_is_not_in_the_picture_is_unclear_and_not_without_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    def reader(
        image: NDArray[np.uint8], deck: Deck, known: Table | None, markers: tuple[Marker, ...]
    ) -> tuple[Reading, Table | None]:
        return Reading((), ()), known

    monkeypatch.setattr("referee.scoring.seated_reading.read_picture", reader)
    monkeypatch.setattr("referee.scoring.unseen_cards.UnseenCards.doubt", lambda _, image, seated: seated)
    kept = profile_of(survey([("table", load_picture(TABLE).image)]), 180.0)
    # The left half of the table lies outside of the picture.
    corners = kept.table.to_mm(np.array([[1430.0, 830], [-900, 810], [-900, 130], [1380, 150]]))
    profile = tmp_path / "profile.json"
    profile.write_text(profile_text(replace(kept, edge_mm=corners)), encoding="utf-8")
    _, lines, _ = score(capfd, "--image", str(TABLE), "--players", "4", "--table", str(profile))
    assert [line["unclear"] for line in lines] == [1, 1, 1, 0]
    assert main(["score", "confetti", "--image", str(TABLE), "--players", "4", "--table", str(profile)]) == 0
    assert "this seat's place is not in the picture, turn the camera" in capfd.readouterr().out.splitlines()[1]


@pytest.mark.usefixtures("no_hands_sought")
def test_people_get_sentences_and_a_picture(tmp_path: Path, capfd: Capture) -> None:
    drawn = tmp_path / "evidence.jpg"
    assert main(["score", "confetti", "--image", str(TABLE), "--players", "3", "--picture", str(drawn)]) == 0
    out = capfd.readouterr().out.splitlines()
    assert out[:3] == [
        "Seat 1: five sets on six cards: five points",
        "Seat 2: three sets on four cards, one card unused: two points",
        "Seat 3: four sets on five cards, one card unused: three points",
    ]
    assert str(drawn) in out[-1]
    before, after = load_picture(TABLE).image, load_picture(drawn).image
    assert after.shape[0] > before.shape[0]  # the scores in words stand below
    assert (np.abs(after[: before.shape[0]].astype(int) - before).max(2) > 60).mean() > 0.01


@pytest.mark.usefixtures("no_hands_sought")
def test_a_seat_with_an_unclear_card_is_uncertain_and_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    def reader(
        image: NDArray[np.uint8], deck: Deck, known: Table | None, markers: tuple[Marker, ...]
    ) -> tuple[Reading, Table | None]:
        reading, table = read_picture(image, deck, known, markers)
        doubtful = next(card for card in reading.cards if card.face.id == "confetti-40")
        x, y = doubtful.corners_px.mean(0)
        unclear = UnclearCard(doubtful.corners_px, (x, y), doubtful.centre_mm, "covered", (doubtful.face, 0.6))
        return Reading(tuple(card for card in reading.cards if card is not doubtful), (unclear,)), table

    monkeypatch.setattr("referee.scoring.seated_reading.read_picture", reader)
    _, lines, _ = score(capfd, "--image", str(TABLE), "--players", "3")
    assert [line["unclear"] for line in lines] == [1, 0, 0]
    assert "confetti-40" not in lines[0]["faces"]
    drawn = tmp_path / "evidence.png"
    assert main(["score", "confetti", "--image", str(TABLE), "--players", "3", "--picture", str(drawn)]) == 0
    out = capfd.readouterr().out.splitlines()
    assert "not certain: one card cannot be read (covered), spread the cards at seat 1" in out[0]
    assert not any("not certain" in line for line in out[1:3])
    red = (load_picture(drawn).image.astype(int) @ [-1, -1, 2] > 300)[:900]
    assert red.sum() > (load_picture(TABLE).image.astype(int) @ [-1, -1, 2] > 300).sum() + 2000


def test_a_hand_that_lies_over_a_seats_cards_makes_it_uncertain(tmp_path: Path, capfd: Capture) -> None:
    # It hides a card of seat 1 so well that nothing of it is to be seen.
    picture = tmp_path / "table.png"
    cv2.imwrite(str(picture), with_hand(load_picture(TABLE).image, (650, 130), 0.9))
    _, lines, _ = score(capfd, "--image", str(picture), "--players", "3")
    assert [line["unclear"] for line in lines] == [0, 1, 0]
    assert set(lines[1]["faces"]) < set(HANDS[1])
    drawn = tmp_path / "evidence.png"
    assert main(["score", "confetti", "--image", str(picture), "--players", "3", "--picture", str(drawn)]) == 0
    out, err = capfd.readouterr()
    assert "not certain: a hand lies there and may hide cards, take it away" in out.splitlines()[1]
    assert err == ""


@pytest.mark.usefixtures("no_hands_sought")
def test_a_hand_too_large_to_score_costs_no_other_seat_its_answer(
    monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    def reader(
        image: NDArray[np.uint8], deck: Deck, known: Table | None, markers: tuple[Marker, ...]
    ) -> tuple[Reading, Table | None]:
        reading, table = read_picture(image, deck, known, markers)
        bottom = next(card for card in reading.cards if card.face.id == HANDS[0][0])
        more = tuple(replace(bottom, face=face) for face in deck.side("white") if face.id not in HANDS[1] + HANDS[2])
        return Reading(reading.cards + more[:40], ()), table

    monkeypatch.setattr("referee.scoring.seated_reading.read_picture", reader)
    status, lines, err = score(capfd, "--image", str(TABLE), "--players", "3")
    assert status == 2
    assert [(line["seat"], line["points"]) for line in lines] == [(1, 2), (2, 3)]
    assert "seat 0: 46 cards are too many" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--players", "0"], "--players must be from 1 to 7, not 0"),
        (["--players", "8"], "--players must be from 1 to 7, not 8"),
        ([], "say how many players"),
        (["--players", "3", "--limit", "-1"], "--limit must be at least 0"),
        (["--players", "3", "--deck", "canasta"], "there is no deck called 'canasta'"),
        (["--players", "3", "--picture", "out.gif"], "must end in .jpg or .png"),
        (["--players", "3", "--picture", "."], "must end in .jpg or .png"),
        (["--players", "3", "--table", "none.json"], "there is no table profile"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(arguments: list[str], complaint: str, capfd: Capture) -> None:
    status, lines, err = score(capfd, "--image", str(TABLE), *arguments)
    assert (status, lines, len(err.splitlines())) == (2, [], 1)
    assert complaint in err


def test_a_bad_picture_is_said_in_one_line_and_leaves_the_last_evidence(tmp_path: Path, capfd: Capture) -> None:
    drawn, torn = tmp_path / "evidence.jpg", tmp_path / "torn.jpg"
    drawn.write_bytes(b"from the last game")
    torn.write_bytes(TABLE.read_bytes()[:90_000])
    status, lines, err = score(capfd, "--image", str(torn), "--players", "3", "--picture", str(drawn))
    assert (status, lines, len(err.splitlines())) == (2, [], 1)
    assert "torn.jpg is damaged" in err
    assert drawn.read_bytes() == b"from the last game"
    assert main(["score", "piccolino", "--image", str(TABLE), "--players", "3"]) == 2
    assert "cannot be scored, only those of confetti, coloretto" in capfd.readouterr().err


@pytest.mark.usefixtures("no_hands_sought")
def test_a_reading_that_was_cut_short_makes_every_seat_uncertain(
    capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(
        image: NDArray[np.uint8], deck: Deck, table: Table | None, markers: tuple[Marker, ...]
    ) -> tuple[Reading, Table | None]:
        reading, table = read_picture(image, deck, table, markers)
        return replace(reading, cut_short=True), table

    monkeypatch.setattr("referee.scoring.seated_reading.read_picture", cut)
    status = main(["score", "confetti", "--image", str(TABLE), "--players", "3", "--limit", "6"])
    *seats, _ = capfd.readouterr().out.splitlines()
    assert status == 0
    assert all("not certain: the picture is too hard to read to the end" in line for line in seats)
    assert len(seats) == 3
