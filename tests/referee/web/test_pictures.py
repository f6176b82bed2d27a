"""Who sees pictures of the table and the secrets of the house: paired devices, and all where a setting says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.language import LANGUAGES
from referee.lessons.lessons import Lessons
from referee.mqtt.settings import load_mqtt
from referee.store.evidence import LAST_GAMES, Budget
from referee.web.words import words_in
from tests.support.page_tools import START, PageUnderTest, Phone, served

PICTURES = ["/live.jpg", "/pictures/1-1-0.jpg", "/lesson/picture/0.jpg", "/lesson/card/0-0.png"]
OPEN = ["/api/state", "/api/history", "/api/history/1", "/api/statistics", "/api/lesson", "/api/decks", "/qr.svg"]


@pytest.fixture
def page(tmp_path: Path) -> Iterator[PageUnderTest]:
    lessons = Lessons(tmp_path, lambda: None)
    with served(tmp_path, lessons=lessons) as page:
        yield page
    lessons.close()


@pytest.mark.parametrize("path", PICTURES)
def test_a_guest_sees_no_picture_until_a_paired_phone_opens_them(page: PageUnderTest, path: str) -> None:
    paired, guest = page.paired_phone(), page.guest()
    assert paired.do(**START).status == 200
    jpeg = cv2.imencode(".jpg", np.zeros((8, 8, 3), np.uint8))[1].tobytes()
    page.table.referee.evidence.add(1, 1, [(-5.0, jpeg)])
    seen = paired.get(path).status
    assert seen in (200, 404)
    refused = guest.get(path)
    assert refused.status == 401 and refused.data["key"] == "pictures_paired"
    # The machine's own screen, and a paired phone wherever it is.
    assert page.phone().get(path).status == seen
    paired.address = guest.address
    assert paired.get(path).status == seen
    assert guest.do(do="settings", open_pictures=True).status == 401
    assert paired.do(do="settings", open_pictures=True).status == 200
    assert guest.get(path).status == seen
    assert paired.do(do="settings", open_pictures=False).status == 200
    assert guest.get(path).status == 401


def test_scores_rulings_and_what_is_said_stay_open(page: PageUnderTest) -> None:
    assert page.paired_phone().do(**START).status == 200
    assert {path: page.guest().get(path).status for path in OPEN} == dict.fromkeys(OPEN, 200)


def test_a_tv_is_let_in_by_the_short_code_that_it_shows(page: PageUnderTest) -> None:
    paired, tv, guest = page.paired_phone(), page.guest(), page.phone("192.168.1.21")
    code = tv.post("/api/pair/screen", {}).data["code"]
    assert len(code) == 4 and code.isdecimal()
    # Asking again shows the same; another device has another, and lets nobody in.
    assert tv.post("/api/pair/screen", {}).data["code"] == code
    other = guest.post("/api/pair/screen", {}).data["code"]
    assert other != code
    assert guest.post("/api/pair/screen/let-in", {"code": code}).status == 401
    wrong = next(text for number in range(3) if (text := f"{number:04}") not in (code, other))
    answer = paired.post("/api/pair/screen/let-in", {"code": wrong})
    assert answer.status == 404 and answer.data["key"] == "no_screen"
    assert paired.post("/api/pair/screen/let-in", {"code": code}).status == 200
    assert "paired" not in guest.post("/api/pair/screen", {}).data
    assert tv.post("/api/pair/screen", {}).data["paired"]
    assert tv.get("/live.jpg").status in (200, 404) and guest.get("/live.jpg").status == 401


def test_a_screen_that_has_gone_is_not_let_in_and_one_address_shows_few_codes(page: PageUnderTest) -> None:
    paired, tv = page.paired_phone(), page.guest()
    code = tv.post("/api/pair/screen", {}).data["code"]
    codes = [page.guest().post("/api/pair/screen", {}).data["code"] for _ in range(10)]
    assert codes.count(None) >= 8
    assert page.phone("192.168.1.22").post("/api/pair/screen", {}).data["code"] is not None
    page.clock.now_s += 60
    assert paired.post("/api/pair/screen/let-in", {"code": code}).status == 404
    assert page.phone("93.184.216.34").post("/api/pair/screen", {}).data["code"] is None


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_privacy_is_three_sentences_with_the_figures_that_hold(language: str) -> None:
    words = words_in(language)
    budget = Budget()
    for key in ("privacy_what", "privacy_long", "privacy_who", "privacy_who_open"):
        assert words[key].count(".") == 1 and words[key].endswith(".")
    for figure in (LAST_GAMES, budget.undisputed_days, budget.disputed_days):
        assert str(figure) in words["privacy_long"]


def test_only_a_paired_device_sets_house_and_club_and_no_secret_ever_comes_back(page: PageUnderTest) -> None:
    guest, paired = page.phone(), page.paired_phone()
    assert guest.get("/api/house").status == 401
    assert guest.post("/api/house", {"on": True, "host": "ha.local"}).status == 401
    assert not load_mqtt(page.folder).on
    answer = paired.post("/api/house", {"on": True, "host": "ha.local", "password": "sesame", "buttons": True})
    assert answer.status == 200 and answer.data["host"] == "ha.local" and answer.data["has_password"]
    again = paired.get("/api/house")
    assert again.status == 200 and again.data["user"] == ""
    assert b"sesame" not in answer.body + again.body
    kept = load_mqtt(page.folder)
    assert (kept.password, kept.buttons) == ("sesame", True)


@pytest.mark.parametrize(
    ("data", "key"), [({"on": True}, "mqtt_no_host"), ({"join": "abc"}, "mqtt_code"), ({"port": -1}, "mqtt_port")]
)
def test_what_cannot_be_is_a_sentence(paired: Phone, data: dict[str, object], key: str) -> None:
    answer = paired.post("/api/house", data)
    assert answer.status == 400 and answer.data["key"] == key and answer.data["error"]
