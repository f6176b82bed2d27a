"""The lesson as the page's requests: what goes wrong is said, what was said outlasts a restart, decks come and go."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import cv2
import numpy as np
import pytest

from referee.decks.store import DeckStore
from referee.lessons import work as lesson_work
from referee.lessons.draft import Draft, DraftReading, Example, LessonPicture, MeasuredFaces
from referee.lessons.draft import Test as Check
from referee.lessons.files import LessonFiles
from referee.lessons.lessons import Lessons
from referee.lessons.workbench import Workbench
from tests.support.drawn_clowns import INKS, clown
from tests.support.lesson_picture import lesson_picture
from tests.support.page_tools import PageUnderTest, Phone, served
from tests.support.waiting import wait_for
from vision.deck import Deck, Face
from vision.deck_file import pack_deck

T = TypeVar("T")
P = ParamSpec("P")
SQUARE = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]
TABLE = np.full((90, 160, 3), 90, np.uint8)


class Canned(Workbench):
    """A workbench that knows what comes of it."""

    def __init__(self, *studied: lesson_work.Studied) -> None:
        super().__init__()
        self.studied = list(studied)

    def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        found: Any = {}
        if work is lesson_work.study_picture:
            found = self.studied.pop(0)
            found.shot.number = args[1]
        elif work is lesson_work.make_deck:
            found = MeasuredFaces(judged=2, sure=2, odds=900.0)
        return found  # type: ignore[no-any-return]


def learned(groups: tuple[int, ...] = (0, 1)) -> lesson_work.Studied:
    shot = LessonPicture(number=0, state="learned", size_px=(160, 90), cards=[SQUARE] * 2)
    return lesson_work.Studied(shot, groups, (56.0, 87.0), "prints")


class Teaching:
    """A page with a lesson, and a paired phone that gives it."""

    def __init__(self, folder: Path, page: PageUnderTest, lessons: Lessons) -> None:
        self.folder, self.page, self.lessons = folder, page, lessons
        self.phone: Phone = page.paired_phone()

    def do(self, **command: object) -> dict[str, Any]:
        answer = self.phone.post("/api/lesson", command)
        assert answer.status == 200, answer.body
        return self.rested()

    def rested(self) -> dict[str, Any]:
        while (view := self.phone.get("/api/lesson").data)["busy"]:
            time.sleep(0.01)
        return view


@pytest.fixture
def bench() -> Canned:
    return Canned()


@pytest.fixture
def teaching(tmp_path: Path, bench: Canned) -> Iterator[Teaching]:
    lessons = Lessons(tmp_path, lambda: TABLE, bench)
    with served(tmp_path, lessons=lessons) as page:
        yield Teaching(tmp_path, page, lessons)
    lessons.close()


def test_what_went_wrong_is_said_and_nothing_of_such_a_picture_is_kept(teaching: Teaching, bench: Canned) -> None:
    teaching.do(do="begin", name="ours", game="piccolino", expected=8)
    for key in ("lesson_no_cards", "lesson_touch", "lesson_no_markers"):
        bench.studied = [lesson_work.Studied(LessonPicture(number=0, state="learned"), fault=key)]
        view = teaching.do(do="look")
        assert view["trouble"] == {"key": key, "values": {}}
        assert (view["draft"]["pictures"], view["draft"]["groups"]) == (0, [])
        words = teaching.phone.get("/api/words/en").data[f"fault_{key}"]
        assert words.endswith(".")
    assert not list(LessonFiles(teaching.folder).folder.glob("picture-*"))


def test_a_lesson_outlasts_the_service_and_a_picture_waits(teaching: Teaching, bench: Canned, tmp_path: Path) -> None:
    teaching.do(do="begin", name="ours", game="piccolino", expected=2)
    bench.studied = [learned()]
    first = teaching.do(do="look")["draft"]["groups"]
    said = {"colour": "red", "mood": "sad"}
    before = teaching.do(do="say", group=first[0]["id"], attributes=said)["draft"]
    files = LessonFiles(tmp_path)
    draft = files.load()
    assert draft is not None
    draft.new_shot()
    files.save(draft)
    again = Lessons(tmp_path, lambda: None, Canned(learned(groups=(1, 2))))
    try:
        wait_for(lambda: not again.view()["busy"])
        groups = again.view()["draft"]["groups"]
    finally:
        again.close()
    assert [group["said"] for group in groups] == [said, {}, {}]
    assert [group["cards"] for group in groups] == [["1-0"], ["1-1", "2-0"], ["2-1"]]
    assert before["groups"] == teaching.rested()["draft"]["groups"]


def test_only_a_paired_device_teaches_and_nonsense_is_refused(teaching: Teaching) -> None:
    assert teaching.page.phone().post("/api/lesson", {"do": "look"}).status == 401
    for command in ({"do": "look"}, {"do": "save"}, {"do": "join", "first": 1, "second": 2}):
        answer = teaching.phone.post("/api/lesson", command)
        assert (answer.status, answer.data["key"]) == (400, "lesson_none")
    for name in ("Confetti", "../up", ""):
        answer = teaching.phone.post("/api/lesson", {"do": "begin", "name": name, "game": None})
        assert (answer.status, answer.data["key"]) == (400, "deck_name_bad")
    assert teaching.phone.get("/lesson/card/..%2F..%2Fetc-1.png").status == 404
    assert teaching.phone.get("/lesson/picture/1.jpg").status == 404


def test_a_card_that_was_misread_in_the_check_becomes_an_example_of_what_it_is(tmp_path: Path) -> None:
    files = LessonFiles(tmp_path)
    art = [clown(colour, happy=True) for colour in list(INKS)[:2]]
    draft = Draft(name="ours", game="piccolino", kind="prints", card_mm=(56, 87), revision=3)
    shot = draft.new_shot("test")
    picture = lesson_picture(art, (56, 87), 1, (640, 360))
    files.keep_picture(shot.number, picture)
    groups = [draft.new_group([Example(picture=9, place=place)]) for place in (0, 1)]
    corners = [(200.0, 100.0), (240.0, 100.0), (240.0, 162.0), (200.0, 162.0)]
    draft.test = Check(
        picture=shot.number, readings=[DraftReading(corners=corners, group=groups[0].id, likely=groups[0].id)]
    )
    files.save(draft)
    lessons = Lessons(tmp_path, lambda: None, Canned())
    try:
        lessons.mend(0, groups[1].id)
        view = lessons.view()["draft"]
        assert [group["cards"] for group in view["groups"]] == [["9-0"], ["9-1", "1-0"]]
        assert (view["test"]["readings"][0]["group"], view["test"]["readings"][0]["mended"]) == (groups[1].id, True)
        assert view["measured"] is None
        card = cv2.imdecode(np.frombuffer(lessons.card("1-0") or b"", np.uint8), cv2.IMREAD_COLOR)
        assert card is not None
        assert card.shape[1] / card.shape[0] == pytest.approx(56 / 87, abs=0.02)
    finally:
        lessons.close()


def a_deck(name: str) -> Deck:
    faces = tuple(
        Face(f"{colour}-{mood}", "front", {"colour": colour, "mood": mood}, clown(colour, happy=mood == "happy"))
        for colour in ("red", "blue")
        for mood in ("happy", "sad")
    )
    return Deck(name, (56.0, 87.0), faces, game="piccolino")


def test_decks_are_loaded_listed_sent_renamed_and_removed(teaching: Teaching) -> None:
    phone, data = teaching.phone, pack_deck(a_deck("Grandma’s clowns"))
    headers = {"X_CSRF_Token": phone.csrf, "Content_Type": "application/octet-stream"}
    assert teaching.page.phone().ask("POST", "/api/decks/file", data).status == 401
    assert phone.ask("POST", "/api/decks/file", data, **headers).data["deck"] == "Grandma’s clowns"
    assert phone.ask("POST", "/api/decks/file", data, **headers).data["deck"] == "Grandma’s clowns 2"
    decks = {deck["deck"]: deck for deck in phone.get("/api/decks").data["decks"]}
    assert {"confetti", "piccolino"} <= set(decks)
    listed = decks["Grandma’s clowns"]
    assert [face["attributes"]["mood"] for face in listed["faces"]] == ["happy", "sad"] * 2
    picture = phone.get("/api/decks/face.png?deck=Grandma%E2%80%99s%20clowns&n=0")
    assert picture.body.startswith(b"\x89PNG")
    assert phone.get("/api/decks/face.png?deck=..%2F..%2Fx&n=0").status == 404
    sent = phone.get("/api/decks/file?deck=Grandma%E2%80%99s%20clowns")
    assert sent.body == data
    assert "attachment" in sent.headers["content-disposition"]
    new = {"do": "rename", "deck": "Grandma’s clowns 2", "new": "Spare"}
    assert phone.post("/api/decks", new).status == 200
    refused = phone.post("/api/decks", {**new, "deck": "Spare", "new": "grandma’s CLOWNS"})
    assert refused.data["key"] == "deck_name_taken"
    removed = [phone.post("/api/decks", {"do": "remove", "deck": deck}) for deck in ("Spare", "Spare", "piccolino")]
    assert removed[0].status == 200
    assert [answer.data["key"] for answer in removed[1:]] == ["deck_gone", "deck_built_in"]
    assert DeckStore(teaching.folder).names() == ["Grandma’s clowns"]


def test_no_bad_file_becomes_a_deck(teaching: Teaching) -> None:
    phone = teaching.phone
    headers = {"X_CSRF_Token": phone.csrf, "Content_Type": "application/octet-stream"}
    whole, escaping = pack_deck(a_deck("x")), io.BytesIO()
    with zipfile.ZipFile(escaping, "w") as file:
        file.writestr("../deck.json", "{}")
    for data in (b"", b"no zip", whole[: len(whole) // 2], escaping.getvalue()):
        answer = phone.ask("POST", "/api/decks/file", data, **headers)
        assert (answer.status, answer.data["key"]) == (400, "deck_file_bad")
    assert phone.ask("POST", "/api/decks/file", b"", **headers, Content_Length=str(25 * 2**20)).status == 413
    assert not list(teaching.folder.rglob("*.deck"))
