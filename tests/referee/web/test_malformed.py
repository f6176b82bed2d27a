"""Malformed and odd requests: every answer is a sentence or the requested data, never a server error.

`make nightly` sends 10,000; the tests send some hundreds.
"""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.lessons.lessons import Lessons
from referee.web.auth import COOKIE
from referee.web.limits import MOST_BODY_BYTES, MOST_GUEST_BYTES, MOST_PICTURE_BYTES
from tests.support.page_tools import ANSWER_S, START, PageUnderTest, served

REQUESTS = int(os.environ.get("RINGMASTER_REQUESTS", "240"))
ENDLESS = "/api/events"
PICTURE = "/api/picture?players=3&limit=6"
UNPAIRS = "/api/pair/forget"
QUICK = settings(max_examples=REQUESTS // 3, database=None, suppress_health_check=list(HealthCheck), derandomize=True)


class Session(requests.Session):
    """A paired browser; addresses are paths."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self.home = f"http://127.0.0.1:{port}"

    def ask(self, method: str, path: str, data: Any = None, **more: Any) -> requests.Response:  # noqa: ANN401
        return self.request(method, self.home + path, data=data, timeout=ANSWER_S, **more)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageUnderTest]:
    folder = tmp_path_factory.mktemp("page")
    lessons = Lessons(folder, lambda: None)
    with served(folder, lessons=lessons) as page:
        yield page
    lessons.close()


@pytest.fixture(scope="module")
def session(page: PageUnderTest) -> Iterator[Session]:
    phone = page.paired_phone()
    with Session(page.port) as session:
        session.cookies.set(COOKIE, (phone.cookie or "").partition("=")[2])
        session.headers.update({"X-CSRF-Token": phone.csrf, "Content-Type": "application/json"})
        yield session


def check(answer: requests.Response) -> None:
    text = answer.text
    assert answer.status_code < 500 or answer.status_code == 503, (answer.request.url, answer.request.body, text)
    assert "Traceback" not in text and 'File "' not in text
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    if answer.status_code >= 400 and answer.request.method != "HEAD":
        error = answer.json()["error"]
        assert error, (answer.request.url, text)
        # No library speaks to people.
        assert not re.search(r"[Ii]nput should|should (have|be|match)|required|pattern|permitted|pydantic", error), (
            error
        )


def test_requests_made_from_our_own_list_of_them(page: PageUnderTest, session: Session) -> None:
    asked = [
        (method, path)
        for path, methods in page.app.openapi()["paths"].items()
        for method in methods
        if path not in (ENDLESS, UNPAIRS)
    ]
    part = st.text(min_size=1, max_size=20) | st.from_regex(r"\A[0-9]{1,3}(-[0-9]{1,3}){0,2}\Z")
    body = st.none() | JSON.map(json.dumps) | COMMANDS.map(json.dumps) | st.text(max_size=40)
    words = st.dictionaries(st.sampled_from(["language", "game", "players", "limit", "since"]) | st.text(), st.text())

    @QUICK
    @given(st.sampled_from(asked), st.lists(part, min_size=3, max_size=3), words, body)
    def send(one: tuple[str, str], parts: list[str], query: dict[str, str], body: str | None) -> None:
        method, path = one
        names = iter(parts)
        url = re.sub(r"{[^}]*}", lambda _: quote(next(names), safe=""), path)
        data = body.encode("utf-8", "surrogatepass") if body is not None and method != "get" else None
        check(session.ask(method, url, data, params=query))

    send()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
SEAT = st.integers(-2, 9) | JSON
EVENTS = st.fixed_dictionaries(
    {"event": st.sampled_from(["card_shown", "bell", "ringer", "decided", "hand", "stop", "card_placed"]) | st.text()},
    optional={
        "seat": SEAT,
        "colour": st.sampled_from(["red", None]) | JSON,
        "mood": st.sampled_from(["happy", "sad"]) | JSON,
        "cards": JSON,
        "t_ns": JSON,
        "valid": JSON,
    },
)
COMMANDS = st.one_of(
    st.fixed_dictionaries({"do": st.just("event"), "event": EVENTS}),
    st.fixed_dictionaries({"do": st.just("correct"), "event": st.from_regex(r"\A1-[0-9]{1,2}\Z"), "with": EVENTS}),
    st.fixed_dictionaries({"do": st.just("correct"), "ruling": st.text(), "with": st.none() | EVENTS}),
    st.fixed_dictionaries(
        {"do": st.just("start"), "game": st.sampled_from(["confetti", "piccolino"]), "players": JSON}
    ),
    st.fixed_dictionaries({"do": st.just("ringer"), "seat": SEAT}),
    st.fixed_dictionaries(
        {"do": st.just("settings")}, optional={"volume": JSON, "quiet_hours": JSON, "language": JSON}
    ),
    st.fixed_dictionaries({"do": st.sampled_from(["undo", "count", "flip", "look_again", "decide"])}),
)


def test_commands_that_make_no_sense_in_a_game(session: Session) -> None:
    assert session.ask("POST", "/api/do", json.dumps(START)).status_code == 200

    @QUICK
    @given(COMMANDS)
    def send(command: dict[str, object]) -> None:
        check(session.ask("POST", "/api/do", json.dumps(command)))

    send()
    assert session.ask("GET", "/api/state").status_code == 200


def test_bytes_that_are_no_request_at_all(page: PageUnderTest) -> None:
    line = st.from_regex(rb"\A(GET|POST|PUT|BREW) [^\r\n]{0,40} HTTP/[01]\.[019]\Z") | st.binary(max_size=60)
    head = st.lists(st.from_regex(rb"\A[A-Za-z-]{1,20}: ?[^\r\n]{0,40}\Z") | st.binary(max_size=40), max_size=6)

    @QUICK
    @given(line, head, st.binary(max_size=80))
    def send(line: bytes, head: list[bytes], body: bytes) -> None:
        with socket.create_connection(("127.0.0.1", page.port), timeout=ANSWER_S) as connection:
            connection.sendall(b"\r\n".join([line, *head, b"Connection: close", b"", body]))
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while part := connection.recv(65536):
                answer += part
        assert b" 500 " not in answer[:40] and b"Traceback" not in answer

    send()


NASTY = (
    b"[" * 30_000,
    b'{"do":' * 10_000,
    b'{"do": "event", "event": {"event": ' + b"[" * 2000 + b"]" * 2000 + b"}}",
    b'{"do": "ringer", "seat": ' + b"9" * 5000 + b"}",
    b'{"do": "ringer", "seat": NaN}',
    b'{"do": "ringer", "do": "stop", "seat": 1}',
    b'{"do": "start", "game": "piccolino", "players": ["\\ud800", "b"], "options": {}}',
    b'{"do": "start", "game": "piccolino", "players": ["a\\u0000", "b"], "options": {}}',
    b"\xff\xfe",
    b"",
    b"null",
)


def test_nasty_json_is_refused_in_a_sentence(session: Session) -> None:
    for body in NASTY:
        answer = session.ask("POST", "/api/do", body)
        check(answer)
        assert answer.status_code == 400, body[:80]


@pytest.mark.parametrize(
    ("path", "most"),
    [("/api/do", MOST_BODY_BYTES), ("/api/pair", MOST_GUEST_BYTES), (PICTURE, MOST_PICTURE_BYTES)],
)
def test_bodies_are_bounded_also_without_a_length(page: PageUnderTest, session: Session, path: str, most: int) -> None:
    with socket.create_connection(("127.0.0.1", page.port), timeout=ANSWER_S) as connection:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {most + 1}\r\n\r\n"
        connection.sendall(head.encode())
        assert b" 413 " in connection.recv(4096)
    piece = b"x" * 65_536

    def pieces() -> Iterator[bytes]:
        for _ in range(most // len(piece) + 2):
            yield piece

    try:
        assert session.ask("POST", path, pieces()).status_code == 413
    except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
        # The rest was not waited for, which the sender may notice before the answer.
        assert page.phone().get("/api/me").status == 200


def test_a_form_of_another_page_is_no_command_and_the_server_is_well(page: PageUnderTest, session: Session) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert session.ask("POST", "/api/do", {"do": "stop"}, headers=form).status_code == 415
    assert page.phone().get("/api/state").status == 200
