"""A scored table of Coloretto: each seat's cards in a picture, and their points (K7, K8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf

from referee.games.coloretto.sayings import say_choice, say_hand
from referee.games.coloretto.score import HandCards, HandScore, SummarySide, score_coloretto
from referee.games.coloretto.start_options import JOKER, PLUS2
from referee.language import Language
from referee.sayings.cards import say_doubts, say_seat, say_strange, say_worth
from referee.sayings.colours import colour_name
from referee.scoring.evidence_picture import SEAT_COLOURS, Canvas, draw_table, draw_tag
from referee.scoring.seated_reading import SeatedReading
from referee.scoring.seats import SeatCards, SeatRing, Sharing, share_out
from referee.scoring.unseen_cards import read_to_score
from vision.arrays import Image
from vision.deck import Deck
from vision.image import Picture
from vision.profile import TableProfile
from vision.read.verdict import VERDICT, confidence_of
from vision.reading import Card, reasons_of
from vision.table import Table as SeenTable

_FRONT = "front"
_KEY_ATTRIBUTES = ("kind", "colour", "room")  # the only differences of cards that the rules know


@dataclass(frozen=True, eq=False)
class ColorettoTable:
    """A scored table; `hands` and `scores` are by seat, `strange` holds each seat's faces without a score.

    `remarks` are sentences on the marker cards and the camera.
    """

    image: Image
    deck: Deck
    ring: SeatRing
    table: SeenTable
    sharing: Sharing
    hands: tuple[HandCards, ...]
    scores: tuple[HandScore, ...]
    strange: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()
    faults: Mapping[int, str] = field(default_factory=dict)

    def as_json(self, hand: SeatCards) -> dict[str, object]:
        """Return the JSON of one seat: its number, its cards, and the score with the contract's keys."""
        held = self.hands[hand.seat]
        return {
            "seat": hand.seat,
            "faces": [self.named(card) for card in self.counted(hand)],
            "unclear": len(hand.unclear),
            "reasons": reasons_of(hand.unclear),
            **self.scores[hand.seat].as_json(),
            "hand": {
                "colours": {colour: cards for colour, cards in held.colours.items() if cards},
                "jokers": held.jokers,
                "plus2": held.plus2,
            },
            "not_in_game": list(self.strange[hand.seat]),
        }

    def counted(self, hand: SeatCards) -> list[Card]:
        """Return a seat's cards that score."""
        return [card for card in hand.cards if card_of(self.deck, card.named.id) is not None]

    def named(self, card: Card) -> str:
        """Return the face of a card that scores, or its value where only that is certain: "moon", not "8-moon"."""
        name = card_of(self.deck, card.named.id)
        alone = sum(card_of(self.deck, face.id) == name for face in self.deck.fronts) == 1
        return card.named.id if alone or name is None or _is_certain(card) else name

    def sentences(self, language: Language) -> list[tuple[int | None, str]]:
        """Return the sentences of each seat; people count seats from one."""
        return [(hand.seat, say_seat(hand.seat, self._say(hand, language), language)) for hand in self.sharing.seats]

    def drawn(self, language: Language) -> Image:
        """Return the picture with the evidence, (h, w, 3) uint8 BGR: each card's name, with its sign."""

        def draw_hand(canvas: Canvas, hand: SeatCards) -> None:
            for card in self.counted(hand):
                self._draw_card(canvas, card, hand.seat, language)

        points = {seat: score.points for seat, score in enumerate(self.scores)}
        words = self.sentences(language)
        return draw_table(self.image, self.table, self.ring, self.sharing, points, words, language, draw_hand)

    def _draw_card(self, canvas: Canvas, card: Card, seat: int, language: Language) -> None:
        colour, score, name = SEAT_COLOURS[seat], self.scores[seat], card_of(self.deck, card.named.id) or ""
        sign = "" if name == PLUS2 else "-" if name in score.minus else "+" if name in score.plus else ""
        canvas.line(card.corners_px, colour, 4, closed=True)
        label = sign + (name if name in (PLUS2, JOKER) else colour_name(language, name))
        # The label is at the end that a column leaves visible: the upper card covers the lower one's middle.
        draw_tag(canvas, card.corners_px[:2] + 0.1 * (card.corners_px[3:1:-1] - card.corners_px[:2]), label, colour)

    def _say(self, hand: SeatCards, language: Language) -> str:
        score, held = self.scores[hand.seat], self.hands[hand.seat]
        text = say_hand(held, language) if self.counted(hand) else language.cards(0)
        choice = say_choice(score.plus, score.minus, score.jokers, language)
        text += f"; {choice}" if choice else ""
        return (
            say_worth(text, score.points, language)
            + say_strange(sorted(set(self.strange[hand.seat])), language)
            + say_doubts(hand.unclear, hand.seat, language)
        )


