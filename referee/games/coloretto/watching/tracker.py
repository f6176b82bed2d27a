"""Tracks a game of Coloretto: its start, the moves between looks, and the doubts that become questions.

The tracker follows all hypotheses that fit, from look to look. Moves that all likely ones share become events; a foul
is ruled only if observations exclude every legal hypothesis. Everything else becomes a question, and play goes on.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from referee.engine.events import Event, Header
from referee.engine.session import Answer, Doubt, Notice
from referee.errors import BadInputError
from referee.games.coloretto.rules import Coloretto, from_header
from referee.games.coloretto.score import PALETTES
from referee.games.coloretto.start_options import JOKER, PLUS2, is_colour
from referee.games.coloretto.watching.looks import UNKNOWN, Allowed, Move, Spot, TableLook
from referee.games.coloretto.watching.search import Hypothesis, after, as_seen, further, is_strange, standing

_MOST_ANSWERS = 3


def asked_about(hypotheses: Sequence[Hypothesis], look: TableLook, margin: float) -> Doubt:
    """Return the question where several hypotheses are likely, or where none explains the look."""
    moved = [hypothesis for hypothesis in hypotheses if hypothesis.moves]
    likely = [hypothesis for hypothesis in moved if hypothesis.cost < hypotheses[0].cost + margin]
    takers: dict[int, dict[int, Hypothesis]] = {}
    for hypothesis in likely:
        for move in hypothesis.moves:
            if move.kind == "take":
                takers.setdefault(move.row, {}).setdefault(move.seat, hypothesis)
    for row, by_seat in takers.items():
        if len(by_seat) > 1:
            answers = [_answer(hypothesis, look, {"seat": seat}) for seat, hypothesis in sorted(by_seat.items())]
            return Doubt(look.t_ns, "who_took", {"row": row, "seats": sorted(by_seat)}, tuple(answers))
    for hypothesis in likely:
        unknown = [move for move in hypothesis.moves if move.card == UNKNOWN]
        row = unknown[0].row if unknown else 0
        if len(unknown) == 1 and look.rows[row].unread:
            return Doubt(look.t_ns, "row_card_unread", {"row": row}, _each_card(hypothesis, look))
    for row, spot in enumerate(look.rows):
        if spot.unread:
            return Doubt(look.t_ns, "row_card_unread", {"row": row}, ())
    readable = [one for one in moved if all(move.card != UNKNOWN for move in one.moves)][:_MOST_ANSWERS]
    answers = [
        _answer(hypothesis, look, {"moves": [event.data for event in _events(hypothesis, look)]})
        for hypothesis in readable
    ]
    return Doubt(look.t_ns, "not_understood", {}, tuple(answers))


def misread(moves: Sequence[Move], t_ns: int) -> tuple[Doubt, ...]:
    """Return the question about misread cards, which area and row show differently; no event was made instead."""
    return tuple(
        Doubt(
            t_ns,
            "misread",
            {"seat": move.seat, "card": move.card, "was": list(move.was)},
            (
                Answer((), {"card": move.was[0]} if len(move.was) == 1 else {"none": True}),
                *(
                    Answer((_was(move.seat, was, move.card, t_ns),), {"card": move.card, "was": was})
                    for was in dict.fromkeys(move.was)
                ),
            ),
        )
        for move in moves
        if move.kind == "misread"
    )


def start_card(game: Coloretto, seat: int, look: TableLook) -> Doubt:
    """Return the question about an unreadable start card of a seat."""
    known = list(look.areas[seat].cards)
    answers = tuple(
        Answer(
            (Event(look.t_ns, "start_cards", {"event": "start_cards", "seat": seat, "cards": [*known, card]}),),
            {"card": card},
        )
        for card in _cards_of(game)
        if is_colour(card)
    )
    return Doubt(look.t_ns, "start_card", {"seat": seat}, answers)


def event_of(move: Move, t_ns: int) -> Event:
    """Return a move as an event of the game."""
    match move.kind:
        case "place":
            data: dict[str, object] = {"event": "card_placed", "seat": move.seat, "row": move.row, "card": move.card}
        case "take":
            data = {"event": "row_taken", "seat": move.seat, "row": move.row}
        case "moved":
            data = {"event": "card_moved", "row": move.row, "to": move.to, "card": move.card}
        case _:
            data = {"event": "card_taken_back", "row": move.row}
    return Event(t_ns, str(data["event"]), data)


def _was(seat: int, was: str, card: str, t_ns: int) -> Event:
    return Event(t_ns, "card_was", {"event": "card_was", "seat": seat, "was": was, "card": card})


def _answer(hypothesis: Hypothesis, look: TableLook, data: Mapping[str, object]) -> Answer:
    return Answer(_events(hypothesis, look), data)


def _events(hypothesis: Hypothesis, look: TableLook) -> tuple[Event, ...]:
    return tuple(event_of(move, look.t_ns) for move in hypothesis.moves if move.is_reported)


def _each_card(hypothesis: Hypothesis, look: TableLook) -> tuple[Answer, ...]:
    """Return an answer for each possible face of an unreadable card."""
    return tuple(
        _answer(
            replace(
                hypothesis, moves=tuple(replace(m, card=card) if m.card == UNKNOWN else m for m in hypothesis.moves)
            ),
            look,
            {"card": card},
        )
        for card in _cards_of(hypothesis.game)
    )


def _cards_of(game: Coloretto) -> list[str]:
    known = {card for cards in game.hands for card in cards} | {card for row in game.rows for card in row or ()}
    palette = next((one for one in PALETTES if known & set(one)), PALETTES[0])
    return [*(colour for colour in palette if colour not in game.settings.left_out), PLUS2, JOKER]


START_CARD = "start_card"


class UnknownStarts:
    """Seats whose start cards are unknown yet."""

    def __init__(self, seats: frozenset[int], patience_ns: int) -> None:
        self._missing, self._patience_ns = set(seats), patience_ns
        self._asked: set[int] = set()
        self._first_ns: int | None = None

    def are_missing(self, seat: int) -> bool:
        """Return whether a seat's start cards are unknown yet."""
        return seat in self._missing

    def are_known(self, seat: int) -> None:
        """Note that a seat's start cards became an event, from tracker or page."""
        self._missing.discard(seat)

    def found(self, look: TableLook, game: Coloretto) -> tuple[Event, ...]:
        """Return an event for each seat whose start cards are all readable."""
        if self._first_ns is None:
            self._first_ns = look.t_ns
        if any(Counter(row or ()) - Counter(spot.cards) for row, spot in zip(game.rows, look.rows, strict=True)):
            # A card that a row lacks may be the one in an area.
            return ()
        each = 2 if game.players == 2 else 1
        events = []
        for seat in sorted(self._missing):
            spot = look.areas[seat]
            cards = sorted((Counter(spot.cards) - game.hands[seat]).elements())
            if len(cards) == each and not spot.covered and not spot.unread and all(map(is_colour, cards)):
                self._missing.discard(seat)
                data = {"event": "start_cards", "seat": seat, "cards": cards}
                events.append(Event(look.t_ns, "start_cards", data))
        return tuple(events)

    def doubt(self, look: TableLook, game: Coloretto) -> Doubt | None:
        """Return the question about an unreadable start card, once a seat."""
        if self._first_ns is None or look.t_ns - self._first_ns < self._patience_ns:
            return None
        for seat in sorted(self._missing - self._asked):
            if look.areas[seat].unread:
                self._asked.add(seat)
                return start_card(game, seat, look)
        return None

    def silenced(self, look: TableLook, game: Coloretto) -> TableLook:
        """Return the look without areas that hold cards from no row, whose arrival is unknown."""
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


