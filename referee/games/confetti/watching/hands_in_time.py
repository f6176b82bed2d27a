"""Confetti hands over time: blended frames, outlines, doubts, and the hand at the end of a round.

A card that was hidden, under a hand or another card, must never look as if a player took it late. So a seat counts
only after a while without motion, with nothing but cards and the bare table of before the round, and with cards that
do not overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np

from hardware.camera.frames import Frame
from referee.engine.session import Notice, Outline
from referee.games.confetti.table_score import card_of
from referee.scoring.seated_reading import SeatedReading, SurveyedTable
from referee.scoring.seats import SeatCards, SeatRing, Sharing, share_out
from referee.watchers.stillness import Stillness, levels_changed, small_picture, within
from vision.arrays import Image, Points, Singles
from vision.channels import largest, smallest
from vision.reading import reasons_of
from vision.table import Table

MOST = 12  # pictures; more remove no noise worth their memory traffic


class Blend:
    """The mean of the pictures since the last `begin`."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget all pictures."""
        self._sum: Singles | None = None
        self._count = 0

    def add(self, image: Image) -> None:
        """Add a picture, (h, w, 3) BGR."""
        if self._sum is None or self._sum.shape != image.shape:
            self._sum, self._count = image.astype(np.float32), 1
        elif self._count < MOST:
            cv2.accumulate(image, self._sum)
            self._count += 1

    def picture(self) -> Image | None:
        """Return the mean, (h, w, 3) BGR, or None without a picture."""
        return None if self._sum is None else np.asarray(cv2.convertScaleAbs(self._sum, alpha=1 / self._count))


_HIDES = 0.5  # areas of a card: a smaller thing leaves half of any card visible


def doubts(
    t_ns: int, sharing: Sharing, kept: Mapping[int, int], foreign: Mapping[int, float | None]
) -> tuple[Notice, ...]:
    """Return a notice for each seat with an uncertain hand.

    kept: number of a seat's point cards, which show their other side (C8). foreign: area before a seat that is neither
    card nor table, in areas of a card; None where unknown. It distinguishes an empty hand from an unseen one, and half
    a card of it beside cards may hide one more.
    """
    notices = (_doubt(t_ns, hand, kept.get(hand.seat, 0), foreign[hand.seat]) for hand in sharing.seats)
    return tuple(notice for notice in notices if notice is not None)


def _doubt(t_ns: int, hand: SeatCards, kept: int, foreign: float | None) -> Notice | None:
    if hand.unclear:
        data = {"count": len(hand.unclear), "reasons": reasons_of(hand.unclear)}
        return Notice(t_ns, "unclear_cards", hand.seat, data)
    if len(hand.other_side) > kept:
        return Notice(t_ns, "wrong_side", hand.seat, {"count": len(hand.other_side) - kept})
    if not hand.cards and (foreign is None or foreign > FOREIGN_SHARE):
        return Notice(t_ns, "nothing_seen", hand.seat, {})
    if foreign is not None and foreign > _HIDES:
        return Notice(t_ns, "place_hidden", hand.seat, {})
    return None


def hand_outlines(seated: SeatedReading, side: str) -> tuple[Outline, ...]:
    """Return the outlines of all cards; side: the one that is played."""
    sharing = share_out(seated.reading, seated.ring, side)
    owners = {id(card): hand.seat for hand in sharing.seats for card in (*hand.cards, *hand.unclear)}
    cards = [(card, " ".join(card_of(card.named))) for card in seated.reading.cards]
    cards += [(card, str(card.reason)) for card in seated.reading.unclear]
    return tuple(
        Outline(_points(card.corners_px), owners.get(id(card)), label, card.reason is None) for card, label in cards
    )


def _points(corners_px: Points) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in corners_px)


_AT_REST_NS = 1_000_000_000
_WIDTH_PX = 320
_FOREIGN = 28.0  # 8-bit levels in any channel, with the light's change divided out
# A veil before the lens: levels, and the spread of the channels' logarithms, which a shadow does not change.
_FAINT, _TINTED, _FAINT_CARDS = 10.0, 0.15, 3.0  # the last one: its least area, in cards
FOREIGN_SHARE = 0.25  # of a card: a larger thing may hide one
_AS_BEFORE, _CHANGED = 12.0, 0.1  # levels; the share of a thing's place that may differ by more
_OVERLAP = 0.04  # of a card: a larger overlap may hide a third card
_GROWN = 1.25  # factor from a card's outline to that with its shadow


