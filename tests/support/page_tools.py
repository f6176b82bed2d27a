"""A page served over a real referee without devices, and phones that ask it, for tests."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from referee.lessons.lessons import Lessons
from referee.match.process import Power
from referee.match.referee import Referee
from referee.web.app import create_app
from referee.web.options import Taken, WebOptions
from referee.web.server import PageServer
from tests.support.quiet_table import QuietTable, quiet_table

START: dict[str, Any] = {"do": "start", "game": "piccolino", "players": ["Ann", "Ben", "Cem"], "options": {}}
ANSWER_S = 120.0


@dataclass
class FakeClock:
    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@dataclass
class GameClock:
    """The monotonic clock of a game whose players need no time: each look is a second after the one before."""

    now_ns: int = field(default_factory=time.monotonic_ns)

    def __call__(self) -> int:
        self.now_ns += 1_000_000_000
        return self.now_ns


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.body)
        return data


class Phone:
    """A browser without a screen: on this machine, or elsewhere at home, as a proxy on this machine would say it."""

    def __init__(self, port: int, address: str = "") -> None:
        self.port, self.address = port, address
        self.cookie: str | None = None
        self.csrf = ""

    def ask(self, method: str, path: str, sent_body: bytes | None = None, /, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_S)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookie is not None:
            sent.setdefault("Cookie", self.cookie)
        if self.address:
            sent["X-Forwarded-For"] = self.address
        try:
            connection.request(method, path, sent_body, sent)
            response = connection.getresponse()
            answer = Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].split(";")[0]
        return answer

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, None, **headers)

    def post(self, path: str, body: object, **headers: str) -> Answer:
        headers.setdefault("X_CSRF_Token", self.csrf)
        headers.setdefault("Content_Type", "application/json")
        return self.ask("POST", path, json.dumps(body).encode(), **headers)

    def do(self, **command: object) -> Answer:
        return self.post("/api/do", command)

    def state(self) -> dict[str, Any]:
        return self.get("/api/state").data

    def state_with(self, text: str) -> dict[str, Any]:
        """Wait until a ruling says this; the page follows the referee within moments."""
        deadline = time.monotonic() + ANSWER_S
        while True:
            state = self.state()
            if any(text in ruling["text"] for ruling in state["rulings"]):
                return state
            assert time.monotonic() < deadline, f"{text!r} is not among {state['rulings']}"
            time.sleep(0.01)


@dataclass
class PageUnderTest:
    """A page at `port`, the table behind it, what it says aloud, and its clock."""

    app: FastAPI
    table: QuietTable
    folder: Path
    port: int = 0
    clock: FakeClock = field(default_factory=FakeClock)
    said: list[str] = field(default_factory=list)

    def phone(self, address: str = "") -> Phone:
        return Phone(self.port, address)

    def guest(self) -> Phone:
        return self.phone("192.168.1.20")

    def paired_phone(self) -> Phone:
        phone = self.phone()
        phone.post("/api/pair/ask", {})
        answer = phone.post("/api/pair", {"code": self.said[-1]})
        assert answer.status == 200, answer.body
        phone.csrf = answer.data["csrf"]
        self.clock.now_s += 60
        return phone


@contextmanager
def served(
    folder: Path,
    referee: Referee | None = None,
    newest_picture: Callable[[], Taken | None] = lambda: None,
    table: QuietTable | None = None,
    lessons: Lessons | None = None,
    power: Power | None = None,
) -> Iterator[PageUnderTest]:
    """Serve the page of a new table, or of another one or another desk."""
    table = table or quiet_table(folder, clock=GameClock())
    clock, said = FakeClock(), list[str]()
    # The publisher is never started: it keeps its settings, and publishes nothing.
    table.referee.power = power or Power()
    options = WebOptions(
        state_dir=folder,
        say_code=said.append,
        clock=clock,
        newest_picture=newest_picture,
        lessons=lessons,
    )
    app = create_app(referee or table.referee, options)
    server = PageServer(app, "127.0.0.1", 0)
    try:
        server.start()
        yield PageUnderTest(app, table, folder, server.port, clock, said)
    finally:
        server.stop()
        table.close()
