"""The publisher at a real broker: everything arrives once and in order, though the network fails."""

from __future__ import annotations

import json
import random
import re
import shutil
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import MQTTMessage

from hardware.events import BellPressed
from hardware.problems import Health, Problem
from referee.commands import main
from referee.errors import SettingError
from referee.language import LANGUAGES, Language
from referee.mqtt import publisher as publisher_module
from referee.mqtt.client import BrokerLine, Ends, Extras, seal
from referee.mqtt.discovery import About, discovery
from referee.mqtt.machine_id import own_name
from referee.mqtt.publisher import Publisher
from referee.mqtt.settings import FILE, Broker, Membership, MqttSettings, load_mqtt, save_mqtt
from tests.support.brokers import Mosquitto, broker_at_work, free_port
from tests.support.house_tools import House, PublishingTable, listening, needs_mosquitto, publishing
from tests.support.mutated import deep, flipped, mutated
from tests.support.quiet_table import quiet_table
from tests.support.waiting import wait_for

Capture = pytest.CaptureFixture[str]

PLAYERS = ["Ann", "Ben", "Cem"]


@needs_mosquitto
def test_a_house_gets_everything_once_and_in_order_though_the_broker_goes_and_forgets(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path / "broker", forgets=True)
    broker.start()
    seen: list[tuple[str, int]] = []
    try:
        with publishing(tmp_path / "table", broker.port) as one:
            with listening(broker) as (house, _):
                one.table.referee.begin("piccolino", PLAYERS, {})
                one.play(30)
                wait_for(lambda: len(house.under("/events")) == 31)
                seen += [(two["id"], two["seq"]) for two in house.under("/events")]
            wait_for(lambda: one.publisher.public(Language())["waiting"] == 0)
            broker.kill()
            one.play(30)
            assert one.publisher.public(Language())["waiting"] == 30
            # A broker that forgets drops what comes before the house listens again: the table waits.
            one.publisher.change({"port": free_port()})
            broker.start()
            with listening(broker) as (house, _):
                one.publisher.change({"port": broker.port})
                one.play(5)
                wait_for(lambda: len({two["id"] for two in [*house.under("/events")]} | {i for i, _ in seen}) == 66)
                again = house.under("/events")
                seen += [(two["id"], two["seq"]) for two in again]
                assert [two["number"] for two in again if two["kind"] == "event"] == list(range(31, 66))
            wait_for(lambda: one.publisher.public(Language())["waiting"] == 0)
            broker.kill()
            one.play(1)
            assert one.publisher.public(Language())["waiting"] == 1
            broker.start()
            wait_for(lambda: one.publisher.public(Language())["waiting"] == 0, "a broker that is back is found again")
    finally:
        broker.stop()
    assert [seq for _, seq in seen] == list(range(1, 67))
    assert len({name for name, _ in seen}) == 66


@needs_mosquitto
def test_what_was_not_sent_before_the_end_is_sent_after_the_next_start(tmp_path: Path) -> None:
    with broker_at_work(tmp_path / "broker") as broker:
        broker.kill()
        with publishing(tmp_path / "table", broker.port) as one:
            one.table.referee.begin("piccolino", PLAYERS, {})
            one.play(3)
        broker.start()
        with listening(broker) as (house, _), publishing(tmp_path / "table", broker.port) as one:
            wait_for(lambda: len(house.under("/events")) == 4)
            rung = house.under("/events")[1]
    assert rung["event"]["event"] == "bell"
    assert next(ruling["ruling"] for ruling in rung["rulings"]) == "ring"


