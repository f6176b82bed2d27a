"""A Unix socket in the state folder, at which this machine's own user and root get the code."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

SOCKET = "door"
ANSWER_S = 5.0
_MOST_BYTES = 512


@asynccontextmanager
async def local_door(folder: Path | None, give_code: Callable[[], tuple[str, int, str]]) -> AsyncIterator[None]:
    """Serve the code and its remaining seconds on a Unix socket, where one can be opened."""
    listener = None if folder is None else _listener(folder)
    if listener is None:
        yield
        return

    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            if _is_trusted(writer.get_extra_info("socket")):
                code, left_s, address = give_code()
                writer.write(f"{code} {left_s} {address}".encode())
                await writer.drain()
        writer.close()

    server = await asyncio.start_unix_server(answer, sock=listener)
    try:
        yield
    finally:
        server.close()
        with suppress(OSError):
            (folder or Path()).joinpath(SOCKET).unlink()


def ask_at_door(folder: Path) -> tuple[str, int, str] | None:
    """Return code, seconds and page address ("" if phones cannot reach it) of the referee in a folder.

    Returns None if no referee runs there.

    Raises:
        PermissionError: the socket belongs to another user.
    """
    try:
        with _place(folder) as place, socket.socket(socket.AF_UNIX) as line:
            line.settimeout(ANSWER_S)
            line.connect(place)
            code, left_s, *address = line.recv(_MOST_BYTES).decode("ascii").split()
            return code, int(left_s), address[0] if address else ""
    except PermissionError:
        raise
    except (OSError, ValueError):
        return None


def _listener(folder: Path) -> socket.socket | None:
    line = socket.socket(socket.AF_UNIX)
    try:
        # Permissions are set before it has a name: it is never open to others.
        os.fchmod(line.fileno(), 0o600)
        with _place(folder) as place:
            with suppress(FileNotFoundError):
                Path(place).unlink()
            line.bind(place)
        line.listen()
    except OSError:
        line.close()
        return None
    return line


@contextmanager
def _place(folder: Path) -> Iterator[str]:
    """Yield the socket's path through its folder's handle: a socket's path has at most 107 characters."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{handle}/{SOCKET}"
    finally:
        os.close(handle)


def _is_trusted(line: socket.socket) -> bool:
    """Return whether the other end runs as this user or as root."""
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return user in (0, os.geteuid())
