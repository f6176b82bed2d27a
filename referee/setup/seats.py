"""The set-up steps for the deck, and for seats and their bell buttons."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hardware.events import BellPressed
from referee.decks.lookup import find_deck
from referee.decks.store import DeckStore
from referee.errors import BadInputError, RingmasterError
from referee.language import Language
from referee.scoring.seats import MOST_PLAYERS, SeatRing, even_places, marker_rectangle
from referee.setup.step import (
    Choice,
    Handle,
    Heard,
    Shape,
    State,
    Step,
    StepFinding,
    StepInput,
    Wish,
    camera_missing,
    deck_of,
    seats_of,
    shares,
)
from vision.arrays import Points
from vision.deck import Deck
from vision.errors import VisionError
from vision.markers import find_markers, table_from_markers, unmirrored_markers
from vision.profile import TableProfile
from vision.profile_check import table_now
from vision.table import Table

USUAL_DECK = "confetti"
PRINTABLE = ("confetti", "piccolino", "coloretto", "everdeck")


class DeckStep(Step):
    """The deck step: chooses a deck."""

    name = "deck"
    title_key, ask_key = "setup.seats.cards", "setup.seats.which_cards_do_you_play"

    def __init__(self) -> None:
        self._deck = ""

    def begin(self, seen: StepInput) -> Wish:
        """Start with the stored deck."""
        self._deck = chosen_name(seen)
        return Wish()

    def look(self, seen: StepInput) -> StepFinding:
        """Offer the decks."""
        language = seen.language
        names = (*PRINTABLE, *_taught(seen))
        choices = tuple(Choice(_called(name), {"deck": name}, chosen=name == self._deck) for name in names)
        links = tuple(
            Choice(language.text("setup.seats.to_print", deck=_called(name)), href=f"/print/{name}.pdf")
            for name in PRINTABLE
            if name == self._deck
        )
        teach = Choice(language.text("setup.seats.teach_my_own_cards"), href="#teach")
        text = language.text("setup.seats.you_play_with", deck=_called(self._deck))
        more = (language.text("setup.seats.print_it_at_100_ruler"),) if links else ()
        return StepFinding(State.GOOD, text, more, choices=(*choices, *links, teach))

    def answer(self, seen: StepInput, answer: Mapping[str, object]) -> Wish:
        """Choose another deck."""
        deck = answer.get("deck")
        if deck not in (*PRINTABLE, *_taught(seen)):
            raise BadInputError("error.setup.there_is_no_such_deck")
        self._deck = str(deck)
        return Wish(data={"deck": self._deck})

    def keep(self, seen: StepInput) -> Wish:
        """Store the deck's name."""
        return Wish(data={"deck": self._deck or chosen_name(seen)})


def chosen_name(seen: StepInput) -> str:
    """Return the name of the chosen deck, or the default."""
    return deck_of(seen.kept) or USUAL_DECK


def chosen_deck(seen: StepInput) -> Deck | None:
    """Return the chosen deck; None if it no longer exists."""
    try:
        return find_deck(chosen_name(seen), seen.folder)
    except (VisionError, RingmasterError):
        return None


def chosen_palette(seen: StepInput) -> tuple[Mapping[str, str], str, str] | None:
    """Return the colours of the chosen deck (`#rrggbb` each), its background and that side; None without colours."""
    deck = chosen_deck(seen)
    if deck is not None and deck.palette:
        side = "white" if "white" in deck.palette else next(iter(deck.palette), "")
        return (deck.palette[side], deck.background[side], side) if side else None
    return None


def _taught(seen: StepInput) -> list[str]:
    try:
        return DeckStore(seen.folder).names()
    except RingmasterError:
        return []


def _called(name: str) -> str:
    return name[:1].upper() + name[1:]


FEWEST, USUAL_PLAYERS = 2, 3
_REACH_MM = 110.0
_CLOSEST = 0.4
"""Least distance of two seats, as a share of the distance when they are even."""
_FARTHEST_CM = 500


