"""Limits connections by address and closes idle ones; uvicorn's own limits ignore the address."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 15.0
"""Time limit for the head of the first request, s; `KEEP_ALIVE_S`: of a later one."""
KEEP_ALIVE_S = 30.0
MOST_OF_ADDRESS = 64
"""A browser opens six connections, and one for each page that follows the feed."""
UNTAKEN_MS = 60_000
"""The kernel closes a connection whose browser takes no data for this long, ms."""


class CarefulProtocol(H11Protocol):
    """A connection that is closed when no request comes, or when others need its place.

    Many silent connections therefore block no other device, even from the same address.
    """

    most_of_address = MOST_OF_ADDRESS
    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, in place of an idle one if there are too many."""
        super().connection_made(transport)
        line = transport.get_extra_info("socket")
        if line is not None:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNTAKEN_MS)
        self._since_s = self.loop.time()
        self._wait(HEAD_S)
        others = [one for one in self.connections if one is not self and isinstance(one, CarefulProtocol)]
        crowd = [one for one in others if one._address == self._address]
        if len(crowd) < self.most_of_address:
            crowd = others
            if len(crowd) < (self.limit_concurrency or len(crowd) + 2) - 1:
                return
        idle = [one for one in crowd if one._is_idle]
        # Connections without any request go first.
        gone = min(idle, key=lambda one: (one.cycle is not None, one._since_s)) if idle else self
        self.connections.discard(gone)
        gone.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the time limit."""
        if self._limit is not None:
            self._limit.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._since_s = self.loop.time()
        self._wait(KEEP_ALIVE_S)

    @property
    def _address(self) -> Any:  # noqa: ANN401 - None at a socket that knows none
        return self.client and self.client[0]

    @property
    def _is_answered(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    @property
    def _is_idle(self) -> bool:
        return self._is_answered and not self.transport.get_write_buffer_size()

    def _wait(self, most_s: float) -> None:
        if self._limit is not None:
            self._limit.cancel()
        self._limit = self.loop.call_later(most_s, self._end_if_idle)

    def _end_if_idle(self) -> None:
        if self._is_idle:
            self.transport.close()
        elif self._is_answered:
            # The answer is still being sent.
            self._wait(KEEP_ALIVE_S)
