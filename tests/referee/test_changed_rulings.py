"""A game judged again: only what is ruled otherwise is listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.changed_rulings import Changed, changed
from referee.cli import main

GAME = Path(__file__).parents[1] / "games" / "coloretto-fouls.jsonl"
Capture = pytest.CaptureFixture[str]


def test_what_is_the_same_is_left_out_and_what_is_said_besides_is_no_change() -> None:
    ring = {"ruling": "ring", "valid": True, "seat": 1, "t_ns": 5, "frame_t_ns": 4}
    more = {**ring, "frame_t_ns": 3, "reaction_ms": 300}
    assert changed([ring], [more]) == []
    otherwise = {**ring, "valid": False, "reason": "sad"}
    assert changed([ring], [otherwise]) == [Changed(ring, otherwise)]
    new = {"ruling": "also_rang", "seat": 2, "t_ns": 7}
    assert changed([ring], [ring, new]) == [Changed(None, new)]
    assert changed([ring, new], [ring]) == [Changed(new, None)]
    # The same hand read in another order is the same hand; the same ring told a frame later is the same ring.
    hand = {"ruling": "hand", "seat": 0, "points": 2, "t_ns": 8, "arrangement": [{"colour": "red", "cards": [0, 1, 2]}]}
    turned = {**hand, "arrangement": [{"colour": "red", "cards": [2, 0, 1]}]}
    assert changed([hand, more], [turned, {**more, "reaction_ms": 400}]) == []
    assert changed([hand], [{**turned, "points": 1}]) == [Changed(hand, {**turned, "points": 1})]
    # Two alike stand for two.
    assert changed([new, new], [new]) == [Changed(new, None)]


def test_a_log_is_held_against_what_was_printed_before(tmp_path: Path, capfd: Capture) -> None:
    assert main(["replay", str(GAME), "--json"]) == 0
    lines = capfd.readouterr().out.splitlines()
    before = tmp_path / "before.jsonl"
    before.write_text("\n".join(lines))
    assert main(["replay", str(GAME), "--before", str(before)]) == 0
    assert capfd.readouterr().out == ""
    first = next(number for number, line in enumerate(lines) if json.loads(line)["ruling"] == "foul")
    lines[first] = json.dumps({**json.loads(lines[first]), "reason": "row_full"})
    before.write_text("\n".join(lines))
    assert main(["replay", str(GAME), "--before", str(before), "--json"]) == 0
    (line,) = capfd.readouterr().out.splitlines()
    told = json.loads(line)
    assert (told["was"]["reason"], told["now"]["ruling"]) == ("row_full", "foul")
    assert told["now"]["reason"] != "row_full"


def test_what_cannot_be_held_against_is_said_in_one_line(tmp_path: Path, capfd: Capture) -> None:
    odd = tmp_path / "odd.jsonl"
    odd.write_text('{"event": "bell"}\n')
    for more in (["--changed"], ["--before", str(odd)], ["--before", str(tmp_path / "none.jsonl")]):
        assert main(["replay", str(GAME), *more]) == 2
        out, err = capfd.readouterr()
        assert (out, len(err.splitlines())) == ("", 1)
