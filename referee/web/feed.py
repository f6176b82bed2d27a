"""The state of the table, handed to every page that watches: the latest only, however slow a page may be.

The desk is asked once for a change, whatever the number of pages; a page is sent the parts that have changed since the
last time it was sent any. So a page that takes nothing costs one waiting send, and delays nobody.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from anyio import CapacityLimiter, to_thread

from referee.service.desk import Desk

LEAST_GAP_S = 0.03
"""Between two looks at the desk, s: changes that follow each other sooner are sent as one."""
OUTLINES_GAP_S = 0.25
_RESTLESS = frozenset({"version", "t_ns"})
"""What changes each time, and is no news on its own."""


class Feed:
    """What the pages know; all methods but `notify` belong to the thread of the event loop.

    version: grows with each publication; 0 before the first.
    """

    def __init__(self, desk: Desk, extras: Callable[[], Mapping[str, Any]] = dict) -> None:
        self._desk = desk
        self._extras = extras
        self._parts: dict[str, tuple[int, str]] = {}
        self._clock_part = ""
        self._messages: dict[int, bytes] = {}
        self._outlines_at = -OUTLINES_GAP_S
        self._wake = asyncio.Event()
        # One look at the desk at a time, in a thread of its own: it may wait until a frame has been judged.
        self._one = CapacityLimiter(1)
        self._loop = asyncio.get_running_loop()
        self.version = 0
        self.watchers = 0
        self.closed = False
        self.news: asyncio.Future[None] = self._loop.create_future()

    @classmethod
    @asynccontextmanager
    async def running(cls, desk: Desk, extras: Callable[[], Mapping[str, Any]] = dict) -> AsyncIterator[Feed]:
        """Give a feed that follows the desk as long as this lasts; `extras`: what pages are told beside its state."""
        feed = cls(desk, extras)
        end = desk.subscribe(feed.notify)
        await feed.look()
        follower = asyncio.create_task(feed._follow())
        try:
            yield feed
        finally:
            end()
            follower.cancel()
            feed.close()

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

    async def look(self) -> None:
        """Ask the desk, and tell the pages if there is news."""
        self._take(await to_thread.run_sync(self._parts_now, limiter=self._one))

    def _parts_now(self) -> dict[str, str]:
        return {key: encoded(value) for key, value in {**self._desk.state(), **self._extras()}.items()}

    def _take(self, parts: Mapping[str, str]) -> None:
        changed = [key for key, text in parts.items() if key not in _RESTLESS and self._known(key) != text]
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
            self._parts[key] = (self.version, parts[key])
        self._clock_part = f'"version":{parts.get("version", self.version)},"t_ns":{parts.get("t_ns", 0)}'
        self._messages.clear()
        self._ring()

    def _known(self, key: str) -> str | None:
        return self._parts[key][1] if key in self._parts else None

    def _ring(self) -> None:
        news, self.news = self.news, self._loop.create_future()
        news.set_result(None)

    def since(self, version: int) -> str:
        """Give what has changed since a version as a JSON object; 0: all there is."""
        changed = [f'"{key}":{text}' for key, (at, text) in self._parts.items() if at > version]
        return "{" + ",".join([self._clock_part, *changed]) + "}"

    def message(self, version: int) -> bytes:
        """Give what has changed since a version as a server-sent event, made once for all pages that are level."""
        if version not in self._messages:
            self._messages[version] = f"event: state\ndata: {self.since(version)}\n\n".encode()
        return self._messages[version]


def encoded(value: object) -> str:
    """Give a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
