"""A club with real tables, broker and database: everything once and in order, though one of them is away."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, insert, select

from referee.club.database import open_database
from referee.club.league import FIRST_ELO, Result, league
from referee.club.members import invite, put_out
from referee.club.models import Base, ClubEvent, ClubGame, ClubTable
from referee.club.recording import Recorder, results
from referee.club.service import ClubService
from referee.club.settings import ClubSettings
from referee.club.web import create_club_app
from referee.commands import main
from referee.language import Language
from referee.web.server import PageServer
from tests.support.brokers import Mosquitto, broker_at_work
from tests.support.club_check import faults_against
from tests.support.club_tools import ClubAtWork, asked, club_at_work, join
from tests.support.databases import postgres_at_work, why_no_postgres
from tests.support.house_tools import PublishingTable, needs_mosquitto, publishing
from tests.support.waiting import wait_for

pytestmark = needs_mosquitto
PLAYERS = ["Ann", "Ben", "Cem"]


def counted(club: ClubAtWork) -> int:
    with club.engine.connect() as connection:
        return len(connection.execute(select(ClubEvent.number)).all())


def started(table: PublishingTable) -> None:
    table.table.referee.begin("piccolino", PLAYERS, {})


def the_story(tmp_path: Path, url: str | None) -> None:
    """Three tables play and correct; the broker goes and forgets, the club goes and comes, a table is put out."""
    broker = Mosquitto(tmp_path / "broker", forgets=True)
    broker.start()
    with ExitStack() as stack:
        stack.callback(broker.stop)
        tables = [stack.enter_context(publishing(tmp_path / name, broker.port, name=name)) for name in ("a", "b", "c")]
        with club_at_work(tmp_path / "club", broker, url) as club:
            for table in tables:
                started(table)
                join(club, table)
                table.play(10)
            wait_for(lambda: counted(club) == 30)
            broker.kill()
            for table in tables:
                table.play(8)
                table.table.referee.correct(3, {"seat": 2})
            broker.start()
            wait_for(lambda: counted(club) == 54, "not all came after the broker had forgotten")
        tables[0].play(4)
        with club_at_work(tmp_path / "club", broker, url) as club:
            wait_for(lambda: counted(club) == 58, "not all came after the club was away")
            wait_for(lambda: not faults_against(club.engine, tables[0].table.referee.store))
            for table in tables:
                assert faults_against(club.engine, table.table.referee.store) == []
            wait_for(lambda: all(one["online"] for one in club.views.tables()))
            assert [one["name"] for one in club.views.tables()] == ["a", "b", "c"]
            assert len(club.views.disputes(Language())) == 3
            put_out(club.engine, "b")
            wait_for(lambda: tables[1].publisher.public(Language())["club"] is None)
            assert [one["name"] for one in club.views.tables()] == ["a", "c"]
            tables[1].play(5)
            tables[2].play(5)
            wait_for(lambda: counted(club) == 63)


def test_three_tables_are_kept_whole(tmp_path: Path) -> None:
    with postgres_at_work() if why_no_postgres() is None else nullcontext() as url:
        the_story(tmp_path, url)


def test_evidence_comes_from_the_table_when_it_is_asked_for(tmp_path: Path) -> None:
    with (
        broker_at_work(tmp_path / "broker") as broker,
        publishing(tmp_path / "a", broker.port) as one,
        club_at_work(tmp_path / "club", broker) as club,
    ):
        started(one)
        join(club, one)
        one.play(1)
        one.table.referee.evidence.add(1, 1, [(-20.0, b"\xff\xd8before"), (15.0, b"\xff\xd8after")])
        wait_for(lambda: counted(club) == 1)
        key = club.views.key_of(one.name) or b""
        with club.engine.connect() as connection:
            uid = connection.scalars(select(ClubGame.uid)).one()
        ask, found = club.service.evidence.fetch(one.name, key, uid, 1)
        assert found.pictures == [(-20.0, b"\xff\xd8before"), (15.0, b"\xff\xd8after")]
        assert club.service.evidence.picture(ask, 1) == b"\xff\xd8after"
        _, none = club.service.evidence.fetch(one.name, key, uid, 99)
        assert none.pictures == []


def test_nobody_is_let_in_without_a_code_and_a_code_lets_one_table_in(tmp_path: Path) -> None:
    with (
        broker_at_work(tmp_path / "broker") as broker,
        publishing(tmp_path / "a", broker.port) as one,
        publishing(tmp_path / "b", broker.port) as other,
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


def test_a_club_that_was_restored_from_an_old_copy_gets_everything_again(tmp_path: Path) -> None:
    with broker_at_work(tmp_path / "broker") as broker, publishing(tmp_path / "a", broker.port) as one:
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
            assert faults_against(club.engine, one.table.referee.store) == []


END = {"ruling": "end", "t_ns": 9, "winners": [0], "cards": [30, 25]}


def filled(folder: Path) -> Engine:
    engine = open_database(f"sqlite:///{folder}/club.sqlite")
    with engine.begin() as connection:
        recorder = Recorder(connection, 5)
        for table, names in (("t1", ["Ann", "=1+1"]), ("t2", ["ANN", "Ben"])):
            values = {"id": table, "name": table.upper(), "key": "00", "joined_ms": 0, "stream": "", "seq": 0}
            connection.execute(insert(ClubTable).values(**values, seen_ms=0))
            header = {"game": "piccolino", "players": names}
            recorder.take(
                table, {"kind": "game", "game": f"g-{table}", "header": header, "started_ms": 1_790_000_000_000}
            )
            happened = {"wall_ms": 1_790_000_001_000, "event": {"event": "stop", "t_ns": 9}, "refused": False}
            recorder.take(table, {"kind": "event", "game": f"g-{table}", "number": 1, **happened, "rulings": [END]})
            recorder.take(table, {"kind": "dispute", "game": f"g-{table}", "event": 1})
        recorder.finish()
    return engine


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    engine = filled(tmp_path_factory.mktemp("club"))
    settings = ClubSettings(host="127.0.0.1", name="Rook & Ring")
    server = PageServer(create_club_app(ClubService(settings, engine), engine, settings), "127.0.0.1", 0)
    server.start()
    yield server.port
    server.stop()
    engine.dispose()


def data(port: int, path: str) -> Any:  # noqa: ANN401 (JSON)
    status, body = asked(port, path)
    assert status == 200, body
    return json.loads(body)


def test_all_tables_at_a_glance_and_one_player_at_two_of_them(port: int) -> None:
    club = data(port, "/api/club/de")
    tables = [(one["name"], one["online"], one["games"]) for one in club["tables"]]
    assert tables == [("T1", False, 1), ("T2", False, 1)]
    assert club["line"] == "Der Broker wird gerufen …" and club["may_change"]
    first = data(port, "/api/players")["players"][0]
    assert (first["player"].lower(), first["games"], first["tables"]) == ("ann", 2, 2)
    ann = data(port, "/api/league")["league"][0]
    assert (ann["wins"], ann["points"]) == (2, 2)
    (evening,) = data(port, "/api/evenings")["evenings"]
    assert (evening["games"], evening["players"]) == (2, 3)
    assert len(data(port, f"/api/games?evening={evening['evening']}")["games"]) == 2
    assert all(one["text"].startswith("The end: A") for one in data(port, "/api/disputes/en")["disputes"])


def test_files_open_in_a_spreadsheet_without_running_anything(port: int) -> None:
    _, body = asked(port, "/api/export/en/league.csv")
    rows = list(csv.DictReader(io.StringIO(body.decode())))
    assert {row["player"] for row in rows} == {"ANN", "'=1+1", "Ben"}
    assert json.loads(asked(port, "/api/export/en/games.json")[1])[0]["kind"] == "piccolino"
    assert asked(port, "/api/export/en/secrets.csv")[0] == 404


def test_nobody_elsewhere_invites_and_no_other_page_does(port: int) -> None:
    assert asked(port, "/api/invite", "POST", Origin="http://evil.example")[0] == 403
    assert asked(port, "/api/club/en", Host="evil.example")[0] == 421
    status, body = asked(port, "/api/invite", "POST", Content_Length="0")
    assert status == 200 and len(json.loads(body)["code"]) == 11
    assert asked(port, "/api/out/nobody", "POST")[0] == 400


def test_the_steps_lead_to_the_tables_that_the_program_knows(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/club.sqlite")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    engine.dispose()


def test_commands_answer_people_and_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = ["--state", str(tmp_path)]
    assert main(["club", "set", "--name", "Rook", "--broker", "box.local", "--points", "5,3", *state]) == 0
    assert "box.local, port 1883; database SQLite" in capsys.readouterr().out
    filled(tmp_path).dispose()
    assert main(["club", "league", *state]) == 0
    assert capsys.readouterr().out.split("\n")[1].split() == ["ANN", "2", "2", "10.0", "1531"]
    assert main(["club", "invite", "--json", *state]) == 0
    assert "-" in json.loads(capsys.readouterr().out)["code"]
    assert main(["club", "out", "T1", *state]) == 0
    assert main(["club", "tables", "--json", *state]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["name"] == "T2"
    (tmp_path / "empty").touch()
    wrong = (
        ["--database", "mysql://x"],
        ["--points", "5,-3"],
        ["--name", ""],
        ["--password-file", f"{tmp_path}/empty"],
    )
    for given in wrong:
        assert main(["club", "set", *given, *state]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and "fault." not in said


ANN_FIRST = Result((("ann", 1), ("ben", 2), ("cem", 3)))


def test_a_point_for_each_player_left_behind_and_half_for_a_shared_place() -> None:
    standings = league([ANN_FIRST, Result((("ann", 1), ("ben", 1)))])
    rows = [(one.player, one.games, one.wins, one.points) for one in standings]
    assert rows == [("ann", 2, 2, 2.5), ("ben", 2, 1, 1.5), ("cem", 1, 0, 0.0)]
    assert standings[0].against == {"ben": [1, 1, 0], "cem": [1, 0, 0]}


def test_points_by_place_are_shared_by_who_shares_places() -> None:
    standings = league([Result((("ann", 1), ("ben", 1), ("cem", 3), ("dora", 4)))], (5, 3, 1))
    assert {one.player: one.points for one in standings} == {"ann": 4, "ben": 4, "cem": 1, "dora": 0}


def test_elo_of_two_equals_moves_by_half_of_k_and_nothing_is_made_of_nothing() -> None:
    two = {one.player: one.elo for one in league([Result((("ann", 1), ("ben", 2)))])}
    assert two == {"ann": FIRST_ELO + 16, "ben": FIRST_ELO - 16}
    four = league([ANN_FIRST, ANN_FIRST, Result((("ann", 4), ("ben", 2), ("cem", 3), ("dora", 1)))])
    assert sum(one.elo for one in four) == pytest.approx(4 * FIRST_ELO)
    assert league([Result((("ann", 1),))]) == []


def test_places_follow_from_the_end_of_each_game() -> None:
    confetti = {"ruling": "end", "winners": [1, 2], "points": [3, 7, 7]}
    assert results(confetti, 3) == [(3, 3), (7, 1), (7, 1)]
    piccolino = {"ruling": "end", "winners": [1], "cards": [0, 55, 0]}
    assert results(piccolino, 3) == [(0, 2), (55, 1), (0, 2)]
    assert results(None, 2) == [(None, None)] * 2
