"""The whole service with its threads: started, fed, stopped; and as a process, ended by a signal."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hardware import supervised
from hardware.events import BellPressed
from hardware.events import Event as DeviceEvent
from hardware.health import DeviceHealth, Health
from hardware.lamp import RecordedLamp
from hardware.speaker.speaker import RecordedSpeaker
from referee.engine.session import Seen
from referee.errors import BadInputError, WorkFailedError
from referee.service import notices
from referee.service.parts import Parts
from referee.service.phone_bells import PhoneRingError
from referee.service.service import Service, running
from tests.support.table_fakes import FakeDevices

TIMEOUT_S = 60.0


def until(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + TIMEOUT_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


class House:
    """What a service is put together from, to look at afterwards."""

    def __init__(self) -> None:
        self.devices = FakeDevices()
        self.speaker, self.lamp = RecordedSpeaker(), RecordedLamp()

    @property
    def parts(self) -> Parts:
        return Parts(lambda _: self.devices, lambda _, __: self.speaker, lambda _, __: self.lamp)

    @property
    def said(self) -> list[str]:
        return [sentence for _, sentence in self.speaker.said]


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture(autouse=True)
def no_thread_stays() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert until(lambda: set(threading.enumerate()) <= before), threading.enumerate()


def play(service: Service) -> None:
    service.desk.do({"do": "start", "game": "piccolino", "players": ["Ann", "Ben", "Cem"], "options": {}})
    for seat in (0, 1):
        service.desk.do(
            {"do": "event", "event": {"event": "card_shown", "seat": seat, "colour": "red", "mood": "happy"}}
        )


def test_a_ring_on_the_line_is_ruled_said_and_kept(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from referee.service import table_decks as module
    from referee.watchers.by_hand import ByHandWatcher

    caplog.set_level("INFO", "ringmaster")

    class RingWatcher(ByHandWatcher):
        def hear(self, event: DeviceEvent) -> Seen:
            from referee.engine.events import Event

            return Seen((Event(event.t_ns, "bell", {"seat": 2}),)) if isinstance(event, BellPressed) else Seen()

    monkeypatch.setattr(module, "watcher_for", lambda header, setup: RingWatcher())
    with running(tmp_path, house.parts) as service:
        play(service)
        house.devices.source.put(BellPressed(time.monotonic_ns(), 2))
        assert until(lambda: bool(service.desk.state()["rulings"]))
        ruling = service.desk.state()["rulings"][-1]["ruling"]
    assert ruling["ruling"] == "ring"
    assert "game 1 begins: piccolino" in caplog.text and '"ruling": "ring"' in caplog.text
    assert "Cem" not in caplog.text
    again = House()
    with running(tmp_path, again.parts) as service:
        assert service.desk.state()["rulings"][-1]["ruling"] == ruling
    assert not [text for text in again.said if "ring, Cem" in text and not text.startswith("The game goes on.")]


def test_a_phone_that_is_a_bell_rings_at_the_time_of_its_thumb(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    from referee.service import table_decks as module
    from referee.watchers.by_hand import ByHandWatcher

    heard: list[DeviceEvent] = []

    class Listener(ByHandWatcher):
        def hear(self, event: DeviceEvent) -> Seen:
            heard.append(event)
            return Seen()

    monkeypatch.setattr(module, "watcher_for", lambda header, setup: Listener())
    with running(tmp_path, house.parts) as service:
        play(service)
        service.desk.do({"do": "bell_here"})
        pressed_ns = time.monotonic_ns() - 40_000_000
        service.desk.do({"do": "ring", "seat": 1, "t_ns": pressed_ns, "within_ms": 8})
        with pytest.raises(BadInputError):
            service.desk.do({"do": "ring", "seat": 5, "t_ns": pressed_ns, "within_ms": 8})
        with pytest.raises(PhoneRingError):
            service.desk.do({"do": "ring", "seat": 1, "t_ns": pressed_ns - 2_000_000_000, "within_ms": 8})
        assert until(lambda: bool(heard))
    assert heard == [BellPressed(pressed_ns, 1)]


def test_a_missing_device_is_told_once_and_when_it_is_back(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "SAID_AFTER_NS", 0)
    monkeypatch.setattr(notices, "TAKEN_BACK_AFTER_NS", 0)
    with running(tmp_path, house.parts) as service:
        report = house.devices.on_health
        assert report is not None
        for t_ns in (1, 2, 3):
            report(DeviceHealth(t_ns, "camera", Health.MISSING, "no camera"))
        assert until(lambda: "The camera is missing: please check its cable." in house.said)
        house.devices.source.put(DeviceHealth(time.monotonic_ns(), "bell", Health.MISSING, "no pins"))
        assert until(lambda: "The bell is missing: rings are not noticed." in house.said)
        report(DeviceHealth(4, "camera", Health.OK))
        assert until(lambda: "The camera works again." in house.said)
        assert until(lambda: [d["state"] for d in service.desk.state()["devices"]] == ["missing", "ok"])
    assert house.said.count("The camera is missing: please check its cable.") == 1


def test_two_referees_in_one_folder_are_refused(tmp_path: Path, house: House) -> None:
    with running(tmp_path, house.parts), pytest.raises(WorkFailedError), running(tmp_path, House().parts):
        raise AssertionError


def test_a_damaged_journal_is_said_and_play_begins(tmp_path: Path, house: House) -> None:
    (tmp_path / "journal.sqlite").write_bytes(b"nonsense" * 1000)
    with running(tmp_path, house.parts) as service:
        play(service)
        assert service.desk.state()["mode"] == "playing"
    assert any("was damaged" in text for text in house.said)
    assert list(tmp_path.glob("journal-damaged-*"))


def test_damaged_settings_and_profile_are_shown_and_nothing_stops(tmp_path: Path, house: House) -> None:
    (tmp_path / "settings.json").write_text("{", encoding="utf-8")
    (tmp_path / "table.json").write_text("{", encoding="utf-8")
    with running(tmp_path, house.parts) as service:
        assert until(lambda: {one["name"] for one in service.desk.state()["devices"]} == {"settings", "table"})


def test_a_referee_that_fails_again_and_again_ends_so_that_a_new_process_begins(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised, "LAST_WAIT_S", 0.01)

    def broken(_: object) -> None:
        raise RuntimeError("broken")

    with running(tmp_path, house.parts) as service:
        monkeypatch.setattr(service.controller, "hear", broken)

        def ring() -> bool:
            house.devices.source.put(BellPressed(time.monotonic_ns(), 1))
            return service.ended.wait(0.05)

        assert until(ring)
        assert service.failed


def test_a_signal_ends_the_command_in_good_order(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    command = [sys.executable, "-c", "import sys; from referee.cli import main; sys.exit(main())", "run"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    command += ["--camera", str(pictures), "--state", str(tmp_path / "state"), "--log-level", "warning"]
    systemd = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    systemd.bind(str(tmp_path / "notify"))
    systemd.settimeout(TIMEOUT_S)
    environment = {**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "1000000"}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    with systemd:
        lines = {systemd.recv(200).decode().splitlines()[0] for _ in range(3)}
        while "READY=1" not in lines:
            lines.add(systemd.recv(200).decode().splitlines()[0])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/state", timeout=TIMEOUT_S) as answer:
            assert json.load(answer)["mode"] == "idle"
        assert "WATCHDOG=1" in lines
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0
    assert "Traceback" not in errors
    assert "WARNING camera: missing" in errors and "INFO" not in errors
