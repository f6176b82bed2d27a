"""A lesson: pictures of cards that lie apart go in, a deck of prints comes out, and what was seen on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck
from vision.errors import BadLessonError
from vision.image import Picture
from vision.prints.print_deck import ART_PX_PER_MM, Print, PrintDeck
from vision.teaching.faces import SAME, FaceGroup, Sighting, grouped
from vision.teaching.lay_apart import TOUCHED, CardSize, LaidCards, agreed_shape, agreed_size, fits, lay_out
from vision.teaching.level_ground import level
from vision.teaching.names import BACK, CardName, check_images, named_cards
from vision.teaching.same_print import best_turn, difference, laid_on, small
from vision.teaching.straighten import points_on, straight, turns_of
from vision.teaching.white_paper import paper_of_cards, paper_of_markers, under_white

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

MOST_PICTURES, MOST_CARDS = 300, 2000
_CORNER_SHARE = 0.05
_DIFFERENT = 0.45  # two sightings that differ by so much are of no one face, whoever calls them so
_NEAREST_LOOKED_AT = 3


@dataclass(frozen=True)
class TeachingPicture:
    """A picture of the lesson; `load` gives it each time anew, so that no lesson holds all of them."""

    name: str
    load: Callable[[], Picture]


@dataclass(frozen=True, eq=False)
class LearnedCard:
    """A card in a picture; `quad_px` (4, 2) in the file's own pixels; `is_new`: this face was not seen before."""

    face: str
    is_new: bool
    quad_px: Floats


@dataclass(frozen=True, eq=False)
class LearnedPicture:
    """What was learned from a picture; `unclear` are outlines of which nothing was learned, each with the reason."""

    name: str
    cards: tuple[LearnedCard, ...]
    unclear: tuple[tuple[Floats, str], ...]


@dataclass(frozen=True, eq=False)
class Lesson:
    """What was learned.

    `seen` says how often each face was; `nearest` are the two faces that differ least and by how much, None for fewer
    than two; `noise` is how much sightings of one face differ, None where none was seen twice.
    """

    deck: PrintDeck | Deck
    pictures: tuple[LearnedPicture, ...]
    seen: Mapping[str, int]
    nearest: tuple[str, str, float] | None
    noise: float | None


def laid_out(
    pictures: Sequence[TeachingPicture], card_mm: tuple[float, float] | None
) -> tuple[list[LaidCards], CardSize]:
    """Find the cards of all pictures, and the size that they agree on.

    Raises:
        BadLessonError: a picture shows no cards, or such as cover one another.
        BadImageError: one cannot be read.
    """
    if len(pictures) > MOST_PICTURES:
        raise BadLessonError(f"{len(pictures)} pictures are more than a deck needs: at most {MOST_PICTURES} are taken")
    aspect = None if card_mm is None else max(card_mm) / min(card_mm)
    laid: list[LaidCards] = []
    for picture in pictures:
        laid.append(lay_out(picture.load().image, aspect or agreed_shape(laid)))
    size = agreed_size(laid, card_mm)
    if size is None:
        raise BadLessonError(
            f"no cards that lie apart are in {pictures[0].name}" + (" nor in the others" if laid[1:] else "")
        )
    shape = size.mm[1] / size.mm[0]
    for k, picture in enumerate(pictures):
        right = fits(laid[k], size)
        if (aspect is None and not right.all()) or not len(right):
            again = lay_out(picture.load().image, shape)
            if fits(again, size).sum() > right.sum():
                laid[k], right = again, fits(again, size)
        laid[k] = _only(laid[k], right)
        covered = [quad for quad, reason in laid[k].unclear if reason in ("covered", TOUCHED)]
        if covered:
            x, y = covered[0].mean(axis=0)
            raise BadLessonError(
                f"cards in {picture.name} touch one another (at {x:.0f}, {y:.0f} px): lay them apart and take it anew"
            )
        if not len(laid[k].quads_px):
            raise BadLessonError(f"no cards that lie apart are in {picture.name}")
    return laid, size


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
    quads: list[Floats] = []
    check_images(names, [picture.name for picture in pictures])
    for k, (picture, look) in enumerate(zip(pictures, laid, strict=True)):
        loaded = picture.load()
        cards = straight_cards(loaded, look, size)
        quads.append(loaded.to_file(look.quads_px))
        said |= {(k, place): entry for place, entry in named_cards(names, picture.name, quads[-1]).items()}
        sightings += [Sighting(k, place, card) for place, card in enumerate(cards)]
        if len(sightings) > MOST_CARDS:
            raise BadLessonError(f"more than {MOST_CARDS} cards are more than any deck needs")
    groups = _named(grouped(_named_first(sightings, said), turns), said, turns, pictures)
    return _taught(name, pictures, laid, size, game, groups, quads, turns)


def _only(look: LaidCards, right: NDArray[np.bool_]) -> LaidCards:
    odd = tuple((quad, "another size") for quad in look.quads_px[~right])
    return replace(look, quads_px=look.quads_px[right], unclear=look.unclear + odd, size_mm=look.size_mm[right])


