"""Piccolino played by people who are quick, slow and clumsy, as a camera would see the piles; no pictures are drawn.

The truth comes from the frames' times alone, and shares no code with the referee.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardware.camera.frames import Frame
from vision.piles.observations import Kind, PileSight

MS = 1_000_000
FRAME_NS = 33_333_333
COLOURS = ("red", "green", "blue", "pink")
FIRST_NS = 10_000 * MS
Card = tuple[str, str]


@dataclass(frozen=True)
class Turned:
    """A card: touched first at `from_ns`, its face open from `open_ns` on."""

    seat: int
    from_ns: int
    open_ns: int
    card: Card
    pose: float


@dataclass(frozen=True)
class Rung:
    """A ring, and the seats whose piles an arm hides from `hidden_ns` on, until it is gone."""

    t_ns: int
    seat: int
    hidden_ns: int
    until_ns: int
    hides: tuple[int, ...]


@dataclass
class PilePlay:
    """One game. `turned`, `rung` and `swept` (when the piles are taken: from, to) happen in the order of time."""

    seed: str
    players: int = 4
    glitches: float = 0.0
    turned: list[Turned] = field(default_factory=list)
    rung: list[Rung] = field(default_factory=list)
    swept: list[tuple[int, int]] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.luck = random.Random(self.seed)
        self.now = FIRST_NS
        self._known: list[dict[int, Card]] = []
        self._verdicts: dict[int, dict[str, Any]] = {}

    def play(self, rings: int) -> None:
        seat = since_ring = 0
        while len(self.rung) < rings:
            card = self._turn(seat if self.luck.random() < 0.95 else self.luck.randrange(self.players))
            seat = (card.seat + 1) % self.players
            since_ring += 1
            wanted = 0.75 if self._pair(self._open_at(card.open_ns)) else 0.15
            if since_ring > 1 and self.luck.random() < wanted and card.open_ns > self._quiet_until():
                self._ring(card)
                since_ring = 0
        self._film(self.now + 1000 * MS)

    def _film(self, until_ns: int) -> None:
        at = self.frames[-1].exposure_end_ns if self.frames else FIRST_NS - 300 * MS
        while at < until_ns:
            # Nothing in a real camera is quite even.
            at += FRAME_NS + self.luck.randrange(-MS, MS)
            self.frames.append(Frame(at - 2 * MS, at, np.zeros((1, 1, 3), np.uint8), len(self.frames)))

    def _turn(self, seat: int) -> Turned:
        took_ns = self.luck.randrange(150, 400) * MS
        before = [card.card for card in self.turned[-3:]]
        card = self.luck.choice([*before, *before, *self._deck()])
        self.now += self.luck.randrange(150, 900) * MS
        turned = Turned(seat, self.now, self.now + took_ns, card, self.luck.uniform(-9, 9))
        self.now = turned.open_ns
        self.turned.append(turned)
        return turned

    def _deck(self) -> list[Card]:
        return [(colour, mood) for colour in COLOURS for mood in ("happy", "happy", "sad")]

    def _quiet_until(self) -> int:
        return self.rung[-1].t_ns + 1700 * MS if self.rung else 0

    def _ring(self, card: Turned) -> None:
        """Ring just before or after a card shows, or a while later; the arm is over some piles 80 ms before."""
        offset = self.luck.choice([-1, 1, 1]) * self.luck.randrange(1, 51)
        if self.luck.random() < 0.4:
            offset = self.luck.randrange(51, 900)
        t_ns = card.open_ns + offset * MS + self.luck.randrange(MS)
        hides = tuple(self.luck.sample(range(self.players), self.luck.choice([0, 1, 1, 2])))
        ring = Rung(t_ns, self.luck.randrange(self.players), t_ns - 80 * MS, t_ns + 500 * MS, hides)
        self.rung.append(ring)
        self.now = max(self.now, t_ns)
        self._film(self.now)
        # With two players a wrong ring gives the other one the piles.
        if self.verdict(ring)["valid"] or self.players == 2:
            self.swept.append((t_ns + 600 * MS, t_ns + 1700 * MS))
            self.now = t_ns + 1800 * MS

    def _open_at(self, t_ns: int) -> dict[int, Card]:
        swept = self._swept_by(t_ns)
        return {card.seat: card.card for card in self._around(self.turned, t_ns) if swept < card.open_ns <= t_ns}

    def _swept_by(self, t_ns: int) -> int:
        end = bisect_right(self.swept, t_ns, key=lambda sweep: sweep[0])
        return self.swept[end - 1][0] if end else 0

    def _pair(self, tops: dict[int, Card]) -> str | None:
        return next((colour for colour in COLOURS if list(tops.values()).count((colour, "happy")) > 1), None)

    def visible(self, seat: int, t_ns: int) -> bool:
        """Return whether a pile is open to the camera, with nothing over it."""
        touched = any(card.seat == seat and t_ns < card.open_ns for card in self._around(self.turned, t_ns))
        return not touched and not any(seat in ring.hides for ring in self._rings_over(t_ns))

    def _around(self, cards: list[Turned], t_ns: int) -> list[Turned]:
        end = bisect_right(cards, t_ns, key=lambda card: card.from_ns)
        return cards[max(0, end - 40) : end]

    def _rings_over(self, t_ns: int) -> list[Rung]:
        end = bisect_right(self.rung, t_ns + 100 * MS, key=lambda ring: ring.t_ns)
        return [ring for ring in self.rung[max(0, end - 4) : end] if ring.hidden_ns <= t_ns < ring.until_ns]

    def known_by(self, end: int) -> list[dict[int, Card]]:
        """Return the faces seen on each pile by the end of each frame (P9): the last face visible to the camera."""
        for frame in self.frames[len(self._known) : end]:
            t_ns = frame.exposure_end_ns
            known = self._known[-1] if self._known else {}
            if self.swept and self.swept[-1][0] <= t_ns < self.swept[-1][1]:
                known = {}
            opened = self._open_at(t_ns)
            self._known.append({**known, **{seat: card for seat, card in opened.items() if self.visible(seat, t_ns)}})
        return self._known[:end]

    def verdict(self, ring: Rung) -> dict[str, Any]:
        """Return the verdict of a ring, on the last of the frames that ended before it."""
        if ring.t_ns not in self._verdicts:
            self._verdicts[ring.t_ns] = self._verdict(ring)
        return self._verdicts[ring.t_ns]

    def _verdict(self, ring: Rung) -> dict[str, Any]:
        end = bisect_left(self.frames, ring.t_ns, key=lambda frame: frame.exposure_end_ns)
        rows = self.known_by(end)[-20:]
        near = [frame.exposure_end_ns for frame in self.frames[max(0, end - 20) : end]]
        now = rows[-1]
        pairs = [[seat for seat in sorted(now) if now[seat] == (colour, "happy")] for colour in COLOURS]
        if pairs := [seats for seats in pairs if len(seats) > 1]:
            return {"valid": True, "pairs": pairs}
        begun = max((begin for begin, _ in self.swept if begin < ring.t_ns), default=0)
        for earlier, later, t_ns in zip(rows, rows[1:], near[1:], strict=False):
            for colour in COLOURS:
                had, has = (list(row.values()).count((colour, "happy")) > 1 for row in (earlier, later))
                if had and not has and t_ns > begun + 1100 * MS and ring.t_ns - t_ns <= 500 * MS:
                    return {"valid": False, "reason": "covered_up"}
        colours = [colour for colour, _ in now.values()]
        return {"valid": False, "reason": "sad" if len(set(colours)) < len(colours) else "no_pair"}

    def sights(self, frame: Frame) -> list[PileSight]:
        return [self._sight(seat, frame) for seat in range(self.players)]

    def _sight(self, seat: int, frame: Frame) -> PileSight:
        t_ns = frame.exposure_end_ns
        if any(seat in ring.hides for ring in self._rings_over(t_ns)):
            return PileSight(seat, "covered")
        if any(begin <= t_ns < end - 150 * MS for begin, end in self.swept):
            # Hands take the piles: lower cards show for a moment, and piles slide by.
            luck = self._luck(frame, seat)
            shown: list[Kind] = ["covered", "covered", "face", "turning", "empty"]
            kind = luck.choice(shown)
            face = luck.choice(self._deck())
            if kind != "face":
                return PileSight(seat, kind)
            return PileSight(seat, kind, *face, corners(luck.uniform(-200, 200)))
        mine = [card for card in self._around(self.turned, t_ns) if card.seat == seat]
        for card in mine:
            if t_ns < card.open_ns:
                early = t_ns - card.from_ns < 90 * MS
                kinds: list[Kind] = ["covered"] if early else ["covered", "turning", "turning", "back"]
                return PileSight(seat, self._luck(frame, seat).choice(kinds))
        if not mine or mine[-1].open_ns < self._swept_by(t_ns):
            return PileSight(seat, "empty")
        if t_ns - mine[-1].open_ns < FRAME_NS and self._luck(frame, seat).random() < self.glitches:
            return PileSight(seat, "unclear")
        return PileSight(
            seat, "face", *mine[-1].card, corners(mine[-1].pose + (frame.sequence * 7919 + seat) % 100 / 400)
        )

    def _luck(self, frame: Frame, seat: int) -> random.Random:
        """Chance that is the same each time a frame is looked at."""
        return random.Random(f"{self.seed}/{frame.sequence}/{seat}")


def corners(shift: float) -> NDArray[np.float64]:
    return np.array([[0.0, 0.0], [120.0, 0.0], [120.0, 168.0], [0.0, 168.0]]) + shift
