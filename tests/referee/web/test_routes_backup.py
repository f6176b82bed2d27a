"""All in one file from the page, and back again on another machine; and a report that gives nobody away."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.decks.store import DeckStore
from referee.setup.step import KeptStep, load_kept, save_kept
from tests.support.page_tools import START, PageUnderTest, Phone, served


def backed_up(page: PageUnderTest, phone: Phone) -> bytes:
    phone.post("/api/do", START)
    page.table.report("card_shown", seat=0, colour="red", mood="happy")
    page.table.report("bell", seat=1)
    phone.do(do="stop")
    phone.do(do="settings", language="de", volume=0.4)
    save_kept(page.folder, {"deck": KeptStep("good", "You play with Confetti.", {"deck": "confetti"})})
    answer = phone.get("/api/backup.zip")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/zip")
    assert not list(page.folder.glob(".on-its-way*"))
    return answer.body


@pytest.fixture
def new(tmp_path: Path) -> Iterator[PageUnderTest]:
    """Another machine."""
    other = tmp_path / "other"
    other.mkdir()
    with served(other) as new:
        yield new


def restored(phone: Phone, data: bytes) -> tuple[int, dict[str, object]]:
    answer = phone.ask("POST", "/api/restore", data, Content_Type="application/zip", X_CSRF_Token=phone.csrf)
    return answer.status, answer.data


def test_all_is_backed_up_and_restored_elsewhere(page: PageUnderTest, paired: Phone, new: PageUnderTest) -> None:
    data = backed_up(page, paired)
    phone = new.paired_phone()
    status, done = restored(phone, data)
    assert (status, done["games"], done["there"], done["settings"]) == (200, 1, 0, True)
    assert phone.state()["settings"]["language"] == "de"
    (game,) = phone.get("/api/history").data["games"]
    assert game["players"] == ["Ann", "Ben", "Cem"]
    assert load_kept(new.folder)["deck"].data == {"deck": "confetti"}
    # Twice changes nothing, and the next game gets a number of its own.
    assert restored(phone, data)[1]["there"] == 1
    phone.post("/api/do", START)
    assert len(phone.get("/api/history").data["games"]) == 2
    # Nothing is taken in the middle of a game.
    status, fault = restored(phone, data)
    assert (status, str(fault["error"])) == (400, "Ein Spiel ist im Gange: beendet es zuerst.")


def test_what_is_no_backup_is_refused_in_one_sentence_and_changes_nothing(page: PageUnderTest, paired: Phone) -> None:
    torn = backed_up(page, paired)[:-40]
    for data in (b"", b"PK\x03\x04 no zip", torn):
        status, fault = restored(paired, data)
        assert status == 400, fault
        assert str(fault["error"]).startswith("Diese Datei ist keine Sicherung")


def changed(data: bytes, **entries: bytes | None) -> bytes:
    """Return a backup with other entries; None: without it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            if name not in entries:
                new.writestr(name, old.read(name))
        for name, content in entries.items():
            if content is not None:
                new.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("entries", "listed"),
    [
        ({"decks/our clowns.deck": b"torn"}, "das Deck „our clowns“"),
        ({"decks/../evil.deck": b"x", "decks/bad.deck": b"x"}, "das Deck „evil“ und das Deck „bad“"),
        ({"settings.json": b"[" * 60_000}, "die Einstellungen"),
        ({"settings.json": b'{"volume": "loud", "language": "de", "camera": 5}'}, "einige Einstellungen"),
        ({"settings.json": b"{" + b" " * 70_000 + b"}"}, "die Einstellungen"),
        ({"setup.json": b'{"camera": 5, "deck": {"state": "good", "text": ""}}'}, "ein Teil der Einrichtung"),
        ({"table.json": b"nonsense"}, "der vermessene Tisch"),
        ({"games/1.jsonl": b'{"game": "piccolino", "players": ["Ann'}, "einige Spiele"),
    ],
)
def test_all_that_is_sound_in_a_backup_is_restored_and_the_rest_is_listed(
    entries: dict[str, bytes], listed: str, page: PageUnderTest, paired: Phone, new: PageUnderTest
) -> None:
    data = changed(backed_up(page, paired), **entries)
    phone = new.paired_phone()
    phone.do(do="settings", language="de")
    status, done = restored(phone, data)
    assert status == 200
    assert done["left_out"] == f"Beschädigt und nicht wiederhergestellt: {listed}."
    assert done["games"] == (0 if "games/1.jsonl" in entries else 1)
    assert "deck" in load_kept(new.folder)
    if "settings.json" not in entries:
        assert phone.state()["settings"]["volume"] == 0.4
    assert DeckStore(new.folder).names() == []
    assert not (new.folder / "evil.deck").exists()


def test_a_picture_that_is_torn_takes_no_game_along(page: PageUnderTest, paired: Phone, new: PageUnderTest) -> None:
    data = backed_up(page, paired)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        lines = [json.loads(line) for line in file.read("games/1.jsonl").splitlines()]
    lines[2]["kept"]["pictures"] = [{"place": place, "t_ms": -5.0, "kept_ms": 1} for place in range(3)]
    game = "\n".join(map(json.dumps, lines)).encode()
    pictures = {"pictures/1/2-0.jpg": b"\xff\xd8\xff sound", "pictures/1/2-1.jpg": b"no picture"}
    data = changed(data, **{"games/1.jsonl": game, **pictures})
    status, done = restored(new.paired_phone(), data)
    assert (status, done["games"]) == (200, 1)
    assert done["left_out"] == "Beschädigt und nicht wiederhergestellt: einige Bilder."
    assert [path.name for path in (new.folder / "evidence").iterdir()] == ["1-2-0.jpg"]


def test_a_report_gives_nobody_away_and_a_guest_gets_nothing(page: PageUnderTest, paired: Phone) -> None:
    guest = page.phone()
    assert {guest.get(f"/api/{path}.zip").status for path in ("backup", "report")} == {401}
    assert guest.ask("POST", "/api/restore", b"x").status == 401
    backed_up(page, paired)
    with zipfile.ZipFile(io.BytesIO(paired.get("/api/report.zip").body)) as file:
        assert file.namelist() == ["report.json"]
        text = file.read("report.json").decode()
    report = json.loads(text)
    assert report["settings"]["volume"] == 0.4
    assert report["games"][0]["players"] == 3
    for secret in ("Ann", "Ben", *page.said, paired.csrf):
        assert secret not in text
