"""Measures the named ringers of one bell on drawn tables, with one arm or more: `python -m tools.bench.ringers`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hardware.camera.frames import SECOND_NS, Frame
from referee.decks.lookup import find_deck
from referee.games.piccolino.watching.ringer import RingerDetector
from referee.games.seating import AREA_MM, MIDDLE_MM, people_at, ring_of, spot
from referee.scoring.seats import SeatRing, marker_rectangle
from referee.watchers.table_arms import ArmRegion
from simulation.art import FRONT
from simulation.live import LiveTable, Shots
from simulation.script import SKINS, SLEEVES, Action, BellHit, Person, Rest, Script
from simulation.view import Look
from tools.bench.common import Row, command, say
from vision.markers import find_markers, table_from_markers

SIZE = (640, 360)
RINGS_A_TABLE = 12
_FIRST_S, _PACE_S = 2.0, 2.1
_AFTER_S = 0.3
_LOOKS = (
    Look(),
    Look(table="cloth", gradient=0.4),
    Look(table="plain", tint=(0.72, 0.9, 1.0), noise=4.0),
    Look(table="wood", tint=(0.5, 0.5, 0.5), noise=5.0),
    Look(table="white", tint=(1.0, 0.97, 0.9)),
    Look(table="checked", tilt_deg=20.0, blur_px=1.0),
)
# Another arm: none, one busy at its own pile, or one at the bell a moment later.
ALONE, BUSY, LATER = "alone", "busy", "later"
_KINDS = (ALONE, ALONE, BUSY, LATER)
_BEHIND_S = (0.05, 0.3)


@dataclass(frozen=True)
class Named:
    """A ring: the other arm's `kind`, the ringer's seat, and the seat that the watcher named; None: it asks."""

    kind: str
    players: int
    seat: int
    named: int | None

    @property
    def verdict(self) -> str:
        """Return `right`, `wrong` or `asked`."""
        return "asked" if self.named is None else "right" if self.named == self.seat else "wrong"


def measure(rings: int = 240, seed: int = 1) -> Row:
    """Let people ring, two to five at a table; a ring whose ringer the referee asks for is unclear."""
    counts: Counter[str] = Counter()
    for ring in name_ringers(rings, seed):
        counts[ring.verdict] += 1
        if ring.verdict == "wrong":
            say(vars(ring))
    return Row(counts.total(), counts["right"], counts["asked"], counts["wrong"])


def name_ringers(rings: int, seed: int) -> Iterator[Named]:
    """Let people ring on drawn tables, and yield the watcher's answers."""
    for number in range(-(-rings // RINGS_A_TABLE)):
        count = min(RINGS_A_TABLE, rings - number * RINGS_A_TABLE)
        yield from _on_table(2 + number % 4, count, seed * 1000 + number, _LOOKS[number % len(_LOOKS)])


def _on_table(players: int, count: int, seed: int, look: Look) -> Iterator[Named]:
    luck = random.Random(seed)
    seats = ring_of(players)
    rings: list[tuple[BellHit, str]] = []
    actions: list[Action] = []
    for number in range(count):
        ring = BellHit(luck.randrange(players), _FIRST_S + _PACE_S * number + luck.uniform(0, 0.03))
        kind = luck.choice(_KINDS)
        rings.append((ring, kind))
        actions.append(ring)
        other = luck.choice([seat for seat in range(players) if seat != ring.seat])
        if kind == BUSY:
            pile = spot(seats, other, 0.65, 0.6, FRONT)
            actions.append(Rest(other, ring.at_s - 0.5, ring.at_s + 0.4, (pile.x_mm, pile.y_mm)))
        elif kind == LATER:
            actions.append(BellHit(other, ring.at_s + luck.uniform(*_BEHIND_S)))
    people = tuple(_dressed(person, luck) for person in people_at(seats))
    script = Script(AREA_MM, (), people, tuple(actions), _FIRST_S + _PACE_S * count + 1.0, bell_mm=MIDDLE_MM)
    table = LiveTable(script, find_deck("piccolino"), seed, Shots(size=SIZE, look=look))
    place = _place_of(table.frame(0), players)
    eyes = RingerDetector(lambda: place)
    frames = (table.frame(index) for index in range(table.frames))
    for ring, kind in rings:
        yield Named(kind, players, ring.seat, _named(table, frames, eyes, ring))


def _named(table: LiveTable, frames: Iterator[Frame], eyes: RingerDetector, ring: BellHit) -> int | None:
    """Play up to a ring, and return the seat that the watcher names."""
    ring_ns = table.start_ns + round(ring.at_s * SECOND_NS)
    named: int | None = None
    rung = False
    for frame in frames:
        if not rung and frame.exposure_end_ns > ring_ns:
            rung, named = True, eyes.rang(ring_ns)
        for _, seat in eyes.look(frame):
            named = seat
        if table.seconds(frame.exposure_end_ns) > ring.at_s + _AFTER_S:
            break
    return named


def _place_of(frame: Frame, players: int) -> ArmRegion:
    image = frame.bgr()
    markers = find_markers(image)
    table = table_from_markers(markers, SIZE)
    return ArmRegion(table, SeatRing(marker_rectangle(markers, table), players))


def _dressed(person: Person, luck: random.Random) -> Person:
    """Return the person with another sleeve, skin and ringing hand."""
    sleeve = luck.choice([*SLEEVES, (200, 205, 210), (35, 35, 38)])
    return replace(person, skin=luck.choice(SKINS), sleeve=sleeve, left_handed=luck.random() < 0.3)


if __name__ == "__main__":
    command(measure)
