"""A table that publishes, and a house that subscribes, for tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from referee.mqtt.client import BrokerLine, Ends, Received
from referee.mqtt.publisher import Publisher
from referee.mqtt.settings import Broker, load_mqtt, save_mqtt
from tests.support.brokers import Mosquitto, mosquitto
from tests.support.quiet_table import QuietTable, quiet_table
from tests.support.waiting import wait_for

needs_mosquitto = pytest.mark.skipif(
    mosquitto() is None, reason="needs a broker to talk to: sudo apt-get install mosquitto"
)


@dataclass
class House:
    messages: list[Received] = field(default_factory=list)

    def under(self, what: str) -> list[dict[str, Any]]:
        return [json.loads(one.payload) for one in list(self.messages) if one.topic.endswith(what) and one.payload]

    def last_bytes(self, what: str) -> bytes | None:
        return next((one.payload for one in reversed(list(self.messages)) if one.topic.endswith(what)), None)

    def latest(self, what: str) -> dict[str, Any]:
        found = self.under(what)
        return found[-1] if found else {}


@contextmanager
def listening(broker: Broker | Mosquitto) -> Iterator[tuple[House, BrokerLine]]:
    """Yield a house that subscribes: it receives all messages from now on."""
    where = Broker(host="127.0.0.1", port=broker.port) if isinstance(broker, Mosquitto) else broker
    house = House()
    line = BrokerLine(where, "house", Ends(house.messages.append, lambda mid: None, lambda why: None), None, None)
    line.open()
    line.subscribe("#")
    try:
        line.publish("house/hears", b"itself")
        wait_for(lambda: house.last_bytes("house/hears"), "the house hears nothing")
        yield house, line
    finally:
        line.close()


@dataclass
class PublishingTable:
    table: QuietTable
    publisher: Publisher
    name: str

    def play(self, rings: int) -> None:
        for number in range(rings):
            self.table.report("bell", seat=number % 3)


@contextmanager
def publishing(folder: Path, port: int, **more: object) -> Iterator[PublishingTable]:
    folder.mkdir(exist_ok=True)
    save_mqtt(folder, load_mqtt(folder).changed({"on": True, "host": "127.0.0.1", "port": port, **more}))
    table = quiet_table(folder)
    referee = table.referee
    referee.resume()
    publisher = Publisher(
        folder,
        referee.store,
        referee.evidence,
        referee,
        lambda: referee.match.game,
        table.devices.inbox,
        first_retry_s=0.05,
    )
    publisher.start()
    try:
        yield PublishingTable(table, publisher, load_mqtt(folder).table)
    finally:
        publisher.stop()
        table.close()
