"""How good it is at this table: counted from what was read and what somebody corrected."""

from __future__ import annotations

from pathlib import Path

from tests.support.quiet_table import quiet_table


def test_cards_and_corrections_are_counted_by_game_and_evening(tmp_path: Path) -> None:
    table = quiet_table(tmp_path)
    assert table.desk.quality() == {"games": [], "evenings": [], "challenged": ""}
    table.controller.start("piccolino", ["Ann", "Ben", "Cem"], {})
    for number in range(6):
        table.tell("card_shown", seat=number % 3, colour="red" if number == 3 else "blue", mood="sad")
    table.tell("bell", seat=1)
    events = table.desk.state()["readings"]
    wrong = next(ident for ident, data in events.items() if data["colour"] == "red")
    table.desk.do({"do": "correct", "event": wrong, "with": {"colour": "pink"}})
    told = table.desk.quality()
    (game,) = told["games"]
    assert (game["game"], game["cards"], game["corrected"], game["rings"]) == ("piccolino", 6, 1, 1)
    assert game["text"].startswith("Of the last 6 cards one was corrected: in the long run")
    assert [(one["cards"], one["corrected"]) for one in told["evenings"]] == [(6, 1)]
    # A correction that was taken back is none.
    table.desk.do({"do": "undo"})
    assert table.desk.quality()["games"][0]["corrected"] == 0
    # Of a hand each card counts that was another one.
    table.controller.start("confetti", ["Ann", "Ben"], {})
    table.tell("timer_flipped")
    table.tell("timer_ran_out")
    hand = [["red", "blue", "green"], ["blue", "red", "green"]]
    table.tell("hand", seat=0, cards=hand)
    right = [["red", "blue", "green"], ["blue", "red", "purple"]]
    table.desk.do({"do": "correct", "event": next(iter(table.desk.state()["readings"])), "with": {"cards": right}})
    confetti = table.desk.quality()["games"][1]
    assert (confetti["cards"], confetti["corrected"]) == (2, 1)
    table.close()
