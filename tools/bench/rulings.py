"""Rings on drawn games of Piccolino against the truth: `python -m tools.bench.rulings --games 4`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from hardware.camera.frames import Frame
from referee.decks.lookup import find_deck
from referee.engine.log import RulingData
from simulation.live import Shots
from simulation.truth import truth_at
from tests.support.drawn_lesson import taught
from tests.support.piles_table import PilesTable, piles_table
from tools.bench.common import Row, command, say
from tools.bench.full_bleed_clowns import full_bleed_clowns
from vision.deck import Deck

MS = 1_000_000
_NEAR_MS = (-50, -20, -5, 5, 20, 50)
_LATER_MS = (120, 350)
_ALOFT_NS = 400 * MS
"""Time before a carried card lands in which it may or may not be read: its face is visible earlier."""
_WHOLE = 0.97

Face = tuple[str, str]


@dataclass(frozen=True)
class Judged:
    """A ring: time, offset from a card's landing, ruling, and allowed results.

    allowed: for each state of the table that the deciding frame may show, the colours of happy pairs.
    """

    ring_ns: int
    offset_ms: int
    ruling: RulingData
    allowed: tuple[frozenset[str], ...]

    @property
    def verdict(self) -> str:
        """Return the comparison with the truth: "right", "wrong" or "unclear"."""
        if self.ruling["ruling"] == "unclear":
            return "unclear"
        return "right" if any(self._fits(colours) for colours in self.allowed) else "wrong"

    def _fits(self, colours: frozenset[str]) -> bool:
        return self.ruling["colour"] in colours if self.ruling["valid"] else not colours


def measure(games: int = 4, turns: int = 32, seed: int = 1, deck: str = "", unframed: bool = False) -> Row:
    """Play for two to five in turn, eight rings a card.

    deck: a taught deck. unframed: clowns painted to the card's edge, taught beforehand.
    """
    decks = None
    if unframed:
        printed = full_bleed_clowns()
        decks = printed, taught(printed, 5)
    elif deck:
        decks = find_deck(deck), find_deck(deck)
    counts: Counter[str] = Counter()
    for number in range(games):
        for judged in judge_rulings(2 + number % 4, turns, seed + number, decks=decks):
            counts[judged.verdict] += 1
            if judged.verdict != "right":
                game = {"players": 2 + number % 4, "seed": seed + number, "offset_ms": judged.offset_ms}
                say({"verdict": judged.verdict, **game, **judged.ruling})
    return Row(counts.total(), counts["right"], counts["unclear"], counts["wrong"])


def judge_rulings(
    players: int,
    turns: int,
    seed: int,
    decks: tuple[Deck, Deck] | None = None,
) -> Iterator[Judged]:
    """Turn cards on a drawn table, and yield the rulings of rings around each landing, on the frames before them.

    decks: the deck on the table, and the one that the referee knows; None: the built-in one.
    """
    printed, known = decks or (None, None)
    laid = piles_table(players, turns, seed, Shots(size=(1280, 720)), deck=printed, known=known)
    luck = random.Random(seed)
    return judge(laid, rings_after(laid.landings_ns, (*_NEAR_MS, *_LATER_MS), luck), laid.landings_ns, luck)


def rings_after(landings_ns: Sequence[int], offsets_ms: Sequence[int], luck: random.Random) -> list[tuple[int, int]]:
    """Return rings, time and offset, around landings."""
    return [(landed_ns + ms * MS + luck.randrange(MS), ms) for landed_ns in landings_ns for ms in offsets_ms]


def judge(
    laid: PilesTable,
    rings: Iterable[tuple[int, int]],
    instants_ns: Sequence[int],
    luck: random.Random,
    seen: Callable[[Frame], Frame] = lambda frame: frame,
) -> Iterator[Judged]:
    """Show the frames round some instants, and yield the rulings of rings, time and offset, by anybody.

    seen: gives a frame as the camera sees it.
    """
    left = sorted(rings)
    last: Frame | None = None
    for frame in laid.frames(instants_ns):
        while last is not None and left and left[0][0] <= frame.exposure_end_ns:
            ring_ns, offset_ms = left.pop(0)
            ruling = laid.ruling_at(ring_ns, luck.randrange(len(laid.table.script.people)))
            yield Judged(ring_ns, offset_ms, ruling, allowed_at(laid, last.exposure_end_ns))
        laid.session.look(seen(frame))
        last = frame


def allowed_at(laid: PilesTable, t_ns: int) -> tuple[frozenset[str], ...]:
    """Return the pairs that a frame which ended at `t_ns` may show.

    A card that comes down may be readable already; one under a hand may not be.
    """
    tops: dict[int, Face] = {}
    states: list[dict[int, Face]] = []
    for event in laid.game.events:
        if event.kind != "card_shown" or event.t_ns > t_ns + _ALOFT_NS:
            continue
        seat = event.data["seat"]
        if not isinstance(seat, int):
            continue
        after = {**tops, seat: (str(event.data["colour"]), str(event.data["mood"]))}
        if event.t_ns > t_ns:
            states.append(after)
            continue
        if t_ns - event.t_ns < _ALOFT_NS and not _in_sight(laid, event.t_ns, t_ns):
            states.append(tops)
        tops = after
    return tuple(_pairs(each) for each in (tops, *states))


def _in_sight(laid: PilesTable, landed_ns: int, t_ns: int) -> bool:
    """Return whether the card that landed then is fully visible in a frame that ended at `t_ns`."""
    cards = truth_at(laid.table, t_ns).cards
    landed = [card for card in cards if card.since_ns is not None and abs(card.since_ns - landed_ns) < 5 * MS]
    return bool(landed) and landed[0].visible >= _WHOLE


def _pairs(tops: dict[int, Face]) -> frozenset[str]:
    happy: Sequence[str] = [colour for colour, mood in tops.values() if mood == "happy"]
    return frozenset(colour for colour in happy if happy.count(colour) > 1)


if __name__ == "__main__":
    command(measure)
