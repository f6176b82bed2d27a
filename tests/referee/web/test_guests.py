"""One guest must not stop the page: the cost of bodies, connections, streams and PDFs is bounded for every device."""

from __future__ import annotations

import json
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from referee import jsonlines
from referee.errors import BadInputError
from referee.web import connections, setup
from tests.support.commands import sent
from tests.support.page_tools import START, Answer, PageUnderTest, Phone, served
from tests.support.waiting import wait_for

SILENT = 405
WAIT_S = 60.0


@contextmanager
def silent(port: int, address: str) -> Iterator[socket.socket]:
    """Open a connection from an address, and say nothing."""
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_S, source_address=(address, 0)) as line:
        yield line


def status(line: socket.socket) -> int:
    return int(line.recv(65536).split(b" ")[1])


@contextmanager
def stream(page: PageUnderTest, phone: Phone) -> Iterator[socket.socket]:
    """Follow the table."""
    with silent(page.port, "127.0.0.1") as line:
        cookie = f"Cookie: {phone.cookie}\r\n" if phone.cookie else ""
        address = f"X-Forwarded-For: {phone.address}\r\n" if phone.address else ""
        line.sendall(f"GET /api/events HTTP/1.1\r\nHost: localhost\r\n{cookie}{address}\r\n".encode())
        yield line


class Counted(str):
    """A key that counts how often any is compared or hashed."""

    looks = 0

    def __eq__(self, other: object) -> bool:
        Counted.looks += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        Counted.looks += 1
        return str.__hash__(self)


@pytest.mark.parametrize("keys", [1000, 8000])
def test_a_key_that_comes_again_is_found_by_looking_at_each_key_a_few_times(keys: int) -> None:
    pairs: list[tuple[str, object]] = [(Counted(number), 0) for number in range(keys)]
    Counted.looks = 0
    assert jsonlines.DECODER.object_pairs_hook is not None
    with pytest.raises(BadInputError, match=f'the key "{keys - 1}" stands there twice'):
        jsonlines.DECODER.object_pairs_hook([*pairs, (Counted(keys - 1), 0)])
    assert Counted.looks <= 8 * keys
    line = json.dumps({f"k{number}": 0 for number in range(keys)})[:-1] + ', "k0": 1}'
    with pytest.raises(BadInputError, match='key "k0" stands there twice'):
        jsonlines.parse_object(line.encode())


def test_a_device_that_is_not_paired_sends_a_kilobyte_at_most(page: PageUnderTest) -> None:
    body = json.dumps({f"k{number}": 0 for number in range(6000)}).encode()
    for guest in (page.guest(), page.paired_phone()):
        answer = guest.ask("POST", "/api/pair", body, Content_Type="application/json")
        assert answer.status == 413 and answer.data["key"] == "too_large"
    assert page.guest().post("/api/pair", {"code": "123456"}).status == 403


@pytest.mark.parametrize("path", ["/api/restore", "/api/decks/file", "/api/picture?players=3&limit=6", "/api/do"])
@pytest.mark.parametrize("length", [150_000_000, 40_000])
def test_a_body_is_refused_by_its_head_before_any_of_it_is_sent(page: PageUnderTest, path: str, length: int) -> None:
    """Neither a guest nor a paired phone without its page's sign has a byte of a body taken."""
    for cookie in ("", f"Cookie: {page.paired_phone().cookie}\r\n"):
        with begun(page, path, length, cookie) as guest:
            # Nothing of the body is sent, and the answer comes all the same.
            assert status(guest) in (401, 403, 413)


def begun(page: PageUnderTest, path: str, length: int, lines: str) -> socket.socket:
    """Send the head of an upload."""
    line = socket.create_connection(("127.0.0.1", page.port), timeout=WAIT_S)
    line.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{lines}Content-Length: {length}\r\n\r\n".encode())
    return line


def test_large_bodies_go_to_a_file_one_at_a_time_and_leave_nothing(page: PageUnderTest) -> None:
    paired = page.paired_phone()
    known = f"Cookie: {paired.cookie}\r\nX-CSRF-Token: {paired.csrf}\r\n"

    def on_their_way() -> int:
        return len(list(page.folder.glob(".on-its-way*")))

    def answer_to_another() -> tuple[int, str]:
        answer = paired.ask("POST", "/api/decks/file", b"x" * 100, X_CSRF_Token=paired.csrf)
        return answer.status, answer.data["key"]

    with begun(page, "/api/restore", 3_000_000, known) as line:
        line.sendall(b"x" * 1000)
        wait_for(lambda: on_their_way() == 1)
        assert answer_to_another() == (503, "busy")
        line.sendall(b"x" * (3_000_000 - 1000))
        assert status(line) == 400
    wait_for(lambda: not on_their_way())
    # An upload that breaks off leaves nothing, and the next one is taken.
    with begun(page, "/api/restore", 3_000_000, known) as line:
        line.sendall(b"x" * 1000)
        wait_for(lambda: on_their_way() == 1)
    wait_for(lambda: not on_their_way())
    assert answer_to_another() == (400, "deck_file_bad")


