"""Slow work of a lesson: studying pictures, making decks, reading cards. Runs in a process of its own.

Arguments and results are data for JSON; pictures are in the lesson's folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.games.registry import may_show_marks
from referee.lessons.draft import Draft, DraftOutline, DraftReading, Example, LessonPicture, MeasuredFaces, Points
from referee.lessons.files import LessonFiles
from referee.lessons.view import face_names
from vision.arrays import Image
from vision.deck import Face
from vision.deck_file import pack_deck, read_deck_file
from vision.errors import VisionError
from vision.image import Picture, load_picture
from vision.markers import markers_in
from vision.reading import Card, Reading, reader_of
from vision.teaching.card_marks import shows_marks
from vision.teaching.faces import Sighting, joined, levels, singles, turns_of
from vision.teaching.lesson import could_be_one, in_rows, in_two, sorted_to, taught
from vision.teaching.lesson_cards import CUT_OR_COVERED, CardSize, TeachingPicture, agreed_size, fits, lay_out, nameless
from vision.teaching.names import CardName
from vision.teaching.proposed_names import proposed
from vision.teaching.straight_cards import straight_cards
from vision.teaching.taught_prints import odds_of, with_margins

_MOST_JUDGED = 16
_USUAL_MM = (63.0, 88.0)


@dataclass(frozen=True)
class Studied:
    """Content of a picture: `fault` is the key of a sentence for a picture from which nothing can be learned.

    `groups` holds each card's group; numbers beyond the known groups are new ones.
    """

    shot: LessonPicture
    groups: tuple[int, ...] = ()
    card_mm: tuple[float, float] | None = None
    kind: str | None = None
    fault: str | None = None


def study_picture(state: Path, number: int, known: Sequence[str], draft: Draft) -> Studied:
    """Return a picture's content; `known` names a card of each group.

    Raises:
        VisionError, WorkFailedError: it cannot be read, or its cards cannot be saved.
    """
    files = LessonFiles(state)
    picture = load_picture(files.picture(number))
    size = None if draft.card_mm is None else CardSize(draft.card_mm, True)
    look = lay_out(picture.image, size)
    size = size or agreed_size([look], None)
    if size is not None:
        look = in_rows(look.only(fits(look, size)))
    shot = LessonPicture(
        number=number,
        state="learned",
        size_px=picture.size_px,
        cards=[_points(quad) for quad in look.quads_px],
        unclear=[DraftOutline(corners=_points(card.corners_px), reason=card.reason or "") for card in look.unclear],
    )
    if look.table is None:
        return Studied(shot, fault="lesson_no_markers")
    if size is None or not len(look.quads_px):
        touched = any(card.reason in CUT_OR_COVERED for card in look.unclear)
        return Studied(shot, fault="lesson_touch" if touched else "lesson_no_cards")
    cards = straight_cards(picture.image, look.quads_px, size, look.markers)
    for place, card in enumerate(cards):
        files.keep_card(f"{number}-{place}", levels(card))
    kind: str | None = draft.kind
    if kind is None:
        kind = "marks" if may_show_marks(draft.game) and shows_marks(map(levels, cards)) else "prints"
    groups = sorted_to([_card(files, name) for name in known], cards, size)
    return Studied(shot, tuple(groups), size.mm, kind)


def are_alike(state: Path, one: Example, other: Example, card_mm: tuple[float, float]) -> bool:
    """Return whether two cards may show one face, by their looks.

    Raises:
        VisionError: a card's picture is gone.
    """
    files = LessonFiles(state)
    return could_be_one(_card(files, one.name), _card(files, other.name), CardSize(card_mm, True))


def split(state: Path, names: Sequence[str], card_mm: tuple[float, float]) -> list[bool]:
    """Return for each card of a group whether it resembles the one most different from the first more than the first.

    Raises:
        VisionError: a card's picture is gone.
    """
    files = LessonFiles(state)
    return in_two([_card(files, name) for name in names], CardSize(card_mm, True))


def propose(state: Path, draft: Draft) -> dict[int, dict[str, str]]:
    """Return the proposed name of each group, in the game's words."""
    files = LessonFiles(state)
    groups = [group for group in draft.groups if not group.is_back]
    faces = [
        Face("", "front", group.said, _card(files, group.examples[0].name), len(group.examples)) for group in groups
    ]
    return {
        group.id: dict(proposal.attributes) for group, proposal in zip(groups, proposed(draft.game, faces), strict=True)
    }


