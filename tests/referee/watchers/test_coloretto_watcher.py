"""The watcher before a drawn table: the first moves of a game, from frames to rulings, through the real seams."""

from __future__ import annotations

from referee.decks.finding import find_print_deck
from referee.demo.coloretto_script import Plan, write_coloretto
from referee.demo.stepped import SteppedTable
from referee.demo.table import NAMES
from referee.events import Event, Header
from referee.games.registry import game_kind
from referee.session import Session
from referee.watchers.setup import watcher_for
from referee.watchers.watch_setup import WatchSetup
from simulation.live import LiveTable, Shots
from simulation.motion import collisions
from simulation.view import Look


def test_start_cards_last_round_and_cards_placed_are_seen() -> None:
    deck = find_print_deck("coloretto")
    told = write_coloretto(deck, 7, Plan(rounds=1))
    assert collisions(told.script) == []
    moves = [event for event in told.moves if event.t_ns < 7e9]
    header = Header("coloretto", NAMES[:4], {})
    events: list[Event] = []
    session = Session(game_kind("coloretto").start(header), watcher_for(header, WatchSetup()), events.append)
    shots = Shots(frames_per_s=4.0, look=Look(table="cloth"))
    table = SteppedTable(LiveTable(told.script, deck, 7, shots), 7, session, lambda event, outcome: None)
    try:
        # A second after the hand has gone.
        for _ in table.play(until_s=8.6):
            pass
    finally:
        table.close()
    started = [(event.data["seat"], event.data["cards"]) for event in events if event.kind == "start_cards"]
    assert started == [(0, ["yellow"]), (1, ["orange"]), (2, ["green"]), (3, ["red"])]
    seen = [dict(event.data) for event in events if event.kind != "start_cards"]
    assert seen == [dict(event.data) for event in moves]
    assert [outline.label for outline in session.watcher.outlines if outline.label == "last round"] == ["last round"]


def test_a_written_game_is_one_by_the_rules_with_one_foul() -> None:
    deck = find_print_deck("coloretto")
    told = write_coloretto(deck, 7)
    assert told.game.over and len(told.fouls) <= 1
    assert collisions(told.script) == []
    again = write_coloretto(deck, 7)
    assert (again.fouls, again.moves) == (told.fouls, told.moves)
