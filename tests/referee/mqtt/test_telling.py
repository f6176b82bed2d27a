"""What a house is told by a real broker: everything once and in order, whatever the network does meanwhile."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import time
from pathlib import Path

import pytest

from hardware.events import BellPressed
from referee.cli import main
from referee.errors import SettingError
from referee.language import Language
from referee.mqtt.client import Ends, Line
from referee.mqtt.settings import FILE, Broker, MqttSettings, load_mqtt, save_mqtt
from tests.support.brokers import Mosquitto, broker_at_work, free_port
from tests.support.house_tools import TellingTable, listening, needs_mosquitto, telling, wait_for

PLAYERS = ["Ann", "Ben", "Cem"]


@needs_mosquitto
def test_a_house_is_told_everything_once_and_in_order_though_the_broker_goes_and_forgets(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path / "broker", forgets=True)
    broker.start()
    seen: list[tuple[str, int]] = []
    try:
        with telling(tmp_path / "table", broker.port) as one:
            with listening(broker) as (house, _):
                one.table.controller.start("piccolino", PLAYERS, {})
                one.play(30)
                wait_for(lambda: len(house.under("/events")) == 31)
                seen += [(two["id"], two["seq"]) for two in house.under("/events")]
            wait_for(lambda: one.publisher.public(Language())["waiting"] == 0)
            broker.kill()
            one.play(30)
            assert one.publisher.public(Language())["waiting"] == 30
            # A broker that forgets passes on to nobody what comes before the house listens again: the table waits.
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
def test_what_was_not_told_before_the_end_is_told_after_the_next_start(tmp_path: Path) -> None:
    with broker_at_work(tmp_path / "broker") as broker:
        broker.kill()
        with telling(tmp_path / "table", broker.port) as one:
            one.table.controller.start("piccolino", PLAYERS, {})
            one.play(3)
        broker.start()
        with listening(broker) as (house, _), telling(tmp_path / "table", broker.port) as one:
            wait_for(lambda: len(house.under("/events")) == 4)
            rung = house.under("/events")[1]
    assert rung["event"]["event"] == "bell"
    assert next(ruling["ruling"] for ruling in rung["rulings"]) == "ring"


@needs_mosquitto
def test_home_assistant_sees_bell_ruling_scores_and_turn_and_presses_only_what_it_may(tmp_path: Path) -> None:
    with (
        broker_at_work(tmp_path / "broker") as broker,
        telling(tmp_path / "table", broker.port, buttons=True, name="Table 3") as one,
        listening(broker) as (house, line),
    ):
        one.table.controller.start("piccolino", PLAYERS, {})
        one.play(1)
        wait_for(lambda: house.latest("/state").get("ruling", "").startswith("False ring"))
        assert house.latest("/state")["valid"] is False
        assert house.latest("/state")["players"] == PLAYERS
        assert sum(house.latest("/state")["scores"]) == 55
        one.publisher.heard(BellPressed(time.monotonic_ns(), 2))
        wait_for(lambda: house.under("/bell"))
        assert house.latest("/bell")["event_type"] == "ring" and house.latest("/bell")["seat"] == 2
        wait_for(lambda: house.latest("/config")["components"]["score_2"].get("name") == "Points of Cem")
        assert house.latest("/config")["device"]["name"] == "Table 3"
        press(line, one, b"pause")
        wait_for(lambda: house.latest("/state")["mode"] == "paused")
        one.publisher.change({"buttons": False})
        wait_for(lambda: house.latest("/config")["components"]["pause"] == {"platform": "button"})
        press(line, one, b"pause")
        one.publisher.change({"on": False})
        wait_for(lambda: one.publisher.public(Language())["status"] == "off")
        # The publisher has said it; the broker may not have passed it on yet.
        wait_for(lambda: house.last_bytes("/config") == b"", "the house forgets us")
        wait_for(lambda: house.last_bytes("/availability") == b"offline")
        assert one.table.controller.paused


def press(line: object, one: TellingTable, what: bytes) -> None:
    line.publish(f"ringmaster/{one.name}/do", what)  # type: ignore[attr-defined]


@needs_mosquitto
def test_a_flood_of_nonsense_changes_nothing_and_what_is_told_comes_through(tmp_path: Path) -> None:
    with (
        broker_at_work(tmp_path / "broker") as broker,
        telling(tmp_path / "table", broker.port, buttons=True) as one,
        listening(broker) as (house, line),
    ):
        wait_for(lambda: house.under("/config"))
        for number in range(300):
            line.publish(f"ringmaster/{one.name}/club/ack", b"\xff{" + str(number).encode())
            line.publish(f"ringmaster/{one.name}/do", b"explode")
        one.table.controller.start("piccolino", PLAYERS, {})
        one.play(2)
        wait_for(lambda: len(house.under("/events")) == 3)


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
    lines = (
        f"certfile {tmp_path}/ca.pem",
        f"keyfile {tmp_path}/ca.key",
        f"password_file {passwords}",
        "allow_anonymous false",
    )
    with broker_at_work(tmp_path / "broker", lines) as broker:
        right = {"tls": True, "user": "table", "password": "sesame", "ca": ca}
        for wrong, key in (({"ca": other}, "tls"), ({"password": "open"}, "refused")):
            with telling(tmp_path / key, broker.port, **{**right, **wrong}) as one:
                wait_for(lambda key=key, one=one: one.publisher.public(Language())["status"] == key)  # type: ignore[misc]
        with telling(tmp_path / "table", broker.port, **right) as one:
            wait_for(lambda: one.publisher.public(Language())["status"] == "up")
            trusted = Broker("127.0.0.1", broker.port, "table", "sesame", True, ca)
            with listening(trusted) as (house, _):
                wait_for(lambda: house.under("/state"))


def certificate(folder: Path, name: str) -> str:
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-keyout",
            f"{folder}/{name}.key",
            "-out",
            f"{folder}/{name}.pem",
            "-days",
            "2",
            "-subj",
            "/CN=127.0.0.1",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
        ],
        check=True,
        capture_output=True,
    )
    return (folder / f"{name}.pem").read_text()


def test_secrets_are_their_owners_alone_and_are_never_shown(tmp_path: Path) -> None:
    save_mqtt(tmp_path, MqttSettings(host="broker", on=True, password="sesame", table="ab12"))
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    kept = load_mqtt(tmp_path)
    assert kept.password == "sesame"
    assert "sesame" not in json.dumps(kept.public()) + repr(kept)


def test_it_is_off_until_switched_on_and_a_damaged_file_is_off_too(tmp_path: Path) -> None:
    assert not load_mqtt(tmp_path).on
    (tmp_path / FILE).write_text('{"on": true, "host": 7}')
    assert not load_mqtt(tmp_path).on


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
    assert refused.value.key == key


def test_the_terminal_sets_what_the_page_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "password").write_text("sesame\n")
    words = ["mqtt", "--state", str(tmp_path), "--on", "--host", "ha.local", "--buttons", "yes", "--password-file"]
    assert main([*words, str(tmp_path / "password")]) == 0
    assert "ha.local, port 1883, not encrypted" in capsys.readouterr().out
    assert load_mqtt(tmp_path).password == "sesame"
    assert main(["mqtt", "--state", str(tmp_path), "--ca", str(tmp_path / "password")]) == 2
    assert "certificate" in capsys.readouterr().err
    assert main(["mqtt", "--state", str(tmp_path), "--off", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["on"] is False


@needs_mosquitto
def test_what_is_said_last_before_a_line_is_closed_arrives(tmp_path: Path) -> None:
    with broker_at_work(tmp_path / "broker") as broker:
        line = Line(Broker("127.0.0.1", broker.port), "table", Ends(*(lambda _: None,) * 3), None, None)
        line.open()
        # More than a broker takes at once.
        for number in range(400):
            line.publish("table/said", str(number).encode())
        line.publish("table/goodbye", b"gone", retain=True)
        line.drain(60.0)
        line.close()
        line.drain(60.0)  # a line that is closed has nothing to wait for
        with listening(broker) as (house, _):
            wait_for(lambda: house.last_bytes("table/goodbye") == b"gone", "the goodbye is lost")
