"""Decks of a family: kept, listed, sent, loaded, renamed and removed, and bad files refused in one line."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hardware.camera.frames import Frame
from hardware.recording import RecordingWriter
from referee.commands import main
from referee.decks.game_deck import deck_of, with_version
from referee.decks.store import DeckStore
from referee.engine.events import Header
from referee.engine.session import Watcher
from referee.errors import BadInputError
from referee.games.confetti.watching.watcher import ConfettiWatcher
from referee.games.registry import game_kind
from referee.match.table_decks import TableDecks
from vision.deck import Deck, Face, load_deck
from vision.deck_file import fingerprint, pack_deck, read_deck_file, unpack_deck
from vision.errors import BadDeckError

Capture = pytest.CaptureFixture[str]


def clowns(name: str = "ours", faces: int = 4) -> Deck:
    chance = np.random.default_rng(1)
    art = [chance.integers(0, 255, (24, 16, 3), dtype=np.uint8) for _ in range(faces)]
    moods = ("happy", "sad")
    return Deck(
        name,
        (56.0, 87.0),
        (
            *(
                Face(f"face-{i}", "front", {"colour": f"colour {i // 2}", "mood": moods[i % 2]}, art[i], None)
                for i in range(faces)
            ),
            Face("back", "back", {}, art[0][::-1], None),
        ),
        game="piccolino",
        alike=(("face-0", "face-1"),),
    )


def kept(tmp_path: Path, deck: Deck) -> Path:
    file = tmp_path / "sent.deck"
    file.write_bytes(pack_deck(deck))
    return file


def test_a_deck_comes_back_out_of_its_file_as_it_was_and_another_version_is_noticed() -> None:
    marks = load_deck("confetti")
    found = unpack_deck(pack_deck(marks), "confetti")
    sides = list(marks.background)
    assert [(face.side, face.id, face.marks) for face in found.faces] == [
        (face.side, face.id, face.marks) for face in sorted(marks.faces, key=lambda face: sides.index(face.side))
    ]
    deck = clowns()
    again = unpack_deck(pack_deck(deck), "ours")
    assert (again.name, again.card_mm, again.game, again.alike) == (deck.name, deck.card_mm, deck.game, deck.alike)
    assert [(f.id, f.side, f.attributes) for f in again.faces] == [(f.id, f.side, f.attributes) for f in deck.faces]
    assert all((one.art == other.art).all() for one, other in zip(again.faces, deck.faces, strict=True))
    mended = clowns()
    mended.faces[2].art[3, 3] ^= 1
    assert fingerprint(again) == fingerprint(deck) == fingerprint(clowns("theirs")) != fingerprint(mended)


def test_sixty_faces_of_noisy_pictures_fit_into_three_megabytes() -> None:
    noise = np.random.default_rng(2).normal(120, 6, (176, 126, 3))
    faces = tuple(Face(f"face-{i:02}", "front", {}, np.roll(noise, i, 0).astype(np.uint8)) for i in range(60))
    assert len(pack_deck(Deck("noisy", (63.0, 88.0), faces))) <= 3_000_000


def test_a_family_s_deck_is_taken_listed_renamed_sent_and_removed(tmp_path: Path, capfd: Capture) -> None:
    state = ["--state", str(tmp_path / "state")]
    assert main(["decks", "import", str(kept(tmp_path, clowns())), *state]) == 0
    # A second deck of one name does not take the first one's place.
    assert main(["decks", "import", str(kept(tmp_path, clowns(faces=2))), *state]) == 2
    assert "ours" in capfd.readouterr().err
    assert main(["decks", *state, "--json"]) == 0
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    ours = {"deck": "ours", "game": "piccolino", "kind": "prints", "faces": 4, "card_mm": [56.0, 87.0], "taught": True}
    assert ours in lines
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


def zipped(name: str = "", data: bytes = b"", old: bytes = b"", new: bytes = b"", without: str = "") -> bytes:
    """A deck's file in which one entry is another or one more, is changed, or is missing."""
    with zipfile.ZipFile(io.BytesIO(pack_deck(clowns()))) as file:
        entries = {one: file.read(one) for one in file.namelist() if one != without}
    if name:
        entries[name] = data or entries[name].replace(old, new)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for one, bytes_in in entries.items():
            file.writestr(one, bytes_in)
    return made.getvalue()


def png_bomb() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 30000, 30000, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")


