"""A lesson: pictures of cards that are apart go in, a deck of prints comes out, and what was seen on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.errors import BadLessonError
from vision.image import Picture
from vision.read.print_deck import ART_PX_PER_MM
from vision.teaching.faces import FaceGroup, Sighting, grouped
from vision.teaching.lesson_cards import CardSize, LaidCards, agreed_size, fits, lay_out
from vision.teaching.level_ground import level
from vision.teaching.names import CardName, check_images, named_cards
from vision.teaching.same_print import best_turn, difference, laid_on, small
from vision.teaching.straighten import points_on, straight, turns_of
from vision.teaching.taught_prints import Lesson, Named, taught
from vision.teaching.white_paper import paper_of_cards, paper_of_markers, under_white

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

MOST_PICTURES, MOST_CARDS = 300, 2000
DIFFERENT = 0.45  # two sightings that differ by so much are of no one face, whoever calls them so


@dataclass(frozen=True)
class TeachingPicture:
    """A picture of the lesson; `load` gives it each time again, so that no lesson holds all of them."""

    name: str
    load: Callable[[], Picture]


def laid_out(
    pictures: Sequence[TeachingPicture], card_mm: tuple[float, float] | None
) -> tuple[list[LaidCards], CardSize]:
    """Find the cards of all pictures, and the size that they agree on.

    Raises:
        BadLessonError: no picture shows a card that is apart.
        BadImageError: one cannot be read.
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
    # People measure to a millimetre or two: their size gives the shape, and pictures the rest.
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
    """Learn a deck of prints from cards that were found.

    Raises:
        BadLessonError: a name points beside every card, or two cards that differ have one name, or a card has two.
        BadImageError: a picture cannot be read.
    """
    turns = turns_of(size.mm)
    sightings: list[Sighting] = []
    said: dict[tuple[int, int], CardName] = {}
    filed: list[LaidCards] = []
    check_images(names, [picture.name for picture in pictures])
    for k, (picture, look) in enumerate(zip(pictures, laid, strict=True)):
        loaded = picture.load()
        cards = straight_cards(loaded, look, size)
        filed.append(look.in_file(loaded))
        said |= {(k, place): entry for place, entry in named_cards(names, picture.name, filed[-1].quads_px).items()}
        sightings += [Sighting(k, place, card) for place, card in enumerate(cards)]
        if len(sightings) > MOST_CARDS:
            raise BadLessonError(
                "error.lesson.more_than_cards_are_more",
                "more than {most} cards are more than any deck needs",
                most=MOST_CARDS,
            )
    groups = _named(grouped(_named_first(sightings, said), turns), said, turns, pictures)
    return taught(name, [picture.name for picture in pictures], filed, size, game, groups, turns)


def only_those(look: LaidCards, right: NDArray[np.bool_]) -> LaidCards:
    """A picture's cards without those that are not right (n,), which are unclear then: of another size."""
    odd = tuple((quad, "another size") for quad in look.quads_px[~right])
    return replace(look, quads_px=look.quads_px[right], unclear=look.unclear + odd, size_mm=look.size_mm[right])


def straight_cards(
    picture: Picture, look: LaidCards, size: CardSize, px_per_mm: float = ART_PX_PER_MM
) -> list[Singles]:
    """The cards of one picture put straight, (h, w, 3) levels 0 to 1, as they would be under white light."""
    if not len(look.quads_px):
        return []
    wh = (round(size.mm[0] * px_per_mm), round(size.mm[1] * px_per_mm))
    cards = [straight(picture.image, quad, wh) for quad in look.quads_px]
    shown = paper_of_markers(picture.image, look.markers)
    paper = shown or paper_of_cards(picture.size_px, cards)
    white = [under_white(card, paper.at(points_on(quad, wh))) for card, quad in zip(cards, look.quads_px, strict=True)]
    return [level(card, known_white=shown is not None) for card in white]


def _named_first(sightings: Sequence[Sighting], said: Mapping[tuple[int, int], CardName]) -> list[Sighting]:
    """Cards with names before others: what has a name is what others are held against."""
    return sorted(sightings, key=lambda sighting: (sighting.picture, sighting.place) not in said)


def _named(
    groups: list[FaceGroup],
    said: Mapping[tuple[int, int], CardName],
    turns: tuple[int, ...],
    pictures: Sequence[TeachingPicture],
) -> Named:
    """Groups by the names that people gave: one name is one face, and two names are two, however alike they look."""
    faces: Named = []
    by_name: dict[str, FaceGroup] = {}
    for group in groups:
        names = [said.get((sighting.picture, sighting.place)) for sighting in group.sightings]
        for part, name in _split(group, names):
            if name is None or name.face not in by_name:
                faces.append((part, name))
                if name is not None:
                    by_name[name.face] = part
                continue
            other = by_name[name.face]
            turn = best_turn(small(other.first), small(part.first), turns)[1]
            if difference(other.first, laid_on(other.first, part.first, turn)) > DIFFERENT:
                one, two = (pictures[g.sightings[0].picture].name for g in (other, part))
                raise BadLessonError(
                    "error.two_cards_that_look_different",
                    "two cards that look different are called {name}, in {one} and in {other}",
                    name=name.face,
                    one=one,
                    other=two,
                )
            other.take(part, turns)
    return faces


def _split(group: FaceGroup, names: Sequence[CardName | None]) -> list[tuple[FaceGroup, CardName | None]]:
    told = list(dict.fromkeys(name.face for name in names if name is not None))
    if len(told) < 2:
        return [(group, next((name for name in names if name is not None), None))]
    parts = []
    for face in told:
        own = [k for k, name in enumerate(names) if name is not None and name.face == face]
        part = FaceGroup.of(group.sightings[own[0]])
        for k in own[1:]:
            part.add(group.sightings[k], group.turns[k], group.sightings[k].card, 0.0)
        parts.append((part, names[own[0]]))
    # Who of those without a name is which nobody can say.
    return parts
