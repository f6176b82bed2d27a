"""Understands a game of Coloretto from looks at the table: looks in, events and notices out; no pictures, no clock.

All hypotheses that fit are followed from look to look. Told is only what all likely ones have in common, and a foul
only where every legal one is ruled out by what was seen. What cannot be told yet is asked; nobody has to wait for that.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from referee.engine.events import Event, Header
from referee.engine.session import Doubt, Notice
from referee.errors import BadInputError
from referee.games.coloretto.rules import Coloretto, from_header
from referee.games.coloretto.watching.doubts import asked_about, event_of, misread
from referee.games.coloretto.watching.fit import as_it_lies
from referee.games.coloretto.watching.hypotheses import Hypothesis, after, standing
from referee.games.coloretto.watching.looks import UNKNOWN, Allowed, Look
from referee.games.coloretto.watching.search import further, is_strange
from referee.games.coloretto.watching.start import START_CARD, StartCards

SECOND_NS = 1_000_000_000
PATIENCE_NS = 6 * SECOND_NS
"""So long somebody may hold the cards that he took, before it is asked who did."""
AFTER_ASKING_NS = 20 * SECOND_NS
"""So long after something that nobody can tell the likeliest is taken, if nobody has said what it was."""
_MARGIN = 3.0  # nats before the next likely that comes to something else
_FOUL_MARGIN = 4.0
_MORE = 2.0  # by so much more where the likeliest is incredible by itself: looks that nothing explained came before
_USUAL, _INCREDIBLE, _INCREDIBLE_FOUL = 1.5, 11.0, 15.0  # hypotheses so much dearer than usual moves are asked about
_WELL, _FAIRLY = 3.2, 6.5  # of a look: what it may show otherwise, at once or when nothing better comes
_BACK_NS = SECOND_NS  # a card that seems gone may only be hidden
_SLIPPED_NS = 5 * SECOND_NS  # a card that slipped is mostly put back
_HELD_NS = 6 * SECOND_NS  # whoever took the cards of a row may hold them for a while


class Tracker:
    """Knows how the game stands, as far as it was told or seen.

    doubts: what people are asked. Notices: `who_took` (`row`, `seats`) where two may have; `row_card_unread` (`row`)
    where a card lies that nobody can read; `start_card` (`seat`), the same of one that a seat starts with; `misread`
    (`seat`, `card`, `was`); `not_understood`.
    """

    def __init__(self, header: Header) -> None:
        self._header = header
        self.begin_again()

    def begin_again(self) -> None:
        """Forget how the game went."""
        self.game = from_header(self._header)
        self._allowed = Allowed.nothing(len(self.game.rooms), self.game.players)
        self._root = Hypothesis(self.game, self._allowed)
        self._hypotheses = [self._root]
        self._telling: list[Event] = []
        self._since_ns: int | None = None
        self._absorbed: Allowed | None = None  # what lay otherwise before all was taken as it lay
        self._strange = 0  # looks in a row that nothing explains
        self._asked: tuple[object, ...] = ()
        told = bool(self._header.options.get("start_cards"))
        self._start = StartCards(frozenset() if told else frozenset(range(self.game.players)), PATIENCE_NS)
        self._guessed = False  # whether it may stand otherwise: then nobody is told that he did wrong
        self.doubts: tuple[Doubt, ...] = ()

    def see(self, look: Look) -> tuple[tuple[Event, ...], tuple[Notice, ...]]:
        """Take the next look, and give what is certain now; the game's answers come by `judged`."""
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

    def _understand(self, look: Look) -> tuple[tuple[Event, ...], tuple[Notice, ...]]:
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
            return self._tell(best, count, look)
        return (), self._ask(look)

    def judged(self, event: Event, view: Coloretto) -> None:
        """Follow what the game was told, by whomever; view: how it stands then."""
        self.game = view
        if event.kind == "start_cards":
            self._start.are_known(event.seat(self.game.players))
            self.doubts = tuple(doubt for doubt in self.doubts if self._is_asked_still(doubt))
        if self._telling and (event.kind, event.data) == (self._telling[0].kind, self._telling[0].data):
            self._telling.pop(0)
            return
        if event.kind in ("last_round", "start_cards"):
            self._learn(event)
            return
        self._telling = []
        self._allowed, self._absorbed = self._absorbed or self._allowed, None
        self._begin_from_here()

    def follow(self, view: Coloretto) -> None:
        """Take it that the game stands so."""
        allowed, start, doubts = self._absorbed or self._allowed, self._start, self.doubts
        self.begin_again()
        self.game, self._allowed, self._start, self.doubts = view, allowed, start, doubts
        self._begin_from_here()

    def answered(self, doubt: Doubt) -> None:
        """Ask no more."""
        self.doubts = tuple(one for one in self.doubts if one != doubt)

    def _learn(self, event: Event) -> None:
        """Take it that something holds whatever was done; what was not possible then was not done."""
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
        """Somebody told something: that holds, and what was thought of does no more."""
        self._root = Hypothesis(self.game.copy(), self._allowed)
        self._hypotheses = [self._root]
        self._since_ns, self._asked, self._strange = None, (), 0
        self.doubts = tuple(doubt for doubt in self.doubts if self._is_asked_still(doubt))

    def _is_asked_still(self, doubt: Doubt) -> bool:
        """Whether the game's having gone otherwise leaves a question as it is: which card that one was."""
        if doubt.kind == START_CARD:
            return self._start.are_missing(doubt.data["seat"])
        return doubt.kind == "misread" and any(self.game.hands[doubt.data["seat"]][was] for was in doubt.data["was"])

    def _likeliest(self) -> Hypothesis:
        """The likeliest hypothesis; where one without its fouls is nearly as likely, nobody did wrong."""
        best = self._hypotheses[0]
        without = (one for one in self._hypotheses if not one.fouls and one.left <= _WELL and _comes_to(best, one))
        legal = next(without, best)
        return legal if legal.cost - best.cost < _FOUL_MARGIN else best

    def _lead(self, best: Hypothesis) -> float:
        """How much likelier the likeliest is than all that come to something else."""
        others = [hypothesis.cost for hypothesis in self._hypotheses if not _comes_to(hypothesis, best)]
        return min(others, default=float("inf")) - best.cost

    def _certain(self, best: Hypothesis, look: Look) -> int:
        """Give how many of the likeliest hypothesis's moves are certain."""
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
            if look.t_ns - when < {"back": _BACK_NS, "moved": _SLIPPED_NS}.get(move.kind, 0):
                break
            owed = next((one for one in best.owed if (one.t_ns, one.row) == (when, move.row)), None)
            # Who holds what he took may have to be asked for; who was seen to take it has it.
            if move.kind == "take" and owed and (look.t_ns - when < _HELD_NS or not owed.reached):
                break
            count = number + 1
        return count

    def _tell(self, best: Hypothesis, count: int, look: Look) -> tuple[tuple[Event, ...], tuple[Notice, ...]]:
        """Tell the first moves of a hypothesis; the hypotheses that begin otherwise are none any more."""
        told, hypothesis = best.moves[:count], Hypothesis(self.game.copy(), self._allowed)
        for move in told:
            hypothesis = after(hypothesis, move, look.t_ns)
        self._allowed = hypothesis.allowed
        self._root = replace(hypothesis, moves=(), when=(), before=(), cost=0.0, seen_ns=look.t_ns)
        kept = [one for one in [best, *self._hypotheses] if one.moves[:count] == told]
        # What was told is paid for: what comes after it is as credible as it is by itself.
        paid = best.before[count] if count < len(best.moves) else best.cost
        self._hypotheses = [_without(one, count, paid) for one in dict.fromkeys(kept)]
        self._since_ns, self._asked = None, ()
        # Nobody is told that he did wrong by a guess.
        said = [move for move in told if move.is_told and not (move.foul and self._guessed)]
        events = [event_of(move, look.t_ns) for move in said]
        self._telling = list(events)
        asked = misread(told, look.t_ns)
        self.doubts = (*_lasting(self.doubts), *asked)
        notices = [Notice(look.t_ns, doubt.kind, None, doubt.data) for doubt in asked]
        if not self._hypotheses[0].moves:
            self._allowed = self._hypotheses[0].allowed
        return tuple(events), tuple(notices)

    def _guess(self, look: Look) -> tuple[tuple[Event, ...], tuple[Notice, ...]]:
        """Nobody has said, and play goes on: the likeliest by the rules, which can be put right on the page."""
        self._guessed = True
        seen = [hypothesis for hypothesis in self._hypotheses if _is_seen(hypothesis)]
        plain = next((hypothesis for hypothesis in seen if not hypothesis.fouls), seen[0] if seen else None)
        if plain is None:
            self._absorbed = self._absorbed or self._allowed
            self._allowed = as_it_lies(self.game, self._allowed, look)
            self._begin_from_here()
            return (), ()
        doubts = self.doubts
        events, notices = self._tell(plain, len(plain.moves), look)
        lasting = _lasting(doubts)
        guessed = (replace(doubt, told=events) for doubt in doubts if doubt.answers and doubt not in lasting)
        self.doubts = (*lasting, *guessed)
        return events, notices

    def _settle(self, best: Hypothesis, look: Look) -> None:
        """Nothing was done; what lay beside the rules and does no longer was put right."""
        self.doubts = _lasting(self.doubts)
        self._root = replace(best, cost=0.0)
        self._hypotheses, self._since_ns, self._asked = [self._root], None, ()
        self._allowed = best.allowed
        game = self.game
        if not any(game.rows) and not game.taken and not any(spot.covered or spot.cards for spot in look.rows):
            # A new round begins, and all lies as it should.
            self._guessed = False

    def _ask(self, look: Look) -> tuple[Notice, ...]:
        """Say once what is not clear, when nobody has made it clear by himself."""
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
    """Give what is still asked when all has become clear: what was told instead of an answer, and misread cards."""
    return tuple(doubt for doubt in doubts if doubt.told or doubt.kind in ("misread", START_CARD))


def _without(hypothesis: Hypothesis, count: int, paid: float) -> Hypothesis:
    """Give a hypothesis without its first moves, and without what was paid for them."""
    moves, when, before = hypothesis.moves[count:], hypothesis.when[count:], hypothesis.before[count:]
    left_to_pay = tuple(cost - paid for cost in before)
    return replace(hypothesis, moves=moves, when=when, before=left_to_pay, cost=hypothesis.cost - paid)


def _comes_to(hypothesis: Hypothesis, other: Hypothesis) -> bool:
    """Whether a game stands as by another hypothesis, and whatever fouls that says were done."""
    return standing(hypothesis.game) == standing(other.game) and other.fouls in ((), hypothesis.fouls)


def _is_seen(hypothesis: Hypothesis) -> bool:
    """Whether a hypothesis is of cards that somebody saw."""
    return (
        bool(hypothesis.moves) and hypothesis.left <= _FAIRLY and all(move.card != UNKNOWN for move in hypothesis.moves)
    )
