"""The bench counts exactly what a reader did that is right, wrong, unclear or silent in known places."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from referee.bench import tally
from referee.bench.accuracy import PictureVerdict, judge_picture, judge_pictures
from referee.bench.failures import FailureBook
from referee.bench.finding import FoundCard, find_summary, judge_found
from referee.bench.truth import TrueCard, TruePicture, load_truth, parse_scene
from referee.errors import BadInputError, WorkFailedError
from simulation.still import table_picture
from vision.deck import Deck, Face, load_deck
from vision.reading import CardReading, Reading, UnclearCard

SIZE = (960, 540)


@pytest.fixture(scope="module")
def deck() -> Deck:
    return load_deck("confetti")


@pytest.fixture(scope="module")
def still(deck: Deck) -> tuple[NDArray[np.uint8], TruePicture]:
    image, truth = table_picture(deck, 8, seed=3, size=SIZE)
    return image, parse_scene(truth)


@pytest.fixture(scope="module")
def heap(deck: Deck) -> tuple[NDArray[np.uint8], TruePicture]:
    image, truth = table_picture(deck, 16, seed=5, size=SIZE, overlap=True)
    return image, parse_scene(truth)


def face_of(deck: Deck, card: TrueCard) -> Face:
    return deck.by_id[card.side, card.face or ""]


def reading_of(
    deck: Deck, card: TrueCard, face: Face | None = None, shift: tuple[float, float] = (0, 0)
) -> CardReading:
    return CardReading(face or face_of(deck, card), 0.99, card.corners_px + np.array(shift), None)


def unclear_at(card: TrueCard, best: Face | None = None) -> UnclearCard:
    x, y = card.corners_px.mean(axis=0)
    return UnclearCard(np.zeros((0, 2)), (x, y), None, "covered", (best, 0.6) if best else None)


def other_face(deck: Deck, picture: TruePicture) -> Face:
    lying = {card.face for card in picture.cards}
    return next(face for face in deck.side("white") if face.id not in lying)


def test_each_outcome_is_counted_once(deck: Deck, still: tuple[NDArray[np.uint8], TruePicture]) -> None:
    image, picture = still
    cards = picture.cards
    stranger = other_face(deck, picture)
    reading = Reading(
        cards=(
            reading_of(deck, cards[0]),
            reading_of(deck, cards[1], shift=(3, 4)),
            reading_of(deck, cards[2], stranger),
            reading_of(deck, cards[3], deck.by_id["black", cards[3].face or ""]),
            reading_of(deck, cards[0], stranger, shift=(8, 0)),
            CardReading(stranger, 0.9, np.array([[2.0, 250], [42, 250], [42, 306], [2, 306]]), None),
        ),
        unclear=(unclear_at(cards[4], face_of(deck, cards[4])), unclear_at(cards[5], stranger)),
    )
    verdict = judge_picture(picture, image, reading, deck, ms=12.0)
    assert [card.outcome for card in verdict.cards] == [
        *("exact", "exact", "wrong", "wrong", "unclear", "unclear", "missed", "missed")
    ]
    total = tally.summary([verdict])
    assert total["total"] == [{"group": ">=0.90", "cards": 8, "exact": 2, "wrong": 2, "unclear": 2, "missed": 2}]
    assert total["rows"] == [{"scenario": "still", "side": "white", **total["total"][0]}]
    assert (total["false"], total["doubled"], total["false_unclear"]) == (1, 1, 0)
    assert total["unclear_best_right"] == 1
    assert total["corners"]["max_px"] == 5.0
    assert total["corners"]["median_px"] == 2.5
    assert sum(row["failed"] for row in total["faces"]) == 6
    line = tally.picture_line(verdict)
    assert [failure["outcome"] for failure in line["failures"]] == ["wrong", "wrong"] + ["unclear"] * 2 + ["missed"] * 2
    assert json.loads(json.dumps(line))["false"] == [stranger.id]
    assert "exact 25.00 % (target at least 99.5 %), wrong 25.00 % (at most 0.1 %): NOT met" in tally.table(total)


def test_unclear_on_the_bare_table_is_told_apart(deck: Deck, still: tuple[NDArray[np.uint8], TruePicture]) -> None:
    image, picture = still
    reading = Reading((), (UnclearCard(np.zeros((0, 2)), (5.0, 270.0), None, "glare", None),))
    assert tally.summary([judge_picture(picture, image, reading, deck, 1.0)])["false_unclear"] == 1


@settings(max_examples=20)
@given(order=st.permutations(range(16)), swap=st.booleans())
def test_heaped_cards_are_matched_by_place_alone(
    deck: Deck, heap: tuple[NDArray[np.uint8], TruePicture], order: list[int], swap: bool
) -> None:
    image, picture = heap
    cards = [picture.cards[i] for i in order]
    # Two neighbours that overlap trade their faces: both must be wrong, though both faces lie near by.
    faces = [face_of(deck, card) for card in cards]
    if swap:
        faces[0], faces[1] = faces[1], faces[0]
    readings = [reading_of(deck, card, face, (1.0, -1.0)) for card, face in zip(cards, faces, strict=True)]
    verdict = judge_picture(picture, image, Reading(tuple(readings), ()), deck, 1.0)
    seen = [card for card in picture.cards if card.visible >= 0.02]
    swapped = sum(card.visible >= 0.02 for card in cards[:2]) if swap else 0
    outcomes = [card.outcome for card in verdict.cards]
    assert len(outcomes) == len(seen)
    assert outcomes.count("wrong") == swapped
    assert outcomes.count("exact") == len(seen) - swapped


def test_heap_has_cards_of_every_class(heap: tuple[NDArray[np.uint8], TruePicture]) -> None:
    visible = [card.visible for card in heap[1].cards]
    assert min(visible) < 0.5 < max(visible) == pytest.approx(1.0, abs=0.02)
    assert any(0.5 <= value < 0.9 for value in visible)


def test_a_wrong_mark_is_named(deck: Deck, still: tuple[NDArray[np.uint8], TruePicture]) -> None:
    image, picture = still
    card = picture.cards[0]
    face = face_of(deck, card)
    small = replace(face.marks[0], colour="pink")
    medium = replace(face.marks[1], shape="star")
    wrong = replace(face, id="new", marks=(small, medium, face.marks[2]))
    total = tally.summary([judge_picture(picture, image, Reading((reading_of(deck, card, wrong),), ()), deck, 1.0)])
    assert total["marks"] == {"of": 3, "in_place": 3, "size": 3, "colour": 2, "shape": 2}
    assert total["confusions"] == [{"side": "white", "true": face.marks[0].colour, "read": "pink", "marks": 1}]


def test_a_face_read_upside_down_has_its_marks_out_of_place(
    deck: Deck, still: tuple[NDArray[np.uint8], TruePicture]
) -> None:
    image, picture = still
    card = picture.cards[0]
    turned = CardReading(face_of(deck, card), 0.9, np.roll(card.corners_px, 2, axis=0), None)
    total = tally.summary([judge_picture(picture, image, Reading((turned,), ()), deck, 1.0)])
    assert total["marks"]["in_place"] < 3
    assert total["corners"]["median_mm"] == pytest.approx(np.hypot(63, 88), rel=0.05)


def test_bleached_cards_are_listed_apart(deck: Deck, still: tuple[NDArray[np.uint8], TruePicture]) -> None:
    image, picture = still
    glare = image.copy()
    x, y = (round(float(value)) for value in picture.cards[0].marks[2].centre_px)
    cv2.circle(glare, (x, y), 40, (255, 255, 255), -1)
    # White ground alone bleaches nothing: the mark itself keeps its colour.
    outline = np.rint(picture.cards[1].corners_px).astype(np.int32)
    bright = glare.copy()
    cv2.fillPoly(bright, [outline], (255, 255, 255))
    for mark in picture.cards[1].marks:
        centre = (round(float(mark.centre_px[0])), round(float(mark.centre_px[1])))
        cv2.circle(bright, centre, round(mark.diameter_mm * 0.6), (40, 60, 200), -1)
    verdict = judge_picture(picture, bright, Reading((), ()), deck, 1.0)
    assert [card.group for card in verdict.cards] == ["bleached"] + [">=0.90"] * 7


def test_failures_are_drawn_and_listed(
    deck: Deck, still: tuple[NDArray[np.uint8], TruePicture], tmp_path: Path
) -> None:
    image, picture = still
    stranger = other_face(deck, picture)
    reading = Reading((reading_of(deck, picture.cards[0], stranger),), (unclear_at(picture.cards[1]),))
    book = FailureBook(tmp_path / "out", deck)
    book.add(image, judge_picture(picture, image, reading, deck, 1.0))
    page = book.close().read_text(encoding="utf-8")
    drawn = sorted(file.name for file in (tmp_path / "out").glob("*.png"))
    assert len(drawn) == 8 and all(name in page for name in drawn)
    assert f"read {stranger.id} white" in page and "covered" in page
    wrong = cv2.imread(str(tmp_path / "out" / next(name for name in drawn if "wrong" in name)))
    assert wrong is not None and wrong.shape[0] == 360 and wrong.shape[1] > 2 * 240
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkFailedError):
        FailureBook(tmp_path / "file" / "out", deck)


def test_a_folder_is_judged_picture_by_picture(deck: Deck, tmp_path: Path) -> None:
    truths: list[dict[str, Any]] = []
    for seed, side in ((1, "white"), (2, "black")):
        image, truth = table_picture(deck, 4, seed=seed, size=SIZE, side=side)
        truth["image"] = f"{side}.png"
        cv2.imwrite(str(tmp_path / truth["image"]), image)
        (tmp_path / f"{side}.json").write_text(json.dumps(truth))
        truths.append(truth)
    pictures = load_truth(tmp_path)
    by_name = {picture.path.name: picture for picture in pictures}
    assert sorted(by_name) == ["black.png", "white.png"]

    def load(picture: TruePicture) -> NDArray[np.uint8]:
        return np.asarray(cv2.imread(str(picture.path)), dtype=np.uint8)

    def reader(image: NDArray[np.uint8], deck: Deck) -> Reading:
        # Knows the black picture only.
        known = by_name["black.png"] if image.mean() == load(by_name["black.png"]).mean() else None
        return Reading(tuple(reading_of(deck, card) for card in known.cards) if known else (), ())

    verdicts: list[PictureVerdict] = [verdict for _, verdict in judge_pictures(pictures, load, reader, deck)]
    rows = {row["side"]: (row["exact"], row["missed"]) for row in tally.summary(verdicts)["rows"]}
    assert rows == {"black": (4, 0), "white": (0, 4)}


def test_found_cards_are_judged_by_their_corners(still: tuple[NDArray[np.uint8], TruePicture]) -> None:
    _, picture = still
    cards = picture.cards
    width = float(np.linalg.norm(cards[0].corners_px[1] - cards[0].corners_px[0]))
    spots = [(mark.colour, mark.centre_px + 1) for mark in cards[0].marks[:2]]
    spots.append(("pink", cards[0].marks[2].centre_px))
    found = [
        FoundCard(np.roll(cards[0].corners_px, 1, axis=0), tuple(spots)),
        FoundCard(cards[1].corners_px + np.array([0.02 * width, 0])),
        FoundCard(cards[2].corners_px + np.array([0.06 * width, 0])),
        FoundCard(cards[1].corners_px + np.array([0.3 * width, 0])),
        FoundCard(np.array([[2.0, 250], [42, 250], [42, 306], [2, 306]])),
    ]
    verdict = judge_found(picture, found, 2.0)
    assert [outcome for _, _, outcome in verdict.outcomes] == ["found", "found", "loose"] + ["missed"] * 5
    total = find_summary([verdict])
    assert total["total"] == [{"group": ">=0.90", "cards": 8, "found": 2, "loose": 1, "missed": 5}]
    assert (total["false"], total["false_share"]) == (2, 0.4)
    assert (total["colours_right"], total["colours_of"]) == (2, 3)


def test_truth_of_photographs(tmp_path: Path) -> None:
    corners = [[10, 10], [50, 10], [50, 70], [10, 70]]
    truth = {"pictures": [{"image": "a.jpg", "tags": ["webcam"], "cards": [{"colour": "red", "corners_px": corners}]}]}
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    (tmp_path / "a.jpg").write_bytes(b"")
    (picture,) = load_truth(tmp_path)
    assert (picture.scenario, picture.cards[0].colour, picture.cards[0].visible) == ("photograph webcam", "red", 1.0)
    found = [FoundCard(np.array(corners, dtype=np.float64), (("red", (0, 0)), ("green", (0, 0))))]
    verdict = judge_found(picture, found, 1.0)
    assert (verdict.colours_right, verdict.colours_of) == (1, 2)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", "{", "broken"),
        ("a.json", '{"image": "a.jpg", "cards": [{"id": 1}]}', "broken"),
        ("a.json", '{"image": "a.jpg", "cards": []}', "missing"),
        ("a.txt", "", "no pictures"),
    ],
)
def test_bad_truth_is_one_clear_sentence(tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BadInputError, match=said):
        load_truth(tmp_path)
    with pytest.raises(BadInputError, match="no folder"):
        load_truth(tmp_path / "nowhere")
