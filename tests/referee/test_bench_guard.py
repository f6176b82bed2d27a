"""A whole evening on the drawn table, and the mishaps that the guard is measured by: a few of each, small."""

from __future__ import annotations

import pytest

from referee.bench.evening import EveningSetting, play_evening
from referee.bench.mishaps import IN_TIME_S, cause_mishaps
from referee.bench.ring_mishaps import judge_amid_mishaps
from referee.cli import main
from simulation.evening import Evening
from simulation.live import Shots

SHOTS = {"confetti": Shots(size=(800, 450), frames_per_s=4.0)}


def test_from_dusk_to_lamp_light_with_a_window_in_the_picture_no_hand_is_wrong_and_notices_come_in_time() -> None:
    # The lamp comes on while the cards are taken, and clips what the camera was set to at dusk.
    setting = EveningSetting(("confetti",), daylight=0.6, halves_s=6.0, lamp_on_s=10.0, shots=SHOTS)
    (game,) = play_evening(setting)
    # Set to the lamp in the pause, and not held up by the window's fading, the camera sees all cards.
    assert [outcome for outcome, _ in game.outcomes] == ["right"] * 3
    assert [said for t_s, said in game.told if 10.0 <= t_s <= 10.0 + IN_TIME_S and "bright" in said]
    assert all(late_s <= IN_TIME_S for late_s in game.late_s)


def test_the_light_of_an_evening_fades_turns_blue_and_is_warm_under_the_lamp() -> None:
    evening = Evening(lamp_on_s=40.0)
    noon, dusk, lamp = (evening.light(t_s) for t_s in (0.0, 36.0, 44.0))
    assert dusk[1] < 0.2 * noon[1] < lamp[1] * 2
    assert dusk[0] > dusk[2] and lamp[2] > lamp[0]


def test_a_smeared_lens_amid_play_is_noticed_within_two_seconds() -> None:
    (noticed,) = cause_mishaps(1, 3, ("smear",))
    assert noticed.told == "smeared"
    assert noticed.after_s is not None and noticed.after_s <= IN_TIME_S


def test_rings_amid_mishaps_are_judged_by_what_lay_on_the_table_and_none_is_ruled_wrong() -> None:
    rings = list(judge_amid_mishaps(2, 6, 5))
    assert len({ring.kind for ring in rings}) == 2 and all(0 < ring.after_s < IN_TIME_S for ring in rings)
    assert "wrong" not in {ring.judged.verdict for ring in rings}
    # A camera that sees nothing may rule nothing, but not all mishaps hide a card.
    assert "right" in {ring.judged.verdict for ring in rings}


@pytest.mark.parametrize("words", ["guard --mishaps -1", "guard --hours 101", "evening --evenings 0"])
def test_what_cannot_be_measured_is_said_in_one_line(words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *words.split()]) == 2
    out, err = capfd.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
