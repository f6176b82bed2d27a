"""Makes a deck of the groups that a lesson found, and measures how far its faces are apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from vision.deck import MARKS, Deck, Face
from vision.markers import markers_in, white_of
from vision.read.rectify import Pyramid
from vision.read.verdict import VERDICT
from vision.read.verifier import Verifier
from vision.reading import Reading
from vision.teaching.faces import SAME, FaceGroup, aligned, best_turn, difference, singles, small
from vision.teaching.lesson_cards import CardSize, TeachingPicture
from vision.teaching.names import BACK

Pictures = tuple[tuple[str, Reading], ...]

_CORNER_SHARE = 0.05
_NEAREST_LOOKED_AT = 3
MOST_JUDGED = 8
"""Cards: those of the faces that look most alike, as each takes some tenths of a second."""


@dataclass(frozen=True)
class FaceMargins:
    """Separation of a lesson's cards by the deck that came of it.

    `judged` cards were judged, `certain` of them right beyond doubt; `weakest` is the face with the least lead over its
    next one, that next one, and the log-odds between them, None where the deck has one face only. `confused` are pairs
    of faces of which one was taken for the other, or nearly.
    """

    judged: int
    certain: int
    weakest: tuple[str, str, float] | None
    confused: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Lesson:
    """Result of a lesson.

    `pictures` have their names and what was learned, in the pixels of the files; unclear cards taught nothing.
    `nearest` are pairs of faces and by how much they differ, those first that do least, for each face with the few that
    are nearest; `margins` are None where they were not measured.
    """

    deck: Deck
    pictures: Pictures
    nearest: tuple[tuple[str, str, float], ...] = ()
    margins: FaceMargins | None = None

    @property
    def seen(self) -> Mapping[str, int]:
        """Return how often each face was seen."""
        return Counter(card.named.id for _, reading in self.pictures for card in reading.cards)

    def with_faces(self, faces: Sequence[Face]) -> Lesson:
        """Return the lesson with faces of other names and meanings, in the order of the deck's."""
        new = {before.id: face for before, face in zip(self.deck.faces, faces, strict=True)}
        pictures = tuple(
            (name, replace(read, cards=tuple(replace(card, face=new[card.named.id]) for card in read.cards)))
            for name, read in self.pictures
        )
        alike = tuple((new[one].id, new[two].id) for one, two in self.deck.alike)
        nearest = tuple((new[one].id, new[two].id, off) for one, two, off in self.nearest)
        return replace(
            self, deck=replace(self.deck, faces=tuple(faces), alike=alike), pictures=pictures, nearest=nearest
        )


def deck_of_prints(
    name: str, size: CardSize, game: str | None, groups: Sequence[FaceGroup]
) -> tuple[Deck, list[tuple[str, str, float]]]:
    """Return the deck whose faces are groups of sightings, with its nearest faces, see `Lesson`."""
    faces = [
        Face(named, "back" if named == BACK else "front", group.name.attributes if group.name else {}, group.picture())
        for named, group in zip(face_ids(groups), groups, strict=True)
    ]
    deck = Deck(
        name,
        size.mm,
        tuple(faces),
        game=game,
        corner_radius_mm=round(min(size.mm) * _CORNER_SHARE, 1),
        has_true_size=size.is_true,
    )
    nearest = sorted(_margins(deck), key=lambda margin: margin[2])
    return replace(deck, alike=tuple((one, two) for one, two, off in nearest if off < SAME)), nearest


def learned(found: Pictures, groups: Sequence[FaceGroup], faces: Sequence[Face], reason: str) -> Pictures:
    """Return the cards found in pictures with the faces of their groups; for a reason the others are unclear."""
    pairs = zip(groups, faces, strict=True)
    face_at = {(seen.picture, seen.place): face for group, face in pairs for seen in group.sightings}
    pictures = []
    for k, (name, read) in enumerate(found):
        cards = [replace(card, face=face_at.get((k, n))) for n, card in enumerate(read.cards)]
        dropped = tuple(replace(card, reason=reason) for card in cards if card.face is None)
        pictures.append((name, Reading(tuple(card for card in cards if card.face), read.unclear + dropped)))
    return tuple(pictures)


