"""The desk: questions that are answered, rulings that are corrected, and taps that come too late."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from referee.engine.events import Event
from referee.engine.session import Answer, Doubt, Watcher
from referee.errors import BadInputError, OvertakenError
from referee.match import queries
from tests.referee.match.conftest import begin, past_game, past_games, report
from tests.support.commands import sent
from tests.support.office import Office, piccolino


@pytest.fixture
def ring(office: Office) -> str:
    """Name of Cem's valid ring."""
    piccolino(office)
    office.table.hear("bell", seat=2)
    return str(office.state()["rulings"][-1]["id"])


def correct(office: Office, data: object, **what: object) -> None:
    office.referee.do(sent({"do": "correct", "with": data, **what}))


def test_a_ring_of_nobody_asks_who_it_was_and_an_unclear_one_is_decided_by_the_players(office: Office) -> None:
    piccolino(office)
    office.table.hear("bell", seat=None)
    state = office.state()
    (question,) = state["questions"]
    assert (question["kind"], question["seats"]) == ("who_rang", [0, 1, 2])
    assert (state["phase"]["key"], state["phase"]["turn"]) == ("who_rang", None)
    assert question["verdict"]["text"] == "Valid ring: two happy reds."
    assert question["verdict"]["ruling"]["valid"] is True
    office.referee.do(sent({"do": "ringer", "seat": 1}))
    assert office.state()["questions"] == []
    assert office.state()["rulings"][-1]["ruling"]["seat"] == 1
    piccolino(office)
    office.table.hear("card_shown", seat=1, colour=None, mood=None)
    office.table.clock.now_ns += 1_000_000_000
    office.table.hear("bell", seat=2)
    (question,) = office.state()["questions"]
    assert question["kind"] == "decide"
    assert question["ruling"] == office.state()["rulings"][0]["id"]
    office.referee.do(sent({"do": "decide", "valid": True}))
    assert office.state()["questions"] == []


def test_a_ruling_is_corrected_in_two_taps_and_undone(office: Office, ring: str) -> None:
    readings = queries.explain(office.referee, ring)["readings"]
    assert [reading["data"]["event"] for reading in readings] == ["card_shown", "card_shown", "bell"]
    correct(office, {"mood": "sad"}, event=readings[1]["event"])
    state = office.state()
    assert state["rulings"][-1]["ruling"]["valid"] is False
    assert [seat["points"] for seat in state["board"]] == [19, 20, 16]
    assert state["can_undo"]
    office.referee.do(sent({"do": "undo"}))
    assert office.state()["rulings"][-1]["ruling"]["valid"] is True
    # The verdict is the players' own, whatever was seen.
    for valid, text in ((False, "False ring, Cem: so you decided."), (True, "Valid ring, Cem: so you decided.")):
        correct(office, {"valid": valid}, ruling=office.state()["rulings"][-1]["id"])
        assert office.state()["rulings"][-1]["text"] == text
    with pytest.raises(BadInputError):
        correct(office, {"valid": "perhaps"}, ruling=ring)
    correct(office, None, ruling=ring)
    assert office.state()["rulings"] == []


def test_the_history_says_what_was_corrected_from_what_to_what(office: Office, ring: str) -> None:
    _, card, bell = (reading["event"] for reading in queries.explain(office.referee, ring)["readings"])
    for event, data in ((card, {"mood": "sad"}), (card, {"mood": "sad", "colour": "blue"}), (bell, {"seat": 0})):
        correct(office, data, event=event)
    correct(office, None, event=bell)
    changes = [one["change"] for one in past_game(office, office.state()["game"]["id"])["corrections"]]
    assert changes[:2] == ["Ben: red, happy → red, sad", "Ben: red, sad → blue, sad"]
    assert changes[2:] == ["Cem rang. → Ann rang.", "Ann rang. → –"]


