"""Confetti, as `referee.games.kind` asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engine.events import Header
from referee.errors import BadInputError
from referee.games.confetti.deck import CARDS
from referee.games.confetti.page import PAGE
from referee.games.confetti.rules import from_header
from referee.games.confetti.sayings import WORDS
from referee.games.kind import Demo, GameKind, Scoring

if TYPE_CHECKING:
    from referee.demo.table import DemoTable
    from referee.engine.session import Watcher
    from referee.watchers.watch_setup import WatchSetup
    from simulation.live import Shots
    from vision.prints.print_deck import AnyDeck


def _watcher(header: Header, setup: WatchSetup) -> Watcher:
    from referee.games.confetti.watching.watcher import ConfettiWatcher

    return ConfettiWatcher(header, setup)


def _table(deck: AnyDeck, seed: int, rounds: int, shots: Shots) -> DemoTable:
    """Lay a table for three."""
    from referee.demo.table import DemoTable, demo_header
    from referee.games.confetti.demo import DEMO_HEAP, Plan, write_confetti
    from simulation.live import LiveTable
    from vision.deck import Deck

    if not isinstance(deck, Deck):
        raise BadInputError(f"the cards of {deck.name} show pictures, not three marks each")
    script = write_confetti(deck, seed, Plan(rounds=rounds, heap=DEMO_HEAP)).script
    table = LiveTable(script, deck, seed, shots)
    return DemoTable(table, demo_header("confetti", 3, deck), seed, "hand", 3 * rounds, deck=deck)


CONFETTI = GameKind(
    name="confetti",
    start=from_header,
    watcher=_watcher,
    words=WORDS,
    page=PAGE,
    cards=CARDS,
    demo=Demo(_table, live_fps=15.0, fast_fps=6.0),
    scoring=Scoring("referee.games.confetti.score_command", most_players=7),
    devices=frozenset({"sandtimer"}),
)