class SeatsStep(Step):
    """The seats step. Remembers the order of the first rings, and moved seats."""

    name = "seats"
    title_key, ask_key = "setup.seats.seats", "setup.seats.how_many_play_seat_1"

    def __init__(self) -> None:
        self._players = USUAL_PLAYERS
        self._places: dict[int, tuple[float, ...]] = {}
        self._place: tuple[Table, Points] | None = None

    def begin(self, seen: StepInput) -> Wish:
        """Start with the stored number of players."""
        before = seen.kept["seats"].data.get("players") if "seats" in seen.kept else None
        if isinstance(before, int) and FEWEST <= before <= MOST_PLAYERS:
            self._players = before
        self._places = seats_of(seen.kept)
        return Wish()

    def look(self, seen: StepInput) -> StepFinding:
        """Show the seats, and ask for rings if each has a button."""
        if seen.image is None:
            return camera_missing(seen)
        language = seen.language
        counts = tuple(
            Choice(str(n), {"players": n}, chosen=n == self._players) for n in range(FEWEST, MOST_PLAYERS + 1)
        )
        self._place = _place(seen) or self._place
        shapes: tuple[Shape, ...] = ()
        if self._place is not None:
            shapes = seat_shapes(self._ring(self._place[1]), self._place[0], seen.size_px)
        if self._players in self._places:
            counts = (*counts, Choice(language.text("setup.seats.spread_seats_evenly"), {"even": True}))
        if seen.settings.bell != "seats":
            text = language.text("setup.seats.players_share_one_bell", n=self._players)
            return self._found(seen, State.GOOD, text, None, shapes, counts)
        rung = order_rung(seen.heard)
        if len(rung) >= self._players:
            text = language.text("setup.seats.each_seat_has_its_bell")
            return self._found(seen, State.GOOD, text, 1.0, shapes, counts)
        text = language.text("setup.seats.seat_ring_now", n=len(rung) + 1)
        return self._found(seen, State.WAIT, text, len(rung) / self._players, shapes, counts)

    def answer(self, seen: StepInput, answer: Mapping[str, object]) -> Wish:
        """Take the number of players, or a seat's move: `at` a point of the picture, or `by_cm`, clockwise."""
        if answer.get("even"):
            self._places.pop(self._players, None)
        elif "seat" in answer:
            self._move(seen, answer)
        else:
            players = answer.get("players")
            if type(players) is not int or not FEWEST <= players <= MOST_PLAYERS:
                raise BadInputError("error.setup.that_is_no_number_of")
            self._players = players
        return Wish(profile=self._profile(seen), data=self._data())

    def keep(self, seen: StepInput) -> Wish:
        """Store the number of players, their places, and the seat of each button."""
        data = self._data()
        rung = order_rung(seen.heard)
        pins = seen.settings.bell_pins
        if seen.settings.bell != "seats" or len(rung) < self._players or max(rung) >= len(pins):
            return Wish(profile=self._profile(seen), data=data)
        others = [pin for number, pin in enumerate(pins) if number not in rung[: self._players]]
        own = [pins[number] for number in rung[: self._players]]
        return Wish({"bell_pins": own + others}, self._profile(seen), data=data)

    def _data(self) -> dict[str, object]:
        return {"players": self._players, "places": {str(n): list(places) for n, places in self._places.items()}}

    def _profile(self, seen: StepInput) -> TableProfile | None:
        """Return the measured table with the present seats; None without a change."""
        if seen.profile is None or dict(seen.profile.seats) == self._places:
            return None
        return replace(seen.profile, seats=dict(self._places))

    def _ring(self, rectangle: Points) -> SeatRing:
        return SeatRing(rectangle, self._players, places=self._places.get(self._players))

    def _move(self, seen: StepInput, answer: Mapping[str, object]) -> None:
        seat, at, by_cm = answer.get("seat"), answer.get("at"), answer.get("by_cm")
        self._place = _place(seen) or self._place
        if self._place is None or seen.profile is None:
            raise BadInputError("setup.seats.seats_can_be_moved_when")
        if type(seat) is not int or not 0 <= seat < self._players:
            raise BadInputError("error.setup.there_is_no_such_seat")
        table, rectangle = self._place
        ring, places = self._ring(rectangle), self._places.get(self._players, even_places(self._players))
        if isinstance(at, list | tuple) and len(at) == 2 and all(_is_number(one) for one in at):
            point = table.to_mm(np.array([at], np.float64) * seen.size_px)[0]
            way = ring.way_of((float(point[0]), float(point[1]))) / ring.length_mm - places[seat]
            # The shorter direction.
            share = places[seat] + (way + 0.5) % 1 - 0.5
        elif _is_number(by_cm) and isinstance(by_cm, int | float) and abs(by_cm) <= _FARTHEST_CM:
            share = places[seat] + 10 * by_cm / ring.length_mm
        else:
            raise BadInputError("error.setup.that_is_no_place_at")
        self._places[self._players] = moved(places, seat, share)

    def _found(
        self,
        seen: StepInput,
        state: State,
        text: str,
        bar: float | None,
        shapes: tuple[Shape, ...],
        counts: tuple[Choice, ...],
    ) -> StepFinding:
        if shapes or state is State.WAIT:
            more: tuple[str, ...] = ()
            handles: tuple[Handle, ...] = ()
            if self._place is not None and seen.profile is not None:
                handles = seat_handles(self._ring(self._place[1]), self._place[0], seen.size_px, seen.language)
                more = (seen.language.text("setup.seats.drag_seat_to_where_somebody"),)
            return StepFinding(state, text, more, bar, shapes, counts, handles)
        unknown = seen.language.text("setup.seats.nobody_knows_where_table_is")
        return StepFinding(State.MEND, text, (unknown,), bar, choices=counts)


