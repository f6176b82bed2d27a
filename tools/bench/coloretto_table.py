"""Games of Coloretto as people play them, without pictures: the state of the table at every instant, and the truth.

People think, lay, take, hold cards, change their minds, push cards and forget rows' own cards. They let a hand rest on
the table, and sometimes break a rule, until somebody notices.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.score import PALETTES, SummarySide
from referee.games.coloretto.start_options import JOKER, PLUS2, ColorettoOptions

MS = 1_000_000


@dataclass(frozen=True)
class Habits:
    """How often people do something, as shares of moves, and for how long, in seconds."""

    thinks_s: tuple[float, float] = (0.4, 2.4)  # the least, and the mean of the time beyond it
    rests: float = 0.06  # a hand stays on the table, and nothing is visible for some seconds
    rests_s: tuple[float, float] = (1.5, 5.0)
    back: float = 0.04  # a card is laid, and moved to another row a little later
    holds: float = 0.15  # taken cards stay in the hand for some seconds
    forgets: float = 0.05  # the taker of a row leaves the row's own card, or returns it late
    pushes: float = 0.01  # a card slips towards another row, until somebody corrects it
    fouls: float = 0.05


HABITS = Habits()


@dataclass(frozen=True)
class TrueMove:
    """A move or a foul: time, kind ("place" or "take"), and the reason of a foul."""

    t_ns: int
    kind: str
    seat: int
    row: int
    card: str = ""
    foul: str | None = None


@dataclass
class CardsOnTable:
    """The cards on the table as numbers. name: their names. arms: the seats whose arms are over the table."""

    rows: list[list[int]]
    areas: list[list[int]]
    marked: list[bool]
    name: dict[int, str] = field(default_factory=dict)
    arms: set[int] = field(default_factory=set)
    last_round: bool = False
    astray: dict[int, int] = field(default_factory=dict)  # cards that appear to be in another row


class Evening:
    """One game; `play` yields the table after each change, with its time.

    truth: all moves and fouls so far. heard: set by the listener when a foul was announced.
    """

    def __init__(self, players: int, seed: int, habits: Habits = HABITS) -> None:
        self.luck = random.Random(f"coloretto {players} {seed}")
        self.habits = habits
        self.players = players
        colours = list(PALETTES[0])
        left_out = self.luck.sample(colours, {2: 2, 3: 1}.get(players, 0))
        colours = [colour for colour in colours if colour not in left_out]
        each = 2 if players == 2 else 1
        dealt = self.luck.sample(colours, each * players)
        start = tuple(tuple(dealt[seat * each : (seat + 1) * each]) for seat in range(players))
        self.settings = ColorettoOptions(
            self.luck.choice(list(SummarySide)), self.luck.randrange(players), start, tuple(sorted(left_out))
        )
        self.game = Coloretto(players, self.settings)
        self.supply = [card for card in colours for _ in range(9 - dealt.count(card))] + [PLUS2] * 10 + [JOKER] * 3
        self.luck.shuffle(self.supply)
        self._end_at = 15
        rooms = len(self.game.rooms)
        self.table = CardsOnTable([[] for _ in range(rooms)], [[] for _ in range(players)], [True] * rooms)
        for seat, cards in enumerate(start):
            self.table.areas[seat] = [self._new(card) for card in cards]
        self.truth: list[TrueMove] = []
        self.heard = False
        self.now_ns = 0

    def play(self) -> Iterator[tuple[int, CardsOnTable]]:
        """Yield the table at each change, with its time."""
        luck, habits, game = self.luck, self.habits, self.game
        yield from self._wait(2.5)
        while not game.over:
            shortest, longer = habits.thinks_s
            yield from self._wait(shortest + luck.expovariate(1 / longer))
            if luck.random() < habits.fouls:
                yield from self._do_wrong()
            if len(self.supply) <= self._end_at and not game.last:
                self.table.last_round = True
                game.last = True
                yield from self._wait(1.0)
            seat = game.turn
            row = self._row_to_take(seat)
            if row is None:
                yield from self._place(seat)
            else:
                yield from self._take(seat, row)
            if luck.random() < habits.pushes:
                yield from self._push()
            if luck.random() < habits.rests:
                # Others continue meanwhile.
                self._rests_until_ns = self.now_ns + round(luck.uniform(*habits.rests_s) * 1e9)
                self.table.arms.add(seat)
        self.table.arms.clear()
        yield from self._wait(20.0)

    _rests_until_ns = 0

    def _wait(self, seconds: float) -> Iterator[tuple[int, CardsOnTable]]:
        self.now_ns += round(seconds * 1000) * MS
        if self._rests_until_ns and self.now_ns >= self._rests_until_ns:
            self._rests_until_ns = 0
            self.table.arms.clear()
        yield self.now_ns, self.table

    def _new(self, card: str) -> int:
        number = len(self.table.name)
        self.table.name[number] = card
        return number

    def _row_to_take(self, seat: int) -> int | None:
        game = self.game
        rows = [row for row in range(len(game.rooms)) if game.verify_take(seat, row) is None]
        if not rows:
            return None
        full = max(rows, key=lambda row: len(game.rows[row] or ()))
        can_place = any(game.verify_place(seat, row) is None for row in range(len(game.rooms)))
        chance = (0.0, 0.12, 0.3, 0.6)[len(game.rows[full] or ())]
        return full if not can_place or self.luck.random() < chance else None

    def _reach(self, seat: int, seconds: float) -> Iterator[tuple[int, CardsOnTable]]:
        self.table.arms.add(seat)
        yield self.now_ns, self.table
        yield from self._wait(seconds)

    def _leave(self, seat: int, seconds: float = 0.35) -> Iterator[tuple[int, CardsOnTable]]:
        yield from self._wait(seconds)
        if not self._rests_until_ns:
            self.table.arms.discard(seat)
        yield self.now_ns, self.table

    def _place(self, seat: int) -> Iterator[tuple[int, CardsOnTable]]:
        luck, game = self.luck, self.game
        rows = [row for row in range(len(game.rooms)) if game.verify_place(seat, row) is None]
        row, card = luck.choice(rows), self._new(self.supply.pop())
        others = [other for other in rows if other != row]
        yield from self._reach(seat, luck.uniform(0.3, 0.7))
        if others and luck.random() < self.habits.back:
            other = luck.choice(others)
            self.table.rows[other].append(card)
            yield from self._leave(seat)
            yield from self._wait(luck.uniform(0.5, 3.5))
            yield from self._reach(seat, 0.3)
            self.table.rows[other].remove(card)
        self.table.rows[row].append(card)
        game.place(seat, row, self.table.name[card])
        self.truth.append(TrueMove(self.now_ns, "place", seat, row, self.table.name[card]))
        yield from self._leave(seat)

    def _take(self, seat: int, row: int) -> Iterator[tuple[int, CardsOnTable]]:
        luck, table, game = self.luck, self.table, self.game
        forgets = luck.random() < self.habits.forgets
        yield from self._reach(seat, luck.uniform(0.3, 0.6))
        held, table.rows[row] = table.rows[row], []
        table.marked[row] = forgets
        self.truth.append(TrueMove(self.now_ns, "take", seat, row))
        ended = len(game.taken) + 1 == game.players
        game.take(0, seat, row)
        if luck.random() < self.habits.holds:
            yield from self._leave(seat)
            yield from self._wait(luck.uniform(1.0, 5.0))
            yield from self._reach(seat, 0.4)
        else:
            yield from self._wait(luck.uniform(0.5, 1.0))
        table.areas[seat] += held
        yield from self._leave(seat)
        if ended and not game.over:
            yield from self._tidy(seat)

    def _tidy(self, seat: int) -> Iterator[tuple[int, CardsOnTable]]:
        """Return the rows' own cards, one by one, and remove leftover cards of two-player games."""
        for row in range(len(self.table.rows)):
            if not self.table.marked[row] or self.table.rows[row]:
                yield from self._reach(seat, 0.5)
                late = self.luck.random() < self.habits.forgets
                self.table.marked[row] = not late
                self.table.rows[row] = []
                yield from self._leave(seat, 0.2)

    def _push(self) -> Iterator[tuple[int, CardsOnTable]]:
        table, luck = self.table, self.luck
        cards = [(row, card) for row, cards in enumerate(table.rows) for card in cards]
        if cards:
            row, card = luck.choice(cards)
            table.astray[card] = luck.choice([other for other in range(len(table.rows)) if other != row])
            yield from self._wait(luck.uniform(1.0, 4.0))
            table.astray.clear()
            yield self.now_ns, table

    def _do_wrong(self) -> Iterator[tuple[int, CardsOnTable]]:
        """Make a foul (a card in a full row, or a row out of turn), and correct it a little later."""
        luck, table, game = self.luck, self.table, self.game
        seat = game.turn
        full = [row for row, cards in enumerate(game.rows) if cards is not None and len(cards) == game.rooms[row]]
        filled = [row for row, cards in enumerate(game.rows) if cards]
        self.heard = False
        if full and luck.random() < 0.5:
            row, card = luck.choice(full), self._new(self.supply[-1])
            yield from self._reach(seat, 0.5)
            table.rows[row].append(card)
            self.truth.append(TrueMove(self.now_ns, "place", seat, row, table.name[card], "row_full"))
            yield from self._leave(seat)
            yield from self._until_heard()
            yield from self._reach(seat, 0.4)
            table.rows[row].remove(card)
            yield from self._leave(seat)
        elif filled:
            row = luck.choice(filled)
            other = luck.choice([one for one in range(game.players) if one != seat])
            reason = game.verify_take(other, row)
            yield from self._reach(other, 0.5)
            held, table.rows[row], table.marked[row] = table.rows[row], [], False
            yield from self._wait(0.7)
            table.areas[other] += held
            self.truth.append(TrueMove(self.now_ns, "take", other, row, "", None if reason is None else reason.value))
            yield from self._leave(other)
            yield from self._until_heard()
            yield from self._reach(other, 0.4)
            table.areas[other] = [card for card in table.areas[other] if card not in held]
            yield from self._wait(0.6)
            table.rows[row], table.marked[row] = held, True
            yield from self._leave(other)
        yield from self._wait(1.5)

    def _until_heard(self) -> Iterator[tuple[int, CardsOnTable]]:
        """Wait until somebody notices the foul: the referee, or after a while another player."""
        for _ in range(16):
            yield from self._wait(0.5)
            if self.heard:
                break
        yield from self._wait(self.luck.uniform(1.0, 3.0))

    def stands_after(self, moves: int) -> Coloretto:
        """Return the game after a number of true moves."""
        game = Coloretto(self.players, replace(self.settings))
        for done in [one for one in self.truth if one.foul is None][:moves]:
            if done.kind == "place":
                game.place(done.seat, done.row, done.card)
            else:
                game.take(0, done.seat, done.row)
        return game
