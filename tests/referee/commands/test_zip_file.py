"""Games with their pictures out of one journal and into another; and files that only look like such an export."""

from __future__ import annotations

import json
import random
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.cli import main
from referee.journal import zip_file as module
from referee.journal.evidence import EvidenceFolder
from tests.support.table_fakes import Table

JPEG = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 4
SIGHT = {
    "t_ms": -7.0,
    "width": 640,
    "height": 480,
    "outlines": [
        {"corners": [[1.0, 2.0], [30.0, 2.0], [30.0, 40.0]], "seat": 1, "label": "red happy", "certain": True}
    ],
}


@pytest.fixture
def parcel(tmp_path: Path) -> Path:
    folder = tmp_path / "played"
    folder.mkdir()
    table = Table(folder)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=2)
    evidence = EvidenceFolder(folder / "evidence", table.journal)
    assert evidence.add(1, 3, [(-40.0, JPEG + b"before"), (-7.0, JPEG + b"deciding")], SIGHT)
    table.journal.dispute(1, 3)
    table.hear("stop")
    table.journal.close()
    path = tmp_path / "evening.zip"
    assert main(["export", "--state", str(folder), "-o", str(path)]) == 0
    return path


def test_pictures_and_what_was_outlined_come_along_under_the_games_new_number(parcel: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    table = Table(other)
    table.controller.start("confetti", ["Dora"], {})
    table.journal.close()
    for _ in range(2):
        assert main(["import", str(parcel), "--state", str(other)]) == 0
    again = Table(other)
    evidence = EvidenceFolder(other / "evidence", again.journal)
    assert [picture.t_ms for picture in evidence.of_event(2, 3)] == [-40.0, -7.0]
    assert evidence.find("2-3-1") == JPEG + b"deciding"
    evidence.sweep()
    assert evidence.find("2-3-0") is not None
    ((sight, disputed),) = again.journal.read(
        "SELECT s.data, e.disputed FROM sights s JOIN evidence e ON e.game = s.game AND e.file = '2-3-1'"
    )
    assert (json.loads(sight), disputed) == (SIGHT, 1)
    again.journal.close()
    second = tmp_path / "second.zip"
    assert main(["export", "--state", str(other), "--game", "2", "-o", str(second)]) == 0
    with zipfile.ZipFile(parcel) as one, zipfile.ZipFile(second) as two:
        assert one.namelist() == two.namelist()
        assert [one.read(name) for name in one.namelist()] == [two.read(name) for name in two.namelist()]


def test_results_stand_in_it_for_people(parcel: Path) -> None:
    with zipfile.ZipFile(parcel) as file:
        assert file.read("results.csv").decode().splitlines()[3].endswith("Cem,20,1")


def changed(parcel: Path, change: Callable[[dict[str, bytes]], object]) -> None:
    """Write a parcel anew with other entries."""
    with zipfile.ZipFile(parcel) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    change(entries)
    with zipfile.ZipFile(parcel, "w") as file:
        for name, data in entries.items():
            file.writestr(name, data)


def of_games(part: Callable[[dict[str, object]], object]) -> Callable[[dict[str, bytes]], object]:
    def change(entries: dict[str, bytes]) -> None:
        data = json.loads(entries["games.json"])
        part(data["games"][0])
        entries["games.json"] = json.dumps(data).encode()

    return change


PICTURE = {"event": 3, "place": 7, "t_ms": 0.0, "kept_ms": 1, "disputed": False}


@pytest.mark.parametrize(
    "change",
    [
        lambda entries: entries.pop("games.json"),
        lambda entries: entries.update({"games.json": b"{"}),
        lambda entries: entries.update({"games.json": b"[" * 100_000}),
        lambda entries: entries.pop("pictures/1/3-0.jpg"),
        lambda entries: entries.update({"pictures/1/3-0.jpg": b"<script>"}),
        lambda entries: entries.update({"pictures/1/3-1.jpg": JPEG + bytes(9 << 20)}),
        of_games(lambda game: game.update(pictures=[PICTURE])),
        of_games(lambda game: game.update(pictures=[{**PICTURE, "event": 99}])),
        of_games(lambda game: game.update(pictures=[{**PICTURE, "place": "../../../../etc/passwd"}])),
        of_games(lambda game: game.update(pictures=[{**PICTURE, "place": 0}] * 2)),
        of_games(lambda game: game.update(pictures=[{**PICTURE, "place": 0, "t_ms": "now"}])),
        of_games(lambda game: game.update(pictures=7)),
        of_games(lambda game: game.update(sights=[{"event": 3, "data": {**SIGHT, "width": 10**9}}])),
        of_games(lambda game: game.update(sights=[{"event": 3, "data": {**SIGHT, "outlines": [{"seat": "x"}]}}])),
        of_games(lambda game: game.update(sights=[{"event": 3, "data": []}])),
    ],
)
def test_what_is_no_such_export_is_refused_in_one_line_and_leaves_nothing(
    parcel: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], change: Callable[[dict[str, bytes]], object]
) -> None:
    changed(parcel, change)
    capfd.readouterr()
    assert main(["import", str(parcel), "--state", str(tmp_path / "other")]) == 2
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1 and "Traceback" not in lines[0]
    assert nothing_was_taken(tmp_path / "other")


