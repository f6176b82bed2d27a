"""Pairing codes: six digits that a person in the room hears or reads, and limits against guessing.

Pure but for the given clock and random source; thread-safe.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from referee.errors import BadInputError, WorkFailedError

CODE_DIGITS = 6
LIFETIME_S = 300.0
MOST_TRIES = 12
"""Limit of wrong tries in any hour, from all addresses together, of codes that anybody may request."""
MOST_OF_ADDRESS = 5
"""Limit of wrong tries in any hour from one address, which leaves tries to the others."""
RENEWED_TRIES = 3
MOST_RENEWALS = 2
"""A person in the room adds RENEWED_TRIES tries, at most MOST_RENEWALS times in any hour: fewer than 20 in all."""
LOCKED_S = 300.0
FREE_TRIES = 3
MOST_WAIT_S = 300.0
TRIES_PER_CODE = 6
TRIES_PER_GIVEN_CODE = 300
"""Limit of wrong tries of a code that the family gave: 60 addresses cannot exhaust it, and 300 of 10^6 guess it."""
SAY_AGAIN_S = 10.0
SAY_SELDOM = 3.0
MOST_SILENCE_S = 600.0
"""Each time a guest has a code said, the pause before the next grows by SAY_SELDOM, up to MOST_SILENCE_S."""
_HOUR_S = 3600.0


class WrongCodeError(BadInputError):
    """The code is wrong."""

    status = 403


class TooManyTriesError(WorkFailedError):
    """Codes may not be tried now. wait_s: for how long, s; may_renew: a press of the bell shortens it."""

    status = 429

    def __init__(self, wait_s: float, may_renew: bool = False) -> None:
        seconds = max(1, round(wait_s))
        super().__init__("fault.too_many_tries", seconds=seconds)
        self.wait_s, self.may_renew, self.headers = wait_s, may_renew, {"Retry-After": str(seconds)}


def new_code() -> str:
    """Return a random code."""
    return f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"


@dataclass
class Pairing:
    """The valid code, and the tries of the last hour.

    clock: monotonic seconds. make_code: returns six digits. asked: number of requests for a code.
    """

    clock: Callable[[], float]
    make_code: Callable[[], str] = new_code
    asked: int = 0
    _code: str | None = None
    _made_s: float = 0.0
    _said_s: float | None = None
    _silence_s: float = SAY_AGAIN_S
    _given: bool = False
    _tries_of_code: int = 0
    _tries: deque[tuple[float, str | None]] = field(default_factory=deque)
    _renewals_s: deque[float] = field(default_factory=deque)
    _refused_s: float | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def code(self) -> str | None:
        """The valid code; None before the first request, after its use and after its lifetime."""
        if self._code is not None and self.clock() - self._made_s > LIFETIME_S:
            self._code = None
        return self._code

    @property
    def left_s(self) -> int:
        """Return how long the code is still valid, whole seconds; 0 without a code."""
        return 0 if self.code is None else int(self._made_s + LIFETIME_S - self.clock())

    def ask(self, *, give: bool = False, seldom: bool = False) -> tuple[str, bool]:
        """Return the valid or a new code, and whether to say it aloud, which is limited.

        give: a person at the machine or a paired device asks; earlier wrong tries then do not count, and others' wrong
        tries do not end the code. seldom: a guest asks; each announcement lengthens the pause before the next.
        """
        with self._lock:
            now = self.clock()
            if self._said_s is not None and now - self._said_s >= _HOUR_S:
                self._silence_s = SAY_AGAIN_S
            if give:
                self._unblock()
            code, is_new = self.code, False
            if code is None or (give and self._tries_of_code):
                code, is_new = self._new_code(now), True
            pause_s = self._silence_s if seldom else SAY_AGAIN_S
            say = self._said_s is None or now - self._said_s >= pause_s or (is_new and not seldom)
            if say:
                self._said_s = now
                self._silence_s = min(MOST_SILENCE_S, self._silence_s * SAY_SELDOM) if seldom else self._silence_s
            self._given = self._given or give
            self.asked += is_new or say
            return code, say

    def renew(self) -> str | None:
        """Return a new code and allow more tries, because a person in the room has pressed the bell.

        Returns None if nobody was refused lately, or after too many renewals, on which guessing could live.
        """
        with self._lock:
            now = self.clock()
            self._forget_old(now)
            lately = self._refused_s is not None and now - self._refused_s <= LOCKED_S
            if not lately or len(self._renewals_s) >= MOST_RENEWALS:
                return None
            self._renewals_s.append(now)
            self._unblock()
            self.asked += 1
            self._said_s = now
            return self._new_code(now)

    def wait_s(self, address: str) -> float:
        """Return how long an address may not try, seconds; the time doubles with each wrong try, within the hour."""
        with self._lock:
            now = self.clock()
            self._forget_old(now)
            given = self._given and self.code is not None
            if not given and len(self._tries) >= MOST_TRIES + RENEWED_TRIES * len(self._renewals_s):
                return self._tries[0][0] + _HOUR_S - now
            own_s = [at_s for at_s, whose in self._tries if whose == address]
            if len(own_s) >= MOST_OF_ADDRESS:
                return own_s[0] + _HOUR_S - now
            if len(own_s) < FREE_TRIES:
                return 0.0
            return max(0.0, own_s[-1] + min(MOST_WAIT_S, 5.0 * 2.0 ** (len(own_s) - FREE_TRIES)) - now)

    def redeem(self, text: str, address: str, *, here: bool = False) -> None:
        """Use up the code.

        address: of the device that tries it. here: at this machine, where the right code always counts.

        Raises:
            WrongCodeError: it is another code, or no code is valid.
            TooManyTriesError: codes may not be tried now; this one was not compared.
        """
        with self._lock:
            wait_s, code = self.wait_s(address), self.code
            right = code is not None and hmac.compare_digest(code.encode(), text.encode())
            if wait_s > 0 and not (here and right):
                self._refused_s = self.clock()
                raise TooManyTriesError(wait_s, len(self._renewals_s) < MOST_RENEWALS)
            if not right:
                self._tries.append((self.clock(), address))
                self._tries_of_code += 1
                if self._tries_of_code >= (TRIES_PER_GIVEN_CODE if self._given else TRIES_PER_CODE):
                    self._code = None
                raise WrongCodeError("fault.wrong_code")
            self._code = None
            self._silence_s = SAY_AGAIN_S

    def _new_code(self, now: float) -> str:
        self._code = self.make_code()
        self._made_s, self._tries_of_code, self._given = now, 0, False
        return self._code

    def _unblock(self) -> None:
        """Let all addresses try again; earlier tries still count in the total."""
        self._tries = deque((at_s, None) for at_s, _ in self._tries)
        self._refused_s = None

    def _forget_old(self, now: float) -> None:
        while self._tries and now - self._tries[0][0] >= _HOUR_S:
            self._tries.popleft()
        while self._renewals_s and now - self._renewals_s[0] >= _HOUR_S:
            self._renewals_s.popleft()
