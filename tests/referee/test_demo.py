"""`ringmaster demo`: runs anywhere, without a camera, a screen or a network."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest

from referee.commands import main
from referee.demo.show import ShowOptions, _played
from referee.demo.table import demo_header, demo_table
from simulation.live import Shots
from vision.deck import load_deck
from vision.image import load_picture

Capture = pytest.CaptureFixture[str]


@pytest.mark.nightly
def test_a_round_is_refereed_as_it_is_played_and_the_scored_table_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
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

    found = load_deck(deck)
    header = demo_header(game, players, found)
    demo = demo_table(header, found, 7, 1, Shots(size=(160, 90), frames_per_s=2.0))
    _played(demo, ShowOptions(language, tmp_path / "a.jpg", aloud=False), say, asked)
    assert lines[0] == f"   0.0 s  {said}"


@pytest.mark.parametrize("moment", ["a thread starts", "the handler is put in place"])
def test_ctrl_c_at_any_moment_ends_all_and_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: Capture, moment: str
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
