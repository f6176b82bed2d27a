"""A controller's game: what is journalled, announced, corrected and undone, and what is left when the power goes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hardware.events import BellPressed
from hardware.lamp import Signal
from hardware.voice import Chime
from referee.engine.session import Observation, Session
from referee.errors import BadInputError
from referee.match.match import RESUME_GAP_NS
from referee.store.games import games, kept_game
from tests.support.table_fakes import S, Table


def resumed(table: Table) -> Session:
    play = table.referee.resume()
    assert play is not None
    return play


def held(play: Session) -> list[Mapping[str, object]]:
    """Return the rulings that hold, newest first."""
    return [row.data for row in play.log.newest()]


def test_a_ring_is_announced_with_its_reason_kept_when_the_process_is_killed_and_not_said_again(pair: Table) -> None:
    (ring, _) = pair.hear("bell", seat=2)
    assert (ring["ruling"], ring["valid"], ring["seat"]) == ("ring", True, 2)
    assert pair.said[-2] == "Valid ring, Cem: two happy reds."
    assert pair.lamp.shown[-1][1] is Signal.VALID
    again = pair.again()
    assert [ruling["ruling"] for ruling in held(resumed(again))] == ["cards_move", "ring"]
    assert not [text for text in again.said if text.startswith("Valid ring")]
    assert again.said[0].startswith("The game goes on. The last ruling was: ")


def test_what_was_journalled_but_not_ruled_yet_is_ruled_and_announced_after_the_restart(pair: Table) -> None:
    # The power goes between the event and its ruling.
    pair.match._keep = lambda session: None  # type: ignore[method-assign]
    pair.hear("bell", seat=2)
    again = pair.again()
    resumed(again)
    assert "Valid ring, Cem: two happy reds." in again.said
    third = again.again()
    resumed(third)
    assert "Valid ring, Cem: two happy reds." not in third.said


def test_a_corrected_card_changes_the_ruling_is_said_and_is_undone(pair: Table) -> None:
    pair.hear("bell", seat=2)
    before, said = held(pair.match.playing()), len(pair.said)
    assert pair.referee.correct(2, {"mood": "sad"}).new[0].data["reason"] == "sad"
    assert pair.said[said:] == [
        "Corrected: False ring, Cem: one of the reds is sad.",
        "The page shows what everybody has now.",
    ]
    pair.referee.undo()
    assert held(pair.match.playing()) == before
    assert pair.match.undoes is None
    with pytest.raises(BadInputError):
        pair.referee.undo()
    # A ring that is struck never was, and its cards are where they lay.
    pair.referee.correct(3, None)
    assert held(pair.match.playing()) == []
    assert "Does not count: Valid ring, Cem: two happy reds." in pair.said
    pair.referee.correct(2, {"mood": "sad"})
    pair.referee.undo()
    assert pair.said[-1] == "Taken back: no ruling changes."
    assert pair.hear("bell", seat=0)[0]["valid"] is True


def test_what_makes_no_sense_is_refused_and_harms_nothing_later(pair: Table) -> None:
    assert pair.hear("no_such_event") == []
    for wrong in (
        lambda: pair.referee.correct(2, {"seat": 17}),
        lambda: pair.referee.correct(99, None),
        lambda: pair.referee.say("nor_this", {}),
        lambda: pair.referee.begin("piccolino", ["Ann"], {}),
    ):
        with pytest.raises(BadInputError):
            wrong()
    again = pair.again()
    resumed(again)
    assert again.hear("bell", seat=1)[0]["valid"] is True


def test_in_a_pause_nobody_rings_and_the_pause_outlasts_the_power(pair: Table) -> None:
    pair.referee.pause(True)
    pair.referee.hear(BellPressed(pair.clock(), 1))
    again = pair.again()
    resumed(again)
    was_paused = again.referee.match.paused
    again.referee.pause(False)
    assert (was_paused, again.referee.match.paused) == (True, False)
    assert again.hear("bell", seat=1)[0]["valid"] is True


def test_a_game_that_was_stopped_has_winners_and_is_put_away_with_the_next_stop(pair: Table) -> None:
    pair.referee.end_game()
    assert pair.referee.match.playing().over
    assert pair.said[-3].startswith("The end:")
    pair.referee.end_game()
    assert pair.referee.match.session is None
    assert pair.again().referee.resume() is None


def test_only_a_game_in_which_something_happened_and_that_was_not_taken_back_has_an_end(table: Table) -> None:
    for game in ("piccolino", "piccolino", "confetti"):
        table.referee.begin(game, ["Ann", "Ben"], {})
    table.referee.end_game()
    assert table.referee.match.session is None
    assert [row.ended_ms for row in games(table.referee.store.read)] == [None] * 3
    table.piccolino_with_a_pair()
    table.hear("stop")
    assert [row.ended_ms for row in games(table.referee.store.read)].count(None) == 3
    table.referee.correct(3, None)
    assert [row.ended_ms for row in games(table.referee.store.read)] == [None] * 4
    assert not table.referee.match.playing().over


def test_after_the_machine_was_off_the_clock_goes_on_and_no_old_ring_is_near(pair: Table) -> None:
    ring = pair.hear("bell", seat=2)[0]
    again = pair.again(boot="another", now_ns=5 * S)
    play = resumed(again)
    again.card(0, "green")
    again.card(1, "green", "sad")
    ruling = again.hear("bell", seat=1)[0]
    assert (ruling["ruling"], ruling["valid"], ruling["reason"]) == ("ring", False, "sad")
    first_ns, second_ns = ring["t_ns"], ruling["t_ns"]
    assert isinstance(first_ns, int) and isinstance(second_ns, int)
    assert second_ns - first_ns >= RESUME_GAP_NS
    third = again.again(boot="another")
    assert resumed(third).log.shift_ns == play.log.shift_ns


def test_corrections_outlast_the_power_and_the_first_reading_is_kept(pair: Table) -> None:
    pair.hear("bell", seat=2)
    pair.referee.correct(2, {"mood": "sad"})
    again = pair.again()
    play = resumed(again)
    assert next(ruling for ruling in held(play) if ruling["ruling"] == "ring")["valid"] is False
    kept = kept_game(again.referee.store.read, games(again.referee.store.read)[0])
    assert kept.records[2].event.data["mood"] == "happy"
    # The watcher saw a happy card, and learns that, or it would report it as a new one.
    assert again.watchers[-1].told[1].data["mood"] == "happy"
    again.referee.undo()
    assert next(ruling for ruling in held(play) if ruling["ruling"] == "ring")["valid"] is True


def confetti_round(table: Table) -> None:
    """Play a round in which Ann makes a point and Ben none."""
    table.hear("timer_flipped")
    table.hear("hand", seat=0, cards=[["red", "blue", "green"], ["blue", "red", "yellow"], ["green", "orange", "red"]])
    table.hear("hand", seat=1, cards=[])
    table.hear("timer_ran_out")
    table.hear("count")


def test_a_game_that_is_ended_early_keeps_its_points_says_so_and_can_go_on_after_all(table: Table) -> None:
    table.referee.begin("confetti", ["Ann", "Ben"], {})
    confetti_round(table)
    table.referee.end_game()
    play = table.referee.match.playing()
    assert (play.over, play.log.undoes) == (True, "stop")
    assert table.said[-3:] == [
        "The game ends early, with the points as they are.",
        "The end: Ann wins with one point.",
        "Ben: no points.",
    ]
    table.referee.undo()
    assert (play.over, play.log.undoes) == (False, None)
    assert table.said[-1] == "The game goes on."
    again = table.again()
    play = resumed(again)
    assert not play.over
    confetti_round(again)
    assert play.game.kept == [2, 0]  # type: ignore[attr-defined]


def test_a_game_begun_over_a_running_one_ends_that_with_its_points_and_can_be_taken_back(table: Table) -> None:
    table.referee.begin("confetti", ["Ann", "Ben"], {})
    confetti_round(table)
    first = table.referee.match.playing()
    table.referee.begin("piccolino", ["Ann", "Ben"], {})
    assert first.over and first.log.records[6].rulings[0]["points"] == [1, 0]
    assert table.match.undoes == "start"
    table.referee.undo()
    assert table.referee.match.playing() is first and table.referee.match.in_play
    again = table.again()
    assert resumed(again).header.game == "confetti"
    again.referee.begin("piccolino", ["Ann", "Ben"], {})
    again.card(0, "red")
    assert again.match.undoes is None


def test_who_rang_is_asked_once_with_the_verdict_and_again_after_the_power_was_off(pair: Table) -> None:
    pair.hear("bell", seat=None)
    assert pair.said[-2:] == ["Valid ring: two happy reds.", "Who rang?"]
    assert pair.lamp.shown[-1][1] is Signal.VALID
    pair.card(2, "green")
    assert pair.said[-1] == "Who rang?"
    again = pair.again(boot="another", now_ns=5 * S)
    resumed(again)
    assert again.said[-1] == "Who rang?"
    # The watcher lives on the game's clock, which has not gone back.
    assert again.watchers[-1].views[-1].ring_t_ns == again.watchers[-1].told[2].t_ns > 1000 * S
    # The verdict is said and sounded once, and then only what follows.
    for table in (again, pair):
        table.referee.say("ringer", {"seat": 1})
        assert table.said[-1] == "Ben wins the piles: two cards."
        assert not [text for text in table.said if text.startswith("Valid ring, Ben")]
    assert pair.speaker.chimes.count(Chime.VALID) == 1


def test_a_ring_that_waits_for_a_name_is_not_met_with_silence_and_its_correction_asks_again(pair: Table) -> None:
    pair.hear("bell", seat=None)
    pair.referee.correct(2, {"mood": "sad"})
    assert pair.said[-2:] == ["False ring: one of the reds is sad.", "Who rang?"]
    waits = "This ring waits: please tap first who rang before it."
    for after_s, times in ((1.0, 0), (3.0, 1), (0.5, 1), (3.0, 2)):
        pair.clock.now_ns += round(after_s * S)
        pair.card(2, "green")
        pair.hear("bell", seat=None)
        assert pair.said.count(waits) == times
    pair.referee.say("ringer", {"seat": 1})
    assert "Ben gives one card each to Cem and Ann." in pair.said


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE games SET header = replace(header, 'piccolino', 'chess')",
        "UPDATE games SET header = '{}'",
        "UPDATE events SET data = '{}'",
    ],
)
def test_a_game_that_cannot_be_read_is_left_and_the_next_one_begins(pair: Table, spoil: str) -> None:
    pair.referee.store.read(spoil)
    again = pair.again()
    assert again.referee.resume() is None
    assert again.said == ["The last game cannot go on. It stays among the past ones."]
    third = again.again()
    assert third.referee.resume() is None
    assert third.said == []
    third.piccolino_with_a_pair()
    assert third.hear("bell", seat=1)[0]["valid"] is True


@pytest.mark.parametrize("fault", [AssertionError("a bug"), ZeroDivisionError(), MemoryError()])
def test_a_watcher_that_fails_in_any_way_makes_a_ring_unclear_and_the_game_goes_on(
    pair: Table, fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(event: object) -> Observation:
        raise fault

    with monkeypatch.context() as broken:
        broken.setattr(pair.watchers[-1], "hear", fail)
        (unclear,) = pair.referee.hear(BellPressed(pair.clock(), 1)).rulings
        assert unclear["ruling"] == "unclear"
        assert [one.part for one in pair.referee.health.troubles()] == ["reader"]
    pair.referee.say("decided", {"valid": True})
    assert pair.referee.match.in_play and pair.referee.health.troubles() != ()
    pair.card(2, "green")
    assert pair.referee.health.troubles() == ()


def test_a_ring_is_one_change_for_the_pages(pair: Table) -> None:
    versions: list[int] = []
    end = pair.referee.subscribe(versions.append)
    pair.hear("bell", seat=2)
    assert len(versions) == 1 and pair.referee.state()["latest"]["text"].startswith("Cem wins the piles")
    end()
    pair.card(0, "green")
    assert len(versions) == 1
