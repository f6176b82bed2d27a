"""Draws the rehearsal camera's pictures: tables of Confetti, and of Piccolino with a happy pair."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import cv2

from referee.decks.lookup import find_deck
from referee.games.piccolino.demo import PiccolinoPlan, write_piccolino
from simulation.live import LiveTable, Shots
from simulation.still import table_picture
from vision.arrays import Image
from vision.deck import load_deck

FRAME_SIZE = (1280, 720)
CARDS = 5
PLAYERS = 3


@dataclass(frozen=True)
class Pictured:
    """A picture as JPEG, and its truth: the faces, or the colour of the only happy pair."""

    jpeg: bytes
    truth: frozenset[str]


def confetti() -> Pictured:
    """Return a table with some separate cards."""
    picture, truth = table_picture(load_deck("confetti"), CARDS, seed=3, size=FRAME_SIZE)
    return Pictured(_jpeg(picture), frozenset(card["id"] for card in truth["cards"]))


def piccolino() -> Pictured:
    """Return a table on which each player has turned one card, with the first seed that gives a happy pair."""
    deck = find_deck("piccolino")
    for seed in range(1000):
        game = write_piccolino(deck, seed, PiccolinoPlan(players=PLAYERS, turns=PLAYERS, notice=0.0, hothead=None))
        tops = [event.data for event in game.events if event.kind == "card_shown"]
        happy = Counter(str(top["colour"]) for top in tops if top["mood"] == "happy")
        pairs = [colour for colour, count in happy.items() if count > 1]
        if len(tops) == PLAYERS and pairs:
            break
    table = LiveTable(game.script, deck, seed, Shots(size=FRAME_SIZE, frames_per_s=10.0))
    return Pictured(_jpeg(table.frame(table.frames - 1).bgr()), frozenset(pairs))


def _jpeg(image: Image) -> bytes:
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
