"""Large request bodies, stored in a file, one at a time, to save memory."""

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
    """Stores one request's body at a time. folder: place of the file; None: the system's."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._one = CapacityLimiter(1)
        with suppress(OSError):
            # A power failure left these.
            for left in folder.glob(f"{ON_ITS_WAY}*") if folder is not None else ():
                left.unlink()

    @asynccontextmanager
    async def taken(self, request: Request) -> AsyncIterator[Path]:
        """Yield the file with a body, and delete it afterwards.

        Raises:
            RefusedError: another body is being stored, this one is too large, or it breaks off.
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
    """Write all bytes: a nearly full disk takes fewer at first, and fails only at the next write."""
    left = memoryview(part)
    while left:
        left = left[file.write(left) :]


def _not_kept(error: OSError) -> WorkFailedError:
    return WorkFailedError("error.file_cannot_be_kept", why=error.strerror or error)
