"""What the club shows and gives out, and its commands, on a database that two tables have filled."""

from __future__ import annotations

import csv
import http.client
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, insert

from referee.cli import main
from referee.club.database import open_database
from referee.club.models import Base, Table
from referee.club.recording import Recorder
from referee.club.service import ClubService
from referee.club.settings import ClubSettings
from referee.club.web import create_club_app
from referee.web.server import PageServer

END = {"ruling": "end", "t_ns": 9, "winners": [0], "cards": [30, 25]}


def filled(folder: Path) -> Engine:
    engine = open_database(f"sqlite:///{folder}/club.sqlite")
    with engine.begin() as connection:
        recorder = Recorder(connection, 5)
        for table, names in (("t1", ["Ann", "=1+1"]), ("t2", ["ANN", "Ben"])):
            values = {"id": table, "name": table.upper(), "key": "00", "joined_ms": 0, "stream": "", "seq": 0}
            connection.execute(insert(Table).values(**values, seen_ms=0))
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


def asked(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def data(port: int, path: str) -> Any:  # noqa: ANN401 (JSON)
    status, body = asked(port, path)
    assert status == 200, body
    return json.loads(body)


def test_all_tables_at_a_glance_and_one_player_at_two_of_them(port: int) -> None:
    club = data(port, "/api/club/de")
    assert [(one["name"], one["online"], one["games"]) for one in club["tables"]] == [
        ("T1", False, 1),
        ("T2", False, 1),
    ]
    assert club["line"] == "Der Broker wird gerufen …" and club["may_change"]
    first = data(port, "/api/players")["players"][0]
    assert (first["player"].lower(), first["games"], first["tables"]) == ("ann", 2, 2)
    ann = data(port, "/api/league")["league"][0]
    assert (ann["wins"], ann["points"]) == (2, 2)
    (evening,) = data(port, "/api/evenings")["evenings"]
    assert (evening["games"], evening["players"]) == (2, 3)
    assert len(data(port, f"/api/games?evening={evening['evening']}")["games"]) == 2


def test_disputes_are_told_in_words(port: int) -> None:
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


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["out", "nobody"], 2),
        (["set", "--database", "mysql://x"], 0),
        (["league", "--since", "yesterday"], 2),
        (["export", "everything"], 2),
        (["run"], 2),
        (["set", "--points", "many"], 2),
    ],
)
def test_what_cannot_be_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], status: int
) -> None:
    assert main(["club", *words, "--state", str(tmp_path)]) == status
    if status:
        assert capsys.readouterr().err.count("\n") == 1
    else:
        assert main(["club", "tables", "--state", str(tmp_path)]) == 2
