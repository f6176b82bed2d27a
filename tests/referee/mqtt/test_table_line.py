"""A table on a line where others say what makes no sense, have its name, or have damaged its settings."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import MQTTMessage

from hardware.problems import DeviceHealth, Health
from referee.cli import main
from referee.language import Language
from referee.machine_id import own_name
from referee.mqtt import publisher as publisher_module
from referee.mqtt.client import Ends, Extras, Line, seal
from referee.mqtt.publisher import Publisher
from referee.mqtt.settings import FILE, Broker, Membership, load_mqtt, save_mqtt
from tests.support.brokers import broker_at_work
from tests.support.house_tools import TellingTable, listening, needs_mosquitto, telling, wait_for
from tests.support.mutated import deep, flipped, mutated
from tests.support.quiet_table import quiet_table

KEY = b"k" * 32
PLAYERS = ["Ann", "Ben", "Cem"]
DATA = Path(__file__).parents[2] / "data" / "club"


def in_a_club(folder: Path, port: int) -> None:
    folder.mkdir()
    club = Membership("Rook & Ring", KEY.hex(), 1)
    save_mqtt(folder, replace(load_mqtt(folder), on=True, host="127.0.0.1", port=port, club=club))


def asides(folder: Path) -> list[str]:
    path = folder / "set-aside.jsonl"
    return [json.loads(line)["reason"] for line in path.read_text().splitlines()] if path.exists() else []


def say(line: Line, one: TellingTable, what: str, payload: bytes) -> None:
    topic = f"ringmaster/{one.name}/{what}"
    line.publish(topic, payload, Extras(seal(KEY, topic, payload)))


@needs_mosquitto
def test_a_thousand_mutated_messages_of_a_club_stop_no_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher_module, "MOST_A_SECOND", 1e6)
    dice = random.Random(60)
    with broker_at_work(tmp_path / "broker") as broker:
        in_a_club(tmp_path / "table", broker.port)
        with telling(tmp_path / "table", broker.port, buttons=True) as one, listening(broker) as (house, line):
            wait_for(lambda: house.under("/state"))
            stream = one.table.journal.outbox.stream
            infinite = (DATA / "table-message-ack-infinite.json").read_text()
            say(line, one, "club/ack", infinite.replace("<stream of the table>", stream).encode())
            whole: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
                ("club/ack", {"stream": stream, "seq": 1, "again": False}, ("stream",)),
                ("club/ask", {"ask": "a", "game": "g", "event": 1}, ()),
                ("club/in", {"in": True, "club": "Rook", "nonce": "n"}, ()),
                ("do", {"press": "pause"}, ()),
            ]
            for number in range(1000):
                what, data, spared = dice.choice(whole)
                payload = mutated(data, dice, spared)
                say(line, one, what, flipped(payload, dice) if number % 10 == 0 else payload)
                if number % 100 == 0:
                    line.drain(30.0)
            for payload in (deep(5000), b"\xff", b"[]", b""):
                say(line, one, "club/ack", payload)
            one.table.controller.start("piccolino", PLAYERS, {})
            one.play(2)
            wait_for(lambda: len({told["number"] for told in house.under("/events") if told["kind"] == "event"}) == 2)
            wait_for(lambda: len(asides(tmp_path / "table")) > 100)
            assert one.publisher.public(Language())["club"] == "Rook & Ring"
            assert one.publisher.public(Language())["status"] == "up"
    assert "too large" in asides(tmp_path / "table")[0]


def test_a_topic_that_is_not_utf_8_and_a_listener_that_fails_do_not_end_pahos_thread() -> None:
    asides: list[tuple[str, str]] = []
    heard: list[str] = []

    def hear(message: object) -> None:
        heard.append("heard")
        raise ZeroDivisionError("a fault of who listens")

    ends = Ends(hear, lambda mid: None, lambda why: None, lambda topic, payload, why: asides.append((topic, str(why))))
    line = Line(Broker("127.0.0.1", 1), "table", ends, None, None)
    for topic in (b"ringmaster/\xff\xfe/state", b"ringmaster/a/state"):
        message = MQTTMessage(topic=topic)
        message.payload = b"{}"
        line._client.on_message(line._client, None, message)  # type: ignore[misc]
    assert heard == ["heard"]
    assert [topic for topic, _ in asides] == ["ringmaster/\\xff\\xfe/state", "ringmaster/a/state"]
    assert "utf-8" in asides[0][1] and "who listens" in asides[1][1]


@needs_mosquitto
def test_a_library_that_fails_is_a_line_that_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[str] = []
    with broker_at_work(tmp_path / "broker") as broker:
        line = Line(
            Broker("127.0.0.1", broker.port), "table", Ends(lambda _: None, lambda _: None, lost.append), None, None
        )
        line.open()

        def broken(*_: object) -> int:
            raise KeyError("no such packet")

        monkeypatch.setattr(line._client, "loop_misc", broken)
        wait_for(lambda: lost == ["'no such packet'"])
        assert not line.is_up
        line.close()


@contextmanager
def reported(folder: Path) -> Iterator[tuple[Publisher, list[DeviceHealth]]]:
    """Give a publisher at work in a folder, and what the page was told."""
    table, reports = quiet_table(folder), list[DeviceHealth]()
    publisher = Publisher(folder, table.journal, table.evidence, table.desk, lambda: None, 0.05, report=reports.append)
    publisher.start()
    try:
        yield publisher, reports
    finally:
        publisher.stop()
        table.close()


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"on": true, "host": 7}', b'{"club": {"club": 1}}', b"\xff" * 50]
)
def test_damaged_settings_are_set_aside_and_said_and_the_name_stays(tmp_path: Path, damage: bytes) -> None:
    name = load_mqtt(tmp_path).table
    assert name == load_mqtt(tmp_path).table == own_name(tmp_path)
    (tmp_path / FILE).write_bytes(damage)
    with reported(tmp_path) as (publisher, reports):
        assert [(one.device, one.state) for one in reports] == [("broker", Health.MISSING)]
        assert reports[0].message.startswith("The settings for house and club were damaged.")
        assert publisher.table_name == name
        assert publisher.public(Language("de"))["text"].startswith("Die Einstellungen für Haus und Club waren")
        publisher.change({"on": True, "host": "ha.local"})
        assert reports[-1].state is Health.OK
    (aside,) = tmp_path.glob("mqtt-damaged-*")
    assert aside.read_bytes() == damage
    assert load_mqtt(tmp_path).table == name


def test_settings_that_are_damaged_while_it_runs_are_written_again(tmp_path: Path) -> None:
    in_a_club(tmp_path / "table", 1)
    before = load_mqtt(tmp_path / "table")
    with reported(tmp_path / "table") as (publisher, reports):
        (tmp_path / "table" / FILE).write_bytes(b"")
        wait_for(lambda: reports)
        assert "kept as they were" in reports[0].message
        assert publisher.public(Language())["club"] == "Rook & Ring"
    assert load_mqtt(tmp_path / "table").club == before.club


def test_the_terminal_says_that_settings_were_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / FILE).write_bytes(b"")
    assert main(["mqtt", "--state", str(tmp_path), "--on", "--host", "ha.local"]) == 0
    assert "damaged" in capsys.readouterr().err
    assert load_mqtt(tmp_path).on and list(tmp_path.glob("mqtt-damaged-*"))


def test_a_computer_is_named_by_its_board_else_by_its_system(tmp_path: Path) -> None:
    assert own_name(tmp_path, tmp_path) == ""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/machine-id").write_text("abc\n")
    system = own_name(tmp_path, tmp_path)
    board = tmp_path / "sys/firmware/devicetree/base"
    board.mkdir(parents=True)
    (board / "serial-number").write_bytes(b"100000001234\0")
    assert len(system) == len(own_name(tmp_path, tmp_path)) == 8
    assert system != own_name(tmp_path, tmp_path)
    (tmp_path / "etc/machine-id").write_text("installed again\n")
    assert own_name(tmp_path, tmp_path) != system


def test_a_copied_card_takes_a_name_of_its_own_and_says_so(tmp_path: Path) -> None:
    in_a_club(tmp_path / "table", 1)
    shutil.copytree(tmp_path / "table", tmp_path / "copy")
    with reported(tmp_path / "table") as (_, reports):
        assert reports == []
    with reported(tmp_path / "copy") as (publisher, reports):
        assert publisher.table_name != load_mqtt(tmp_path / "table").table
        kept = load_mqtt(tmp_path / "copy")
        assert (kept.table, kept.club, kept.since_ms) == (publisher.table_name, None, 1)
        assert "was the SD card copied?" in reports[0].message and kept.name in reports[0].message
        assert publisher.public(Language())["text"] == reports[0].message
    # It is said once; by then the file is this computer's own.
    with reported(tmp_path / "copy") as (_, reports):
        assert reports == []


@needs_mosquitto
def test_two_tables_with_one_name_that_no_computer_tells_apart_part_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.mqtt.settings.own_name", lambda folder: "5a5a5a5a")
    with broker_at_work(tmp_path / "broker") as broker, ExitStack() as stack:
        for name in ("one", "copy"):
            in_a_club(tmp_path / name, broker.port)
        house, _ = stack.enter_context(listening(broker))
        tables = [stack.enter_context(telling(tmp_path / name, broker.port)) for name in ("one", "copy")]
        wait_for(lambda: len({one.publisher.table_name for one in tables}) == 2)
        wait_for(lambda: all(load_mqtt(tmp_path / name).on for name in ("one", "copy")))
        texts = {one.publisher.public(Language())["text"] for one in tables}
        assert any("was the SD card copied?" in text for text in texts)
        for one in tables:
            one.table.controller.start("piccolino", PLAYERS, {})
            one.play(3)

        def heard() -> bool:
            games = {told["game"] for told in house.under("/events")}
            events = {(told["game"], told.get("number")) for told in house.under("/events") if told["kind"] == "event"}
            return len(games) == 2 and len(events) == 6

        wait_for(heard, "not all that both played came")