def test_every_ruling_that_a_correction_changed_is_marked_and_no_other_one(office: Office, ring: str) -> None:
    office.table.clock.now_ns += 3_000_000_000
    office.table.card(0, "green")
    office.table.hear("bell", seat=0)
    card = queries.explain(office.referee, ring)["readings"][1]["event"]
    correct(office, {"mood": "sad"}, event=card)
    marked = [(one["ruling"]["ruling"], one["corrected"]) for one in office.state()["rulings"]]
    # The second ring was false and still is, with the same penalty; the first one won the piles and does not any more.
    assert marked == [("cards_move", False)] * 2 + [("ring", False)] + [("cards_move", True)] * 2 + [("ring", True)]
    office.referee.do(sent({"do": "undo"}))
    shown = past_game(office, office.state()["game"]["id"])["rulings"]
    assert not any(one["corrected"] for one in office.state()["rulings"] + shown)


@dataclass
class _Guessing(Watcher):
    """One that took what was likeliest, as nobody said, and still asks."""

    doubts: tuple[Doubt, ...] = ()

    def answered(self, doubt: Doubt) -> None:
        self.doubts = ()

    def follow(self, view: object) -> bool:
        return True


@pytest.mark.parametrize("gone_on", [False, True])
def test_an_answer_that_comes_late_changes_what_was_taken_instead_and_makes_nobody_do_wrong(
    office: Office, gone_on: bool
) -> None:
    begin(office, "coloretto")
    game = office.table.referee.match.playing()
    for data in ({"seat": 0, "row": 0, "card": "green"}, {"seat": 1, "row": 0, "card": "red"}):
        office.table.referee.say("card_placed", data)
    guess = Event(2, "card_placed", {"event": "card_placed", "seat": 1, "row": 0, "card": "red"})
    in_truth = [
        replace(guess, data={**guess.data, "row": 1}),
        Event(2, "row_taken", {"event": "row_taken", "seat": 2, "row": 0}),
    ]
    answers = (Answer((in_truth[0],), {"moves": []}), Answer(tuple(in_truth), {"moves": []}))
    game.look_again(_Guessing((Doubt(2, "not_understood", {}, answers, (guess,)),)))
    if gone_on:
        office.table.referee.say("card_placed", {"seat": 2, "row": 2, "card": "blue"})
    office.referee.changed()
    question = next(one for one in office.state()["questions"] if one["kind"] == "doubt")
    answer = {"do": "answer", "question": question["id"], "answer": 1}
    if gone_on:
        with pytest.raises(BadInputError, match="play has gone on"):
            office.referee.do(sent(answer))
    else:
        office.referee.do(sent(answer))
    rulings = [ruling["ruling"]["ruling"] for ruling in office.state()["rulings"]]
    assert "foul" not in rulings
    assert ("row_taken" in [record.event.kind for record in game.log.records.values()]) is not gone_on


def test_coloretto_shows_what_was_entered_and_its_last_step_is_taken_back(office: Office) -> None:
    begin(office, "coloretto")
    assert office.state()["phase"]["told"] is None
    for seat, card in enumerate(("red", "joker")):
        report(office, "card_placed", seat=seat, row=1, card=card)
    report(office, "row_taken", seat=2, row=1)
    phase = office.state()["phase"]
    assert (phase["rows"], phase["rooms"], phase["last"]) == ([[], None, []], [3, 3, 3], False)
    for rows, turn in (([[], ["red", "joker"], []], 2), ([[], ["red"], []], 1), ([[], [], []], 0)):
        office.referee.do(sent({"do": "correct", "event": office.state()["phase"]["told"], "with": None}))
        phase = office.state()["phase"]
        assert (phase["rows"], phase["turn"]) == (rows, turn)
    assert phase["told"] is None
    office.referee.do(sent({"do": "undo"}))
    assert office.state()["phase"]["rows"] == [[], ["red"], []]
    report(office, "last_round")
    assert office.state()["phase"]["last"] is True


def too_late(office: Office, command: dict[str, object]) -> None:
    with pytest.raises(OvertakenError, match="look again"):
        office.referee.do(sent(command))


