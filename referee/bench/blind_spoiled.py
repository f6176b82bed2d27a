"""Pictures of tables in which a card has been spoiled: a hand may be told as it lies, or be called unclear."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.bench.blind import BlindSetting, Outcome, Trial
from referee.bench.hands_laid import hands_laid
from referee.bench.spoiling import SPOILING, Spot
from referee.bench.truth import load_truth
from referee.errors import BadInputError
from referee.scoring.seated_reading import SeatedReader
from referee.scoring.seats import Sharing, share_out
from referee.scoring.unseen_cards import UnseenCards
from simulation.still import table_picture
from simulation.view import Look
from vision.deck import Deck, load_deck
from vision.errors import VisionError
from vision.image import load_image
from vision.reading import CardReading

Image = NDArray[np.uint8]
Spoil = Callable[[Spot], Image]

_PLAYERS = (2, 3, 4, 5)  # in turn: the seats' borders lie elsewhere among the cards
_SIZE = (1280, 720)
_DRAWN = 12  # tables, of as many looks as there are
_LOOKS = tuple(Look(table) for table in ("wood", "cloth", "plain", "checked", "white"))


@dataclass(frozen=True, eq=False)
class _Table:
    """A picture, and what is told of it for certain: `hands`, by seat, and their cards."""

    name: str
    image: Image
    players: int
    hands: dict[int, Counter[str]]
    cards: list[CardReading]


def _dark(spot: Spot) -> Image:
    """The whole picture is darker."""
    return np.asarray(spot.image * np.exp(spot.random.uniform(np.log(0.01), np.log(0.5))), np.uint8)


def _bright(spot: Spot) -> Image:
    """The whole picture is brighter."""
    return np.asarray(np.minimum(spot.image * spot.random.uniform(1.2, 5.0), 255), np.uint8)


def _unsharp(spot: Spot) -> Image:
    """The whole picture is out of focus."""
    return np.asarray(cv2.GaussianBlur(spot.image, (0, 0), spot.random.uniform(0.5, 3.5) * spot.px_per_mm), np.uint8)


def _moved(spot: Spot) -> Image:
    """The card lies a little further on, where it may cover others in part; where it lay, the table is guessed."""
    far = spot.random.uniform(5, 60) * spot.px_per_mm
    turn = spot.random.uniform(0, 2 * np.pi)
    shift = np.array([[1, 0, far * np.cos(turn)], [0, 1, far * np.sin(turn)]])
    size = (spot.image.shape[1], spot.image.shape[0])
    gone = (spot.card(grown_mm=3.0)[..., 0] > 0.02).astype(np.uint8)
    bare = cv2.inpaint(spot.image, gone, 3, cv2.INPAINT_TELEA)
    mask = cv2.warpAffine(spot.card(), shift, size)[..., None]
    return np.asarray(bare * (1 - mask) + cv2.warpAffine(spot.image, shift, size) * mask, np.uint8)


_WAYS: dict[str, Sequence[Spoil]] = {
    "wipe": [SPOILING[name] for name in ("wiped", "lamp", "tube", "window")],
    "dark": [SPOILING["darkened"], _dark],
    "bright": [SPOILING["brightened"], _bright],
    "blur": [SPOILING["blurred"], SPOILING["smeared"], _unsharp],
    "cover": [SPOILING[name] for name in ("mug", "phone", "paper", "cloth", "sleeve")],
    "move": [_moved],
}


def _trials(kind: str, setting: BlindSetting) -> Iterator[Trial]:
    """Spoil a card of a table that is told for certain, in each trial another one."""
    random = np.random.default_rng([setting.seed, *kind.encode()])
    deck = load_deck("confetti")
    tables = [table for table in _tables(setting, deck) if table.cards]
    if not tables:
        raise BadInputError("on no picture is a hand certain, so nothing can be spoiled")
    ways = _WAYS[kind]
    for number in range(setting.trials):
        table = tables[int(random.integers(len(tables)))]
        card = table.cards[int(random.integers(len(table.cards)))]
        seed = int(random.integers(1 << 31))
        way = ways[number % len(ways)]
        what = f"{table.name}, {card.face.id}, {way.__name__.strip('_')}, {seed}"
        spoiled = way(Spot(table.image, card.corners_px, np.random.default_rng(seed)))
        yield Trial(kind, what, *_judged(table, spoiled, deck, elsewhere=card if kind == "move" else None))


def _judged(table: _Table, image: Image, deck: Deck, elsewhere: CardReading | None) -> tuple[Outcome, str]:
    """Tell how the hands of a spoiled picture compare with the true ones; `elsewhere`: a card that may change hands."""
    try:
        sharing = _shared(image, deck, table.players)
    except (BadInputError, VisionError) as error:
        return "unclear", str(error)
    moved = {elsewhere.face.id} if elsewhere is not None else set()
    outcome: Outcome = "right"
    said = []
    there: Counter[str] = Counter()
    for hand in sharing.seats:
        found = Counter(card.face.id for card in hand.cards)
        there += found
        # Of a seat that was doubted before nobody knows more afterwards.
        true = table.hands.get(hand.seat, found)
        missed, extra = set(true - found) - moved, set(found - true) - moved
        if hand.unclear:
            outcome = "unclear" if outcome == "right" else outcome
        elif missed or extra:
            outcome = "wrong"
            said.append(f"seat {hand.seat + 1} lacks {sorted(missed)}, has {sorted(extra)} too many")
    doubted = any(hand.unclear for hand in sharing.seats)
    lost = moved - set(there) - {card.face.id for card in sharing.heap}
    if lost and not doubted and not sharing.heap_unclear:
        outcome = "wrong"
        said.append(f"{sorted(lost)} is nowhere")
    return outcome, "; ".join(said) or outcome


def _shared(image: Image, deck: Deck, players: int) -> Sharing:
    seated = UnseenCards(deck).doubt(image, SeatedReader(deck, None, players).read(image))
    return share_out(seated.reading, seated.ring, None)


def _tables(setting: BlindSetting, deck: Deck) -> Iterator[_Table]:
    for number, (name, image) in enumerate(_pictures(setting, deck)):
        players = _PLAYERS[number % len(_PLAYERS)]
        try:
            sharing = _shared(image, deck, players)
        except (BadInputError, VisionError):
            continue
        certain = [hand for hand in sharing.seats if not hand.unclear]
        hands = {hand.seat: Counter(card.face.id for card in hand.cards) for hand in certain}
        cards = [card for hand in certain for card in hand.cards]
        yield _Table(name, image, players, hands, cards)


def _pictures(setting: BlindSetting, deck: Deck) -> Iterator[tuple[str, Image]]:
    if setting.folder is not None:
        for picture in load_truth(setting.folder):
            yield picture.path.name, load_image(picture.path)
        return
    for number in range(min(_DRAWN, setting.trials)):
        look, seed = _LOOKS[number % len(_LOOKS)], setting.seed * 100 + number
        laid = hands_laid(_PLAYERS[number % len(_PLAYERS)], seed, _SIZE[0] / _SIZE[1])
        image, _ = table_picture(deck, len(laid.places), seed=seed, size=_SIZE, look=look, laid=laid)
        yield f"drawn {look.table} {seed}", image


wipe, dark, bright, blur, cover, move = (partial(_trials, kind) for kind in _WAYS)
