"""Devices that fail in the middle of a game, each in its way: play goes on, what is missing is said, all recovers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from hardware.camera.camera import Camera, CameraMissingError, CameraTimeoutError
from hardware.camera.frames import Frame
from hardware.camera.supervisor import WatchLimits
from hardware.edges import Edge, OnEdge, OnHealth
from hardware.lamp import NullLamp
from hardware.speaker import RecordedSpeaker
from referee.match import devices as devices_module
from referee.match import monitor, table_decks
from referee.match.devices import Parts, TableDevices
from referee.match.referee import Referee, running
from tests.referee.match.conftest import RingWatcher, play, until
from tests.support.commands import sent

MS = 1_000_000
LIMITS = WatchLimits(stall_ns=300 * MS, black_ns=200 * MS, wrong_ns=200 * MS, reopen_black_ns=60_000 * MS)
GREY = np.full((90, 160, 3), 90, np.uint8)
STRIPES = np.tile(np.array([[[0], [255]]], np.uint8), (90, 80, 3))
MISSING = "The camera is missing: please check its cable."
NO_PICTURES = "The camera gives no pictures: please check that nothing covers it."


class RoguesCamera:
    """A camera that does what its rogue says."""

    name: str = "a rogue"
    notes: tuple[str, ...] = ()

    def __init__(self, rogue: Rogue) -> None:
        self._rogue = rogue
        self._count = 0

    def read(self) -> Frame | None:
        time.sleep(0.01)
        self._count += 1
        now_ns, image = time.monotonic_ns(), GREY
        match self._rogue.mood:
            case "raises":
                raise RuntimeError("somebody has pulled a bit out of the driver")
            case "gone":
                raise CameraMissingError("some.fault", "It went away.")
            case "silent":
                raise CameraTimeoutError("some.fault", "nothing came")
            case "black":
                image = np.zeros_like(GREY)
            case "jumps":
                now_ns += 10**12
            case "stripes":
                image = STRIPES
            case "odd":
                image = np.full((1, 1, 3), 90, np.uint8)
        return Frame(now_ns, now_ns, image, self._count)

    def close(self) -> None:
        if self._rogue.mood != "good":
            raise OSError("it does not even close")


class Rogue:
    """Opens cameras, as long as they are plugged in."""

    def __init__(self) -> None:
        self.mood = "good"

    def __call__(self) -> Camera:
        if self.mood == "gone":
            raise CameraMissingError("some.fault", "It is not there.")
        return RoguesCamera(self)


class RogueLines:
    """Lines that fail in a way that no driver of ours knows; `press` reports level changes."""

    def __init__(self, line: str) -> None:
        self._line = line
        self.failing = False
        self.opened = 0
        self._on_edge: OnEdge | None = None

    def open(self, on_edge: OnEdge, on_health: OnHealth) -> Sequence[Edge]:
        if self.failing:
            raise RuntimeError("no such chip")
        self._on_edge = on_edge
        self.opened += 1
        return [Edge(time.monotonic_ns(), self._line, False)]

    def close(self) -> None:
        self._on_edge = None
        if self.failing:
            raise ValueError("already closed")

    def fail(self) -> None:
        """Report no edge at all, as a driver might whose memory is torn."""
        self.failing = True
        if self._on_edge is not None:
            self._on_edge(cast(Edge, "no edge"))

    def press(self) -> None:
        # A press of its own, and not the chatter of the one before.
        time.sleep(0.1)
        if self._on_edge is not None:
            now_ns = time.monotonic_ns()
            self._on_edge(Edge(now_ns, self._line, True))
            self._on_edge(Edge(now_ns + 40 * MS, self._line, False))


@dataclass(frozen=True)
class RogueHouse:
    service: Referee
    camera: Rogue
    bell: RogueLines
    sand: RogueLines
    speaker: RecordedSpeaker

    def says(self, sentence: str) -> bool:
        return until(lambda: sentence in [text for _, text in self.speaker.said])

    def rings_are_ruled(self) -> bool:
        """Press the bell, and report whether another ruling follows."""
        before = len(self.service.state()["rulings"])
        self.bell.press()
        return until(lambda: len(self.service.state()["rulings"]) > before)

    def troubles(self) -> dict[str, str]:
        return {one["name"]: one["message"] for one in self.service.state()["devices"] if one["state"] != "ok"}


@contextmanager
def rogues(folder: Path) -> Iterator[RogueHouse]:
    camera, bell, sand = Rogue(), RogueLines("bell"), RogueLines("barrier")
    speaker = RecordedSpeaker()
    parts = Parts(
        lambda settings: TableDevices(settings, camera, bell, sand, LIMITS),
        lambda _, __: speaker,
        lambda _, __: NullLamp(),
    )
    with running(folder, parts) as service:
        assert until(lambda: bell.opened and sand.opened and service.devices.buffer.newest is not None)
        yield RogueHouse(service, camera, bell, sand, speaker)


@contextmanager
def house(folder: Path) -> Iterator[RogueHouse]:
    """A house in which a game of Piccolino is played."""
    with rogues(folder) as home:
        play(home.service, "sad", lockout_ms=0)
        yield home


@pytest.fixture(autouse=True)
def watched(monkeypatch: pytest.MonkeyPatch, no_thread_stays: None) -> None:
    monkeypatch.setattr(table_decks, "watcher_for", lambda header, setup: RingWatcher())
    monkeypatch.setattr(monitor, "SAID_AFTER_NS", 0)
    monkeypatch.setattr(monitor, "TAKEN_BACK_AFTER_NS", 0)
    RingWatcher.broken = False


@pytest.mark.parametrize(
    ("mood", "sentence"),
    [
        ("raises", MISSING),
        ("gone", MISSING),
        ("silent", NO_PICTURES),
        ("black", NO_PICTURES),
        ("jumps", "The camera's clock is wrong; it is being restarted."),
    ],
)
def test_a_camera_that_fails_is_said_play_goes_on_and_it_comes_back(tmp_path: Path, mood: str, sentence: str) -> None:
    with house(tmp_path) as home:
        home.camera.mood = mood
        assert until(lambda: home.troubles() == {"camera": sentence})
        assert home.says(sentence)
        assert home.rings_are_ruled()
        home.camera.mood = "good"
        assert until(lambda: not home.troubles())
        assert home.says("The camera works again.")
        assert home.rings_are_ruled()
        assert not home.service.failed


def test_pictures_of_another_size_or_that_cannot_be_borne_end_nothing(tmp_path: Path) -> None:
    with house(tmp_path) as home:
        home.camera.mood = "odd"
        assert until(lambda: (newest := home.service.devices.buffer.newest) is not None and newest.rows == 1)
        assert home.rings_are_ruled()
        home.camera.mood = "good"
        RingWatcher.broken = True
        assert until(lambda: "reader" in home.troubles())
        assert home.says(home.troubles()["reader"])
        assert home.rings_are_ruled()
        RingWatcher.broken = False
        assert until(lambda: not home.troubles())
        assert home.says("The pictures can be read again.")
        assert not home.service.failed


@pytest.mark.parametrize("which", ["bell", "sandtimer"])
def test_lines_that_fail_are_said_and_opened_again(tmp_path: Path, which: str) -> None:
    with house(tmp_path) as home:
        lines = home.bell if which == "bell" else home.sand
        lines.fail()
        assert until(lambda: which in home.troubles())
        sentence = home.troubles()[which]
        assert sentence.endswith(".") and "Traceback" not in sentence
        # Nobody misses the sandtimer in Piccolino.
        assert which == "sandtimer" or home.says(sentence)
        assert home.service.do(sent({"do": "event", "event": {"event": "bell", "seat": 0}}))["rulings"]
        lines.failing = False
        assert until(lambda: not home.troubles() and lines.opened == 2)
        assert home.rings_are_ruled()


def test_a_camera_that_is_changed_in_play_loses_the_calibration_and_a_driver_that_hangs_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cameras = {"usb:0": Rogue(), "usb:1": Rogue()}
    cameras["usb:1"].mood = "gone"
    monkeypatch.setattr(devices_module, "open_camera", lambda spec, settings: cameras[spec]())
    monkeypatch.setattr(devices_module, "HANGS_NS", 0)
    monkeypatch.setattr(devices_module, "WORKED", 3)
    with house(tmp_path) as home:
        (tmp_path / "table.json").write_text("{", encoding="utf-8")
        home.service.do(sent({"do": "settings", "camera": "usb:1"}))
        assert until(lambda: "camera" in home.troubles())
        home.service.do(sent({"do": "settings", "camera": "usb:0"}))
        assert until(lambda: "camera" not in home.troubles())
        # It was calibrated with the first one.
        assert not (tmp_path / "table.json").exists()
        assert home.rings_are_ruled()
        assert until(lambda: home.service.devices.buffer.pushed > 3) and not home.service.devices.camera_hangs()
        cameras["usb:0"].mood = "silent"
        assert until(home.service.devices.camera_hangs)


def test_a_bell_is_moved_to_another_pin_in_play_and_helps_who_was_locked_out_after_it(tmp_path: Path) -> None:
    pressed: list[int] = []
    with house(tmp_path) as home:
        home.service.subscribe(pressed.append, to_idle_bell=True)
        home.service.do(sent({"do": "settings", "bell_pins": [27]}))
        assert until(lambda: home.bell.opened == 2)
        assert home.rings_are_ruled()
        assert pressed == []
        home.service.do(sent({"do": "stop"}))
        home.service.do(sent({"do": "stop"}))
        home.bell.press()
        assert until(lambda: pressed)
