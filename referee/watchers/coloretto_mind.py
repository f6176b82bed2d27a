"""Understands a game of Coloretto from looks at the table: looks in, events and notices out; no pictures, no clock.

Nothing is told before one explanation stands out, and a foul only where every legal explanation is ruled out by what
was seen. What cannot be told yet is looked at again; nobody has to wait for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from referee.errors import BadInputError
from referee.events import Event, Header
from referee.games.coloretto import rules as coloretto
from referee.games.coloretto.setup import is_colour
from referee.session import Notice, RulingData
from referee.watchers.coloretto_explain import Explanation, explain
from referee.watchers.coloretto_looks import UNKNOWN, Allowed, Look, Move

SECOND_NS = 1_000_000_000
PATIENCE_NS = 6 * SECOND_NS
"""So long somebody may hold the cards that he took, before it is asked who did."""
AFTER_ASKING_NS = 14 * SECOND_NS
"""So long after something that nobody can tell the likeliest is taken, if nobody has said what it was."""
_MARGIN = 3.0  # nats before the next likely that comes to something else
_WELL, _FAIRLY = 3.2, 6.5  # of a look: what it may show otherwise, at once or when nothing better comes
_INCREDIBLE, _MOST_WITH_FOUL = 14.0, 2  # explanations so dear, and fouls among more moves, are none
_MOST_LOOKS = 3
_BACK_NS = SECOND_NS  # a card that seems gone may only be hidden


class Mind:
    """Knows how the game stands, as far as it was told or seen.

    Notices: `who_took` (`row`, `seats`) where two may have; `row_card_unread` (`row`) where a card lies that nobody can
    read; `not_understood`; `area_differs` (`seat`, `missing`, `extra`) after the end.
    """

    def __init__(self, header: Header) -> None:
        self._header = header
        self.begin_again()

    def begin_again(self) -> None:
        """Forget how the game went."""
        self.game = coloretto.from_header(self._header)
        self.allowed = Allowed.nothing(len(self.game.rooms), self.game.players)
        self._open: list[Look] = []  # looks that show something that is not explained yet
        self._ways: list[Explanation] = []
        self._since_ns: int | None = None
        self._asked: tuple[object, ...] = ()
        self._started = bool(self._header.options.get("start_cards"))
        self._compared = False
        self._guessed = False  # whether it may stand otherwise: then nobody is told that he did wrong

    def see(self, look: Look) -> tuple[tuple[Event, ...], tuple[Notice, ...]]:
        """Take the next look, and give what is certain now; the game's answers come by `judged`."""
        events: list[Event] = []
        if self.game.over:
            return (), self._compare(look)
        if look.last_round and not self.game.last:
            events.append(Event(look.t_ns, "last_round", {"event": "last_round"}))
        events += self._start(look)
        if events:
            return tuple(events), ()
        if not self._open or not look.shows_the_same(self._open[-1]):
            self._open = [*self._open[-(_MOST_LOOKS - 1) :], look]
            self._ways = explain(self.game, self.allowed, self._open)
        ways, best = self._ways, self._ways[0]
        if not best.moves and best.left <= _WELL:
            self._settle(look)
            return (), ()
        if self._since_ns is None:
            self._since_ns = look.t_ns
        waited_ns = look.t_ns - self._since_ns
        if not self._is_certain(ways, waited_ns) and waited_ns >= AFTER_ASKING_NS:
            # Nobody has said, and play goes on: the likeliest by the rules, which can be put right on the page.
            best = next((way for way in ways if _is_plain(way)), best)
            self._guessed = True
            if not _is_plain(best):
                self.allowed = _as_it_lies(self.game, self.allowed, look)
                self._open, self._since_ns = [], None
                return (), ()
            ways = [best]
        if self._is_certain(ways, waited_ns):
            self._open, self._since_ns, self._asked = [], None, ()
            self.allowed = replace(best.allowed, hidden=_hidden(best.game, best.allowed, look))
            return tuple(_event(move, look.t_ns) for move in best.moves), ()
        return (), self._ask(ways, look, waited_ns)

    def judged(self, event: Event, rulings: Sequence[RulingData]) -> None:
        """Follow what the game was told, by whomever."""
        before = (self.game.copy(), self.game.over)
        try:
            self.game.apply(event)
        except BadInputError:
            self.game = before[0]
        self._open, self._since_ns = [], None

    def _is_certain(self, ways: Sequence[Explanation], waited_ns: int) -> bool:
        best = ways[0]
        if not best.moves or (best.fouls and self._guessed) or any(move.card == UNKNOWN for move in best.moves):
            return False
        patient = waited_ns >= PATIENCE_NS
        if best.cost > _INCREDIBLE or (best.fouls and len(best.moves) > _MOST_WITH_FOUL):
            return False
        if best.left > (_FAIRLY if patient else _WELL):
            return False
        if any(move.kind == "back" for move in best.moves) and waited_ns < _BACK_NS:
            return False
        return len(ways) < 2 or ways[1].cost - best.cost >= _MARGIN

    def _settle(self, look: Look) -> None:
        """Nothing was done; what lay beside the rules and does no longer was put right."""
        self._open, self._since_ns, self._asked = [], None, ()
        rows = list(zip(look.rows, (Counter(row or ()) for row in self.game.rows), strict=True))
        extra, absent = list(self.allowed.extra), list(self.allowed.absent)
        for number, (spot, due) in enumerate(rows):
            if not spot.covered and not spot.unread:
                extra[number] &= Counter(spot.cards) - due
                absent[number] &= due - Counter(spot.cards)
        beside = list(self.allowed.beside)
        for seat, spot in enumerate(look.areas):
            if not spot.covered and not spot.unread:
                beside[seat] &= Counter(spot.cards)
        allowed = replace(self.allowed, extra=tuple(extra), absent=tuple(absent), beside=tuple(beside))
        # A row's own card that was forgotten, or left lying, says nothing.
        loose = {
            number
            for number, (spot, row) in enumerate(zip(look.rows, self.game.rows, strict=True))
            if (number in allowed.loose if spot.marked is None else spot.marked != (row is not None))
        }
        self.allowed = replace(allowed, hidden=_hidden(self.game, allowed, look), loose=frozenset(loose))
        if (
            not any(self.game.rows)
            and not self.game.taken
            and not any(spot.covered or spot.cards for spot in look.rows)
        ):
            # A new round begins, and all lies as it should.
            self._guessed = False

    def _ask(self, ways: Sequence[Explanation], look: Look, waited_ns: int) -> tuple[Notice, ...]:
        """Say once what is not clear, when nobody has made it clear by himself."""
        if waited_ns < PATIENCE_NS:
            return ()
        notice = self._doubt(ways, look)
        what = (notice.kind, notice.seat, str(notice.data))
        if what == self._asked:
            return ()
        self._asked = what
        return (notice,)

    def _doubt(self, ways: Sequence[Explanation], look: Look) -> Notice:
        likely = [way for way in ways if way.cost < ways[0].cost + _MARGIN and way.moves]
        takers: dict[int, set[int]] = {}
        for way in likely:
            for move in way.moves:
                if move.kind == "take":
                    takers.setdefault(move.row, set()).add(move.seat)
        for row, seats in takers.items():
            if len(seats) > 1:
                return Notice(look.t_ns, "who_took", None, {"row": row, "seats": sorted(seats)})
        for row, spot in enumerate(look.rows):
            if spot.unread:
                return Notice(look.t_ns, "row_card_unread", None, {"row": row})
        return Notice(look.t_ns, "not_understood", None, {})

    def _start(self, look: Look) -> list[Event]:
        """The cards that everybody starts with lie there before the first turn (K2)."""
        game = self.game
        if (
            self._started
            or any(game.rows)
            or any(row is None for row in game.rows)
            or any(spot.cards for spot in look.rows)
        ):
            return []
        most = 2 if game.players == 2 else 1
        whole = all(
            len(spot.cards) == most and not spot.covered and not spot.unread and all(map(is_colour, spot.cards))
            for spot in look.areas
        )
        if not whole:
            return []
        self._started = True
        return [
            Event(look.t_ns, "start_cards", {"event": "start_cards", "seat": seat, "cards": list(spot.cards)})
            for seat, spot in enumerate(look.areas)
        ]

    def _compare(self, look: Look) -> tuple[Notice, ...]:
        """At the end: where an area shows other cards than the history says."""
        if self._compared or any(spot.covered for spot in look.areas):
            return ()
        self._compared = True
        told = []
        for seat, spot in enumerate(look.areas):
            seen, due = Counter(spot.cards), self.game.hands[seat]
            missing, extra = sorted((due - seen).elements()), sorted((seen - due).elements())
            if extra or len(missing) > spot.unread:
                told.append(Notice(look.t_ns, "area_differs", seat, {"missing": missing, "extra": extra}))
        return tuple(told)


def _is_plain(way: Explanation) -> bool:
    """Whether a way is by the rules, with cards that somebody saw."""
    return bool(way.moves) and not way.fouls and way.left <= _FAIRLY and all(m.card != UNKNOWN for m in way.moves)


def _as_it_lies(game: coloretto.Coloretto, allowed: Allowed, look: Look) -> Allowed:
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


def _hidden(game: coloretto.Coloretto, allowed: Allowed, look: Look) -> tuple[Counter[str], ...]:
    """What of each area is not seen, though nothing covers it: it lies under other cards."""
    return tuple(
        kept if spot.covered else game.hands[seat] + allowed.beside[seat] - Counter(spot.cards)
        for seat, (kept, spot) in enumerate(zip(allowed.hidden, look.areas, strict=True))
    )


def _event(move: Move, t_ns: int) -> Event:
    match move.kind:
        case "place":
            data: dict[str, object] = {"event": "card_placed", "seat": move.seat, "row": move.row, "card": move.card}
        case "take":
            data = {"event": "row_taken", "seat": move.seat, "row": move.row}
        case _:
            data = {"event": "card_taken_back", "row": move.row}
    return Event(t_ns, str(data["event"]), data)
