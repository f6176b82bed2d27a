"""A page's line to the feed: server-sent events that end when the page goes away or takes nothing any more."""

from __future__ import annotations

import asyncio

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from referee.web.feed import Feed

HEARTBEAT_S = 10.0
STALLED_S = 60.0
"""A page that has taken nothing for so long is let go, s; a phone that wakes up asks again by itself."""


class EventStream(Response):
    """Sends the feed to one page."""

    media_type = "text/event-stream"

    def __init__(self, feed: Feed) -> None:
        super().__init__()
        self._feed = feed
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what is new until the page has gone; see the ASGI specification."""
        feed = self._feed
        gone = asyncio.ensure_future(_disconnected(receive))
        feed.watchers += 1
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            known = 0
            while not gone.done() and not feed.closed:
                news = feed.news
                body = feed.message(known) if feed.version > known else b": still here\n\n"
                known = feed.version
                async with asyncio.timeout(STALLED_S):
                    await send({"type": "http.response.body", "body": body, "more_body": True})
                if feed.version == known:
                    await asyncio.wait({gone, news}, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED)
            if not gone.done():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            # It has not taken what is in the pipe already: there is nothing to end properly.
            return
        finally:
            feed.watchers -= 1
            gone.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
