"""Reads places that marks left open: the finder's detections beside the read cards, and marks beside them.

The detections are matched against faces as prints. A mark of no read card shows a card under a read one, which a score
must not ignore.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from vision.arrays import Floats, Image
from vision.deck import Deck, Face
from vision.marked.marks import Marks, Sampler
from vision.quads import distance_to_quads, distances, shared_area, within_quads
from vision.read.card import Card
from vision.read.places import same_place
from vision.read.print_deck import ART_PX_PER_MM, Print, PrintDeck
from vision.read.reader import CardReader
from vision.reading import CardReading, Reading, UnclearCard
from vision.render_face import face_image
from vision.table import Table

# Shared area of a finder's place with a read card: the least of a card partly under it, and the least of that same
# card. 21 of 24 such places on 27 tables were a card.
_UNDER, _THE_SAME = 0.2, 0.9
_BESIDE_MM = 22.0  # how far from a read card a mark may be visible
_CLEAR_MM = 2.0  # a mark nearer to a read card's edge may be that card's own shadow or rim
_ONE_CARD_MM = 55.0
_MARKS = 3  # on a card
_LEAST_AREA_MM2, _LEAST_FULLNESS = 30.0, 0.7
_LEAST_OPEN = 0.25  # of the ring round a mark: at least so much is beside the read cards
_RING_MM, _RING = 1.8, 16  # ring round a mark, and its sample points
_SAME, _DIM = 0.12, 30.0  # of the card's level; levels of a dark picture's noise
_INSET = 0.93  # of a card, where its ground is sampled


@lru_cache(maxsize=2)
def print_reader(deck: Deck) -> CardReader:
    """Return the reader of a deck's faces as prints."""
    faces = tuple(
        Print(f"{face.side}/{face.id}", "front", {}, face_image(deck, face, ART_PX_PER_MM), 1) for face in deck.faces
    )
    return CardReader(PrintDeck(deck.name, deck.card_mm, faces, corner_radius_mm=deck.corner_radius_mm))


def beside(
    image_bgr: Image, deck: Deck, table: Table, white: Floats | None, marked: Reading, markers_px: Floats
) -> Reading:
    """Return the cards identified by marks, with those beside them and under them, certain or unclear.

    `white` (3,): BGR 0..1 of white paper; `markers_px` (n, 4, 2): marker cards.
    """
    known = np.concatenate([markers_px, *(card.corners_px[None] for card in marked.cards)])
    found = print_reader(deck).read_beside(image_bgr, table, white, known)
    cards, unclear = list(marked.cards), list(marked.unclear)
    named = {card.face.id for card in cards}
    doubted: list[UnclearCard] = []
    for card in found.cards:
        face = _face_of(deck, card)
        if face is None or face.id in named:
            doubted.append(_unclear(deck, card, "same card twice"))
        elif not any(same_place(card.corners_px, quad) for quad in found.open):
            # Print alone named three wrong faces from strips on 150 synthetic tables.
            doubted.append(_hidden(card.corners_px, table))
        else:
            named.add(face.id)
            cards.append(CardReading(face, card.confidence, card.corners_px, card.centre_mm))
    read = [card.corners_px for card in cards]
    # The finder may propose a sandtimer as a card. Glare wipes the print off a card, and off few other things.
    likely = (card for card in found.unclear if card.face is not None or card.reason == "glare")
    doubted += [_unclear(deck, card, card.reason or "covered") for card in likely]
    for place in found.left:
        under = max((shared_area(place, quad) for quad in read), default=0.0)
        if _UNDER <= under <= _THE_SAME:
            doubted.append(_hidden(place, table))
    places = [one.corners_px for one in cards]
    unclear = [one for one in unclear if not _is_at(one, places)]
    for one in doubted:
        if not _is_at(one, [*places, *(other.corners_px for other in unclear)]):
            unclear.append(one)
    return Reading(tuple(cards), tuple(unclear))


def _hidden(quad: Floats, table: Table) -> UnclearCard:
    x, y = quad.mean(axis=0).tolist()
    return UnclearCard(quad, (x, y), table.centre_mm(quad), "covered", None)


def _is_at(card: UnclearCard, places_px: list[Floats]) -> bool:
    return any(len(other) == 4 and same_place(card.corners_px, other) for other in places_px)


def _face_of(deck: Deck, card: Card) -> Face | None:
    side, _, number = ("" if card.face is None else card.face.id).partition("/")
    return deck.by_id.get((side, number))


def _unclear(deck: Deck, card: Card, reason: str) -> UnclearCard:
    x, y = card.corners_px.mean(axis=0).tolist()
    face = _face_of(deck, card)
    best = None if face is None else (face, card.confidence)
    return UnclearCard(card.corners_px, (x, y), card.centre_mm, reason, best, None if face is None else face.side)


def peeking_marks(sampler: Sampler, marks: Marks, cards_mm: Floats) -> list[Floats]:
    """Return places (2,) in mm of `marks` on a card's ground beside the read cards (n, 4, 2), one a card.

    Farther away, three marks as near to one another as on a card belong to a face that the deck does not have.
    """
    large = (marks.areas_mm2 > _LEAST_AREA_MM2) & (marks.fullness > _LEAST_FULLNESS)
    if not len(cards_mm) or not large.any():
        return []
    centres, radii = marks.centres_mm[large], np.sqrt(marks.areas_mm2[large] / np.pi)
    apart = distance_to_quads(centres, cards_mm)
    card_mm = float(np.linalg.norm(cards_mm[0, 2] - cards_mm[0, 0]))
    near = (distances(centres, centres) < card_mm) & (apart.min(1) > _CLEAR_MM)
    beside = apart.min(1) < _BESIDE_MM
    on_card = np.array(
        [
            bool(off.min() > _CLEAR_MM and (is_beside or group.sum() >= _MARKS))
            and _is_on_ground(sampler, centre, radius, cards_mm[off.argmin()], cards_mm, marks.ground)
            for centre, radius, off, is_beside, group in zip(centres, radii, apart, beside, near, strict=True)
        ]
    )
    found: list[Floats] = []
    for centre in centres[on_card & (beside | ((near & on_card).sum(1) >= _MARKS))]:
        if all(np.linalg.norm(other - centre) >= _ONE_CARD_MM for other in found):
            found.append(centre)
    return found


def _is_on_ground(sampler: Sampler, centre: Floats, radius: float, card: Floats, cards_mm: Floats, ground: str) -> bool:
    """Return whether the ground round a mark is as light as the rim of the card (4, 2) beside it."""
    rim = np.median(sampler.levels(card.mean(0) + _INSET * (card - card.mean(0)))[0].astype(np.float64), axis=0)
    angle = np.linspace(0, 2 * np.pi, _RING, endpoint=False)
    ring = centre + (radius + _RING_MM) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ring = ring[~within_quads(ring, cards_mm)]
    if len(ring) < _LEAST_OPEN * _RING:
        return False
    off = np.abs(sampler.levels(ring)[0].astype(np.float64) - rim).max(1)
    return bool((off < _SAME * (rim.max() + _DIM if ground == "white" else 255.0)).mean() > 0.5)
