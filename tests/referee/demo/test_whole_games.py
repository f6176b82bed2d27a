"""Whole games at the simulated table, in real time: each comes to its end, and no certain ruling is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from referee.games.coloretto.rules import Coloretto
from referee.games.registry import game_kind
from tests.support.simulated import Simulated, simulated

LONG_S = 1500.0


def rulings(table: Simulated, kind: str) -> list[Mapping[str, Any]]:
    play = table.service.controller.play
    assert play is not None
    return [one for record in play.log.records.values() for one in record.rulings if one["ruling"] == kind]


def played_out(table: Simulated, game: str, players: str, **options: object) -> None:
    number = table.start(game, players, **options)
    table.wait_for(lambda: number in table.tables and table.director.over, LONG_S)
    state = table.service.desk.state()
    assert state["mode"] == "over"
    (end,) = rulings(table, "end")
    assert end["winners"]


@pytest.mark.nightly
@pytest.mark.parametrize(("players", "side"), [("Mia Noah", "black"), ("Mia Noah Ida Jo Kim", "white")])
def test_confetti_is_counted_as_it_was_played(tmp_path: Path, players: str, side: str) -> None:
    with simulated(tmp_path, shots=None) as table:
        played_out(table, "confetti", players, side=side)
        hands = [event.data for event in table.tables[1].played.truth if event.kind == "hand"]
        counted = rulings(table, "hand")
        assert len(counted) == len(hands)
        for one, hand in zip(counted, hands, strict=True):
            cards = hand["cards"]
            assert isinstance(cards, list)
            assert (one["seat"], one["cards_needed"] + one["unused"]) == (hand["seat"], len(cards))
        assert rulings(table, "foul") == []


@pytest.mark.nightly
def test_piccolino_is_ruled_as_it_was_played(tmp_path: Path) -> None:
    with simulated(tmp_path, shots=None) as table:
        played_out(table, "piccolino", "Mia Noah")
        play, shown = table.service.controller.play, table.devices.table
        assert play is not None
        for one in rulings(table, "ring"):
            at_s = shown.seconds(one["t_ns"] - play.shift_ns)
            true = min(table.tables[1].played.rings, key=lambda ring: abs(ring["t_ns"] / 1e9 - at_s))
            assert {key: one.get(key) for key in ("valid", "seat", "colour")} == {
                key: true.get(key) for key in ("valid", "seat", "colour")
            }


@pytest.mark.nightly
@pytest.mark.parametrize(("deck", "players"), [("coloretto", "Mia Noah Ida"), ("everdeck", "Mia Noah Ida Jo Kim")])
def test_coloretto_ends_with_the_cards_that_were_taken(tmp_path: Path, deck: str, players: str) -> None:
    options: dict[str, object] = {} if deck == "coloretto" else {"deck": deck}
    with simulated(tmp_path, shots=None) as table:
        played_out(table, "coloretto", players, **options)
        demo, play = table.tables[1], table.service.controller.play
        true = game_kind("coloretto").start(demo.header)
        for event in demo.played.truth:
            true.apply(event)
        assert play is not None and isinstance(play.game, Coloretto) and isinstance(true, Coloretto)
        assert [Counter(+hand) for hand in play.game.hands] == [Counter(+hand) for hand in true.hands]
