"""Whole hands of a folder of pictures with truth: `python -m tools.bench.hands DIR --players 3`.

A hand with an unclear card is unclear. Another hand is right if its cards are the true ones, else wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from referee.accuracy import TruePicture, load_truth
from referee.decks.lookup import find_deck
from referee.errors import BadInputError
from referee.games.coloretto.table_score import card_of, read_areas
from referee.output import along
from referee.scoring.seated_reading import SeatedReading
from referee.scoring.unseen_cards import read_to_score
from tools.bench.common import Row, command, say
from vision.arrays import Image
from vision.deck import PRINTS
from vision.errors import VisionError
from vision.image import load_image


def measure(folder: Path, players: int = 3, deck: str = "confetti", least: float = 0.9) -> Row:
    """Score the pictures; hands with a card less visible than `least` count only if they are wrong."""
    known = find_deck(deck)
    fronts = {face.id for face in known.side("front")}

    def seated_in(image: Image) -> SeatedReading:
        if known.kind == PRINTS:
            return read_areas(image, known, None, players)[0]
        return read_to_score(image, known, None, players)

    def counts_as(face: str) -> str:
        return (card_of(known, face) if face in fronts else None) or face

    outcomes: Counter[str] = Counter()
    pictures = load_truth(folder)
    for picture in along(pictures, len(pictures)):
        try:
            seated = seated_in(load_image(picture.path))
        except (BadInputError, VisionError) as error:
            say({"picture": picture.path.name, "not_scored": str(error)})
            continue
        for hand in hands_of(picture, seated, counts_as):
            if hand["least"] >= least or hand["outcome"] == "wrong":
                outcomes[hand["outcome"]] += 1
                if hand["outcome"] != "right":
                    say({"picture": picture.path.name, **hand})
    return Row(outcomes.total(), outcomes["right"], outcomes["unclear"], outcomes["wrong"])


def hands_of(
    picture: TruePicture, seated: SeatedReading, counts_as: Callable[[str], str], optional: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Compare each hand with the truth; `optional` are faces that may be read or not."""
    true = _by_seat(seated, ((card, seated.table.centre_mm(card.corners_px)) for card in picture.cards))
    read = _by_seat(seated, ((card.named.id, card.centre_mm) for card in seated.reading.cards))
    unclear = _by_seat(seated, ((card, card.centre_mm) for card in seated.reading.unclear))
    for seat in range(seated.ring.players):
        there = Counter(counts_as(card.face) for card in true[seat] if card.face is not None)
        found = Counter(map(counts_as, (face for face in read[seat] if face not in optional)))
        if there or found or unclear[seat]:
            outcome = "unclear" if unclear[seat] else "right" if there == found else "wrong"
            missed, extra = (sorted(rest.elements()) for rest in (there - found, found - there))
            least = min((card.visible for card in true[seat]), default=1.0)
            yield {"seat": seat, "outcome": outcome, "missed": missed, "extra": extra, "least": round(least, 2)}


def _by_seat(seated: SeatedReading, placed: Iterable[tuple[Any, tuple[float, float] | None]]) -> list[list[Any]]:
    hands: list[list[Any]] = [[] for _ in range(seated.ring.players)]
    for thing, centre_mm in placed:
        seat = None if centre_mm is None else seated.ring.seat_at(centre_mm)
        if seat is not None:
            hands[seat].append(thing)
    return hands


if __name__ == "__main__":
    command(measure)
