"""The first device is let in by what only somebody in the room can do, and by nothing else."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import stat
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import referee
from hardware.problems import Health, Problem
from referee.commands import main
from referee.state_folder import INSTALLED, SIMULATED, as_typed, state_folder
from referee.web.hosts import is_at_home, phone_address, where
from referee.web.options import WebOptions
from referee.web.pairing_first import ALONE_S, GONE_S, MOST_WAITING, REST_S, FirstDevice, Wait
from referee.web.pairing_marker import mark_rows, marks_in
from referee.web.pairing_routes import acts_of
from referee.web.qr import qr_lines
from tests.support.commands import sent
from tests.support.page_tools import START, Answer, FakeClock, PageUnderTest, Phone, served

Image = NDArray[np.uint8]


class Room:
    """A room with a bell, in which devices wait and time passes."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.paired = 0
        self.first = FirstDevice(self.clock, lambda: not self.paired)
        self.tickets: dict[str, str] = {}

    def ask(self, name: str) -> Wait:
        wait = self.first.ask(self.tickets.get(name))
        assert wait is not None
        self.tickets[name] = wait.ticket
        return wait

    def press(self, times: int, *asking: str) -> None:
        for _ in range(times):
            self.clock.now_s += 0.6
            self.first.pressed(self.clock.now_s)
            for name in asking:
                self.ask(name)
        self.pass_(REST_S + 0.1, *asking)

    def pass_(self, seconds: float, *asking: str) -> None:
        while seconds > 0:
            self.clock.now_s += min(1.0, seconds)
            seconds -= 1.0
            for name in asking:
                self.ask(name)


def test_pressing_the_bell_as_often_as_the_screen_says_lets_in_the_one_device_that_waits_openly() -> None:
    room = Room()
    wanted = room.ask("phone").presses
    for presses in (1, 2) * 3:
        room.press(presses, "phone")
    assert not room.ask("phone").granted
    # Of two that wait, the bell lets in neither, and both are given that.
    room.ask("guest")
    room.press(wanted, "phone", "guest")
    assert [(room.ask(name).granted, room.ask(name).others) for name in ("phone", "guest")] == [(False, True)] * 2
    room = Room()
    room.press(room.ask("phone").presses, "phone")
    assert room.ask("phone").granted


def test_one_that_has_hidden_just_before_still_spoils_it_and_one_that_has_left_does_not() -> None:
    room = Room()
    room.ask("guest")
    room.pass_(GONE_S + 1, "phone")
    room.press(room.ask("phone").presses, "phone")
    assert not room.ask("phone").granted
    room.pass_(ALONE_S + 1, "phone")
    room.press(room.ask("phone").presses, "phone")
    assert room.ask("phone").granted


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(1, 9), st.floats(0.2, 6.0)), min_size=8, max_size=40))
def test_however_the_bell_is_pressed_a_secret_device_has_few_chances(runs: list[tuple[int, float]]) -> None:
    room = Room()
    tried = 0
    for presses, pause_s in runs:
        wait = room.ask("guest")
        if wait.granted:
            return
        tried += not wait.bell_rests
        room.press(9 if presses == wait.presses else presses, "guest")
        room.pass_(pause_s, "guest")
    assert tried <= 4 and not room.ask("guest").granted


def test_once_a_device_is_paired_nobody_waits_any_more_and_many_that_wait_take_bounded_room() -> None:
    room = Room()
    wait = room.ask("guest")
    room.paired = 1
    room.press(wait.presses)
    room.first.seen({wait.mark}, room.clock.now_s)
    assert room.first.ask(wait.ticket) is None
    room.paired = 0
    assert not room.ask("guest").granted
    room = Room()
    tickets = [room.first.ask(None) for _ in range(MOST_WAITING + 20)]
    assert sum(ticket is not None for ticket in tickets) == MOST_WAITING
    room.clock.now_s += 60
    assert room.first.ask(None) is not None


def test_devices_beyond_the_home_network_differ_from_those_in_it() -> None:
    home = ("192.168.1.20", "10.3.2.1", "fe80::1%wlan0", "::ffff:192.168.1.4", "2001:db8:1:2::77")
    beyond = ("2001:db8:1:3::77", "93.184.216.34", "100.64.0.9", "::ffff:8.8.8.8", "")
    assert [address for address in home + beyond if is_at_home(address, "2001:db8:1:2::1")] == list(home)