def test_a_disk_that_takes_no_file_is_said_and_what_the_power_left_goes_at_the_next_start(tmp_path: Path) -> None:
    (tmp_path / ".on-its-way.old").write_bytes(b"x")
    with served(tmp_path) as page:
        assert not list(tmp_path.glob(".on-its-way*"))
        paired = page.paired_phone()
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
        try:
            answer = paired.ask("POST", "/api/restore", b"x" * 1_000_000, X_CSRF_Token=paired.csrf)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert answer.status == 409 and "cannot be kept" in str(answer.data["error"])
        assert not list(tmp_path.glob(".on-its-way*"))


def test_silent_connections_keep_out_nobody(page: PageUnderTest) -> None:
    paired = page.paired_phone()
    assert paired.do(**START).status == 200
    many = [f"127.0.{1 + number // 40}.{1 + number % 40}" for number in range(SILENT)]
    # Of another address, of the phone's own, and of many.
    for seat, addresses in enumerate((["127.0.0.2"] * SILENT, ["127.0.0.1"] * SILENT, many)):
        with ExitStack() as held:
            for address in addresses:
                held.enter_context(silent(page.port, address))
            assert rings(paired, seat).status == 200


def rings(phone: Phone, seat: int) -> Answer:
    assert phone.do(do="bell_here").status == 200
    t_ns = phone.get("/api/clock").data["t_ns"]
    return phone.do(do="ring", seat=seat, t_ns=t_ns, within_ms=5)


def test_a_connection_is_closed_whose_head_does_not_come(page: PageUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_S", 0.2)
    monkeypatch.setattr(connections, "KEEP_ALIVE_S", 0.2)
    with silent(page.port, "127.0.0.1") as quiet:
        assert quiet.recv(10) == b""
    with silent(page.port, "127.0.0.1") as slow, suppress(OSError):
        slow.settimeout(0.02)
        for letter in "GET /api/me HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + "x" * 10_000:
            slow.sendall(letter.encode())
            with suppress(TimeoutError):
                assert slow.recv(10) == b""
                break
        else:
            raise AssertionError("a slow head holds its connection")
    with silent(page.port, "127.0.0.1") as kept:
        kept.sendall(b"GET /api/me HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert kept.recv(65536).startswith(b"HTTP/1.1 200")
        kept.sendall(b"GET /api/me HTTP/1.1\r\nHost: loc")
        while kept.recv(65536):
            continue


def test_a_line_that_follows_the_table_may_be_silent(page: PageUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_S", 0.1)
    with stream(page, page.phone()) as line:
        line.recv(65536)
        time.sleep(0.4)
        page.table.referee.do(sent(START))
        assert line.recv(65536) != b""


def test_streams_of_one_address_leave_room_for_the_family(page: PageUnderTest) -> None:
    paired, guest = page.paired_phone(), page.guest()
    with ExitStack() as held:
        lines = [held.enter_context(stream(page, guest)) for _ in range(60)]
        statuses = [status(line) for line in lines]
        assert statuses.count(200) == 20 and statuses.count(503) == 40
        # The family's own phone, from that very address, and guests elsewhere.
        family = Phone(page.port, guest.address)
        family.cookie = paired.cookie
        for phone in (family, page.phone("192.168.1.21")):
            assert status(held.enter_context(stream(page, phone))) == 200


def test_guests_of_any_number_of_addresses_leave_half_of_the_lines_to_paired_phones(page: PageUnderTest) -> None:
    paired = page.paired_phone()
    page.app.state.feed.watchers += 100
    with stream(page, page.guest()) as guest, stream(page, paired) as family:
        assert (status(guest), status(family)) == (503, 200)
    page.app.state.feed.watchers -= 100


def test_cards_to_print_are_drawn_once_for_all_who_ask(page: PageUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def printed(what: str, paper: str) -> tuple[bytes, dict[str, object]]:
        drawn.append(f"{what} {paper}")
        time.sleep(0.05)
        return b"%PDF", {}

    monkeypatch.setattr(setup, "printed", printed)
    setup._pdf.cache_clear()
    guests = [threading.Thread(target=page.guest().get, args=("/print/coloretto.pdf",)) for _ in range(8)]
    for guest in guests:
        guest.start()
    for guest in guests:
        guest.join()
    setup._pdf.cache_clear()
    assert drawn == ["coloretto a4"]
