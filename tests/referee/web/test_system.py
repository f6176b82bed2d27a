"""The machine on the page: what it shows and to whom, what it switches, games deleted, players renamed and merged."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.log import begin_log
from referee.match.process import Power, power_here
from tests.support.page_tools import START, Answer, PageUnderTest, Phone, served
from tests.support.waiting import wait_for


def forget(phone: Phone, game: str) -> Answer:
    return phone.post("/api/system", {"do": "forget_game", "game": game})


def games(phone: Phone) -> list[str]:
    return [game["id"] for game in phone.get("/api/history").data["games"]]


@pytest.fixture
def left() -> list[float]:
    return []


@pytest.fixture
def page(tmp_path: Path, left: list[float]) -> Iterator[PageUnderTest]:
    wishes = tmp_path / "wishes"
    wishes.mkdir()
    power = Power(wishes, lambda: left.append(time.monotonic()), taken_s=0.5)
    with served(tmp_path, power=power) as page:
        yield page


def system_of(phone: Phone) -> dict[str, Any]:
    answer = phone.get("/api/system")
    assert answer.status == 200, answer.body
    return answer.data


def played(phone: Phone, players: list[str], *, to_the_end: bool = True) -> None:
    assert phone.post("/api/do", {**START, "players": players}).status == 200
    if to_the_end:
        phone.do(do="event", event={"event": "card_shown", "seat": 0, "colour": "red", "mood": "happy"})
        phone.do(do="event", event={"event": "bell", "seat": 1})
        phone.do(do="stop")


def test_it_shows_version_checks_and_a_log_without_codes_or_names(page: PageUnderTest, paired: Phone) -> None:
    begin_log("debug")
    played(paired, ["Anneliese", "Ben"])
    page.phone().post("/api/pair/ask", {})
    data = system_of(paired)
    assert data["version"] and data["offers"] == ["restart", "reboot", "shut_down"]
    assert {"permissions", "power", "clock", "disk"} <= {one["check"] for one in data["findings"]}
    log = "\n".join(data["log"])
    assert "piccolino, 2 players" in log
    for secret in ("Anneliese", *page.said, paired.csrf):
        assert secret not in log
    begin_log("error")
    paired.do(do="settings", language="de")
    disk = next(one["message"] for one in system_of(paired)["findings"] if one["check"] == "disk")
    assert "frei" in disk, disk


def test_the_computer_is_switched_off_by_the_program_that_waits_for_the_wish(
    page: PageUnderTest, paired: Phone
) -> None:
    wish = page.folder / "wishes" / "poweroff"

    def systemd() -> None:
        while not wish.exists():
            time.sleep(0.01)
        wish.unlink()

    waiting = threading.Thread(target=systemd)
    waiting.start()
    assert paired.post("/api/system", {"do": "shut_down"}).status == 200
    waiting.join()
    # No program waits: that is said, and no wish is left for later.
    answer = paired.post("/api/system", {"do": "reboot"})
    assert answer.status == 409 and "at the machine" in str(answer.data["error"])
    assert list((page.folder / "wishes").iterdir()) == []


def test_the_referee_ends_only_where_it_is_started_again(page: PageUnderTest, paired: Phone, left: list[float]) -> None:
    assert page.phone().get("/api/system").status == 401
    assert page.phone().post("/api/system", {"do": "restart"}).status == 401
    assert left == []
    assert paired.post("/api/system", {"do": "restart"}).status == 200
    wait_for(lambda: left)
    assert power_here({}).offers == ()
    assert power_here({"NOTIFY_SOCKET": "/run/x"}).offers == ("restart",)


def test_a_game_is_deleted_with_its_pictures_but_not_while_it_is_played(page: PageUnderTest, paired: Phone) -> None:
    played(paired, ["Ann", "Ben"])
    # One in which nothing was counted has no end.
    paired.post("/api/do", {**START, "game": "confetti", "players": ["Cem", "Di"]})
    paired.do(do="flip")
    assert forget(paired, "2").status == 400
    assert system_of(paired)["unfinished"] == []
    paired.do(do="stop")
    for game in (1, 2):
        page.table.referee.evidence.add(game, 1, [(-5.0, b"picture")])
    kept = page.folder / "disputes" / "1-1-0.mcap"
    kept.parent.mkdir()
    kept.write_bytes(b"what was seen")
    (open_game,) = system_of(paired)["unfinished"]
    assert (open_game["id"], open_game["players"]) == ("2", ["Cem", "Di"])
    assert (forget(page.guest(), "2").status, forget(paired, "7").status) == (401, 400)
    assert forget(paired, "2").data["unfinished"] == []
    assert paired.get("/api/history/2").status == 400 and page.table.referee.evidence.find("2-1-0") is None
    assert (games(paired), paired.get("/api/statistics").data["players"] != []) == (["1"], True)
    assert forget(paired, "1").status == 200
    assert games(paired) == paired.get("/api/statistics").data["players"] == []
    assert not list((page.folder / "evidence").iterdir()) and not kept.exists()
    # Its number is not given again: pictures and figures of it may still be remembered somewhere.
    played(paired, ["Eva", "Fay"])
    assert games(paired) == ["3"]
    # It is over, and stands on the table's page until it goes.
    assert paired.state()["mode"] == "over"
    assert forget(paired, "3").status == 200
    assert paired.state()["mode"] == "idle"


def test_the_number_of_a_deleted_game_is_not_given_again_after_a_restart(tmp_path: Path) -> None:
    # A browser keeps pictures by it, and would show them as evidence of another game.
    with served(tmp_path) as page:
        phone = page.paired_phone()
        played(phone, ["Ann", "Ben"])
        assert forget(phone, "1").status == 200
    with served(tmp_path) as page:
        phone.port = page.port
        played(phone, ["Eva", "Fay"])
        assert games(phone) == ["2"]


def test_a_player_is_forgotten_everywhere(
    page: PageUnderTest, paired: Phone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken = tmp_path / "cache" / "speech"
    spoken.mkdir(parents=True)
    monkeypatch.setenv("CACHE_DIRECTORY", str(spoken.parent))
    for name in ("a.wav", "b.12.part", "chime-valid-1.00.wav"):
        (spoken / name).write_bytes(b"Kunigunde")
    for players in (["Kunigunde", "Ben"], ["Somebody", "Kunigunde"], ["Cem", "Kunigunde", "Ben"]):
        played(paired, players)
    wish = {"do": "forget_player", "name": "Kunigunde"}
    assert page.guest().post("/api/system", wish).status == 401
    assert paired.post("/api/system", {**wish, "name": "Nobody"}).status == 400
    assert paired.post("/api/system", wish).status == 200
    shown = [paired.get(path).body for path in ("/api/history", "/api/statistics", "/api/system", "/api/state")]
    shown += [paired.get(f"/api/history/{number}").body for number in (1, 2, 3)]
    shown.append(paired.get("/api/backup.zip?pictures=false").body)
    assert not any(b"Kunigunde" in one for one in shown)
    # Two who played together are two; all others who are forgotten are one.
    seats = [game["players"] for game in paired.get("/api/history").data["games"]]
    assert seats == [["Cem", "Somebody 2", "Ben"], ["Somebody", "Somebody 2"], ["Somebody 2", "Ben"]]
    page.table.referee.store.flush()
    for file in page.folder.rglob("*"):
        assert not file.is_file() or b"Kunigunde" not in file.read_bytes() or "chime" in file.name, file
    played(paired, ["Ben", "Di"], to_the_end=False)
    assert paired.post("/api/system", {**wish, "name": "Ben"}).status == 400


def test_a_player_is_renamed_and_two_who_are_one_are_merged(page: PageUnderTest, paired: Phone) -> None:
    for players in (["Ann", "Ben"], ["Anne", "Ben"], ["Ann", "Cem"], ["Cem", "Ben"]):
        played(paired, players)

    def rename(name: str, new: str) -> tuple[int, dict[str, Any]]:
        answer = paired.post("/api/system", {"do": "rename", "name": name, "new": new})
        return answer.status, answer.data

    status, data = rename("Anne", " Ann ")
    assert status == 200
    assert {one["name"]: one["games"] for one in data["players"]} == {"Ann": 3, "Ben": 3, "Cem": 2}
    figures = {one["name"]: one["games"] for one in paired.get("/api/statistics").data["players"]}
    assert figures == {"Ann": 3, "Ben": 3, "Cem": 2}
    assert rename("Ann", "Anneliese")[0] == 200
    # Another spelling of one's own name is no other person.
    assert rename("Cem", "CEM")[0] == 200
    status, data = rename("CEM", "Ben")
    assert status == 400 and "played against each other" in str(data["error"])
    assert rename("Nobody", "Ben")[0] == 400
    assert rename("Ben", "\u200b")[0] == 400
    names = {name for game in paired.get("/api/history").data["games"] for name in game["players"]}
    assert names == {"Anneliese", "Ben", "CEM"}
    played(paired, ["Ben", "Di"], to_the_end=False)
    status, data = rename("Ben", "Benno")
    assert status == 400 and "being played" in str(data["error"])
