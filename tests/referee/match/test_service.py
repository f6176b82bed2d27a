"""The whole service: started, fed, a thread of it raised in, stopped; and as a process, ended by a signal."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import uvicorn

from hardware import supervised
from hardware.camera.frames import Frame
from hardware.events import BellPressed
from referee.errors import WorkFailedError
from referee.files import note_set_aside
from referee.lessons.going_on import GoingOn
from referee.match import table_decks
from referee.match.monitor import Monitor
from referee.match.pictures import Pictures
from referee.match.process import Shutdown, busy_threads
from referee.match.referee import Referee, running
from referee.mqtt.discovery import house_state
from referee.mqtt.publisher import Publisher
from referee.setup.step import load_kept
from referee.web.app import create_app
from referee.web.options import WebOptions
from referee.web.server import PageServer
from tests.referee.match.conftest import TIMEOUT_S, House, RingWatcher, play, until
from tests.support.commands import sent
from tests.support.fails_once import FailsOnce


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
        assert until(lambda: service.state()["rulings"])
        ruling = service.state()["rulings"][-1]["ruling"]
        with pytest.raises(WorkFailedError), running(tmp_path, House().parts):
            raise AssertionError
    assert ruling["ruling"] == "ring"
    assert "game 1 begins: piccolino" in caplog.text and 'ruled: {"ruling": "ring", ' in caplog.text
    assert "Cem" not in caplog.text
    again = House()
    with running(tmp_path, again.parts) as service:
        assert service.state()["rulings"][-1]["ruling"] == ruling
    assert not [text for text in again.said if "ring, Cem" in text and not text.startswith("The game goes on.")]


def alerts(service: Referee) -> str:
    return " ".join(one["message"] for one in service.state()["devices"] if one["state"] != "ok")


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
            create_app(service, WebOptions(state_dir=tmp_path))
            service.report_set_aside()
            assert until(lambda: stem in alerts(service)), alerts(service)
            assert service.state()["mode"] == "idle"
        assert "A file was damaged: please look at the page." in house.said
        (aside,) = tmp_path.glob(f"{stem}*")
        assert data is None or aside.read_bytes() == data
    with running(tmp_path, House().parts) as service:
        note_set_aside(tmp_path)
        service.report_set_aside()
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
        assert service.state()["mode"] == "playing"
        service.do(sent({"do": "stop"}))
    assert sorted((path.name, path.stat().st_mtime_ns) for path in tmp_path.iterdir()) == before


def test_a_referee_that_fails_again_and_again_ends_so_that_a_new_process_begins(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(tmp_path, house.parts) as service:
        monkeypatch.setattr(service, "hear", None)

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
    command = [sys.executable, "-m", "ringmaster", "run"]
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


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch, no_thread_stays: None) -> None:
    monkeypatch.setattr(supervised, "LAST_WAIT_S", 0.01)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Referee]:
    with running(tmp_path, House().parts) as found:
        yield found


def said(service: Referee, part: str) -> bool:
    """Return whether the page, and the house, say that a part failed."""
    state = service.state()
    devices = {one["name"]: one for one in state["devices"]}
    on_page = devices.get(f"part {part}", {}).get("message")
    in_house = house_state(state)["devices"].get(f"part_{part}")
    return (on_page, in_house) == (f"A part of Ringmaster failed and starts again ({part}).", "poor")


def test_the_referee_rules_again_and_the_game_is_the_same(service: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    play(service)
    before = service.state()["game"]
    hear = FailsOnce(service.hear)
    monkeypatch.setattr(service, "hear", hear)
    service.devices.queue.source("test", 0).put(BellPressed(time.monotonic_ns(), 1))
    assert until(lambda: said(service, "referee"))
    assert until(lambda: service.state()["caption"].startswith("The game goes on"))
    assert service.state()["game"] == before
    service.do(sent({"do": "event", "event": {"event": "bell", "seat": 1}}))
    assert any(one["ruling"].get("valid") for one in service.state()["rulings"])
    service.devices.queue.source("test", 0).put(BellPressed(time.monotonic_ns(), 1))
    assert until(hear.worked.is_set)
    assert not service.ended.is_set()


@pytest.mark.parametrize(
    ("part", "owner", "method"),
    [
        ("guard", Monitor, "step"),
        ("pictures", Pictures, "_survey"),
        ("publisher", Publisher, "_settings_now"),
    ],
)
def test_what_looks_on_works_again(
    service: Referee, monkeypatch: pytest.MonkeyPatch, part: str, owner: type, method: str
) -> None:
    work = FailsOnce(getattr(owner, method))
    monkeypatch.setattr(owner, method, lambda self, *args: work(self, *args))
    t_ns = time.monotonic_ns()
    service.devices.buffer.push(Frame(t_ns, t_ns, np.full((90, 160, 3), 90, np.uint8), 0))
    assert until(lambda: said(service, part))
    assert until(work.worked.is_set)


def test_the_page_is_served_again_at_its_port(service: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    server = PageServer(create_app(service), "127.0.0.1", 0, service.report)
    server.start()
    try:
        work = FailsOnce(uvicorn.Server.on_tick)

        async def tick(self: uvicorn.Server, counter: int) -> bool:
            if not work.failed.is_set():
                work(self, counter)
            return self.should_exit

        monkeypatch.setattr(uvicorn.Server, "on_tick", tick)
        assert until(lambda: said(service, "page"))
        assert until(lambda: answers(server.port))
    finally:
        server.stop()


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/state", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def test_a_lesson_goes_on_and_says_what_failed(tmp_path: Path) -> None:
    lesson = GoingOn(tmp_path)
    lesson.start()
    job = FailsOnce(lambda: None)
    lesson.later("learn", job)
    assert until(lambda: lesson.trouble is not None and not lesson.view()["busy"])
    assert "nobody expects" in lesson.view()["trouble"]["values"]["why"]
    lesson.later("learn", job)
    assert until(job.worked.is_set)
    lesson.stop()


# A watcher that is never done with the first frame, and is inside of OpenCV nearly all of the time.
STUCK_READER = """
import sys
import cv2, numpy as np
from referee.commands import main, run
from referee.games.confetti.watching.watcher import ConfettiWatcher

