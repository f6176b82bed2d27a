"""The cards that everybody starts a game of Coloretto with (K2): seen before the first turn, or asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from referee.engine.events import Event
from referee.engine.session import Doubt
from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.setup import is_colour
from referee.games.coloretto.watching.doubts import start_card
from referee.games.coloretto.watching.looks import Look, Spot

START_CARD = "start_card"


class StartCards:
    """Knows of which seats nobody has said or seen yet what they start with."""

    def __init__(self, seats: frozenset[int], patience_ns: int) -> None:
        self._missing, self._patience_ns = set(seats), patience_ns
        self._asked: set[int] = set()
        self._first_ns: int | None = None

    def are_missing(self, seat: int) -> bool:
        """Tell whether nobody knows yet what a seat starts with."""
        return seat in self._missing

    def are_known(self, seat: int) -> None:
        """Learn that a seat's cards were told, by whomever."""
        self._missing.discard(seat)

    def found(self, look: Look, game: Coloretto) -> tuple[Event, ...]:
        """Give an event for each seat whose cards all lie there to be read."""
        if self._first_ns is None:
            self._first_ns = look.t_ns
        if any(Counter(row or ()) - Counter(spot.cards) for row, spot in zip(game.rows, look.rows, strict=True)):
            # A card that is missing in a row may be the one that lies in an area.
            return ()
        each = 2 if game.players == 2 else 1
        told = []
        for seat in sorted(self._missing):
            spot = look.areas[seat]
            cards = sorted((Counter(spot.cards) - game.hands[seat]).elements())
            if len(cards) == each and not spot.covered and not spot.unread and all(map(is_colour, cards)):
                self._missing.discard(seat)
                data = {"event": "start_cards", "seat": seat, "cards": cards}
                told.append(Event(look.t_ns, "start_cards", data))
        return tuple(told)

    def doubt(self, look: Look, game: Coloretto) -> Doubt | None:
        """Give, once a seat, what is to be asked of a card that nobody can read."""
        if self._first_ns is None or look.t_ns - self._first_ns < self._patience_ns:
            return None
        for seat in sorted(self._missing - self._asked):
            if look.areas[seat].unread:
                self._asked.add(seat)
                return start_card(game, seat, look)
        return None

    def silenced(self, look: Look, game: Coloretto) -> Look:
        """Let an area say nothing as long as cards lie there, from no row, of which nobody knows since when."""
        if not self._missing:
            return look
        in_rows = sum((Counter(row or ()) for row in game.rows), Counter[str]())
        areas = (
            Spot(covered=True)
            if seat in self._missing and (spot.unread or Counter(spot.cards) - game.hands[seat] - in_rows)
            else spot
            for seat, spot in enumerate(look.areas)
        )
        return replace(look, areas=tuple(areas))
