"""The whole service with its threads: started, fed, stopped; and as a process, ended by a signal."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from hardware import supervised
from hardware.events import BellPressed
from referee.errors import WorkFailedError
from referee.service import table_decks
from referee.service.service import Service, running
from referee.setup.finding import load_kept
from referee.web.app import create_app
from referee.web.options import WebOptions
from tests.referee.service.conftest import TIMEOUT_S, House, RingWatcher, play, until

pytestmark = pytest.mark.usefixtures("no_thread_stays")


@pytest.fixture
def house() -> House:
    return House()


def test_a_ring_on_the_line_is_ruled_said_and_kept(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(table_decks, "watcher_for", lambda header, setup: RingWatcher())
    caplog.set_level("INFO", "ringmaster")
    with running(tmp_path, house.parts) as service:
        play(service)
        house.devices.source.put(BellPressed(time.monotonic_ns(), 2))
        assert until(lambda: service.desk.state()["rulings"])
        ruling = service.desk.state()["rulings"][-1]["ruling"]
        with pytest.raises(WorkFailedError), running(tmp_path, House().parts):
            raise AssertionError
    assert ruling["ruling"] == "ring"
    assert "game 1 begins: piccolino" in caplog.text and '"ruling": "ring"' in caplog.text
    assert "Cem" not in caplog.text
    again = House()
    with running(tmp_path, again.parts) as service:
        assert service.desk.state()["rulings"][-1]["ruling"] == ruling
    assert not [text for text in again.said if "ring, Cem" in text and not text.startswith("The game goes on.")]


def alerts(service: Service) -> str:
    return " ".join(one["message"] for one in service.desk.state()["devices"] if one["state"] != "ok")


SETUP = {"camera": 5, "bell": {"state": [], "text": {}}, "deck": {"state": "good", "text": "", "data": {}}}
PROFILE = {"format": "ringmaster-table-1", "camera": [[1], []], "homography": {}, "size_px": [10**400, "x"]}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("journal.sqlite", b"nonsense" * 1000),
        ("settings.json", b"{"),
        ("table.json", json.dumps(PROFILE).encode()),
        ("setup.json", json.dumps(SETUP).encode()),
        ("setup.json", b"[" * 60_000),
        ("setup.json", None),
        ("paired-devices.json", b"[" * 100_000),
        ("paired-devices.json", b'[{"digest": 5, "name": [], "since": {}}]'),
        ("lock", None),
    ],
)
def test_a_file_that_makes_no_sense_stops_no_start_and_is_shown_at_each_until_somebody_has_read_it(
    name: str, data: bytes | None, tmp_path: Path
) -> None:
    if data is None:
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).write_bytes(data)
    stem = f"{name.partition('.')[0]}-damaged-"
    for _ in range(2):
        house = House()
        with running(tmp_path, house.parts) as service:
            create_app(service.desk, WebOptions(state_dir=tmp_path))
            service.report_set_aside()
            assert until(lambda: stem in alerts(service)), alerts(service)
            assert service.desk.state()["mode"] == "idle"
        assert "A file was damaged: please look at the page." in house.said
        (aside,) = tmp_path.glob(f"{stem}*")
        assert data is None or aside.read_bytes() == data
    with running(tmp_path, House().parts) as service:
        service.system.note_set_aside()
        assert until(lambda: stem not in alerts(service))
    with running(tmp_path, House().parts) as service:
        assert stem not in alerts(service)
    assert len(list((tmp_path / "set-aside").iterdir())) == 1
    # Sound steps of setting up outlast one that makes no sense.
    assert list(load_kept(tmp_path)) == (["deck"] if data == json.dumps(SETUP).encode() else [])


def test_on_a_disk_that_takes_nothing_all_works_and_the_page_says_that_nothing_is_kept(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(tmp_path, House().parts) as service:
        play(service)
    before = sorted((path.name, path.stat().st_mtime_ns) for path in tmp_path.iterdir())
    opened = os.open

    def read_only(path: str | Path, flags: int, *args: int, **more: int) -> int:
        if Path(path).parent == tmp_path and flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return opened(path, flags, *args, **more)

    monkeypatch.setattr(os, "open", read_only)
    with running(tmp_path, house.parts) as service:
        assert until(lambda: "The disk takes nothing" in alerts(service))
        assert service.desk.state()["mode"] == "playing"
        service.desk.do({"do": "stop"})
    assert sorted((path.name, path.stat().st_mtime_ns) for path in tmp_path.iterdir()) == before


def test_a_referee_that_fails_again_and_again_ends_so_that_a_new_process_begins(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised, "LAST_WAIT_S", 0.01)

    with running(tmp_path, house.parts) as service:
        monkeypatch.setattr(service.controller, "hear", None)

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
    command += ["--host", "127.0.0.1", "--port", str(port), "--log-level", "warning"]
    command += ["--camera", str(pictures), "--state", str(tmp_path / "state")]
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