def photo_with(mark: int) -> Image:
    """Draw a table with a phone on it that shows a mark, seen a little from the side, in dim light."""
    cells = np.array([[int(cell) for cell in row] for row in mark_rows(mark)], np.uint8)
    screen = np.pad(cv2.resize(cells * 255, (96, 96), interpolation=cv2.INTER_NEAREST), 16, constant_values=255)
    table = np.random.default_rng(5).normal(90, 6, (720, 1280)).clip(0, 255).astype(np.uint8)
    target = np.array([[600, 300], [715, 330], [690, 440], [570, 412]], np.float32)
    source = np.array([[0, 0], [128, 0], [128, 128], [0, 128]], np.float32)
    move = cv2.getPerspectiveTransform(source, target)
    laid = cv2.warpPerspective(screen, move, (1280, 720))
    inside = cv2.warpPerspective(np.full_like(screen, 255), move, (1280, 720)) > 127
    dim = np.where(inside, (laid * 0.7 + 20).astype(np.uint8), table)
    return np.asarray(cv2.cvtColor(cv2.GaussianBlur(dim, (3, 3), 0), cv2.COLOR_GRAY2BGR), np.uint8)


def wait_of(phone: Phone) -> dict[str, Any]:
    answer = phone.post("/api/pair/wait", {})
    assert answer.status == 200, answer.body
    if answer.data.get("paired"):
        phone.csrf = answer.data["csrf"]
    return answer.data


class Jar(Phone):
    """A browser that keeps two cookies."""

    jar: tuple[str, ...] = ()

    def post(self, path: str, body: object, **headers: str) -> Answer:
        sent = self.cookie = "; ".join(self.jar) or None
        answer = super().post(path, body, **headers)
        if self.cookie is not None and self.cookie != sent:
            name = self.cookie.partition("=")[0]
            self.jar = (*(kept for kept in self.jar if kept.partition("=")[0] != name), self.cookie)
        return answer


def test_on_the_page_the_bell_lets_the_first_device_in_and_none_after_it(page: PageUnderTest) -> None:
    phone = Jar(page.port)
    answer = wait_of(phone)
    assert answer["acts"] == ["bell", "camera"] and page.phone().get("/api/me").data["first"]
    for _ in range(answer["presses"]):
        page.clock.now_s += 0.5
        page.app.state.bell_pressed(int(page.clock.now_s * 1e9))
    assert wait_of(phone)["pressed"] == answer["presses"]
    page.clock.now_s += REST_S + 0.1
    assert wait_of(phone)["paired"] is True
    assert phone.post("/api/do", START).status == 200
    assert wait_of(Jar(page.port)) == {"first": False, "home": True, "acts": []}


def test_on_the_page_a_phone_under_the_camera_is_let_in(tmp_path: Path) -> None:
    pictures: list[tuple[int, Image]] = []
    with served(tmp_path, newest_picture=lambda: pictures[-1] if pictures else None) as page:
        phone, guest = Jar(page.port), Jar(page.port)
        answer = wait_of(phone)
        assert answer["mark"] != wait_of(guest)["mark"]
        mark = next(mark for mark in range(250) if mark_rows(mark) == answer["mark"])
        page.clock.now_s += 1
        pictures.append((int(page.clock.now_s * 1e9), photo_with(mark)))
        page.clock.now_s += 1
        assert "paired" not in wait_of(guest)
        assert wait_of(phone)["paired"] is True
        assert wait_of(guest)["first"] is False


def test_a_mark_is_read_and_a_marker_card_is_none() -> None:
    assert marks_in(photo_with(17)) == {17}
    cards = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    sheet = np.full((400, 400), 255, np.uint8)
    sheet[100:300, 100:300] = cv2.aruco.generateImageMarker(cards, 3, 200)
    assert marks_in(sheet) == frozenset()


def test_only_acts_are_named_that_work_with_the_devices_that_are_there(page: PageUnderTest) -> None:
    desk = page.table.referee
    sighted = WebOptions(newest_picture=lambda: None)
    assert acts_of(desk.state(), sighted) == ["bell", "camera"]
    assert acts_of(desk.state(), WebOptions()) == ["bell"]
    page.table.referee.health.report(Problem("camera", Health.MISSING, "gone", t_ns=1))
    desk.changed()
    assert acts_of(desk.state(), sighted) == ["bell"]
    desk.do(sent(START))
    assert acts_of(desk.state(), sighted) == []
    desk.do(sent({"do": "stop"}))
    for bell in ("microphone", "none"):
        desk.do(sent({"do": "settings", "bell": bell}))
        assert acts_of(desk.state(), sighted) == []


