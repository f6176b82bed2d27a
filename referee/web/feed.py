"""Sends the whole state of the table to every page that follows it, always the latest one.

The referee is read once a change, and the answer is compressed once for all pages. A slow page therefore costs one
waiting send and delays no other.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from anyio import CapacityLimiter, to_thread

from referee.match.referee import Referee

LEAST_GAP_S = 0.1
"""Shortest time between two reads of the referee, s; quicker changes are sent as one."""
HEARTBEAT_S = 3.0
"""Time between two signs of life, s; a page reports a lost connection after 7 s of silence."""
STALLED_S = 60.0
"""A page that takes no data for this long is disconnected, s; a phone that wakes up reconnects."""
_RESTLESS = ("version", "t_ns")
"""Keys that change each time, and alone are no news."""


@dataclass(eq=False)
class PageLine:
    """A page's connection. limit: ends its wait. whose: device or address. wake: set when there may be news."""

    limit: asyncio.Timeout
    whose: str = ""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    sending_since: float | None = None


class Feed:
    """Sends the state to the pages; all methods but `notify` belong to the event loop's thread.

    version: grows with each change; 0 before the first.
    """

    def __init__(self, referee: Referee, extras: Callable[[], Mapping[str, Any]] = dict) -> None:
        self._referee = referee
        self._extras = extras
        self._news = ""
        self._packed = b""
        self._state_version = "0"
        self._clock_ns, self._read_at = 0, 0.0
        self._wake = asyncio.Event()
        # One read of the referee at a time, in a thread: it may wait until a frame has been judged.
        self._one = CapacityLimiter(1)
        self._loop = asyncio.get_running_loop()
        self.version = 0
        self.watchers = 0
        self.closed = False
        self._lines: set[PageLine] = set()

    @classmethod
    @asynccontextmanager
    async def running(cls, referee: Referee, extras: Callable[[], Mapping[str, Any]] = dict) -> AsyncIterator[Feed]:
        """Yield a feed that follows the referee while the context lasts; `extras`: values beside the state."""
        feed = cls(referee, extras)
        end = referee.subscribe(feed.notify)
        await feed.look()
        tasks = [asyncio.create_task(work) for work in (feed._follow(), feed._beat())]
        try:
            yield feed
        finally:
            end()
            for task in tasks:
                task.cancel()
            feed.close()

    def join(self, line: PageLine) -> None:
        """Add a page."""
        self._lines.add(line)
        self.watchers += 1

    def leave(self, line: PageLine) -> None:
        """Remove a page."""
        self._lines.discard(line)
        self.watchers -= 1

    def watchers_of(self, whose: str) -> int:
        """Return how many lines a device or an address has."""
        return sum(line.whose == whose for line in self._lines)

    def notify(self, _version: int) -> None:
        """Note a change, from any thread."""
        self._soon(self._wake.set)

    def close_soon(self) -> None:
        """Disconnect every page, from any thread."""
        self._soon(self.close)

    def _soon(self, call: Callable[[], object]) -> None:
        # The referee may report a change while the page's server ends.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(call)

    def close(self) -> None:
        """Disconnect every page."""
        self.closed = True
        self._ring()

    async def _follow(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self.look()
            await asyncio.sleep(LEAST_GAP_S)

    async def _beat(self) -> None:
        """Send a heartbeat without news, and disconnect pages that take no data."""
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            now_s = self._loop.time()
            for line in list(self._lines):
                if line.sending_since is None:
                    line.wake.set()
                elif now_s - line.sending_since > STALLED_S:
                    line.limit.reschedule(now_s)

    async def look(self) -> None:
        """Read the referee, and send the state to the pages if it has changed."""
        state, news = await to_thread.run_sync(self._now, limiter=self._one)
        self._clock_ns, self._read_at = int(state.get("t_ns", 0)), self._loop.time()
        if news == self._news:
            return
        self._news, self._packed = news, packed(news + "\n\n")
        self.version += 1
        self._state_version = str(state.get("version", self.version))
        self._ring()

    def _now(self) -> tuple[Mapping[str, Any], str]:
        """Return the state, and its changing part as the rest of a JSON object."""
        state = {**self._referee.state(), **self._extras()}
        return state, "," + encoded({key: value for key, value in state.items() if key not in _RESTLESS})[1:]

    def _ring(self) -> None:
        for line in self._lines:
            line.wake.set()

    def state(self) -> str:
        """Return the whole state as a JSON object."""
        return self._stamp() + self._news

    def message(self, version: int) -> tuple[bytes, bytes]:
        """Return a server-sent event, deflated and uncompressed.

        It holds the whole state, or only the time if `version` is current.
        """
        if version == self.version:
            beat = f"event: state\ndata: {self._stamp()}}}\n\n"
            return packed(beat), beat.encode()
        # The state is compressed once for all pages; the time, which differs, is a line of its own.
        head = f"event: state\ndata: {self._stamp()}\ndata: "
        return packed(head) + self._packed, f"{head}{self._news}\n\n".encode()

    def _stamp(self) -> str:
        """Return the beginning of a state: its version, and the present time."""
        now_ns = self._clock_ns + round((self._loop.time() - self._read_at) * 1e9)
        return f'{{"version":{self._state_version},"t_ns":{now_ns}'


def packed(text: str) -> bytes:
    """Return a text as deflated blocks (RFC 1951) that end on a whole byte and need no earlier data."""
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return deflate.compress(text.encode()) + deflate.flush(zlib.Z_FULL_FLUSH)


def encoded(value: object) -> str:
    """Return a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
