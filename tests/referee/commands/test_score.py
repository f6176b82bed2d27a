"""`ringmaster score` as a person or another program runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.jsonlines import batches, parse_object, shown
from referee.schemas import SCHEMAS

FULL = '{"cards": [["red","green","blue"],["green","blue","red"],["blue","red","green"]]'


def score(*args: str, hands: str | bytes) -> subprocess.CompletedProcess[str]:
    data = hands if isinstance(hands, bytes) else hands.encode()
    done = subprocess.run([*MAIN, "score", *args], input=data, capture_output=True, check=False)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


MAIN = [sys.executable, "-m", "ringmaster"]


def test_a_hand_is_answered_with_the_keys_of_the_contract() -> None:
    done = score("confetti", "--json", hands=FULL + ', "limit": 6}\n')
    assert (done.returncode, done.stderr) == (0, "")
    SCHEMAS["score-confetti"].validate_json(done.stdout)
    assert json.loads(done.stdout) == {
        **{"sets": 3, "cards_needed": 3, "unused": 0, "over_limit": 0, "points": 3},
        "arrangement": [
            {"colour": "red", "cards": [0, 2, 1]},
            {"colour": "green", "cards": [1, 0, 2]},
            {"colour": "blue", "cards": [2, 1, 0]},
        ],
    }
    more = FULL[:-1] + ',["orange","red","blue"]], "limit": 6}'
    assert score("confetti", hands=f"{FULL}}}\n{more}\n").stdout.splitlines() == [
        "Three sets on three cards: three points",
        "Three sets on three cards, one card unused: two points",
    ]


def test_the_limit_and_the_way_to_charge_can_be_given_once_for_all_hands() -> None:
    more = FULL[:-1] + ',["orange","red","blue"]]'
    hands = f'{more}}}\n{more}, "limit": 9, "overlimit": "separate"}}\n{more}, "overlimit": "separate"}}\n'
    done = score("confetti", "--json", "--limit", "3", "--overlimit", "once", hands=hands)
    assert [json.loads(line)["points"] for line in done.stdout.splitlines()] == [2, 2, 1]


BAD_HANDS = [
    b'{"cards": [["red","green","mauve"]]}',
    b'{"cards": [["red","green","red"]]}',
    b'{"cards": [], "limit": -1}',
    b'{"cards": [], "limit": true}',
    b'{"cards": [], "limit": 6.0}',
    b'{"cards": [], "limit": NaN}',
    b'{"cards": [["red","green",',
    b'{"cards": [], "limit": ' + b"9" * 5000 + b"}",
    b'{"cards": [], "overlimit": "twice"}',
    b'{"cards": {}}',
    b'{"cards": [7]}',
    b'{"limit": 6}',
    b"null",
    b'{"cards": [], "cards": []}',
    b'{"cards": [], "limit": -Infinity}',
    b"[" * 50_000,
    b'{"cards": [' + b",".join([b'["red","green","blue"]'] * 500) + b"]}",
    b"\xff\xfe",
    b"{" + b" " * 2_000_000 + b"}",
]


def test_every_bad_line_gets_one_line_that_names_it_and_the_good_ones_an_answer() -> None:
    good = FULL.encode() + b"}"
    done = score("confetti", "--json", hands=b"\n".join([good, b"", *BAD_HANDS, good]))
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == 2
    complaints = done.stderr.splitlines()
    assert [complaint.split(": ")[1] for complaint in complaints] == [f"line {3 + n}" for n in range(len(BAD_HANDS))]
    assert max(map(len, complaints)) < 160


@given(st.lists(st.sampled_from([b"a", b"bc", b"\n", b"d\ne", b"\n\n"]), max_size=30))
def test_pieces_make_the_same_lines_as_the_whole(pieces: list[bytes]) -> None:
    whole = b"".join(pieces).split(b"\n")
    rest = iter(piece for piece in pieces if piece)
    assert list(chain.from_iterable(batches(lambda: next(rest, b"")))) == (whole if whole[-1] else whole[:-1])


def test_a_byte_order_mark_and_a_windows_line_end_do_no_harm() -> None:
    assert parse_object(b'\xef\xbb\xbf{"a": "\xc3\xa7"}\r') == {"a": "\u00e7"}


def test_values_in_complaints_stay_short_and_on_one_line() -> None:
    for value in ("x" * 1000, "a\nb\ud800", 10**4500, [1] * 1000, {"a": 1}, None, 1e300):
        assert len(shown(value)) <= 40 and shown(value).isprintable()


def test_an_answer_does_not_wait_for_the_end_of_the_input() -> None:
    with subprocess.Popen(
        [*MAIN, "score", "confetti", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for _ in range(2):
            child.stdin.write(FULL.encode() + b"}\n")
            child.stdin.flush()
            assert json.loads(child.stdout.readline())["points"] == 3
        child.stdin.close()
        assert child.wait() == 0


def test_coloretto_gives_the_sheets_example() -> None:
    hand = '{"colours": {"green": 6, "yellow": 4, "red": 3, "blue": 2}, "jokers": 1, "plus2": 1, "table": "brown"}\n'
    done = score("coloretto", "--json", hands=hand)
    SCHEMAS["score-coloretto"].validate_json(done.stdout)
    plus_and_minus = {"plus": ["green", "yellow", "red"], "minus": ["blue"]}
    assert json.loads(done.stdout) == {"points": 41, "jokers": ["yellow"], **plus_and_minus}
    said = score("coloretto", hands=hand + '{"colours": {}}\n').stdout
    assert said.splitlines() == [
        "Green, yellow and red count plus, blue counts minus, the joker is yellow: 41 points",
        "No cards: no points",
    ]
    done = score("coloretto", "--json", hands='{"colours": {"green": -1}}\n{"colours": {"green": 1}}\n')
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == 'ringmaster score: line 1: "green" must be at least 0\n'


@pytest.mark.parametrize(
    "args",
    [("poker",), ("confetti", "--limit", "-1"), ("confetti", "--limit", "x"), ("confetti", "--deck", "nope"), ()],
)
def test_usage_that_makes_no_sense_is_one_line_and_status_two(args: tuple[str, ...]) -> None:
    done = score(*args, hands="")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
