"""Plays whole games of Coloretto on the drawn table, with hands, through the watcher, and counts its moves.

Nobody answers its questions: its final moves without answers are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from hardware.events import TimedEvent as DeviceEvent
from referee.demo.stepped import SteppedTable
from referee.demo.table import NAMES
from referee.engine.events import Event, Header
from referee.engine.session import Notice, Outcome, Session
from referee.games.coloretto.demo import ColorettoGame, ColorettoPlan, write_coloretto
from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.score import SummarySide
from referee.games.registry import game_kind, watcher_for
from referee.watchers.table_finder import WatchSetup
from simulation.live import LiveTable, Shots
from simulation.view import Look
from vision.deck import Deck, load_deck

Key = tuple[object, ...]


@dataclass
class Counted:
    """One game, counted.

    understood: right moves without anybody's help. asked: questions, by kind. put_right: how often people had to enter
    the table. wrong: final moves that are wrong.
    """

    players: int
    seed: int
    moves: int = 0
    understood: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    put_right: int = 0
    wrong: list[str] = field(default_factory=list)
    fouls: int = 0
    fouls_found: int = 0
    fouls_false: list[str] = field(default_factory=list)
    fouls_missed: list[str] = field(default_factory=list)
    points_right: bool = False

    def hold_against(
        self, true: Counter[Key], seen: Counter[Key], true_fouls: Counter[Key], ruled_fouls: Counter[Key]
    ) -> None:
        self.understood = (true & seen).total()
        self.wrong += [str(one) for one in (seen - true).elements()]
        self.fouls, self.fouls_found = true_fouls.total(), (true_fouls & ruled_fouls).total()
        self.fouls_false = [str(one) for one in (ruled_fouls - true_fouls).elements()]
        self.fouls_missed = [str(one) for one in (true_fouls - ruled_fouls).elements()]

    def as_json(self) -> dict[str, object]:
        # `asdict` would count a counter's items.
        return {**vars(self), "asked": dict(self.asked)}

    def figures(self) -> dict[str, int]:
        same = {name: int(getattr(self, name)) for name in ("moves", "understood", "put_right", "fouls", "fouls_found")}
        counted = {"wrong": len(self.wrong), "fouls_false": len(self.fouls_false)}
        sums = {"games": 1, "questions": self.asked.total(), "points_right": int(self.points_right)}
        return same | counted | sums


LOOKS = (
    Look(table="cloth"),
    Look(),
    Look(table="plain", tint=(0.72, 0.9, 1.0), noise=4.0),
    Look(table="wood", tint=(0.5, 0.5, 0.5), noise=5.0),
    Look(table="cloth", gradient=0.4, tilt_deg=18.0),
)


def watch_game(
    seed: int,
    frames_per_s: float,
    plan: ColorettoPlan | None = None,
    deck: Deck | None = None,
    known: Deck | None = None,
    size: tuple[int, int] = (1280, 720),
) -> Counted:
    """Play a game that `seed` writes, in one of `LOOKS`, and look on; with our own cards, or with another deck.

    `known` is the deck as the referee was taught it; None: it has the deck that is there.
    """
    deck = deck or load_deck("coloretto")
    written = write_coloretto(deck, seed, plan)
    table_side = tuple(SummarySide)[seed % 2]
    header = Header("coloretto", NAMES[: written.game.players], {"table": table_side.value})
    events: list[Event] = []
    rulings: list[Mapping[str, Any]] = []
    notices: list[Notice] = []

    def on_outcome(event: DeviceEvent, outcome: Outcome) -> None:
        rulings.extend(outcome.rulings)
        notices.extend(outcome.notices)

    watcher = watcher_for(header, WatchSetup(deck=known or deck))
    session = Session(header, game_kind("coloretto").start, watcher, lambda record: events.append(record.event))
    shots = Shots(size=size, frames_per_s=frames_per_s, look=LOOKS[seed % len(LOOKS)])
    table = SteppedTable(LiveTable(written.script, deck, seed, shots), seed, session, on_outcome)
    try:
        for _ in table.play():
            pass
    finally:
        table.close()
    return _counted(seed, written, session.game, events, rulings, notices)


def _counted(
    seed: int,
    written: ColorettoGame,
    game: object,
    events: list[Event],
    rulings: list[Mapping[str, Any]],
    notices: list[Notice],
) -> Counted:
    refused = [ruling for ruling in rulings if ruling["ruling"] == "foul"]
    fouls = [(int(ruling["seat"]), int(ruling["row"])) for ruling in refused]
    # What the rules do not allow changes nothing.
    nothing = {(ruling["t_ns"], ruling["seat"], ruling["row"]) for ruling in refused}
    held = [event for event in events if (event.t_ns, event.data.get("seat"), event.data.get("row")) not in nothing]
    moves = [event for event in written.moves if event.kind in ("card_placed", "row_taken")]
    players = written.game.players
    true, seen = pieces(moves, players), pieces(held, players)
    # Where no cards mark the rows, which is the first is for the referee to say.
    as_written = range(len(written.game.rooms))
    orders = [as_written] if written.has_row_cards else permutations(as_written)
    order = max(orders, key=lambda one: (true & _in_order(seen, one)).total())
    counted = Counted(players, seed, moves=len(moves))
    # That rows need room is said once, and nobody has to answer.
    counted.asked.update(notice.kind for notice in notices if notice.kind != "rows_unmarked")
    ruled_fouls = Counter[Key]((seat, order[row]) for seat, row in fouls)
    counted.hold_against(true, _in_order(seen, order), Counter[Key](written.fouls), ruled_fouls)
    counted.points_right = isinstance(game, Coloretto) and game.over and game.hands == written.game.hands
    return counted


def _in_order(seen: Counter[Key], order: Sequence[int]) -> Counter[Key]:
    """Return pieces of a game with its rows counted in another order."""
    return Counter({(number, order[int(str(row))], *what): count for (number, row, *what), count in seen.items()})


def pieces(events: Sequence[Event], players: int) -> Counter[Key]:
    """Return what a game comes to: which cards lay in each row of each round, and who took it."""
    rows: dict[int, list[str]] = {}
    takers: dict[int, int] = {}
    pieces: Counter[Key] = Counter()
    number = 0
    for event in events:
        row = int(str(event.data.get("row", 0)))
        if event.kind == "card_placed":
            rows.setdefault(row, []).append(str(event.data["card"]))
        elif event.kind == "card_taken_back" and rows.get(row):
            rows[row].pop()
        elif event.kind == "card_moved":
            card = str(event.data["card"])
            rows[row].remove(card)
            rows.setdefault(int(str(event.data["to"])), []).append(card)
        elif event.kind == "row_taken":
            takers[row] = int(str(event.data["seat"]))
            pieces[number, row, "taken", takers[row]] += 1
        elif event.kind == "card_was":
            was, now, seat = str(event.data["was"]), str(event.data["card"]), int(str(event.data["seat"]))
            taken = next((at for at in rows if takers.get(at) == seat and was in rows[at]), None)
            if taken is None:
                pieces = _mended(pieces, was, now, seat)
            else:
                rows[taken] = [*rows[taken], now]
                rows[taken].remove(was)
        if len(takers) == players or event is events[-1]:
            pieces.update((number, at, "card", card) for at, cards in rows.items() for card in cards)
            rows, takers, number = {}, {}, number + 1
    return pieces


def _mended(pieces: Counter[Key], was: str, now: str, seat: int) -> Counter[Key]:
    """Correct a wrong card, in the latest row that somebody took with it."""
    for number, row, kind, who in sorted(pieces, key=str, reverse=True):
        key = (number, row, "card", was)
        if kind == "taken" and who == seat and pieces[key]:
            pieces[key] -= 1
            pieces[number, row, "card", now] += 1
            return +pieces
    return pieces
