"""Every thread of the running referee, raised in once: it works again, and the page said so."""

from __future__ import annotations

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
from referee.lessons.going_on import GoingOn
from referee.mqtt.discovery import house_state
from referee.mqtt.publisher import Publisher
from referee.service.film import FilmKeeper
from referee.service.guard.guard import Guard
from referee.service.ring_pictures import Pictures, Wanted
from referee.service.service import Service, running
from referee.web.app import create_app
from referee.web.server import PageServer
from tests.referee.service.conftest import House, play, until
from tests.support.fails_once import FailsOnce


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch, no_thread_stays: None) -> None:
    monkeypatch.setattr(supervised, "LAST_WAIT_S", 0.01)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with running(tmp_path, House().parts) as found:
        yield found


def said(service: Service, part: str) -> bool:
    """Whether the page, and the house, say that a part failed."""
    state = service.desk.state()
    devices = {one["name"]: one for one in state["devices"]}
    on_page = devices.get(f"part {part}", {}).get("message")
    in_house = house_state(state)["devices"].get(f"part_{part}")
    return (on_page, in_house) == (f"A part of Ringmaster failed and starts again ({part}).", "poor")


def test_the_referee_rules_again_and_the_game_is_the_same(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    play(service)
    before = service.desk.state()["game"]
    hear = FailsOnce(service.controller.hear)
    monkeypatch.setattr(service.controller, "hear", hear)
    service.devices.queue.source("test", 0).put(BellPressed(time.monotonic_ns(), 1))
    assert until(lambda: said(service, "referee"))
    assert until(lambda: service.desk.state()["caption"].startswith("The game goes on"))
    assert service.desk.state()["game"] == before
    service.desk.do({"do": "event", "event": {"event": "bell", "seat": 1}})
    assert any(one["ruling"].get("valid") for one in service.desk.state()["rulings"])
    service.devices.queue.source("test", 0).put(BellPressed(time.monotonic_ns(), 1))
    assert until(hear.worked.is_set)
    assert not service.ended.is_set()


@pytest.mark.parametrize(
    ("part", "owner", "method"),
    [
        ("guard", Guard, "step"),
        ("film", FilmKeeper, "tend"),
        ("pictures", Pictures, "_survey"),
        ("publisher", Publisher, "_settings_now"),
    ],
)
def test_what_looks_on_works_again(
    service: Service, monkeypatch: pytest.MonkeyPatch, part: str, owner: type, method: str
) -> None:
    work = FailsOnce(getattr(owner, method))
    monkeypatch.setattr(owner, method, lambda self, *args: work(self, *args))
    t_ns = time.monotonic_ns()
    service.devices.buffer.push(Frame(t_ns, t_ns, np.full((90, 160, 3), 90, np.uint8), 0))
    if part == "film":
        service.bus.publish(Wanted(1, 1, t_ns))
    assert until(lambda: said(service, part))
    assert until(work.worked.is_set)


def test_the_page_is_served_again_at_its_port(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    server = PageServer(create_app(service.desk), "127.0.0.1", 0, service.report)
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
