"""A game of Coloretto, rule by rule, and random games judged as by a simple model that shares no code with it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from referee.announcer import Announcer
from referee.engine.events import Event, Header
from referee.errors import BadInputError
from referee.games.coloretto.rules import Coloretto, from_header
from referee.language import Language
from tests.support.paper_coloretto import Log, PaperGame

NAMES = ("Ann", "Ben", "Cem", "Dan", "Eva")
CARDS = {"g": "green", "y": "yellow", "r": "red", "b": "blue", "j": "joker", "+": "+2"}
Ruling = dict[str, Any]


class Table:
    """Plays a game by short commands: "0 puts green 1", "2 takes 0", "last"."""

    def __init__(self, players: int = 3, **options: object) -> None:
        self.names = NAMES[:players]
        self.game: Coloretto = from_header(Header("coloretto", self.names, options))
        self.announcer = Announcer("coloretto", self.names, Language("en"))
        self.now = 0

    def __call__(self, command: str) -> list[Ruling]:
        self.now += 1
        match command.split():
            case [seat, "puts", *card, row]:
                data = {"seat": int(seat), "row": int(row), "card": " ".join(card)}
                event = Event(self.now, "card_placed", data)
            case [seat, "takes", row]:
                event = Event(self.now, "row_taken", {"seat": int(seat), "row": int(row)})
            case _:
                event = Event(self.now, "last_round", {})
        rulings = self.game.apply(event)
        assert all(ruling.t_ns == self.now for ruling in rulings)
        told = [dict(ruling.as_json()) for ruling in rulings]
        assert all(self.announcer.say(one) for one in told if one["ruling"] != "ignored")
        return told

    def play(self, commands: str) -> list[Ruling]:
        return [ruling for command in commands.split(", ") for ruling in self(command)]


def foul(table: Table, command: str) -> str | None:
    rulings = table(command)
    if not rulings:
        return None
    (ruling,) = rulings
    assert (ruling["ruling"], ruling["seat"]) == ("foul", int(command[0]))
    return str(ruling["reason"])


def test_turns_go_round_by_those_who_have_not_taken_a_row() -> None:
    table = Table(3, first=1)
    assert table.play("1 puts red 0, 2 puts blue 0, 0 takes 0, 1 puts red 1, 2 takes 1") == []
    assert table.game.turn == 1
    assert table.play("1 puts red 2, 1 puts pink 2, 1 puts joker 2") == []
    assert table("1 takes 2") == [{"ruling": "round_end", "t_ns": 9, "starts": 1}]
    assert table.game.turn == 1
    assert [dict(hand) for hand in table.game.hands] == [
        {"red": 1, "blue": 1},
        {"red": 1, "pink": 1, "joker": 1},
        {"red": 1},
    ]
    assert table.game.rows == [[], [], []]


def test_fouls_have_the_first_reason_that_fits_and_change_nothing() -> None:
    table = Table(4)
    assert table.announcer.say(table("1 takes 0")[0]) == "Foul, Ben: it is not your turn."
    assert foul(table, "1 puts red 0") == "not_your_turn"
    assert foul(table, "0 takes 0") == "row_empty"
    table.play("0 puts red 0, 1 puts red 0, 2 puts red 0")
    assert foul(table, "3 puts red 0") == "row_full"
    assert foul(table, "0 puts red 0") == "not_your_turn"
    assert foul(table, "3 takes 0") is None
    assert foul(table, "3 takes 0") == "already_out"
    assert foul(table, "3 puts red 1") == "already_out"
    assert foul(table, "1 takes 0") == "not_your_turn"
    assert foul(table, "0 takes 0") == "row_gone"
    assert foul(table, "0 puts red 0") == "row_gone"
    assert foul(table, "0 takes 1") == "row_empty"
    assert (table.game.turn, table.game.rows, dict(table.game.hands[3])) == (0, [None, [], [], []], {"red": 3})


def test_two_players_have_rows_of_one_two_and_three_and_the_third_row_leaves_the_game() -> None:
    table = Table(2, start_cards=[["red", "blue"], ["green", "pink"]], left_out=["yellow", "orange"])
    assert foul(table, "0 puts purple 0") is None
    assert foul(table, "1 puts purple 0") == "row_full"
    table.play("1 puts red 1, 0 puts red 1")
    assert foul(table, "1 puts red 1") == "row_full"
    table.play("1 puts blue 2, 0 puts blue 2, 1 puts blue 2")
    assert foul(table, "0 puts red 2") == "row_full"
    table("last")
    round_end, end = table.play("0 takes 0, 1 takes 1")
    assert round_end["starts"] == 1
    assert [hand["colours"] for hand in end["hands"]] == [
        {"red": 1, "blue": 1, "purple": 1},
        {"green": 1, "pink": 1, "red": 2},
    ]
    assert end["points"] == [3, 5]
    assert end["winners"] == [1]


def test_the_last_round_is_the_running_one() -> None:
    table = Table(3)
    assert table.play("0 puts red 0, 1 puts red 1, last, 2 puts red 2, 0 takes 0, 1 takes 1") == []
    round_end, end = table("2 takes 2")
    assert (round_end["ruling"], end["ruling"]) == ("round_end", "end")
    assert table.announcer.say(round_end) == "The round is over."
    (ignored,) = table("2 puts red 0")
    assert (ignored["ruling"], ignored["reason"]) == ("ignored", "game_over")
    assert table("last")[0]["reason"] == "game_over"


def test_the_sheets_example_as_a_game() -> None:
    table = Table(3, start_cards=[["green"], ["blue"], ["pink"]])
    for row in ("ggg", "ggj", "yyy", "y+r", "rrb"):
        table(f"0 puts {CARDS[row[0]]} 0")
        table.play("1 puts pink 1, 2 puts pink 2")
        table(f"0 puts {CARDS[row[1]]} 0")
        table.play("1 takes 1, 2 takes 2")
        table(f"0 puts {CARDS[row[2]]} 0")
        assert [ruling["starts"] for ruling in table("0 takes 0")] == [0]
    _, end = table.play("last, 0 puts blue 0, 1 puts pink 1, 2 puts pink 2, 0 takes 0, 1 takes 1, 2 takes 2")
    assert (end["winners"], end["points"][0]) == ([0], 41)
    andy = end["hands"][0]
    assert andy["colours"] == {"green": 6, "yellow": 4, "red": 3, "blue": 2}
    assert (andy["jokers"], andy["plus2"], andy["joker_colours"]) == (1, 1, ["yellow"])
    assert (sorted(andy["plus"]), andy["minus"]) == (["green", "red", "yellow"], ["blue"])


@pytest.mark.parametrize(("last", "points", "winners"), [("+2", [2, 2, 3], [2]), ("red", [2, 2, 2], [0, 1, 2])])
def test_equal_points_share_the_win(last: str, points: list[int], winners: list[int]) -> None:
    table = Table(3, start_cards=["red", "blue", "green"])
    end = table.play(f"last, 0 puts pink 0, 1 puts purple 1, 2 puts {last} 2, 0 takes 0, 1 takes 1, 2 takes 2")[-1]
    assert (end["points"], end["winners"]) == (points, winners)


def test_a_joker_becomes_a_colour_of_the_game_only() -> None:
    end = Table(2, left_out=["red", "orange"]).play("last, 0 puts joker 0, 1 puts heart 1, 0 takes 0, 1 takes 1")[-1]
    assert end["hands"][0]["joker_colours"][0] not in ("red", "orange")
    end = Table(2, left_out=["spade", "heart"]).play("last, 0 puts joker 0, 1 puts moon 1, 0 takes 0, 1 takes 1")[-1]
    assert end["hands"][0]["joker_colours"] == ["diamond"]


def test_start_cards_may_be_unknown_and_one_needs_no_list() -> None:
    assert Table(3).game.hands == [{}, {}, {}]
    assert Table(3, start_cards=["red", ["blue"], []], left_out="pink").game.hands == [{"red": 1}, {"blue": 1}, {}]


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("card_placed", {"seat": 3, "row": 0, "card": "red"}, "nobody sits at seat 3"),
        ("card_placed", {"seat": 0, "row": 3, "card": "red"}, "there is no row 3"),
        ("card_placed", {"seat": 0, "row": 0, "card": "last round"}, '"card" must be a colour'),
        ("card_placed", {"seat": 0, "row": 0}, '"card" must be there'),
        ("row_taken", {"seat": 0, "row": None}, '"row" must be a whole number'),
        ("card_drawn", {}, "Coloretto knows no event"),
    ],
)
def test_an_event_that_cannot_be_is_refused(kind: str, data: dict[str, object], words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        Coloretto(3).apply(Event(0, kind, data))


def test_a_card_that_slipped_lies_where_it_lies_and_it_is_nobodys_turn_for_that() -> None:
    table = Table(2)
    for command in ("0 puts green 1", "1 puts red 2"):
        table(command)
    game = table.game
    moved = Event(9, "card_moved", {"card": "green", "row": 1, "to": 2})
    assert game.apply(moved) == ()
    assert (game.rows, game.turn) == ([[], [], ["red", "green"]], 0)
    # It is no longer the card that was placed last, and it does not lie where it lay.
    assert not game.can_take_back(2)
    with pytest.raises(BadInputError, match="no such card"):
        game.apply(moved)
    # Row 0 has room for one card, and a row that was taken for none.
    game.apply(Event(10, "card_moved", {"card": "red", "row": 2, "to": 0}))
    with pytest.raises(BadInputError, match="no room"):
        game.apply(Event(11, "card_moved", {"card": "green", "row": 2, "to": 0}))
    game.take(12, 0, 0)
    with pytest.raises(BadInputError, match="no room"):
        game.apply(Event(13, "card_moved", {"card": "green", "row": 2, "to": 0}))


def test_more_jokers_than_any_deck_has_are_refused() -> None:
    table = Table(5)
    for number in range(12):
        table(f"{number % 5} puts joker {number // 3}")
    with pytest.raises(BadInputError, match="no deck has more than 12 jokers"):
        table("2 puts joker 4")


@pytest.mark.parametrize(
    ("players", "options", "words"),
    [
        (1, {}, "2 to 5 can play"),
        (6, {}, "2 to 5 can play"),
        (3, {"table": "gray"}, '"table" must be brown or grey'),
        (3, {"first": 3}, "nobody sits at seat 3"),
        (3, {"start_cards": [["red"]]}, '"start_cards" must be a list'),
        (3, {"start_cards": [["red"], ["joker"], []]}, 'there is no colour "joker"'),
        (3, {"left_out": 1}, '"left_out" must be a list of colours'),
        (3, {"dealer": 1}, 'no option "dealer"'),
    ],
)
def test_a_game_that_cannot_be_played_is_refused(players: int, options: dict[str, object], words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        from_header(Header("coloretto", tuple("ABCDEF"[:players]), options))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_random_games_are_judged_as_by_the_model_to_the_last_point(players: int) -> None:
    reasons = set()
    for seed in range(60):
        paper = PaperGame(players, random.Random(f"{players}/{seed}"))
        while paper.step():
            pass
        options = {"table": paper.table, "first": paper.first, "start_cards": paper.start, "left_out": paper.left_out}
        game = from_header(Header("coloretto", tuple("ABCDE"[:players]), options))
        events = [Event(line["t_ns"], line["event"], line) for line in paper.log]
        found: Log = [dict(ruling.as_json()) for event in events for ruling in game.apply(event)]
        assert [
            {key: ruling[key] for key in said} for ruling, said in zip(found, paper.said, strict=True)
        ] == paper.said
        for seat, hand in enumerate(found[-1]["hands"]):
            held = paper.lying(("hand", seat))
            assert hand["colours"] == {colour: held.count(colour) for colour in paper.colours if colour in held}
            assert (hand["jokers"], hand["plus2"]) == (held.count("joker"), held.count("+2"))
            assert set(hand["joker_colours"]) <= set(paper.colours)
        reasons |= {ruling["reason"] for ruling in found if "reason" in ruling}
    assert reasons == {"already_out", "not_your_turn", "row_gone", "row_full", "row_empty"}
