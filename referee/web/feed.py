"""The state of the table, handed to every page that watches: the latest only, however slow a page may be.

The desk is asked once for a change, whatever the number of pages; a page is sent the parts that have changed since the
last time it was sent any, and of the rulings only the new ones if it has the others. So a page that takes nothing costs
one waiting send, and delays nobody.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from anyio import CapacityLimiter, to_thread

from referee.service.desk_protocol import Desk

LEAST_GAP_S = 0.03
"""Between two looks at the desk, s: changes that follow each other sooner are sent as one."""
OUTLINES_GAP_S = 0.25
HEARTBEAT_S = 3.0
"""Between two signs of life on a quiet line, s: a page says after 7 s of silence that it has no connection."""
STALLED_S = 60.0
"""A page that has taken nothing for so long is let go, s; a phone that wakes up asks again by itself."""
_RESTLESS = frozenset({"version", "t_ns"})
"""What changes each time, and is no news on its own."""
_GROWING = "rulings"
"""The part that grows at its front: pages that know it are sent `rulings_more` instead."""


@dataclass(eq=False)
class Line:
    """A page's line. limit: ends what it waits for. whose: device or address. wake: set when there may be news."""

    limit: asyncio.Timeout
    whose: str = ""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    sending_since: float | None = None


@dataclass(frozen=True)
class _Part:
    """A part of the state: since which version it is so, and as what it is sent.

    items: of the part that grows. before: the version since which it was what it was before; more: what is sent to
    pages that know that.
    """

    at: int
    text: str
    items: tuple[str, ...] = ()
    before: int = 0
    more: str = ""


