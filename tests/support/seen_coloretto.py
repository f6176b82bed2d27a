"""Whole games of Coloretto as a camera sees them: hands in the way, looks that come late, cards laid and taken back."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from referee.engine.events import Event, Header
from referee.engine.log import RulingData
from referee.engine.session import Notice
from referee.games.coloretto.rules import Coloretto, from_header
from referee.games.coloretto.watching.looks import Spot, TableLook
from referee.games.coloretto.watching.tracker import Tracker
from tests.support.paper_coloretto import PaperGame

SECOND_NS = 1_000_000_000


@dataclass
class Noise:
    """Share of all moves or looks with a fault."""

    late: float = 0.0  # the look after a move comes only after the next one
    hidden: float = 0.0  # a row or an area is covered in a look
    held: float = 0.0  # seconds for which a player keeps the cards of a row in the hand
    back: float = 0.0  # a card is laid in a row, and then in another
    fouls: float = 0.0  # a fourth card, or a row that somebody takes out of turn; put right a little later
    row_cards: bool = True  # they lie there; else nothing marks the rows
    stacked: float = 0.0  # of the cards in areas: nothing of it is to be seen


@dataclass
class Played:
    paper: PaperGame
    events: list[Event] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    rulings: list[RulingData] = field(default_factory=list)
    fouls: list[tuple[str, int, int]] = field(default_factory=list)  # those that were played: why, whose, which row

    @property
    def fouls_told(self) -> list[tuple[str, int, int]]:
        return [(one["reason"], one["seat"], one["row"]) for one in self.rulings if one["ruling"] == "foul"]

    @property
    def moves(self) -> list[tuple[Any, ...]]:
        """Return the reported moves: kind, row, and card or seat; only the turn shows who places a card."""
        kept: list[tuple[Any, ...]] = []
        for event in self.events:
            if event.kind == "card_placed":
                kept.append(("place", event.data["row"], event.data["card"]))
            elif event.kind == "row_taken":
                kept.append(("take", event.data["row"], event.data["seat"]))
            elif event.kind == "card_taken_back":
                kept.pop()
        return kept


def tell(tracker: Tracker, *events: Event) -> None:
    """Let the game that a tracker knows of judge events, and the tracker learn of it."""
    for event in events:
        game = tracker.game.copy()
        game.apply(event)
        tracker.judged(event, game)


class Seen:
    """The table, which may differ from the rules, and its tracker."""

    def __init__(self, paper: PaperGame, tracker: Tracker, game: Coloretto, noise: Noise, luck: random.Random) -> None:
        self.paper, self.tracker, self.game, self.noise, self.luck = paper, tracker, game, noise, luck
        self.played = Played(paper)
        self.stacked: set[int] = set()
        self.held: set[int] = set()
        self.t_ns = 0
        self.tidy()

    def tidy(self) -> None:
        """Everything is as it should, but for what is under other cards."""
        paper = self.paper
        self.gone = set(paper.rows_taken)
        self.rows = [paper.lying(("row", row)) for row in range(3 if paper.n == 2 else paper.n)]
        lying = [one for k, one in enumerate(zip(paper.cards, paper.place, strict=True)) if k not in self.stacked]
        self.areas = [[card for card, place in lying if place == ("hand", seat)] for seat in range(paper.n)]

    def look(self, times: int, hidden: float | None = None) -> None:
        for _ in range(times):
            self.t_ns += SECOND_NS
            share = self.noise.hidden if hidden is None else hidden
            rows, areas = (tuple(self._spot(cards, share) for cards in spots) for spots in (self.rows, self.areas))
            rows = tuple(replace(spot, marked=self._marked(row)) for row, spot in enumerate(rows))
            events, notices = self.tracker.see(TableLook(self.t_ns, rows, areas, self.paper.last_round))
            self.played.notices += notices
            for event in events:
                rulings = [ruling.as_json() for ruling in self.game.apply(event)]
                if not any(ruling["ruling"] == "foul" for ruling in rulings):
                    self.played.events.append(event)
                self.played.rulings += rulings
                self.tracker.judged(event, self.game.view())

    def _marked(self, row: int) -> bool | None:
        if not self.noise.row_cards:
            return None
        return row not in self.gone and row not in self.held

    def _spot(self, cards: list[str], share: float) -> Spot:
        if self.luck.random() < share:
            return Spot(tuple(sorted(self.luck.sample(cards, self.luck.randint(0, len(cards))))), 0, covered=True)
        return Spot(tuple(sorted(cards)))

    def foul(self, turn: int, taken: set[int]) -> None:
        """Play a foul, which is reported, and undo it."""
        rows, areas = [list(row) for row in self.rows], [list(area) for area in self.areas]
        full = [row for row, cards in enumerate(rows) if len(cards) == self.paper.room(row)]
        filled = [row for row, cards in enumerate(rows) if cards]
        if full and self.luck.random() < 0.5:
            row = self.luck.choice(full)
            self.rows[row] = [*rows[row], self.luck.choice(self.paper.colours)]
            self.played.fouls.append(("row_full", turn, row))
        elif filled:
            row, seat = self.luck.choice(filled), self.luck.choice([s for s in range(self.paper.n) if s != turn])
            self.rows[row], self.areas[seat], self.held = [], [*areas[seat], *rows[row]], {row}
            why = "already_out" if seat in taken else "not_your_turn"
            self.played.fouls.append((why, seat, row))
        else:
            return
        self.look(5)
        self.rows, self.areas, self.held = rows, areas, set()
        self.look(2, 0.0)

    def lay_elsewhere_first(self, row: int, card: str) -> None:
        """Lay a card in another row for some looks, before its player thinks better of it."""
        free = {other for other, cards in enumerate(self.rows) if len(cards) < self.paper.room(other)}
        if others := sorted(free - self.gone - {row}):
            other = self.luck.choice(others)
            self.rows[other] = [*self.rows[other], card]
            self.look(3)

    def hold(self, row: int) -> None:
        self.rows[row], self.held = [], {row}
        self.look(2)
        self.held = set()


def play(players: int, seed: int, noise: Noise) -> Played:
    luck = random.Random(f"{players}/{seed}")
    paper = PaperGame(players, random.Random(f"{seed}/{players}"))
    options = {"table": paper.table, "first": paper.first, "left_out": paper.left_out}
    header = Header("coloretto", tuple("ABCDE"[:players]), options)
    seen = Seen(paper, Tracker(header), from_header(header), noise, luck)
    seen.look(2, 0.0)
    taken: list[int] = []  # before the move, which the paper has made already
    for kind, row, card, seat in legal_moves(paper):
        if luck.random() < noise.fouls:
            seen.foul(seat, set(taken))
        if kind == "place" and luck.random() < noise.back:
            seen.lay_elsewhere_first(row, card)
        if kind == "take" and luck.random() < noise.held:
            seen.hold(row)
        left_over = {other: cards for other, cards in enumerate(seen.rows) if other != row and cards}
        hands = [k for k, place in enumerate(paper.place) if place[0] == "hand" and k not in seen.stacked]
        seen.stacked |= {k for k in hands if luck.random() < noise.stacked / 10}
        seen.tidy()
        taken = list(paper.takers)
        if kind == "take" and not paper.takers:
            # Nobody clears the third row of two players away at once.
            for other, cards in left_over.items():
                seen.rows[other] = cards
            seen.look(3)
            seen.tidy()
            seen.look(2)
        elif luck.random() >= noise.late:
            seen.look(3)
    seen.look(12, 0.0)
    return seen.played


def legal_moves(paper: PaperGame) -> Iterator[tuple[str, int, str, int]]:
    """Yield the paper game's moves as they are made: kind, row, card, seat; those that change nothing are left out."""
    going = True
    while going:
        told, at = len(paper.said), len(paper.log)
        going = paper.step()
        event = paper.log[at]
        if event["event"] != "last_round" and not any(one["ruling"] == "foul" for one in paper.said[told:]):
            kind = "take" if event["event"] == "row_taken" else "place"
            yield kind, event["row"], event.get("card", ""), event["seat"]


def true_moves(players: int, seed: int) -> list[tuple[Any, ...]]:
    """Return the true moves of a game, in the form of `Played.moves`."""
    paper = PaperGame(players, random.Random(f"{seed}/{players}"))
    return [(kind, row, card if kind == "place" else seat) for kind, row, card, seat in legal_moves(paper)]
