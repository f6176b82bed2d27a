"""A lesson: pictures of cards that do not touch give a deck of prints, at once or picture by picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import Flags, Image, Singles
from vision.errors import BadLessonError
from vision.image import Picture
from vision.teaching.faces import FaceGroup, Sighting, aligned, difference, grouped, turns_of
from vision.teaching.lesson_cards import CardSize, LaidCards, TeachingPicture, agreed_size, fits, lay_out
from vision.teaching.names import CardName, check_images, named_cards
from vision.teaching.straight_cards import straight_cards
from vision.teaching.taught_prints import Lesson, Named, taught

Place = tuple[int, int]
"""A card in a lesson: the number of its picture, and its number in it."""

MOST_PICTURES, MOST_CARDS = 300, 2000
DIFFERENT = 0.45  # difference of two faces, whatever their names


def laid_out(
    pictures: Sequence[TeachingPicture], card_mm: tuple[float, float] | None
) -> tuple[list[LaidCards], CardSize]:
    """Return the cards of all pictures, and their common size.

    Raises:
        BadLessonError: no picture shows a card that touches no other.
        BadImageError: a picture cannot be read.
    """
    if len(pictures) > MOST_PICTURES:
        raise BadLessonError(
            "error.lesson.pictures_are_more_than_deck",
            "{number} pictures are more than a deck needs: at most {most} are taken",
            number=len(pictures),
            most=MOST_PICTURES,
        )
    if pictures[1:]:
        nothing = BadLessonError(
            "error.no_cards_that_lie_apart_are_in",
            "no cards that lie apart are in {picture} nor in the others",
            picture=pictures[0].name,
        )
    else:
        nothing = BadLessonError(
            "error.no_cards_that_lie_apart", "no cards that lie apart are in {picture}", picture=pictures[0].name
        )
    # People measure to 1 or 2 mm: their size gives the shape, and pictures give the rest.
    given = None if card_mm is None else CardSize((min(card_mm), max(card_mm)), False)
    laid = [lay_out(picture.load().image, given) for picture in pictures]
    size = agreed_size(laid, card_mm)
    if size is None:
        raise nothing
    right = [fits(look, size) for look in laid]
    for k, picture in enumerate(pictures):
        if not (len(right[k]) and right[k].all()):
            again = lay_out(picture.load().image, size)
            if fits(again, size).sum() > right[k].sum():
                laid[k], right[k] = again, fits(again, size)
    if not any(one.any() for one in right):
        raise nothing
    return [only_those(look, one) for look, one in zip(laid, right, strict=True)], size


def learn_prints(
    name: str,
    pictures: Sequence[TeachingPicture],
    laid: Sequence[LaidCards],
    size: CardSize,
    names: Sequence[CardName] = (),
    game: str | None = None,
) -> Lesson:
    """Return the deck of prints that found cards give.

    Raises:
        BadLessonError: a name points beside every card, one card has two names, or one name has two different cards.
        BadImageError: a picture cannot be read.
    """
    cards, filed = sighted(pictures, laid, size)
    said = said_of(names, pictures, filed)
    places: dict[str, list[Place]] = {}
    for place, entry in said.items():
        places.setdefault(entry.face, []).append(place)
    turns = turns_of(size.mm)
    groups: Named = [(_joined([cards[place] for place in own], turns), said[own[0]]) for own in places.values()]
    for group, name_of_group in groups:
        odd = next((other for other, off in zip(group.sightings[1:], group.off, strict=True) if off > DIFFERENT), None)
        if odd is not None:
            raise BadLessonError(
                "error.two_cards_that_look_different",
                "two cards that look different are called {name}, in {one} and in {other}",
                name="" if name_of_group is None else name_of_group.face,
                one=pictures[group.sightings[0].picture].name,
                other=pictures[odd.picture].name,
            )
    unnamed = [sighting for place, sighting in cards.items() if place not in said]
    found = grouped(unnamed, turns, [group for group, _ in groups], skip_doubtful=True)
    groups += [(group, None) for group in found[len(groups) :]]
    return taught(name, [picture.name for picture in pictures], filed, size, game, groups)


def learn_groups(
    name: str,
    pictures: Sequence[TeachingPicture],
    laid: Sequence[LaidCards],
    size: CardSize,
    groups: Sequence[tuple[Sequence[Place], CardName | None]],
    game: str | None = None,
) -> Lesson:
    """Return the deck of prints that grouped cards give, each group with its name.

    Raises:
        BadImageError: a picture cannot be read.
    """
    cards, filed = sighted(pictures, laid, size)
    turns = turns_of(size.mm)
    named: Named = [(_joined([cards[place] for place in places], turns), entry) for places, entry in groups]
    return taught(name, [picture.name for picture in pictures], filed, size, game, named)


def sighted(
    pictures: Sequence[TeachingPicture], laid: Sequence[LaidCards], size: CardSize
) -> tuple[Mapping[Place, Sighting], list[LaidCards]]:
    """Return the rectified cards of all pictures, and the outlines in the pixels of the files."""
    cards: dict[Place, Sighting] = {}
    filed = []
    for k, (picture, look) in enumerate(zip(pictures, laid, strict=True)):
        loaded = picture.load()
        filed.append(look.in_file(loaded))
        for place, card in enumerate(straight_cards(loaded, look, size)):
            cards[k, place] = Sighting(k, place, card)
        if len(cards) > MOST_CARDS:
            raise BadLessonError(
                "error.lesson.more_than_cards_are_more",
                "more than {most} cards are more than any deck needs",
                most=MOST_CARDS,
            )
    return cards, filed


def said_of(
    names: Sequence[CardName], pictures: Sequence[TeachingPicture], filed: Sequence[LaidCards]
) -> dict[Place, CardName]:
    """Return the names by the cards to which they point.

    Raises:
        BadLessonError: a name points beside every card or to an unknown picture, or a card has two names.
    """
    check_images(names, [picture.name for picture in pictures])
    return {
        (k, place): entry
        for k, look in enumerate(filed)
        for place, entry in named_cards(names, pictures[k].name, look.quads_px).items()
    }


def _joined(sightings: Sequence[Sighting], turns: tuple[int, ...]) -> FaceGroup:
    group = FaceGroup.of(sightings[0])
    group.take(sightings[1:], turns)
    return group


def only_those(look: LaidCards, right: Flags) -> LaidCards:
    """Return a picture's cards, with those that are not right (n,) as unclear because of their size."""
    odd = tuple((quad, "another size") for quad in look.quads_px[~right])
    return replace(look, quads_px=look.quads_px[right], unclear=look.unclear + odd, size_mm=look.size_mm[right])


