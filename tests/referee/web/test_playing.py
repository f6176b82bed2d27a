"""A game on the page: started, followed, corrected, undone, and looked at afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from hardware.problems import Health, Problem
from tests.support.page_tools import START, Answer, PageUnderTest, Phone
from tests.support.waiting import wait_for

SCENES = Path(__file__).parents[2] / "data" / "scenes"
CONFETTI = {"do": "start", "game": "confetti", "players": ["Ann", "Ben"], "options": {"edition": "german"}}
THREE_SETS = [["red", "blue", "green"], ["green", "red", "blue"], ["blue", "green", "red"]]


def turn_a_pair(page: PageUnderTest) -> None:
    page.table.report("card_shown", seat=0, colour="red", mood="happy")
    page.table.report("card_shown", seat=1, colour="red", mood="happy")


def asked_for(phone: Phone, key: str) -> list[dict[str, Any]]:
    """Return what the page shows of a kind, once there is any."""
    wait_for(lambda: phone.state()[key])
    return list(phone.state()[key])


def test_a_ring_nobody_claimed_is_named_and_an_unclear_one_decided_by_a_tap(page: PageUnderTest, paired: Phone) -> None:
    paired.do(**START)
    turn_a_pair(page)
    page.table.report("bell", seat=None)
    assert [one["kind"] for one in asked_for(paired, "questions")] == ["who_rang"]
    assert paired.do(do="ringer", seat=1).status == 200
    assert not paired.state_with("Valid ring, Ben")["questions"]
    page.table.report("card_shown", seat=0, colour="red", mood="happy")
    page.table.report("card_shown", seat=1, colour=None, mood=None)
    page.table.report("bell", seat=2)
    assert [one["kind"] for one in paired.state_with("Unclear")["questions"]] == ["decide"]
    assert paired.do(do="decide", valid=False).status == 200
    assert not paired.state_with("False ring, Cem")["questions"]


def test_a_hand_is_explained_set_by_set_and_put_right(page: PageUnderTest, paired: Phone) -> None:
    paired.do(**CONFETTI)
    assert paired.do(do="flip").status == 200
    assert paired.do(do="time").status == 200
    page.table.report("hand", seat=0, cards=THREE_SETS)
    page.table.report("hand", seat=1, cards=THREE_SETS[:2])
    state = paired.state_with("Ann: three sets on three cards")
    hand = next(one for one in state["rulings"] if one["ruling"]["ruling"] == "hand" and one["ruling"]["seat"] == 0)
    why = paired.get(f"/api/rulings/{hand['id']}/explain").data
    sets = [step["cards"] for step in why["steps"] if step["kind"] == "set"]
    assert len(sets) == 3 and all(len(cards) == 3 for cards in sets)
    (reading,) = why["readings"]
    changed = {**reading["data"], "cards": THREE_SETS[:2]}
    assert paired.do(do="correct", event=reading["event"], **{"with": changed}).status == 200
    assert paired.state_with("Ann: no sets")["board"][0]["points"] == 0


def test_the_photo_finish_has_pictures_on_a_time_line(page: PageUnderTest, paired: Phone) -> None:
    paired.do(**START)
    turn_a_pair(page)
    page.table.report("bell", seat=2)
    state = paired.state_with("Valid ring, Cem: two happy reds.")
    assert [one["points"] for one in state["board"]] == [17, 18, 20]
    ring = next(one for one in state["rulings"] if one["ruling"]["ruling"] == "ring")
    log = page.table.referee.match.playing().log
    grey = cv2.imencode(".jpg", np.full((72, 128, 3), 90, np.uint8))[1].tobytes()
    about = log.about(log.ruling(ring["id"]))
    page.table.referee.evidence.add(log.game, about, [(-40.0, grey), (-7.0, grey), (26.0, grey)])
    frames = paired.get(f"/api/rulings/{ring['id']}/timeline").data["frames"]
    assert [frame["t_ms"] for frame in frames] == [-40.0, -7.0, 26.0]
    answer = paired.get(f"/pictures/{frames[1]['picture']}.jpg")
    assert (answer.status, answer.headers["content-type"], answer.body) == (200, "image/jpeg", grey)
    # The live picture is there when a camera is.
    missing = paired.get("/live.jpg")
    assert missing.status == 404 and "picture" in missing.data["error"]
    page.table.show(np.full((72, 128, 3), 90, np.uint8))
    assert paired.get("/live.jpg").body[:2] == b"\xff\xd8"


def test_what_does_not_work_is_said_in_words(page: PageUnderTest, phone: Phone) -> None:
    page.table.referee.health.report(Problem("camera", Health.MISSING, "The camera is not plugged in.", t_ns=1))
    page.table.referee.changed()
    (camera,) = asked_for(phone, "devices")
    assert camera["state"] == "missing" and camera["message"].endswith(".")


def test_pause_settings_and_the_end(page: PageUnderTest, paired: Phone) -> None:
    paired.do(**START)
    assert paired.do(do="pause").status == 200
    assert paired.do(do="resume").status == 200
    settings = {"language": "de", "volume": 0.5, "quiet": True, "quiet_hours": ["21:30", "07:00"]}
    assert paired.do(do="settings", **settings).status == 200
    assert settings.items() <= page.table.referee.state()["settings"].items()
    assert paired.do(do="settings", quiet_hours=None).status == 200
    assert page.table.referee.state()["settings"]["quiet_hours"] is None
    turn_a_pair(page)
    page.table.report("bell", seat=2)
    paired.do(do="stop")
    paired.state_with("Ende: Cem gewinnt")
    (game,) = paired.get("/api/history").data["games"]
    assert game["winners"] == [2]
    assert paired.get(f"/api/history/{game['id']}").data["rulings"][0]["text"].startswith("Richtig")
    (best, *_) = paired.get("/api/statistics").data["players"]
    assert (best["name"], best["wins"], best["valid"]) == ("Cem", 1, 1)


def test_bell_and_camera_are_set_on_the_page_and_a_wrong_pin_is_refused_in_its_words(paired: Phone) -> None:
    assert paired.do(do="settings", bell="seats", bell_pins=[17, 27, 22], lamp=False).status == 200
    before = paired.state()["settings"]
    wrong = paired.do(do="settings", bell_pins=[17, 27, 17])
    assert (wrong.status, wrong.data["key"], wrong.data["values"]) == (400, "pin_taken", {"pin": 17})
    assert paired.do(do="settings", camera="video:/etc/passwd").status == 400
    assert paired.state()["settings"] == before


NOT_THERE = {
    "/api/rulings/9-9-9/explain": 400,
    "/api/history/77": 400,
    "/api/history/..%2f..": 404,
    "/pictures/9-9-9.jpg": 404,
    "/pictures/..%2fjournal.jpg": 404,
    "/page/../app.py": 404,
    "/page/%2e%2e/app.py": 404,
    "/nothing": 404,
}


def test_what_is_not_there_is_said_in_a_sentence(phone: Phone) -> None:
    for path, status in NOT_THERE.items():
        answer = phone.get(path)
        assert (path, answer.status) == (path, status)
        assert answer.data["error"] and "Traceback" not in answer.body.decode()


def test_a_picture_of_a_table_is_scored_and_what_is_none_is_refused_without_naming_files(paired: Phone) -> None:
    def scored(data: bytes) -> Answer:
        return paired.ask("POST", "/api/picture?players=3&limit=6", data, X_CSRF_Token=paired.csrf)

    answer = scored((SCENES / "white-seats-mug.jpg").read_bytes())
    assert answer.status == 200, answer.body[:200]
    said = [one["text"] for one in answer.data["sentences"] if one["seat"] is not None]
    assert len(said) == 3 and all("Seat" in text for text in said)
    assert answer.data["picture"].startswith("/9j/")
    for data in (b"", b"no picture", b"\xff\xd8\xff\xe0" + b"\0" * 200):
        answer = scored(data)
        assert answer.status == 400
        assert "/tmp" not in answer.data["error"] and answer.data["error"]
