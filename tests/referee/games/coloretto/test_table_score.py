"""`ringmaster score coloretto --image`: from a picture to every seat's cards and points."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.commands import main
from referee.games.coloretto.score import SummarySide
from referee.games.coloretto.table_score import score_coloretto_picture
from referee.games.seating import AREA_MM, ring_of, spot
from referee.language import Language
from referee.schemas import SCHEMAS
from referee.scoring.unseen_cards import HandsOff, UnseenCards
from simulation.live import LiveTable, Shots
from simulation.script import CardPose, Script, ScriptCard
from simulation.view import Look
from vision.deck import Deck, load_deck
from vision.image import Picture
from vision.markers import Marker, table_from_markers
from vision.reading import Card, Reading
from vision.table import Table as SeenTable

Image = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
Hands = Sequence[Sequence[str]]


def laid(hands: Hands) -> list[tuple[str, CardPose]]:
    """Cards in a row before each seat."""
    ring = ring_of(len(hands))
    return [
        (face, spot(ring, seat, 1.1 * (k - (len(hand) - 1) / 2), 0, "front"))
        for seat, hand in enumerate(hands)
        for k, face in enumerate(hand)
    ]


def picture_of(cards: Sequence[tuple[str, CardPose]]) -> Image:
    script = Script(AREA_MM, tuple(ScriptCard(str(k), face, lies) for k, (face, lies) in enumerate(cards)), (), (), 1.0)
    shots = Shots(size=(1280, 720), look=Look(table="cloth"))
    return LiveTable(script, load_deck("coloretto"), 3, shots).frame(0).bgr()


def test_a_drawn_table_is_read_and_scored(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    hands = [["green", "joker"], ["plus2"]]
    path, out = tmp_path / "table.png", tmp_path / "out.jpg"
    middle = ("row-brown", CardPose(AREA_MM[0] / 2, AREA_MM[1] / 2, 0.0, "front"))
    cv2.imwrite(str(path), picture_of([middle, *laid(hands)]))
    arguments = ["--image", str(path), "--players", "2", "--scoring", "grey", "--json", "--picture", str(out)]
    assert main(["score", "coloretto", *arguments]) == 0
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    for line in lines:
        SCHEMAS["score-coloretto-picture"].validate_python(line)
    assert [(line["seat"], sorted(line["faces"]), line["unclear"]) for line in lines] == [
        (seat, sorted(hand), 0) for seat, hand in enumerate(hands)
    ]
    # Two green cards are four on the grey side.
    assert [line["points"] for line in lines] == [4, 2]
    assert lines[0]["hand"] == {"colours": {"green": 1}, "jokers": 1, "plus2": 0}
    assert cv2.imread(str(out)) is not None


@pytest.mark.parametrize(
    ("hands", "points", "unclear", "said", "faces"),
    [
        # Everdeck's suits are colours; what is not in the game is named.
        (
            [["7-moon", "2-moon", "K-club", "0-heart"], ["Q-star", "X-spade", "4-coin"]],
            *([6, 3], [0, 0], "not in this game: K-club", ["7-moon", "2-moon", "0-heart"]),
        ),
        # A card that is there once and seen twice.
        ([["7-moon", "2-moon"], ["7-moon", "3-star"]], [1, 1], [1, 1], "no card is there twice", ["2-moon"]),
        # Of "7-moon?" it is certain only that it is a moon: both count.
        ([["7-moon", "7-moon?", "Q-star?"], ["2-coin"]], [5, 1], [0, 0], "", ["7-moon", "moon", "+2"]),
        # More cards of a suit than there are.
        ([["7-moon?"] * 5, ["8-moon?"] * 5], [0, 0], [5, 5], "", []),
    ],
)
def test_a_reading_of_everdeck_is_scored_by_its_suits_and_what_cannot_be_is_unclear(
    hands: Hands, points: list[int], unclear: list[int], said: str, faces: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class AsLaid:
        """Reads all cards as they are, at their places: the subject is what is made of a reading."""

        def __init__(self, deck: Deck) -> None:
            self.deck = deck

        def read(self, image: Image, table: SeenTable | None, markers: tuple[Marker, ...]) -> Reading:
            found = table or table_from_markers(markers, (image.shape[1], image.shape[0]))
            seen = []
            for face, lies in laid(hands):
                # Table coordinates begin at the lowest marker, drawn ones at the corner.
                middle = np.array([lies.x_mm - 49.5, lies.y_mm - 49.5])
                quad = found.to_px(middle + [[-31, -44], [31, -44], [31, 44], [-31, 44]])
                sure = 0.7 if "?" in face else 0.999
                seen.append(Card(self.deck.face(face.rstrip("?")), sure, quad, (middle[0], middle[1])))
            return Reading(tuple(seen), (), found)

    monkeypatch.setattr("referee.scoring.seated_reading.reader_of", AsLaid)
    for doubting in (HandsOff, UnseenCards):
        monkeypatch.setattr(doubting, "doubt", lambda self, image, seated: seated)
    result = score_coloretto_picture(Picture(picture_of([]), 1), load_deck("everdeck"), None, 2, SummarySide.BROWN)
    assert [score.points for score in result.scores] == points
    assert [len(hand.unclear) for hand in result.sharing.seats] == unclear
    assert said in result.sentences(Language())[0][1]
    assert result.as_json(result.sharing.seats[0])["faces"] == faces


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--table", "blue"], "no table profile blue"),
        (["--deck", "piccolino"], "are for Piccolino, not for Coloretto"),
        (["--deck", "confetti"], "are for Confetti, not for Coloretto"),
        (["--side", "white"], "Confetti"),
        (["--players", "6"], "from 1 to 5"),
    ],
)
def test_what_cannot_be_scored_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((90, 160, 3), np.uint8))
    players = [] if "--players" in arguments else ["--players", "2"]
    assert main(["score", "coloretto", "--image", str(tmp_path / "a.png"), *players, *arguments]) == 2
    error = capfd.readouterr().err
    assert said in error and error.count("\n") == 1