class Feed:
    """What the pages know; all methods but `notify` belong to the thread of the event loop.

    version: grows with each publication; 0 before the first.
    """

    def __init__(self, desk: Desk, extras: Callable[[], Mapping[str, Any]] = dict) -> None:
        self._desk = desk
        self._extras = extras
        self._parts: dict[str, _Part] = {}
        self._desk_version = "0"
        self._clock_ns, self._read_at = 0, 0.0
        self._messages: dict[int, bytes] = {}
        self._outlines_at = -OUTLINES_GAP_S
        self._wake = asyncio.Event()
        # One look at the desk at a time, in a thread of its own: it may wait until a frame has been judged.
        self._one = CapacityLimiter(1)
        self._loop = asyncio.get_running_loop()
        self.version = 0
        self.watchers = 0
        self.closed = False
        self._lines: set[Line] = set()

    @classmethod
    @asynccontextmanager
    async def running(cls, desk: Desk, extras: Callable[[], Mapping[str, Any]] = dict) -> AsyncIterator[Feed]:
        """Give a feed that follows the desk as long as this lasts; `extras`: what pages are told beside its state."""
        feed = cls(desk, extras)
        end = desk.subscribe(feed.notify)
        await feed.look()
        tasks = [asyncio.create_task(work) for work in (feed._follow(), feed._beat())]
        try:
            yield feed
        finally:
            end()
            for task in tasks:
                task.cancel()
            feed.close()

    def join(self, line: Line) -> None:
        """Let a page follow."""
        self._lines.add(line)
        self.watchers += 1

    def leave(self, line: Line) -> None:
        """Let it go."""
        self._lines.discard(line)
        self.watchers -= 1

    def watchers_of(self, whose: str) -> int:
        """Give how many lines a device or an address has."""
        return sum(line.whose == whose for line in self._lines)

    def notify(self, _version: int) -> None:
        """Learn of a change, from any thread."""
        self._soon(self._wake.set)

    def close_soon(self) -> None:
        """Let every page go, from any thread."""
        self._soon(self.close)

    def _soon(self, call: Callable[[], object]) -> None:
        # A desk may have news in the moment in which the page's server ends.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(call)

    def close(self) -> None:
        """Let every page go."""
        self.closed = True
        self._ring()

    async def _follow(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self.look()
            await asyncio.sleep(LEAST_GAP_S)

    async def _beat(self) -> None:
        """Give a sign now and then where there is no news, and let go who takes nothing any more."""
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            now_s = self._loop.time()
            for line in list(self._lines):
                if line.sending_since is None:
                    line.wake.set()
                elif now_s - line.sending_since > STALLED_S:
                    line.limit.reschedule(now_s)

    async def look(self) -> None:
        """Ask the desk, and tell the pages if there is news."""
        self._take(await to_thread.run_sync(self._parts_now, limiter=self._one))

    def _parts_now(self) -> dict[str, str | tuple[str, ...]]:
        state = {**self._desk.state(), **self._extras()}
        return {
            key: tuple(encoded(item) for item in value) if key == _GROWING else encoded(value)
            for key, value in state.items()
        }

    def _take(self, parts: Mapping[str, str | tuple[str, ...]]) -> None:
        self._clock_ns, self._read_at = int(str(parts.get("t_ns", 0))), self._loop.time()
        changed = [key for key, value in parts.items() if key not in _RESTLESS and not self._is_known(key, value)]
        if "outlines" in changed:
            early = self._outlines_at + OUTLINES_GAP_S - self._loop.time()
            if early > 0:
                # Hands and cards move all the time: nobody sees more than a few pictures a second of it.
                changed.remove("outlines")
                self._loop.call_later(early, self._wake.set)
            else:
                self._outlines_at = self._loop.time()
        if not changed:
            return
        self.version += 1
        for key in changed:
            value, before = parts[key], self._parts.get(key)
            self._parts[key] = (
                _grown(before, value, self.version) if isinstance(value, tuple) else _Part(self.version, value)
            )
        self._desk_version = str(parts.get("version", self.version))
        self._messages.clear()
        self._ring()

    def _is_known(self, key: str, value: str | tuple[str, ...]) -> bool:
        part = self._parts.get(key)
        return part is not None and (part.items if isinstance(value, tuple) else part.text) == value

    def _ring(self) -> None:
        for line in self._lines:
            line.wake.set()

    def since(self, version: int) -> str:
        """Give what has changed since a version as a JSON object; 0: all there is.

        A page that has the rulings as they were before the last change gets `"rulings_more": {"first": the new ones,
        "keep": how many of its own follow}` instead of all of them.
        """
        return self._stamp() + self._news(version)

    def message(self, version: int) -> bytes:
        """Give what has changed since a version as a server-sent event, made once for all pages that are level."""
        if version not in self._messages:
            self._messages[version] = f"{self._news(version)}\n\n".encode()
        return f"event: state\ndata: {self._stamp()}".encode() + self._messages[version]

    def _stamp(self) -> str:
        """Give the beginning of a state: its version, and the time that it is now, not that of the last change."""
        now_ns = self._clock_ns + round((self._loop.time() - self._read_at) * 1e9)
        return f'{{"version":{self._desk_version},"t_ns":{now_ns}'

    def _news(self, version: int) -> str:
        """Give the rest of it: the parts that have changed since a version."""
        changed = []
        for key, part in self._parts.items():
            if part.at > version:
                knows = bool(part.more) and 0 < part.before <= version
                changed.append(f',"{key}_more":{part.more}' if knows else f',"{key}":{part.text}')
        return "".join([*changed, "}"])


def _grown(before: _Part | None, items: tuple[str, ...], version: int) -> _Part:
    """Give a part with new items in front of those it had, or other ones altogether."""
    text = "[" + ",".join(items) + "]"
    if before is not None and before.items:
        for count in range(1, len(items)):
            kept = items[count:]
            if before.items[: len(kept)] == kept:
                first = ",".join(items[:count])
                return _Part(version, text, items, before.at, f'{{"first":[{first}],"keep":{len(kept)}}}')
    return _Part(version, text, items)


def encoded(value: object) -> str:
    """Give a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