def make_deck(state: Path, draft: Draft) -> MeasuredFaces:
    """Learn the deck from all pictures, save it in the lesson's folder, and return the separation of its faces.

    Raises:
        VisionError, WorkFailedError: it cannot be learned or saved.
    """
    from referee.files import write_whole

    files = LessonFiles(state)
    size = CardSize(draft.card_mm or _USUAL_MM, True)
    shots = [shot for shot in draft.learned if shot.cards]
    # Corners are in the pixels of pictures as loaded.
    pictures = [TeachingPicture(str(shot.number), partial(_as_loaded, files.picture(shot.number))) for shot in shots]
    found = tuple(
        (str(shot.number), Reading(tuple(nameless(np.array(corners, np.float64)) for corners in shot.cards), ()))
        for shot in shots
    )
    at = {shot.number: k for k, shot in enumerate(shots)}
    names = face_names(draft)
    groups = [
        joined(
            [Sighting(at[one.picture], one.place, singles(_card(files, one.name))) for one in group.examples],
            turns_of(size.mm),
            None if draft.kind == "marks" else CardName("", (0.0, 0.0), names[group.id], group.attributes),
        )
        for group in draft.groups
    ]
    lesson = taught(draft.name, found, size, groups, draft.game, marks=draft.kind == "marks")
    lesson = with_margins(lesson, pictures, _MOST_JUDGED)
    margins = lesson.margins
    write_whole(files.deck, pack_deck(lesson.deck))
    if margins is None:
        return MeasuredFaces(judged=0, sure=0)
    ids = {name: group for group, name in names.items()}
    odds = None if margins.weakest is None else odds_of(margins.weakest[2])
    weakest = None if margins.weakest is None else (ids[margins.weakest[0]], ids[margins.weakest[1]])
    alike = [(ids[one], ids[other]) for one, other in lesson.deck.alike]
    return MeasuredFaces(judged=margins.judged, sure=margins.certain, odds=odds, weakest=weakest, alike=alike)


@dataclass(frozen=True)
class TestRead:
    """Cards read in a picture, and the picture's size."""

    size_px: tuple[int, int]
    readings: tuple[DraftReading, ...]


def read_test(state: Path, number: int, draft: Draft) -> TestRead:
    """Return the cards in a picture, read by the lesson's deck.

    Raises:
        VisionError: the picture or the deck cannot be read.
    """
    files = LessonFiles(state)
    picture = load_picture(files.picture(number))
    deck = read_deck_file(files.deck)
    names = {name: group for group, name in face_names(draft).items()}
    reading = reader_of(deck).read(picture.image)
    readings = [_draft_reading(card, names) for card in (*reading.cards, *reading.unclear)]
    return TestRead(picture.size_px, tuple(readings))


def _draft_reading(card: Card, names: Mapping[str, int]) -> DraftReading:
    """Return a card as the page shows it. names: groups by the names of their faces, which faces of marks lack."""
    certain = card.reason is None
    group = None if card.face is None else names.get(card.face.id)
    return DraftReading(
        corners=_points(card.corners_px),
        group=group if certain else None,
        likely=group,
        odds=card.confidence / max(1 - card.confidence, 1e-6),
        marks=[mark.colour for mark in card.named.marks] if certain else [],
    )


def keep_example(state: Path, number: int, place: int, corners: Points, draft: Draft) -> None:
    """Save the picture of a card that was corrected in the test."""
    files = LessonFiles(state)
    image = load_picture(files.picture(number)).image
    size = CardSize(draft.card_mm or _USUAL_MM, True)
    (card,) = straight_cards(image, np.array([corners], np.float64), size, markers_in(image))
    files.keep_card(f"{number}-{place}", levels(card))


def _as_loaded(path: Path) -> Picture:
    return Picture(load_picture(path).image, 1)


def _card(files: LessonFiles, name: str) -> Image:
    card = cv2.imread(str(files.card(name)), cv2.IMREAD_COLOR)
    if card is None:
        raise VisionError("error.lessons.picture_of_card_is_gone", "the picture of card {name} is gone", name=name)
    return np.asarray(card, np.uint8)


def _points(points: NDArray[np.floating]) -> Points:
    return [(round(float(x), 2), round(float(y), 2)) for x, y in points]
