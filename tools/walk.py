"""Counts the modules that one ring passes through, without vision: `python -m tools.walk [--list]`.

A move is a call or a return from one of our modules to another. The count covers `Referee.hear` up to the new state, on
a drawn table of Piccolino with its own watcher.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

from hardware.events import BellPressed
from referee.games.registry import watcher_for
from referee.watchers.table_finder import WatchSetup
from simulation.live import Shots
from tests.support.piles_table import PLAYERS, piles_table
from tests.support.quiet_table import quiet_table

_ROOT = Path(__file__).parents[1]
_COUNTED = ("referee", "hardware", "simulation")


class CallTrace:
    """A profiler that records each module that is entered or returned to."""

    def __init__(self) -> None:
        self.moves: list[str] = []
        self._module_of: dict[CodeType, str] = {}

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Record the target of a call or a return; libraries between two of our modules are skipped."""
        here: FrameType | None = frame if event == "call" else frame.f_back if event == "return" else None
        while here is not None and not (module := self._module(here.f_code)):
            here = here.f_back if event == "return" else None
        if here is not None and module.startswith(_COUNTED) and module not in self.moves[-1:]:
            self.moves.append(module)

    def _module(self, code: CodeType) -> str:
        if code not in self._module_of:
            path = Path(code.co_filename)
            inside = path.is_relative_to(_ROOT) and ".venv" not in path.parts
            self._module_of[code] = str(path.relative_to(_ROOT)) if inside else ""
        return self._module_of[code]


def main() -> None:
    """Play up to a ring, and count its moves."""
    laid = piles_table(3, 3, 4, Shots(size=(640, 360), frames_per_s=10))
    now_ns, walk = 0, CallTrace()
    with tempfile.TemporaryDirectory() as folder:
        table = quiet_table(Path(folder), watcher=lambda one: watcher_for(one, WatchSetup()), clock=lambda: now_ns)
        table.referee.begin("piccolino", PLAYERS[:3], {})
        for frame in laid.frames(laid.landings_ns):
            now_ns = frame.exposure_end_ns + 1
            table.referee.look(frame)
        sys.setprofile(walk.note)
        table.referee.hear(BellPressed(now_ns, 1))
        sys.setprofile(None)
        table.close()
    visits = Counter(walk.moves)
    games = sum(count for module, count in visits.items() if module.startswith(("referee/games", "referee/watchers")))
    print(f"{len(visits)} modules, {len(walk.moves)} moves, of which {games} to the game and its watcher")
    for module, count in visits.most_common() if "--list" in sys.argv else ():
        print(f"{count:4} {module}")


if __name__ == "__main__":
    main()
