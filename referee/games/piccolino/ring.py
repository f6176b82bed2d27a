"""Rulings on a ring, final or early (P3, P9); `tops.py` judges whether it is valid.

Which frame it is judged on, the last one exposed before it (P9), is settled by order: `hardware/camera/frames.py`
holds a ring back until that frame is there, `clockwork.py` gives it first, the session writes its time
on the ring, and `watching/seat.py` says what of it counts.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.games.piccolino.events import Bell, CardShown
from referee.games.piccolino.rulings import FalseRing, TooEarly, UnclearRing, ValidRing
from referee.games.piccolino.setup import LuckyGuess
from referee.games.piccolino.tops import PiccolinoReason, RingVerdict

RingRuling = ValidRing | FalseRing | UnclearRing


def ring_ruling(bell: Bell, verdict: RingVerdict, lucky_guess: LuckyGuess, *, cleared: bool) -> RingRuling:
    """Return what a ring is ruled by the `verdict` on what lay open; cleared: no card seen since piles were won."""
    t_ns, seat, again = bell.t_ns, bell.seat, bell.seen_again
    if bell.valid is not None:
        return decided_ruling(t_ns, seat, valid=bell.valid)
    if cleared:
        return UnclearRing(t_ns, seat, bell.unseen, bell.no_clowns)
    colour, seats = verdict.colour, verdict.seats
    if verdict.valid is None:
        return UnclearRing(t_ns, seat, seats, bell.no_clowns)
    if verdict.lucky and lucky_guess is LuckyGuess.FALSE:
        return FalseRing(t_ns, seat, PiccolinoReason.LUCKY_GUESS, colour, seats, seen_again=again)
    if verdict.valid:
        return ValidRing(t_ns, seat, colour, seats, verdict.since_ms, verdict.lucky, seen_again=again)
    return FalseRing(t_ns, seat, verdict.reason, colour, seats, verdict.since_ms, bell.turning, again)


def decided_ruling(t_ns: int, seat: int | None, *, valid: bool) -> ValidRing | FalseRing:
    """Return what an unclear ring is ruled by the players' word (P10)."""
    return ValidRing(t_ns, seat, None, (), None, decided=True) if valid else FalseRing(t_ns, seat, None)


TOO_EARLY_NS = 1_000_000_000


class EarlyRing:
    """The last wrong ring, as long as a card that was in mid-turn then has not been read."""

    def __init__(self) -> None:
        self._ring: Bell | None = None

    def rang(self, bell: Bell, *, wrong: bool) -> None:
        """Note a ring that was ruled."""
        self._ring = bell if wrong and bell.turning else None

    def shown(self, card: CardShown, pairs: Mapping[str, tuple[int, ...]]) -> tuple[TooEarly, ...]:
        """Return whether a card has made one of the happy pairs of now, for which somebody rang too early."""
        ring = self._ring
        if ring is None or card.seat not in ring.turning:
            return ()
        self._ring = None
        early_ns = card.t_ns - ring.t_ns
        made = [(colour, seats) for colour, seats in pairs.items() if card.seat in seats and early_ns <= TOO_EARLY_NS]
        return tuple(TooEarly(card.t_ns, ring.seat, colour, seats, early_ns / 1e6) for colour, seats in made)
