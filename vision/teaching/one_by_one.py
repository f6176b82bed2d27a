"""A lesson that goes on picture by picture: what one picture adds to it, and the deck that all of them make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.image import Picture
from vision.teaching.faces import FaceGroup, Sighting, grouped
from vision.teaching.lesson import DIFFERENT, TeachingPicture, only_those, straight_cards
from vision.teaching.lesson_cards import CardSize, LaidCards, agreed_size, fits, lay_out
from vision.teaching.names import CardName
from vision.teaching.same_print import best_turn, difference, laid_on, small
from vision.teaching.straighten import turns_of
from vision.teaching.taught_prints import Lesson, taught

Image = NDArray[np.uint8]
Singles = NDArray[np.float32]
Place = tuple[int, int]
"""A card in a lesson: the number of its picture, and its number there."""


@dataclass(frozen=True, eq=False)
class StudiedPicture:
    """Contribution of one picture to a lesson.

    `size` is None where it shows no card; `cards` are those of `look` put straight, (h, w, 3) uint8 BGR under white
    light; `groups` says which of the known faces each shows, numbers from their count on being new ones.
    """

    look: LaidCards
    size: CardSize | None
    cards: tuple[Image, ...]
    groups: tuple[int, ...]


def study(picture: Picture, known: Sequence[Image], size: CardSize | None = None) -> StudiedPicture:
    """Find the cards of a picture; `known` are faces put straight, `size` what the cards measured so far."""
    look = lay_out(picture.image, size)
    size = size or agreed_size([look], None)
    if size is None:
        return StudiedPicture(look, None, (), ())
    look = _in_rows(only_those(look, fits(look, size)))
    cards = straight_cards(picture, look, size)
    return StudiedPicture(look, size, tuple(_levels(card) for card in cards), tuple(_sorted_to(known, cards, size)))


def _in_rows(look: LaidCards) -> LaidCards:
    """The cards in the order in which people read a page."""
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
    """Return whether two cards may show one face, as somebody says: they do not differ altogether."""
    first, second = _singles(one), _singles(other)
    turn = best_turn(small(first), small(second), turns_of(size.mm))[1]
    return difference(first, laid_on(first, second, turn)) <= DIFFERENT


def in_two(cards: Sequence[Image], size: CardSize) -> list[bool]:
    """Return which of some cards are rather like the one that differs most from the first than like that."""
    first = _singles(cards[0])
    turns = turns_of(size.mm)
    sheets = [laid_on(first, card, best_turn(small(first), small(card), turns)[1]) for card in map(_singles, cards)]
    off = [difference(sheets[0], sheet) for sheet in sheets]
    other = sheets[int(np.argmax(off))]
    return [difference(other, sheet) < by for sheet, by in zip(sheets, off, strict=True)]


def learn_groups(
    name: str,
    pictures: Sequence[TeachingPicture],
    laid: Sequence[LaidCards],
    size: CardSize,
    groups: Sequence[tuple[Sequence[Place], CardName | None]],
    game: str | None = None,
) -> Lesson:
    """Learn a deck of prints from cards that were found and put into groups, each with its name.

    Raises:
        BadImageError: a picture cannot be read.
    """
    turns = turns_of(size.mm)
    cards: dict[Place, Singles] = {}
    filed = []
    for k, (picture, look) in enumerate(zip(pictures, laid, strict=True)):
        loaded = picture.load()
        filed.append(look.in_file(loaded))
        cards |= {(k, place): card for place, card in enumerate(straight_cards(loaded, look, size))}
    named: list[tuple[FaceGroup, CardName | None]] = []
    for places, entry in groups:
        first, *others = [Sighting(k, place, cards[k, place]) for k, place in places]
        group = FaceGroup.of(first)
        for sighting in others:
            group.take(FaceGroup.of(sighting), turns)
        named.append((group, entry))
    return taught(name, [picture.name for picture in pictures], filed, size, game, named, turns)


def _singles(card: Image) -> Singles:
    return np.asarray(card, np.float32) / np.float32(255)


def _levels(card: Singles) -> Image:
    return np.asarray(np.clip(np.rint(card * 255), 0, 255), np.uint8)
