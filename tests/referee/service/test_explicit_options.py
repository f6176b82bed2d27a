"""Every option of every game stands in the header of a game that begins, defaults included, and means the same."""

from __future__ import annotations

import pytest

from referee.commands import record
from referee.decks.finding import find_deck
from referee.demo.table import demo_header
from referee.engine.events import Header
from referee.games.registry import GAMES, game_kind
from tests.referee.service.conftest import begin
from tests.support.office import Office

OPTIONS: dict[str, dict[str, object]] = {
    "confetti": {"edition": "english", "overlimit": "separate", "side": "white", "late_cards": "count"},
    "piccolino": {
        "dealer": 0,
        "cards": 55,
        "two_left": "always",
        "lockout_ms": 1500,
        "lucky_guess": "valid",
        "remarks": "off",
        "missed": "off",
    },
    "coloretto": {"table": "brown", "first": 0, "start_cards": [], "left_out": []},
}


@pytest.mark.parametrize("game", GAMES)
def test_a_game_that_begins_on_the_page_names_all_its_options(office: Office, game: str) -> None:
    begin(office, game)
    assert office.state()["game"]["options"] == OPTIONS[game]
    assert office.table.controller.playing().header.options == OPTIONS[game]
    assert demo_header(game, 3, find_deck(game)).options.keys() >= OPTIONS[game].keys()
    recorded = record._header(game, "Ann,Ben,Cem", None)
    assert recorded is not None and recorded["options"] == OPTIONS[game]


def test_what_people_chose_stays_as_they_chose_it(office: Office) -> None:
    chosen = {"side": "black", "edition": "german"}
    office.desk.do({"do": "start", "game": "confetti", "players": ["Ann"], "options": chosen})
    assert office.state()["game"]["options"] == {**OPTIONS["confetti"], **chosen}


@pytest.mark.parametrize("game", GAMES)
def test_what_is_named_means_what_was_meant_before(game: str) -> None:
    kind, header = game_kind(game), Header(game, ("Ann", "Ben", "Cem"), {})
    assert kind.settings is not None
    named = kind.explicit(header)
    assert kind.settings(named) == kind.settings(header)
    assert kind.explicit(named) == named
    kind.start(named)