def nothing_was_taken(folder: Path) -> bool:
    table = Table(folder)
    ((games,),) = table.journal.read("SELECT count(*) FROM games")
    table.journal.close()
    return games == 0 and not list(folder.glob("evidence/*"))


def test_names_in_the_file_never_say_where_anything_goes(parcel: Path, tmp_path: Path) -> None:
    changed(parcel, lambda entries: entries.update({"../../outside.jpg": JPEG, "/etc/outside.jpg": JPEG}))
    assert main(["import", str(parcel), "--state", str(tmp_path / "other")]) == 0
    assert sorted(path.name for path in (tmp_path / "other" / "evidence").iterdir()) == ["1-3-0.jpg", "1-3-1.jpg"]
    assert not list(tmp_path.glob("**/outside.jpg"))


@pytest.mark.parametrize("seed", range(6))
def test_a_torn_file_is_told_so_wherever_it_is_torn(
    parcel: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], seed: int
) -> None:
    data, dice = bytearray(parcel.read_bytes()), random.Random(seed)
    if seed % 2:
        del data[dice.randrange(10, len(data) - 5) :]
    else:
        at = data.index(JPEG) + dice.randrange(20, 500)
        data[at] ^= 0x55
    parcel.write_bytes(data)
    capfd.readouterr()
    assert main(["import", str(parcel), "--state", str(tmp_path / "other")]) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1
    assert nothing_was_taken(tmp_path / "other")


def test_what_unpacks_to_far_more_than_it_says_is_refused(parcel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(parcel) as file:
        games = file.read("games.json")
        pictures = {name: file.read(name) for name in file.namelist() if name.endswith(".jpg")}
    with zipfile.ZipFile(parcel, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("games.json", games)
        for name, data in pictures.items():
            file.writestr(name, data + bytes(50 << 20))
    assert parcel.stat().st_size < 1 << 20
    assert main(["import", str(parcel), "--state", str(tmp_path / "other")]) == 2
    assert nothing_was_taken(tmp_path / "other")


def test_an_entry_that_stands_twice_is_taken_once(parcel: Path, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with zipfile.ZipFile(parcel, "a") as file:
            file.writestr("pictures/1/3-0.jpg", JPEG)
    assert main(["import", str(parcel), "--state", str(tmp_path / "other")]) == 0


def test_without_room_for_the_pictures_nothing_is_begun(
    parcel: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LEAST_FREE_BYTES", 1 << 60)
    capfd.readouterr()
    assert main(["import", str(parcel), "--state", str(tmp_path / "other")]) == 1
    assert "no room" in capfd.readouterr().err
    assert nothing_was_taken(tmp_path / "other")


def test_an_export_with_pictures_needs_a_file(parcel: Path, tmp_path: Path) -> None:
    assert main(["export", "--state", str(tmp_path / "played"), "--format", "zip"]) == 2
    assert main(["export", "--state", str(tmp_path / "played"), "-o", str(tmp_path / "nowhere" / "a.zip")]) == 2
