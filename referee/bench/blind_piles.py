"""Piles of Piccolino on a drawn table of which the referee is not shown all: rings, and what could be known at each."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from hardware.camera.frames import Frame
from hardware.camera.watch import CameraWatch
from referee.bench.blind import Outcome
from referee.bench.piles_table import PilesTable, piles_table
from referee.engine.session import RulingData
from referee.games.piccolino.one_bell import OneBell
from referee.games.piccolino.rules import Piccolino
from simulation.art import CardArt
from simulation.live import Shots
from simulation.script import Carry
from simulation.truth import truth_at

MS = 1_000_000
_SHOTS = Shots(size=(960, 540), frames_per_s=12.0)
_RINGS_MS = (380, 560)  # after a card came to lie: the hand that laid it is on its way home
_SIGHT = 0.35  # of a card: less is not seen

Shown = Callable[[Frame], Frame | None]
"""What the camera gives of a frame; None: nothing."""
Face = tuple[str, str]


@dataclass(frozen=True)
class Rung:
    """A ring: when, seconds of the script, how it was ruled, and how that compares with what could be known."""

    at_s: float
    outcome: Outcome
    said: str


@dataclass
class PilesShown:
    """A table, and what is shown of it.

    strange: the faces that the referee does not know.
    """

    table: PilesTable
    shown: Shown
    strange: frozenset[str] = frozenset()
    camera: CameraWatch = field(default_factory=lambda: CameraWatch(0))
    _seen: set[str] = field(default_factory=set)
    _keys: dict[int, tuple[str, int]] = field(default_factory=dict)  # by when a card was laid: which, and by whom

    def __post_init__(self) -> None:
        carries = (action for action in self.table.table.script.actions if isinstance(action, Carry))
        self._keys = {round(one.release_s * 1000): (one.cards[0], one.seat) for one in carries}

    def rings(self, luck: random.Random) -> Iterator[Rung]:
        """Ring after each card, and judge what is ruled."""
        laid = self.table
        at_ns = sorted(ns + ms * MS + luck.randrange(MS) for ns in laid.landings_ns for ms in _RINGS_MS)
        for frame in laid.frames(laid.landings_ns):
            while at_ns and at_ns[0] <= frame.exposure_end_ns:
                ring_ns = at_ns.pop(0)
                yield self._rung(ring_ns, laid.ruling_at(ring_ns, luck.randrange(len(laid.table.script.people))))
            self._look(frame)

    def _look(self, frame: Frame) -> None:
        given = self.shown(frame)
        if given is None or not self.camera.accept(given, given.exposure_end_ns):
            return
        self.table.session.look(given)
        self._note_seen(frame)

    def _note_seen(self, frame: Frame) -> None:
        """Note which cards the camera has been shown, face up and in sight."""
        for card in truth_at(self.table.table, frame.exposure_end_ns).cards:
            if not card.lies or card.side != "front" or card.visible < _SIGHT or card.key in self._seen:
                continue
            if card.face not in self.strange and self._shows(card.corners_px, frame):
                self._seen.add(card.key)

    def _shows(self, corners_px: np.ndarray[tuple[int, ...], np.dtype[np.float64]], frame: Frame) -> bool:
        """Tell whether what is shown of a frame has a card in it: by a picture of that card alone, white on black."""
        dark = np.zeros_like(frame.image)
        alone = dark.copy()
        cv2.fillConvexPoly(alone, np.rint(corners_px).astype(np.int32), (255, 255, 255))
        views = [self.shown(replace(frame, image=image)) for image in (alone, dark)]
        if views[0] is None or views[1] is None:
            return False
        apart = cv2.absdiff(views[0].image, views[1].image)
        return float((apart > 128).sum()) > _SIGHT * float((alone > 128).sum())

    def _rung(self, ring_ns: int, ruling: RulingData) -> Rung:
        at_s = self.table.table.seconds(ring_ns)
        if ruling["ruling"] == "unclear":
            return Rung(at_s, "unclear", "unclear")
        tops, unknown = self._tops(ring_ns)
        happy = [colour for colour, mood in tops.values() if mood == "happy"]
        pairs = {colour for colour in happy if happy.count(colour) > 1}
        if ruling["valid"]:
            outcome: Outcome = "right" if ruling["colour"] in pairs else "wrong"
            return Rung(at_s, outcome, f"valid, {ruling['colour']}")
        known = [mood for seat, (_, mood) in tops.items() if seat not in unknown]
        unsure = len(unknown) > 1 or (bool(unknown) and "happy" in known)
        said = f"false, {ruling['reason']}, with {len(unknown)} unknown"
        return Rung(at_s, "wrong" if pairs or unsure else "right", said)

    def _tops(self, ring_ns: int) -> tuple[dict[int, Face], set[int]]:
        """Give what lies open by the script, and whose card the referee was never shown."""
        tops: dict[int, Face] = {}
        unknown: set[int] = set()
        for event in self.table.game.events:
            if event.kind != "card_shown" or event.t_ns > ring_ns:
                continue
            key, seat = self._keys[round(event.t_ns / MS)]
            tops[seat] = str(event.data["colour"]), str(event.data["mood"])
            unknown -= {seat}
            unknown |= set() if key in self._seen else {seat}
        # What shows through a soft edge may be read, though little of the card is in plain sight.
        game = self.table.session.game
        read = game.game.tops.by_seat if isinstance(game, OneBell) and isinstance(game.game, Piccolino) else {}
        told = {seat: (top.colour, top.mood and top.mood.value) for seat, top in read.items()}
        return tops, {seat for seat in unknown if told.get(seat) != tops[seat]}


def piles_shown(
    seed: int,
    shown: Shown,
    strange: frozenset[str] = frozenset(),
    disguise: Callable[[CardArt], CardArt] | None = None,
    turns: int = 7,
) -> PilesShown:
    """Lay a table on which some cards are turned; the same seed always lays the same one."""
    players = 2 + (seed + seed // 1000) % 4
    return PilesShown(piles_table(players, turns, seed, _SHOTS, disguise=disguise), shown, strange)
