"""A simple model of Coloretto that shares no code with the referee's.

It keeps one list of what is where, and plays with the real deck, cheats and all.
"""

from __future__ import annotations

import random
from itertools import combinations, product
from typing import Any

COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "pink"]
WORTH = {"brown": [0, 1, 3, 6, 10, 15, 21, 21, 21, 21], "grey": [0, 1, 4, 8, 7, 6, 5, 5, 5, 5]}
WORTH = {table: worth + worth[-1:] * 4 for table, worth in WORTH.items()}
Log = list[dict[str, Any]]


class PaperGame:
    """`place[n]` says where card n is: "supply", "gone", ("row", r) or ("hand", seat)."""

    def __init__(self, players: int, luck: random.Random) -> None:
        self.luck, self.n = luck, players
        self.left_out = luck.sample(COLOURS, {2: 2, 3: 1}.get(players, 0))
        self.colours = [colour for colour in COLOURS if colour not in self.left_out]
        self.cards = self.colours * 9 + ["+2"] * 10 + ["joker"] * 3
        self.place: list[Any] = ["supply"] * len(self.cards)
        self.start: list[list[str]] = []
        spare = luck.sample(self.colours, len(self.colours))
        for seat in range(players):
            mine = luck.sample(self.colours, 2) if players == 2 else [spare.pop()]
            self.start.append(mine)
            for colour in mine:
                self.place[self.find(colour)] = ("hand", seat)
        self.table = luck.choice(["brown", "grey"])
        self.active = self.first = luck.randrange(players)
        self.takers: list[int] = []
        self.rows_taken: list[int] = []
        self.last_round = False
        self.log: Log = []
        self.said: Log = []

    def find(self, card: str) -> int:
        return next(at for at, name in enumerate(self.cards) if name == card and self.place[at] == "supply")

    def lying(self, where: object) -> list[str]:
        return [card for card, place in zip(self.cards, self.place, strict=True) if place == where]

    def room(self, row: int) -> int:
        return row + 1 if self.n == 2 else 3

    def why_not(self, seat: int, row: int, *, taking: bool) -> str | None:
        checks = [
            (seat in self.takers, "already_out"),
            (seat != self.active, "not_your_turn"),
            (row in self.rows_taken, "row_gone"),
            (not taking and len(self.lying(("row", row))) == self.room(row), "row_full"),
            (taking and self.lying(("row", row)) == [], "row_empty"),
        ]
        return next((reason for wrong, reason in checks if wrong), None)

    def step(self) -> bool:
        """Make one move, or try a wrong one; False at the end of the game."""
        now = len(self.log)
        rows = 3 if self.n == 2 else self.n
        taking = self.luck.random() < 0.4
        seat = self.active if self.luck.random() < 0.85 else self.luck.randrange(self.n)
        row = self.luck.randrange(rows)
        supply = [at for at, place in enumerate(self.place) if place == "supply"]
        if len(supply) <= 15 and not self.last_round:
            self.last_round = True
            self.log.append({"t_ns": now, "event": "last_round"})
            return True
        card = self.luck.choice(supply)
        event = {"t_ns": now, "event": "row_taken" if taking else "card_placed", "seat": seat, "row": row}
        self.log.append(event if taking else {**event, "card": self.cards[card]})
        if reason := self.why_not(seat, row, taking=taking):
            self.said.append({"ruling": "foul", "t_ns": now, "seat": seat, "reason": reason})
            return True
        if not taking:
            self.place[card] = ("row", row)
        else:
            self.place = [("hand", seat) if place == ("row", row) else place for place in self.place]
            self.takers.append(seat)
            self.rows_taken.append(row)
        if len(self.takers) == self.n:
            return self.end_round(now, seat)
        self.active = (self.active + 1) % self.n
        while self.active in self.takers:
            self.active = (self.active + 1) % self.n
        return True

    def end_round(self, now: int, seat: int) -> bool:
        self.said.append({"ruling": "round_end", "t_ns": now, "starts": seat})
        self.place = ["gone" if place[0] == "row" else place for place in self.place]
        self.takers, self.rows_taken, self.active = [], [], seat
        if self.last_round:
            points = [self.best(self.lying(("hand", one))) for one in range(self.n)]
            winners = [one for one in range(self.n) if points[one] == max(points)]
            self.said.append({"ruling": "end", "t_ns": now, "winners": winners, "points": points})
        return not self.last_round

    def best(self, hand: list[str]) -> int:
        found = []
        for chosen in product(self.colours, repeat=hand.count("joker")):
            worth = [WORTH[self.table][(hand + list(chosen)).count(colour)] for colour in self.colours]
            found += [2 * sum(plus) - sum(worth) for plus in combinations(worth, 3)]
        return max(found) + 2 * hand.count("+2")
