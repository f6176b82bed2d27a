"""Judges readings of pictures whose truth is known: which cards were right, wrong, unclear or missed.

Beside a picture is a `NAME.json` with `cards[]`: `id` (the face), `side`, `corners_px` (clockwise from the face's top
left) and `visible_fraction`; perhaps with `image`, `scenario` and `up`, the real side that the file calls `front`. A
folder of pictures may have all that in one `truth.json` as `pictures[]`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import BadInputError
from vision.deck import Deck
from vision.reading import Card, Reading

Corners = NDArray[np.float64]
Known = frozenset[tuple[str, str]]

OUTCOMES = ("wrong", "right", "unclear", "missed")
GROUPS = (">=0.90", "0.50-0.90", "<0.50", "not in the deck")
HIDDEN = 0.02  # of a card: less of it cannot be read
LOOSE = 0.03  # of the card's width: with `--deck none`, corners that are farther off are not right
_LEAST_OVERLAP = 0.2


@dataclass(frozen=True, eq=False)
class TrueCard:
    """A card in the picture; `face` is None for one of no known deck, `visible` the fraction that can be seen."""

    face: str | None
    side: str
    corners_px: Corners
    visible: float


@dataclass(frozen=True, eq=False)
class TruePicture:
    """A picture, the kind of its scene, and the cards in it."""

    path: Path
    scenario: str
    cards: tuple[TrueCard, ...]


@dataclass(frozen=True, eq=False)
class PictureOutcome:
    """The outcome of each true card of a picture with its group; false: confident readings on no card."""

    picture: TruePicture
    cards: tuple[tuple[str, str, TrueCard, Card | None], ...]
    false: tuple[Card, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the picture's name, and each card that was not right."""
        not_right = [
            {"face": card.face, "side": card.side, "group": group, "outcome": outcome, "read": _name(read)}
            for group, outcome, card, read in self.cards
            if outcome != "right"
        ]
        line = {"picture": self.picture.path.name, "cards": len(self.cards), "not_right": not_right}
        return {**line, "false": len(self.false)}


def load_truth(folder: Path) -> list[TruePicture]:
    """Load the truth about all pictures of a folder, in the order of their names.

    Raises:
        BadInputError: there is no such folder, no picture with truth in it, or a truth file is broken.
    """
    if not folder.is_dir():
        raise BadInputError("error.accuracy.there_is_no_folder", folder=folder)
    pictures: list[TruePicture] = []
    for file in sorted(folder.glob("*.json")):
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            if isinstance(data, dict) and isinstance(data.get("cards", data.get("pictures")), list):
                pictures += [_picture(folder, one, file.stem) for one in data.get("pictures", [data])]
        except OSError as error:
            raise BadInputError("error.cannot_be_read", path=file, why=error.strerror or error) from error
        except (KeyError, TypeError, ValueError) as error:
            raise BadInputError(
                "error.accuracy.truth_in_is_broken", file=file, name=type(error).__name__, why=error
            ) from error
    missing = [picture.path for picture in pictures if not picture.path.is_file()]
    if missing:
        raise BadInputError("error.accuracy.picture_is_missing_beside_its", what=missing[0])
    if not pictures:
        raise BadInputError("error.accuracy.holds_no_pictures_with_truth", folder=folder)
    return pictures


def _picture(folder: Path, data: dict[str, Any], stem: str) -> TruePicture:
    up = data.get("up", "front")
    named = {"front": up, "back": {"white": "black", "black": "white"}.get(up, "back")}
    cards = []
    for card in data["cards"]:
        side, face = card.get("side", "front"), card.get("id", card.get("face"))
        corners = np.array(card["corners_px"], np.float64).reshape(4, 2)
        cards.append(TrueCard(face, named.get(side, side), corners, float(card.get("visible_fraction", 1))))
    scenario = str(data.get("scenario", data.get("scene", " ".join(data.get("tags", ())))))
    return TruePicture(folder / data.get("image", f"{stem}.jpg"), scenario, tuple(cards))


def known_faces(deck: Deck | None) -> Known | None:
    """Return the faces of a deck that a reading may name; None for `--deck none`, whose cards have no faces."""
    return None if deck is None else frozenset((face.id, face.side) for face in deck.fronts)


