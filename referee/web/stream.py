"""A page's connection to the feed: server-sent events, compressed, until the page goes or stalls."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from referee.web.feed import Feed, PageLine
from referee.web.limits import RefusedError

_GZIP = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""Header of a gzip file (RFC 1952); the feed's deflated blocks follow without an end."""


class EventStream(Response):
    """Sends the feed to one page.

    whose: the page's device or address. most, most_of_one: limits of connections in all, and of one device.
    """

    media_type = "text/event-stream"

    def __init__(self, feed: Feed, whose: str = "", most: int = 200, most_of_one: int = 200) -> None:
        super().__init__()
        self._feed = feed
        self._whose, self._most, self._most_of_one = whose, most, most_of_one
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send changes until the page has gone; see the ASGI specification.

        Raises:
            RefusedError: too many pages are open.
        """
        if self._feed.watchers >= self._most or self._feed.watchers_of(self._whose) >= self._most_of_one:
            raise RefusedError(503, "fault.too_many_pages")
        gone = asyncio.ensure_future(_disconnected(receive))
        zipped = "gzip" in Headers(scope=scope).get("accept-encoding", "")
        if zipped:
            self.headers["content-encoding"] = "gzip"
        try:
            async with asyncio.timeout(None) as limit:
                line = PageLine(limit, self._whose)
                gone.add_done_callback(lambda _: line.wake.set())
                self._feed.join(line)
                try:
                    await self._follow(line, gone, send, zipped)
                finally:
                    self._feed.leave(line)
        except TimeoutError:
            # The page has stalled with unread data; a proper end would not arrive.
            return
        finally:
            gone.cancel()

    async def _follow(self, line: PageLine, gone: asyncio.Future[None], send: Send, zipped: bool) -> None:
        feed, clock = self._feed, asyncio.get_running_loop().time
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        if zipped:
            await send({"type": "http.response.body", "body": _GZIP, "more_body": True})
        known = 0
        while not gone.done() and not feed.closed:
            line.wake.clear()
            # Without news only the table's clock is sent; a comment would not reach the page's scripts.
            packed, unpacked = feed.message(known)
            known = feed.version
            line.sending_since = clock()
            await send({"type": "http.response.body", "body": packed if zipped else unpacked, "more_body": True})
            line.sending_since = None
            if feed.version == known:
                await line.wake.wait()
        if not gone.done():
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
