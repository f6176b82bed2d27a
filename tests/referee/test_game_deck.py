"""A game keeps which deck it is played with: found again after a renaming, told when it has changed or is gone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hardware.camera.frames import Frame
from hardware.recording import RecordingWriter
from referee.cli import main
from referee.decks.game_deck import deck_of, with_version
from referee.decks.store import DeckStore
from referee.engine.events import Header
from referee.errors import BadInputError
from referee.games.confetti.watching.watcher import ConfettiWatcher
from referee.games.registry import game_kind
from referee.service.table_decks import TableDecks
from referee.watchers.by_hand import ByHandWatcher
from vision.deck import load_deck
from vision.errors import BadDeckError
from vision.prints.print_deck import Print, PrintDeck
from vision.taught.deck_file import as_kept, fingerprint, pack_deck

PLAYERS = ("Ann", "Ben", "Cem")


def clowns(name: str = "ours") -> PrintDeck:
    chance = np.random.default_rng(1)
    faces = [
        Print(f"{colour}-{mood}", "front", {"colour": colour, "mood": mood}, art)
        for colour in ("white", "brown")
        for mood in ("happy", "sad")
        for art in (chance.integers(0, 255, (24, 16, 3), dtype=np.uint8),)
    ]
    return PrintDeck(name, (56.0, 87.0), tuple(faces), "piccolino")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    DeckStore(tmp_path).add(clowns())
    return tmp_path


def begun(state: Path) -> Header:
    return with_version(Header("piccolino", PLAYERS, {"deck": "ours", "dealer": 1}), state)


def test_a_game_that_begins_says_which_version_of_its_deck_and_which_colours(state: Path) -> None:
    header = begun(state)
    version = fingerprint(as_kept(clowns()))
    assert header.options == {
        "deck": "ours",
        "dealer": 1,
        "deck_version": version,
        "deck_colours": ["white", "brown"],
    }
    game_kind("piccolino").start(header)
    own = with_version(Header("piccolino", PLAYERS, {"deck": "piccolino"}), state)
    assert own.options == {}


def test_a_deck_is_found_again_under_another_name_and_told_when_it_has_changed(state: Path) -> None:
    header = begun(state)
    store = DeckStore(state)
    store.rename("ours", "granny's")
    found = deck_of(header, state)
    assert (found.deck.name, found.changed) == ("granny's", False)
    store.remove("granny's")
    with pytest.raises(BadDeckError, match="played with the deck ours, which is not here"):
        deck_of(header, state)
    changed = clowns()
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


def test_a_deck_whose_cards_have_no_known_size_is_to_be_taught_once_more(state: Path) -> None:
    DeckStore(state).add(replace(clowns("phone pictures"), has_true_size=False))
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
    told: list[str] = []
    decks = TableDecks(state, lambda health: told.append(health.message))
    header = decks.complete(Header("piccolino", PLAYERS, {"deck": "ours"}))
    assert not isinstance(decks.watcher(header, None), ByHandWatcher)
    DeckStore(state).remove("ours")
    assert isinstance(decks.watcher(header, None), ByHandWatcher)
    assert len(told) == 1 and "ours" in told[0]


def test_a_recording_is_judged_with_its_deck_or_says_in_one_line_that_it_is_missing(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(state))
    header = begun(state)
    path, sent = state / "evening.mcap", state / "sent.deck"
    told = {"game": header.game, "players": list(header.players), "options": dict(header.options)}
    with RecordingWriter(path, told, 1) as writer:
        writer.frame(Frame(1, 1, np.full((90, 160, 3), 90, np.uint8), 0))
    assert main(["replay", str(path), "--json"]) == 0
    assert capsys.readouterr().err == ""
    sent.write_bytes(pack_deck(clowns()))
    DeckStore(state).remove("ours")
    assert main(["replay", str(path), "--json"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "the deck ours, which is not here" in error
    assert main(["replay", str(path), "--deck", str(sent), "--json"]) == 0