def test_at_the_machine_itself_the_code_is_shown_to_its_user_alone(
    page: PageUnderTest, capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert stat.S_IMODE((page.folder / "door").stat().st_mode) == 0o600
    assert main(["code", "--state", str(page.folder), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["valid_s"] == 300
    assert page.phone().post("/api/pair", {"code": answer["code"]}).status == 200
    # Where no referee runs, that is one line.
    assert main(["code", "--state", str(tmp_path_factory.mktemp("empty"))]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_the_terminal_names_the_way_in_that_works_on_this_machine(page: PageUnderTest, tmp_path: Path) -> None:
    command = page.phone().get("/api/me").data["command"]
    name, *arguments = shlex.split(command)
    assert arguments == ["code", "--state", str(page.folder)]
    root = Path(referee.__file__).parents[1]
    assert shutil.which(name) or (root / name).exists()
    assert as_typed("code", INSTALLED).startswith("sudo ") and as_typed("code", INSTALLED).endswith("ringmaster code")
    assert as_typed("code", tmp_path / SIMULATED).endswith(f" --state {tmp_path}")
    assert as_typed("code", state_folder(environment={})).endswith("ringmaster code")


def decoded(svg: str) -> str:
    """Read a QR code in SVG as a phone's camera does."""
    side = int(re.search(r'viewBox="0 0 (\d+) ', svg)[1])  # type: ignore[index]
    picture = np.full((side, side), 255, np.uint8)
    x = y = 0.0
    for move, across, down in re.findall(r"([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?", svg.split('class="qrline"')[1]):
        start = x if move != "M" else 0.0
        if move == "h":
            picture[int(y), int(x) : int(x + float(across))] = 0
        else:
            y = float(down) + (y if move == "m" else 0)
        x = start + float(across)
    large = cv2.resize(picture, None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
    return cv2.QRCodeDetector().detectAndDecode(large)[0]


def test_a_screen_in_the_room_shows_a_code_to_scan_that_pairs(page: PageUnderTest) -> None:
    page.app.state.auth.address = "http://ringmaster.local/"
    paired, host = page.paired_phone(), f"ringmaster.local:{page.port}"
    assert paired.get("/api/pair/qr.svg").status == 404
    paired.post("/api/pair/ask", {})
    code = page.said[-1]
    scanned = decoded(paired.get("/api/pair/qr.svg", Host=host).body.decode())
    assert scanned == f"http://{host}/#pair={code}"
    # A page that only this machine can open is no use to a phone.
    assert phone_address("127.0.0.1", 8080) is None
    page.app.state.auth.address = None
    assert paired.get("/api/pair/qr.svg", Host=host).status == 404 and not paired.get("/api/me").data["scan"]
    # The address of the page itself is a code, too, and on a screen of this machine one that others find.
    assert page.phone().get("/api/address", Host=host).data == {"address": f"http://{host}/"}
    assert decoded(page.phone().get("/qr.svg", Host=host).body.decode()) == f"http://{host}/"
    address = page.phone().get("/api/address").data["address"]
    assert re.fullmatch(rf"http://[\w-]+\.local:{page.port}/", address)


def test_a_terminal_names_addresses_that_phones_can_use() -> None:
    for host in ("", "0.0.0.0", "::"):
        found = where(host, 8080).split(", ")
        assert re.fullmatch(r"http://[\w-]+\.local:8080/", found[0])
        assert not any(local in one for one in found for local in ("localhost", "127.", "0.0.0.0"))
    assert where("192.168.1.5", 80) == "http://192.168.1.5:80/"
    assert where("fe80::1", 8080) == "http://[fe80::1]:8080/"


def test_a_terminal_shows_a_code_that_a_camera_reads() -> None:
    text = "http://ringmaster.local/#pair=123456"
    rows = []
    for line in qr_lines(text):
        cells = line.removeprefix("\x1b[97;40m").removesuffix("\x1b[0m")
        rows += [[255 * (cell in "█▀") for cell in cells], [255 * (cell in "█▄") for cell in cells]]
    picture = cv2.resize(np.array(rows, np.uint8), None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
    assert cv2.QRCodeDetector().detectAndDecode(picture)[0] == text


def test_a_locked_out_device_is_sent_to_the_bell_only_where_there_is_one(page: PageUnderTest) -> None:
    def refused() -> str:
        for _ in range(30):
            answer = page.phone().post("/api/pair", {"code": "000000"})
            if answer.status == 429:
                return str(answer.data["key"])
        raise AssertionError("nobody is ever locked out")

    assert refused() == "ring_to_pair"
    page.table.referee.do(sent({"do": "settings", "bell": "none"}))
    assert refused() == "too_many_tries"