def look(self, frame):
    print("it looks", flush=True)
    picture = np.zeros((1500, 1500), np.uint8)
    while True:
        cv2.GaussianBlur(picture, (0, 0), 9)

def serve_a_game(service, *rest, **named):
    service.begin("confetti", ["Ann"], {})
    serve(service, *rest, **named)

ConfettiWatcher.look = look
serve, run._serve = run._serve, serve_a_game
sys.exit(main())
"""


def test_a_process_without_threads_ends_by_itself_and_a_thread_that_is_left_is_not_waited_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    left: list[int] = []
    shutdown = Shutdown(left.append, longest_s=TIMEOUT_S)
    shutdown.begin()
    shutdown.begin()
    shutdown.end(0)
    assert left == [] and busy_threads() == []
    never = threading.Event()
    reader = threading.Thread(target=never.wait)
    reader.start()
    Shutdown(left.append).end(1, "the referee has failed")
    assert left == [1] and busy_threads() == [reader]
    # The end comes although it is never reached in order.
    Shutdown(left.append, longest_s=0.01).begin()
    assert until(lambda: left == [1, 0])
    assert capsys.readouterr().err == "the referee has failed\n"
    never.set()
    reader.join()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_reader_that_never_returns_neither_delays_nor_aborts_the_end(number: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-c", STUCK_READER, "run", "--simulated", "--host", "127.0.0.1", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--log-level", "error", "--state", str(tmp_path)],
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    too_late = threading.Timer(TIMEOUT_S, process.kill)
    too_late.start()
    assert process.stdout is not None
    heard = {process.stdout.readline().split(":")[0] for _ in range(2)}
    assert heard == {"The referee is ready", "it looks\n"}
    process.send_signal(number)
    _, errors = process.communicate()
    too_late.cancel()
    assert process.returncode == 0
    assert errors == ""
