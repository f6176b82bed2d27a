"""What guests and strangers at a club's broker and page can do: nothing that members would notice."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from referee.club.database import open_database
from referee.club.members import Door, invite, put_out
from referee.club.service import ClubService
from referee.club.settings import ClubSettings
from referee.club.views import Views
from referee.club.web import MOST_ASKING, create_club_app
from referee.errors import BadInputError
from referee.language import Language
from referee.mqtt.client import Extras, Received, key_of, seal, secret_of
from referee.web.server import PageServer
from tests.support.brokers import broker_at_work
from tests.support.club_tools import club_at_work, join
from tests.support.house_tools import listening, needs_mosquitto, telling, wait_for


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    found = open_database(f"sqlite:///{tmp_path}/club.sqlite")
    yield found
    found.dispose()


def asking(code: str, table: str, name: str) -> Received:
    topic, payload = f"ringmaster/{table}/join", json.dumps({"name": name, "nonce": "n"}).encode()
    return Received(topic, payload, seal=seal(key_of(secret_of(code), table), topic, payload))


def test_a_name_in_use_is_refused_and_the_invitation_stays(engine: Engine) -> None:
    door, first, second = Door(engine), invite(engine), invite(engine)
    for _ in range(2):
        door.prepare()
    told = door.asked("t1", asking(first, "t1", "Window"))
    assert told is not None and told.why == ""
    for table, name in (("t1", "Other"), ("t2", "WINDOW")):
        refused = door.asked(table, asking(second, table, name))
        assert refused is not None and refused.why == "name_in_use"
    assert [one["name"] for one in Views(engine).tables()] == ["Window"]
    # Who did not hear the answer is told again.
    again = door.asked("t1", asking(first, "t1", "Window"))
    assert again is not None and (again.why, again.key) == ("", told.key)
    put_out(engine, "t1")
    door.prepare()
    anew = door.asked("t1", asking(second, "t1", "Window"))
    assert anew is not None and anew.why == "" and anew.key != told.key


def test_who_is_not_invited_is_not_answered_and_nonsense_is_refused(engine: Engine) -> None:
    door, code = Door(engine), invite(engine)
    door.prepare()
    assert door.asked("t1", asking("A" * 10, "t1", "Guest")) is None
    topic = "ringmaster/t1/join"
    for payload in (b"[]", b"\xff", b'{"name": NaN}'):
        with pytest.raises(BadInputError):
            door.asked("t1", Received(topic, payload, seal=seal(key_of(secret_of(code), "t1"), topic, payload)))
    assert door.asked("t1", asking(code, "t1", "\0" * 70)) is not None
    assert [one["name"] for one in Views(engine).tables()] != [""]


@needs_mosquitto
def test_members_do_not_wait_for_guests_who_knock(tmp_path: Path) -> None:
    with (
        broker_at_work(tmp_path / "broker") as broker,
        telling(tmp_path / "a", broker.port, name="Window") as one,
        telling(tmp_path / "b", broker.port, name="Window") as other,
        club_at_work(tmp_path / "club", broker) as club,
        listening(broker) as (_, line),
    ):
        for _ in range(5):
            invite(club.engine)
        knocking = threading.Event()

        def knock() -> None:
            number = 0
            while not knocking.wait(0.01):
                number += 1
                topic = f"ringmaster/guest{number}/join"
                line.publish(topic, b'{"name": "Guest", "nonce": "n"}', Extras(seal(b"guess", topic, b"x")))

        guest = threading.Thread(target=knock)
        guest.start()
        try:
            join(club, one)
            one.table.controller.start("piccolino", ["Ann", "Ben", "Cem"], {})
            one.play(5)
            wait_for(lambda: one.publisher.public(Language())["waiting"] == 0)
            other.publisher.change({"join": invite(club.engine)})
            wait_for(lambda: "has this name" in other.publisher.public(Language())["text"])
            other.publisher.change({"name": "Door"})
            join(club, other)
        finally:
            knocking.set()
            guest.join()
        assert [row["name"] for row in club.views.tables()] == ["Door", "Window"]


def asked(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    status = connection.getresponse().status
    connection.close()
    return status


def test_guests_who_ask_for_pictures_of_a_table_that_is_off_hold_up_no_page(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.club.evidence.ANSWER_S", 1.0)
    door, code = Door(engine), invite(engine)
    door.prepare()
    door.asked("t1", asking(code, "t1", "Window"))
    settings = ClubSettings(host="127.0.0.1")
    service = ClubService(settings, engine)
    server = PageServer(create_club_app(service, engine, settings), "127.0.0.1", 0)
    server.start()
    answers: list[int] = []
    try:
        # One that has said that it is off is not even asked.
        assert asked(server.port, "/api/evidence/t1/g/1") == 409
        # One whose plug was pulled counts as on for a while.
        service.live.received("t1", "availability", Received("ringmaster/t1/availability", b"online"))
        guests = [
            threading.Thread(target=lambda: answers.append(asked(server.port, "/api/evidence/t1/g/1")))
            for _ in range(60)
        ]
        for guest in guests:
            guest.start()
        wait_for(lambda: len(service.evidence._asked) >= MOST_ASKING)
        assert asked(server.port, "/api/club/en") == 200
        # The page answered while guests were still waiting.
        assert len(answers) < 60
        for guest in guests:
            guest.join()
    finally:
        server.stop()
    assert set(answers) == {409, 503}
