"""A club with real tables, broker and database: everything once and in order, whoever is away meanwhile."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import select

from referee.cli import main
from referee.club.members import invite, put_out
from referee.club.models import Event, Game
from referee.language import Language
from tests.support.brokers import Mosquitto, broker_at_work
from tests.support.club_check import faults_against
from tests.support.club_tools import ClubAtWork, club_at_work, join, needs_postgres
from tests.support.databases import postgres_at_work, why_no_postgres
from tests.support.house_tools import TellingTable, needs_mosquitto, telling, wait_for

pytestmark = needs_mosquitto
PLAYERS = ["Ann", "Ben", "Cem"]


def counted(club: ClubAtWork) -> int:
    with club.engine.connect() as connection:
        return len(connection.execute(select(Event.number)).all())


def started(table: TellingTable) -> None:
    table.table.controller.start("piccolino", PLAYERS, {})


def the_story(tmp_path: Path, url: str | None) -> None:
    """Three tables play and correct; the broker goes and forgets, the club goes and comes, a table is put out."""
    broker = Mosquitto(tmp_path / "broker", forgets=True)
    broker.start()
    with ExitStack() as stack:
        stack.callback(broker.stop)
        tables = [stack.enter_context(telling(tmp_path / name, broker.port, name=name)) for name in ("a", "b", "c")]
        with club_at_work(tmp_path / "club", broker, url) as club:
            for table in tables:
                started(table)
                join(club, table)
                table.play(10)
            wait_for(lambda: counted(club) == 30)
            broker.kill()
            for table in tables:
                table.play(8)
                table.table.controller.correct(3, {"seat": 2})
            broker.start()
            wait_for(lambda: counted(club) == 54, "not all came after the broker had forgotten")
        tables[0].play(4)
        with club_at_work(tmp_path / "club", broker, url) as club:
            wait_for(lambda: counted(club) == 58, "not all came after the club was away")
            wait_for(lambda: not faults_against(club.engine, tables[0].table.journal))
            for table in tables:
                assert faults_against(club.engine, table.table.journal) == []
            wait_for(lambda: all(one["online"] for one in club.views.tables()))
            assert [one["name"] for one in club.views.tables()] == ["a", "b", "c"]
            assert len(club.views.disputes(Language())) == 3
            put_out(club.engine, "b")
            wait_for(lambda: tables[1].publisher.public(Language())["club"] is None)
            assert [one["name"] for one in club.views.tables()] == ["a", "c"]
            tables[1].play(5)
            tables[2].play(5)
            wait_for(lambda: counted(club) == 63)


@pytest.mark.skipif(why_no_postgres() is None, reason="the same is tried with PostgreSQL, which is here")
def test_three_tables_are_kept_whole_in_sqlite(tmp_path: Path) -> None:
    the_story(tmp_path, None)


@needs_postgres
def test_three_tables_are_kept_whole_in_postgresql(tmp_path: Path) -> None:
    with postgres_at_work() as url:
        the_story(tmp_path, url)


def test_evidence_comes_from_the_table_when_it_is_asked_for(tmp_path: Path) -> None:
    with (
        broker_at_work(tmp_path / "broker") as broker,
        telling(tmp_path / "a", broker.port) as one,
        club_at_work(tmp_path / "club", broker) as club,
    ):
        started(one)
        join(club, one)
        one.play(1)
        one.table.evidence.add(1, 1, [(-20.0, b"\xff\xd8before"), (15.0, b"\xff\xd8after")])
        wait_for(lambda: counted(club) == 1)
        key = club.views.key_of(one.name) or b""
        with club.engine.connect() as connection:
            uid = connection.scalars(select(Game.uid)).one()
        ask, found = club.service.evidence.fetch(one.name, key, uid, 1)
        assert found.pictures == [(-20.0, b"\xff\xd8before"), (15.0, b"\xff\xd8after")]
        assert club.service.evidence.picture(ask, 1) == b"\xff\xd8after"
        _, none = club.service.evidence.fetch(one.name, key, uid, 99)
        assert none.pictures == []


def test_nobody_is_let_in_without_a_code_and_a_code_lets_one_table_in(tmp_path: Path) -> None:
    with (
        broker_at_work(tmp_path / "broker") as broker,
        telling(tmp_path / "a", broker.port) as one,
        telling(tmp_path / "b", broker.port) as other,
        club_at_work(tmp_path / "club", broker) as club,
    ):
        started(one)
        one.play(3)
        code = invite(club.engine)
        assert main(["mqtt", "--state", str(tmp_path / "a"), "--join", code.lower()]) == 0
        wait_for(lambda: club.views.tables())
        other.publisher.change({"join": code})
        other.publisher.change({"join": "A" * 10})
        started(other)
        other.play(3)
        wait_for(lambda: counted(club) == 3)
        assert [row["id"] for row in club.views.tables()] == [one.name]
        assert other.publisher.public(Language())["club"] is None


def test_what_does_not_fit_is_passed_over_and_holds_up_nobody(tmp_path: Path) -> None:
    from referee.club.database import open_database
    from referee.club.intake import Intake
    from referee.club.models import Table
    from referee.mqtt.client import Received, seal

    engine = open_database(f"sqlite:///{tmp_path}/club.sqlite")
    key = b"k" * 32
    with engine.begin() as connection:
        values = {"id": "t", "name": "T", "key": key.hex(), "joined_ms": 0, "stream": "", "seq": 0, "seen_ms": 0}
        connection.execute(Table.__table__.insert().values(**values))  # type: ignore[attr-defined]

    def message(seq: int, **data: object) -> tuple[str, Received]:
        payload = json.dumps({"stream": "s", "seq": seq, **data}).encode()
        return "t", Received("ringmaster/t/events", payload, seal=seal(key, "ringmaster/t/events", payload))

    header = {"game": "piccolino", "players": PLAYERS}
    event = {"wall_ms": 1, "event": {"event": "bell", "t_ns": 1}, "refused": False, "rulings": []}
    batch = [
        message(1, kind="game", game="g", header=header, started_ms=0),
        message(2, kind="event", game="unknown", number=1, **event),
        message(3, kind="event", game="g", number=1 << 70, **event),
        message(4, kind="event", game="g", number=2, **{**event, "event": 7}),
        message(5, kind="event", game="g", number=1, **event),
    ]
    taken = Intake(engine).take(batch)
    assert taken[-1].seq == 5
    assert Intake(engine).take([batch[4], message(9)])[0].again
    with engine.connect() as connection:
        assert connection.execute(select(Event.game_uid, Event.number)).all() == [("g", 1)]
    engine.dispose()


def test_a_club_that_was_restored_from_an_old_copy_is_told_everything_again(tmp_path: Path) -> None:
    with broker_at_work(tmp_path / "broker") as broker, telling(tmp_path / "a", broker.port) as one:
        with club_at_work(tmp_path / "club", broker) as club:
            started(one)
            join(club, one)
            one.play(5)
            wait_for(lambda: counted(club) == 5)
        copy = (tmp_path / "club" / "club.sqlite").read_bytes()
        with club_at_work(tmp_path / "club", broker) as club:
            one.play(25)
            wait_for(lambda: counted(club) == 30 and one.publisher.public(Language())["waiting"] == 0)
        (tmp_path / "club" / "club.sqlite").write_bytes(copy)
        with club_at_work(tmp_path / "club", broker) as club:
            one.play(1)
            wait_for(lambda: counted(club) == 31)
            assert faults_against(club.engine, one.table.journal) == []
