"""Whole games of Coloretto on the drawn table, with hands, through the watcher, and what it told of each.

Nobody answers what is asked: what is told in the end without it is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from hardware.events import Event as DeviceEvent
from referee.bench.coloretto_trial import Counted, Key, pieces
from referee.decks.finding import find_print_deck
from referee.demo.stepped import SteppedTable
from referee.demo.table import NAMES
from referee.engine.events import Event, Header
from referee.engine.session import Notice, Outcome, Session
from referee.games.coloretto.demo import ColorettoGame, Plan, write_coloretto
from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.score import Table
from referee.games.registry import game_kind, watcher_for
from referee.watchers.watch_setup import WatchSetup
from simulation.live import LiveTable, Shots
from simulation.view import Look
from vision.prints.print_deck import PrintDeck

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
    plan: Plan | None = None,
    deck: PrintDeck | None = None,
    known: PrintDeck | None = None,
) -> Counted:
    """Play a game that `seed` writes, in one of `LOOKS`, and look on; with our own cards, or with another deck.

    `known` is the deck as the referee was taught it; None: it has the deck that lies there.
    """
    deck = deck or find_print_deck("coloretto")
    told = write_coloretto(deck, seed, plan)
    table_side = tuple(Table)[seed % 2]
    header = Header("coloretto", NAMES[: told.game.players], {"table": table_side.value})
    game = game_kind("coloretto").start(header)
    events: list[Event] = []
    rulings: list[Mapping[str, Any]] = []
    notices: list[Notice] = []

    def on_outcome(event: DeviceEvent, outcome: Outcome) -> None:
        rulings.extend(outcome.rulings)
        notices.extend(outcome.notices)

    session = Session(game, watcher_for(header, WatchSetup(deck=known or deck)), events.append)
    shots = Shots(frames_per_s=frames_per_s, look=LOOKS[seed % len(LOOKS)])
    table = SteppedTable(LiveTable(told.script, deck, seed, shots), seed, session, on_outcome)
    try:
        for _ in table.play():
            pass
    finally:
        table.close()
    return _counted(seed, told, game, events, rulings, notices)


def _counted(
    seed: int,
    told: ColorettoGame,
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
    moves = [event for event in told.moves if event.kind in ("card_placed", "row_taken")]
    players = told.game.players
    true, seen = pieces(moves, players), pieces(held, players)
    # Where no cards mark the rows, which is the first is for the referee to say.
    as_written = range(len(told.game.rooms))
    orders = [as_written] if told.has_row_cards else permutations(as_written)
    order = max(orders, key=lambda one: (true & _in_order(seen, one)).total())
    counted = Counted(players, seed, moves=len(moves))
    # That rows need room is said once, and nobody has to answer.
    counted.asked.update(notice.kind for notice in notices if notice.kind != "rows_unmarked")
    told_fouls = Counter[Key]((seat, order[row]) for seat, row in fouls)
    counted.hold_against(true, _in_order(seen, order), Counter[Key](told.fouls), told_fouls)
    counted.points_right = isinstance(game, Coloretto) and game.over and game.hands == told.game.hands
    return counted


def _in_order(seen: Counter[Key], order: Sequence[int]) -> Counter[Key]:
    """Pieces of a game with its rows counted in another order."""
    return Counter({(number, order[int(str(row))], *what): count for (number, row, *what), count in seen.items()})
