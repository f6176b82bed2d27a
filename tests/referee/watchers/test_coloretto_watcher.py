"""The watcher before a drawn table: the first moves of a game, from frames to rulings, through the real seams."""

from __future__ import annotations

from itertools import pairwise

from referee.decks.finding import find_print_deck
from referee.demo.coloretto_script import Plan, write_coloretto
from referee.demo.stepped import SteppedTable
from referee.demo.table import NAMES
from referee.events import Event, Header
from referee.games.coloretto.setup import rooms
from referee.games.registry import game_kind
from referee.session import Session
from referee.watchers.coloretto_eyes import ColorettoEyes
from referee.watchers.setup import watcher_for
from referee.watchers.watch_setup import WatchSetup
from simulation.live import LiveTable, Shots
from simulation.motion import collisions
from simulation.script import Carry
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


def test_whose_arm_reached_over_the_rows_is_told_with_each_look() -> None:
    deck = find_print_deck("coloretto")
    told = write_coloretto(deck, 7, Plan(rounds=1))
    table = LiveTable(told.script, deck, 7, Shots(frames_per_s=8.0, look=Look(table="cloth")))
    eyes = ColorettoEyes(deck, None, 4, rooms(4))
    looks = [look for look in (eyes.look(table.frame(index)) for index in range(8 * 14)) if look is not None]
    laid = [(action.release_s * 1e9, action.seat) for action in told.script.actions if isinstance(action, Carry)]
    assert len(looks) > 4
    reached = [look.arms for look in looks]
    for before, look in pairwise(looks):
        expected = frozenset(seat for t_ns, seat in laid if before.t_ns < t_ns <= look.t_ns)
        assert look.arms == expected
    assert {seat for arms in reached for seat in arms or ()} == {0, 1}


def test_at_thirty_pictures_a_second_nothing_is_seen_to_lie_where_only_the_table_does() -> None:
    deck = find_print_deck("coloretto")
    told = write_coloretto(deck, 7, Plan(rounds=1))
    # In the noise of this cloth an outline beside a card once passed for one that cannot be read.
    table = LiveTable(told.script, deck, 7, Shots(frames_per_s=30.0, look=Look(table="cloth")))
    eyes = ColorettoEyes(deck, None, 4, rooms(4))
    look = next(look for look in (eyes.look(table.frame(index)) for index in range(40)) if look is not None)
    assert [(spot.cards, spot.unread) for spot in look.rows] == [((), 0)] * 4
    assert [spot.cards for spot in look.areas] == [("yellow",), ("orange",), ("green",), ("red",)]
