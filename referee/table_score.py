"""A scored table: who holds which cards in a picture, and what each hand is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.errors import BadInputError
from referee.evidence_picture import draw_scores
from referee.games.confetti_hand import SIZES, Card, Overlimit, Score, score_hand
from referee.hands_off import HandsOff
from referee.in_sight import InSight
from referee.language import Language
from referee.sayings.confetti import say_score
from referee.sayings.unclear_cards import say_unclear
from referee.seated_reading import SeatedReader
from referee.seats import SeatCards, SeatRing, Sharing, share_out
from referee.words import count_of, number_word
from vision.deck import Deck, Face
from vision.image import Picture
from vision.profile import TableProfile
from vision.table import Table


@dataclass(frozen=True, eq=False)
class TableScore:
    """A scored table; `scores` is by seat and lacks the hands that are too large to score, which `faults` explain.

    `remarks` are sentences on the marker cards and the camera.
    """

    ring: SeatRing
    table: Table
    sharing: Sharing
    scores: dict[int, Score]
    faults: dict[int, str]
    remarks: tuple[str, ...] = ()

    def sentences(self) -> list[tuple[int | None, str]]:
        """Give what is said of each seat, and at the end, without a seat, of the cards in nobody's hand.

        People count seats from one, as the page does.
        """
        said: list[tuple[int | None, str]] = [
            (hand.seat, f"Seat {hand.seat + 1}: {self._say_hand(hand)}") for hand in self.sharing.seats
        ]
        text = f"{count_of(len(self.sharing.heap), 'card')} in nobody's hand"
        if self.sharing.heap_unclear:
            text += f" and {number_word(len(self.sharing.heap_unclear))} more that cannot be read"
        played = any(hand.cards for hand in self.sharing.seats)
        said.append((None, f"{self.sharing.side.capitalize()} side played, {text}" if played else text.capitalize()))
        return said

    def as_json(self, hand: SeatCards) -> dict[str, object]:
        """Give the line of one seat that could be scored: the keys of the outside contract, `side` and `other_side`."""
        return {
            "seat": hand.seat,
            "faces": [card.face.id for card in hand.cards],
            "unclear": len(hand.unclear),
            "reasons": sorted({card.reason for card in hand.unclear}),
            **self.scores[hand.seat].as_json(),
            "side": self.sharing.side,
            "other_side": [card.face.id for card in hand.other_side],
        }

    def drawn(self, picture: Picture, deck: Deck) -> NDArray[np.uint8]:
        """Give the picture, (h, w, 3) uint8 BGR, with the evidence drawn in."""
        words = self.sentences()
        return draw_scores(picture.image, deck, self.table, self.ring, self.sharing, self.scores, words)

    def _say_hand(self, hand: SeatCards) -> str:
        if hand.seat in self.faults:
            return self.faults[hand.seat]
        score = self.scores[hand.seat]
        text = say_score(score.as_json(), Language()) if hand.cards else "no cards"
        text += f": {score.points} point{'' if abs(score.points) == 1 else 's'}"
        if hand.other_side:
            text += f"; not counted: {count_of(len(hand.other_side), 'card')} with the other side up"
        if hand.unclear:
            text += f"; not certain: {say_unclear(hand.unclear, hand.seat)}"
        return text


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
    """Read a picture, share the cards among the seats, and score every hand (C5-C7).

    Raises:
        BadInputError: too few markers are in sight to know the seats.
        BadTableError: the markers lie on no flat table, or the picture does not fit the profile.
    """
    seated = SeatedReader(deck, profile, players).read(picture.image)
    seated = InSight(deck).doubt(picture.image, HandsOff(deck).doubt(picture.image, seated))
    sharing = share_out(seated.reading, seated.ring, side)
    scores: dict[int, Score] = {}
    faults: dict[int, str] = {}
    for hand in sharing.seats:
        try:
            scores[hand.seat] = score_hand([card_of(card.face) for card in hand.cards], limit, overlimit)
        except BadInputError as error:
            faults[hand.seat] = str(error)
    return TableScore(seated.ring, seated.table, sharing, scores, faults, seated.remarks())


def card_of(face: Face) -> Card:
    """Give a face's colours, small, medium and big, as the rules count them."""
    small, medium, big = (mark.colour for size in SIZES for mark in face.marks if mark.size == size)
    return small, medium, big
