"""Which troubles are said, and when: each once, after it has lasted, and its end only when that has lasted. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hardware.problems import Health
from referee.games.kind import GameKind
from referee.sayings.guard import GUARD
from referee.service.guard.mishaps import Mishap
from referee.store.upkeep import FILES

SECOND_NS = 1_000_000_000
SAID_AFTER_NS, TAKEN_BACK_AFTER_NS = 10 * SECOND_NS, 30 * SECOND_NS
"""So long a trouble is there, in all, before it is said; so long it is away without a break before that is said."""
_NEVER = GUARD + Mishap.CLOCK.value
_BY_BELL = frozenset({"bell", GUARD + Mishap.PACE.value})


@dataclass
class _Trouble:
    """here_ns: how long it was there, in all. well_ns: since when it is away, None while it is there."""

    here_ns: int = 0
    well_ns: int | None = None
    said: bool = False


class Notices:
    """Hysteresis for what is said of devices and mishaps: a trouble that comes and goes is one trouble."""

    def __init__(self) -> None:
        self._known: dict[str, _Trouble] = {}
        self._took_ns = 0

    def take(
        self, states: Mapping[str, Health], matters: Callable[[str], bool], now_ns: int
    ) -> tuple[list[str], list[str]]:
        """Take how all is, by name, and give what is to be said now and what is to be taken back.

        matters: whether a name's trouble is worth a word now; one that is not is said as soon as it is.
        """
        passed_ns, self._took_ns = now_ns - self._took_ns, now_ns
        begun, ended = [], []
        self._known = {name: one for name, one in self._known.items() if name in states}
        for name, state in states.items():
            one = self._known.get(name)
            if one is not None and one.well_ns is None:
                one.here_ns += passed_ns
            if state is not Health.OK:
                one = self._known.setdefault(name, _Trouble())
                one.well_ns = None
                if one.here_ns >= SAID_AFTER_NS and not one.said and matters(name):
                    one.said = True
                    begun.append(name)
            elif one is not None:
                one.well_ns = now_ns if one.well_ns is None else one.well_ns
                if now_ns - one.well_ns >= TAKEN_BACK_AFTER_NS:
                    del self._known[name]
                    ended += [name] if one.said and matters(name) else []
        return begun, ended


def matters_to(name: str, kind: GameKind | None) -> bool:
    """Whether a device, or a mishap, is worth a word in a game of this kind; None: nobody plays.

    Files that were set aside are said once at the start, and listed on the page.
    At night in an empty room nobody wants to hear that it is dark.
    """
    if name in (_NEVER, FILES) or (kind is None and name.startswith(GUARD)):
        return False
    part = name if name.startswith(GUARD) else name.split()[0]
    if kind is None:
        return True
    return ("bell" in kind.devices) if part in _BY_BELL else part != "sandtimer" or part in kind.devices
