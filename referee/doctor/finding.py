"""What a check found, and whether a game can be judged with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from referee.games.registry import game_kind


class State(Enum):
    """OK: works. REMARK: works, but not as well as it could. FAULT: does not work. SKIPPED: not used, or not known."""

    OK = "ok"
    REMARK = "remark"
    FAULT = "fault"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Finding:
    """message: one sentence on what is so; advice: one on what to do, "" if nothing is to be done or it is said."""

    check: str
    state: State
    message: str
    advice: str = ""


ALWAYS_NEEDED = frozenset({"camera", "disk"})
EITHER = frozenset({"bell", "sandtimer"})


def lacking(findings: Iterable[Finding], game: str | None) -> frozenset[str]:
    """Name the checks that keep the game from being judged.

    Every game needs the camera and room on the disk; Piccolino the bell, Confetti the sandtimer; where no game is
    named, one of the two.
    """
    faults = {finding.check for finding in findings if finding.state is State.FAULT}
    unused = {finding.check for finding in findings if finding.state is State.SKIPPED}
    lacks = ALWAYS_NEEDED & faults
    if game is not None:
        return lacks | (game_kind(game).devices & (faults | unused))
    return lacks | (EITHER if (faults | unused).issuperset(EITHER) else frozenset())