class HandsInTime:
    """Memory of the table at rest."""

    def __init__(self, still: Stillness) -> None:
        self._still = still
        self._bare: Singles | None = None
        self._bare_cards: tuple[Points, ...] = ()

    def rest(self, frame: Frame, seated: SeatedReading) -> None:
        """Take a still table before a round: everything beside the cards is the table itself."""
        self._bare = small_picture(frame.bgr(), _WIDTH_PX, 0.0)
        self._bare_cards = _outlines_of(seated)

    def worth_reading(self, frame: Frame, survey: SurveyedTable) -> bool:
        """Return whether any seat is at rest; a busy table needs no reading."""
        return self._bare is not None and any(
            self._at_rest(frame, survey.ring, survey.table, seat) for seat in range(survey.ring.players)
        )

    def all_in_sight(self, frame: Frame, seated: SeatedReading, hand: SeatCards) -> bool:
        """Return whether no card of a seat can be hidden."""
        if hand.unclear or not self._at_rest(frame, seated.ring, seated.table, hand.seat):
            return False
        foreign = self.foreign_cards(frame, seated, hand.seat)
        if foreign is None or foreign > FOREIGN_SHARE:
            return False
        return not _overlap([card.corners_px for card in (*hand.cards, *hand.other_side)])

    def moved_since(self, t_ns: int, seated: SeatedReading, seat: int) -> bool:
        """Return whether anything moved before a seat at `t_ns` or later."""
        return self._still.moved_since(t_ns, _place(seated.ring, seated.table, seat))

    def _at_rest(self, frame: Frame, ring: SeatRing, table: Table, seat: int) -> bool:
        place = _place(ring, table, seat)
        return not self._still.moved_since(frame.exposure_end_ns - _AT_REST_NS, place)

    def lay_before(self, frame: Frame, table: Table) -> Callable[[Points], bool]:
        """Return a test whether places (n, 2), mm, look as before the round, so that they hide no card.

        Without a memory of the table no place passes.
        """
        changes = self._change(frame)

        def unchanged(places_mm: Points) -> bool:
            if changes is None:
                return False
            change = changes[0]
            height, width = change.shape
            x, y = (table.to_px(places_mm) * (width, height) / table.size_px).astype(np.intp).T
            seen = change[y.clip(0, height - 1), x.clip(0, width - 1)]
            return bool((seen > _AS_BEFORE).mean() < _CHANGED)

        return unchanged

    def foreign_cards(self, frame: Frame, seated: SeatedReading, seat: int) -> float | None:
        """Return the area before a seat that is neither card nor table, in areas of a card.

        Returns None where the table's look is unknown.
        """
        changes = self._change(frame)
        if changes is None:
            return None
        change, tint = changes
        foreign, faint = change > _FOREIGN, (change > _FAINT) & (tint > _TINTED)
        height, width = foreign.shape
        scale = np.array([width, height]) / seated.table.size_px
        inside = within(_place(seated.ring, seated.table, seat) * (width, height), foreign.shape)
        outlines = _outlines_of(seated)
        for corners in (*outlines, *self._bare_cards):
            centre = corners.mean(0)
            inside &= ~within((centre + (corners - centre) * _GROWN) * scale, foreign.shape)
        areas = [cv2.contourArea((corners * scale).astype(np.float32)) for corners in outlines]
        card_px = float(np.median(areas)) if areas else 0.01 * height * width
        veiled = np.count_nonzero((foreign | faint) & inside) / card_px
        return float(veiled if veiled > _FAINT_CARDS else np.count_nonzero(foreign & inside) / card_px)

    def _change(self, frame: Frame) -> tuple[Singles, Singles] | None:
        """Return the changes since the table was at rest, (h, w): levels without the light's, and the colours' spread.

        The spread is that of the channels' logarithms. Returns None where the table's look is unknown.
        """
        now, bare = small_picture(frame.bgr(), _WIDTH_PX, 0.0), self._bare
        if bare is None or bare.shape != now.shape:
            return None
        ratio = np.log((now + 8) / (bare + 8))
        ratio -= np.median(ratio, axis=(0, 1))
        return levels_changed(bare, now), np.asarray(largest(ratio) - smallest(ratio), np.float32)


def _outlines_of(seated: SeatedReading) -> tuple[Points, ...]:
    return tuple(card.corners_px for card in seated.reading.cards)


def _place(ring: SeatRing, table: Table, seat: int) -> Points:
    """Return a seat's part of the table as a polygon (k, 2), in shares of the picture's size."""
    edge = ring.part_of(seat, 20.0)
    middle = ring.corners_mm.mean(0)
    inward = middle - edge
    length = np.linalg.norm(inward, axis=1, keepdims=True)
    reach = edge + inward * np.minimum(1.0, ring.reach_mm / np.maximum(length, 1.0))
    return np.asarray(table.to_px(np.vstack([edge, reach[::-1]])) / table.size_px)


def _overlap(outlines: list[Points]) -> bool:
    for index, one in enumerate(outlines):
        for other in outlines[:index]:
            shared, _ = cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))
            if shared > _OVERLAP * cv2.contourArea(one.astype(np.float32)):
                return True
    return False
