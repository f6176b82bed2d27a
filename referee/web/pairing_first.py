"""The first device: while no device is paired, an act by a person in the room admits one.

A table without a loudspeaker cannot say a code. A waiting device therefore shows a number, and that many presses of the
bell admit it. Or it shows a mark, and the camera must see it. Number and mark identify the device: a press for another
device does not admit it. Pure but for the random source; thread-safe.
"""

from __future__ import annotations

import secrets
import threading
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

GONE_S = 8.0
"""A device that has not asked for this long is gone, s."""
ALONE_S = 20.0
"""Presses are ambiguous if another device has waited within this time before them, s."""
REST_S = 2.5
"""A longer pause ends a run of presses, s."""
GRANTED_S = 30.0
LEAST_PRESSES, MOST_PRESSES = 3, 8
"""People who only try the bell press it once or twice."""
MOST_WRONG = 4
WRONG_S = 600.0
"""After MOST_WRONG wrong runs of presses within this time the bell admits no device, s."""
MOST_WAITING = 64
MARKS = 250


@dataclass
class _Waiting:
    """A waiting device: its number of presses and its mark; times of its start and its last request, s."""

    presses: int
    mark: int
    since_s: float
    asked_s: float
    granted_s: float | None = None
    miscounted: int | None = None


@dataclass(frozen=True)
class Wait:
    """State of a waiting device.

    ticket: its identification. presses: number of presses that admit it. mark: its mark's number. pressed: present
    number of presses. miscounted: number of the last wrong run. others: another device waits as well, and presses
    therefore admit neither. bell_rests: too many wrong runs lately. granted: it may come in.
    """

    ticket: str
    presses: int
    mark: int
    pressed: int
    miscounted: int | None
    others: bool
    bell_rests: bool
    granted: bool


@dataclass
class FirstDevice:
    """The devices that wait to be the first.

    clock: seconds of the monotonic clock. is_open: whether no device is paired. number: random, below a bound.
    """

    clock: Callable[[], float]
    is_open: Callable[[], bool]
    number: Callable[[int], int] = secrets.randbelow
    _waiting: dict[str, _Waiting] = field(default_factory=dict)
    _run_s: list[float] = field(default_factory=list)
    _wrong_s: deque[float] = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, ticket: str | None) -> Wait | None:
        """Start or continue waiting with a ticket; return None if a device is paired, or too many wait."""
        with self._lock:
            now = self.clock()
            if not self.is_open():
                self._waiting.clear()
                return None
            self._settle(now)
            one = self._waiting.get(ticket or "")
            if one is None or ticket is None:
                if len(self._waiting) >= MOST_WAITING:
                    return None
                ticket = secrets.token_urlsafe(24)
                one = self._waiting[ticket] = self._new(now)
            one.asked_s = now
            others = any(other is not one and now - other.asked_s <= ALONE_S for other in self._waiting.values())
            return Wait(
                ticket,
                one.presses,
                one.mark,
                len([at_s for at_s in self._run_s if at_s > one.since_s]),
                one.miscounted,
                others,
                self._bell_rests(now),
                one.granted_s is not None,
            )

    def leave(self, ticket: str | None) -> None:
        """Remove a device that was admitted."""
        with self._lock:
            self._waiting.pop(ticket or "", None)

    @property
    def is_awaited(self) -> bool:
        """Return whether any device waits."""
        with self._lock:
            return bool(self._waiting) and self.is_open()

    def pressed(self, t_s: float) -> None:
        """Take a press of the bell while no game is played."""
        with self._lock:
            if not self.is_open():
                self._run_s.clear()
                return
            self._settle(t_s)
            if len(self._run_s) <= MOST_PRESSES:
                self._run_s.append(t_s)
            else:
                self._run_s[-1] = t_s

    def seen(self, marks: Collection[int], t_s: float) -> None:
        """Take the marks in a picture of time `t_s`: a device whose mark the camera sees is admitted."""
        with self._lock:
            now = self.clock()
            for one in self._waiting.values():
                if one.mark in marks and one.since_s < t_s and now - one.asked_s <= GONE_S:
                    one.granted_s = now

    def _new(self, now: float) -> _Waiting:
        taken = {one.mark for one in self._waiting.values()}
        free = [mark for mark in range(MARKS) if mark not in taken]
        return _Waiting(self._presses(), free[self.number(len(free))], now, now)

    def _presses(self) -> int:
        return LEAST_PRESSES + self.number(MOST_PRESSES - LEAST_PRESSES + 1)

    def _settle(self, now: float) -> None:
        """Judge a run of presses that has ended, and forget devices that are gone."""
        if self._run_s and now - self._run_s[-1] > REST_S:
            self._judge(self._run_s[0], len(self._run_s), now)
            self._run_s = []
        for ticket, one in list(self._waiting.items()):
            if now - one.asked_s > ALONE_S + REST_S * MOST_PRESSES or (
                one.granted_s is not None and now - one.granted_s > GRANTED_S
            ):
                del self._waiting[ticket]

    def _judge(self, first_s: float, presses: int, now: float) -> None:
        """Admit the device that has shown this number since before the first press, if it waits alone."""
        near = [one for one in self._waiting.values() if one.asked_s >= first_s - ALONE_S]
        here = [one for one in near if one.since_s < first_s and now - one.asked_s <= GONE_S]
        if not here or self._bell_rests(now):
            return
        if len(near) == 1 and here[0].presses == presses:
            here[0].granted_s = now
            return
        self._wrong_s.append(now)
        for one in here:
            one.presses, one.miscounted = self._presses(), presses

    def _bell_rests(self, now: float) -> bool:
        while self._wrong_s and now - self._wrong_s[0] >= WRONG_S:
            self._wrong_s.popleft()
        return len(self._wrong_s) >= MOST_WRONG
