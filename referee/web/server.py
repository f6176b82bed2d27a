"""Serves the page in a thread."""

from __future__ import annotations

import socket
import time

import uvicorn
from fastapi import FastAPI

from hardware.supervised import nothing
from referee.errors import WorkFailedError
from referee.match.process import Report, part_thread
from referee.web.connections import KEEP_ALIVE_S, MOST_OF_ADDRESS, CarefulProtocol
from referee.web.hosts import phone_address

_START_S = 20.0
_LISTEN = 128


class PageServer:
    """A page on a port, from `start` to `stop`.

    host: the address to listen at, "" for all. port: 0 takes a free one. most_of_address: connections of one address.
    """

    def __init__(
        self,
        app: FastAPI,
        host: str = "",
        port: int = 8080,
        report: Report = nothing,
        most_of_address: int = MOST_OF_ADDRESS,
    ) -> None:
        self._app = app
        self._host, self._port = host, port
        self._config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            http=type("Connection", (CarefulProtocol,), {"most_of_address": most_of_address}),
            timeout_keep_alive=int(KEEP_ALIVE_S),
            timeout_graceful_shutdown=1,
            limit_concurrency=400,
            lifespan="on",
            ws="none",
        )
        self._server = uvicorn.Server(self._config)
        self._thread = part_thread("page", self._serve, report)
        self._listener: socket.socket | None = None

    @property
    def port(self) -> int:
        """Port of the page, once it is started."""
        return self._port

    def start(self, listener: socket.socket | None = None) -> None:
        """Listen, and return when the page answers; listener: an open socket, which `stop` closes.

        Raises:
            WorkFailedError: the port is in use or forbidden.
        """
        self._listener = listener or listening(self._host, self._port)
        self._port = self._listener.getsockname()[1]
        if auth := getattr(self._app.state, "auth", None):
            auth.address = phone_address(self._host, self._port)
        self._thread.start()
        deadline = time.monotonic() + _START_S
        while not self._server.started:
            if not self._thread.is_alive or self._thread.faults_in_a_row or time.monotonic() > deadline:
                self._thread.stop(1.0)
                raise WorkFailedError("error.web.web_page_could_not_be")
            time.sleep(0.01)

    def stop(self) -> None:
        """Disconnect all pages and end the thread."""
        if not self._thread.is_alive:
            return
        feed = getattr(self._app.state, "feed", None)
        if feed is not None:
            feed.close_soon()
        self._thread.stopping.set()
        self._server.should_exit = True
        self._thread.stop()

    def _serve(self) -> None:
        """Serve until `stop`; after a fault a new server uses the same port."""
        if self._thread.faults_in_a_row:
            if self._listener is not None:
                self._listener.close()
            self._listener = listening(self._host, self._port)
            self._server = uvicorn.Server(self._config)
            self._server.should_exit = self._thread.stopping.is_set()
        self._server.run(sockets=None if self._listener is None else [self._listener])
        if not self._thread.stopping.is_set():
            raise RuntimeError("the page's server ended by itself")


def listening(host: str, port: int) -> socket.socket:
    """Open a port, for all addresses of IPv4 and IPv6 where both exist.

    Raises:
        WorkFailedError: the port is in use or forbidden.
    """
    try:
        if host:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            return socket.create_server((host, port), family=family, backlog=_LISTEN)
        if socket.has_dualstack_ipv6():
            return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=_LISTEN)
        return socket.create_server(("", port), backlog=_LISTEN)
    except OSError as error:
        where = f"port {port}" if not host else f"{host}, port {port}"
        why = (error.strerror or str(error)).lower()
        raise WorkFailedError("error.web.web_page_cannot_be_served", where=where, why=why) from error
