"""Two thousand random games of Piccolino, played by the referee and by a simple model that shares no code with it.

The model plays with real cards in real piles, so that counts, and what is open, need no book-keeping of their own.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from referee.engine.events import Event, Header
from referee.games.piccolino.rules import from_header

CONTRACT = {
    "ring": ("ruling", "t_ns", "valid", "seat", "reason"),
    "also_rang": ("ruling", "t_ns", "seat", "lag_ms"),
    "ignored": ("ruling", "t_ns", "seat", "reason"),
}
MS = 1_000_000
COLOURS = ["red", "green", "blue"]
Log = list[dict[str, Any]]


def deck(size: int, luck: random.Random) -> list[tuple[str, bool]]:
    cards = [(colour, happy) for colour in COLOURS for happy in (True, True, False)] * (size // 9 + 1)
    luck.shuffle(cards)
    return cards[:size]


class PaperGame:
    """Piles of cards as lists, top last; what happens is written down as an event log and the rulings beside it."""

    def __init__(self, players: int, dealer: int, two_left: str, luck: random.Random, cards: int) -> None:
        self.n = players
        self.luck = luck
        self.began_with_two_or_always = players == 2 or two_left == "always"
        self.hidden: list[list[tuple[str, bool]]] = [[] for _ in range(players)]
        self.open: list[list[tuple[str, bool]]] = [[] for _ in range(players)]
        for number, card in enumerate(deck(cards, luck)):
            self.hidden[(dealer + 1 + number) % players].append(card)
        self.gone: list[int] = []
        self.now = 0
        self.log: Log = []
        self.said: Log = []
        self.ruled_bells: set[int] = set()
        self.snapshots: list[tuple[int, bool]] = [(0, False)]
        self.last_ruled = -(10**15)
        self.swept = False
        self.ended = False

    def say(self, what: str, **keys: object) -> None:
        self.said.append({"ruling": what, "t_ns": self.now, **keys})

    def faces(self) -> dict[int, tuple[str, bool]]:
        return {seat: pile[-1] for seat, pile in enumerate(self.open) if pile}

    def happy(self, colour: str) -> list[int]:
        return [seat for seat, face in self.faces().items() if face == (colour, True)]

    def turn_card(self, seat: int) -> None:
        card = self.hidden[seat].pop(0)
        self.open[seat].append(card)
        self.swept = False
        self.snapshots.append((self.now, any(len(self.happy(colour)) > 1 for colour in COLOURS)))
        mood = "happy" if card[1] else "sad"
        self.log.append({"t_ns": self.now, "event": "card_shown", "seat": seat, "colour": card[0], "mood": mood})

    def ring(self, seat: int) -> None:
        self.log.append({"t_ns": self.now, "event": "bell", "seat": seat})
        if seat in self.gone:
            return self.say("ignored", seat=seat, reason="out")
        if self.now - self.last_ruled <= 1500 * MS:
            return self.say("also_rang", seat=seat, lag_ms=(self.now - self.last_ruled) / MS)
        if self.swept:
            return self.say("ignored", seat=seat, reason="table_cleared")
        self.last_ruled = self.now
        self.ruled_bells.add(len(self.log) - 1)
        pairs = [colour for colour in COLOURS if len(self.happy(colour)) > 1]
        others = [(seat + k) % self.n for k in range(1, self.n) if (seat + k) % self.n not in self.gone]
        if pairs:
            self.say("ring", valid=True, seat=seat, colours={colour: self.happy(colour) for colour in pairs})
            self.sweep_to(seat)
            self.swept = True
        else:
            self.say("ring", valid=False, seat=seat, reason=self.why())
            if len(others) == 1 and self.began_with_two_or_always:
                self.sweep_to(others[0])
            else:
                for other in others:
                    if self.hidden[seat]:
                        self.hidden[other].append(self.hidden[seat].pop(0))
                        self.say("cards_move", **{"from": seat, "to": other, "count": 1})
        for player in range(self.n):
            if player not in self.gone and not self.hidden[player] + self.open[player]:
                self.gone.append(player)
                self.say("out", seat=player)
        if len(self.gone) == self.n - 1:
            self.finish()

    def why(self) -> str:
        for (_, was_pair), (until, _) in zip(self.snapshots, self.snapshots[1:], strict=False):
            if was_pair and self.now - until <= 500 * MS:
                return "covered_up"
        colours = [colour for colour, _ in self.faces().values()]
        return "sad" if len(set(colours)) < len(colours) else "no_pair"

    def sweep_to(self, seat: int) -> None:
        won = [card for pile in self.open for card in pile]
        self.hidden[seat] += won
        self.open = [[] for _ in self.open]
        self.snapshots = [(self.now, False)]
        if won:
            self.say("cards_move", **{"from": "piles", "to": seat, "count": len(won)})

    def finish(self) -> None:
        self.ended = True
        held = [len(hidden) + len(shown) for hidden, shown in zip(self.hidden, self.open, strict=True)]
        self.say("end", winners=[seat for seat in range(self.n) if held[seat] == max(held)], cards=held)

    def play(self, most: int) -> None:
        """Play with people who are quick, slow, rash, and sometimes in each other's way."""
        for _ in range(most):
            if self.ended:
                break
            self.now += self.luck.choice([0, 1, 20, 38, 150, 300, 499, 500, 501, 700, 1500, 1501]) * MS
            can_turn = [seat for seat in range(self.n) if self.hidden[seat]]
            _, pair = self.snapshots[-1]
            if can_turn and self.luck.random() > (0.5 if pair else 0.12):
                self.turn_card(self.luck.choice(can_turn))
            else:
                self.ring(self.luck.randrange(self.n))
        for _ in range(3 if self.ended else 0):
            self.now += 700 * MS
            self.ring(self.luck.choice(self.gone))
        if not self.ended:
            self.log.append({"t_ns": self.now, "event": "stop"})
            self.finish()


