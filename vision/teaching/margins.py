"""Measures the separation of a new deck's faces: it judges every card of the lesson once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.markers import markers_in, white_of
from vision.read.print_deck import PrintDeck
from vision.read.rectify import Pyramid
from vision.read.verdict import VERDICT
from vision.read.verifier import Verifier
from vision.teaching.lesson import TeachingPicture
from vision.teaching.taught_prints import FaceMargins, Lesson

MOST_JUDGED = 8
"""Cards: those of the faces that look most alike, as each takes some tenths of a second."""


def odds_of(margin: float) -> float:
    """To how many one a reading with this margin (log-odds) is right, as far as the reader's scale is true."""
    return float(np.exp(np.clip(margin / VERDICT.log_odds_scale, -10, 10)))


def measured(
    lesson: Lesson, deck: PrintDeck, pictures: Sequence[TeachingPicture], most: int = MOST_JUDGED
) -> FaceMargins:
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
    confused = {(min(one, two), max(one, two)) for one, two, margin in told if margin < VERDICT.likely}
    return FaceMargins(judged, sure, min(told, key=lambda look: look[2], default=None), tuple(sorted(confused)))


def with_margins(lesson: Lesson, pictures: Sequence[TeachingPicture], most: int = MOST_JUDGED) -> Lesson:
    """A lesson with its margins, and with a deck that knows which faces it confuses; one of marks as it is.

    Raises:
        BadImageError: a picture cannot be read.
    """
    deck = lesson.deck
    if not isinstance(deck, PrintDeck):
        return lesson
    margins = measured(lesson, deck, pictures, most)
    known = {frozenset(pair) for pair in deck.alike}
    alike = deck.alike + tuple(pair for pair in margins.confused if frozenset(pair) not in known)
    return replace(lesson, deck=replace(deck, alike=alike), margins=margins)
