"""A family's lesson on a drawn table: the cards of a deck laid apart, photographed and named, and the deck learned.

Where the cards are is given, a little off: that the finder finds them is not what is measured here.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

import numpy as np

from simulation.art import BACK, FRONT
from simulation.live import LiveTable, Shots
from simulation.script import CardPose, Script, ScriptCard
from simulation.truth import CardTruth, truth_at
from simulation.view import Look
from vision.arrays import Image
from vision.deck import Deck, Face
from vision.deck_file import pack_deck, unpack_deck
from vision.image import Picture
from vision.markers import markers_in, table_if_shown
from vision.teaching.lesson import learn
from vision.teaching.lesson_cards import CardSize, LaidCards, TeachingPicture
from vision.teaching.names import CardName

_AREA_MM = (720.0, 405.0)
_SIZE = (1920, 1080)
_COLUMNS, _ROWS = 4, 2
_APART_MM = (130.0, 150.0)
_OFF_PX = 0.5  # the finder is 0.3 to 0.4 px off where pictures are path-traced
_TIMES = 2
"""Number of times each face is shown."""


def taught(printed: Deck, seed: int, shots: Shots | None = None) -> Deck:
    """Return a deck as Ringmaster knows it that was taught from pictures of its cards, and kept in a file."""
    luck = random.Random(seed)
    cards = [face for face in printed.faces for _ in range(_TIMES)]
    luck.shuffle(cards)
    each = _COLUMNS * _ROWS
    lots = [cards[at : at + each] for at in range(0, len(cards), each)]
    shown = [_picture(printed, lot, luck, shots or Shots(size=_SIZE, look=Look(table="cloth"))) for lot in lots]
    pictures = [TeachingPicture(f"{number}.png", partial(Picture, image, 1)) for number, (image, _) in enumerate(shown)]
    names: list[CardName] = []
    for number, (_, truth) in enumerate(shown):
        for card in truth:
            face = printed.back if card.side == BACK else printed.face(card.face)
            assert face is not None
            x, y = card.corners_px.mean(axis=0).tolist()
            names.append(CardName(f"{number}.png", (x, y), face.id, face.attributes))
    laid = [_laid(image, truth, printed, luck) for image, truth in shown]
    size = CardSize(printed.card_mm, is_true=True)
    lesson = learn(printed.name, pictures, laid, size, tuple(names), printed.game)
    kept = unpack_deck(pack_deck(lesson.deck), lesson.deck.name)
    assert isinstance(kept, Deck)
    return kept


def _laid(image: Image, truth: Sequence[CardTruth], printed: Deck, luck: random.Random) -> LaidCards:
    markers = markers_in(image)
    size_px = (image.shape[1], image.shape[0])
    quads = np.array([card.corners_px for card in truth])
    quads += np.random.default_rng(luck.randrange(1 << 30)).normal(0, _OFF_PX, quads.shape)
    return LaidCards(quads, (), tuple(markers), table_if_shown(tuple(markers), size_px), size_px)


def _picture(
    printed: Deck, faces: Sequence[Face], luck: random.Random, shots: Shots
) -> tuple[Image, Sequence[CardTruth]]:
    left, top = (
        (area - (count - 1) * apart) / 2
        for area, count, apart in zip(_AREA_MM, (_COLUMNS, _ROWS), _APART_MM, strict=True)
    )
    cards = []
    for number, face in enumerate(faces):
        x = left + number % _COLUMNS * _APART_MM[0] + luck.uniform(-8, 8)
        y = top + number // _COLUMNS * _APART_MM[1] + luck.uniform(-8, 8)
        side = BACK if face.side == BACK else FRONT
        front = printed.fronts[0].id if side == BACK else face.id
        cards.append(ScriptCard(f"{face.id}/{number}", front, CardPose(x, y, luck.uniform(-25, 25), side)))
    table = LiveTable(Script(_AREA_MM, tuple(cards), (), (), 1.0), printed, luck.randrange(1 << 30), shots)
    return table.frame(0).bgr(), truth_at(table, table.exposure_end_ns(0)).cards