def order_rung(heard: Sequence[Heard]) -> list[int]:
    """Return the buttons in the order of their first rings."""
    rung: list[int] = []
    for one in heard:
        seat = one.event.seat if isinstance(one.event, BellPressed) else None
        if seat is not None and seat not in rung:
            rung.append(seat)
    return rung


def moved(places: Sequence[float], seat: int, share: float) -> tuple[float, ...]:
    """Return everybody's place after one seat moves: seats keep their order, and a least distance."""
    count = len(places)
    nearest = _CLOSEST / count
    before = places[seat - 1] - (seat == 0)
    after = places[(seat + 1) % count] + (seat == count - 1)
    found = [*places]
    found[seat] = round(min(max(share, before + nearest), after - nearest), 4)
    shift = math.floor(found[0] + 0.5)
    return tuple(round(place - shift, 4) for place in found)


def seat_handles(ring: SeatRing, table: Table, size_px: tuple[int, int], language: Language) -> tuple[Handle, ...]:
    """Return the handles that move the seats."""
    handles = []
    for seat in range(ring.players):
        part = ring.part_of(seat)
        point = part[len(part) // 2]
        (at,) = shares(table.to_px(point[None]), size_px)
        way = ring.way_of((float(point[0]), float(point[1]))) / ring.length_mm % 1
        handles.append(Handle(seat, at, language.text("setup.seats.seat", n=seat + 1), way))
    return tuple(handles)


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]


def seat_shapes(ring: SeatRing, table: Table, size_px: tuple[int, int]) -> tuple[Shape, ...]:
    """Return each seat's part of the table as a shape of the picture."""
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
        shapes.append(Shape(shares(outline, size_px), "seat", str(seat + 1)))
    return tuple(shapes)


def _place(seen: StepInput) -> tuple[Table, Points] | None:
    """Return the table and the rectangle of its edge: as measured, else by the marker cards in sight."""
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
