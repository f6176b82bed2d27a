"""A deck of which half was taught: what nobody taught is never called by a name of the other half."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.support.flat_piles import Image, bare, card_corners, lay, photographed, piccolino
from tests.support.two_paints import CAMERA
from vision.prints.print_deck import PrintDeck
from vision.prints.reader import PrintReader


def _of_one_mood(mood: str) -> PrintDeck:
    """Our clowns that are happy, or sad, of which nobody said how many there are."""
    ours = piccolino()
    faces = (face for face in ours.faces if face.side == "back" or face.attributes["mood"] == mood)
    return replace(ours, name=mood, faces=tuple(replace(face, count=None) for face in faces))


@cache
def _reader(mood: str) -> PrintReader:
    return PrintReader(_of_one_mood(mood))


def _photograph(face: str) -> Image:
    image = bare(np.random.default_rng(1), CAMERA, 0)
    lay(image, piccolino().by_id[face].art, CAMERA.to_px(card_corners((0.0, 40.0, 12.0), 1.0)))
    return photographed(np.random.default_rng(3), image, 0.2)


@pytest.mark.parametrize(("colour", "taught", "untaught"), [("green", "happy", "sad"), ("black", "sad", "happy")])
def test_a_clown_of_the_other_mood_is_not_told_as_the_one_of_its_colour(
    colour: str, taught: str, untaught: str
) -> None:
    reader = _reader(taught)
    told = reader.read(_photograph(f"{colour}-{taught}"), CAMERA.table).cards
    assert [card.face and card.face.id for card in told] == [f"{colour}-{taught}"]
    assert not reader.read(_photograph(f"{colour}-{untaught}"), CAMERA.table).cards


def test_clowns_of_one_mood_are_half_a_deck_and_both_may_lack_a_colour() -> None:
    both = replace(piccolino(), faces=_of_one_mood("happy").faces + _of_one_mood("sad").fronts)
    assert not _of_one_mood("happy").is_complete
    assert both.is_complete and not both.is_counted
    assert piccolino().is_counted
