"""Pairing codes: six digits that a person in the room hears or reads, and how slowly they may be guessed.

Pure but for the clock and the dice it is given.
"""

from __future__ import annotations

import hmac
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from referee.errors import BadInputError, WorkFailedError

CODE_DIGITS = 6
LIFETIME_S = 300.0
MOST_TRIES = 15
"""Wrong ones in any hour, from all addresses together: a million codes last longer than anybody's patience."""
FREE_TRIES = 3
MOST_WAIT_S = 300.0
TRIES_PER_CODE = 6
SAY_AGAIN_S = 10.0
_HOUR_S = 3600.0


class WrongCodeError(BadInputError):
    """The code is not the one that was said."""


class TooManyTriesError(WorkFailedError):
    """Codes may not be tried now; `wait_s` says for how long, s."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"too many wrong codes: please wait {max(1, round(wait_s))} seconds")
        self.wait_s = wait_s


def new_code() -> str:
    """Give a code at random."""
    return f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"


@dataclass
class Pairing:
    """The code that is valid now, and the tries of the last hour.

    clock: seconds that never go back. make_code: gives six digits. asked: how often a code was asked for.
    """

    clock: Callable[[], float]
    make_code: Callable[[], str] = new_code
    asked: int = 0
    _code: str | None = None
    _made_s: float = 0.0
    _said_s: float | None = None
    _tries_of_code: int = 0
    _tries_s: deque[float] = field(default_factory=deque)

    @property
    def code(self) -> str | None:
        """The code that is valid now; None before one is asked for, and after it was used or has run out."""
        if self._code is not None and self.clock() - self._made_s > LIFETIME_S:
            self._code = None
        return self._code

    def ask(self) -> tuple[str, bool]:
        """Give the code, a new one if none is valid, and whether to say it: not again and again to annoy a table."""
        now = self.clock()
        code = self.code
        self.asked += 1
        if code is None:
            code = self._code = self.make_code()
            self._made_s, self._tries_of_code = now, 0
        say = self._said_s is None or now - self._said_s >= SAY_AGAIN_S
        if say:
            self._said_s = now
        return code, say

    def wait_s(self) -> float:
        """Tell how long no code may be tried, s; it doubles with each try that failed and ends within the hour."""
        now = self.clock()
        while self._tries_s and now - self._tries_s[0] >= _HOUR_S:
            self._tries_s.popleft()
        tries = len(self._tries_s)
        if tries >= MOST_TRIES:
            return self._tries_s[0] + _HOUR_S - now
        if tries < FREE_TRIES:
            return 0.0
        return max(0.0, self._tries_s[-1] + min(MOST_WAIT_S, 5.0 * 2.0 ** (tries - FREE_TRIES)) - now)

    def redeem(self, text: str) -> None:
        """Use the code up.

        Raises:
            WrongCodeError: it is another, or none is valid.
            TooManyTriesError: it may not be tried now, and was not looked at.
        """
        wait_s = self.wait_s()
        if wait_s > 0:
            raise TooManyTriesError(wait_s)
        self._tries_s.append(self.clock())
        code = self.code
        if code is None or not hmac.compare_digest(code.encode(), text.encode()):
            self._tries_of_code += 1
            if self._tries_of_code >= TRIES_PER_CODE:
                self._code = None
            raise WrongCodeError("that is not the code: ask for it again and listen, or look at the screen")
        self._code = None
        self._tries_s.pop()
