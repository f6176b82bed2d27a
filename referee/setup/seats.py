"""Who sits where: proposed for a game and a number of players, and bell buttons given to seats by ringing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hardware.events import BellPressed
from referee.errors import BadInputError
from referee.language import Language
from referee.seats import MOST_PLAYERS, SeatRing, marker_rectangle
from referee.setup.finding import Choice, Finding, Heard, Points, Seen, Shape, State, Wish, camera_missing
from vision.errors import VisionError
from vision.markers import find_markers, table_from_markers, unmirrored_markers
from vision.standing import table_now
from vision.table import Table

FEWEST, USUAL = 2, 3
_REACH_MM = 110.0


class SeatsStep:
    """See the module. It remembers which button was rung for which seat."""

    name = "seats"

    def __init__(self) -> None:
        self._players = USUAL
        self._place: tuple[Table, Points] | None = None

    def title(self, language: Language) -> str:
        """What it is called."""
        return language.text("Seats")

    def ask(self, language: Language) -> str:
        """What to do."""
        return language.text("How many play? Seat 1 is at the bottom of the picture, the others follow clockwise.")

    def begin(self, seen: Seen) -> Wish:
        """Begin with the players of the last time."""
        before = seen.kept["seats"].data.get("players") if "seats" in seen.kept else None
        if isinstance(before, int) and FEWEST <= before <= MOST_PLAYERS:
            self._players = before
        return Wish()

    def look(self, seen: Seen) -> Finding:
        """Show the seats, and ask for rings where each has a button."""
        if seen.image is None:
            return camera_missing(seen)
        language = seen.language
        counts = tuple(
            Choice(str(n), {"players": n}, chosen=n == self._players) for n in range(FEWEST, MOST_PLAYERS + 1)
        )
        self._place = _place(seen) or self._place
        shapes: tuple[Shape, ...] = ()
        if self._place is not None:
            table, rectangle = self._place
            shapes = seat_shapes(SeatRing(rectangle, self._players), table, seen.size_px, language)
        if seen.settings.bell != "seats":
            text = language.text("{n} players share one bell.", n=self._players)
            return self._found(seen, State.GOOD, text, None, shapes, counts)
        rung = order_rung(seen.heard)
        if len(rung) >= self._players:
            text = language.text("Each seat has its bell.")
            return self._found(seen, State.GOOD, text, 1.0, shapes, counts)
        text = language.text("Seat {n}, ring now.", n=len(rung) + 1)
        return self._found(seen, State.WAIT, text, len(rung) / self._players, shapes, counts)

    def answer(self, seen: Seen, answer: Mapping[str, object]) -> Wish:
        """Take the number of players."""
        players = answer.get("players")
        if type(players) is not int or not FEWEST <= players <= MOST_PLAYERS:
            raise BadInputError("that is no number of players")
        self._players = players
        return Wish(data={"players": players})

    def keep(self, seen: Seen) -> Wish:
        """Keep the number of players, and whose bell is whose."""
        data = {"players": self._players}
        rung = order_rung(seen.heard)
        pins = seen.settings.bell_pins
        if seen.settings.bell != "seats" or len(rung) < self._players or max(rung) >= len(pins):
            return Wish(data=data)
        others = [pin for number, pin in enumerate(pins) if number not in rung[: self._players]]
        return Wish({"bell_pins": [pins[number] for number in rung[: self._players]] + others}, data=data)

    def _found(
        self,
        seen: Seen,
        state: State,
        text: str,
        bar: float | None,
        shapes: tuple[Shape, ...],
        counts: tuple[Choice, ...],
    ) -> Finding:
        if shapes or state is State.WAIT:
            return Finding(state, text, bar=bar, shapes=shapes, choices=counts)
        unknown = seen.language.text("Nobody knows where the table is: measure it in the step before.")
        return Finding(State.MEND, text, (unknown,), bar, choices=counts)


def order_rung(heard: Sequence[Heard]) -> list[int]:
    """Give the buttons in the order in which each was rung first."""
    rung: list[int] = []
    for one in heard:
        seat = one.event.seat if isinstance(one.event, BellPressed) else None
        if seat is not None and seat not in rung:
            rung.append(seat)
    return rung


def seat_shapes(ring: SeatRing, table: Table, size_px: tuple[int, int], language: Language) -> tuple[Shape, ...]:
    """Give each seat's part of the table as a shape of the picture."""
    shapes = []
    corner, sides = (
        ring.corners_mm[2],
        (ring.corners_mm[3] - ring.corners_mm[2], ring.corners_mm[1] - ring.corners_mm[2]),
    )
    lengths = np.array([np.linalg.norm(side) for side in sides])
    axes = np.stack([side / length for side, length in zip(sides, lengths, strict=True)])
    inset = np.minimum(_REACH_MM, lengths / 2)
    for seat in range(ring.players):
        edge = ring.part_of(seat, step_mm=40.0)
        inner = np.clip((edge - corner) @ axes.T, inset, lengths - inset) @ axes + corner
        outline = table.to_px(np.concatenate([edge, inner[::-1]]))
        corners = tuple((round(float(x) / size_px[0], 4), round(float(y) / size_px[1], 4)) for x, y in outline)
        shapes.append(Shape(corners, "seat", language.text("Seat {n}", n=seat + 1)))
    return tuple(shapes)


def _place(seen: Seen) -> tuple[Table, Points] | None:
    """Give the table and the rectangle people sit round: as it was measured, else by the marker cards in sight."""
    if seen.image is None:
        return None
    try:
        if seen.profile is not None and seen.profile.edge_mm is not None:
            table, _ = table_now(seen.profile, seen.image, unmirrored_markers(seen.image))
            if table is not None:
                return table, seen.profile.edge_mm
        markers = find_markers(seen.image)
        table = table_from_markers(markers, seen.size_px)
        return table, marker_rectangle(markers, table)
    except (VisionError, BadInputError):
        return None
