"""Guests at a club's broker and page, and messages that make no sense: members notice nothing, no thread stops."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, insert, select, text
from sqlalchemy.exc import OperationalError

from referee.club.database import open_database
from referee.club.intake import Intake
from referee.club.members import Door, invite, put_out
from referee.club.models import ClubEvent, ClubGame, ClubRuling, ClubSeat, ClubTable
from referee.club.recording import Recorder
from referee.club.service import ClubService
from referee.club.settings import ClubSettings
from referee.club.views import Views
from referee.club.web import MOST_ASKING, create_club_app
from referee.errors import BadInputError
from referee.language import Language
from referee.mqtt.client import BrokerLine, Ends, Extras, Received, key_of, seal, secret_of
from referee.mqtt.settings import Broker
from referee.web.server import PageServer
from tests.support.brokers import broker_at_work
from tests.support.club_tools import asked, club_at_work, join, needs_postgres
from tests.support.databases import postgres_at_work
from tests.support.fails_once import FailsOnce
from tests.support.house_tools import listening, needs_mosquitto, publishing
from tests.support.mutated import deep, flipped, mutated
from tests.support.waiting import wait_for


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Engine]:
    found = open_database(f"sqlite:///{tmp_path}/club.sqlite")
    yield found
    found.dispose()


def asking(code: str, table: str, name: str) -> Received:
    topic, payload = f"ringmaster/{table}/join", json.dumps({"name": name, "nonce": "n"}).encode()
    return Received(topic, payload, seal=seal(key_of(secret_of(code), table), topic, payload))


def test_a_name_in_use_is_refused_and_the_invitation_stays(empty: Engine) -> None:
    door, first, second = Door(empty), invite(empty), invite(empty)
    for _ in range(2):
        door.prepare()
    answer = door.asked("t1", asking(first, "t1", "Window"))
    assert answer is not None and answer.why == ""
    for table, name in (("t1", "Other"), ("t2", "WINDOW")):
        refused = door.asked(table, asking(second, table, name))
        assert refused is not None and refused.why == "name_in_use"
    assert [one["name"] for one in Views(empty).tables()] == ["Window"]
    # A table that did not hear the answer gets it again.
    again = door.asked("t1", asking(first, "t1", "Window"))
    assert again is not None and (again.why, again.key) == ("", answer.key)
    put_out(empty, "t1")
    door.prepare()
    fresh = door.asked("t1", asking(second, "t1", "Window"))
    assert fresh is not None and fresh.why == "" and fresh.key != answer.key


def test_who_is_not_invited_is_not_answered_and_nonsense_is_refused(empty: Engine) -> None:
    door, code = Door(empty), invite(empty)
    door.prepare()
    assert door.asked("t1", asking("A" * 10, "t1", "Guest")) is None
    topic = "ringmaster/t1/join"
    for payload in (b"[]", b"\xff", b'{"name": NaN}'):
        with pytest.raises(BadInputError):
            door.asked("t1", Received(topic, payload, seal=seal(key_of(secret_of(code), "t1"), topic, payload)))
    assert door.asked("t1", asking(code, "t1", "\0" * 70)) is not None
    assert [one["name"] for one in Views(empty).tables()] != [""]


@needs_mosquitto
def test_members_do_not_wait_for_guests_who_knock(tmp_path: Path) -> None:
    with (
        broker_at_work(tmp_path / "broker") as broker,
        publishing(tmp_path / "a", broker.port, name="Window") as one,
        publishing(tmp_path / "b", broker.port, name="Window") as other,
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
            one.table.referee.begin("piccolino", ["Ann", "Ben", "Cem"], {})
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


def test_guests_who_ask_for_pictures_of_a_table_that_is_off_hold_up_no_page(
    empty: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.club.evidence.ANSWER_S", 1.0)
    door, code = Door(empty), invite(empty)
    door.prepare()
    door.asked("t1", asking(code, "t1", "Window"))
    settings = ClubSettings(host="127.0.0.1")
    service = ClubService(settings, empty)
    server = PageServer(create_club_app(service, empty, settings), "127.0.0.1", 0)
    server.start()
    answers: list[int] = []
    try:
        # One that has said that it is off is not even asked.
        assert asked(server.port, "/api/evidence/t1/g/1")[0] == 409
        # One whose plug was pulled counts as on for a while.
        service.live.received("t1", "availability", Received("ringmaster/t1/availability", b"online"))
        guests = [
            threading.Thread(target=lambda: answers.append(asked(server.port, "/api/evidence/t1/g/1")[0]))
            for _ in range(60)
        ]
        for guest in guests:
            guest.start()
        wait_for(lambda: len(service.evidence._asked) >= MOST_ASKING)
        assert asked(server.port, "/api/club/en")[0] == 200
        # The page answered while guests were still waiting.
        assert len(answers) < 60
        for guest in guests:
            guest.join()
    finally:
        server.stop()
    assert set(answers) == {409, 503}


DATA = Path(__file__).parents[2] / "data" / "club"
PLAYERS = ["Ann", "Ben"]
KEYS = {"one": b"1" * 32, "two": b"2" * 32}
END = {"ruling": "end", "t_ns": 1, "winners": [0], "cards": [30, 25]}


def game(uid: str) -> dict[str, Any]:
    header = {"game": "piccolino", "players": PLAYERS, "options": {}}
    return {"kind": "game", "game": uid, "header": header, "started_ms": 5}


def event(uid: str, number: int, *rulings: object) -> dict[str, Any]:
    what = {"wall_ms": 1, "event": {"event": "stop", "t_ns": number}, "refused": False, "rulings": list(rulings)}
    return {"kind": "event", "game": uid, "number": number, **what}


def correction(uid: str, number: int) -> dict[str, Any]:
    what = {"wall_ms": 1, "event": 1, "data": None, "undoes": None}
    return {"kind": "correction", "game": uid, "number": number, **what, "gone": [[1, 0]], "new": [[1, 0, END]]}


def sealed(table: str, payload: bytes) -> tuple[str, Received]:
    topic = f"ringmaster/{table}/events"
    return table, Received(topic, payload, seal=seal(KEYS[table], topic, payload))


def numbered(table: str, seq: int, data: dict[str, Any]) -> tuple[str, Received]:
    return sealed(table, json.dumps({"stream": "S", "seq": seq, **data}).encode())


def with_members(engine: Engine) -> Engine:
    with engine.begin() as connection:
        for table, key in KEYS.items():
            values = {"name": table, "key": key.hex(), "joined_ms": 0, "stream": "", "seq": 0, "seen_ms": 0}
            connection.execute(insert(ClubTable).values(id=table, **values))
    return engine


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with postgres_at_work() as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=needs_postgres)])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    if request.param == "sqlite":
        found = with_members(open_database(f"sqlite:///{tmp_path}/club.sqlite"))
        yield found
        found.dispose()
        return
    found = with_members(open_database(request.getfixturevalue("postgres")))
    yield found
    with found.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    found.dispose()


class Asides(list[str]):
    """The reasons for which messages were set aside."""

    def put(self, topic: str, payload: bytes, why: object) -> None:
        self.append(str(why))


def places(engine: Engine, uid: str) -> list[tuple[int | None, int | None]]:
    with engine.connect() as connection:
        asked = select(ClubSeat.points, ClubSeat.place).where(ClubSeat.game_uid == uid).order_by(ClubSeat.seat)
        return [(row[0], row[1]) for row in connection.execute(asked)]


@pytest.mark.parametrize("name", ["end-winners-null", "end-points-number"])
def test_an_end_without_winners_is_set_aside_and_the_next_is_taken(engine: Engine, name: str) -> None:
    data = json.loads((DATA / f"club-message-{name}.json").read_text())
    asides = Asides()
    intake = Intake(engine, asides.put)
    bad = {key: value for key, value in data.items() if key not in ("stream", "seq")}
    batch = [numbered("one", 1, game("g")), numbered("one", 2, bad), numbered("one", 3, event("g", 9, END))]
    assert intake.take(batch)[-1].seq == 3
    assert len(asides) == 1 and "rulings.0" in asides[0]
    assert places(engine, "g") == [(30, 1), (25, 2)]
    # After a restart nothing of it is left to be stumbled over.
    assert Intake(engine, asides.put).take([numbered("one", 4, event("g", 10))])[-1].seq == 4


def test_an_end_that_an_older_version_kept_unchecked_harms_nobody(engine: Engine) -> None:
    intake = Intake(engine)
    intake.take([numbered("one", 1, game("g")), numbered("one", 2, event("g", 1, END))])
    with engine.begin() as connection:
        row = {"game_uid": "g", "event": 1, "place": 1, "since": 0, "kind": "end"}
        connection.execute(insert(ClubRuling).values(**row, data={"ruling": "end", "winners": None, "points": 5}))
    assert intake.take([numbered("one", 3, correction("g", 1))])[-1].seq == 3


def test_only_the_table_of_a_game_adds_to_it(engine: Engine) -> None:
    asides = Asides()
    intake = Intake(engine, asides.put)
    intake.take([numbered("one", 1, game("g")), numbered("one", 2, event("g", 1, END))])
    wicked = json.loads((DATA / "club-message-into-anothers-game.json").read_text())
    payload = json.dumps({**wicked, "game": "g"}).encode()
    messages = [
        sealed("two", payload),
        numbered("two", 2, event("g", 2, {**END, "winners": [1]})),
        numbered("two", 3, {**game("g"), "header": {"game": "piccolino", "players": ["Eve", "Eve"]}}),
        numbered("two", 4, {"kind": "dispute", "game": "g", "event": 1}),
        numbered("two", 5, event("elsewhere", 1)),
        numbered("two", 6, game("own")),
    ]
    assert intake.take(messages)[-1].seq == 6
    assert [why.endswith("belongs to another table") for why in asides] == [True] * 4 + [False]
    assert places(engine, "g") == [(30, 1), (25, 2)]
    with engine.connect() as connection:
        assert (
            connection.scalars(select(ClubSeat.name).where(ClubSeat.game_uid == "g").order_by(ClubSeat.seat)).all()
            == PLAYERS
        )
        assert connection.scalar(select(ClubGame.table_id).where(ClubGame.uid == "own")) == "two"


def test_a_message_that_the_database_never_takes_is_set_aside_after_some_tries(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = Recorder.take

    def refusing(self: Recorder, table: str, data: dict[str, Any]) -> None:
        if data.get("number") == 1:
            raise OperationalError("INSERT", {}, Exception("index row too large"))
        take(self, table, data)

    monkeypatch.setattr(Recorder, "take", refusing)
    asides = Asides()
    intake = Intake(engine, asides.put)
    batch = [numbered("one", 1, game("g")), numbered("one", 2, event("g", 1)), numbered("one", 3, event("g", 2))]
    for _ in range(4):
        # The database may be away: it is tried again, and nothing is lost.
        with pytest.raises(OperationalError):
            intake.take(batch)
    assert asides == []
    assert intake.take(batch)[-1].seq == 3
    assert len(asides) == 1 and "too large" in asides[0]


def test_a_thousand_mutated_messages_stop_no_intake_and_harm_no_page(engine: Engine) -> None:
    dice, asides = random.Random(60), Asides()
    intake, seq = Intake(engine, asides.put), 1
    intake.take([numbered("one", 1, game("g"))])
    kinds = [lambda n: game(f"g{n}"), lambda n: event("g", n, END), lambda n: correction("g", n)]
    count = 1000 if engine.dialect.name == "sqlite" else 300
    for first in range(0, count, 100):
        batch = []
        for number in range(first, first + 100):
            seq += 1
            whole = {"stream": "S", "seq": seq, **dice.choice(kinds)(number)}
            payload = mutated(whole, dice, ("stream", "seq"))
            # What flips a byte has no number of its own.
            batch.append(sealed("one", flipped(payload, dice) if number % 10 == 0 else payload))
            batch += [sealed("one", payload)] if number % 10 == 0 else []
        batch += [sealed("one", deep(5000)), sealed("one", b"\xff"), sealed("one", b"[]"), sealed("one", b"")]
        acks = intake.take(batch)
        assert acks[-1].seq == seq
    assert len(asides) > count // 4
    assert intake.take([numbered("one", seq + 1, event("g", 5000, END))])[-1].seq == seq + 1
    views = Views(engine)
    for what in ("tables", "games", "players", "league", "rulings", "disputes"):
        json.dumps(views.export(what, Language()), allow_nan=False)


@needs_mosquitto
def test_the_clubs_threads_go_on_each_raised_in_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = with_members(open_database(f"sqlite:///{tmp_path}/club.sqlite"))
    with broker_at_work(tmp_path / "broker") as broker:
        where = Broker(host="127.0.0.1", port=broker.port)
        opening = FailsOnce(BrokerLine.open)
        monkeypatch.setattr(BrokerLine, "open", lambda self: opening(self))
        service = ClubService(ClubSettings(host="127.0.0.1", port=broker.port), engine, 0.01)
        service.start()
        try:
            wait_for(lambda: service.failed == "club line, UnexpectedError")
            wait_for(lambda: service.status == "up")
            gathering = FailsOnce(service._gathered)
            monkeypatch.setattr(service, "_gathered", gathering)
            wait_for(lambda: service.failed == "club intake, UnexpectedError")
            wait_for(gathering.worked.is_set)
            line = BrokerLine(
                where, "member", Ends(lambda message: None, lambda mid: None, lambda why: None), None, None
            )
            line.open()
            for seq, data in enumerate([game("g"), {"kind": "event", "rulings": 7}, event("g", 1, END)], 1):
                topic, payload = "ringmaster/one/events", json.dumps({"stream": "S", "seq": seq, **data}).encode()
                line.publish(topic, payload, Extras(seal(KEYS["one"], topic, payload)))
            # Paho's own thread meets what it does not expect, and others' names that are none.
            hearing = FailsOnce(service.live.received)
            monkeypatch.setattr(service.live, "received", hearing)
            line.publish("ringmaster/one/state", b"{}")
            line.publish("ringmaster/" + "x" * 100 + "/events", b"{}")
            line.publish("ringmaster/one/state", b'{"mode": "playing"}')
            wait_for(lambda: places(engine, "g") == [(30, 1), (25, 2)])
            wait_for(lambda: service.live.of("one").get("mode") == "playing")
            wait_for(lambda: service.set_aside.count == 2)
            line.close()
        finally:
            service.stop()
    kept = [json.loads(one) for one in (tmp_path / "set-aside.jsonl").read_text().splitlines()]
    assert {"rulings" in one["message"] for one in kept} == {True, False}
    assert all(one["reason"] and one["at"] for one in kept)
    with engine.connect() as connection:
        assert connection.scalars(select(ClubEvent.number)).all() == [1]
    engine.dispose()
