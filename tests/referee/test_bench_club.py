"""The trials of telling: some kills here, a hundred in `ringmaster bench club`; and they must be able to fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import delete, update

from referee.bench.club import ClubVerdict, sum_up
from referee.bench.quiet_table import quiet_table
from referee.cli import main
from referee.club.database import open_database
from referee.club.models import Event, Ruling
from referee.club.recording import Recorder
from referee.journal.outbox import messages
from tests.support.house_tools import needs_mosquitto


@needs_mosquitto
def test_a_table_that_is_killed_while_it_tells_loses_and_doubles_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "club", "--kills", "1", "--json"]) == 0
    verdict = json.loads(capfd.readouterr().out)
    assert (verdict["kills"], verdict["fault_count"], verdict["tables"]) == (1, 0, 1)


def test_what_is_lost_or_otherwise_is_found(tmp_path: Path) -> None:
    (tmp_path / "all" / "t").mkdir(parents=True)
    table = quiet_table(tmp_path / "all" / "t")
    table.journal.change_outbox(lambda outbox: outbox.begin())
    table.controller.start("piccolino", ["Ann", "Ben"], {})
    for seat in (0, 1, 0):
        table.tell("bell", seat=seat)
    engine = open_database(f"sqlite:///{tmp_path}/club.sqlite")
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO tables VALUES ('t', 'T', '00', 0, NULL, '', 0, 0)")
        recorder = Recorder(connection, 1)
        for message in messages(table.journal.read, "s", 0, 99):
            recorder.take("t", message.data)
        recorder.finish()
    table.journal.change_outbox(lambda outbox: outbox.arrived(4))
    table.close()
    assert sum_up(ClubVerdict(), tmp_path / "all", engine).faults == []
    with engine.begin() as connection:
        connection.execute(delete(Event).where(Event.number == 2))
        connection.execute(update(Ruling).where(Ruling.event == 1, Ruling.place == 0).values(data={"ruling": "?"}))
    assert len(sum_up(ClubVerdict(), tmp_path / "all", engine).faults) == 2
    engine.dispose()
