"""A lesson on a deck of marks: where on each card its three discs are, how large they are, and of which colours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.deck import CIRCLE, SIZES, Deck, PrintedMark, load_deck, marked_face
from vision.errors import BadLessonError
from vision.render_face import bgr
from vision.teaching.card_circles import CardDiscs, marked_card
from vision.teaching.lesson import said_of, sighted
from vision.teaching.lesson_cards import CardSize, LaidCards, TeachingPicture
from vision.teaching.names import CardName
from vision.teaching.straight_cards import straight_cards
from vision.teaching.taught_prints import Lesson, face_ids, learned_pictures

_MOSTLY, _ENOUGH = 0.7, 8  # share of the cards that show three discs; cards needed to recognise a kind
_SAME_MM = 4.0  # between the middles of a mark on two sightings of one card
_ONE_SIZE = 0.08  # how much the marks of one size may differ and yet be printed alike
_CORNER_SHARE = 0.056
_DARK = 0.35
_SAME = 16.0  # what two colours of one deck differ by at least, see `_by_hue`
_LIGHTNESS, _FULL, _BEYOND = 0.3, 40.0, 0.25
_ROUNDS = 10
_FEW = 0.03


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
        told += [marked_card(card) is not None for card in straight_cards(picture.load(), look, size)]
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
    cards, filed = sighted(pictures, laid, size)
    said = said_of(names, pictures, filed)
    sightings: list[_Sighting] = []
    for (picture, place), straight in cards.items():
        marked = marked_card(straight.card)
        if marked is not None:
            side = "black" if marked.ground.mean() < _DARK else "white"
            sightings.append(_Sighting(picture, place, marked, side))
    if not sightings:
        raise BadLessonError(
            "error.lesson.no_card_in_these_pictures",
            "no card in these pictures shows three discs of three colours and sizes",
        )
    seen, colours = _faces_seen(sightings, size)
    ids = _ids(seen, said)
    deck = _deck(name, size, seen, ids, colours)
    at = {
        (sighting.picture, sighting.place): (face_id, n == 0)
        for face_id, face in zip(ids, seen, strict=True)
        for n, sighting in enumerate(face.sightings)
    }
    learned = learned_pictures([picture.name for picture in pictures], filed, at, "no three discs")
    counts = {face_id: len(face.sightings) for face_id, face in zip(ids, seen, strict=True)}
    return Lesson(deck, learned, counts, ())


def _faces_seen(sightings: Sequence[_Sighting], size: CardSize) -> tuple[list[_FaceSeen], dict[str, tuple[str, ...]]]:
    """The different faces, and the names of the colours of each side."""
    seen: list[_FaceSeen] = []
    names: dict[str, tuple[str, ...]] = {}
    for side in ("white", "black"):
        own = [sighting for sighting in sightings if sighting.side == side]
        if not own:
            continue
        labs = np.array([disc.lab for sighting in own for disc in sighting.card.discs])
        of, names[side] = _colours_of(labs, side)
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
    grounds = {
        side: _hex([s.card.ground for face in seen if face.side == side for s in face.sightings]) for side in colours
    }
    faces = []
    for face_id, face, diameters in zip(ids, seen, _diameters(seen), strict=True):
        marks = tuple(
            PrintedMark(SIZES[k], colours[face.side][colour], CIRCLE, round(x, 2), round(y, 2), round(diameter, 2), 0.0)
            for k, (colour, (x, y), diameter) in enumerate(
                zip(face.colours, np.median(face.middles, axis=0).tolist(), diameters, strict=True)
            )
        )
        faces.append(marked_face(face_id, face.side, marks))
    return Deck(
        name=name,
        card_mm=size.mm,
        corner_radius_mm=round(min(size.mm) * _CORNER_SHARE, 1),
        background=grounds,
        palette=_paints(seen, colours),
        faces=tuple(faces),
        game="confetti",
    )


def _diameters(seen: Sequence[_FaceSeen]) -> list[list[float]]:
    """The diameters of each face's marks, mm: one for each size, where the marks of a size are as large as another."""
    own = np.array(
        [np.median([[d.diameter_mm for d in s.card.discs] for s in face.sightings], axis=0) for face in seen]
    )
    for side in ("white", "black"):
        at = [n for n, face in enumerate(seen) if face.side == side]
        if at:
            middle = np.median(own[at], axis=0)
            alike = np.mean(np.abs(own[at] / middle - 1) < _ONE_SIZE, axis=0) > 0.8
            own[at] = np.where(alike, middle, own[at])
    return [row.tolist() for row in own]


