"""Teaches decks whose truth is known, reads their other pictures, and says what became of every card."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from referee.bench.accuracy import HIDDEN, visibility_class
from referee.bench.match import inside, match_outlines
from referee.bench.taught_decks import DeckToTeach
from referee.bench.truth import TrueCard, TruePicture
from vision.deck import Deck
from vision.image import load_picture
from vision.prints.print_deck import PrintDeck
from vision.teaching.lay_apart import CardSize, LaidCards
from vision.teaching.lesson import TeachingPicture, laid_out
from vision.teaching.names import CardName
from vision.teaching.taught_prints import Lesson

Image = NDArray[np.uint8]
Corners = NDArray[np.float64]

UNTAUGHT = "untaught"
OUTCOMES = ("exact", "wrong", "unclear", "missed")


@dataclass(frozen=True, eq=False)
class TaughtRead:
    """A card as it was read: `face` is None for a back or where none can be named, `reason` where it is certain."""

    face: str | None
    confidence: float
    corners_px: Corners
    reason: str | None


Reader = Callable[[Image], Sequence[TaughtRead]]


@dataclass(frozen=True, eq=False)
class LessonVerdict:
    """What was learned from the pictures to teach from.

    `cards` lie there, `found` of them were found; `wrong` were learned as another face than they show; `faces` should
    be there, `learned` of them are.
    """

    cards: int
    found: int
    wrong: int
    faces: int
    learned: int
    seconds: float


@dataclass(frozen=True, eq=False)
class TaughtVerdict:
    """What became of one picture: (group, outcome, true card, reading) each, and certain readings where none lies."""

    picture: TruePicture
    cards: tuple[tuple[str, str, TrueCard, TaughtRead | None], ...]
    false: tuple[TaughtRead, ...]
    ms: float


Learner = Callable[[str, Sequence[TeachingPicture], Sequence[LaidCards], CardSize, Sequence[CardName]], Lesson]


def teach(deck: DeckToTeach, pictures: Sequence[TruePicture], learner: Learner) -> tuple[Lesson, LessonVerdict]:
    """Teach a deck from some of its pictures; one card of each face is named, the first that was found.

    Raises:
        VisionError: nothing can be learned from them.
    """
    start = perf_counter()
    asked = [TeachingPicture(picture.path.name, partial(load_picture, picture.path)) for picture in pictures]
    laid, size = laid_out(asked, None)
    truth = [
        _true_of(picture, look, load_picture(picture.path).reduction)
        for picture, look in zip(pictures, laid, strict=True)
    ]
    names: dict[str, CardName] = {}
    for picture, faces in zip(pictures, truth, strict=True):
        for at, face in faces:
            if face is not None:
                names.setdefault(face, CardName(picture.path.name, at, face, deck.meanings.get(face, {})))
    lesson = learner(deck.name, asked, laid, size, tuple(names.values()))
    seconds = perf_counter() - start
    wrong = 0
    for learned, faces in zip(lesson.pictures, truth, strict=True):
        for card in learned.cards:
            true = next((face for at, face in faces if inside(at, card.quad_px)), None)
            wrong += true is None or true != card.face
    all_faces = {card.face for picture in pictures for card in picture.cards if card.side != "back"}
    verdict = LessonVerdict(
        cards=sum(len(picture.cards) for picture in pictures),
        found=sum(len(faces) for faces in truth),
        wrong=wrong,
        faces=len(all_faces),
        learned=len(all_faces & set(lesson.seen)),
        seconds=seconds,
    )
    return lesson, verdict


def half_of(pictures: Sequence[TruePicture]) -> list[TruePicture]:
    """Every second picture of a lesson, or of one picture all."""
    return list(pictures[::2])


def but_every_second_face(lesson: Lesson) -> Lesson:
    """The same lesson as if every second face had never been shown."""
    if isinstance(lesson.deck, Deck):
        return replace(lesson, deck=replace(lesson.deck, faces=lesson.deck.faces[::2]))
    fronts = [face.id for face in lesson.deck.fronts][1::2]
    faces = tuple(face for face in lesson.deck.faces if face.id not in fronts)
    alike = tuple(pair for pair in lesson.deck.alike if not set(pair) & set(fronts))
    return replace(lesson, deck=replace(lesson.deck, faces=faces, alike=alike))


def taught_faces(deck: Deck | PrintDeck) -> frozenset[str]:
    """The ids of the faces, not of backs, that a taught deck has."""
    return frozenset(face.id for face in (deck.faces if isinstance(deck, Deck) else deck.fronts))


def by_face(picture: TruePicture) -> TruePicture:
    """The same picture with each card called by its face: what follows a dot tells equal cards apart."""
    return replace(picture, cards=tuple(replace(card, face=(card.face or "").split(".")[0]) for card in picture.cards))


def judge(
    pictures: Sequence[TruePicture], load: Callable[[TruePicture], Image], read: Reader, taught: frozenset[str]
) -> Iterator[tuple[Image, TaughtVerdict]]:
    """Read and judge one picture after the other; `taught` are the faces that the deck has."""
    for picture in pictures:
        image = load(picture)
        start = perf_counter()
        reads = read(image)
        ms = (perf_counter() - start) * 1000
        yield image, judge_reading(picture, reads, taught, ms)


def judge_reading(
    picture: TruePicture, reads: Sequence[TaughtRead], taught: frozenset[str], ms: float
) -> TaughtVerdict:
    """Judge one reading; cards are paired with readings by their places alone."""
    true = [card for card in picture.cards if card.visible >= HIDDEN]
    outlined = [k for k, read in enumerate(reads) if len(read.corners_px) == 4]
    pairs = match_outlines([reads[k].corners_px for k in outlined], [card.corners_px for card in true])
    read_of = {j: reads[outlined[i]] for i, j in pairs.items()}
    used = {outlined[i] for i in pairs}
    cards = tuple(
        (_group(card, taught), _outcome(card, read_of.get(j), taught), card, read_of.get(j))
        for j, card in enumerate(true)
    )
    false = tuple(
        read for k, read in enumerate(reads) if k not in used and read.reason is None and read.face is not None
    )
    return TaughtVerdict(picture, cards, false, ms)


def _group(card: TrueCard, taught: frozenset[str]) -> str:
    return visibility_class(card.visible) if card.side != "back" and card.face in taught else UNTAUGHT


def _outcome(card: TrueCard, read: TaughtRead | None, taught: frozenset[str]) -> str:
    """What became of a card; one of no taught face, or a back, is right as long as no face is named."""
    if card.side == "back" or card.face not in taught:
        named = read is not None and read.reason is None and read.face is not None
        return "wrong" if named else "exact"
    if read is None:
        return "missed"
    if read.reason is not None:
        return "unclear"
    return "exact" if read.face == card.face else "wrong"


def _true_of(picture: TruePicture, look: LaidCards, reduction: int) -> list[tuple[tuple[float, float], str | None]]:
    """The middles, in the file's pixels, of the cards found in a picture, and which face lies there, None for none."""
    quads = (look.quads_px + 0.5) * reduction - 0.5
    pairs = match_outlines(list(quads), [card.corners_px for card in picture.cards])
    found = []
    for k, quad in enumerate(quads):
        middle = quad.mean(axis=0)
        card = picture.cards[pairs[k]] if k in pairs else None
        face = None if card is None else "back" if card.side == "back" else card.face
        found.append(((float(middle[0]), float(middle[1])), face))
    return found
