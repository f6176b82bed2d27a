"""Tables of a club that play by themselves, in a process of their own that may be killed at any instant.

`python -m referee.bench.club_table FOLDER SEED PACE_S`: each folder in FOLDER is a table whose settings lie there
already. They play, an event in some PACE_S seconds each, until the end of the standard input; then all that waits is
told, and the process ends.
"""

from __future__ import annotations

import random
import select
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from referee.bench.crash_table import PLAYERS, ScriptWatcher, likely_moves
from referee.bench.quiet_table import QuietTable, quiet_table
from referee.c_heap import share_one_heap
from referee.errors import RefereeError
from referee.games import GAME_NAMES
from referee.language import Language
from referee.mqtt.publisher import Publisher

_CORRECTED, _DISPUTED = 0.03, 0.02
_LAST_S = 120.0


def tell_tables(folder: Path, seed: int, pace_s: float, until: threading.Event) -> None:
    """Play at all tables in a folder until the event is set; then wait until nothing waits any more."""
    with ExitStack() as stack:
        tables = [_begun(stack, one) for one in sorted(folder.iterdir()) if one.is_dir()]
        print("ready", flush=True)
        dice = random.Random(seed)
        due = [(time.monotonic() + dice.random() * pace_s, number) for number in range(len(tables))]
        while not until.is_set():
            due.sort()
            when, number = due.pop(0)
            until.wait(max(0.0, when - time.monotonic()))
            _step(tables[number][0], dice)
            due.append((when + pace_s * dice.uniform(0.5, 1.5), number))
        last_s = time.monotonic() + _LAST_S
        while time.monotonic() < last_s and any(one.public(Language())["waiting"] for _, one in tables):
            time.sleep(0.05)


def _begun(stack: ExitStack, folder: Path) -> tuple[QuietTable, Publisher]:
    table = quiet_table(folder, watcher=lambda header: ScriptWatcher())
    stack.callback(table.close)
    controller = table.controller
    controller.resume()
    publisher = Publisher(folder, table.journal, table.evidence, table.desk, lambda: controller.open_game, 0.1)
    publisher.start()
    stack.callback(publisher.stop)
    return table, publisher


def _step(table: QuietTable, dice: random.Random) -> None:
    controller, play = table.controller, table.controller.play
    try:
        if play is None or play.over:
            controller.start(dice.choice(GAME_NAMES), PLAYERS, {})
        elif play.log.records and dice.random() < _CORRECTED:
            controller.correct(dice.choice(list(play.log.records)), None)
        elif play.log.records and dice.random() < _DISPUTED:
            table.journal.dispute(play.log.row.game, dice.choice(list(play.log.records)))
            table.journal.flush()
        else:
            controller.say(*next(likely_moves(play.game, dice)))
    except RefereeError:
        # What makes no sense is refused, as at any table, and told so.
        return


def main() -> None:
    """Play as the command line says."""
    share_one_heap()
    until = threading.Event()

    def watch() -> None:
        select.select([sys.stdin], [], [])
        until.set()

    threading.Thread(target=watch, daemon=True).start()
    tell_tables(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), until)


if __name__ == "__main__":
    main()