@needs_mosquitto
def test_home_assistant_sees_bell_ruling_scores_and_turn_and_presses_only_what_it_may(tmp_path: Path) -> None:
    with (
        broker_at_work(tmp_path / "broker") as broker,
        publishing(tmp_path / "table", broker.port, buttons=True, name="Table 3") as one,
        listening(broker) as (house, line),
    ):
        one.table.referee.begin("piccolino", PLAYERS, {})
        one.play(1)
        wait_for(lambda: house.latest("/state").get("ruling", "").startswith("False ring"))
        assert house.latest("/state")["valid"] is False
        assert house.latest("/state")["players"] == PLAYERS
        assert sum(house.latest("/state")["scores"]) == 55
        one.table.devices.inbox.put(BellPressed(time.monotonic_ns(), 2))
        wait_for(lambda: house.under("/bell"))
        assert house.latest("/bell")["event_type"] == "ring" and house.latest("/bell")["seat"] == 2
        wait_for(lambda: house.latest("/config")["components"]["score_2"].get("name") == "Points of Cem")
        assert house.latest("/config")["device"]["name"] == "Table 3"
        line.publish(f"ringmaster/{one.name}/do", b"pause")
        wait_for(lambda: house.latest("/state")["mode"] == "paused")
        one.publisher.change({"buttons": False})
        wait_for(lambda: house.latest("/config")["components"]["pause"] == {"platform": "button"})
        line.publish(f"ringmaster/{one.name}/do", b"pause")
        one.publisher.change({"on": False})
        wait_for(lambda: one.publisher.public(Language())["status"] == "off")
        # The publisher has said it; the broker may not have passed it on yet.
        wait_for(lambda: house.last_bytes("/config") == b"", "the house forgets us")
        wait_for(lambda: house.last_bytes("/availability") == b"offline")
        assert one.table.referee.match.paused


def certificate(folder: Path, name: str) -> str:
    asked = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
    files = [
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        f"{folder}/{name}.key",
        "-out",
        f"{folder}/{name}.pem",
    ]
    subprocess.run([*asked.split(), *files], check=True, capture_output=True)
    return (folder / f"{name}.pem").read_text()