SECOND_NS = 1_000_000_000
PATIENCE_NS = 6 * SECOND_NS
"""Time for which a player may hold taken cards before the taker is asked for."""
AFTER_ASKING_NS = 20 * SECOND_NS
"""Time after a question, after which the likeliest hypothesis is taken without an answer."""
_MARGIN = 3.0  # nats between the likeliest and the next with another outcome
_FOUL_MARGIN = 4.0
_MORE = 2.0  # added where the likeliest is incredible by itself, after unexplained looks
_USUAL, _INCREDIBLE, _INCREDIBLE_FOUL = 1.5, 11.0, 15.0  # hypotheses that exceed usual moves by so much are asked about
_WELL, _FAIRLY = 3.2, 6.5  # nats: differences of a look, at once or when nothing better comes
# A card that seems gone may be hidden, and one that slipped is usually put back.
_WAITS_NS = {"back": SECOND_NS, "moved": 5 * SECOND_NS}
_HELD_NS = 6 * SECOND_NS  # a player may hold a row's cards for a while


class Tracker:
    """Tracks the state of the game from events and observations.

    doubts: the players' questions. Notices: `who_took` (`row`, `seats`), two players may have taken it;
    `row_card_unread` (`row`), an unreadable card; `start_card` (`seat`), an unreadable start card; `misread` (`seat`,
    `card`, `was`); `not_understood`.
    """

    def __init__(self, header: Header) -> None:
        self._header = header
        self.begin_again()

    def begin_again(self) -> None:
        """Forget the game so far."""
        self.game = from_header(self._header)
        self._allowed = Allowed.nothing(len(self.game.rooms), self.game.players)
        self._root = Hypothesis(self.game, self._allowed)
        self._hypotheses = [self._root]
        self._reporting: list[Event] = []
        self._since_ns: int | None = None
        self._absorbed: Allowed | None = None  # differences before the whole table was accepted as observed
        self._strange = 0  # unexplained looks in a row
        self._asked: tuple[object, ...] = ()
        known = bool(self._header.options.get("start_cards"))
        self._start = UnknownStarts(frozenset() if known else frozenset(range(self.game.players)), PATIENCE_NS)
        self._guessed = False  # the state is uncertain, so no foul is ruled
        self.doubts: tuple[Doubt, ...] = ()

    def see(self, look: TableLook) -> tuple[tuple[Event, ...], tuple[Notice, ...]]:
        """Take the next look; return the events that are certain now, and notices. The game answers by `judged`."""
        if self.game.over:
            return (), ()
        if look.last_round and not self.game.last:
            return (Event(look.t_ns, "last_round", {"event": "last_round"}),), ()
        started = self._start.found(look, self.game)
        if started:
            return started, ()
        doubt = self._start.doubt(look, self.game)
        asked = () if doubt is None else (Notice(look.t_ns, doubt.kind, None, doubt.data),)
        self.doubts = self.doubts if doubt is None else (*self.doubts, doubt)
        events, notices = self._understand(self._start.silenced(look, self.game))
        return events, (*asked, *notices)

    def _understand(self, look: TableLook) -> tuple[tuple[Event, ...], tuple[Notice, ...]]:
        self._hypotheses = further(self._hypotheses, self._root, look, self._strange)
        self._strange = self._strange + 1 if is_strange(self._hypotheses[0]) else 0
        best = self._likeliest()
        if best.outcome() == (*standing(self.game), ()) and not any(move.kind == "misread" for move in best.moves):
            best = replace(best, moves=(), when=(), before=())
        if not best.moves and best.left <= _WELL and self._lead(best) >= _MARGIN:
            self._settle(best, look)
            return (), ()
        if self._since_ns is None:
            self._since_ns = look.t_ns
        count = self._certain(best, look)
        if not count and look.t_ns - self._since_ns >= AFTER_ASKING_NS:
            return self._guess(look)
        if count:
            return self._report(best, count, look)
        return (), self._ask(look)

    def judged(self, event: Event, view: Coloretto) -> None:
        """Follow an event of the game, from tracker or page; view: the state after it."""
        self.game = view
        if event.kind == "start_cards":
            self._start.are_known(event.seat(self.game.players))
            self.doubts = tuple(doubt for doubt in self.doubts if self._is_asked_still(doubt))
        if self._reporting and (event.kind, event.data) == (self._reporting[0].kind, self._reporting[0].data):
            self._reporting.pop(0)
            return
        if event.kind in ("last_round", "start_cards"):
            self._learn(event)
            return
        self._reporting = []
        self._allowed, self._absorbed = self._absorbed or self._allowed, None
        self._begin_from_here()

    def follow(self, view: Coloretto) -> None:
        """Take a state of the game as certain."""
        allowed, start, doubts = self._absorbed or self._allowed, self._start, self.doubts
        self.begin_again()
        self.game, self._allowed, self._start, self.doubts = view, allowed, start, doubts
        self._begin_from_here()

    def answered(self, doubt: Doubt) -> None:
        """Drop a question."""
        self.doubts = tuple(one for one in self.doubts if one != doubt)

    def _learn(self, event: Event) -> None:
        """Apply an event to all hypotheses, and drop moves that are impossible after it."""
        with contextlib.suppress(BadInputError):
            self._root.game.apply(event)
        still = []
        for hypothesis in self._hypotheses:
            then = replace(self._root, cost=0.0)
            with contextlib.suppress(BadInputError):
                for move, when in zip(hypothesis.moves, hypothesis.when, strict=True):
                    then = after(then, move, when)
                still.append(replace(hypothesis, game=then.game))
        self._hypotheses = still or [self._root]

    def _begin_from_here(self) -> None:
        """Start again from an event that a person entered; hypotheses against it end."""
        self._root = Hypothesis(self.game.copy(), self._allowed)
        self._hypotheses = [self._root]
        self._since_ns, self._asked, self._strange = None, (), 0
        self.doubts = tuple(doubt for doubt in self.doubts if self._is_asked_still(doubt))

    def _is_asked_still(self, doubt: Doubt) -> bool:
        """Return whether a question about a card's face survives a different course of the game."""
        if doubt.kind == START_CARD:
            return self._start.are_missing(doubt.data["seat"])
        return doubt.kind == "misread" and any(self.game.hands[doubt.data["seat"]][was] for was in doubt.data["was"])

    def _likeliest(self) -> Hypothesis:
        """Return the likeliest hypothesis; one without its fouls wins if it is nearly as likely."""
        best = self._hypotheses[0]
        without = (one for one in self._hypotheses if not one.fouls and one.left <= _WELL and _comes_to(best, one))
        legal = next(without, best)
        return legal if legal.cost - best.cost < _FOUL_MARGIN else best

    def _lead(self, best: Hypothesis) -> float:
        """Return the margin of the likeliest hypothesis over all with another outcome, nats."""
        others = [hypothesis.cost for hypothesis in self._hypotheses if not _comes_to(hypothesis, best)]
        return min(others, default=float("inf")) - best.cost

    def _certain(self, best: Hypothesis, look: TableLook) -> int:
        """Return the number of certain moves of the likeliest hypothesis."""
        waited_ns = look.t_ns - (self._since_ns or look.t_ns)
        if best.left > (_FAIRLY if waited_ns >= PATIENCE_NS else _WELL):
            return 0
        credible = best.cost - _USUAL * len(best.moves) <= (_INCREDIBLE_FOUL if best.fouls else _INCREDIBLE)
        margin = _FOUL_MARGIN if best.fouls else _MARGIN
        if not credible and self._lead(best) < margin + _MORE:
            return 0
        rivals = [
            hypothesis
            for hypothesis in self._hypotheses
            if hypothesis.cost - best.cost < margin and not _comes_to(hypothesis, best)
        ]
        count = 0
        for number, (move, when) in enumerate(zip(best.moves, best.when, strict=True)):
            shared = all(hypothesis.moves[: number + 1] == best.moves[: number + 1] for hypothesis in rivals)
            if not shared or move.card == UNKNOWN or (move.foul and self._guessed):
                break
            if look.t_ns - when < _WAITS_NS.get(move.kind, 0):
                break
            owed = next((one for one in best.owed if (one.t_ns, one.row) == (when, move.row)), None)
            # The taker of cards that are not visible may have to be asked for, unless an arm was seen.
            if move.kind == "take" and owed and (look.t_ns - when < _HELD_NS or not owed.reached):
                break
            count = number + 1
        return count

    def _report(self, best: Hypothesis, count: int, look: TableLook) -> tuple[tuple[Event, ...], tuple[Notice, ...]]:
        """Return a hypothesis's first moves as events; drop the hypotheses that begin with other moves."""
        moves, hypothesis = best.moves[:count], Hypothesis(self.game.copy(), self._allowed)
        for move in moves:
            hypothesis = after(hypothesis, move, look.t_ns)
        self._allowed = hypothesis.allowed
        self._root = replace(hypothesis, moves=(), when=(), before=(), cost=0.0, seen_ns=look.t_ns)
        kept = [one for one in [best, *self._hypotheses] if one.moves[:count] == moves]
        # The cost of past events is paid: later moves are as credible as they are alone.
        paid = best.before[count] if count < len(best.moves) else best.cost
        self._hypotheses = [_without(one, count, paid) for one in dict.fromkeys(kept)]
        self._since_ns, self._asked = None, ()
        # A guess never becomes a foul.
        said = [move for move in moves if move.is_reported and not (move.foul and self._guessed)]
        events = [event_of(move, look.t_ns) for move in said]
        self._reporting = list(events)
        asked = misread(moves, look.t_ns)
        self.doubts = (*_lasting(self.doubts), *asked)
        notices = [Notice(look.t_ns, doubt.kind, None, doubt.data) for doubt in asked]
        if not self._hypotheses[0].moves:
            self._allowed = self._hypotheses[0].allowed
        return tuple(events), tuple(notices)

    def _guess(self, look: TableLook) -> tuple[tuple[Event, ...], tuple[Notice, ...]]:
        """Take the likeliest legal hypothesis, without an answer, as play goes on; the page can correct it."""
        self._guessed = True
        seen = [hypothesis for hypothesis in self._hypotheses if _is_seen(hypothesis)]
        legal = next((hypothesis for hypothesis in seen if not hypothesis.fouls), seen[0] if seen else None)
        if legal is None:
            self._absorbed = self._absorbed or self._allowed
            self._allowed = as_seen(self.game, self._allowed, look)
            self._begin_from_here()
            return (), ()
        doubts = self.doubts
        events, notices = self._report(legal, len(legal.moves), look)
        lasting = _lasting(doubts)
        guessed = (replace(doubt, taken=events) for doubt in doubts if doubt.answers and doubt not in lasting)
        self.doubts = (*lasting, *guessed)
        return events, notices

    def _settle(self, best: Hypothesis, look: TableLook) -> None:
        """Note a look without a move; a vanished difference was put right."""
        self.doubts = _lasting(self.doubts)
        self._root = replace(best, cost=0.0)
        self._hypotheses, self._since_ns, self._asked = [self._root], None, ()
        self._allowed = best.allowed
        game = self.game
        if not any(game.rows) and not game.taken and not any(spot.covered or spot.cards for spot in look.rows):
            # A new round begins without differences.
            self._guessed = False

    def _ask(self, look: TableLook) -> tuple[Notice, ...]:
        """Ask once about a doubt that the players have not cleared up themselves."""
        best = self._hypotheses[0]
        since_ns = best.when[0] if best.moves else self._since_ns or look.t_ns
        if look.t_ns - since_ns < PATIENCE_NS:
            return ()
        doubt = asked_about(self._hypotheses, look, _MARGIN)
        what = (doubt.kind, str(doubt.data))
        if what == self._asked:
            return ()
        self._asked, self.doubts = what, (*_lasting(self.doubts), doubt)
        return (Notice(look.t_ns, doubt.kind, None, doubt.data),)


def _lasting(doubts: Sequence[Doubt]) -> tuple[Doubt, ...]:
    """Return the questions that outlive their doubt: events made instead of an answer, and misread cards."""
    return tuple(doubt for doubt in doubts if doubt.taken or doubt.kind in ("misread", START_CARD))


def _without(hypothesis: Hypothesis, count: int, paid: float) -> Hypothesis:
    """Return a hypothesis without its first moves and their cost."""
    moves, when, before = hypothesis.moves[count:], hypothesis.when[count:], hypothesis.before[count:]
    left_to_pay = tuple(cost - paid for cost in before)
    return replace(hypothesis, moves=moves, when=when, before=left_to_pay, cost=hypothesis.cost - paid)


def _comes_to(hypothesis: Hypothesis, other: Hypothesis) -> bool:
    """Return whether two hypotheses have one outcome, apart from fouls."""
    return standing(hypothesis.game) == standing(other.game) and other.fouls in ((), hypothesis.fouls)


def _is_seen(hypothesis: Hypothesis) -> bool:
    """Return whether all cards of a hypothesis were seen."""
    return (
        bool(hypothesis.moves) and hypothesis.left <= _FAIRLY and all(move.card != UNKNOWN for move in hypothesis.moves)
    )
