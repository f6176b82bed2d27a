"""`score confetti --image`: every seat's score and the evidence; `calibrate table`: without marker cards later."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.survey import survey
from referee.commands import main
from referee.schemas import SCHEMAS
from referee.setup.measured_table import profile_of
from tests.support.flat_piles import pile_scene
from tests.support.pasted_hand import with_hand
from vision.deck import Deck, load_deck
from vision.image import load_image, load_picture
from vision.markers import Marker, find_markers
from vision.profile import TableProfile, profile_text
from vision.reading import Reading, reader_of
from vision.table import Table

DATA = Path(__file__).parents[1] / "data"
TABLE = DATA / "tables" / "confetti-three-seats.jpg"

TRUTH = (DATA / "scenes" / "white-seats-mug.json").read_text(encoding="utf-8")
HANDS = json.loads(TRUTH)["seats"]  # the same on both tables

Capture = pytest.CaptureFixture[str]
Image = NDArray[np.uint8]
Markers = tuple[Marker, ...]


Change = Callable[[Reading, Deck], Reading]
Misread = Callable[[Change], None]


@pytest.fixture
def misread(monkeypatch: pytest.MonkeyPatch) -> Misread:
    """Let the command read the picture as a change to its reading says."""

    def reads(change: Change) -> None:
        class Changed:
            def __init__(self, deck: Deck) -> None:
                self.deck = deck

            def read(self, image: Image, table: Table | None = None, markers: Markers | None = None) -> Reading:
                return change(reader_of(self.deck).read(image, table, markers), self.deck)

        monkeypatch.setattr("referee.scoring.seated_reading.reader_of", Changed)

    return reads


def score(capfd: Capture, *arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    status = main(["score", "confetti", "--json", *arguments])
    out, err = capfd.readouterr()
    for line in out.splitlines():
        SCHEMAS["score-confetti-picture"].validate_json(line)
    return status, [json.loads(line) for line in out.splitlines()], err


def without(image: Image, *ids: int) -> Image:
    bare = image.copy()
    for marker in find_markers(image):
        if marker.id in ids:
            grown = marker.corners_px.mean(0) + 1.4 * (marker.corners_px - marker.corners_px.mean(0))
            cv2.fillConvexPoly(bare, np.rint(grown).astype(np.int32), (90, 110, 120))
    return bare


def kept(folder: Path, name: str, image: Image) -> str:
    cv2.imwrite(str(folder / name), image)
    return str(folder / name)


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
    for side, inferred in (([], True), (["--side", "white"], False)):
        assert main(["score", "confetti", "--image", str(TABLE), "--players", "1", *side]) == 0
        out = capfd.readouterr().out
        assert "White side played" in out
        assert ("Nobody said which side is played" in out) is inferred
    # One player owns all round the table.
    _, (line,), _ = score(capfd, "--image", str(TABLE), "--players", "1")
    assert set(line["faces"]) == {face for hand in HANDS for face in hand}


@pytest.mark.parametrize(
    ("gone", "complaint"),
    [
        ((0, 1), "only marker cards 2 and 3 are in sight, 0 and 1 are missing"),
        ((0, 1, 2, 3), "no marker card is in sight"),
    ],
)
def test_too_few_markers_are_named(tmp_path: Path, gone: tuple[int, ...], complaint: str, capfd: Capture) -> None:
    picture = kept(tmp_path, "few.png", without(load_image(TABLE), *gone))
    status, lines, err = score(capfd, "--image", picture, "--players", "3")
    assert (status, lines, len(err.splitlines())) == (2, [], 1)
    assert complaint in err


@pytest.mark.usefixtures("no_hands_sought")
def test_a_profile_may_say_where_the_seats_are(tmp_path: Path, capfd: Capture) -> None:
    surveyed = profile_of(survey([("table", load_picture(TABLE).image)]), 120.0)
    corners = surveyed.table.to_mm(np.array([[1430.0, 830], [190, 810], [240, 130], [1380, 150]]))
    profile = tmp_path / "profile.json"
    profile.write_text(profile_text(replace(surveyed, edge_mm=corners)), encoding="utf-8")
    # One of an earlier version, which cannot show that the camera stands: it is doubted.
    old = tmp_path / "old.json"
    old.write_text(profile_text(replace(surveyed, edge_mm=corners, markers_mm={}, texture=None)), encoding="utf-8")
    bare = kept(tmp_path, "bare.png", without(load_image(TABLE), 0, 1, 2, 3))
    status, lines, _ = score(capfd, "--image", bare, "--players", "3", "--table", str(profile))
    assert status == 0
    assert [(line["points"], line["unclear"]) for line in lines] == [(5, 0), (2, 0), (3, 0)]
    status, lines, err = score(capfd, "--image", bare, "--players", "3", "--table", str(old))
    assert [(line["points"], line["unclear"]) for line in lines] == [(5, 1), (2, 1), (3, 1)]
    assert "of an earlier version and cannot show whether the camera was moved" in err


@pytest.mark.usefixtures("no_hands_sought")
def test_a_seat_that_is_not_in_the_picture_is_unclear_and_not_without_cards(
    tmp_path: Path, misread: Misread, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    misread(lambda reading, deck: Reading((), ()))
    monkeypatch.setattr("referee.scoring.unseen_cards.UnseenCards.doubt", lambda _, image, seated: seated)
    surveyed = profile_of(survey([("table", load_picture(TABLE).image)]), 180.0)
    # The left half of the table is outside of the picture.
    corners = surveyed.table.to_mm(np.array([[1430.0, 830], [-900, 810], [-900, 130], [1380, 150]]))
    profile = tmp_path / "profile.json"
    profile.write_text(profile_text(replace(surveyed, edge_mm=corners)), encoding="utf-8")
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


def test_a_hand_over_a_seats_cards_makes_it_uncertain(tmp_path: Path, capfd: Capture) -> None:
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


def with_one_unclear(reading: Reading, deck: Deck) -> Reading:
    doubtful = next(card for card in reading.cards if card.named.id == "confetti-40")
    unclear = replace(doubtful, confidence=0.6, reason="covered")
    return replace(reading, cards=tuple(card for card in reading.cards if card is not doubtful), unclear=(unclear,))


@pytest.mark.usefixtures("no_hands_sought")
def test_a_seat_with_an_unclear_card_is_uncertain(tmp_path: Path, misread: Misread, capfd: Capture) -> None:
    misread(with_one_unclear)
    drawn = tmp_path / "evidence.png"
    assert main(["score", "confetti", "--image", str(TABLE), "--players", "3", "--picture", str(drawn)]) == 0
    out = capfd.readouterr().out.splitlines()
    why = "one card cannot be read (covered), spread the cards at seat 1"
    assert [at for at, line in enumerate(out) if f"not certain: {why}" in line] == [0]
    red = (load_picture(drawn).image.astype(int) @ [-1, -1, 2] > 300)[:900]
    assert red.sum() > (load_picture(TABLE).image.astype(int) @ [-1, -1, 2] > 300).sum() + 2000


def test_a_bad_picture_is_said_in_one_line_and_leaves_the_last_evidence(tmp_path: Path, capfd: Capture) -> None:
    drawn, torn = tmp_path / "evidence.jpg", tmp_path / "torn.jpg"
    drawn.write_bytes(b"from the last game")
    torn.write_bytes(TABLE.read_bytes()[:90_000])
    status, lines, err = score(capfd, "--image", str(torn), "--players", "3", "--picture", str(drawn))
    assert (status, lines, len(err.splitlines())) == (2, [], 1)
    assert "torn.jpg is torn or damaged" in err
    assert drawn.read_bytes() == b"from the last game"
    assert main(["score", "piccolino", "--image", str(TABLE), "--players", "3"]) == 2
    assert "cannot be scored, only those of confetti, coloretto" in capfd.readouterr().err


def points(capfd: Capture, *more: str) -> list[int]:
    capfd.readouterr()
    assert main(["score", "confetti", "--players", "3", "--json", *more]) == 0
    return [json.loads(line)["points"] for line in capfd.readouterr().out.splitlines()]


@pytest.mark.usefixtures("no_hands_sought")
def test_a_surveyed_table_is_scored_with_no_marker_card_in_sight(tmp_path: Path, capfd: Capture) -> None:
    image, profile = load_image(TABLE), str(tmp_path / "table.json")
    one, other = kept(tmp_path, "a.png", without(image, 0, 1)), kept(tmp_path, "b.png", without(image, 2))
    assert main(["calibrate", "table", one, other, "-o", profile]) == 0
    assert "marker cards 0, 1, 2 and 3;" in capfd.readouterr().out
    bare = kept(tmp_path, "bare.png", without(image, 0, 1, 2, 3))
    assert points(capfd, "--image", bare, "--table", profile) == [5, 2, 3]
    # With a short reach some cards are too far from the edge to be anybody's.
    assert main(["calibrate", "table", str(TABLE), "-o", profile, "--reach", "20"]) == 0
    assert sum(points(capfd, "--image", str(TABLE), "--table", profile)) < 10


@pytest.mark.usefixtures("no_hands_sought")
def test_a_camera_that_was_pushed_is_noticed_under_its_profile(tmp_path: Path, capfd: Capture) -> None:
    image = np.asarray(cv2.resize(load_image(TABLE), (960, 540), interpolation=cv2.INTER_AREA), np.uint8)
    profile = str(tmp_path / "table.json")
    assert main(["calibrate", "table", kept(tmp_path, "table.png", image), "-o", profile]) == 0
    # All marker cards are still in sight: they show the table again.
    near = kept(tmp_path, "near.png", moved(image, 24, -12))
    capfd.readouterr()
    assert main(["score", "confetti", "--players", "3", "--json", "--image", near, "--table", profile]) == 0
    out, err = capfd.readouterr()
    assert [json.loads(line)["points"] for line in out.splitlines()] == [5, 2, 3]
    assert "the camera was moved since the table was calibrated" in err
    # Of two marker cards with one number the profile shows which does not belong there.
    twice = image.copy()
    twice[240:336, 420:516] = image[437:533, 60:156]  # marker card 3
    again = kept(tmp_path, "again.png", twice)
    main(["score", "confetti", "--players", "3", "--json", "--image", again, "--table", profile])
    assert "two marker cards have the number 3: both are left out, take the one at the middle" in capfd.readouterr().err
    cut = kept(tmp_path, "cut.png", image[:, :700])
    assert main(["read", cut, "--deck", "confetti", "--table", profile]) == 2
    assert "960 × 540" in capfd.readouterr().err
    # The half of the table, and of its marker cards, is out of sight.
    for command in (["score", "confetti", "--players", "3", "--image"], ["read", "--deck", "confetti"]):
        assert main([*command, kept(tmp_path, "far.png", moved(image, 0, 200)), "--table", profile]) == 2
        out, err = capfd.readouterr()
        assert out == ""
        assert len(err.splitlines()) == 1
        assert "the camera was moved since the table was calibrated" in err


def moved(image: Image, right: float, down: float) -> Image:
    shift = np.array([[1.0, 0, right], [0, 1, down]])
    return np.asarray(cv2.warpAffine(image, shift, image.shape[1::-1]), np.uint8)


def test_not_shown_to_stand_with_the_pictures_is_said_in_one_line(tmp_path: Path, capfd: Capture) -> None:
    image, profile = load_image(TABLE), tmp_path / "table.json"
    twice = image.copy()
    twice[400:560, 700:860] = image[728:888, 100:260]  # marker card 3
    pictures = {
        "moved": moved(image, 9, 0),
        "small": np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8),
        "bare": without(image, 0, 1, 2, 3),
        "left": without(image, 0, 1),
        "right": without(image, 2, 3),
        "lone": without(image, 0, 1, 2),
        "twice": twice,
    }
    paths = {name: kept(tmp_path, f"{name}.png", picture) for name, picture in pictures.items()}
    paths |= {"table": str(TABLE), "text": str(tmp_path / "text.jpg")}
    Path(paths["text"]).write_text("no picture", encoding="utf-8")
    for names, complaint in (
        ("table moved", "lies elsewhere in"),
        ("table small", "small.png has another size"),
        ("bare", "no marker card is in sight in"),
        ("left right", "right.png shows none of the marker cards"),
        ("lone", "only marker card 3 is in sight"),
        ("twice", "marker card 3 is in"),
        ("text", "text.jpg"),
    ):
        assert main(["calibrate", "table", *(paths[name] for name in names.split()), "-o", str(profile)]) == 2
        out, err = capfd.readouterr()
        assert (out, len(err.splitlines()), profile.is_file()) == ("", 1, False)
        assert complaint in err


EASY = DATA / "scenes" / "white-easy.jpg"


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_an_easy_table_is_read_with_the_keys_of_the_contract(capfd: Capture) -> None:
    assert main(["read", str(EASY), "--deck", "confetti", "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    (line,) = lines(out)
    SCHEMAS["read"].validate_python(line)
    assert (line["image"], line["deck"]) == (str(EASY), "confetti")
    assert line["ms"] > 0
    truth = json.loads(EASY.with_suffix(".json").read_text(encoding="utf-8"))
    true = {card["id"]: card for card in truth["cards"]}
    known = load_deck("confetti")
    assert {card["face"] for card in line["cards"]} == set(true)
    for card in line["cards"]:
        assert (card["side"], card["seat"]) == ("white", None)
        assert 0.9 < card["confidence"] <= 1
        np.testing.assert_allclose(card["corners_px"], true[card["face"]]["corners_px"], atol=3)
        printed = known.face(card["face"], "white").marks
        assert [mark["size"] for mark in card["marks"]] == ["small", "medium", "big"]
        assert [(mark["colour"], mark["shape"]) for mark in card["marks"]] == [(m.colour, m.shape) for m in printed]


def test_a_bad_picture_costs_no_other_one_its_answer(tmp_path: Path, capfd: Capture) -> None:
    text, torn, black, bomb = (tmp_path / name for name in ("text.jpg", "torn.jpg", "black.png", "bomb.png"))
    text.write_text("not a picture\n" * 50)
    torn.write_bytes(EASY.read_bytes()[:50_000])
    cv2.imwrite(str(black), np.zeros((720, 1280, 3), np.uint8))
    # Only its head says 20 000 × 20 000: a decoder finds nothing, a reader of the head refuses it.
    head = b"IHDR" + struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    bomb.write_bytes(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head)))
    bad = [text, torn, bomb, tmp_path, tmp_path / "none.jpg"]
    pictures = [text, EASY, torn, bomb, tmp_path, tmp_path / "none.jpg", black]
    assert main(["read", *map(str, pictures), "--deck", "confetti", "--json"]) == 2
    out, err = capfd.readouterr()
    assert [line["image"] for line in lines(out)] == [str(EASY), str(black)]
    assert lines(out)[1]["cards"] == lines(out)[1]["unclear"] == []
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


def test_cards_of_a_deck_of_pictures_come_with_their_attributes(tmp_path: Path, capfd: Capture) -> None:
    image, camera, truth = pile_scene(31, 0.2)
    picture, profile, drawn = (str(tmp_path / name) for name in ("a.jpg", "table.json", "drawn.jpg"))
    cv2.imwrite(picture, image)
    Path(profile).write_text(profile_text(TableProfile(camera.table)), encoding="utf-8")
    assert main(["read", picture, "--deck", "piccolino", "--table", profile, "--json"]) == 0
    (line,) = lines(capfd.readouterr().out)
    SCHEMAS["read"].validate_python(line)
    assert (line["deck"], line["unclear"], len(line["cards"])) == ("piccolino", [], len(truth))
    for top in truth:
        middle = top.corners_px.mean(axis=0)
        card = min(line["cards"], key=lambda card: np.linalg.norm(np.mean(card["corners_px"], axis=0) - middle))
        colour, mood = top.face.split("-") if top.face else (None, None)
        assert card["side"] == ("back" if top.face is None else "front")
        assert card["attributes"] == {"colour": colour, "mood": mood}
        assert (card["face"], card["seat"]) == (top.face, None)
        assert card["confidence"] > 0.9
        assert not top.face or np.abs(np.array(card["corners_px"]) - top.corners_px).max() < 3
    assert main(["read", picture, "--deck", "piccolino", "--picture", drawn]) == 0
    said = capfd.readouterr().out
    assert all(f"{top.face}: {', '.join(top.face.split('-'))}" in said for top in truth if top.face)
    assert "a card's back" in said
    changed = np.abs(image.astype(int) - load_picture(Path(drawn)).image).max(2) > 60
    assert 0.002 < changed.mean() < 0.3
