"""The players at the simulated table say what is true, and nothing where they do not know."""

from __future__ import annotations

from referee.decks.finding import find_deck
from referee.demo.players import PAUSE_S, TablePlayers
from referee.demo.table import DemoTable, demo_header, demo_table
from referee.engine.events import Event
from referee.engine.session import Answer, Doubt
from tests.support.simulated import SMALL

SECOND = 1_000_000_000


def coloretto() -> DemoTable:
    deck = find_deck("coloretto")
    return demo_table(demo_header("coloretto", 3, deck), deck, 5, shots=SMALL)


def test_what_is_asked_is_answered_by_what_happened_after_a_while() -> None:
    demo = coloretto()
    players = TablePlayers(demo)
    placed = next(event for event in demo.played.truth if event.kind == "card_placed")
    wrong = Event(0, "card_placed", {**placed.data, "card": "no such card"})
    doubt = Doubt(1, "row_card_unread", {}, (Answer((wrong,), {}), Answer((placed,), {}), Answer((), {})))
    now_s = placed.t_ns / SECOND + 1
    assert players.choose(doubt, now_s, 100.0) is None
    assert players.choose(doubt, now_s, 100.0 + PAUSE_S) == 1
    assert players.choose(doubt, now_s, 110.0) is None


def test_of_answers_that_are_all_wrong_none_is_given() -> None:
    demo = coloretto()
    players = TablePlayers(demo)
    doubt = Doubt(1, "who_took", {}, (Answer((Event(0, "row_taken", {"seat": 0, "row": 9}),), {}),))
    assert players.choose(doubt, 20.0, 100.0) is None
    assert players.choose(doubt, 20.0, 110.0) is None


def test_what_the_game_has_not_heard_is_told_unless_it_heard_otherwise() -> None:
    demo = coloretto()
    players = TablePlayers(demo)
    moves = [event for event in demo.played.truth if event.t_ns]
    placed = next(number for number, move in enumerate(moves[:4]) if move.kind == "card_placed")
    elsewhere = Event(0, "card_placed", {**moves[placed].data, "row": 7})
    back = Event(0, "card_moved", {"card": moves[placed].data["card"], "row": 7, "to": moves[placed].data["row"]})
    now_s = moves[3].t_ns / SECOND
    assert players.untold(moves[:2], now_s) == moves[2:4]
    assert players.untold(moves[:4], now_s) == []
    assert players.untold([moves[1]], now_s) == []
    assert players.untold([*moves[:placed], elsewhere], now_s) == []
    assert players.untold([*moves[:placed], elsewhere, back], now_s) == moves[placed + 1 : 4]