BAD = [
    zipped("../../evil.txt", b"x"),
    zipped("faces/face-1.png", bytes(20_000_000)),
    zipped("faces/face-1.png", png_bomb()),
    zipped("deck.json", old=b'"face-1"', new=b'"face-0"'),
    zipped("deck.json", old=b'"face-1"', new=b'"../face-1"'),
    zipped(without="faces/face-1.png"),
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


PLAYERS = ("Ann", "Ben", "Cem")


def couples(name: str = "ours") -> Deck:
    kinds = [{"colour": colour, "mood": mood} for colour in ("white", "brown") for mood in ("happy", "sad")]
    named = zip(clowns().fronts, kinds, strict=True)
    faces = tuple(replace(face, id="-".join(kind.values()), attributes=kind) for face, kind in named)
    return replace(clowns(name), faces=faces, alike=())


@pytest.fixture
def state(tmp_path: Path) -> Path:
    DeckStore(tmp_path).add(couples())
    return tmp_path


def begun(state: Path) -> Header:
    return with_version(Header("piccolino", PLAYERS, {"deck": "ours", "dealer": 1}), state)


def test_a_deck_is_found_again_under_another_name_and_its_changes_are_noticed(state: Path) -> None:
    header = begun(state)
    assert header.options["deck_colours"] == ["white", "brown"]
    store = DeckStore(state)
    store.rename("ours", "granny's")
    found = deck_of(header, state)
    assert (found.deck.name, found.changed) == ("granny's", False)
    store.remove("granny's")
    with pytest.raises(BadDeckError, match="played with the deck ours, which is not here"):
        deck_of(header, state)
    changed = couples()
    store.add(replace(changed, faces=changed.faces[::-1]))
    assert deck_of(header, state).changed


@pytest.mark.parametrize("options", [{"deck": 7}, {"deck_version": ["x"]}, {"deck_colours": "red"}])
def test_a_deck_that_is_no_name_is_refused(options: dict[str, object]) -> None:
    for game in ("piccolino", "confetti", "coloretto"):
        with pytest.raises(BadInputError):
            game_kind(game).start(Header(game, PLAYERS, options))


def test_a_deck_that_does_not_fit_cannot_be_chosen_and_does_not_stand_among_the_choices(state: Path) -> None:
    store = DeckStore(state)
    store.add(replace(load_deck("confetti"), name="old edition"))
    decks = TableDecks(state, lambda health: None)
    choices = decks.choices(lambda *_: [])
    assert choices["piccolino"] == ["piccolino", "ours"]
    assert choices["confetti"] == ["confetti", "old edition"]
    assert choices["coloretto"] == ["coloretto", "everdeck"]
    assert decks.colours(choices)["everdeck"][:3] == ["spade", "heart", "diamond"]
    assert decks.complete(Header("coloretto", PLAYERS, {"deck": "everdeck"})).options == {"deck": "everdeck"}
    wanted = TableDecks(state, lambda health: None, wanted="old edition").choices(lambda *_: [])
    assert (wanted["confetti"][0], wanted["piccolino"][0]) == ("old edition", "piccolino")
    for game, deck in (("piccolino", "old edition"), ("confetti", "ours"), ("piccolino", "gone")):
        with pytest.raises(BadInputError):
            decks.complete(Header(game, PLAYERS, {"deck": deck}))
    store.add(replace(couples("phone pictures"), has_true_size=False))
    with pytest.raises(BadInputError, match="with marker cards in the pictures"):
        with_version(Header("piccolino", PLAYERS, {"deck": "phone pictures"}), state)


def test_an_edition_of_which_one_side_was_taught_is_played_with_that_side_up(state: Path) -> None:
    confetti = load_deck("confetti")
    white = replace(
        confetti, name="old edition", faces=confetti.side("white"), background={"white": confetti.background["white"]}
    )
    DeckStore(state).add(white)
    decks = TableDecks(state, lambda health: None)
    header = decks.complete(Header("confetti", PLAYERS, {"deck": "old edition"}))
    assert isinstance(decks.watcher(header, None), ConfettiWatcher)
    with pytest.raises(BadInputError, match="only the white side was taught"):
        decks.complete(Header("confetti", PLAYERS, {"deck": "old edition", "side": "black"}))


def test_a_game_whose_deck_is_gone_goes_on_by_hand_and_says_so(state: Path) -> None:
    messages: list[str] = []
    decks = TableDecks(state, lambda health: messages.append(health.message))
    header = decks.complete(Header("piccolino", PLAYERS, {"deck": "ours"}))
    assert type(decks.watcher(header, None)) is not Watcher
    DeckStore(state).remove("ours")
    assert type(decks.watcher(header, None)) is Watcher
    assert len(messages) == 1 and "ours" in messages[0]


def test_a_recording_is_judged_with_its_deck_or_says_in_one_line_that_it_is_missing(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(state))
    header = begun(state)
    path, sent = state / "evening.mcap", state / "sent.deck"
    kept_header = {"game": header.game, "players": list(header.players), "options": dict(header.options)}
    with RecordingWriter(path, kept_header, 1) as writer:
        writer.frame(Frame(1, 1, np.full((90, 160, 3), 90, np.uint8), 0))
    assert main(["replay", str(path), "--json"]) == 0
    assert capsys.readouterr().err == ""
    sent.write_bytes(pack_deck(couples()))
    DeckStore(state).remove("ours")
    assert main(["replay", str(path), "--json"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "the deck ours, which is not here" in error
    assert main(["replay", str(path), "--deck", str(sent), "--json"]) == 0
