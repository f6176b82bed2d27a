"""Players' names: what is taken, what is refused and with which offer, and what is made of names kept long ago."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import BadInputError
from referee.names import MOST_CHARACTERS, distinct_names, folded, players_in

AWKWARD = st.text(st.sampled_from("aA Ａ\u00e4\u200b\u202e\u2067\ufeff\u3164\u0301\u200d2\n\ud800שר🧑"), max_size=60)


@pytest.mark.parametrize(
    ("given_names", "names"),
    [
        (["Ann", " Ben "], ("Ann", "Ben")),
        (["Anna  Maria", "Zoe\u0308"], ("Anna Maria", "Zo\u00eb")),
        (["שרה", "علی\u200cرضا"], ("שרה", "علی\u200cرضا")),
        (["Ben\u200b", "\u200fשרה"], ("Ben", "שרה")),
        (["👩\u200d👧", "👩"], ("👩\u200d👧", "👩")),
        (["Ann", "Ann 2"], ("Ann", "Ann 2")),
    ],
)
def test_names_are_taken_as_people_see_them(given_names: list[str], names: tuple[str, ...]) -> None:
    assert players_in(given_names) == names


@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        (["Ann", "Ben", "Ann "], "Two players are called Ann: call one of them Ann 2."),
        (["Ann", "ANN"], "call one of them ANN 2"),
        (["Ann", "Ａｎｎ", "Ann 2"], "call one of them Ａｎｎ 3"),
        (["Ann", "A\u200bnn"], "call one of them Ann 2"),
        (["Straße", "STRASSE"], "call one of them"),
        (["Ann", "\u200b"], "The name of player 2 has no letter that can be seen"),
        (["\u3164"], "no letter that can be seen"),
        (["Ann", " "], "no letter that can be seen"),
        (["\u202eneB"], "turn its letters about"),
        (["\u2067Ali\u2069"], "turn its letters about"),
        (["A" * (MOST_CHARACTERS + 1)], "is too long"),
        (["Ann", 7], "must be a list of names"),
        ("Ann", "must be a list of names"),
        (["A\x1bnn"], "on one line"),
    ],
)
def test_names_that_cannot_be_seen_read_or_told_apart_are_refused(names: object, complaint: str) -> None:
    with pytest.raises(BadInputError, match=complaint.replace("(", r"\(")):
        players_in(names)


@given(st.lists(AWKWARD, min_size=1, max_size=7))
def test_whatever_names_were_kept_each_is_shown_and_no_other_like_it(names: list[str]) -> None:
    shown = distinct_names(names)
    assert len({folded(name) for name in shown}) == len(names)
    for name in shown:
        assert name == name.strip() and 0 < len(name) <= MOST_CHARACTERS + 4
        assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in name) and "\u202e" not in name
    assert distinct_names(shown) == shown
