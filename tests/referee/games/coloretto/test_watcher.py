"""The watcher before a drawn table: the first moves of a game, from frames to rulings, through the real seams."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from referee.decks.finding import find_print_deck
from referee.demo.seating import AREA_MM, people_at, ring_of
from referee.demo.stepped import SteppedTable
from referee.demo.table import NAMES
from referee.engine.events import Event, Header
from referee.engine.session import Session
from referee.errors import BadInputError
from referee.games.coloretto.demo import Plan, write_coloretto
from referee.games.coloretto.setup import rooms
from referee.games.coloretto.watching.eyes import ColorettoEyes
from referee.games.coloretto.watching.looks import Look
from referee.games.coloretto.watching.watcher import ColorettoWatcher
from referee.games.registry import game_kind, watcher_for
from referee.watchers.table_finder import WatchSetup
from simulation.art import FRONT
from simulation.live import LiveTable, Shots
from simulation.script import Carry, Lying, Script, ScriptCard, collisions
from simulation.view import Look as View
from tests.support.coloretto_drawn import watch_game


def test_start_cards_last_round_and_cards_placed_are_seen() -> None:
    deck = find_print_deck("coloretto")
    told = write_coloretto(deck, 7, Plan(rounds=1))
    assert collisions(told.script) == []
    moves = [event for event in told.moves if event.t_ns < 7e9]
    header = Header("coloretto", NAMES[:4], {})
    events: list[Event] = []
    session = Session(game_kind("coloretto").start(header), watcher_for(header, WatchSetup()), events.append)
    shots = Shots(frames_per_s=4.0, look=View(table="cloth"))
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


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_written_game_is_one_by_the_rules_with_one_foul(players: int) -> None:
    deck = find_print_deck("coloretto")
    plan = Plan(players=players)
    told = write_coloretto(deck, 7, plan)
    assert told.game.over and len(told.fouls) <= 1
    assert collisions(told.script) == []
    again = write_coloretto(deck, 7, plan)
    assert (again.fouls, again.moves) == (told.fouls, told.moves)


def test_with_the_everdeck_every_card_has_a_face_of_its_own_and_no_card_marks_a_row() -> None:
    told = write_coloretto(find_print_deck("everdeck"), 7, Plan(players=3))
    faces = [card.face for card in told.script.cards]
    assert len(faces) == len(set(faces)) and not told.has_row_cards
    assert told.game.over and collisions(told.script) == []


def test_a_deck_that_lacks_a_card_of_the_game_gets_one_sentence() -> None:
    deck = find_print_deck("coloretto")
    without = replace(deck, faces=tuple(face for face in deck.faces if face.attributes.get("kind") != "last round"))
    with pytest.raises(BadInputError, match="a last round"):
        write_coloretto(without, 7)


@pytest.mark.nightly
def test_a_round_for_five_is_understood_though_their_cards_lie_close() -> None:
    counted = watch_game(5, 2.0, Plan(rounds=1, players=5))
    assert (counted.wrong, counted.fouls_false, counted.fouls_missed) == ([], [], [])
    assert counted.understood == counted.moves == 19 and counted.points_right


@pytest.mark.nightly
def test_whose_arm_reached_over_the_rows_is_told_with_each_look() -> None:
    deck = find_print_deck("coloretto")
    told = write_coloretto(deck, 7, Plan(rounds=1))
    table = LiveTable(told.script, deck, 7, Shots(frames_per_s=8.0, look=View(table="cloth")))
    eyes = ColorettoEyes(deck, None, 4, rooms(4))
    looks = [look for look in (eyes.look(table.frame(index)) for index in range(8 * 14)) if look is not None]
    laid = [(action.release_s * 1e9, action.seat) for action in told.script.actions if isinstance(action, Carry)]
    assert len(looks) > 4
    reached = [look.arms for look in looks]
    for before, look in pairwise(looks):
        expected = frozenset(seat for t_ns, seat in laid if before.t_ns < t_ns <= look.t_ns)
        assert look.arms == expected
    assert {seat for arms in reached for seat in arms or ()} == {0, 1}


@pytest.mark.parametrize(("name", "hints"), [("coloretto", 0), ("everdeck", 1)])
def test_where_no_card_marks_the_rows_players_are_asked_once_to_leave_room_between_them(name: str, hints: int) -> None:
    deck = find_print_deck(name)
    told = write_coloretto(deck, 7, Plan(players=3, rounds=1))
    table = LiveTable(told.script, deck, 7, Shots(frames_per_s=2.0))
    watcher = ColorettoWatcher(Header("coloretto", ("Ann", "Ben", "Cem"), {}), deck, None)
    notices = [notice.kind for index in range(6) for notice in watcher.look(table.frame(index)).notices]
    assert notices.count("rows_unmarked") == hints


def test_at_thirty_pictures_a_second_nothing_is_seen_to_lie_where_only_the_table_does() -> None:
    deck = find_print_deck("coloretto")
    told = write_coloretto(deck, 7, Plan(rounds=1))
    # In the noise of this cloth an outline beside a card once passed for one that cannot be read.
    table = LiveTable(told.script, deck, 7, Shots(frames_per_s=30.0, look=View(table="cloth")))
    eyes = ColorettoEyes(deck, None, 4, rooms(4))
    look = next(look for look in (eyes.look(table.frame(index)) for index in range(40)) if look is not None)
    assert [(spot.cards, spot.unread) for spot in look.rows] == [((), 0)] * 4
    assert [spot.cards for spot in look.areas] == [("yellow",), ("orange",), ("green",), ("red",)]


def last_look(lying: dict[str, Lying], *laid: Carry) -> Look:
    """What is seen in the end on a table for three with three rows, by cards of each colour and what is done."""
    deck = find_print_deck("coloretto")
    faces = {face.attributes.get("colour"): face.id for face in deck.fronts}
    row = next(face.id for face in deck.fronts if face.attributes.get("room") == "3")
    cards = [ScriptCard(f"row-{k}", row, Lying(240.0, y, 0.0, FRONT)) for k, y in enumerate((262.0, 351.0, 440.0))]
    cards += [ScriptCard(colour, faces[colour], place) for colour, place in lying.items()]
    script = Script(AREA_MM, tuple(cards), people_at(ring_of(3)), laid, 8.0)
    table = LiveTable(script, deck, 7, Shots(frames_per_s=2.0, look=View(table="cloth")))
    eyes = ColorettoEyes(deck, None, 3, rooms(3))
    return [look for look in (eyes.look(table.frame(index)) for index in range(14)) if look is not None][-1]


def test_a_card_laid_edge_to_edge_with_another_rows_card_takes_nothing_from_that_row() -> None:
    lying = {"red": Lying(309.0, 351.0, 1.0, FRONT), "blue": Lying(575.0, 420.0, 0.0, FRONT)}
    look = last_look(lying, Carry(1, ("blue",), 2.0, 2.9, (Lying(304.0, 264.0, -2.0, FRONT),)))
    assert [spot.cards for spot in look.rows] == [("blue",), ("red",), ()]
    assert [spot.covered for spot in look.rows] == [False] * 3


def test_a_card_that_was_taken_is_gone_though_another_one_now_lies_over_a_corner_of_its_place() -> None:
    lying = {"red": Lying(309.0, 262.0, 1.0, FRONT), "blue": Lying(575.0, 420.0, 0.0, FRONT)}
    took = Carry(0, ("red",), 2.0, 2.9, (Lying(600.0, 560.0, 0.0, FRONT),))
    look = last_look(lying, took, Carry(1, ("blue",), 2.0, 2.9, (Lying(309.0, 180.0, 0.0, FRONT),)))
    assert "red" not in look.rows[0].cards
    assert sorted(card for spot in look.areas for card in spot.cards).count("red") == 1
