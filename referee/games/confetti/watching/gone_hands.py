"""Finds hands that were put away before the count: they become a question, neither a foul nor points. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from referee.games.confetti.watching.hands_in_time import FOREIGN_SHARE
from referee.scoring.seats import SeatCards, Sharing

Faces = frozenset[str]


def faces_of(hand: SeatCards) -> Faces:
    """Return the faces that are before a seat with the played side up."""
    return frozenset(card.face.id for card in hand.cards)


def gone_hands(
    sharing: Sharing,
    last_seen: Mapping[int, Faces],
    turned: Mapping[int, int],
    foreign: Mapping[int, float | None],
    moved: Mapping[int, bool],
    fouls: Collection[int],
) -> frozenset[int]:
    """Return the seats whose cards have been put away, wholly or in part.

    last_seen: the last complete hand of a seat, at the end of time or since. turned: how many cards of a seat may show
    the other side: those that did when time was up, or its point cards (C8). foreign: how much before a seat is neither
    card nor table, in areas of a card, None where that is unknown. moved: whether anything has moved there since time
    was up. fouls: the seats whose hand was complete when time was up, if that was just now. Of them a card or two less
    is a foul (C4): nobody clears the table so soon. Later, or where others clear it, nobody can say.
    """
    gone, fewer = set[int](), set[int]()
    for hand in sharing.seats:
        was, now = last_seen.get(hand.seat), faces_of(hand)
        more_turned = len(hand.other_side) > turned[hand.seat]
        if was is None:
            share = foreign[hand.seat]
            bare = share is not None and share <= FOREIGN_SHARE
            if moved[hand.seat] and not now and not hand.unclear and (more_turned or bare):
                gone.add(hand.seat)
            continue
        missing = was - now
        # An unreadable card, or one over another card, may be the missing one, unless that is seen elsewhere.
        hidden = bool(hand.unclear) or (foreign[hand.seat] or 0.0) > FOREIGN_SHARE
        put_away = missing & _elsewhere(sharing, hand) if hidden else missing
        if put_away and hand.seat in fouls and not more_turned and not hidden and len(was & now) > len(missing):
            fewer.add(hand.seat)
        elif put_away:
            gone.add(hand.seat)
    return frozenset(gone | fewer | _in_doubt(sharing, last_seen, gone)) if gone else frozenset()


def _in_doubt(sharing: Sharing, last_seen: Mapping[int, Faces], gone: Collection[int]) -> set[int]:
    """Return the seats that may hold others' cards, or no longer all of their own, as the table is being cleared."""
    return {
        hand.seat
        for hand in sharing.seats
        if hand.seat not in gone and not hand.unclear and last_seen.get(hand.seat) != faces_of(hand)
    }


def _elsewhere(sharing: Sharing, hand: SeatCards) -> Faces:
    """Return the faces that are anywhere but in a hand."""
    others = [card for other in sharing.seats if other is not hand for card in other.cards]
    turned = [card for seat in sharing.seats for card in seat.other_side]
    return frozenset(card.face.id for card in (*others, *turned, *sharing.heap))