# Paho leaves a socket to Python's waste collection where the certificates do not fit.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@needs_mosquitto
def test_a_line_by_tls_goes_to_the_named_authority_only_and_with_the_right_password(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate: sudo apt-get install openssl")
    ca, other = certificate(tmp_path, "ca"), certificate(tmp_path, "other")
    passwords = tmp_path / "passwords"
    tool = shutil.which("mosquitto_passwd") or "/usr/bin/mosquitto_passwd"
    subprocess.run([tool, "-c", "-b", str(passwords), "table", "sesame"], check=True, capture_output=True)
    lines = f"certfile {tmp_path}/ca.pem\nkeyfile {tmp_path}/ca.key\npassword_file {passwords}\nallow_anonymous false"
    with broker_at_work(tmp_path / "broker", tuple(lines.split("\n"))) as broker:
        right = {"tls": True, "user": "table", "password": "sesame", "ca": ca}
        for wrong, key in (({"ca": other}, "tls"), ({"password": "open"}, "refused")):
            with publishing(tmp_path / key, broker.port, **{**right, **wrong}) as one:
                wait_for(lambda key=key, one=one: one.publisher.public(Language())["status"] == key)  # type: ignore[misc]
        with publishing(tmp_path / "table", broker.port, **right) as one:
            wait_for(lambda: one.publisher.public(Language())["status"] == "up")
            trusted = Broker(host="127.0.0.1", port=broker.port, user="table", password="sesame", tls=True, ca=ca)
            with listening(trusted) as (house, _):
                wait_for(lambda: house.under("/state"))


def test_secrets_are_their_owners_alone_and_are_never_shown(tmp_path: Path) -> None:
    assert not load_mqtt(tmp_path).on
    save_mqtt(tmp_path, MqttSettings(host="broker", on=True, password="sesame", table="ab12"))
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    kept = load_mqtt(tmp_path)
    assert kept.password == "sesame"
    assert "sesame" not in json.dumps(kept.public()) + repr(kept)


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"on": True}, "mqtt_no_host"),
        ({"host": "a b"}, "mqtt_host"),
        ({"port": 70000}, "mqtt_port"),
        ({"ca": "-----BEGIN CERTIFICATE-----\nAAAA"}, "mqtt_ca"),
        ({"name": "  "}, "mqtt_name"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(data: dict[str, object], key: str) -> None:
    with pytest.raises(SettingError) as refused:
        MqttSettings().changed(data)
    assert refused.value.key == f"fault.{key}"


def test_the_terminal_sets_what_the_page_sets(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "password").write_text("sesame\n")
    words = ["mqtt", "--state", str(tmp_path), "--on", "--host", "ha.local", "--buttons", "yes", "--password-file"]
    assert main([*words, str(tmp_path / "password")]) == 0
    assert "ha.local, port 1883, not encrypted" in capsys.readouterr().out
    assert load_mqtt(tmp_path).password == "sesame"
    assert main(["mqtt", "--state", str(tmp_path), "--ca", str(tmp_path / "password")]) == 2
    assert "certificate" in capsys.readouterr().err
    assert main(["mqtt", "--state", str(tmp_path), "--off", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["on"] is False


KEY = b"k" * 32
DATA = Path(__file__).parents[2] / "data" / "club"


def in_a_club(folder: Path, port: int) -> None:
    folder.mkdir()
    club = Membership(club="Rook & Ring", key=KEY.hex(), since_ms=1)
    save_mqtt(
        folder, load_mqtt(folder).model_copy(update={"on": True, "host": "127.0.0.1", "port": port, "club": club})
    )


def asides(folder: Path) -> list[str]:
    path = folder / "set-aside.jsonl"
    return [json.loads(line)["reason"] for line in path.read_text().splitlines()] if path.exists() else []


def events(house: House) -> set[tuple[str, int]]:
    """Return game and number of each event that the house received."""
    return {(one["game"], one["number"]) for one in house.under("/events") if one["kind"] == "event"}


def say(line: BrokerLine, one: PublishingTable, what: str, payload: bytes) -> None:
    topic = f"ringmaster/{one.name}/{what}"
    line.publish(topic, payload, Extras(seal(KEY, topic, payload)))


@needs_mosquitto
def test_a_thousand_mutated_messages_of_a_club_stop_no_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher_module, "MOST_A_SECOND", 1e6)
    dice = random.Random(60)
    with broker_at_work(tmp_path / "broker") as broker:
        in_a_club(tmp_path / "table", broker.port)
        with publishing(tmp_path / "table", broker.port, buttons=True) as one, listening(broker) as (house, line):
            wait_for(lambda: house.under("/state"))
            stream = one.table.referee.store.outbox.stream
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
            one.table.referee.begin("piccolino", PLAYERS, {})
            one.play(2)
            wait_for(
                lambda: (
                    len({message["number"] for message in house.under("/events") if message["kind"] == "event"}) == 2
                )
            )
            wait_for(lambda: len(asides(tmp_path / "table")) > 100)
            assert one.publisher.public(Language())["club"] == "Rook & Ring"
            assert one.publisher.public(Language())["status"] == "up"
    assert "too large" in asides(tmp_path / "table")[0]


@needs_mosquitto
def test_what_a_club_does_not_confirm_is_sent_again_and_twenty_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher_module, "AGAIN_S", 0.2)
    with broker_at_work(tmp_path / "broker") as broker:
        in_a_club(tmp_path / "table", broker.port)
        with publishing(tmp_path / "table", broker.port) as one, listening(broker) as (house, line):
            one.table.referee.begin("piccolino", PLAYERS, {})
            one.play(30)
            wait_for(lambda: [message["seq"] for message in house.under("/events")].count(20) > 1)
            assert {message["seq"] for message in house.under("/events")} == set(range(1, 21))
            assert len({message["id"] for message in house.under("/events")}) == 20
            stream = one.table.referee.store.outbox.stream
            say(line, one, "club/ack", json.dumps({"stream": stream, "seq": 31}).encode())
            wait_for(lambda: one.publisher.public(Language())["waiting"] == 0)


def test_a_topic_that_is_not_utf_8_and_a_listener_that_fails_do_not_end_pahos_thread() -> None:
    asides: list[tuple[str, str]] = []
    heard: list[str] = []

    def hear(message: object) -> None:
        heard.append("heard")
        raise ZeroDivisionError("a fault of who listens")

    ends = Ends(hear, lambda mid: None, lambda why: None, lambda topic, payload, why: asides.append((topic, str(why))))
    line = BrokerLine(Broker(host="127.0.0.1", port=1), "table", ends, None, None)
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
        ends = Ends(lambda _: None, lambda _: None, lost.append)
        line = BrokerLine(Broker(host="127.0.0.1", port=broker.port), "table", ends, None, None)
        line.open()

        def broken(*_: object) -> int:
            raise KeyError("no such packet")

        monkeypatch.setattr(line._client, "loop_misc", broken)
        wait_for(lambda: lost == ["'no such packet'"])
        assert not line.is_up
        line.close()


@contextmanager
def reported(folder: Path) -> Iterator[tuple[Publisher, Callable[[], list[Problem]]]]:
    """Return a referee's publisher at work in a folder, and what it has reported of the broker."""
    table = quiet_table(folder)
    referee = table.referee
    referee.publisher.start()
    try:
        yield referee.publisher, lambda: [one for one in referee.health.states if one.part == "broker"]
    finally:
        referee.publisher.stop()
        table.close()


def test_one_bad_value_is_said_and_resets_no_other_setting(tmp_path: Path) -> None:
    in_a_club(tmp_path / "table", 1)
    file = tmp_path / "table" / FILE
    file.write_text(json.dumps({**json.loads(file.read_text()), "port": "1", "novel": [1]}))
    with reported(tmp_path / "table") as (publisher, reports):
        assert [(one.part, one.state) for one in reports()] == [("broker", Health.MISSING)]
        assert "in the file: port, novel. The others hold." in reports()[0].message
        publisher.change({"user": "table"})
    kept = load_mqtt(tmp_path / "table")
    assert (kept.on, kept.host, kept.port, kept.user) == (True, "127.0.0.1", 0, "table")
    assert kept.club is not None and kept.club.club == "Rook & Ring"
    saved = json.loads(file.read_text())
    assert (saved["novel"], saved["not_usable_here"]) == ([1], {"port": "1"})


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff" * 50])
def test_damaged_settings_are_set_aside_and_said_and_the_name_stays(tmp_path: Path, damage: bytes) -> None:
    name = load_mqtt(tmp_path).table
    assert name == load_mqtt(tmp_path).table == own_name(tmp_path)
    (tmp_path / FILE).write_bytes(damage)
    with reported(tmp_path) as (publisher, reports):
        assert [(one.part, one.state) for one in reports()] == [("broker", Health.MISSING)]
        assert reports()[0].message.startswith("The settings for house and club were damaged.")
        assert publisher.public(Language())["table"] == name
        assert publisher.public(Language("de"))["text"].startswith("Die Einstellungen für Haus und Club waren")
        publisher.change({"on": True, "host": "ha.local"})
        assert reports()[-1].state is Health.OK
    (aside,) = tmp_path.glob("mqtt-damaged-*")
    assert aside.read_bytes() == damage
    assert load_mqtt(tmp_path).table == name


def test_the_terminal_says_that_settings_were_damaged(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / FILE).write_bytes(b"")
    assert main(["mqtt", "--state", str(tmp_path), "--on", "--host", "ha.local"]) == 0
    assert "damaged" in capsys.readouterr().err
    assert load_mqtt(tmp_path).on and list(tmp_path.glob("mqtt-damaged-*"))


def test_settings_that_are_damaged_while_it_runs_are_written_again(tmp_path: Path) -> None:
    in_a_club(tmp_path / "table", 1)
    before = load_mqtt(tmp_path / "table")
    with reported(tmp_path / "table") as (publisher, reports):
        (tmp_path / "table" / FILE).write_bytes(b"")
        wait_for(lambda: bool(reports()))
        assert "kept as they were" in reports()[0].message
        assert publisher.public(Language())["club"] == "Rook & Ring"
    assert load_mqtt(tmp_path / "table").club == before.club


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
        assert reports() == []
    with reported(tmp_path / "copy") as (publisher, reports):
        assert publisher.public(Language())["table"] != load_mqtt(tmp_path / "table").table
        kept = load_mqtt(tmp_path / "copy")
        assert (kept.table, kept.club, kept.since_ms) == (publisher.public(Language())["table"], None, 1)
        assert "was the SD card copied?" in reports()[0].message and kept.name in reports()[0].message
        assert publisher.public(Language())["text"] == reports()[0].message
    # It is said once; by then the file is this computer's own.
    with reported(tmp_path / "copy") as (_, reports):
        assert reports() == []


@needs_mosquitto
def test_two_tables_with_one_name_on_like_computers_part_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.mqtt.settings.own_name", lambda folder: "5a5a5a5a")
    with broker_at_work(tmp_path / "broker") as broker, ExitStack() as stack:
        for name in ("one", "copy"):
            in_a_club(tmp_path / name, broker.port)
        house, _ = stack.enter_context(listening(broker))
        tables = [stack.enter_context(publishing(tmp_path / name, broker.port)) for name in ("one", "copy")]
        wait_for(lambda: len({one.publisher.public(Language())["table"] for one in tables}) == 2)
        wait_for(lambda: all(load_mqtt(tmp_path / name).on for name in ("one", "copy")))
        texts = {one.publisher.public(Language())["text"] for one in tables}
        assert any("was the SD card copied?" in text for text in texts)
        for one in tables:
            one.table.referee.begin("piccolino", PLAYERS, {})
            one.play(3)

        def heard() -> bool:
            games = {message["game"] for message in house.under("/events")}
            events = {
                (message["game"], message.get("number"))
                for message in house.under("/events")
                if message["kind"] == "event"
            }
            return len(games) == 2 and len(events) == 6

        wait_for(heard, "not all that both played came")


KEYS = json.loads((Path(__file__).parents[2] / "data" / "home_assistant_keys.json").read_text())
STATE: dict[str, Any] = {"players": ["Ann", "Ben"], "devices": {"camera": "ok", "bell_1": "stuck", "journal": "ok"}}


def made(buttons: bool = True, language: str = "en") -> dict[str, Any]:
    return discovery(About("ab12", "Table 3", Language(language), buttons), STATE)


def complaints(message: dict[str, Any]) -> list[str]:
    """Return all that Home Assistant would refuse in a message."""
    found = unfit("message", message, KEYS["device_discovery"]) + unfit("origin", message["origin"], KEYS["origin"])
    found += unfit("device", message["device"], KEYS["device"])
    found += [] if any(message["device"].get(key) for key in KEYS["device"]["one_of"]) else ["nameless device"]
    found += reach_complaints("message", message)
    for name, part in message["components"].items():
        found += part_complaints(name, part)
    return found


def part_complaints(name: str, part: dict[str, Any]) -> list[str]:
    kind = KEYS["platforms"].get(part.get("platform"))
    if kind is None:
        return [f"{name}: no such platform"]
    if set(part) == {"platform"}:
        return []  # this takes it away
    found = unfit(name, part, {"required": kind["required"], "optional": kind["optional"] + KEYS["common"]})
    found += [] if "unique_id" in part else [f"{name}: without unique_id"]
    chosen = part.get("device_class")
    if chosen is not None and chosen not in kind["device_classes"]:
        found.append(f"{name}: device_class {chosen}")
    if (chosen == "enum") is not ("options" in part):
        found.append(f"{name}: options are an enum's")
    if "unit_of_measurement" in part and part["unit_of_measurement"] not in kind["units"].get(chosen, ()):
        found.append(f"{name}: unit")
    if part.get("entity_category", "config") not in KEYS["entity_categories"]:
        found.append(f"{name}: category")
    return found + reach_complaints(name, part)


def reach_complaints(name: str, part: dict[str, Any]) -> list[str]:
    found = [] if part.get("availability_mode", "all") in KEYS["availability_modes"] else [f"{name}: mode"]
    for one in part.get("availability", ()):
        found += unfit(f"{name}: availability", one, KEYS["availability"])
    topics = [value for key, value in part.items() if key.endswith("topic")]
    return found + [f"{name}: {topic}" for topic in topics if not re.fullmatch(r"[^+#\0]+", topic)]


def unfit(name: str, part: dict[str, Any], keys: dict[str, list[str]]) -> list[str]:
    required = keys.get("required", [])
    unknown = set(part) - set(required) - set(keys["optional"])
    return [f"{name}: {key}" for key in [*sorted(unknown), *sorted(set(required) - set(part))]]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("buttons", [True, False])
def test_home_assistant_would_take_it(buttons: bool, language: str) -> None:
    assert complaints(made(buttons, language)) == []


def test_all_that_was_promised_is_there_each_under_a_name_of_its_own() -> None:
    parts = {name: part for name, part in made()["components"].items() if len(part) > 1}
    devices = {"device_camera", "device_bell_1"}
    assert set(parts) >= {"bell", "ruling", "turn", "sand", "score_0", "score_1", "pause", "count"} | devices
    assert parts["bell"]["platform"] == "event"
    for key in ("unique_id", "name"):
        assert len({part[key] for part in parts.values()}) == len(parts)
    allowed = made(buttons=False)["components"]
    assert allowed["pause"] == allowed["count"] == {"platform": "button"}
    assert "command_topic" not in json.dumps(allowed)