def judge(picture: TruePicture, reading: Reading, known: Known | None) -> PictureOutcome:
    """Compare a reading with the truth; cards and readings are paired by their places alone.

    known: the faces that it may name, None where cards have none: then only the places of certain cards are judged.
    """
    true = [card for card in picture.cards if card.visible >= HIDDEN]
    reads = reading.cards if known is None else (*reading.cards, *reading.unclear)
    pairs = match([_outline(read) for read in reads], [card.corners_px for card in true])
    read_of = {j: reads[i] for i, j in pairs.items()}
    left = [read for i, read in enumerate(reads) if i not in pairs]
    for read in left:
        shapes = [card.corners_px.astype(np.float32) for card in true]
        around = [j for j, shape in enumerate(shapes) if cv2.pointPolygonTest(shape, read.centre_px, False) >= 0]
        free = [j for j in around if j not in read_of]
        if read.reason is not None and free:
            read_of[free[0]] = read
    cards = tuple((*_outcome(card, read_of.get(j), known), card, read_of.get(j)) for j, card in enumerate(true))
    false = [read for read in left if read.reason is None and (known is None or (_name(read), read.side) in known)]
    return PictureOutcome(picture, cards, tuple(false))


def _outline(card: Card) -> Corners:
    """Return the outline (4, 2), or the middle (1, 2) of a card of which only a part is known."""
    return card.corners_px if len(card.corners_px) == 4 else np.array([card.centre_px])


def _name(read: Card | None) -> str | None:
    """Return the face that a reading names, None where it is unclear."""
    return None if read is None or read.face is None or read.reason is not None else read.face.id


def _outcome(card: TrueCard, read: Card | None, known: Known | None) -> tuple[str, str]:
    """Return a card's group and outcome; a card that the deck does not have is right as long as no face is named."""
    group = GROUPS[0 if card.visible >= 0.9 else 1 if card.visible >= 0.5 else 2]
    if known is None:
        if read is None:
            return group, "missed"
        off = float(corner_distances(read.corners_px, card.corners_px).max())
        return group, "right" if off <= LOOSE * width_px(card.corners_px) else "unclear"
    # Copies of a face are numbered after a dot.
    face = ((card.face or "").split(".")[0], card.side)
    named = None if read is None else (_name(read), read.side)
    if face not in known:
        return GROUPS[3], "wrong" if named in known else "right"
    if read is None:
        return group, "missed"
    return group, "unclear" if read.reason is not None else "right" if named == face else "wrong"


def summary(verdicts: Iterable[PictureOutcome]) -> dict[str, Any]:
    """Count outcomes by group, of all pictures."""
    pictures = list(verdicts)
    counts = Counter((group, outcome) for verdict in pictures for group, outcome, *_ in verdict.cards)
    groups = [group for group in GROUPS if any(counts[group, outcome] for outcome in OUTCOMES)]
    return {
        "pictures": len(pictures),
        "groups": {group: {outcome: counts[group, outcome] for outcome in OUTCOMES} for group in groups},
        "false": sum(len(verdict.false) for verdict in pictures),
    }


def corner_distances(found: Corners, true: Corners) -> NDArray[np.float64]:
    """Return the distances (4,) of corners, (4, 2) each, in the cyclic order with the least largest distance."""
    orders = [np.roll(found, turn, axis=0) for turn in range(4)]
    return min((np.linalg.norm(order - true, axis=1) for order in orders), key=lambda gaps: float(gaps.max()))


def width_px(corners: Corners) -> float:
    """Return the mean length of a card's two shorter sides."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return float(min(sides[0] + sides[2], sides[1] + sides[3]) / 2)


def match(found: Sequence[Corners], true: Sequence[Corners]) -> dict[int, int]:
    """Pair found outlines with true ones, (4, 2) each, nearest corners first.

    Cards in a heap overlap, so a pair needs an overlap of a fifth; the mean distance in card widths decides.
    """
    costs = [
        (float(corner_distances(f, t).mean()) / width_px(t), i, j)
        for i, f in enumerate(found)
        for j, t in enumerate(true)
        if _overlap(f, t) >= _LEAST_OVERLAP
    ]
    pairs: dict[int, int] = {}
    for _, i, j in sorted(costs):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return pairs


def _overlap(one: Corners, other: Corners) -> float:
    """Return the intersection over union of two convex outlines."""
    if len(one) < 3:
        return 0.0
    a, b = one.astype(np.float32), other.astype(np.float32)
    common = float(cv2.intersectConvexConvex(a, b)[0])
    union = float(cv2.contourArea(a) + cv2.contourArea(b)) - common
    return common / union if union > 0 else 0.0