@dataclass(frozen=True, eq=False)
class StudiedPicture:
    """Contribution of one picture to a lesson.

    `size` is None without a card. `cards` are those of `look`, rectified, (h, w, 3) uint8 BGR under white light.
    `groups` holds each card's face: a known one by its number, new ones with the numbers after those.
    """

    look: LaidCards
    size: CardSize | None
    cards: tuple[Image, ...]
    groups: tuple[int, ...]


def study(picture: Picture, known: Sequence[Image], size: CardSize | None = None) -> StudiedPicture:
    """Return a picture's contribution; `known` are rectified faces, `size` is the cards' size so far."""
    look = lay_out(picture.image, size)
    size = size or agreed_size([look], None)
    if size is None:
        return StudiedPicture(look, None, (), ())
    look = _in_rows(only_those(look, fits(look, size)))
    cards = straight_cards(picture, look, size)
    return StudiedPicture(look, size, tuple(_levels(card) for card in cards), tuple(_sorted_to(known, cards, size)))


def _in_rows(look: LaidCards) -> LaidCards:
    """Return the cards in reading order."""
    if not len(look.quads_px):
        return look
    middles = look.quads_px.mean(axis=1)
    height = float(np.ptp(look.quads_px[:, :, 1], axis=1).mean())
    rows = np.zeros(len(middles), np.intp)
    by_height = np.argsort(middles[:, 1])
    rows[by_height[1:]] = np.cumsum(np.diff(middles[by_height, 1]) > height / 3)
    order = np.lexsort((middles[:, 0], rows))
    return replace(look, quads_px=look.quads_px[order], size_mm=look.size_mm[order])


def _sorted_to(known: Sequence[Image], cards: Sequence[Singles], size: CardSize) -> list[int]:
    before = [FaceGroup.of(Sighting(-1, k, _singles(face))) for k, face in enumerate(known)]
    sightings = [Sighting(0, place, card) for place, card in enumerate(cards)]
    of = {
        sighting.place: number
        for number, group in enumerate(grouped(sightings, turns_of(size.mm), before))
        for sighting in group.sightings
        if sighting.picture == 0
    }
    return [of[place] for place in range(len(cards))]


def could_be_one(one: Image, other: Image, size: CardSize) -> bool:
    """Return whether two cards may show one face, as a person says."""
    first = _singles(one)
    return difference(first, aligned(first, _singles(other), turns_of(size.mm))) <= DIFFERENT


def in_two(cards: Sequence[Image], size: CardSize) -> list[bool]:
    """Return for each card whether it resembles the one most different from the first more than the first."""
    first, turns = _singles(cards[0]), turns_of(size.mm)
    sheets = [aligned(first, _singles(card), turns) for card in cards]
    off = [difference(sheets[0], sheet) for sheet in sheets]
    other = sheets[int(np.argmax(off))]
    return [difference(other, sheet) < by for sheet, by in zip(sheets, off, strict=True)]


def _singles(card: Image) -> Singles:
    return np.asarray(card, np.float32) / np.float32(255)


def _levels(card: Singles) -> Image:
    return np.asarray(np.clip(np.rint(card * 255), 0, 255), np.uint8)