def face_ids(groups: Sequence[FaceGroup]) -> list[str]:
    """Return the names of faces: those that people gave, else a number."""
    taken = {group.name.face for group in groups if group.name is not None}
    numbers = (name for k in range(1, len(groups) + len(taken) + 1) if (name := f"face-{k:02}") not in taken)
    return [next(numbers) if group.name is None else group.name.face for group in groups]


def _margins(deck: Deck) -> list[tuple[str, str, float]]:
    """Return how much faces differ, for each with those that are nearest to it at a rough look."""
    cards = [singles(face.art) for face in deck.faces]
    sheets = [small(card) for card in cards]
    rough = [(*best_turn(sheets[i], sheets[j], deck.turns), i, j) for i, j in combinations(range(len(cards)), 2)]
    rough.sort(key=lambda look: look[0])
    looked = [0] * len(cards)
    margins = []
    for _, turn, i, j in rough:
        if min(looked[i], looked[j]) >= _NEAREST_LOOKED_AT:
            continue
        looked[i] += 1
        looked[j] += 1
        off = difference(cards[i], aligned(cards[i], cards[j], (turn,)))
        margins.append((deck.faces[i].id, deck.faces[j].id, off))
    return margins


def odds_of(margin: float) -> float:
    """Return to how many one a reading with this margin (log-odds) is right, as far as the reader's scale is true."""
    return float(np.exp(np.clip(margin / VERDICT.log_odds_scale, -10, 10)))


def measured(lesson: Lesson, pictures: Sequence[TeachingPicture], most: int) -> FaceMargins:
    """Judge cards of a lesson by its deck: of each face that another one is near to, the card that was seen last.

    Raises:
        BadImageError: a picture cannot be read.
    """
    deck = lesson.deck
    verifier = Verifier(deck)
    wanted = set(list(dict.fromkeys(face for one, two, _ in lesson.nearest for face in (one, two)))[:most])
    leads: list[tuple[str, str, float]] = []
    judged = certain = 0
    for picture, (_, reading) in zip(reversed(pictures), reversed(lesson.pictures), strict=True):
        cards = {card.named.id: card for card in reading.cards if card.named.id in wanted}
        if not cards:
            continue
        wanted -= cards.keys()
        loaded = picture.load()
        pyramid, white = Pyramid(loaded.image), white_of(loaded.image, markers_in(loaded.image))
        quads = np.stack([(card.corners_px + 0.5) / loaded.reduction - 0.5 for card in cards.values()])
        quads = deck.art_first(quads)
        ranks = verifier.ranker.rank(pyramid, quads, white)
        for face, verdict in zip(cards, verifier.judge(pyramid, quads, ranks, white), strict=True):
            judged += 1
            if verdict is None:
                continue
            is_right = deck.faces[verdict.face].id == face
            rival = verdict.rival if is_right else verdict.face
            margin = verdict.margin if is_right else -abs(verdict.margin)
            certain += margin >= VERDICT.certain
            if rival is not None:
                leads.append((face, deck.faces[rival].id, margin))
    confused = {(min(one, two), max(one, two)) for one, two, margin in leads if margin < VERDICT.certain}
    return FaceMargins(judged, certain, min(leads, key=lambda lead: lead[2], default=None), tuple(sorted(confused)))


def with_margins(lesson: Lesson, pictures: Sequence[TeachingPicture], most: int = MOST_JUDGED) -> Lesson:
    """Return a lesson with its margins, and with a deck that knows which faces it confuses; one of marks as it is.

    Raises:
        BadImageError: a picture cannot be read.
    """
    deck = lesson.deck
    if deck.kind == MARKS:
        return lesson
    margins = measured(lesson, pictures, most)
    known = {frozenset(pair) for pair in deck.alike}
    alike = deck.alike + tuple(pair for pair in margins.confused if frozenset(pair) not in known)
    return replace(lesson, deck=replace(deck, alike=alike), margins=margins)
