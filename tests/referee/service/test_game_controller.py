"""A controller's game: what is journalled, announced, corrected and undone, and what is left when the power goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.lamp import Signal
from hardware.problems import DeviceHealth, Health
from hardware.voice import Chime
from referee.errors import BadInputError
from referee.journal.stored import games, kept_game
from referee.journal.trouble import Trouble
from referee.service.records import RESUME_GAP_NS
from tests.support.table_fakes import S, Table


def test_a_ring_is_announced_with_its_reason_and_the_lamp_turns_green(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    rulings = table.hear("bell", seat=2)
    assert (rulings[0]["ruling"], rulings[0]["valid"], rulings[0]["seat"]) == ("ring", True, 2)
    assert table.said[-2] == "Valid ring, Cem: two happy reds."
    assert table.lamp.shown[-1][1] is Signal.VALID


def test_whatever_was_announced_is_kept_when_the_process_is_killed_and_not_said_again(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=2)
    again = table.again()
    play = again.controller.resume()
    assert play is not None
    assert [ruling["ruling"] for _, ruling in play.log.newest(9)] == ["cards_move", "ring"]
    assert not [text for text in again.said if text.startswith("Valid ring")]
    assert again.said[0].startswith("The game goes on. The last ruling was: ")


def test_what_was_journalled_but_not_ruled_yet_is_ruled_and_announced_after_the_restart(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    play = table.controller.playing()
    # The power goes between the event and its ruling.
    play._keep = lambda: None  # type: ignore[method-assign]
    table.hear("bell", seat=2)
    again = table.again()
    assert again.controller.resume() is not None
    assert "Valid ring, Cem: two happy reds." in again.said
    third = again.again()
    assert third.controller.resume() is not None
    assert "Valid ring, Cem: two happy reds." not in third.said


def test_a_resumed_game_goes_on_where_it_stood(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    again = table.again()
    again.controller.resume()
    assert again.hear("bell", seat=0)[0]["valid"] is True


def test_after_the_machine_was_off_the_clock_goes_on_and_no_old_ring_is_near(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    ring = table.hear("bell", seat=2)[0]
    again = table.again(boot="another", now_ns=5 * S)
    play = again.controller.resume()
    assert play is not None
    again.card(0, "green")
    again.card(1, "green", "sad")
    ruling = again.hear("bell", seat=1)[0]
    assert (ruling["ruling"], ruling["valid"], ruling["reason"]) == ("ring", False, "sad")
    first_ns, second_ns = ring["t_ns"], ruling["t_ns"]
    assert isinstance(first_ns, int) and isinstance(second_ns, int)
    assert second_ns - first_ns >= RESUME_GAP_NS
    # What the watcher is told is by its own clock.
    assert again.watchers[-1].told[-1].t_ns < 10 * S
    third = again.again(boot="another")
    assert third.controller.resume() is not None
    assert third.controller.playing().shift_ns == play.shift_ns


def test_a_corrected_card_changes_the_ruling_and_only_that_is_said(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=2)
    before = len(table.said)
    change = table.controller.correct(2, {"mood": "sad"})
    assert change.new[0][1]["reason"] == "sad"
    said = table.said[before:]
    assert said == [
        "Corrected: False ring, Cem: one of the reds is sad.",
        "The page shows what everybody has now.",
    ]


def test_a_ring_that_becomes_valid_says_so_and_that_cards_are_others_now(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.controller.start("piccolino", ["Ann", "Ben", "Cem", "Dora"], {})
    table.card(0, "red")
    table.card(1, "blue")
    table.hear("bell", seat=3)
    table.controller.correct(2, {"colour": "red"})
    assert table.said[-2:] == [
        "Corrected: Valid ring, Dora: two happy reds, but a lucky guess.",
        "The page shows what everybody has now.",
    ]


def test_a_correction_that_changes_who_wins_says_the_hand_and_the_winner(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.controller.start("confetti", ["Ann", "Ben"], {})
    confetti_round(table)
    table.controller.stop()
    hand = next(
        number
        for number, record in table.controller.playing().log.records.items()
        if record.event.kind == "hand" and record.event.data["seat"] == 0
    )
    before = len(table.said)
    table.controller.correct(hand, {"cards": []})
    first, end = table.said[before:]
    assert first.startswith("Corrected: Ann: ") and end.startswith("The end: ")


def test_an_undo_that_changes_no_ruling_says_that_it_was_one(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.controller.correct(2, {"mood": "sad"})
    table.controller.undo()
    assert table.said[-1] == "Taken back: no ruling changes."


def test_a_correction_is_undone_and_all_is_as_it_was(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=2)
    before = list(table.controller.playing().log.newest(20))
    table.controller.correct(2, {"mood": "sad"})
    table.controller.undo()
    assert list(table.controller.playing().log.newest(20)) == before
    assert table.controller.playing().undoes is None
    with pytest.raises(BadInputError):
        table.controller.undo()


def test_a_struck_ring_never_was_and_its_cards_lie_where_they_lay(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=2)
    table.controller.correct(3, None)
    assert list(table.controller.playing().log.newest(20)) == []
    assert "Does not count: Valid ring, Cem: two happy reds." in table.said
    assert table.hear("bell", seat=0)[0]["valid"] is True


def test_corrections_outlast_the_power_and_the_first_reading_is_kept(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=2)
    table.controller.correct(2, {"mood": "sad"})
    again = table.again()
    play = again.controller.resume()
    assert play is not None
    assert next(ruling for _, ruling in play.log.newest(9) if ruling["ruling"] == "ring")["valid"] is False
    kept = kept_game(again.journal.read, games(again.journal.read)[0])
    assert kept.events[1].event.data["mood"] == "happy"
    # The watcher saw a happy card, and is told so, or it would report it as a new one.
    assert again.watchers[-1].told[1].data["mood"] == "happy"
    again.controller.undo()
    assert next(ruling for _, ruling in play.log.newest(9) if ruling["ruling"] == "ring")["valid"] is True


def test_a_correction_that_makes_no_sense_changes_nothing(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    with pytest.raises(BadInputError):
        table.controller.correct(2, {"seat": 17})
    with pytest.raises(BadInputError):
        table.controller.correct(99, None)
    assert table.hear("bell", seat=2)[0]["valid"] is True
    assert table.again().controller.resume() is not None


def test_what_the_game_does_not_know_is_refused_and_harms_nothing_later(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    assert table.hear("no_such_event") == []
    with pytest.raises(BadInputError):
        table.controller.say("nor_this", {})
    again = table.again()
    again.controller.resume()
    assert again.hear("bell", seat=1)[0]["valid"] is True


def test_in_a_pause_nobody_rings_and_the_pause_outlasts_the_power(tmp_path: Path) -> None:
    from hardware.events import BellPressed

    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.controller.pause(True)
    table.controller.hear(BellPressed(table.clock(), 1))
    again = table.again()
    again.controller.resume()
    was_paused = again.controller.paused
    again.controller.pause(False)
    assert (was_paused, again.controller.paused) == (True, False)
    assert again.hear("bell", seat=1)[0]["valid"] is True


def test_a_game_that_was_stopped_has_winners_and_is_put_away_with_the_next_stop(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.controller.stop()
    assert table.controller.playing().over
    assert table.said[-3].startswith("The end:")
    table.controller.stop()
    assert table.controller.play is None
    assert table.again().controller.resume() is None


def test_a_game_without_such_an_end_is_stopped_without_winners(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.controller.start("confetti", ["Ann", "Ben"], {})
    table.controller.stop()
    assert table.controller.play is None
    assert games(table.journal.read)[0].ended_ms is None


def confetti_round(table: Table) -> None:
    """Play a round in which Ann makes a point and Ben none."""
    table.hear("timer_flipped")
    table.hear("hand", seat=0, cards=[["red", "blue", "green"], ["blue", "red", "yellow"], ["green", "orange", "red"]])
    table.hear("hand", seat=1, cards=[])
    table.hear("timer_ran_out")
    table.hear("count")


def test_a_game_that_is_ended_early_keeps_its_points_says_so_and_can_go_on_after_all(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.controller.start("confetti", ["Ann", "Ben"], {})
    confetti_round(table)
    table.controller.stop()
    play = table.controller.playing()
    assert (play.over, play.undoes) == (True, "stop")
    assert table.said[-3:] == [
        "The game ends early, with the points as they are.",
        "The end: Ann wins with one point.",
        "Ben: no points.",
    ]
    table.controller.undo()
    assert (play.over, play.undoes) == (False, None)
    assert table.said[-1] == "The game goes on."
    again = table.again()
    resumed = again.controller.resume()
    assert resumed is not None and not resumed.over
    confetti_round(again)
    assert resumed.game.kept == [2, 0]  # type: ignore[attr-defined]


def test_a_game_begun_over_a_running_one_ends_that_with_its_points_and_can_be_taken_back(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.controller.start("confetti", ["Ann", "Ben"], {})
    confetti_round(table)
    first = table.controller.playing()
    table.controller.start("piccolino", ["Ann", "Ben"], {})
    assert first.over and first.log.records[6].rulings[0]["points"] == [1, 0]
    assert table.controller.playing().undoes == "start"
    table.controller.undo()
    assert table.controller.playing() is first and table.controller.in_play
    again = table.again()
    assert again.controller.resume() is not None and again.controller.playing().header.game == "confetti"
    again.controller.start("piccolino", ["Ann", "Ben"], {})
    again.card(0, "red")
    assert again.controller.playing().undoes is None


def test_a_game_in_which_nothing_happened_gets_no_end_from_the_next_one(tmp_path: Path) -> None:
    table = Table(tmp_path)
    for _ in range(2):
        table.controller.start("piccolino", ["Ann", "Ben"], {})
    assert [row.ended_ms for row in games(table.journal.read)] == [None, None]


def test_an_end_that_a_correction_takes_away_is_no_end(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.hear("stop")
    assert games(table.journal.read)[0].ended_ms is not None
    table.controller.correct(3, None)
    assert games(table.journal.read)[0].ended_ms is None
    assert not table.controller.playing().over


def test_a_wrong_game_is_refused_and_the_one_before_goes_on(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    with pytest.raises(BadInputError):
        table.controller.start("piccolino", ["Ann"], {})
    assert table.hear("bell", seat=1)[0]["valid"] is True


def test_device_troubles_are_no_news_for_the_game(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    assert table.controller.hear(DeviceHealth(table.clock(), "camera", Health.MISSING, "gone")).rulings == ()


def test_a_full_disk_stops_no_game_and_all_is_kept_once_there_is_room(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    (pages,) = table.journal.read("PRAGMA page_count")[0]
    table.journal.read(f"PRAGMA max_page_count = {pages}")
    for _ in range(40):
        table.controller.say("card_shown", {"seat": 0, "colour": "x" * 70, "mood": "sad"})
    trouble = table.journal.trouble
    assert table.hear("bell", seat=2)[0]["valid"] is False
    assert table.said[-2].startswith("False ring")
    table.journal.read("PRAGMA max_page_count = 100000")
    assert table.journal.flush()
    assert (trouble, table.journal.trouble) == (Trouble.FULL, None)
    again = table.again()
    play = again.controller.resume()
    assert play is not None
    assert len(play.log.records) == 43
    assert not [text for text in again.said if text.startswith("False ring")]


def test_who_rang_is_asked_once_with_the_verdict_and_again_after_the_power_was_off(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=None)
    assert table.said[-2:] == ["Valid ring: two happy reds.", "Who rang?"]
    assert table.lamp.shown[-1][1] is Signal.VALID
    table.card(2, "green")
    assert table.said[-1] == "Who rang?"
    again = table.again()
    again.controller.resume()
    assert again.said[-1] == "Who rang?"
    again.controller.say("ringer", {"seat": 1})
    assert again.said[-1] == "Ben wins the piles: two cards."
    assert not [text for text in again.said if text.startswith("Valid ring, Ben")]


def test_a_ring_that_waits_for_the_name_of_the_one_before_is_not_met_with_silence(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=None)
    waits = "This ring waits: please tap first who rang before it."
    for after_s, times in ((1.0, 0), (3.0, 1), (0.5, 1), (3.0, 2)):
        table.clock.now_ns += round(after_s * S)
        table.card(2, "green")
        table.hear("bell", seat=None)
        assert table.said.count(waits) == times
    table.controller.say("ringer", {"seat": 1})
    assert "Ben wins the piles: two cards." in table.said


def test_a_ring_that_is_named_later_is_said_once_and_then_only_what_follows(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=None)
    table.controller.say("ringer", {"seat": 1})
    assert [text for text in table.said if "ring" in text] == ["Valid ring: two happy reds."]
    assert table.said[-2:] == ["Who rang?", "Ben wins the piles: two cards."]
    assert len([chime for chime in table.speaker.chimes if chime is Chime.VALID]) == 1


def test_a_name_from_which_nothing_follows_is_still_said(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.controller.start("piccolino", ["Ann", "Ben", "Cem"], {"cards": 4, "dealer": 1})
    for seat, colour in enumerate(("red", "green", "blue")):
        table.card(seat, colour)
    table.clock.now_ns += S
    table.hear("bell", seat=None)
    table.controller.say("ringer", {"seat": 1})
    assert table.said[-3:] == ["False ring: no two happy clowns of one colour.", "Who rang?", "Ben rang."]


def test_a_correction_before_the_name_is_known_says_the_other_verdict_and_asks_again(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=None)
    table.controller.correct(2, {"mood": "sad"})
    assert table.said[-2:] == ["False ring: one of the reds is sad.", "Who rang?"]
    table.controller.say("ringer", {"seat": 1})
    assert table.said[-1] == "Ben gives one card each to Cem and Ann."


def test_what_sounds_the_same_at_another_instant_is_a_change(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.controller.start("piccolino", ["Ann", "Ben", "Cem"], {"lockout_ms": 0})
    for mood in ("happy", "sad"):
        table.card(0, "red")
        table.card(1, "red", mood)
        table.clock.now_ns += 2 * S
        table.hear("bell", seat=2)
    before = len(table.said)
    table.controller.correct(2, {"mood": "sad"})
    # The first ring turns false with the same words as the second one, which stays as it was.
    said = table.said[before:]
    assert said.count("Corrected: False ring, Cem: one of the reds is sad.") == 1


def test_after_a_correction_the_watcher_is_told_the_game_anew_as_it_saw_it(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.hear("bell", seat=2)
    before = list(table.watchers[-1].told)
    table.controller.correct(2, {"mood": "sad"})
    assert table.watchers[-1].told == before


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE games SET header = replace(header, 'piccolino', 'chess')",
        "UPDATE games SET header = '{'",
        "UPDATE events SET data = '[]'",
    ],
)
def test_a_game_that_cannot_be_read_is_left_and_the_next_one_begins(tmp_path: Path, spoil: str) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    table.journal.read(spoil)
    again = table.again()
    assert again.controller.resume() is None
    assert again.said == ["The last game cannot be gone on with; it stays among the past ones."]
    third = again.again()
    assert third.controller.resume() is None
    assert third.said == []
    third.piccolino_with_a_pair()
    assert third.hear("bell", seat=1)[0]["valid"] is True


def test_a_watcher_sees_how_the_game_stands_after_each_event_also_when_one_is_put_right(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    watcher = table.watchers[-1]
    assert [view.turn for view in watcher.views] == [1, 2]
    table.hear("bell", seat=None)
    assert watcher.views[-1].ring_t_ns == watcher.told[-1].t_ns
    table.controller.correct(2, None)
    # Ben's card is told as it was seen, but as the game holds he has laid none.
    assert [event.kind for event in watcher.told] == ["card_shown", "card_shown", "bell"]
    assert [view.turn for view in watcher.views] == [1, 1, 1]
    assert watcher.views[-1].ring_t_ns is None


def test_after_a_power_cut_a_watcher_has_the_times_of_waiting_rings_by_its_own_clock(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.piccolino_with_a_pair()
    again = table.again(boot="another", now_ns=5 * S)
    assert again.controller.resume() is not None
    again.hear("bell", seat=None)
    watcher = again.watchers[-1]
    assert again.controller.playing().shift_ns > 0
    assert watcher.views[-1].ring_t_ns == watcher.told[-1].t_ns < 10 * S
