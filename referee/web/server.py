"""Serves the page in a thread of its own."""

from __future__ import annotations

import socket
import threading
import time

import uvicorn
from fastapi import FastAPI

from referee.errors import WorkFailedError
from referee.web.hosts import phone_address

_START_S = 20.0
_LISTEN = 128


class PageServer:
    """A page on a port, from `start` to `stop`.

    host: the address to listen at, "" for all. port: 0 takes any that is free.
    """

    def __init__(self, app: FastAPI, host: str = "", port: int = 8080) -> None:
        self._app = app
        self._host, self._port = host, port
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=1,
            limit_concurrency=400,
            lifespan="on",
            ws="none",
        )
        self._server = uvicorn.Server(config)
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The port that it listens at, once it is started."""
        return self._port

    def start(self) -> None:
        """Listen, and return when the page can be asked for.

        Raises:
            WorkFailedError: the port is taken, or is not ours to take.
        """
        listener = _listen(self._host, self._port)
        self._port = listener.getsockname()[1]
        if who := getattr(self._app.state, "who", None):
            who.address = phone_address(self._host, self._port)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listener]}, name="page", daemon=True
        )
        self._thread.start()
        deadline = time.monotonic() + _START_S
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise WorkFailedError("the web page could not be started")
            time.sleep(0.01)

    def stop(self) -> None:
        """Let all pages go and end the thread."""
        if self._thread is None:
            return
        feed = getattr(self._app.state, "feed", None)
        if feed is not None:
            feed.close_soon()
        self._server.should_exit = True
        self._thread.join()
        self._thread = None


def _listen(host: str, port: int) -> socket.socket:
    """Open the port; for all addresses of both kinds where there are both."""
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
        raise WorkFailedError(f"the web page cannot be served at {where}: {why}; --port takes another") from error
