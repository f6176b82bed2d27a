"""`ringmaster demo`: runs anywhere, without a camera, a screen or a network."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest

from referee.cli import main
from referee.decks.finding import find_print_deck
from referee.demo import players
from referee.demo.seating import AREA_MM, MIDDLE_MM, people_at, ring_of
from referee.demo.show import ShowOptions, _played, show_fast
from referee.demo.table import DemoScript, DemoTable, demo_header, demo_table
from referee.engine.events import Header
from simulation.live import LiveTable, Shots
from simulation.script import Ring, Script
from vision.deck import load_deck
from vision.image import load_picture


@pytest.mark.nightly
def test_a_round_is_refereed_as_it_is_played_and_the_scored_table_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--fast", "--rounds", "1", "--language", "en"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert out.index("Round one") < out.index("Time! Hands off") < out.index("Cem:")
    picture = tmp_path / "out" / "scored-table.jpg"
    assert str(picture) in out
    assert load_picture(picture).size_px[0] >= 1280


@pytest.mark.parametrize(
    ("game", "players", "deck", "language", "said"),
    [
        ("confetti", 3, "confetti", "de", "Confetti: Ann, Ben und Cem."),
        ("coloretto", 4, "everdeck", "en", "Coloretto: Ann, Ben, Cem and Dora."),
    ],
)
def test_a_game_is_shown_with_the_deck_and_in_the_language_asked_for(
    tmp_path: Path, game: str, players: int, deck: str, language: str, said: str
) -> None:
    asked, lines = threading.Event(), list[str]()

    def say(line: str) -> None:
        lines.append(line)
        asked.set()

    found = load_deck(deck) if game == deck else find_print_deck(deck)
    header = demo_header(game, players, found)
    demo = demo_table(header, found, 7, 1, Shots(size=(160, 90), frames_per_s=2.0))
    _played(demo, ShowOptions(language, tmp_path / "a.jpg", aloud=False), say, asked)
    assert lines[0] == f"   0.0 s  {said}"


def two_rings(frames_per_s: float) -> DemoTable:
    """Ben and Cem ring at a table on which nothing can be read, nor whose arm it was."""
    people = people_at(ring_of(3))
    script = Script(AREA_MM, (), people, (Ring(1, 0.5), Ring(2, 2.5)), 4.5, bell_mm=MIDDLE_MM)
    shots = Shots(size=(160, 90), frames_per_s=frames_per_s)
    deck = find_print_deck("piccolino")
    table = LiveTable(script, deck, 1, shots)
    rings = tuple({"t_ns": t_ns, "seat": seat, "valid": False} for seat, t_ns in ((1, 500_000_000), (2, 2_500_000_000)))
    return DemoTable(table, Header("piccolino", ("Ann", "Ben", "Cem"), {}), DemoScript(script, "ring", 2, rings), deck)


@pytest.mark.parametrize("live", [True, False])
def test_the_players_of_the_demonstration_say_who_rang_so_that_it_never_stands_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, live: bool
) -> None:
    monkeypatch.setattr(players, "PAUSE_S", 0.3)
    lines: list[str] = []
    options = ShowOptions("en", tmp_path / "a.jpg", aloud=False)
    if live:
        _played(two_rings(10.0), options, lines.append, threading.Event())
    else:
        show_fast(two_rings(10.0), options, lines.append)
    said = [line[10:] for line in lines]
    names = [line for line in said if line.startswith("(a tap") and line.endswith("rang)")]
    assert names == ["(a tap on the page: Ben rang)", "(a tap on the page: Cem rang)"]
    assert "(a tap on the page: false ring)" in said
    assert "False ring, Cem: so you decided." in said


@pytest.mark.parametrize("moment", ["a thread starts", "the handler is put in place"])
def test_ctrl_c_at_any_moment_ends_all_and_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str], moment: str
) -> None:
    monkeypatch.chdir(tmp_path)
    start, install = threading.Thread.start, signal.signal
    before, usual = set(threading.enumerate()), signal.getsignal(signal.SIGINT)
    pressed: list[str] = []

    def press(now: str) -> None:
        if now == moment and not pressed:
            pressed.append(now)
            signal.raise_signal(signal.SIGINT)

    def started(thread: threading.Thread) -> None:
        if thread.name == "pictures":
            press("a thread starts")
        start(thread)

    def installed(number: int, handler: signal._HANDLER) -> signal._HANDLER:
        last = install(number, handler)
        press("the handler is put in place")
        return last

    monkeypatch.setattr(threading.Thread, "start", started)
    monkeypatch.setattr(signal, "signal", installed)
    assert main(["demo", "--rounds", "1", "--silent", "--no-page"]) == 130
    assert capfd.readouterr().err == "ringmaster demo: stopped\n"
    assert pressed and set(threading.enumerate()) <= before
    # Where the tests run in the background it is not Python's own.
    assert signal.getsignal(signal.SIGINT) is usual
