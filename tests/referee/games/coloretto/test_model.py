"""Random games of Coloretto, played by the referee and by a simple model that shares no code with it."""

from __future__ import annotations

import random

import pytest

from referee.engine.events import Event, Header
from referee.games.coloretto.rules import from_header
from tests.support.paper_coloretto import Log, PaperGame


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
