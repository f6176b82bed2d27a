"""Which watcher looks on for a game, and what it is told of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from referee.events import Header
from referee.session import Watcher
from vision.profile import TableProfile


@dataclass(frozen=True)
class WatchSetup:
    """What a watcher is told of the table.

    deck: the deck's name, None: the game's own. profile: what calibration measured, None: markers in the picture tell.
    """

    deck: str | None = None
    profile: TableProfile | None = None


def watcher_for(header: Header, setup: WatchSetup) -> Watcher:
    """Give what looks on for a game; one that no watcher knows is played by what people say on the page."""
    make = _WATCHERS.get(header.game, _by_hand)
    return make(header, setup)


def _by_hand(header: Header, setup: WatchSetup) -> Watcher:
    from referee.watchers.by_hand import ByHandWatcher

    return ByHandWatcher()


def _confetti(header: Header, setup: WatchSetup) -> Watcher:
    from referee.watchers.confetti import ConfettiWatcher

    return ConfettiWatcher(header, setup)


def _piccolino(header: Header, setup: WatchSetup) -> Watcher:
    from referee.watchers.piccolino import PiccolinoWatcher
    from referee.watchers.piccolino_eyes import TableEyes
    from referee.watchers.piccolino_ringer import ArmEyes
    from vision.pictured.picture_deck import load_picture_deck

    eyes = TableEyes(load_picture_deck(setup.deck or "piccolino"), setup.profile, len(header.players))
    return PiccolinoWatcher(header, eyes, ArmEyes(lambda: eyes.seating))


_WATCHERS: dict[str, Callable[[Header, WatchSetup], Watcher]] = {"confetti": _confetti, "piccolino": _piccolino}
