"""The people at the simulated table: they play whatever game begins to its end, and clear the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.decks.lookup import find_deck
from referee.demo.table import DemoTable, demo_table
from referee.engine.events import Header
from referee.games.coloretto.rules import Coloretto
from referee.games.kind import DemoScript
from referee.games.registry import game_kind
from referee.games.seating import ring_of
from simulation.live import LiveTable
from simulation.script import BellHit
from tests.support.simulated import SMALL, Simulated, simulated
from vision.deck import Deck

SUITS = "everdeck"
LONG_S = 1500.0


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Simulated]:
    with simulated(tmp_path) as table:
        yield table


def laid(table: Simulated) -> Callable[[], bool]:
    return lambda: bool(table.seen.cards)


def cleared(table: Simulated) -> Callable[[], bool]:
    return lambda: not table.seen.cards


def cards_by_seat(table: Simulated, players: int) -> Counter[int | None]:
    ring = ring_of(players)
    return Counter(ring.seat_at(card.centre_mm) for card in table.seen.cards)


def begin_coloretto(table: Simulated) -> None:
    table.start("coloretto", "Mia Noah Ida")
    table.wait_for(laid(table))
    table.service.say("card_placed", {"seat": 0, "row": 0, "card": "red"})
    table.service.say("row_taken", {"seat": 1, "row": 0})


def test_the_table_is_empty_until_a_game_begins_and_holds_that_game_and_then_the_next(table: Simulated) -> None:
    assert cleared(table)()
    assert table.service.state()["mode"] == "idle"
    table.start("piccolino", "Mia Noah Ida Jo Kim")
    table.wait_for(laid(table))
    assert {card.face.split("-")[-1] for card in table.seen.cards} == {"happy", "sad"}
    assert cards_by_seat(table, 5) == dict.fromkeys(range(5), 11)
    table.start("confetti", "Mia Noah Ida Jo", side="black")
    table.wait_for(lambda: {card.side for card in table.seen.cards} == {"black"})


def test_the_cards_lie_as_they_were_entered_on_the_page(table: Simulated) -> None:
    started = [["moon"], ["heart"], ["star"]]
    table.start("coloretto", "Mia Noah Ida", start_cards=started, first=2, deck=SUITS)
    table.wait_for(laid(table))
    demo, ring = table.tables[1], ring_of(3)
    assert isinstance(demo.deck, Deck) and demo.deck.name == SUITS
    held = {
        ring.seat_at(card.centre_mm): demo.deck.face(card.face).attributes.get("colour")
        for card in table.seen.cards
        if card.key.startswith("start")
    }
    assert held == {seat: cards[0] for seat, cards in enumerate(started)}
    first = next(move for move in demo.played.truth if move.kind == "card_placed")
    assert first.data["seat"] == 2


def test_stopping_clears_the_table_and_taking_that_back_lays_the_game_out_again(table: Simulated) -> None:
    begin_coloretto(table)
    table.do(do="stop")
    table.wait_for(cleared(table))
    table.do(do="undo")
    table.wait_for(laid(table))
    assert table.service.state()["mode"] == "playing"
    assert list(table.tables) == [1]


def test_nothing_moves_while_the_game_is_paused(table: Simulated) -> None:
    table.start("coloretto", "Mia Noah")
    table.wait_for(laid(table))
    table.do(do="pause")
    table.wait_for(lambda: table.devices.table.held)
    held_s = table.director.seconds
    table.wait_for(lambda: table.devices.buffer.pushed > 12)
    assert table.director.seconds == held_s
    table.do(do="resume")
    table.wait_for(lambda: table.director.seconds > held_s)


def test_a_game_that_was_going_on_when_the_referee_ended_ends_with_a_sentence(tmp_path: Path) -> None:
    with simulated(tmp_path) as table:
        begin_coloretto(table)
    with simulated(tmp_path) as table:
        assert "The drawn table was cleared, so that game ends here." in table.said
        assert "The game goes on" not in table.said
        assert table.service.state()["mode"] == "over"
        assert cleared(table)()
        table.start("piccolino", "Mia Noah")
        table.wait_for(laid(table))


@pytest.mark.parametrize(
    ("game", "players", "options"),
    [("confetti", "A B C D E F", {}), ("coloretto", "A B C", {"start_cards": [["mauve"], ["red"], ["blue"]]})],
)
def test_a_game_that_nobody_can_play_there_ends_with_a_sentence(
    table: Simulated, game: str, players: str, options: dict[str, object]
) -> None:
    table.start(game, players, **options)
    table.wait_for(lambda: "The drawn table cannot play this game" in table.said)
    table.wait_for(lambda: table.service.state()["mode"] == "idle")
    table.start("piccolino", "Mia Noah")
    table.wait_for(laid(table))


def rung_twice(header: Header, number: int) -> DemoTable:
    """At a table on which nothing can be read, two players ring; then the script is over."""
    demo = demo_table(header, find_deck(header.game), number, shots=SMALL)
    script = replace(demo.played.script, cards=(), actions=(BellHit(1, 0.5), BellHit(0, 2.5)), length_s=3.0)
    rings = tuple({"t_ns": t_ns, "seat": seat, "valid": False} for seat, t_ns in ((1, 500_000_000), (0, 2_500_000_000)))
    table = LiveTable(script, demo.deck, 1, replace(SMALL, frames_per_s=10.0))
    return DemoTable(table, demo.header, DemoScript(script, "ring", 2, rings), demo.deck)


def test_the_players_answer_what_is_asked_and_end_a_game_that_has_no_end_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.demo.players.PAUSE_S", 0.2)
    with simulated(tmp_path, write=rung_twice) as table:
        table.start("piccolino", "Mia Noah")
        table.wait_for(lambda: table.director.over)
        state = table.service.state()
        assert state["mode"] == "over"
        rings = [one["ruling"] for one in state["rulings"] if one["ruling"]["ruling"] == "ring"]
        assert [(ring["seat"], ring["valid"]) for ring in reversed(rings)] == [(1, False), (0, False)]
        assert state["rulings"][0]["ruling"]["ruling"] == "end"


@pytest.fixture
def whole(tmp_path: Path) -> Iterator[Simulated]:
    """A table at which whole games are played, filmed as they need it."""
    with simulated(tmp_path, shots=None) as table:
        yield table


def rulings(table: Simulated, kind: str) -> list[Mapping[str, Any]]:
    play = table.service.match.session
    assert play is not None
    return [one for record in play.log.records.values() for one in record.rulings if one["ruling"] == kind]


def played_out(table: Simulated, game: str, players: str, **options: object) -> DemoTable:
    number = table.start(game, players, **options)
    table.wait_for(lambda: number in table.tables and table.director.over, LONG_S)
    assert table.service.state()["mode"] == "over"
    (end,) = rulings(table, "end")
    assert end["winners"]
    return table.tables[number]


@pytest.mark.nightly
@pytest.mark.parametrize(("players", "side"), [("Mia Noah", "black"), ("Mia Noah Ida Jo Kim", "white")])
def test_confetti_is_counted_as_it_was_played(whole: Simulated, players: str, side: str) -> None:
    demo = played_out(whole, "confetti", players, side=side)
    hands = [event.data for event in demo.played.truth if event.kind == "hand"]
    for one, hand in zip(rulings(whole, "hand"), hands, strict=True):
        cards = hand["cards"]
        assert isinstance(cards, list)
        assert (one["seat"], one["cards_needed"] + one["unused"]) == (hand["seat"], len(cards))
    assert rulings(whole, "foul") == []


@pytest.mark.nightly
def test_piccolino_is_ruled_as_it_was_played(whole: Simulated) -> None:
    demo = played_out(whole, "piccolino", "Mia Noah")
    play = whole.service.match.session
    assert play is not None
    for one in rulings(whole, "ring"):
        at_s = whole.devices.table.seconds(one["t_ns"] - play.log.shift_ns)
        true = min(demo.played.rings, key=lambda ring: abs(ring["t_ns"] / 1e9 - at_s))
        found, expected = ({key: ring.get(key) for key in ("valid", "seat", "colour")} for ring in (one, true))
        assert found == expected


@pytest.mark.nightly
@pytest.mark.parametrize(("deck", "players"), [("coloretto", "Mia Noah Ida"), ("everdeck", "Mia Noah Ida Jo Kim")])
def test_coloretto_ends_with_the_cards_that_were_taken(whole: Simulated, deck: str, players: str) -> None:
    options: dict[str, object] = {} if deck == "coloretto" else {"deck": deck}
    demo = played_out(whole, "coloretto", players, **options)
    true, play = game_kind("coloretto").start(demo.header), whole.service.match.session
    for event in demo.played.truth:
        true.apply(event)
    assert play is not None and isinstance(play.game, Coloretto) and isinstance(true, Coloretto)
    assert [Counter(+hand) for hand in play.game.hands] == [Counter(+hand) for hand in true.hands]