def straight_cards(
    picture: Picture, look: LaidCards, size: CardSize, px_per_mm: float = ART_PX_PER_MM
) -> list[Singles]:
    """The cards of one picture put straight, (h, w, 3) levels 0 to 1, as they would be under white light."""
    wh = (round(size.mm[0] * px_per_mm), round(size.mm[1] * px_per_mm))
    cards = [straight(picture.image, quad, wh) for quad in look.quads_px]
    paper = paper_of_markers(picture.image, look.markers) or paper_of_cards(picture.size_px, cards)
    white = [under_white(card, paper.at(points_on(quad, wh))) for card, quad in zip(cards, look.quads_px, strict=True)]
    return [level(card) for card in white]


def _named_first(sightings: Sequence[Sighting], said: Mapping[tuple[int, int], CardName]) -> list[Sighting]:
    """Cards with names before others: what has a name is what others are held against."""
    return sorted(sightings, key=lambda sighting: (sighting.picture, sighting.place) not in said)


_Named = list[tuple[FaceGroup, CardName | None]]


def _named(
    groups: list[FaceGroup],
    said: Mapping[tuple[int, int], CardName],
    turns: tuple[int, ...],
    pictures: Sequence[TeachingPicture],
) -> _Named:
    """Groups by the names that people gave: one name is one face, and two names are two, however alike they look."""
    faces: _Named = []
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
            if difference(other.first, laid_on(other.first, part.first, turn)) > _DIFFERENT:
                one, two = (pictures[g.sightings[0].picture].name for g in (other, part))
                raise BadLessonError(f"two cards that look different are called {name.face}, in {one} and in {two}")
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


def _taught(
    name: str,
    pictures: Sequence[TeachingPicture],
    laid: Sequence[LaidCards],
    size: CardSize,
    game: str | None,
    groups: _Named,
    quads: Sequence[Floats],
    turns: tuple[int, ...],
) -> Lesson:
    groups = sorted(groups, key=lambda pair: min((s.picture, s.place) for s in pair[0].sightings))
    ids = face_ids([entry for _, entry in groups])
    faces: list[Print] = []
    at: dict[tuple[int, int], tuple[str, bool]] = {}
    for face_id, (group, entry) in zip(ids, groups, strict=True):
        side = "back" if face_id == BACK else "front"
        attributes = {} if entry is None else entry.attributes
        faces.append(Print(face_id, "back" if side == "back" else "front", attributes, group.picture()))
        at |= {(s.picture, s.place): (face_id, s is min(group.sightings, key=_order)) for s in group.sightings}
    learned = []
    for k, (picture, look) in enumerate(zip(pictures, laid, strict=True)):
        cards = tuple(
            LearnedCard(at[k, place][0], at[k, place][1], quad)
            for place, quad in enumerate(quads[k])
            if (k, place) in at
        )
        dropped = tuple((quad, "which of two") for place, quad in enumerate(quads[k]) if (k, place) not in at)
        learned.append(LearnedPicture(picture.name, cards, look.unclear + dropped))
    offs = [off for group, _ in groups for off in group.off]
    noise = float(np.quantile(offs, 0.9)) if offs else None
    margins = _margins(faces, turns)
    alike = tuple((one, two) for one, two, off in margins if off < max(SAME, noise or 0.0))
    deck = PrintDeck(
        name,
        size.mm,
        tuple(faces),
        game=game,
        corner_radius_mm=round(min(size.mm) * _CORNER_SHARE, 1),
        alike=alike,
        has_true_size=size.is_true,
    )
    nearest = min(margins, key=lambda margin: margin[2]) if margins else None
    seen = {face_id: len(group.sightings) for face_id, (group, _) in zip(ids, groups, strict=True)}
    return Lesson(deck, tuple(learned), seen, nearest, noise)


def _order(sighting: Sighting) -> tuple[int, int]:
    return sighting.picture, sighting.place


def face_ids(entries: Sequence[CardName | None]) -> list[str]:
    """The names of faces: what people called them, else a number."""
    taken = {entry.face for entry in entries if entry is not None}
    ids, number = [], 0
    for entry in entries:
        if entry is not None:
            ids.append(entry.face)
            continue
        number += 1
        while f"face-{number:02}" in taken:
            number += 1
        ids.append(f"face-{number:02}")
    return ids


def _margins(faces: Sequence[Print], turns: tuple[int, ...]) -> list[tuple[str, str, float]]:
    """How much faces differ, for each with those that are nearest to it at a rough look."""
    cards = [np.asarray(face.art / 255.0, np.float32) for face in faces]
    sheets = [small(card) for card in cards]
    rough = [(*best_turn(sheets[i], sheets[j], turns), i, j) for i, j in combinations(range(len(faces)), 2)]
    rough.sort(key=lambda look: look[0])
    looked = [0] * len(faces)
    margins = []
    for _, turn, i, j in rough:
        if min(looked[i], looked[j]) >= _NEAREST_LOOKED_AT:
            continue
        looked[i] += 1
        looked[j] += 1
        off = difference(cards[i], laid_on(cards[i], cards[j], turn))
        margins.append((faces[i].id, faces[j].id, off))
    return margins
