"""Who may do what: anybody may look, only paired devices may change anything."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import pytest

from referee.web.hosts import OwnNames
from referee.web.tokens import FILE
from referee.web.words import words_in
from tests.support.commands import sent
from tests.support.page_tools import START, PageUnderTest, Phone, served

READS = ["/", "/api/state", "/api/me", "/api/history", "/api/statistics"]
READS += ["/api/games/de", "/api/words/fr", "/page/main.js"]
CHANGES: list[tuple[str, object]] = [
    ("/api/do", START),
    ("/api/do", {"do": "settings", "volume": 0.1}),
    ("/api/pair/forget", {"all": True}),
    ("/api/picture?players=3&limit=6", {}),
]


def test_anybody_on_the_network_may_look_and_nobody_changes_anything_without_being_paired(page: PageUnderTest) -> None:
    stranger = page.phone()
    assert {path: stranger.get(path).status for path in READS} == dict.fromkeys(READS, 200)
    for path, body in CHANGES:
        answer = stranger.post(path, body)
        assert (answer.status, answer.data["key"]) == (401, "pair_first")
    assert stranger.state()["mode"] == "idle"


def test_a_paired_phone_starts_a_game(paired: Phone) -> None:
    assert paired.do(**START).status == 200
    assert paired.state()["game"]["players"] == ["Ann", "Ben", "Cem"]


def test_a_pairing_outlives_a_restart_and_its_file_lets_nobody_in(tmp_path: Path) -> None:
    with served(tmp_path) as page:
        phone = page.paired_phone()
    kept = (tmp_path / FILE).read_text()
    token = (phone.cookie or "").partition("=")[2]
    assert token and token not in kept and hashlib.sha256(token.encode()).hexdigest() in kept
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    with served(tmp_path) as page:
        phone.port = page.port
        assert phone.do(**START).status == 200
        digest = hashlib.sha256(token.encode()).hexdigest()
        phone.cookie = f"ringmaster={digest}"
        assert phone.do(**START).status == 401


def test_a_damaged_file_of_pairings_costs_a_pairing_and_no_more(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('[{"digest": 1')
    with served(tmp_path) as page:
        assert page.paired_phone().do(**START).status == 200


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(page: PageUnderTest) -> None:
    phone = page.phone()
    phone.post("/api/pair/ask", {})
    header = phone.post("/api/pair", {"code": page.said[-1]}).headers["set-cookie"].lower()
    assert "httponly" in header and "samesite=strict" in header and "path=/" in header


def test_a_forgotten_phone_may_only_look(page: PageUnderTest) -> None:
    first, second = page.paired_phone(), page.paired_phone()
    assert first.post("/api/pair/forget", {"all": False}).status == 200
    assert first.do(**START).status == 401
    assert second.do(**START).status == 200
    assert second.post("/api/pair/forget", {"all": True}).status == 200
    assert second.do(**START).status == 401


@pytest.mark.parametrize("csrf", ["", "0" * 64, "é"])
def test_a_change_needs_what_only_our_pages_can_read(paired: Phone, csrf: str) -> None:
    assert paired.post("/api/do", START, X_CSRF_Token=csrf).status == 403
    assert paired.state()["mode"] == "idle"


def test_a_change_with_a_header_that_no_browser_sends_is_refused(paired: Phone) -> None:
    # The head alone is refused: what is sent of the body after that may have the answer overtaken by a reset.
    with contextlib.suppress(ConnectionResetError, BrokenPipeError):
        assert paired.post("/api/do", START, X_CSRF_Token="\x00").status in (400, 403)
    assert paired.state()["mode"] == "idle"


def test_changes_that_other_pages_ask_for_are_refused_and_our_own_are_let_in(paired: Phone) -> None:
    for origin in ("http://evil.example", "null", "https://127.0.0.1"):
        assert paired.post("/api/do", START, Origin=origin).status == 403
    for site in ("cross-site", "same-site"):
        assert paired.post("/api/do", START, Sec_Fetch_Site=site).status == 403
    assert paired.state()["mode"] == "idle"
    assert paired.post("/api/do", START, Sec_Fetch_Site="same-origin").status == 200
    assert paired.post("/api/do", START, Origin=f"http://127.0.0.1:{paired.port}").status == 200


OUR_NAMES = """
ringmaster.local RINGMASTER.LOCAL:8080 localhost:80 ringmaster ringmaster-2.local ringmaster.fritz.box
ringmaster.lan. ringmaster-3.home.arpa:8080 127.0.0.1 [::1]:8080 192.168.7.7 [fe80::1%25eth0]
"""
OTHER_NAMES = """
evil.example ringmaster.example ringmaster-2.example ringmaster.lan.example ringmaster.box lan evil fritz.box
ringmaster.local.evil.example a@localhost localhost/.. [:: 127.0.0.1.evil.example 10.0.0.1@evil.example
ringmaster%.evil.example ringmaster%25.evil.example 127.0.0.1%.evil.example localhost%
"""


def test_a_page_is_served_under_our_own_names_only(phone: Phone) -> None:
    names = [*OUR_NAMES.split(), *OTHER_NAMES.split(), ""]
    served_under = [name for name in names if phone.get("/api/state", Host=name).status == 200]
    assert served_under == OUR_NAMES.split()


def test_this_networks_own_endings_count_once_the_machine_knows_them(tmp_path: Path) -> None:
    resolver = tmp_path / "resolv.conf"
    names = OwnNames(resolver=resolver, hostname="spielpi")
    assert "ringmaster.casa.example" not in names
    resolver.write_text("# from the router\nnameserver 192.168.1.1\nsearch Casa.Example. other.example\n")
    assert all(name in names for name in ("ringmaster.casa.example", "spielpi.casa.example", "spielpi.other.example"))
    assert "evil.casa.example" not in names and "ringmaster.example" not in names


def test_a_browser_at_a_wrong_address_is_shown_the_right_one_in_words_and_in_digits(page: PageUnderTest) -> None:
    page.table.referee.do(sent({"do": "settings", "language": "de"}))
    answer = page.phone().get("/", Host="evil.example", Accept="text/html,*/*")
    assert answer.status == 421 and answer.headers["content-type"].startswith("text/html")
    text = answer.body.decode()
    assert f'href="http://127.0.0.1:{page.port}/"' in text and f".local:{page.port}/" in text
    assert words_in("de")["fault_wrong_host"] in text and "evil" not in text
    assert page.phone().get("/api/state", Host="evil.example", Accept="application/json").data["key"] == "wrong_host"
    lost = page.phone().get("/tabel", Accept="text/html")
    assert lost.status == 404 and words_in("de")["fault_not_here"] in lost.body.decode()


def test_the_code_is_shown_in_the_room_only(page: PageUnderTest) -> None:
    paired = page.paired_phone()
    paired.post("/api/pair/ask", {})
    # The tests' phones are on this machine, whose screen stands in the room.
    shown = [phone.get("/api/me").data["code"] for phone in (paired, page.phone(), page.guest())]
    assert shown == [page.said[-1], page.said[-1], None]


@pytest.mark.parametrize("path", ["/", "/api/state", "/page/look.css", "/api/nothing", "/live.jpg"])
def test_every_answer_keeps_the_browser_careful(phone: Phone, path: str) -> None:
    headers = phone.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "server" not in headers
    careful = {
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
    }
    assert careful.items() <= headers.items()
