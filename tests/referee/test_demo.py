"""`ringmaster demo`: runs anywhere, without a camera, a screen or a network."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest

from hardware.lamp import Signal
from hardware.speaker import RecordedSpeaker
from referee.announcer import Announcer
from referee.cli import main
from referee.demo.confetti_script import Plan, write_confetti
from referee.demo.show import PrintedVoice
from referee.games.confetti_hand import score_hand
from referee.language import Language
from referee.seated_reading import SeatedReader
from referee.seats import share_out
from simulation.live import LiveTable, Shots
from vision.deck import load_deck
from vision.image import load_picture


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
