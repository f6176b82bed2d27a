"""Starting anew and switching off, from the page, with no more rights than a file in one folder.

The referee itself may do nothing of the kind. It lays a file where a unit of the administrator's waits for it
(systemd/ringmaster-power.path), which restarts or shuts down the computer and can do nothing else.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from referee.log import LOG

ANSWER_S = 0.5
"""So long the page has to be told that it was heard."""
TAKEN_S = 4.0
_LOOK_S = 0.05
FILES = {"reboot": "reboot", "shut_down": "poweroff"}


def _end_this() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@dataclass(frozen=True)
class Power:
    """See the module.

    folder: where wishes are laid, None where nobody waits for them. leave: ends this process, which is started again;
    None where nobody would start it. taken_s: how long a wish may lie before it is taken back, s.
    """

    folder: Path | None = None
    leave: Callable[[], None] | None = None
    taken_s: float = TAKEN_S

    @property
    def offers(self) -> tuple[str, ...]:
        """What can be asked for: "restart" of the referee, "reboot" and "shut_down" of the computer."""
        return (("restart",) if self.leave else ()) + (tuple(FILES) if self.folder else ())

    def ask(self, what: str) -> bool:
        """Ask for one of the offers; False if nobody has taken the wish."""
        LOG.info("asked for: %s", what)
        if what == "restart" and self.leave is not None:
            timer = threading.Timer(ANSWER_S, self.leave)
            timer.daemon = True
            timer.start()
            return True
        if self.folder is None or what not in FILES:
            return False
        wish = self.folder / FILES[what]
        try:
            wish.touch()
            deadline = time.monotonic() + self.taken_s
            while wish.exists():
                if time.monotonic() > deadline:
                    return False
                time.sleep(_LOOK_S)
        except OSError:
            return False
        finally:
            with suppress(OSError):
                wish.unlink(missing_ok=True)
        return True


def power_here(environment: Mapping[str, str] = os.environ) -> Power:
    """Give what can be asked for in this process: all of it as the installed service, nothing in a terminal."""
    if not environment.get("NOTIFY_SOCKET"):
        return Power()
    folder = environment.get("RUNTIME_DIRECTORY", "")
    return Power(Path(folder) if folder else None, _end_this)
