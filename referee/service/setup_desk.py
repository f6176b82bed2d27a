"""Setting up, as the page asks for it and tells it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from referee.errors import BadInputError
from referee.games.registry import GAMES
from referee.journal.stored import games
from referee.service.game_controller import GameController
from referee.setup.finding import deck_of
from referee.setup.walk import Walk, as_data


def setup_now(walk: Walk | None, *, look: bool = True) -> dict[str, Any]:
    """Give how far setting up is, and, to `look`, what the open step finds now."""
    if walk is None:
        return {"steps": [], "open": None, "finding": None, "left": []}
    found = walk.seen_now() if look else None
    name = walk.open_step if not look else None if found is None else found[0]
    finding = None if found is None else as_data(*found)
    return {"steps": walk.titles(), "open": name, "finding": finding, "left": walk.left}


def setup_done(
    walk: Walk | None, controller: GameController, command: Mapping[str, Any], on_change: Callable[[], None]
) -> dict[str, Any]:
    """Carry out a command of setting up, and give how far it is then.

    Raises:
        BadInputError: it cannot be; it says why.
        WorkFailedError: the disk does not take it.
    """
    if walk is None:
        raise BadInputError("error.service.there_is_nothing_to_set")
    match command.get("act"):
        case "open":
            walk.open(str(command.get("step")))
        case "answer":
            given = command.get("answer")
            walk.answer(given if isinstance(given, Mapping) else {})
        case "keep":
            controller.voice.tell(walk.keep().text)
        case "skip":
            walk.skip()
        case _:
            walk.close()
    on_change()
    return setup_now(walk)


def setup_in_state(walk: Walk | None, controller: GameController) -> dict[str, Any]:
    """Give what every page is to know: whether setting up begins by itself, how many steps are open, who plays what.

    So it is on a new machine, on which nothing was set up and no game was played.
    """
    if walk is None:
        return {"due": False, "left": 0, "players": None, "game": None}
    kept = walk.kept
    due = not kept and controller.play is None and not games(controller.journal.read)
    undone = [one for one in kept.values() if one.state in ("skipped", "missing")]
    # Who has played without it all along is not asked.
    left = len(walk.left) + len(undone) if kept else 0
    deck = deck_of(kept)
    players = kept["seats"].data.get("players") if "seats" in kept else None
    return {"due": due, "left": left, "players": players, "game": deck if deck in GAMES else None}
