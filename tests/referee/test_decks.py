"""Decks of a family: kept, listed, sent, loaded, renamed and removed, and bad files told in one line."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from referee.cli import main
from vision.deck import Deck, load_deck
from vision.errors import BadDeckError
from vision.prints.print_deck import Print, PrintDeck
from vision.taught.deck_file import fingerprint, pack_deck, read_deck_file, unpack_deck

Capture = pytest.CaptureFixture[str]


def clowns(name: str = "ours", faces: int = 4) -> PrintDeck:
    chance = np.random.default_rng(1)
    art = [chance.integers(0, 255, (24, 16, 3), dtype=np.uint8) for _ in range(faces)]
    moods = ("happy", "sad")
    return PrintDeck(
        name,
        (56.0, 87.0),
        (
            *(
                Print(f"face-{i}", "front", {"colour": f"colour {i // 2}", "mood": moods[i % 2]}, art[i], None)
                for i in range(faces)
            ),
            Print("back", "back", {}, art[0][::-1], None),
        ),
        game="piccolino",
        alike=(("face-0", "face-1"),),
    )


def kept(tmp_path: Path, deck: PrintDeck | Deck) -> Path:
    file = tmp_path / "sent.deck"
    file.write_bytes(pack_deck(deck))
    return file


def test_a_deck_of_prints_comes_back_out_of_its_file_as_it_was() -> None:
    deck = clowns()
    again = unpack_deck(pack_deck(deck), "ours")
    assert isinstance(again, PrintDeck)
    assert (again.name, again.card_mm, again.game, again.alike) == (deck.name, deck.card_mm, deck.game, deck.alike)
    assert [(f.id, f.side, f.attributes) for f in again.faces] == [(f.id, f.side, f.attributes) for f in deck.faces]
    assert all((one.art == other.art).all() for one, other in zip(again.faces, deck.faces, strict=True))
    assert fingerprint(again) == fingerprint(deck)


def test_a_frame_that_all_faces_have_is_kept_and_makes_another_version() -> None:
    framed = replace(clowns(), frame_mm=(4.0, 4.0, 48.0, 79.0))
    again = unpack_deck(pack_deck(framed), "ours")
    assert isinstance(again, PrintDeck)
    assert again.frame_mm == framed.frame_mm
    assert fingerprint(again) != fingerprint(clowns())


@pytest.mark.parametrize(
    "frame_mm", [(0.0, 4.0, 48.0, 79.0), (4.0, 4.0, 60.0, 79.0), (20.0, 20.0, 5.0, 5.0), (4.0, 4.0, float("nan"), 79.0)]
)
def test_a_frame_that_no_card_has_is_no_sound_deck(frame_mm: tuple[float, float, float, float]) -> None:
    with pytest.raises(BadDeckError, match="no sound deck file"):
        unpack_deck(pack_deck(replace(clowns(), frame_mm=frame_mm)), "ours")
    faces_only = replace(clowns(), faces=clowns().fronts, frame_mm=(4.0, 4.0, 48.0, 79.0))
    with pytest.raises(BadDeckError, match="back"):
        unpack_deck(pack_deck(faces_only), "ours")


def test_a_deck_of_marks_comes_back_out_of_its_file_as_it_was() -> None:
    deck = load_deck("confetti")
    again = unpack_deck(pack_deck(deck), "confetti")
    assert isinstance(again, Deck)
    assert again.faces == tuple(sorted(deck.faces, key=lambda face: list(deck.background).index(face.side)))


def test_a_mended_face_is_another_version_and_another_name_is_not() -> None:
    deck = clowns()
    mended = clowns()
    mended.faces[2].art[3, 3] ^= 1
    assert fingerprint(clowns("theirs")) == fingerprint(deck) != fingerprint(mended)


def test_sixty_faces_of_noisy_pictures_fit_into_three_megabytes() -> None:
    noise = np.random.default_rng(2).normal(120, 6, (176, 126, 3))
    faces = tuple(Print(f"face-{i:02}", "front", {}, np.roll(noise, i, 0).astype(np.uint8)) for i in range(60))
    assert len(pack_deck(PrintDeck("noisy", (63.0, 88.0), faces))) <= 3_000_000


def test_a_family_s_deck_is_taken_listed_renamed_sent_and_removed(tmp_path: Path, capfd: Capture) -> None:
    state = ["--state", str(tmp_path / "state")]
    assert main(["decks", "import", str(kept(tmp_path, clowns())), *state]) == 0
    capfd.readouterr()
    assert main(["decks", *state, "--json"]) == 0
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert {
        "deck": "ours",
        "game": "piccolino",
        "kind": "prints",
        "faces": 4,
        "card_mm": [56.0, 87.0],
        "taught": True,
    } in lines
    assert {line["deck"] for line in lines if not line["taught"]} >= {"confetti", "piccolino"}
    assert main(["decks", "rename", "ours", "Grandma’s clowns", *state]) == 0
    assert main(["decks", "show", "ours", *state]) == 2
    capfd.readouterr()
    sent = tmp_path / "again.deck"
    assert main(["decks", "export", "Grandma’s clowns", "-o", str(sent), *state]) == 0
    assert read_deck_file(sent).name == "Grandma’s clowns"
    assert main(["decks", "remove", "Grandma’s clowns", *state]) == 0
    assert main(["decks", "remove", "Grandma’s clowns", *state]) == 2
    assert capfd.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", ["confetti", "none", "../up", "a/b", "", ".hidden", "x.deck", "a\nb", "Everdeck"])
def test_no_deck_is_kept_under_a_name_that_would_mislead(tmp_path: Path, capfd: Capture, name: str) -> None:
    state = tmp_path / "state"
    assert main(["decks", "import", str(kept(tmp_path, clowns())), f"--name={name}", "--state", str(state)]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert not list(tmp_path.rglob("*.deck"))[1:]


def test_a_second_deck_of_one_name_does_not_take_the_first_one_s_place(tmp_path: Path, capfd: Capture) -> None:
    state = ["--state", str(tmp_path / "state")]
    assert main(["decks", "import", str(kept(tmp_path, clowns())), *state]) == 0
    assert main(["decks", "import", str(kept(tmp_path, clowns(faces=2))), *state]) == 2
    assert "ours" in capfd.readouterr().err
    main(["decks", "show", "ours", *state])
    assert "4 faces" in capfd.readouterr().out


def _zip(change: Callable[[zipfile.ZipFile, bytes, list[tuple[str, bytes]]], None]) -> bytes:
    whole = pack_deck(clowns())
    with zipfile.ZipFile(io.BytesIO(whole)) as file:
        entries = [(name, file.read(name)) for name in file.namelist()]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        change(file, whole, entries)
    return made.getvalue()


def _escaping(file: zipfile.ZipFile, _: bytes, entries: list[tuple[str, bytes]]) -> None:
    for name, data in [*entries, ("../../evil.txt", b"x")]:
        file.writestr(name, data)


def _bomb(file: zipfile.ZipFile, _: bytes, entries: list[tuple[str, bytes]]) -> None:
    for name, data in entries:
        file.writestr(name, bytes(20_000_000) if name == "faces/face-1.png" else data)


def _png_bomb(file: zipfile.ZipFile, _: bytes, entries: list[tuple[str, bytes]]) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 30000, 30000, 8, 2, 0, 0, 0))
    png = b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    for name, data in entries:
        file.writestr(name, png if name == "faces/face-1.png" else data)


def _twice(file: zipfile.ZipFile, _: bytes, entries: list[tuple[str, bytes]]) -> None:
    for name, data in entries:
        file.writestr(name, data.replace(b'"face-1"', b'"face-0"') if name == "deck.json" else data)


def _without_a_picture(file: zipfile.ZipFile, _: bytes, entries: list[tuple[str, bytes]]) -> None:
    for name, data in entries[:-1]:
        file.writestr(name, data)


def _face_outside(file: zipfile.ZipFile, _: bytes, entries: list[tuple[str, bytes]]) -> None:
    for name, data in entries:
        file.writestr(name, data.replace(b'"face-1"', b'"../face-1"') if name == "deck.json" else data)


BAD = [
    _zip(_escaping),
    _zip(_bomb),
    _zip(_png_bomb),
    _zip(_twice),
    _zip(_without_a_picture),
    _zip(_face_outside),
    pack_deck(clowns())[:-60],
    pack_deck(clowns())[:400] + pack_deck(clowns())[900:],
    b"",
    b"PK\x03\x04 no zip",
]


@pytest.mark.parametrize("data", BAD, ids=range(len(BAD)))
def test_a_bad_deck_file_is_one_line_and_leaves_nothing(tmp_path: Path, capfd: Capture, data: bytes) -> None:
    file, state = tmp_path / "bad.deck", tmp_path / "state"
    file.write_bytes(data)
    assert main(["decks", "import", str(file), "--state", str(state)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "bad.deck" in err
    assert not list(tmp_path.rglob("*evil*"))
    assert not list(state.rglob("*.deck"))


def test_a_broken_deck_does_not_hide_the_others(tmp_path: Path, capfd: Capture) -> None:
    folder = tmp_path / "decks"
    folder.mkdir()
    (folder / "good.deck").write_bytes(pack_deck(clowns("good")))
    (folder / "bad.deck").write_bytes(b"no deck")
    assert main(["decks", "--state", str(tmp_path)]) == 1
    out, err = capfd.readouterr()
    assert "good: 4 faces" in out
    assert err.count("\n") == 1
