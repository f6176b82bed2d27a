"""A sentence that is spoken has at most twelve words, in every language, with names and numbers of one word."""

from __future__ import annotations

import re

import pytest

from referee.language import LANGUAGES, catalogue

MOST = 12
GAMES = ("confetti.", "piccolino.", "coloretto.")
SPOKEN = (*GAMES, "announcer.", "service.", "sandtimer.", "guard.begun.", "guard.ended.")
READ = {  # stand on the page or in a terminal only
    "service.code_is_type_it_on",
    "service.disk_takes_nothing_whatever_you",
    "service.file_could_not_be_read",
    "service.rung_on_phone_ms_were",
    "service.this_version_cannot_use_some",
}
TYPICAL = {"cards": "two cards", "points": "two points", "what": "Cards were put away", "why": "time was up"}


def words_of(sentence: str) -> int:
    return sum(bool(re.search(r"\w", word)) for word in re.split(r"[\s–]+", sentence))


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_spoken_sentence_has_at_most_twelve_words(code: str) -> None:
    long = []
    for key, text in catalogue(code).items():
        if not key.startswith(SPOKEN) or key in READ or key.startswith("service.set_aside."):
            continue
        for form in (text,) if isinstance(text, str) else text.values():
            whole = re.sub(r"\{(\w+)\}", lambda place: TYPICAL.get(place[1], "Ann"), form)
            long += [(key, one) for one in re.split(r"(?<=[.!?])\s+", whole) if words_of(one) > MOST]
    assert long == []
