"""What `teach` says of a lesson: names where all is plain, and how surely faces are told apart before it is ready."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from referee.decks.look_names import named_by_look
from referee.decks.teach import told_of
from tests.support.drawn_clowns import CARD_MM, INKS, clown
from vision.prints.print_deck import Print, PrintDeck
from vision.teaching.taught_prints import LearnedCard, LearnedPicture, Lesson, Margins

TRUE = [(colour, mood) for colour in INKS for mood in ("happy", "sad")]


def lesson(seen: tuple[int, int], said: Mapping[int, Mapping[str, str]] | None = None) -> Lesson:
    """A lesson on drawn clowns, happy and sad ones seen so often."""
    faces = tuple(
        Print(f"face-{k + 1:02}", "front", (said or {}).get(k, {}), clown(colour, happy=mood == "happy"))
        for k, (colour, mood) in enumerate(TRUE)
    )
    quad = clown("red", happy=True)[:4, :2, 0].astype(float)
    picture = LearnedPicture("a.jpg", tuple(LearnedCard(face.id, True, quad) for face in faces), ())
    deck = PrintDeck("ours", CARD_MM, faces, game="piccolino", alike=(("face-01", "face-02"),))
    counts = {face.id: seen[k % 2] for k, face in enumerate(faces)}
    return Lesson(deck, (picture,), counts, (("face-01", "face-02", 0.3),), None)


def test_a_lesson_in_which_all_clowns_are_plain_needs_no_names() -> None:
    named = named_by_look(lesson((6, 1)))
    assert isinstance(named.deck, PrintDeck)
    assert [(face.id, dict(face.attributes)) for face in named.deck.faces] == [
        (f"{colour}-{mood}", {"colour": colour, "mood": mood}) for colour, mood in TRUE
    ]
    assert [card.face for card in named.pictures[0].cards] == [f"{colour}-{mood}" for colour, mood in TRUE]
    assert named.seen["red-happy"] == 6
    assert named.deck.alike == (("red-happy", "red-sad"),)


def test_what_people_said_stands_and_where_one_is_open_none_is_named() -> None:
    said = {0: {"colour": "scarlet", "mood": "happy"}, 1: {"colour": "scarlet", "mood": "sad"}}
    named = named_by_look(lesson((6, 1), said)).deck
    assert isinstance(named, PrintDeck)
    assert dict(named.by_id["face-01"].attributes) == said[0]
    assert "blue-sad" in named.by_id
    unnamed = named_by_look(lesson((2, 2))).deck
    assert {face.id for face in unnamed.faces} == {f"face-{k + 1:02}" for k in range(8)}


@pytest.mark.parametrize(
    ("margins", "words"),
    [
        (Margins(8, 8, ("face-01", "face-02", 60.0), ()), "ready; least sure to be told apart is face-01 from face-02"),
        (Margins(8, 7, ("face-01", "face-02", 12.0), ()), "not ready: of 8 cards that look most like others 1 could"),
    ],
)
def test_a_deck_is_called_ready_only_when_its_own_cards_are_told_apart(margins: Margins, words: str) -> None:
    plain = lesson((6, 1))
    assert isinstance(plain.deck, PrintDeck)
    measured = replace(plain, deck=replace(plain.deck, alike=()), margins=margins)
    assert told_of(measured)[-1].startswith(words)
    assert not any("look alike" in line for line in told_of(measured))
    assert any("face-01 and face-02 look alike" in line for line in told_of(replace(plain, margins=margins)))
