"""The people at the simulated table: they play whatever game begins, and clear the table when it is stopped."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from referee.decks.finding import find_deck
from referee.demo.director import Director
from referee.demo.seating import ring_of
from referee.demo.table import DemoScript, DemoTable, demo_table
from referee.engine.events import Header
from simulation.live import LiveTable
from simulation.script import Ring
from tests.support.simulated import SMALL, Simulated, simulated
from vision.prints.print_deck import PrintDeck

SUITS = "everdeck"


def laid(table: Simulated) -> bool:
    return bool(table.seen.cards)


def cards_by_seat(table: Simulated, players: int) -> Counter[int | None]:
    ring = ring_of(players)
    return Counter(ring.seat_at(card.centre_mm) for card in table.seen.cards)


def test_the_table_is_empty_until_a_game_begins_and_holds_that_game(tmp_path: Path) -> None:
    with simulated(tmp_path) as table:
        assert not laid(table)
        assert table.service.desk.state()["mode"] == "idle"
        table.start("piccolino", "Mia Noah Ida Jo Kim")
        table.wait_for(lambda: laid(table))
        faces = {card.face.split("-")[-1] for card in table.seen.cards}
        assert faces == {"happy", "sad"}
        assert cards_by_seat(table, 5) == dict.fromkeys(range(5), 11)


def test_the_cards_lie_as_the_page_was_told(tmp_path: Path) -> None:
    with simulated(tmp_path) as table:
        started = [["moon"], ["heart"], ["star"]]
        table.start("coloretto", "Mia Noah Ida", start_cards=started, first=2, deck=SUITS)
        table.wait_for(lambda: laid(table))
        demo, ring = table.tables[1], ring_of(3)
        assert isinstance(demo.deck, PrintDeck) and demo.deck.name == SUITS
        held = {
            ring.seat_at(card.centre_mm): demo.deck.by_id[card.face].attributes.get("colour")
            for card in table.seen.cards
            if card.key.startswith("start")
        }
        assert held == {seat: cards[0] for seat, cards in enumerate(started)}
        first = next(move for move in demo.played.truth if move.kind == "card_placed")
        assert first.data["seat"] == 2


def test_confetti_is_played_on_the_side_that_was_chosen(tmp_path: Path) -> None:
    with simulated(tmp_path) as table:
        table.start("confetti", "Mia Noah Ida Jo", side="black")
        table.wait_for(lambda: laid(table))
        assert {card.side for card in table.seen.cards} == {"black"}


def test_stopping_clears_the_table_and_taking_that_back_lays_the_game_out_again(tmp_path: Path) -> None:
    with simulated(tmp_path) as table:
        table.start("coloretto", "Mia Noah Ida")
        table.wait_for(lambda: laid(table))
        table.service.controller.say("card_placed", {"seat": 0, "row": 0, "card": "red"})
        table.service.controller.say("row_taken", {"seat": 1, "row": 0})
        table.do(do="stop")
        table.wait_for(lambda: not laid(table))
        table.do(do="undo")
        table.wait_for(lambda: laid(table))
        assert table.service.desk.state()["mode"] == "playing"
        assert list(table.tables) == [1]


def test_the_next_game_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    with simulated(tmp_path) as table:
        table.start("confetti", "Mia Noah")
        table.wait_for(lambda: laid(table))
        table.start("piccolino", "Mia Noah")
        table.wait_for(lambda: {card.side for card in table.seen.cards} == {"back"})
        assert cards_by_seat(table, 2).total() == 49


def test_nothing_moves_while_the_game_is_paused(tmp_path: Path) -> None:
    with simulated(tmp_path) as table:
        table.start("coloretto", "Mia Noah")
        table.wait_for(lambda: laid(table))
        table.do(do="pause")
        table.wait_for(lambda: table.devices.table.held)
        held_s = table.director.seconds
        table.wait_for(lambda: table.devices.buffer.pushed > 12)
        assert table.director.seconds == held_s
        table.do(do="resume")
        table.wait_for(lambda: table.director.seconds > held_s)


def test_a_game_that_was_going_on_when_the_referee_ended_ends_with_a_sentence(tmp_path: Path) -> None:
    with simulated(tmp_path) as table:
        table.start("coloretto", "Mia Noah Ida")
        table.service.controller.say("card_placed", {"seat": 0, "row": 0, "card": "red"})
        table.service.controller.say("row_taken", {"seat": 1, "row": 0})
    with simulated(tmp_path) as table:
        assert "The drawn table was cleared, so that game ends here." in table.said
        assert "The game goes on" not in table.said
        assert table.service.desk.state()["mode"] == "over"
        assert not laid(table)
        table.start("piccolino", "Mia Noah")
        table.wait_for(lambda: laid(table))


@pytest.mark.parametrize(
    ("game", "players", "options"),
    [("confetti", "A B C D E F", {}), ("coloretto", "A B C", {"start_cards": [["mauve"], ["red"], ["blue"]]})],
)
def test_a_game_that_nobody_can_play_there_ends_with_a_sentence(
    tmp_path: Path, game: str, players: str, options: dict[str, object]
) -> None:
    with simulated(tmp_path) as table:
        table.start(game, players, **options)
        table.wait_for(lambda: "The drawn table cannot play this game" in table.said)
        table.wait_for(lambda: table.service.desk.state()["mode"] == "idle")
        table.start("piccolino", "Mia Noah")
        table.wait_for(lambda: laid(table))


def rung_twice(demo: DemoTable) -> DemoTable:
    """At a table on which nothing can be read, two players ring; then the script is over."""
    script = replace(demo.played.script, cards=(), actions=(Ring(1, 0.5), Ring(0, 2.5)), length_s=3.0)
    rings = tuple({"t_ns": t_ns, "seat": seat, "valid": False} for seat, t_ns in ((1, 500_000_000), (0, 2_500_000_000)))
    table = LiveTable(script, demo.deck, 1, replace(SMALL, frames_per_s=10.0))
    return DemoTable(table, demo.header, DemoScript(script, "ring", 2, rings), demo.deck)


def test_the_players_answer_what_is_asked_and_end_a_game_that_has_no_end_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.demo.players.PAUSE_S", 0.2)

    def write(header: Header, number: int) -> DemoTable:
        return rung_twice(demo_table(header, find_deck(header.game), number, shots=SMALL))

    with simulated(tmp_path, write=write) as table:
        director: Director = table.director
        table.start("piccolino", "Mia Noah")
        table.wait_for(lambda: director.over)
        state = table.service.desk.state()
        assert state["mode"] == "over"
        rings = [one["ruling"] for one in state["rulings"] if one["ruling"]["ruling"] == "ring"]
        assert [(ring["seat"], ring["valid"]) for ring in reversed(rings)] == [(1, False), (0, False)]
        assert state["rulings"][0]["ruling"]["ruling"] == "end"