def _paints(seen: Sequence[_FaceSeen], colours: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, str]]:
    """The palette of each side."""
    shown: dict[tuple[str, int], list[Floats]] = defaultdict(list)
    for face in seen:
        for sighting in face.sightings:
            for colour, disc in zip(face.colours, sighting.card.discs, strict=True):
                shown[face.side, colour].append(disc.bgr)
    return {
        side: {name: _hex(shown[side, k]) for k, name in enumerate(names) if (side, k) in shown}
        for side, names in colours.items()
    }


def _hex(seen: Sequence[Floats]) -> str:
    """The median of colours (3,), BGR 0 to 1, as `#rrggbb`."""
    blue, green, red = np.clip(np.rint(np.median(seen, axis=0) * 255), 0, 255).astype(int).tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"


def _colours_of(labs: Floats, side: str) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Return which colour (n,) each disc (n, 3) in Lab has, and the names of all colours.

    Raises:
        BadLessonError: they have more colours than Confetti.
    """
    seen = _by_hue(labs)
    middles = _starts(seen)
    of = np.zeros(len(seen), np.intp)
    for _ in range(_ROUNDS):
        of = np.linalg.norm(seen[:, None] - middles[None], axis=2).argmin(axis=1)
        middles = np.array(
            [np.median(seen[of == k], axis=0) if (of == k).any() else middles[k] for k in range(len(middles))]
        )
    return of, _named(middles, side)


def _by_hue(labs: Floats) -> Floats:
    """Colours (n, 3) in Lab with hue counting most: a lamp makes one ink paler or darker, but hardly another hue."""
    chroma = np.linalg.norm(labs[:, 1:], axis=1, keepdims=True)
    counted = np.where(chroma > _FULL, _FULL + _BEYOND * (chroma - _FULL), chroma)
    return np.concatenate([labs[:, :1] * _LIGHTNESS, labs[:, 1:] * counted / np.maximum(chroma, 1e-6)], axis=1)


def _starts(seen: Floats) -> Floats:
    """Discs that differ from one another, by how many others are like them."""
    near = np.linalg.norm(seen[:, None] - seen[None], axis=2) < _SAME / 2
    starts: list[int] = []
    for k in np.argsort(-near.sum(axis=1), kind="stable"):
        if all(np.linalg.norm(seen[k] - seen[other]) > _SAME for other in starts):
            starts.append(int(k))
    # Some discs were seen in a bad light: no colour of a deck is on so few of its cards.
    few = max(1, round(_FEW * len(seen)))
    many = [k for k in starts if near[k].sum() > few] or starts
    return seen[many]


def _named(middles: Floats, side: str) -> tuple[str, ...]:
    """The names that suit the colours best as a whole: one edition's violet is another's purple."""
    palette = load_deck("confetti").palette[side]
    names = sorted(palette)
    if len(middles) > len(names):
        raise BadLessonError(
            "error.lesson.these_cards_have_marks_of",
            "these cards have marks of more than {number} colours: Confetti has {list}",
            number=len(names),
            list=", ".join(names),
        )
    blue_green_red = np.array([bgr(palette[name]) for name in names], np.float32)
    known = _by_hue(cv2.cvtColor(blue_green_red[None] / 255, cv2.COLOR_BGR2LAB)[0].astype(np.float64))
    gaps = np.linalg.norm(middles[:, None] - known[None], axis=2)
    best: Sequence[int] = min(
        permutations(range(len(names)), len(middles)), key=lambda order: sum(gaps[k, n] for k, n in enumerate(order))
    )
    return tuple(names[n] for n in best)
