"""How well a look at a table of Coloretto fits a game: what each row and area shows otherwise costs, in nats."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache

from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.watching.looks import LONG_AGO_NS, UNKNOWN, Allowed, Look, Spot

# A card that was read and should not be there; one that should and is not; the same where a card could not be read.
_TOO_MUCH, _MISSING, _UNREAD, _SPARE_UNREAD = 14.0, 8.0, 0.3, 4.0
_MARK = 3.0  # a row's own card lies there and should not, or the other way round
_CLEARED = 3.0  # what a round left in a row was cleared away before anybody looked
# In areas cards lie over each other, and people hold what they took for a while.
_MISSING_IN_AREA, _EACH_FURTHER, _MOST_MISSING_IN_AREA = 2.0, 0.7, 4.0

_OVERLOOKED_NS = 1_400_000_000  # a card that lies there is not seen for so long, at most

_Items = tuple[tuple[str, int], ...]


def charges(game: Coloretto, allowed: Allowed, look: Look) -> tuple[list[float], tuple[object, ...]]:
    """Give what each row and each area costs, and what that is for: the same again is not charged again.

    None for what says nothing.
    """
    prices: list[float] = []
    keys: list[object] = []
    for number, spot in enumerate(look.rows):
        told = number not in allowed.loose and not spot.covered and not allowed.absent[number]
        off = told and spot.marked is not None and spot.marked != (game.rows[number] is not None)
        row = tuple(sorted(game.rows[number] or ()))
        extra, absent = _items(allowed.extra[number]), _items(allowed.absent[number])
        prices.append(_MARK * off + _row_off(row, extra, absent, spot))
        silent = spot.covered and not prices[-1]
        keys.append(None if silent else (row, extra, absent, off, spot.cards, spot.unread))
    for seat, spot in enumerate(look.areas):
        hand = _items(game.hands[seat])
        beside, hidden = _items(allowed.beside[seat]), _items(allowed.hidden[seat])
        prices.append(_area_off(hand, beside, hidden, spot))
        silent = spot.covered and not prices[-1]
        keys.append(None if silent else (hand, beside, hidden, spot.cards, spot.unread))
    return prices, tuple(keys)


def put_right(game: Coloretto, allowed: Allowed, look: Look) -> Allowed:
    """Give what may lie otherwise after a look: what did and does no longer was put right.

    What is overlooked for a moment lies there still.
    """
    extra, absent, beside = list(allowed.extra), list(allowed.absent), list(allowed.beside)
    hidden = list(allowed.hidden)
    loose = set(allowed.loose)
    unseen_ns = {(kind, at): t_ns for kind, at, t_ns in allowed.unseen}

    def lasting(kind: str, at: int, known: Counter[str], seen: Counter[str]) -> Counter[str]:
        if not known - seen:
            # What a round left behind is to be cleared away, and what is seen there later is something else.
            if not known or unseen_ns.get((kind, at)) != LONG_AGO_NS:
                unseen_ns.pop((kind, at), None)
            return known
        return known if look.t_ns - unseen_ns.setdefault((kind, at), look.t_ns) < _OVERLOOKED_NS else known & seen

    for number, spot in enumerate(look.rows):
        due = Counter(game.rows[number] or ())
        if not spot.covered and not spot.unread:
            extra[number] = lasting("row", number, extra[number], Counter(spot.cards) - due)
            absent[number] &= due - Counter(spot.cards)
        # A row's own card that was forgotten, or left lying, says nothing.
        if spot.marked is not None:
            (loose.add if spot.marked != (game.rows[number] is not None) else loose.discard)(number)
    for seat, spot in enumerate(look.areas):
        if spot.covered:
            continue
        if not spot.unread:
            beside[seat] = lasting("area", seat, beside[seat], Counter(spot.cards) - game.hands[seat])
        # It lies under other cards, for nothing covers the area.
        hidden[seat] = game.hands[seat] + beside[seat] - Counter(spot.cards)
    return replace(
        allowed,
        extra=tuple(extra),
        absent=tuple(absent),
        beside=tuple(beside),
        hidden=tuple(hidden),
        loose=frozenset(loose),
        unseen=frozenset((kind, at, t_ns) for (kind, at), t_ns in unseen_ns.items()),
    )


def as_it_lies(game: Coloretto, allowed: Allowed, look: Look) -> Allowed:
    """Take it that what lies there lies there, whatever the game says: what comes next can be told all the same."""
    rows = [(Counter(spot.cards), Counter(row or ())) for spot, row in zip(look.rows, game.rows, strict=True)]
    areas = [(Counter(spot.cards), hand) for spot, hand in zip(look.areas, game.hands, strict=True)]
    return replace(
        allowed,
        extra=tuple(seen - due for seen, due in rows),
        absent=tuple(due - seen for seen, due in rows),
        beside=tuple(seen - due for seen, due in areas),
        hidden=tuple(due - seen for seen, due in areas),
    )


def _items(cards: Counter[str]) -> _Items:
    return tuple(sorted(cards.items()))


@lru_cache(maxsize=20_000)
def _row_off(row: tuple[str, ...], beside: _Items, lacking_too: _Items, spot: Spot) -> float:
    """What a row's spot shows otherwise; the same questions come again and again."""
    due, extra, absent, seen = Counter(row), Counter(dict(beside)), Counter(dict(lacking_too)), Counter(spot.cards)
    too_much, missing = seen - due - extra, due - seen - absent
    unknown = max(0, due[UNKNOWN] - absent[UNKNOWN])
    missing[UNKNOWN] = 0
    taken_for = min(unknown, too_much.total())
    off = _TOO_MUCH * (too_much.total() - taken_for)
    if spot.covered:
        return off
    off += _CLEARED * bool(extra - seen)
    lacking = missing.total() + unknown - taken_for
    unread = min(spot.unread, lacking)
    return off + _MISSING * (lacking - unread) + _UNREAD * unread + _SPARE_UNREAD * (spot.unread - unread)


@lru_cache(maxsize=20_000)
def _area_off(hand: _Items, more: _Items, under: _Items, spot: Spot) -> float:
    """What an area's spot shows otherwise."""
    due, beside, hidden, seen = Counter(dict(hand)), Counter(dict(more)), Counter(dict(under)), Counter(spot.cards)
    too_much = max(0, (seen - due - beside).total() - due[UNKNOWN] - beside[UNKNOWN])
    missing = (due - seen - hidden).total()
    if spot.covered:
        return _TOO_MUCH * too_much
    off = _TOO_MUCH * too_much
    unread = min(spot.unread, missing)
    lacking = missing - unread
    if lacking:
        off += min(_MISSING_IN_AREA + _EACH_FURTHER * (lacking - 1), _MOST_MISSING_IN_AREA)
    return off + _UNREAD * unread
