"""A lesson: pictures of cards that do not touch give a deck, at once or picture by picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.arrays import Image, Singles
from vision.errors import BadLessonError
from vision.teaching.card_marks import deck_of_marks, shows_marks
from vision.teaching.faces import FaceGroup, Sighting, aligned, difference, grouped, joined, singles, turns_of
from vision.teaching.lesson_cards import CardSize, LaidCards, TeachingPicture
from vision.teaching.names import CardName, named_cards
from vision.teaching.straight_cards import straight_cards
from vision.teaching.taught_prints import Lesson, Pictures, deck_of_prints, learned

Place = tuple[int, int]
"""A card in a lesson: the number of its picture, and its number in it."""

MOST_CARDS = 2000
DIFFERENT = 0.45  # difference of two faces, whatever their names


def learn(
    name: str,
    pictures: Sequence[TeachingPicture],
    laid: Sequence[LaidCards],
    size: CardSize,
    names: Sequence[CardName] = (),
    game: str | None = None,
    *,
    may_show_marks: bool = False,
) -> Lesson:
    """Return the deck that found cards give: one of marks if these are expected and most faces show them, or of prints.

    Raises:
        BadLessonError: a name points beside every card, one card has two names, or one name has two different cards.
        BadImageError: a picture cannot be read.
    """
    cards, found = _sighted(pictures, laid, size)
    said = {
        (k, place): entry
        for k, (picture, read) in enumerate(found)
        for place, entry in named_cards(names, picture, read.cards).items()
    }
    places: dict[str, list[Place]] = {}
    for place, name_of in said.items():
        places.setdefault(name_of.face, []).append(place)
    turns = turns_of(size.mm)
    groups = [joined([cards[place] for place in own], turns, said[own[0]]) for own in places.values()]
    for group in groups:
        odd = next((other for other, off in zip(group.sightings[1:], group.off, strict=True) if off > DIFFERENT), None)
        if odd is not None:
            raise BadLessonError(
                "error.two_cards_that_look_different",
                "two cards that look different are called {name}, in {one} and in {other}",
                name="" if group.name is None else group.name.face,
                one=pictures[group.sightings[0].picture].name,
                other=pictures[odd.picture].name,
            )
    unnamed = [sighting for place, sighting in cards.items() if place not in said]
    groups = grouped(unnamed, turns, groups, skip_doubtful=True)
    marks = may_show_marks and shows_marks(group.picture() for group in groups)
    return taught(name, found, size, groups, game, marks=marks)


def taught(
    name: str, found: Pictures, size: CardSize, groups: Sequence[FaceGroup], game: str | None, *, marks: bool
) -> Lesson:
    """Return the deck, of marks or of prints, that groups of the cards found in pictures give.

    Raises:
        BadLessonError: a deck of marks cannot be made.
    """
    groups = sorted(groups, key=lambda group: group.first_at)
    if marks:
        deck, groups = deck_of_marks(name, size, groups)
        return Lesson(deck, learned(found, groups, deck.faces, "no three discs"))
    deck, nearest = deck_of_prints(name, size, game, groups)
    return Lesson(deck, learned(found, groups, deck.faces, "which of two"), tuple(nearest))


def _sighted(
    pictures: Sequence[TeachingPicture], laid: Sequence[LaidCards], size: CardSize
) -> tuple[dict[Place, Sighting], Pictures]:
    """Return the rectified cards of all pictures, and their outlines in the pixels of the files."""
    cards: dict[Place, Sighting] = {}
    found = []
    for k, (picture, look) in enumerate(zip(pictures, laid, strict=True)):
        loaded = picture.load()
        found.append((picture.name, look.in_file(loaded)))
        for place, card in enumerate(straight_cards(loaded.image, look.quads_px, size, look.markers)):
            cards[k, place] = Sighting(k, place, card)
        if len(cards) > MOST_CARDS:
            raise BadLessonError(
                "error.lesson.more_than_cards_are_more",
                "more than {most} cards are more than any deck needs",
                most=MOST_CARDS,
            )
    return cards, tuple(found)


def in_rows(look: LaidCards) -> LaidCards:
    """Return the cards in reading order."""
    if not len(look.quads_px):
        return look
    middles = look.quads_px.mean(axis=1)
    height = float(np.ptp(look.quads_px[:, :, 1], axis=1).mean())
    rows = np.zeros(len(middles), np.intp)
    by_height = np.argsort(middles[:, 1])
    rows[by_height[1:]] = np.cumsum(np.diff(middles[by_height, 1]) > height / 3)
    return replace(look, quads_px=look.quads_px[np.lexsort((middles[:, 0], rows))])


def sorted_to(known: Sequence[Image], cards: Sequence[Singles], size: CardSize) -> list[int]:
    """Return the face of each rectified card: the number of a known one, or of a new one after those."""
    turns = turns_of(size.mm)
    before = [joined([Sighting(-1, k, singles(face))], turns) for k, face in enumerate(known)]
    groups = grouped([Sighting(0, place, card) for place, card in enumerate(cards)], turns, before)
    of = {s.place: number for number, group in enumerate(groups) for s in group.sightings if s.picture == 0}
    return [of[place] for place in range(len(cards))]


def could_be_one(one: Image, other: Image, size: CardSize) -> bool:
    """Return whether two cards may show one face, as a person says."""
    first = singles(one)
    return difference(first, aligned(first, singles(other), turns_of(size.mm))) <= DIFFERENT


def in_two(cards: Sequence[Image], size: CardSize) -> list[bool]:
    """Return for each card whether it resembles the one most different from the first more than the first."""
    first, turns = singles(cards[0]), turns_of(size.mm)
    sheets = [aligned(first, singles(card), turns) for card in cards]
    off = [difference(sheets[0], sheet) for sheet in sheets]
    other = sheets[int(np.argmax(off))]
    return [difference(other, sheet) < by for sheet, by in zip(sheets, off, strict=True)]
