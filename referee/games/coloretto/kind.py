"""Coloretto, as `referee.games.kind` asks for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from referee.engine.events import Header
from referee.errors import BadInputError
from referee.games.coloretto.deck import CARDS
from referee.games.coloretto.page import PAGE
from referee.games.coloretto.rules import from_header
from referee.games.coloretto.sayings import WORDS
from referee.games.kind import Demo, GameKind, Scoring

if TYPE_CHECKING:
    from referee.demo.table import DemoTable
    from referee.engine.session import Watcher
    from referee.watchers.watch_setup import WatchSetup
    from simulation.live import Shots
    from vision.prints.print_deck import AnyDeck


def _watcher(header: Header, setup: WatchSetup) -> Watcher:
    from referee.games.coloretto.watching.watcher import ColorettoWatcher
    from vision.prints.print_deck import PrintDeck

    deck = setup.deck_for(header)
    if not isinstance(deck, PrintDeck):
        raise BadInputError(f"Coloretto cannot be played with the cards of {deck.name}")
    return ColorettoWatcher(header, deck, setup.profile)


def _table(deck: AnyDeck, seed: int, rounds: int, shots: Shots) -> DemoTable:
    """Lay a table for four, on cloth."""
    from referee.demo.table import DemoTable, demo_header
    from referee.games.coloretto.demo import Plan, write_coloretto
    from simulation.live import LiveTable
    from vision.prints.print_deck import PrintDeck

    if not isinstance(deck, PrintDeck):
        raise BadInputError(f"Coloretto cannot be played with the cards of {deck.name}")
    script = write_coloretto(deck, seed, Plan(rounds=rounds)).script
    table = LiveTable(script, deck, seed, replace(shots, look=replace(shots.look, table="cloth")))
    return DemoTable(table, demo_header("coloretto", 4, deck), seed, "end", 1, deck=deck)


COLORETTO = GameKind(
    name="coloretto",
    start=from_header,
    watcher=_watcher,
    words=WORDS,
    page=PAGE,
    cards=CARDS,
    demo=Demo(_table, live_fps=10.0, fast_fps=5.0),
    scoring=Scoring("referee.games.coloretto.score_command", most_players=5),
)
