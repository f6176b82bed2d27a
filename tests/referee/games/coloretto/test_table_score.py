"""`ringmaster score coloretto --image`: from a picture to every seat's cards and points."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.cli import main
from referee.decks.finding import find_print_deck
from referee.demo.seating import AREA_MM, ring_of, spot
from referee.games.coloretto.score import Table
from referee.games.coloretto.table_score import score_coloretto_picture
from referee.language import Language
from referee.schemas import SCHEMAS
from referee.scoring.unseen_cards import HandsOff, UnseenCards
from simulation.live import LiveTable, Shots
from simulation.script import Lying, Script, ScriptCard
from simulation.view import Look
from vision.deck import Face
from vision.image import Picture
from vision.markers import Marker
from vision.prints.print_deck import PrintDeck
from vision.reading import CardReading, Reading
from vision.table import Table as SeenTable

Image = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
Hands = Sequence[Sequence[str]]


def laid(hands: Hands) -> list[tuple[str, Lying]]:
    """Cards in a row before each seat, and one in the middle of the table."""
    ring = ring_of(len(hands))
    cards = [("row-brown", Lying(AREA_MM[0] / 2, AREA_MM[1] / 2, 0.0, "front"))]
    for seat, hand in enumerate(hands):
        cards += [(face, spot(ring, seat, 1.1 * (k - (len(hand) - 1) / 2), 0, "front")) for k, face in enumerate(hand)]
    return cards


def picture_of(deck: PrintDeck, cards: Sequence[tuple[str, Lying]]) -> Image:
    script = Script(AREA_MM, tuple(ScriptCard(str(k), face, lies) for k, (face, lies) in enumerate(cards)), (), (), 1.0)
    return LiveTable(script, deck, 3, Shots(size=(1280, 720), look=Look(table="cloth"))).frame(0).bgr()


@pytest.fixture
def as_laid(monkeypatch: pytest.MonkeyPatch) -> Callable[[Hands], Image]:
    """Pictures of tables, read without a fault: what is tested is what is made of a reading.

    Of "7-moon?" it is certain only that it is a moon.
    """

    def lay(hands: Hands) -> Image:
        cards = [(face, lies) for face, lies in laid(hands) if face != "row-brown"]
        blank = picture_of(find_print_deck("coloretto"), [])

        def read(image: Image, table: SeenTable | None, markers: tuple[Marker, ...]) -> tuple[Reading, SeenTable]:
            from vision.markers import table_from_markers

            found = table or table_from_markers(markers, (image.shape[1], image.shape[0]))
            # Table coordinates begin at the lowest marker, drawn ones at the corner.
            middles = np.array([[lies.x_mm - 49.5, lies.y_mm - 49.5] for _, lies in cards])
            corners = [found.to_px(middle + [[-31, -44], [31, -44], [31, 44], [-31, 44]]) for middle in middles]
            seen = [
                CardReading(
                    Face(face.rstrip("?"), "front", ()),
                    0.7 if "?" in face else 0.999,
                    quad,
                    (float(middle[0]), float(middle[1])),
                )
                for (face, _), quad, middle in zip(cards, corners, middles, strict=True)
            ]
            return Reading(tuple(seen), ()), found

        monkeypatch.setattr("referee.scoring.seated_reading.reading_of", lambda deck: read)
        monkeypatch.setattr(HandsOff, "doubt", lambda self, image, seated: seated)
        monkeypatch.setattr(UnseenCards, "doubt", lambda self, image, seated: seated)
        return blank

    return lay


def test_a_drawn_table_is_read_and_scored(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    hands = [["green", "joker"], ["plus2"]]
    path, out = tmp_path / "table.png", tmp_path / "out.jpg"
    cv2.imwrite(str(path), picture_of(find_print_deck("coloretto"), laid(hands)))
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


def test_everdeck_scores_by_its_suits_and_names_what_is_not_in_the_game(as_laid: Callable[[Hands], Image]) -> None:
    image = as_laid([["7-moon", "2-moon", "K-club", "0-heart"], ["Q-star", "X-spade", "4-coin"]])
    result = score_coloretto_picture(Picture(image, 1), find_print_deck("everdeck"), None, 2, Table.BROWN)
    assert [score.points for score in result.scores] == [6, 3]
    assert result.strange == (("K-club",), ())
    assert "not in this game: K-club" in result.sentences(Language())[0][1]
    assert [card.face.id for card in result.counted(result.sharing.seats[1])] == ["Q-star", "4-coin"]


def test_a_card_that_is_there_once_and_seen_twice_is_unclear_and_not_counted(as_laid: Callable[[Hands], Image]) -> None:
    image = as_laid([["7-moon", "2-moon"], ["7-moon", "3-star"]])
    result = score_coloretto_picture(Picture(image, 1), find_print_deck("everdeck"), None, 2, Table.BROWN)
    assert [len(hand.unclear) for hand in result.sharing.seats] == [1, 1]
    assert [score.points for score in result.scores] == [1, 1]
    assert "no card is there twice" in result.sentences(Language())[0][1]


def test_of_two_cards_that_may_be_the_same_both_count_where_only_their_suit_is_certain(
    as_laid: Callable[[Hands], Image],
) -> None:
    image = as_laid([["7-moon", "7-moon?", "Q-star?"], ["2-coin"]])
    result = score_coloretto_picture(Picture(image, 1), find_print_deck("everdeck"), None, 2, Table.BROWN)
    first = result.sharing.seats[0]
    assert result.as_json(first)["faces"] == ["7-moon", "moon", "+2"]
    assert [score.points for score in result.scores] == [5, 1]
    assert not first.unclear


def test_more_cards_of_a_suit_than_there_are_are_unclear(as_laid: Callable[[Hands], Image]) -> None:
    image = as_laid([["7-moon?"] * 5, ["8-moon?"] * 5])
    result = score_coloretto_picture(Picture(image, 1), find_print_deck("everdeck"), None, 2, Table.BROWN)
    assert [len(hand.unclear) for hand in result.sharing.seats] == [5, 5]
    assert [score.points for score in result.scores] == [0, 0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--table", "blue"], "no table profile blue"),
        (["--deck", "piccolino"], "are for Piccolino, not for Coloretto"),
        (["--deck", "confetti"], "show marks, not pictures"),
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
