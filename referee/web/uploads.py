"""Large bodies: taken into a file, one at a time, so that the memory never holds one."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from io import FileIO
from pathlib import Path

from anyio import CapacityLimiter, WouldBlock, to_thread
from fastapi import Request
from starlette.requests import ClientDisconnect

from referee.errors import WorkFailedError
from referee.web.limits import BODY_S, LARGE_BODIES, RefusedError, too_large

ON_ITS_WAY = ".on-its-way."


class Uploads:
    """Takes the body of one request at a time. folder: with room for it; None: the system's."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._one = CapacityLimiter(1)
        with suppress(OSError):
            # Left behind when the power went.
            for left in folder.glob(f"{ON_ITS_WAY}*") if folder is not None else ():
                left.unlink()

    @asynccontextmanager
    async def taken(self, request: Request) -> AsyncIterator[Path]:
        """Return the file that holds a body, as long as this lasts.

        Raises:
            RefusedError: another one is being taken, this one is too large, or it stops on its way.
            WorkFailedError: the disk does not take it.
        """
        try:
            self._one.acquire_nowait()
        except WouldBlock:
            raise RefusedError(503, "fault.busy") from None
        try:
            path = self._named()
            try:
                await self._fill(request, path)
                yield path
            finally:
                path.unlink(missing_ok=True)
        finally:
            self._one.release()

    def _named(self) -> Path:
        """Return a new file."""
        try:
            with tempfile.NamedTemporaryFile(dir=self._folder, prefix=ON_ITS_WAY, delete=False) as file:
                return Path(file.name)
        except OSError as error:
            raise _not_kept(error) from error

    async def _fill(self, request: Request, path: Path) -> None:
        most, size = LARGE_BODIES[request.url.path], 0
        stream = request.stream()
        with path.open("wb", buffering=0) as file:
            while True:
                try:
                    async with asyncio.timeout(BODY_S):
                        part = await anext(stream, None)
                except (TimeoutError, ClientDisconnect):
                    raise RefusedError(408, "fault.too_slow") from None
                if part is None:
                    break
                size += len(part)
                if size > most:
                    raise too_large(most)
                try:
                    await to_thread.run_sync(_write, file, part)
                except OSError as error:
                    raise _not_kept(error) from error


def _write(file: FileIO, part: bytes) -> None:
    """Write all of it: a disk that is nearly full takes less than it is given, and says so only at the next time."""
    left = memoryview(part)
    while left:
        left = left[file.write(left) :]


def _not_kept(error: OSError) -> WorkFailedError:
    return WorkFailedError("error.file_cannot_be_kept", why=error.strerror or error)
