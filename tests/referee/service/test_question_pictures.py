"""What the page shows with a question: where the table has changed since it was understood."""

import cv2
import numpy as np
import pytest

from hardware.camera.frames import Frame
from referee.decks.finding import find_print_deck
from referee.engine.session import Outline, Shown
from referee.games.coloretto.demo import Plan, write_coloretto
from referee.service.question_pictures import Doubted, QuestionPictures
from referee.service.table_area import TableArea
from simulation.live import LiveTable, Shots


@pytest.fixture(scope="module")
def frames() -> tuple[Frame, Frame]:
    """A table before and after the first card was laid."""
    deck = find_print_deck("coloretto")
    live = LiveTable(write_coloretto(deck, 7, Plan(rounds=1)).script, deck, 7, Shots(frames_per_s=1.0))
    return live.frame(1), live.frame(8)


def _picture(data: bytes | None) -> np.ndarray:
    assert data is not None
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return np.asarray(picture)


def test_both_pictures_show_the_part_in_which_a_card_was_laid(frames: tuple[Frame, Frame]) -> None:
    pictures = QuestionPictures(TableArea())
    pictures.heed(Doubted({"doubt-1-5-who_took": None}, *frames))
    names = pictures.names()["doubt-1-5-who_took"]
    before, now = (_picture(pictures.find(str(names[when]))) for when in ("before", "now"))
    assert before.shape == now.shape and now.shape[0] * now.shape[1] < frames[1].bgr().shape[0] * 800 / 2
    changed = cv2.absdiff(cv2.GaussianBlur(before, (0, 0), 3), cv2.GaussianBlur(now, (0, 0), 3)).max(axis=2) > 40
    assert changed.any() and not changed[:3].any() and not changed[:, :3].any()


def test_what_is_asked_no_more_is_let_go_and_the_rest_stays_as_it_was(frames: tuple[Frame, Frame]) -> None:
    pictures = QuestionPictures(TableArea())
    pictures.heed(Doubted({"doubt-1-5-a": None, "doubt-1-6-b": None}, None, frames[0]))
    first = pictures.find("doubt-1-6-b-now")
    pictures.heed(Doubted({"doubt-1-6-b": None, "doubt-1-7-c": None}, *frames))
    assert pictures.find("doubt-1-5-a-now") is None
    assert pictures.find("doubt-1-6-b-now") == first is not None
    assert pictures.names()["doubt-1-6-b"] == {"before": None, "now": "doubt-1-6-b-now"}
    assert pictures.find("doubt-1-6-b-before") is None
    assert pictures.find("live") is None


def test_where_nobody_knows_where_the_table_is_no_picture_of_the_room_is_given() -> None:
    room = Frame(1, 1, np.full((72, 128, 3), 90, np.uint8), 0)
    pictures = QuestionPictures(TableArea())
    pictures.heed(Doubted({"doubt-1-5-a": None}, room, room))
    assert pictures.find("doubt-1-5-a-now") is None


def test_what_a_question_is_about_is_outlined_in_the_picture_that_it_is_about(frames: tuple[Frame, Frame]) -> None:
    pictures = QuestionPictures(TableArea())
    place = ((600.0, 300.0), (680.0, 300.0), (680.0, 410.0), (600.0, 410.0))
    doubted = Shown(frames[1], (Outline(place, 1, "red", certain=False),))
    pictures.heed(Doubted({"doubt-1-5-area_differs": doubted}, frames[0], frames[0]))
    assert pictures.names() == {"doubt-1-5-area_differs": {"before": None, "now": "doubt-1-5-area_differs-now"}}
    shown = _picture(pictures.find("doubt-1-5-area_differs-now")).astype(int)
    assert shown.shape[1] < shown.shape[0]
    red = (shown[..., 2] > 150) & (shown[..., :2].max(axis=2) < 110)
    assert red.sum() > 200


def test_a_question_about_cards_of_which_none_has_an_outline_shows_the_table(frames: tuple[Frame, Frame]) -> None:
    pictures = QuestionPictures(TableArea())
    pictures.heed(Doubted({"doubt-1-5-area_differs": Shown(frames[1], ())}, frames[0], frames[0]))
    assert _picture(pictures.find("doubt-1-5-area_differs-now")).shape[1] == 800


def test_what_outlines_a_card_shows_nobody_the_room() -> None:
    room = Frame(1, 1, np.full((72, 128, 3), 90, np.uint8), 0)
    pictures = QuestionPictures(TableArea())
    place = ((10.0, 10.0), (40.0, 10.0), (40.0, 50.0), (10.0, 50.0))
    shown = Shown(room, (Outline(place, 0, "red", certain=True),))
    pictures.heed(Doubted({"doubt-1-5-area_differs": shown}, None, room))
    assert pictures.find("doubt-1-5-area_differs-now") is None
