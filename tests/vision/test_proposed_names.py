"""Names that cards are proposed by their look: clowns by their paint and how often they come, never on a guess."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from tests.support.drawn_clowns import INKS, clown
from vision.deck import Face
from vision.teaching.proposed_names import proposed


def faces(seen: tuple[int, int], said: Mapping[int, Mapping[str, str]] | None = None) -> list[Face]:
    told = said or {}
    order = [(colour, hat) for colour in INKS for hat in (True, False)]
    return [
        Face("", "front", told.get(k, {}), clown(colour, happy=hat), seen[0 if hat else 1])
        for k, (colour, hat) in enumerate(order)
    ]


def meanings(found: list[Face], game: str = "piccolino") -> list[tuple[str | None, str | None]]:
    given = proposed(game, found)
    return [(proposal.attributes.get("colour"), proposal.attributes.get("mood")) for proposal in given]


TRUE = [(colour, mood) for colour in INKS for mood in ("happy", "sad")]


def test_the_rarer_of_two_clowns_of_one_colour_is_the_sad_one() -> None:
    given = proposed("piccolino", faces((6, 1)))
    found = [(p.attributes["colour"], p.attributes["mood"], p.is_certain) for p in given]
    assert found == [(*true, True) for true in TRUE]


def test_where_no_clown_is_rarer_the_mood_is_left_open_until_one_is_known() -> None:
    assert meanings(faces((2, 2))) == [(colour, None) for colour, _ in TRUE]
    assert meanings(faces((2, 2), {3: {"colour": "blue", "mood": "sad"}})) == TRUE


def test_three_clowns_of_one_colour_are_no_couple() -> None:
    found = [*faces((6, 1)), Face("", "front", {}, clown("red", happy=True), 2)]
    assert meanings(found)[0] == ("red", None)
    assert not proposed("piccolino", found)[0].is_certain


def test_of_coloretto_only_what_is_plain_is_proposed() -> None:
    full = {name: np.full((180, 120, 3), ink, np.uint8) for name, ink in INKS.items()}
    rainbow = np.vstack(
        [np.full((30, 120, 3), ink, np.uint8) for ink in (*INKS.values(), (150, 40, 130), (30, 110, 230))]
    )
    row = full["green"].copy()
    cv2.rectangle(row, (30, 20), (90, 60), (240, 250, 250), -1)
    found = [Face("", "front", {}, art, 1 if art is row else 3) for art in (*full.values(), rainbow, row)]
    given = [dict(proposal.attributes) for proposal in proposed("coloretto", found)]
    assert given == [*({"kind": "colour", "colour": name} for name in INKS), {"kind": "joker"}, {}]


def test_other_games_are_proposed_nothing() -> None:
    assert all(not proposal.attributes for proposal in proposed(None, faces((6, 1))))
