"""A drawn table of Piccolino with the referee's session before it, for measuring; only frames that matter are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hardware.camera.frames import SECOND_NS, Frame
from hardware.events import BellPressed
from referee.engine.event_models import parsed
from referee.engine.events import Header
from referee.engine.log import RulingData
from referee.engine.session import Session
from referee.games.piccolino.demo import PiccolinoGame, PiccolinoPlan, write_piccolino
from referee.games.piccolino.events import EVENTS, Bell
from referee.games.piccolino.rules import OneBell
from referee.games.registry import game_kind, watcher_for
from referee.watchers.table_finder import WatchSetup
from simulation.live import LiveTable, Shots
from simulation.script import BellHit
from vision.deck import Deck, load_deck

PLAYERS = ("Ann", "Ben", "Cem", "Dora", "Emil")
_LEAD_S, _AFTER_S = 0.4, 0.75
_START_S = 0.35


@dataclass(frozen=True)
class PilesTable:
    table: LiveTable
    game: PiccolinoGame
    session: Session

    @property
    def landings_ns(self) -> tuple[int, ...]:
        return tuple(event.t_ns for event in self.game.events if event.kind == "card_shown")

    @property
    def rings(self) -> tuple[BellPressed, ...]:
        actions = [action for action in self.table.script.actions if isinstance(action, BellHit)]
        return tuple(BellPressed(self.table.start_ns + round(one.at_s * SECOND_NS), one.seat) for one in actions)

    def frames(self, instants_ns: Sequence[int]) -> Iterator[Frame]:
        """Draw the first frames and those round some instants, in order."""
        windows = [(0.0, _START_S)]
        windows += [(self.table.seconds(t_ns) - _LEAD_S, self.table.seconds(t_ns) + _AFTER_S) for t_ns in instants_ns]
        for index in range(self.table.frames):
            t_s = self.table.seconds(self.table.exposure_end_ns(index))
            if any(start <= t_s <= end for start, end in windows):
                yield self.table.frame(index)

    def ruling_at(self, ring_ns: int, seat: int) -> RulingData:
        """Return what a ring by a seat's button would be ruled on the frames until now; the game goes on without it."""
        game = self.session.game
        seen = self.session.watcher.hear(BellPressed(ring_ns, seat))
        for event in seen.events:
            action = parsed(EVENTS, event, len(self.table.script.people), "Piccolino")
            if isinstance(action, Bell) and isinstance(game, OneBell):
                return game.game.foresee(action).as_json()
            self.session.report(event)
        raise ValueError("the watcher takes no ring")


def piles_table(
    players: int,
    turns: int,
    seed: int,
    shots: Shots,
    *,
    rung: bool = False,
    deck: Deck | None = None,
    known: Deck | None = None,
) -> PilesTable:
    """Lay a table on which cards are turned, and nobody rings, or everybody as people do.

    deck: the one that is there, None: the built-in one. known: the deck that the referee knows, None: that one.
    """
    deck = deck or load_deck("piccolino")
    plan = (
        PiccolinoPlan(players=players, turns=turns)
        if rung
        else PiccolinoPlan(players=players, turns=turns, notice=0.0, hothead=None)
    )
    game = write_piccolino(deck, seed, plan)
    header = Header("piccolino", PLAYERS[:players], {})
    session = Session(header, game_kind(header.game).start, watcher_for(header, WatchSetup(known or deck)))
    return PilesTable(LiveTable(game.script, deck, seed, shots), game, session)
