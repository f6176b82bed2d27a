"""Confetti goes on after a restart in its last round, with many point cards black side up before the seats."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from hardware.events import SandFlipped, SandRanOut, Witness
from referee.engine.events import Header
from referee.engine.session import Watcher
from referee.games.confetti import demo as script
from referee.games.confetti.score import score_hand
from referee.games.registry import watcher_for
from referee.journal.journal import Journal
from referee.service.live_game import LiveGame
from referee.service.resuming import unfinished_game
from referee.watchers.table_finder import WatchSetup
from simulation.live import LiveTable, Shots
from vision.deck import Deck, load_deck

SECOND = 1_000_000_000
NAMES = ("Ann", "Ben", "Cem")


@pytest.fixture(scope="module")
def deck() -> Deck:
    return load_deck("confetti")


@pytest.fixture(scope="module")
def game(deck: Deck) -> script.ConfettiGame:
    return script.write_confetti(deck, 7, script.Plan(rounds=3, heap=24, sand_s=6.0))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal(tmp_path / "games.sqlite")
    yield journal
    journal.close()


def cards(deck: Deck, faces: tuple[str, ...]) -> list[list[str]]:
    return [[mark.colour for mark in deck.by_id["white", face].marks] for face in faces]


@pytest.mark.usefixtures("no_hands_sought")
@pytest.mark.parametrize("stops_after_s", [-2.0, 0.4])
def test_a_restart_in_round_three_changes_nothing(
    deck: Deck, game: script.ConfettiGame, journal: Journal, stops_after_s: float
) -> None:
    def watcher(header: Header) -> Watcher:
        return watcher_for(header, WatchSetup())

    # As an older version wrote it: no side is named.
    header = Header("confetti", NAMES, {})
    play = LiveGame(journal.begin_game(header, "boot", 0), watcher(header), journal)
    for round_ in game.rounds[:2]:
        play.say("timer_flipped", {}, round(round_.flipped_s * SECOND))
        play.say("timer_ran_out", {}, round(round_.out_s * SECOND))
        for seat, hand in enumerate(round_.hands):
            play.say("hand", {"seat": seat, "cards": cards(deck, hand)}, round((round_.out_s + 1) * SECOND))
    last = game.rounds[2]
    table = LiveTable(game.script, deck, 7, Shots(frames_per_s=4))
    stops_s, flipped, ran_out, restarted = last.out_s + stops_after_s, False, False, False
    for index in range(int((last.flipped_s - 3.2) * 4), int(game.script.length_s * 4)):
        frame = table.frame(index)
        t_s = frame.t_ns / SECOND
        if not flipped and t_s > last.flipped_s:
            flipped = True
            play.hear(SandFlipped(round(last.flipped_s * SECOND), Witness.BARRIER))
        if not restarted and t_s > stops_s:
            restarted = True
            found = unfinished_game(journal, watcher, "boot", partial(int, frame.t_ns))
            assert found is not None
            play = found[0]
        if not ran_out and t_s > last.out_s:
            ran_out = True
            play.hear(SandRanOut(round(last.out_s * SECOND), 6 * SECOND, Witness.BARRIER, False))
        play.look(frame)
        if play.over:
            break
    ruled = [ruling for record in play.log.records.values() for ruling in record.rulings]
    assert [one["ruling"] for one in ruled if one["ruling"] in ("foul", "unclear")] == []
    kept = [0, 0, 0]
    for round_, limit in zip(game.rounds, (6, 6, 9), strict=True):
        for seat, hand in enumerate(round_.hands):
            score = score_hand([(a, b, c) for a, b, c in cards(deck, hand)], limit)
            kept[seat] = max(0, kept[seat] + score.points)
    assert [one["points"] for one in ruled if one["ruling"] == "end"] == [kept]