def test_of_two_phones_that_tap_at_once_one_hears_that_it_came_too_late(office: Office) -> None:
    begin(office, "coloretto")
    green = {"event": "card_placed", "row": 1, "card": "green"}
    tap = {"do": "event", "event": {**green, "seat": 0}, "moment": office.state()["moment"]}
    office.referee.do(sent(tap))
    too_late(office, tap)
    state = office.state()
    assert state["phase"]["rows"] == [[], ["green"], []] and state["phase"]["turn"] == 1
    # Both take the last step back: the one before it stays.
    office.referee.do(sent({"do": "event", "event": {**green, "seat": 1}, "moment": state["moment"]}))
    state = office.state()
    back = {"do": "correct", "event": state["phase"]["told"], "with": None, "moment": state["moment"]}
    office.referee.do(sent(back))
    too_late(office, back)
    assert office.state()["phase"]["rows"] == [[], ["green"], []]
    # A second tap in the same place does not end the round that the first one began.
    begin(office, "confetti", "Ann", "Ben")
    seen = office.state()["moment"]
    office.referee.do(sent({"do": "flip", "moment": seen}))
    too_late(office, {"do": "time", "moment": seen})
    assert office.state()["phase"]["key"] == "running"


def test_a_name_tapped_for_one_ring_is_not_taken_for_the_next(office: Office) -> None:
    piccolino(office)
    office.table.hear("bell", seat=None)
    seen = office.state()["moment"]
    office.table.hear("ringer", seat=1)
    office.table.card(1, "green")
    office.table.clock.now_ns += 2_000_000_000
    office.table.hear("bell", seat=None)
    too_late(office, {"do": "ringer", "seat": 2, "moment": seen})
    assert [question["kind"] for question in office.state()["questions"]] == ["who_rang"]


SET = [["red", "blue", "green"], ["blue", "green", "red"], ["green", "red", "blue"]]


@pytest.fixture
def past(office: Office) -> dict[int | str, str]:
    """Names of the hands (by seat) and of the end of a game for five, in which Ann has won; the next one has begun."""
    begin(office, "confetti", "Ann", "Ben", "Cem", "Dora", "Emil")
    for _ in range(2):
        for kind in ("timer_flipped", "timer_ran_out"):
            office.table.clock.now_ns += 1_000_000_000
            report(office, kind)
        for seat in range(5):
            report(office, "hand", seat=seat, cards=SET if seat == 0 else [])
    rulings = [(one["ruling"], one["id"]) for one in reversed(office.state()["rulings"])]
    assert rulings[-1][0]["winners"] == [0]
    piccolino(office)
    return {ruling["seat"] if ruling["ruling"] == "hand" else ruling["ruling"]: ident for ruling, ident in rulings}


def test_a_wrong_end_of_the_last_game_is_put_right_while_the_next_one_is_played(
    office: Office, past: dict[int | str, str]
) -> None:
    before = office.state()
    why = queries.explain(office.referee, past[1])
    assert why["past"]
    assert why["game"]["players"][1] == "Ben"
    (reading,) = why["readings"]
    data = {**reading["data"], "cards": [*SET, ["red", "blue", "yellow"], ["yellow", "red", "blue"]]}
    data["cards"].append(["blue", "yellow", "red"])
    done = office.referee.do(
        sent({"do": "correct", "event": reading["event"], "with": data, "moment": before["moment"]})
    )
    assert done["changed"] == 2  # Ben's hand, and who has won
    assert queries.explain(office.referee, past["end"])["ruling"]["points"][1] > 3
    (last,) = (game for game in past_games(office) if game["game"] == "confetti")
    points = last["points"]
    assert points[1] > points[2] and (last["winners"] == [1] or points[0] >= points[1])
    assert office.table.referee.announcements.caption
    now = office.state()
    for part in ("game", "board", "rulings", "undoes"):
        assert now[part] == before[part]


def test_the_last_ruling_of_the_last_game_can_be_struck_by_its_name(office: Office, past: dict[int | str, str]) -> None:
    office.referee.do(sent({"do": "correct", "ruling": past["end"], "with": {"cards": SET}}))
    (game,) = (one for one in past_games(office) if one["game"] == "confetti")
    assert (game["winners"], game["points"]) == ([0], [6, 0, 0, 0, 3])
    with pytest.raises(BadInputError):
        office.referee.do(sent({"do": "correct", "ruling": "99-1-0", "with": None}))