def score_coloretto_picture(
    picture: Picture, deck: Deck, profile: TableProfile | None, players: int, table: SummarySide
) -> ColorettoTable:
    """Read a picture, assign its cards to the seats, and score them all (K7, K8).

    Raises:
        BadInputError: too few markers are visible to know the seats.
        BadTableError: the markers do not fit a flat table, or the picture does not fit the profile.
    """
    seated, sharing = read_areas(picture.image, deck, profile, players)
    held = [Counter(card_of(deck, card.named.id) for card in hand.cards) for hand in sharing.seats]
    colours = sorted({card for cards in held for card in cards if card not in (None, JOKER, PLUS2)}, key=str)
    hands = tuple(
        HandCards({str(colour): cards[colour] for colour in colours}, cards[JOKER], cards[PLUS2]) for cards in held
    )
    strange = tuple(
        tuple(card.named.id for card in hand.cards if _kind(deck, card.named.id) is None) for hand in sharing.seats
    )
    scores = tuple(score_coloretto(hand, table) for hand in hands)
    return ColorettoTable(
        picture.image, deck, seated.ring, seated.table, sharing, hands, scores, strange, seated.remarks()
    )


def read_areas(image: Image, deck: Deck, profile: TableProfile | None, players: int) -> tuple[SeatedReading, Sharing]:
    """Read a picture, (h, w, 3) BGR, and assign its cards to the seats.

    Raises:
        BadInputError, BadTableError: see `score_coloretto_picture`.
    """
    deck = as_counted(deck)
    seated = _too_many(deck, read_to_score(image, deck, profile, players))
    return seated, share_out(seated.reading, seated.ring, _FRONT)


def as_counted(deck: Deck) -> Deck:
    """Return a deck in which faces of equal value are one: the Everdeck's ranks do not matter."""
    return replace(deck, key_attributes=_KEY_ATTRIBUTES)


def card_of(deck: Deck, face_id: str) -> str | None:
    """Return a face's name in the rules: a colour, "+2" or "joker"; None for a face without a score."""
    kind = _kind(deck, face_id)
    return deck.face(face_id).attributes.get("colour") if kind == "colour" else kind if kind in (PLUS2, JOKER) else None


def _kind(deck: Deck, face_id: str) -> str | None:
    return deck.face(face_id).attributes.get("kind")


def _too_many(deck: Deck, seated: SeatedReading) -> SeatedReading:
    """Return the reading with a doubt on every face that occurs more often than the deck has it.

    One of its cards was misread. Faces of equal value are checked alone, if they are certain, and together.
    """
    cards = [card for card in seated.reading.cards if card.side == _FRONT]
    meanings = {face.id: int(meaning) for face, meaning in zip(deck.faces, deck.meanings, strict=True)}
    most = {face.id: inf if face.count is None else max(face.count, 1) for face in deck.fronts}
    alike: Counter[int] = Counter(meanings[card.named.id] for card in cards)
    same = Counter(card.named.id for card in cards if _is_certain(card))
    together: dict[int, float] = {}
    for face, many in most.items():
        together[meanings[face]] = together.get(meanings[face], 0) + many
    over = {face for face in most if same[face] > most[face] or alike[meanings[face]] > together[meanings[face]]}
    if not over:
        return seated
    doubted = [replace(card, reason="same card twice") for card in cards if card.named.id in over]
    left = tuple(card for card in seated.reading.cards if card.named.id not in over)
    return replace(seated, reading=replace(seated.reading, cards=left).and_unclear(doubted))


def _is_certain(card: Card) -> bool:
    """Return whether the face itself is certain, not only its value."""
    return card.confidence >= confidence_of(VERDICT.certain)
