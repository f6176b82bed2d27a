"""`ringmaster demo`: runs anywhere, without a camera, a screen or a network."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from hardware.lamp import Signal
from hardware.speaker import RecordedSpeaker
from referee.announcer import Announcer
from referee.cli import main
from referee.decks.finding import AnyDeck, find_deck, find_print_deck
from referee.demo import players
from referee.demo.director import Director
from referee.demo.seating import AREA_MM, MIDDLE_MM, people_at, ring_of
from referee.demo.show import ShowOptions, _played, _watch, show_fast
from referee.demo.table import DemoScript, DemoTable, demo_header, demo_table
from referee.demo.voice import PrintedVoice
from referee.engine.events import Header
from referee.games.confetti.demo import Plan, write_confetti
from referee.games.confetti.score import score_hand
from referee.language import Language
from referee.scoring.seated_reading import SeatedReader
from referee.scoring.seats import share_out
from referee.service.service import Service
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
    deck = load_deck("confetti")
    (played,) = write_confetti(deck, 7, Plan(rounds=1, heap=30)).rounds
    announcer = Announcer("confetti", ("Ann", "Ben", "Cem"), Language("en"))
    for seat, faces in enumerate(played.hands):
        cards = [tuple(mark.colour for mark in deck.by_id["white", face].marks) for face in faces]
        score = score_hand([(small, medium, big) for small, medium, big in cards], 6)
        hand = {"ruling": "hand", "t_ns": 0, "seat": seat, **score.as_json(), "kept": max(0, score.points)}
        assert announcer.say(hand) in out
    assert out.index("Round one") < out.index("Time! Hands off") < out.index("Cem:")
    picture = tmp_path / "out" / "scored-table.jpg"
    assert str(picture) in out
    assert load_picture(picture).size_px[0] >= 1280


def test_cards_kept_in_a_pile_leave_the_hands_beside_them_clear() -> None:
    deck = load_deck("confetti")
    game = write_confetti(deck, 7, Plan(players=3, rounds=2))
    table = LiveTable(game.script, deck, 7, Shots(frames_per_s=15.0))
    second = game.rounds[1]
    seated = SeatedReader(deck, None, 3).read(table.frame(int((second.out_s + 2) * 15)).bgr())
    assert any(card.side == "black" for card in seated.reading.unclear)
    shared = share_out(seated.reading, seated.ring, None)
    assert [{card.face.id for card in hand.cards} for hand in shared.seats] == [set(hand) for hand in second.hands]
    assert [hand.unclear for hand in shared.seats] == [(), (), ()]


def shown(game: str, shots: Shots, deck: AnyDeck | None = None) -> DemoTable:
    deck = deck or find_deck(game)
    header = demo_header(game, 3 if game == "confetti" else 4, deck)
    return demo_table(header, deck, 7, 1, shots)


def test_the_scored_table_is_drawn_however_long_the_referee_took_to_count_it(tmp_path: Path) -> None:
    (played,) = write_confetti(load_deck("confetti"), 7, Plan(rounds=1, heap=30)).rounds
    demo = shown("confetti", Shots(frames_per_s=6.0))
    t_ns = demo.table.exposure_end_ns(round((played.out_s + 3.0) * demo.table.shots.frames_per_s))
    hands = [{"t_ns": t_ns, "ruling": {"ruling": "hand", "seat": seat}} for seat in range(3)]
    desk = SimpleNamespace(state=lambda: {"rulings": hands, "questions": []})
    service = SimpleNamespace(desk=desk, ended=threading.Event())
    polls = iter((False, True))

    class Playing:
        over = property(lambda self: next(polls))

    director = cast(Director, Playing())
    path = tmp_path / "scored.jpg"
    options = ShowOptions("en", path, aloud=False)
    drawn = _watch(cast(Service, service), director, demo, options, threading.Event())
    assert drawn
    assert load_picture(path).size_px[0] >= 1280


def test_the_page_and_what_is_said_are_in_the_language_asked_for(tmp_path: Path) -> None:
    asked, lines = threading.Event(), list[str]()

    def say(line: str) -> None:
        lines.append(line)
        asked.set()

    demo = shown("confetti", Shots(size=(160, 90), frames_per_s=2.0))
    _played(demo, ShowOptions("de", tmp_path / "a.jpg", aloud=False), say, asked)
    assert lines == ["   0.0 s  Confetti: Ann, Ben und Cem."]


def test_a_game_is_shown_with_a_deck_that_is_built_in_beside_the_game_s_own(tmp_path: Path) -> None:
    asked, lines = threading.Event(), list[str]()

    def say(line: str) -> None:
        lines.append(line)
        asked.set()

    demo = shown("coloretto", Shots(size=(160, 90), frames_per_s=2.0), find_print_deck("everdeck"))
    _played(demo, ShowOptions("en", tmp_path / "a.jpg", aloud=False), say, asked)
    assert lines[0] == "   0.0 s  Coloretto: Ann, Ben, Cem and Dora."


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


def test_what_is_said_is_printed_with_its_time_and_spoken() -> None:
    speaker, lines = RecordedSpeaker(), list[str]()
    voice = PrintedVoice(speaker, lambda: 12.34, lines.append)
    voice.prepare(["Time!"])
    voice.say(["Time!", "Hands off."])
    voice.show(Signal.TIME_OVER)
    voice.show(Signal.OFF)
    voice.close()
    assert lines == ["  12.3 s  Time!", "  12.3 s  Hands off.", "  12.3 s  (lamp: white, flashing: time)"]
    assert [sentence for _, sentence in speaker.said] == ["Time!", "Hands off."]


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["canasta"], 2, "there is no demonstration of 'canasta' yet"),
        (["--rounds", "4"], 2, "one to three rounds can be shown, not 4"),
        (["confetti", "--picture", "a.txt"], 2, "must end in .jpg or .png"),
        (["--picture", "file/a.jpg"], 1, "cannot be made"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("in the way")
    assert main(["demo", *arguments]) == status
    out, err = capfd.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert complaint in err


def test_ctrl_c_among_the_starts_of_threads_ends_all_and_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        if thread.name == "pictures":
            signal.raise_signal(signal.SIGINT)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    before, handler = set(threading.enumerate()), signal.getsignal(signal.SIGINT)
    assert main(["demo", "--rounds", "1", "--silent", "--no-page"]) == 130
    assert capfd.readouterr().err == "ringmaster demo: stopped\n"
    assert set(threading.enumerate()) <= before
    # Where the tests run in the background it is not Python's own.
    assert signal.getsignal(signal.SIGINT) is handler


def test_ctrl_c_while_its_handler_is_put_in_place_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    install = signal.signal
    pressed: list[bool] = []

    def interrupted(number: int, handler: signal._HANDLER) -> signal._HANDLER:
        before = install(number, handler)
        if not pressed:
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)
        return before

    monkeypatch.setattr(signal, "signal", interrupted)
    assert main(["demo", "--rounds", "1", "--silent", "--no-page"]) == 130
    assert pressed
    assert capfd.readouterr().err == "ringmaster demo: stopped\n"