def judged(log: Log, header: Header) -> Log:
    game = from_header(header)
    events = [Event(line["t_ns"], line["event"], line) for line in log]
    return [ruling.as_json() for event in events for ruling in game.apply(event)]


def header_for(players: int, **options: object) -> Header:
    return Header("piccolino", tuple("ABCDE"[:players]), options)


def assert_same(found: Log, expected: Log) -> None:
    assert [ruling["ruling"] for ruling in found] == [ruling["ruling"] for ruling in expected]
    for ruling, said in zip(found, expected, strict=True):
        keys = CONTRACT.get(ruling["ruling"], tuple(said))
        assert [ruling.get(key) for key in keys] == [said.get(key) for key in keys]
        if "colours" in said:
            assert ruling["seats"] == said["colours"][ruling["colour"]]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_random_games_are_judged_as_by_the_model_to_the_last_card(players: int) -> None:
    reasons = set()
    ends = 0
    for seed in range(500):
        luck = random.Random(f"{players}/{seed}")
        dealer, two_left = luck.randrange(players), luck.choice(["always", "start"])
        size = luck.choice([players, 2 * players + 1, 12, 49 if players == 2 else 55])
        paper = PaperGame(players, dealer, two_left, luck, size)
        paper.play(luck.choice([25, 50, 120]))
        options: dict[str, object] = {"dealer": dealer, "two_left": two_left}
        if size < 49:
            options["cards"] = size
        found = judged(paper.log, header_for(players, **options))
        assert_same(found, paper.said)
        assert sum(found[-1 if not paper.ended or found[-1]["ruling"] == "end" else -4]["cards"]) == size
        reasons |= {ruling["reason"] for ruling in found if "reason" in ruling}
        ends += bool(paper.gone)
    assert reasons >= {"covered_up", "sad", "no_pair", "table_cleared", "out"}
    assert ends > 50


@pytest.mark.parametrize("players", [2, 4])
def test_a_ringer_named_later_is_judged_as_if_known_at_once(players: int) -> None:
    for seed in range(100):
        luck = random.Random(f"late/{players}/{seed}")
        paper = PaperGame(players, 0, "always", luck, 20)
        paper.play(80)
        late: Log = []
        said_by: Log = []
        for number, line in enumerate(paper.log):
            if said_by and (line["event"] != "card_shown" or luck.random() < 0.3):
                late.append({**said_by.pop(), "t_ns": line["t_ns"]})
            if line["event"] != "bell" or luck.random() < 0.3:
                late.append(line)
                continue
            late.append({**line, "seat": None})
            said_by.append({"event": "ringer", "seat": line["seat"]})
            if number not in paper.ruled_bells:
                late.append({**said_by.pop(), "t_ns": line["t_ns"]})
        late += [{**said, "t_ns": paper.now} for said in said_by]
        header = header_for(players, cards=20)
        assert judged(late, header) == judged(paper.log, header)
