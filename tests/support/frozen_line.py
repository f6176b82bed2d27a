"""A way to a server that can freeze: connections stay open and nothing comes through, as when Wi-Fi is gone."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class FrozenLine:
    """Passes bytes on to a port of this machine. port: where it listens."""

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self._flows = threading.Event()
        self._flows.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self._mute: set[socket.socket] = set()
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def freeze(self) -> None:
        self._flows.clear()

    def thaw(self, *, old_ones_too: bool = True) -> None:
        """Let all through that waited; or only what goes over connections that are made from now on."""
        if not old_ones_too:
            self._mute.update(self._ends)
        self._flows.set()

    def close(self) -> None:
        self._flows.set()
        for end in [self._listener, *self._ends]:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._behind))
                self._ends += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._flows.wait()
                if source not in self._mute:
                    target.sendall(data)
            self._flows.wait()
            target.shutdown(socket.SHUT_WR)


@contextmanager
def frozen_line(behind: int) -> Iterator[FrozenLine]:
    line = FrozenLine(behind)
    try:
        yield line
    finally:
        line.close()
