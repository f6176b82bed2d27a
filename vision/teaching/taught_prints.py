"""Makes a deck of prints of the groups that a lesson found, and measures how far its faces are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from vision.arrays import Floats
from vision.deck import MARKS, Deck, Face
from vision.markers import markers_in, white_of
from vision.read.rectify import Pyramid
from vision.read.verdict import VERDICT
from vision.read.verifier import Verifier
from vision.teaching.faces import SAME, FaceGroup, Sighting, aligned, best_turn, difference, small, turns_of
from vision.teaching.lesson_cards import CardSize, LaidCards, TeachingPicture
from vision.teaching.names import BACK, CardName

Named = list[tuple[FaceGroup, CardName | None]]

_CORNER_SHARE = 0.05
_NEAREST_LOOKED_AT = 3
MOST_JUDGED = 8
"""Cards: those of the faces that look most alike, as each takes some tenths of a second."""


@dataclass(frozen=True, eq=False)
class LearnedCard:
    """A card in a picture; `quad_px` (4, 2) in the file's own pixels; `is_new`: this face was not seen before."""

    face: str
    is_new: bool
    quad_px: Floats


@dataclass(frozen=True, eq=False)
class LearnedPicture:
    """Cards learned from a picture; `unclear` are outlines that taught nothing, each with the reason."""

    name: str
    cards: tuple[LearnedCard, ...]
    unclear: tuple[tuple[Floats, str], ...]


@dataclass(frozen=True)
class FaceMargins:
    """Separation of a lesson's cards by the deck that came of it.

    `judged` cards were judged, `sure` of them for certain right; `weakest` is the face that was told from its next one
    by the least, that next one, and the log-odds between them, None where the deck has one face only. `confused` are
    pairs of faces of which one was taken for the other, or nearly.
    """

    judged: int
    sure: int
    weakest: tuple[str, str, float] | None
    confused: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Lesson:
    """Result of a lesson.

    `seen` says how often each face was; `nearest` are pairs of faces and by how much they differ, those first that do
    least, for each face with the few that are nearest; `margins` are None where they were not measured.
    """

    deck: Deck
    pictures: tuple[LearnedPicture, ...]
    seen: Mapping[str, int]
    nearest: tuple[tuple[str, str, float], ...]
    margins: FaceMargins | None = None


def renamed_faces(lesson: Lesson, names: Mapping[str, tuple[str, Mapping[str, str]]]) -> Lesson:
    """The same lesson with other names, and meanings, for some faces of its deck of prints."""
    deck = lesson.deck

    def new(face: str) -> str:
        return names[face][0] if face in names else face

    faces = tuple(
        replace(face, id=names[face.id][0], attributes=names[face.id][1]) if face.id in names else face
        for face in deck.faces
    )
    pictures = tuple(
        replace(picture, cards=tuple(replace(card, face=new(card.face)) for card in picture.cards))
        for picture in lesson.pictures
    )
    return replace(
        lesson,
        deck=replace(deck, faces=faces, alike=tuple((new(one), new(other)) for one, other in deck.alike)),
        pictures=pictures,
        seen={new(face): count for face, count in lesson.seen.items()},
        nearest=tuple((new(one), new(other), off) for one, other, off in lesson.nearest),
    )


def taught(
    name: str,
    pictures: Sequence[str],
    laid: Sequence[LaidCards],
    size: CardSize,
    game: str | None,
    groups: Named,
) -> Lesson:
    """The deck that groups of sightings make; `laid` is in the pixels of the files."""
    groups = sorted(groups, key=lambda pair: min((s.picture, s.place) for s in pair[0].sightings))
    ids = face_ids([entry for _, entry in groups])
    faces: list[Face] = []
    at: dict[tuple[int, int], tuple[str, bool]] = {}
    for face_id, (group, entry) in zip(ids, groups, strict=True):
        side = "back" if face_id == BACK else "front"
        attributes = {} if entry is None else entry.attributes
        faces.append(Face(face_id, side, attributes, group.picture()))
        at |= {(s.picture, s.place): (face_id, s is min(group.sightings, key=_order)) for s in group.sightings}
    learned = learned_pictures(pictures, laid, at, "which of two")
    margins = _margins(faces, turns_of(size.mm))
    alike = tuple((one, two) for one, two, off in margins if off < SAME)
    deck = Deck(
        name,
        size.mm,
        tuple(faces),
        game=game,
        corner_radius_mm=round(min(size.mm) * _CORNER_SHARE, 1),
        alike=alike,
        has_true_size=size.is_true,
    )
    nearest = tuple(sorted(margins, key=lambda margin: margin[2]))
    seen = {face_id: len(group.sightings) for face_id, (group, _) in zip(ids, groups, strict=True)}
    return Lesson(deck, learned, seen, nearest)


