"""The desk: what a page is shown of a game, what its commands do, with which options, and how good it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.commands import record
from referee.decks.lookup import find_deck
from referee.demo.table import demo_header
from referee.engine.events import Header
from referee.errors import BadInputError
from referee.games.registry import GAMES, game_kind
from referee.match import queries
from referee.store.history import quality, statistics
from tests.referee.match.conftest import begin, past_game, past_games, report
from tests.support.commands import sent
from tests.support.office import Office, piccolino
from tests.support.quiet_table import quiet_table


def test_a_game_is_paused_resumed_stopped_and_put_away(office: Office) -> None:
    assert (office.state()["mode"], office.state()["game"], office.state()["phase"]["key"]) == ("idle", None, "idle")
    piccolino(office)
    for command, mode in (("pause", "paused"), ("resume", "playing"), ("stop", "over"), ("stop", "idle")):
        office.referee.do(sent({"do": command}))
        assert office.state()["mode"] == mode
    with pytest.raises(BadInputError):
        office.referee.do(sent({"do": "stop"}))


SETS = [["red", "blue", "green"], ["blue", "green", "red"], ["green", "red", "blue"]]


def test_confetti_is_played_by_hand_from_the_page(office: Office) -> None:
    begin(office, "confetti", "Ann")
    office.referee.do(sent({"do": "flip"}))
    assert (office.state()["phase"]["key"], office.devices.flipped) == ("running", 1)
    office.referee.do(sent({"do": "time"}))
    report(office, "hand", seat=0, cards=SETS)
    state = office.state()
    assert state["board"][0]["points"] == 3
    steps = queries.explain(office.referee, state["latest"]["id"])["steps"]
    assert [step["kind"] for step in steps] == ["set", "set", "set", "sum"]
    assert steps[0]["text"] == "Set 1, Red: one small, one medium, one big."
    for step in steps[:3]:
        colour = next(name for name in ("red", "blue", "green") if name.capitalize() in step["text"])
        assert [card[size] for size, card in enumerate(step["cards"])] == [colour] * 3
    assert steps[-1]["text"] == "In all: three sets on three cards, three points."
    office.referee.do(sent({"do": "look_again", "ruling": state["latest"]["id"]}))
    shown = office.state()["rulings"][0]
    assert shown["ruling"]["ruling"] == "arrangement"
    assert [step["kind"] for step in queries.explain(office.referee, shown["id"])["steps"]] == [
        "set",
        "set",
        "set",
        "sum",
    ]
    # It is shown on the pictures of the count.
    log = office.table.referee.match.playing().log
    about = [log.about(log.ruling(ident)) for ident in (shown["id"], state["latest"]["id"])]
    assert about[0] == about[1]


def test_a_count_asks_for_the_hands_that_nobody_has_seen(office: Office) -> None:
    begin(office, "confetti", "Ann", "Ben")
    for step in ("flip", "time", "count"):
        office.referee.do(sent({"do": step}))
    state = office.state()
    assert state["latest"]["text"].startswith("Unclear: no hand of Ann and Ben was seen.")
    assert [(one["kind"], one["seats"]) for one in state["questions"]] == [("no_hand", [0, 1])]
    for seat in (1, 0):
        report(office, "hand", seat=seat, cards=[])
    state = office.state()
    assert (state["questions"], [one["points"] for one in state["board"]]) == ([], [0, 0])


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I had not finished counting Ann’s cards."),
        ("de", "Ich hatte die Karten von Ann noch nicht fertig gezählt."),
        ("fr", "Je n’avais pas fini de compter les cartes de Ann."),
    ],
)
def test_cards_that_were_put_away_uncounted_are_asked_for_on_the_page_with_what_was_seen_last(
    office: Office, language: str, text: str
) -> None:
    office.referee.do(sent({"do": "settings", "language": language}))
    begin(office, "confetti", "Ann", "Ben")
    report(office, "timer_flipped")
    report(office, "hand", seat=0, cards=SETS)
    report(office, "timer_ran_out")
    office.table.hear("hands_gone", seats=[0], last_seen=[SETS])
    state = office.state()
    assert state["latest"]["text"].startswith(text)
    (question,) = state["questions"]
    assert (question["kind"], question["seats"], question["last_seen"]) == ("no_hand", [0], [SETS])
    report(office, "hand", seat=0, cards=SETS)
    report(office, "hand", seat=1, cards=[])
    state = office.state()
    assert not state["questions"]
    assert [place["points"] for place in state["board"]] == [3, 0]
    kinds = [ruling["ruling"]["ruling"] for ruling in reversed(state["rulings"])]
    assert kinds == ["round", "time", "unclear", "hand", "hand"]


@pytest.mark.parametrize(
    "command",
    [
        {},
        {"do": "dance"},
        {"do": "start", "game": "chess", "players": ["Ann"]},
        {"do": "start", "game": "confetti", "players": "Ann"},
        {"do": "start", "game": "confetti", "players": []},
        {"do": "ringer", "seat": 1},
        {"do": "correct", "ruling": "1-1-0", "with": None},
        {"do": "event", "event": 7},
        {"do": "undo"},
        {"do": "pause"},
        {"do": "settings", "camera": "/etc/passwd"},
        {"do": "look_again", "ruling": "nothing"},
    ],
)
def test_commands_that_make_no_sense_are_refused_in_a_sentence(office: Office, command: dict[str, object]) -> None:
    with pytest.raises(BadInputError):
        office.referee.do(sent(command))
    assert office.state()["mode"] == "idle"


def test_rulings_and_games_that_are_not_there_are_refused(office: Office) -> None:
    piccolino(office)
    office.table.hear("bell", seat=2)
    for ident in ("", "1", "1-2", "1-2-9", "9-1-0", "1-x-0", "1-99-0", "²-1-0", "1-²-0"):
        for ask in (queries.timeline, queries.explain):
            with pytest.raises(BadInputError):
                ask(office.referee, ident)
        if ident != "1":
            with pytest.raises(BadInputError):
                past_game(office, ident)


def test_history_and_statistics_tell_of_all_games(office: Office) -> None:
    piccolino(office)
    office.table.hear("bell", seat=2)
    office.table.hear("bell", seat=1)
    office.referee.do(sent({"do": "stop"}))
    (game,) = past_games(office)
    assert (game["game"], game["winners"], game["points"]) == ("piccolino", [2], [17, 18, 20])
    whole = past_game(office, game["id"])
    assert [ruling["ruling"]["ruling"] for ruling in whole["rulings"]] == ["ring", "cards_move", "also_rang", "end"]
    totals = statistics(office.referee.store.read)
    first = totals["players"][0]
    assert (first["name"], first["wins"], first["valid"], len(first["reactions_ms"])) == ("Cem", 1, 1, 1)
    assert totals["players"][2]["too_late"] + totals["players"][1]["too_late"] == 1
    assert totals["evenings"][0]["wins"] == {"Cem": 1}


def test_a_seat_whose_player_gave_no_name_is_no_player_who_has_won(office: Office) -> None:
    begin(office, "piccolino", "Seat 1", "Ben", "Platz 3")
    office.table.card(0, "red")
    office.table.card(1, "red")
    office.table.clock.now_ns += 1_000_000_000
    office.table.hear("bell", seat=0)
    office.referee.do(sent({"do": "stop"}))
    assert past_games(office)[0]["winners"] == [0]
    totals = statistics(office.referee.store.read)
    assert [(one["name"], one["games"], one["wins"]) for one in totals["players"]] == [("Ben", 1, 0)]
    assert (totals["evenings"][0]["games"], totals["evenings"][0]["wins"]) == (1, {})


def test_cards_and_corrections_are_counted_by_game_and_evening(tmp_path: Path) -> None:
    table = quiet_table(tmp_path)
    assert quality(table.referee.store.read, table.referee.language) == {"games": [], "evenings": [], "challenged": ""}
    table.referee.begin("piccolino", ["Ann", "Ben", "Cem"], {})
    for number in range(6):
        table.report("card_shown", seat=number % 3, colour="red" if number == 3 else "blue", mood="sad")
    table.report("bell", seat=1)
    events = table.referee.state()["readings"]
    wrong = next(ident for ident, data in events.items() if data["colour"] == "red")
    table.referee.do(sent({"do": "correct", "event": wrong, "with": {"colour": "pink"}}))
    shown = quality(table.referee.store.read, table.referee.language)
    (game,) = shown["games"]
    assert (game["game"], game["cards"], game["corrected"], game["rings"]) == ("piccolino", 6, 1, 1)
    assert game["text"].startswith("Of the last 6 cards one was corrected: in the long run")
    assert [(one["cards"], one["corrected"]) for one in shown["evenings"]] == [(6, 1)]
    # A correction that was taken back is none.
    table.referee.do(sent({"do": "undo"}))
    assert quality(table.referee.store.read, table.referee.language)["games"][0]["corrected"] == 0
    # Of a hand each card counts that was another one.
    table.referee.begin("confetti", ["Ann", "Ben"], {})
    table.report("timer_flipped")
    table.report("timer_ran_out")
    hand = [["red", "blue", "green"], ["blue", "red", "green"]]
    table.report("hand", seat=0, cards=hand)
    right = [["red", "blue", "green"], ["blue", "red", "purple"]]
    table.referee.do(
        sent({"do": "correct", "event": next(iter(table.referee.state()["readings"])), "with": {"cards": right}})
    )
    confetti = quality(table.referee.store.read, table.referee.language)["games"][1]
    assert (confetti["cards"], confetti["corrected"]) == (2, 1)
    table.close()


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
    assert office.table.referee.match.playing().header.options == OPTIONS[game]
    if game_kind(game).demo is not None:
        assert demo_header(game, 3, find_deck(game)).options.keys() >= OPTIONS[game].keys()
    recorded = record._header(game, "Ann,Ben,Cem", None)
    assert recorded is not None and recorded["options"] == OPTIONS[game]


def test_what_people_chose_stays_as_they_chose_it(office: Office) -> None:
    chosen = {"side": "black", "edition": "german"}
    office.referee.do(sent({"do": "start", "game": "confetti", "players": ["Ann"], "options": chosen}))
    assert office.state()["game"]["options"] == {**OPTIONS["confetti"], **chosen}


@pytest.mark.parametrize("game", GAMES)
def test_what_is_named_means_what_was_meant_before(game: str) -> None:
    kind, header = game_kind(game), Header(game, ("Ann", "Ben", "Cem"), {})
    assert kind.settings is not None
    named = kind.explicit(header)
    assert kind.settings(named) == kind.settings(header)
    assert kind.explicit(named) == named
    kind.start(named)
