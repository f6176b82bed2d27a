"""What a ring in Piccolino is ruled (P3–P5, P10), by what lay open. Pure.

Which frame it is judged on, the last one exposed before it (P9), is settled by order: `hardware/camera/frames.py`
holds a ring back until that frame is there, `clockwork.py` gives it first, `service/guarded_watcher.py` writes its time
on the ring, and `watching/seat.py` says what of it counts.
"""

from __future__ import annotations

from referee.games.piccolino.events import Bell
from referee.games.piccolino.rulings import FalseRing, UnclearRing, ValidRing
from referee.games.piccolino.setup import LuckyGuess
from referee.games.piccolino.tops import Reason, Verdict

RingRuling = ValidRing | FalseRing | UnclearRing


def ring_ruling(bell: Bell, verdict: Verdict, lucky_guess: LuckyGuess, *, cleared: bool) -> RingRuling:
    """Give what a ring is ruled by the `verdict` on what lay open; cleared: no card seen since piles were won."""
    t_ns, seat, again = bell.t_ns, bell.seat, bell.seen_again
    if bell.decided is not None:
        return decided_ruling(t_ns, seat, valid=bell.decided)
    if cleared:
        return UnclearRing(t_ns, seat, bell.unseen, bell.no_clowns)
    colour, seats = verdict.colour, verdict.seats
    if verdict.valid is None:
        return UnclearRing(t_ns, seat, seats, bell.no_clowns)
    if verdict.lucky and lucky_guess is LuckyGuess.FALSE:
        return FalseRing(t_ns, seat, Reason.LUCKY_GUESS, colour, seats, seen_again=again)
    if verdict.valid:
        return ValidRing(t_ns, seat, colour, seats, verdict.since_ms, verdict.lucky, seen_again=again)
    return FalseRing(t_ns, seat, verdict.reason, colour, seats, verdict.since_ms, bell.turning, again)


def decided_ruling(t_ns: int, seat: int | None, *, valid: bool) -> ValidRing | FalseRing:
    """Give what an unclear ring is ruled by the players' word (P10)."""
    return ValidRing(t_ns, seat, None, (), None, decided=True) if valid else FalseRing(t_ns, seat, None)
