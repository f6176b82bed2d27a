"""Referees, tables and services for the tests of this folder."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.camera.frames import Frame
from hardware.events import BellPressed, SandFlipped
from hardware.events import TimedEvent as DeviceEvent
from hardware.lamp import RecordedLamp
from hardware.speaker import RecordedSpeaker
from referee.engine.events import Event
from referee.engine.session import Observation, Watcher
from referee.match.devices import Parts
from referee.match.referee import Referee
from referee.store.history import history, one_game
from tests.support.commands import sent
from tests.support.office import Office
from tests.support.table_fakes import FakeDevices, Table

TIMEOUT_S = 60.0


def until(condition: Callable[[], object]) -> bool:
    end = time.monotonic() + TIMEOUT_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return bool(condition())


def play(service: Referee, mood: str = "happy", **options: object) -> None:
    """Begin a game of Piccolino in which Ann and Ben show two red cards."""
    service.do(sent({"do": "start", "game": "piccolino", "players": ["Ann", "Ben", "Cem"], "options": options}))
    for seat in (0, 1):
        shown = {"event": "card_shown", "seat": seat, "colour": "red", "mood": mood}
        service.do(sent({"do": "event", "event": shown}))


def begin(office: Office, game: str, *players: str) -> None:
    office.referee.do(
        sent({"do": "start", "game": game, "players": list(players) or ["Ann", "Ben", "Cem"], "options": {}})
    )


def report(office: Office, kind: str, **data: object) -> None:
    """Report to the referee an event, as a page does."""
    office.referee.do(sent({"do": "event", "event": {"event": kind, **data}}))


def past_games(office: Office) -> list[dict[str, Any]]:
    games: list[dict[str, Any]] = history(office.referee.store.read, office.referee.language)["games"]
    return games


def past_game(office: Office, which: str) -> dict[str, Any]:
    return one_game(office.referee.store.read, which, office.referee.language, {})


class RingWatcher(Watcher):
    """Hears of each press that Cem rang, and the sandtimer; `broken`: it cannot bear the pictures."""

    broken = False

    def look(self, frame: Frame) -> Observation:
        if RingWatcher.broken:
            cv2.cvtColor(np.zeros((2, 2), np.uint8), cv2.COLOR_BGR2GRAY)
        return Observation()

    def hear(self, event: DeviceEvent) -> Observation:
        match event:
            case BellPressed(t_ns):
                return Observation((Event(t_ns, "bell", {"seat": 2}),))
            case SandFlipped(t_ns):
                return Observation((Event(t_ns, "timer_flipped", {}),))
            case _:
                return Observation()


class House:
    """Parts of a service, to look at afterwards."""

    def __init__(self) -> None:
        self.devices = FakeDevices()
        self.speaker, self.lamp = RecordedSpeaker(), RecordedLamp()
        self.parts = Parts(lambda _: self.devices, lambda _, __: self.speaker, lambda _, __: self.lamp)

    @property
    def said(self) -> list[str]:
        return [sentence for _, sentence in self.speaker.said]


@pytest.fixture
def no_thread_stays() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert until(lambda: set(threading.enumerate()) <= before), threading.enumerate()


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


@pytest.fixture
def pair(table: Table) -> Table:
    """A game of three in which Ann and Ben show a pair."""
    table.piccolino_with_a_pair()
    return table
