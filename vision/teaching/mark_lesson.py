"""A lesson on a deck of marks: where on each card its three discs lie, how large they are, and of which colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import Floats
from vision.deck import CIRCLE, SIZES, Deck, Face, PrintedMark
from vision.errors import BadLessonError
from vision.image import Picture
from vision.teaching.card_circles import CardDiscs, marked_card
from vision.teaching.lesson import TeachingPicture, straight_cards
from vision.teaching.lesson_cards import CardSize, LaidCards
from vision.teaching.mark_colours import colours_of
from vision.teaching.names import CardName, check_images, named_cards
from vision.teaching.taught_prints import LearnedCard, LearnedPicture, Lesson, face_ids

PX_PER_MM = 4.0
_MOSTLY, _ENOUGH = 0.7, 8  # share of the cards that show three discs; cards needed to recognise a kind
_SAME_MM = 4.0  # between the middles of a mark on two sightings of one card
_ONE_SIZE = 0.08  # how much the marks of one size may differ and yet be printed alike
_CORNER_SHARE = 0.056
_DARK = 0.35


@dataclass(frozen=True, eq=False)
class _Sighting:
    picture: int
    place: int
    card: CardDiscs
    side: str


@dataclass(eq=False)
class _FaceSeen:
    """One side of a card: colours (3,), and of each sighting the middles (3, 2) in mm, in the turn of the first."""

    side: str
    colours: tuple[int, ...]
    middles: list[Floats]
    sightings: list[_Sighting]


def shows_marks(pictures: Sequence[TeachingPicture], laid: Sequence[LaidCards], size: CardSize) -> bool:
    """Return whether most cards, of the first pictures that show enough of them, have three discs and nothing else.

    Raises:
        BadImageError: a picture cannot be read.
    """
    told: list[bool] = []
    for picture, look in zip(pictures, laid, strict=True):
        told += [
            marked_card(card, PX_PER_MM) is not None for card in straight_cards(picture.load(), look, size, PX_PER_MM)
        ]
        if len(told) >= _ENOUGH:
            break
    return bool(told) and float(np.mean(told)) >= _MOSTLY


def learn_marks(
    name: str,
    pictures: Sequence[TeachingPicture],
    laid: Sequence[LaidCards],
    size: CardSize,
    names: Sequence[CardName] = (),
) -> Lesson:
    """Learn a deck of marks from cards that were found.

    Raises:
        BadLessonError: a name points beside every card, or a card has two names, or there are too many colours.
        BadImageError: a picture cannot be read.
    """
    check_images(names, [picture.name for picture in pictures])
    sightings: list[_Sighting] = []
    filed: list[LaidCards] = []
    said: dict[tuple[int, int], CardName] = {}
    for k, (picture, look) in enumerate(zip(pictures, laid, strict=True)):
        loaded: Picture = picture.load()
        filed.append(look.in_file(loaded))
        said |= {(k, place): entry for place, entry in named_cards(names, picture.name, filed[-1].quads_px).items()}
        for place, card in enumerate(straight_cards(loaded, look, size, PX_PER_MM)):
            marked = marked_card(card, PX_PER_MM)
            if marked is not None:
                side = "black" if marked.ground.mean() < _DARK else "white"
                sightings.append(_Sighting(k, place, marked, side))
    if not sightings:
        raise BadLessonError(
            "error.lesson.no_card_in_these_pictures",
            "no card in these pictures shows three discs of three colours and sizes",
        )
    seen, colours = _faces_seen(sightings, size)
    ids = _ids(seen, said)
    deck = _deck(name, size, seen, ids, colours)
    at: dict[tuple[int, int], tuple[str, bool]] = {}
    for face_id, face in zip(ids, seen, strict=True):
        for n, sighting in enumerate(face.sightings):
            at[sighting.picture, sighting.place] = (face_id, n == 0)
    learned = tuple(
        LearnedPicture(
            picture.name,
            tuple(LearnedCard(*at[k, n], quad_px=quad) for n, quad in enumerate(look.quads_px) if (k, n) in at),
            look.unclear + tuple((quad, "no three discs") for n, quad in enumerate(look.quads_px) if (k, n) not in at),
        )
        for k, (picture, look) in enumerate(zip(pictures, filed, strict=True))
    )
    counts = {face_id: len(face.sightings) for face_id, face in zip(ids, seen, strict=True)}
    return Lesson(deck, learned, counts, (), None)


def _faces_seen(sightings: Sequence[_Sighting], size: CardSize) -> tuple[list[_FaceSeen], dict[str, tuple[str, ...]]]:
    """The different faces, and the names of the colours of each side."""
    seen: list[_FaceSeen] = []
    names: dict[str, tuple[str, ...]] = {}
    for side in ("white", "black"):
        own = [sighting for sighting in sightings if sighting.side == side]
        if not own:
            continue
        labs = np.array([disc.lab for sighting in own for disc in sighting.card.discs])
        of, names[side] = colours_of(labs, side)
        faces: list[_FaceSeen] = []
        for sighting, colours in zip(own, of.reshape(-1, len(SIZES)).tolist(), strict=True):
            middles = np.array([disc.middle_mm for disc in sighting.card.discs])
            turns = (middles, np.array(size.mm) - middles)
            match = next(
                (
                    (face, turn)
                    for face in faces
                    if face.colours == tuple(colours)
                    for turn in turns
                    if _lie_alike(face, turn)
                ),
                None,
            )
            if match is None:
                faces.append(_FaceSeen(side, tuple(colours), [middles], [sighting]))
            else:
                match[0].middles.append(match[1])
                match[0].sightings.append(sighting)
        seen += faces
    seen.sort(key=lambda face: (face.sightings[0].picture, face.sightings[0].place))
    return seen, names


def _lie_alike(face: _FaceSeen, middles: Floats) -> bool:
    return float(np.linalg.norm(face.middles[0] - middles, axis=1).max()) < _SAME_MM


def _ids(seen: Sequence[_FaceSeen], said: Mapping[tuple[int, int], CardName]) -> list[str]:
    entries = []
    for face in seen:
        told = {
            said[s.picture, s.place].face: said[s.picture, s.place]
            for s in face.sightings
            if (s.picture, s.place) in said
        }
        if len(told) > 1:
            raise BadLessonError(
                "error.lesson.are_two_names_for_cards",
                "{list} are two names for cards with the same marks",
                list=" and ".join(sorted(told)),
            )
        entries.append(next(iter(told.values()), None))
    names = [entry.face for entry in entries if entry is not None]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadLessonError(
            "error.lesson.two_cards_with_different_marks",
            "two cards with different marks are called {name}",
            name=twice,
        )
    return face_ids(entries)


def _deck(
    name: str, size: CardSize, seen: Sequence[_FaceSeen], ids: Sequence[str], colours: Mapping[str, tuple[str, ...]]
) -> Deck:
    palette = {side: _paints(side, names, seen) for side, names in colours.items()}
    grounds = {
        side: _hex(np.median([s.card.ground for face in seen if face.side == side for s in face.sightings], axis=0))
        for side in colours
    }
    faces = []
    for face_id, face in zip(ids, seen, strict=True):
        middles = np.median(face.middles, axis=0)
        diameters = np.median([[disc.diameter_mm for disc in s.card.discs] for s in face.sightings], axis=0)
        marks = tuple(
            PrintedMark(
                SIZES[k], colours[face.side][face.colours[k]], CIRCLE, float(x), float(y), float(diameters[k]), 0.0
            )
            for k, (x, y) in enumerate(middles)
        )
        faces.append(Face(face_id, face.side, marks))
    return Deck(
        name=name,
        card_mm=size.mm,
        corner_radius_mm=round(min(size.mm) * _CORNER_SHARE, 1),
        background=grounds,
        palette=palette,
        outlines={},
        faces=_evened(tuple(faces)),
    )


def _evened(faces: tuple[Face, ...]) -> tuple[Face, ...]:
    """The same faces with one diameter for each size, where the marks of a size are as large as one another."""
    common = {}
    for side in {face.side for face in faces}:
        for k, size in enumerate(SIZES):
            found = np.array([face.marks[k].diameter_mm for face in faces if face.side == side])
            middle = float(np.median(found))
            if np.mean(np.abs(found / middle - 1) < _ONE_SIZE) > 0.8:
                common[side, size] = middle
    return tuple(
        replace(
            face,
            marks=tuple(
                replace(
                    mark,
                    diameter_mm=round(common.get((face.side, mark.size), mark.diameter_mm), 2),
                    x_mm=round(mark.x_mm, 2),
                    y_mm=round(mark.y_mm, 2),
                )
                for mark in face.marks
            ),
        )
        for face in faces
    )


def _paints(side: str, names: Sequence[str], seen: Sequence[_FaceSeen]) -> dict[str, str]:
    paints = {}
    for k, name in enumerate(names):
        found = [
            sighting.card.discs[mark].bgr
            for face in seen
            if face.side == side
            for mark, colour in enumerate(face.colours)
            if colour == k
            for sighting in face.sightings
        ]
        if found:
            paints[name] = _hex(np.median(found, axis=0))
    return paints


def _hex(bgr: Floats) -> str:
    blue, green, red = (int(np.clip(round(float(level) * 255), 0, 255)) for level in bgr)
    return f"#{red:02x}{green:02x}{blue:02x}"
