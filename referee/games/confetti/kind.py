"""Confetti, as `referee.games.kind` asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engine.events import Event, Game, Header
from referee.errors import BadInputError
from referee.games.confetti.deck import CARDS
from referee.games.confetti.page import PAGE
from referee.games.confetti.sayings import WORDS
from referee.games.confetti.setup import round_limits, settings_from
from referee.games.kind import Demo, GameKind, Scoring

if TYPE_CHECKING:
    from referee.engine.session import Watcher
    from referee.games.kind import DemoScript
    from referee.watchers.table_finder import WatchSetup
    from vision.read.print_deck import AnyDeck

_EACH = 8  # cards laid out for each player, at least


def _start(header: Header) -> Game:
    # The models of events take a tenth of a second to import, and scoring a hand needs none of them.
    from referee.games.confetti.rules import from_header

    return from_header(header)


def _watcher(header: Header, setup: WatchSetup) -> Watcher:
    from referee.games.confetti.watching.watcher import ConfettiWatcher

    return ConfettiWatcher(header, setup)


def _script(header: Header, deck: AnyDeck, seed: int, rounds: int | None) -> DemoScript:
    from referee.games.confetti.demo import DEMO_HEAP, ConfettiPlan, cards_of, write_confetti
    from referee.games.kind import DemoScript
    from vision.deck import Deck

    if not isinstance(deck, Deck):
        raise BadInputError("error.games.cards_of_show_pictures_not", deck=deck.name)
    players, side = len(header.players), settings_from(header).side
    most = len(round_limits(players)) if rounds is None else rounds
    heap = max(DEMO_HEAP, _EACH * players)
    game = write_confetti(deck, seed, ConfettiPlan(players, most, heap, side=side))
    truth = (
        Event(round(one.out_s * 1e9), "hand", {"event": "hand", "seat": seat, "cards": cards_of(deck, side, faces)})
        for one in game.rounds
        for seat, faces in enumerate(one.hands)
    )
    return DemoScript(game.script, "hand", players * len(game.rounds), truth=tuple(truth))


CONFETTI = GameKind(
    name="confetti",
    start=_start,
    settings=settings_from,
    watcher=_watcher,
    words=WORDS,
    page=PAGE,
    cards=CARDS,
    demo=Demo(_script, players=3, live_fps=15.0, fast_fps=6.0),
    scoring=Scoring("referee.games.confetti.score_command", most_players=7),
    devices=frozenset({"sandtimer"}),
)
