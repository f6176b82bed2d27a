"""Judges readings of pictures against the truth: which cards were read exactly, wrongly, unclearly or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.bench.match import inside, match_centres, match_outlines
from referee.bench.truth import TrueCard, TrueMark, TruePicture
from vision.deck import CIRCLE, Deck, Face, Mark
from vision.reading import CardReading, Reading, UnclearCard
from vision.render_face import mark_outline_mm

Image = NDArray[np.uint8]
CardReader = Callable[[Image, Deck], Reading]
OUTCOMES = ("exact", "wrong", "unclear", "missed")
CLASSES = (">=0.90", "0.50-0.90", "<0.50", "bleached")

# Less of a card than this is nobody's to read: such cards are left out of all counts.
HIDDEN = 0.02
_CLIPPED = 250
_MARK_SEEN = 0.5


@dataclass(frozen=True)
class MarkVerdict:
    """What was read of one true mark, found by its place on the card; None where nothing was read."""

    true: TrueMark
    read: Mark | None


@dataclass(frozen=True, eq=False)
class CardVerdict:
    """What became of one true card.

    `group` is one of CLASSES, `outcome` one of OUTCOMES; the corners' errors, (4,), are given for exact readings,
    corner by corner from the face's top-left, so a face read upside down shows.
    """

    card: TrueCard
    group: str
    outcome: str
    read: CardReading | None
    unclear: UnclearCard | None
    marks: tuple[MarkVerdict, ...]
    corner_errors_px: NDArray[np.float64] | None
    corner_errors_mm: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class PictureVerdict:
    """What became of one picture.

    `false` are cards read where none lies, `doubled` those read where every card has its reading already,
    `false_unclear` unclear cards where none lies; `ms` is the reader's time without decoding.
    """

    picture: TruePicture
    ms: float
    cards: tuple[CardVerdict, ...]
    false: tuple[CardReading, ...]
    doubled: tuple[CardReading, ...]
    false_unclear: tuple[UnclearCard, ...]


def judge_pictures(
    pictures: Iterable[TruePicture], load: Callable[[TruePicture], Image], reader: CardReader, deck: Deck
) -> Iterator[tuple[Image, PictureVerdict]]:
    """Read and judge one picture after the other."""
    for picture in pictures:
        image = load(picture)
        start = perf_counter()
        reading = reader(image, deck)
        ms = (perf_counter() - start) * 1000
        yield image, judge_picture(picture, image, reading, deck, ms)


def judge_picture(picture: TruePicture, image: Image, reading: Reading, deck: Deck, ms: float) -> PictureVerdict:
    """Judge the reading of one picture, (h, w, 3) uint8 BGR."""
    cards = [_with_marks(card, deck) for card in picture.cards if card.visible >= HIDDEN]
    outlines = [card.corners_px for card in cards]
    pairs = match_outlines([read.corners_px for read in reading.cards], outlines)
    read_of = {j: reading.cards[i] for i, j in pairs.items()}
    places = [(unclear.centre_px, unclear.corners_px) for unclear in reading.unclear]
    unclear_pairs = match_centres(places, outlines, set(read_of))
    unclear_of = {j: reading.unclear[i] for i, j in unclear_pairs.items()}
    left = [read for i, read in enumerate(reading.cards) if i not in pairs]
    stray = [read for read in left if not _on_a_card(read.corners_px.mean(axis=0), picture)]
    return PictureVerdict(
        picture=picture,
        ms=ms,
        cards=tuple(_judge_card(card, image, deck, read_of.get(j), unclear_of.get(j)) for j, card in enumerate(cards)),
        false=tuple(stray),
        doubled=tuple(read for read in left if not any(read is other for other in stray)),
        false_unclear=tuple(
            unclear
            for i, unclear in enumerate(reading.unclear)
            if i not in unclear_pairs and not _on_a_card(np.asarray(unclear.centre_px), picture)
        ),
    )


def _on_a_card(centre: NDArray[np.float64], picture: TruePicture) -> bool:
    return any(inside((centre[0], centre[1]), card.corners_px) for card in picture.cards)


def _with_marks(card: TrueCard, deck: Deck) -> TrueCard:
    """Fill in the marks of a known face where the truth leaves them out (the other side's in rendered scenes).

    How much of each can be seen is then unknown: as much as of the card is assumed.
    """
    face = deck.by_id.get((card.side, card.face or ""))
    if card.marks or face is None:
        return card
    centres = _project(np.array([[mark.x_mm, mark.y_mm] for mark in face.marks]), _mm_to_px(card.corners_px, deck))
    marks = tuple(
        TrueMark(mark.size, mark.colour, mark.shape, mark.diameter_mm, centre, card.visible)
        for mark, centre in zip(face.marks, centres, strict=True)
    )
    return replace(card, marks=marks)


def _judge_card(
    card: TrueCard, image: Image, deck: Deck, read: CardReading | None, unclear: UnclearCard | None
) -> CardVerdict:
    errors_px = errors_mm = None
    if read is not None:
        outcome = "exact" if (read.face.id, read.face.side) == (card.face, card.side) else "wrong"
    else:
        outcome = "unclear" if unclear is not None else "missed"
    if read is not None and outcome == "exact":
        errors_px = np.linalg.norm(read.corners_px - card.corners_px, axis=1)
        errors_mm = errors_px / _px_per_mm(card, deck)
    return CardVerdict(
        card=card,
        group="bleached" if is_bleached(card, image, deck) else visibility_class(card.visible),
        outcome=outcome,
        read=read,
        unclear=unclear,
        marks=_judge_marks(card, read, deck) if read is not None else (),
        corner_errors_px=errors_px,
        corner_errors_mm=errors_mm,
    )


def visibility_class(visible: float) -> str:
    """Name the class of a card of which the fraction `visible` can be seen."""
    if visible >= 0.90:
        return CLASSES[0]
    return CLASSES[1] if visible >= 0.50 else CLASSES[2]


def _px_per_mm(card: TrueCard, deck: Deck) -> float:
    area = float(cv2.contourArea(card.corners_px.astype(np.float32)))
    return float(np.sqrt(area / (deck.card_mm[0] * deck.card_mm[1])))


def _mm_to_px(corners_px: NDArray[np.float64], deck: Deck) -> NDArray[np.float64]:
    width, height = deck.card_mm
    corners_mm = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    homography = cv2.getPerspectiveTransform(corners_mm, corners_px.astype(np.float32))
    return np.asarray(homography, dtype=np.float64)


def _project(points_mm: NDArray[np.float64], homography: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(cv2.perspectiveTransform(points_mm.reshape(-1, 1, 2), homography).reshape(-1, 2))


def _judge_marks(card: TrueCard, read: CardReading, deck: Deck) -> tuple[MarkVerdict, ...]:
    """Pair true marks of which most can be seen with the read face's marks, by place, one to one."""
    homography = _mm_to_px(read.corners_px, deck)
    scale = _px_per_mm(card, deck)
    verdicts = []
    left = list(read.face.marks)
    for true in card.marks:
        if true.visible < _MARK_SEEN:
            continue
        gaps = [
            float(np.linalg.norm(_project(np.array([[mark.x_mm, mark.y_mm]]), homography)[0] - true.centre_px))
            for mark in left
        ]
        nearest = int(np.argmin(gaps)) if gaps else -1
        near = nearest >= 0 and gaps[nearest] <= true.diameter_mm / 2 * scale
        verdicts.append(MarkVerdict(true, left.pop(nearest) if near else None))
    return tuple(verdicts)


def is_bleached(card: TrueCard, image: Image, deck: Deck) -> bool:
    """Whether glare made one of the card's visible marks and the ground round it white.

    That is: more than half of the mark and more than half of a rim round it, a quarter of its radius wide, have all
    three channels clipped (>= 250).
    """
    return any(_mark_is_bleached(card, mark, image, deck) for mark in card.marks if mark.visible >= _MARK_SEEN)


def _mark_is_bleached(card: TrueCard, mark: TrueMark, image: Image, deck: Deck) -> bool:
    homography = _mm_to_px(card.corners_px, deck)
    known = deck.by_id.get((card.side, card.face or ""))
    middle = _project(mark.centre_px.reshape(1, 2), np.asarray(np.linalg.inv(homography), dtype=np.float64))[0]
    printed = _printed_mark(known, mark, middle)
    outline = mark_outline_mm(deck, printed)
    circle = np.array([printed.x_mm, printed.y_mm]) + 1.25 * printed.diameter_mm / 2 * _unit_circle()
    reach = _project(circle, homography)
    low = np.maximum(np.floor(reach.min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(reach.max(axis=0)).astype(int) + 1, (image.shape[1], image.shape[0]))
    if (high <= low).any():
        return False
    clipped = image[low[1] : high[1], low[0] : high[0]].min(axis=2) >= _CLIPPED
    inner = _filled(_project(outline, homography) - low, clipped.shape)
    rim = _filled(reach - low, clipped.shape) & ~inner
    return bool(clipped[inner].sum() * 2 > inner.sum() and clipped[rim].sum() * 2 > rim.sum())


def _printed_mark(face: Face | None, mark: TrueMark, middle_mm: NDArray[np.float64]) -> Mark:
    """Give the mark as the deck prints it, or a circle in its place for a face that the deck does not have."""
    for printed in face.marks if face else ():
        if printed.size == mark.size:
            return printed
    return Mark(mark.size, mark.colour, CIRCLE, float(middle_mm[0]), float(middle_mm[1]), mark.diameter_mm, 0.0)


def _unit_circle() -> NDArray[np.float64]:
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _filled(outline: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    mask = np.zeros(shape, dtype=np.uint8)
    cv2.fillPoly(mask, [np.rint(outline).astype(np.int32)], 1)
    return mask > 0