def learned_pictures(
    names: Sequence[str], laid: Sequence[LaidCards], at: Mapping[tuple[int, int], tuple[str, bool]], reason: str
) -> tuple[LearnedPicture, ...]:
    """Return what each picture taught: `at` has the face of each card, and whether it is new; others are unclear."""
    learned = []
    for k, (name, look) in enumerate(zip(names, laid, strict=True)):
        cards = tuple(LearnedCard(*at[k, n], quad_px=quad) for n, quad in enumerate(look.quads_px) if (k, n) in at)
        dropped = tuple((quad, reason) for n, quad in enumerate(look.quads_px) if (k, n) not in at)
        learned.append(LearnedPicture(name, cards, look.unclear + dropped))
    return tuple(learned)


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


def _margins(faces: Sequence[Face], turns: tuple[int, ...]) -> list[tuple[str, str, float]]:
    """Return how much faces differ, for each with those that are nearest to it at a rough look."""
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
        off = difference(cards[i], aligned(cards[i], cards[j], (turn,)))
        margins.append((faces[i].id, faces[j].id, off))
    return margins


def odds_of(margin: float) -> float:
    """To how many one a reading with this margin (log-odds) is right, as far as the reader's scale is true."""
    return float(np.exp(np.clip(margin / VERDICT.log_odds_scale, -10, 10)))


def measured(lesson: Lesson, deck: Deck, pictures: Sequence[TeachingPicture], most: int = MOST_JUDGED) -> FaceMargins:
    """Judge cards of a lesson by its deck: of each face that another one is near to the card that was seen last.

    Raises:
        BadImageError: a picture cannot be read.
    """
    verifier = Verifier(deck)
    wanted = set(list(dict.fromkeys(face for one, two, _ in lesson.nearest for face in (one, two)))[:most])
    told: list[tuple[str, str, float]] = []
    judged = sure = 0
    for picture, learned in zip(reversed(pictures), reversed(lesson.pictures), strict=True):
        cards = {card.face: card for card in learned.cards if card.face in wanted}
        if not cards:
            continue
        wanted -= cards.keys()
        loaded = picture.load()
        pyramid, white = Pyramid(loaded.image), white_of(loaded.image, markers_in(loaded.image))
        quads = np.stack([(card.quad_px + 0.5) / loaded.reduction - 0.5 for card in cards.values()])
        if deck.card_mm[0] > deck.card_mm[1]:
            quads = np.roll(quads, 1, axis=1)
        ranks = verifier.ranker.rank(pyramid, quads, white)
        for face, verdict in zip(cards, verifier.judge(pyramid, quads, ranks, white), strict=True):
            judged += 1
            if verdict is None:
                continue
            is_right = deck.faces[verdict.face].id == face
            rival = verdict.rival if is_right else verdict.face
            margin = verdict.margin if is_right else -abs(verdict.margin)
            sure += margin >= VERDICT.sure
            if rival is not None:
                told.append((face, deck.faces[rival].id, margin))
    confused = {(min(one, two), max(one, two)) for one, two, margin in told if margin < VERDICT.sure}
    return FaceMargins(judged, sure, min(told, key=lambda look: look[2], default=None), tuple(sorted(confused)))


def with_margins(lesson: Lesson, pictures: Sequence[TeachingPicture], most: int = MOST_JUDGED) -> Lesson:
    """A lesson with its margins, and with a deck that knows which faces it confuses; one of marks as it is.

    Raises:
        BadImageError: a picture cannot be read.
    """
    deck = lesson.deck
    if deck.kind == MARKS:
        return lesson
    margins = measured(lesson, deck, pictures, most)
    known = {frozenset(pair) for pair in deck.alike}
    alike = deck.alike + tuple(pair for pair in margins.confused if frozenset(pair) not in known)
    return replace(lesson, deck=replace(deck, alike=alike), margins=margins)
