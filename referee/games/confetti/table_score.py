"""A scored table: each seat's cards in a picture, and the score of each hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np

from referee.errors import BadInputError
from referee.games.confetti.sayings import say_score
from referee.games.confetti.score import SIZES, Card, Overlimit, Score, score_hand
from referee.language import Language
from referee.phrases import in_language, phrase_of
from referee.sayings.cards import other_side_tag, say_doubts, say_heap, say_inferred, say_left_out, say_seat, say_worth
from referee.scoring.evidence_picture import DARK, SEAT_COLOURS, Canvas, draw_table, draw_tag
from referee.scoring.seats import SeatCards, SeatRing, Sharing, share_out
from referee.scoring.unseen_cards import read_to_score
from vision.arrays import Image, Points
from vision.deck import Deck, Face
from vision.image import Picture
from vision.profile import TableProfile
from vision.reading import Card as ReadCard
from vision.reading import reasons_of
from vision.render_face import bgr
from vision.table import Table

RING_GAP_MM = 1.5  # between a mark's edge and the ring that shows it in a set


@dataclass(frozen=True, eq=False)
class TableScore:
    """A scored table; `scores` is by seat, without the hands that are too large to score, which `faults` explain.

    `remarks` are sentences on the marker cards and the camera.
    """

    image: Image
    deck: Deck
    ring: SeatRing
    table: Table
    sharing: Sharing
    scores: dict[int, Score]
    faults: dict[int, str]
    remarks: tuple[str, ...] = ()

    def sentences(self, language: Language) -> list[tuple[int | None, str]]:
        """Return the sentences of each seat, and at the end, without a seat, of the cards in nobody's hand.

        People count seats from one, as the page does.
        """
        said: list[tuple[int | None, str]] = [
            (hand.seat, say_seat(hand.seat, self._say_hand(hand, language), language)) for hand in self.sharing.seats
        ]
        side = self.sharing.side if any(hand.cards for hand in self.sharing.seats) else None
        said.append((None, say_heap(len(self.sharing.heap), len(self.sharing.heap_unclear), side, language)))
        if side is not None and self.sharing.inferred:
            said.append((None, say_inferred(language)))
        return said

    def as_json(self, hand: SeatCards) -> dict[str, object]:
        """Return the JSON of a scored seat: the contract's keys, the side, and whether the side is inferred."""
        return {
            "seat": hand.seat,
            "faces": [card.named.id for card in hand.cards],
            "unclear": len(hand.unclear),
            "reasons": reasons_of(hand.unclear),
            **self.scores[hand.seat].as_json(),
            "side": self.sharing.side,
            "side_inferred": self.sharing.inferred,
            "other_side": [card.named.id for card in hand.other_side],
        }

    def drawn(self, language: Language) -> Image:
        """Return the picture with the evidence, (h, w, 3) uint8 BGR."""

        def draw_hand(canvas: Canvas, hand: SeatCards) -> None:
            colour = SEAT_COLOURS[hand.seat]
            for card in hand.cards + hand.other_side:
                canvas.line(card.corners_px, colour, 5, closed=True)
            for card in hand.other_side:
                draw_tag(canvas, card.corners_px, other_side_tag(language), colour)
            if hand.seat in self.scores:
                _draw_sets(canvas, self.deck, hand.cards, self.scores[hand.seat], self.sharing.side)

        points = {seat: score.points for seat, score in self.scores.items()}
        words = self.sentences(language)
        return draw_table(self.image, self.table, self.ring, self.sharing, points, words, language, draw_hand)

    def _say_hand(self, hand: SeatCards, language: Language) -> str:
        if hand.seat in self.faults:
            return in_language(self.faults[hand.seat], language)
        score = self.scores[hand.seat]
        held = say_score(score.as_json(), language) if hand.cards else language.cards(0)
        return (
            say_worth(held, score.points, language)
            + say_left_out(len(hand.other_side), language)
            + say_doubts(hand.unclear, hand.seat, language)
        )


def score_picture(
    picture: Picture,
    deck: Deck,
    profile: TableProfile | None,
    players: int,
    limit: int,
    *,
    side: str | None = None,
    overlimit: Overlimit = Overlimit.SEPARATE,
) -> TableScore:
    """Read a picture, assign its cards to the seats, and score every hand (C5–C7).

    Raises:
        BadInputError: too few markers are visible to know the seats.
        BadTableError: the markers do not fit a flat table, or the picture does not fit the profile.
    """
    seated = read_to_score(picture.image, deck, profile, players)
    sharing = share_out(seated.reading, seated.ring, side)
    scores: dict[int, Score] = {}
    faults: dict[int, str] = {}
    for hand in sharing.seats:
        try:
            scores[hand.seat] = score_hand([card_of(card.named) for card in hand.cards], limit, overlimit)
        except BadInputError as error:
            faults[hand.seat] = phrase_of(error)
    return TableScore(picture.image, deck, seated.ring, seated.table, sharing, scores, faults, seated.remarks())


def card_of(face: Face) -> Card:
    """Return a face's colours, small, medium and big, in the form of the rules."""
    small, medium, big = (face.attributes[size] for size in SIZES)
    return small, medium, big


def _draw_sets(canvas: Canvas, deck: Deck, cards: Sequence[ReadCard], score: Score, side: str) -> None:
    used = {at for one in score.arrangement for at in one.cards}
    for at, card in enumerate(cards):
        if at not in used:
            for ends in ([0, 2], [1, 3]):
                canvas.line(card.corners_px[ends], DARK, 5)
    for one in score.arrangement:
        rings = [_ring_px(deck, cards[at], size) for at, size in zip(one.cards, SIZES, strict=True)]
        colour = bgr(deck.palette[side][one.colour])
        for ring in rings:
            canvas.line(ring, colour, 4, closed=True)
        for ring, following in pairwise(rings):
            apart = np.linalg.norm(ring[:, None] - following, axis=2)
            start, end = np.unravel_index(apart.argmin(), apart.shape)
            canvas.line(np.array([ring[start], following[end]]), colour, 4)


def _ring_px(deck: Deck, card: ReadCard, size: str) -> Points:
    """Return a ring round a card's small, medium or big mark, (32, 2), in pixels; it leaves the mark visible."""
    mark = next(mark for mark in card.named.marks if mark.size == size)
    angles, radius = np.linspace(0, 2 * np.pi, 32, endpoint=False), mark.diameter_mm / 2 + RING_GAP_MM
    ring_mm = (mark.x_mm, mark.y_mm) + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    width, height = deck.card_mm
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    warp = cv2.getPerspectiveTransform(corners, np.asarray(card.corners_px, np.float32))
    ring_px: Points = np.asarray(cv2.perspectiveTransform(ring_mm[None], warp)[0], np.float64)
    return ring_px
