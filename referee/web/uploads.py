"""Large bodies: taken into a file, one at a time, so that the memory never holds one."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from anyio import CapacityLimiter, WouldBlock, to_thread
from fastapi import Request
from starlette.requests import ClientDisconnect

from referee.errors import WorkFailedError
from referee.web.guard import BODY_S, LARGE_BODIES, RefusedError, too_large


class Uploads:
    """Takes the body of one request at a time. folder: with room for it; None: the system's."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._one = CapacityLimiter(1)

    @asynccontextmanager
    async def taken(self, request: Request) -> AsyncIterator[Path]:
        """Give the file that holds a body, as long as this lasts.

        Raises:
            RefusedError: another one is being taken, this one is too large, or it stops on its way.
            WorkFailedError: the disk does not take it.
        """
        try:
            self._one.acquire_nowait()
        except WouldBlock:
            raise RefusedError(503, "busy", "Another file is being read: please try again in a moment") from None
        try:
            with tempfile.NamedTemporaryFile(dir=self._folder, prefix=".on-its-way.") as file:
                path = Path(file.name)
                try:
                    await self._fill(request, path)
                except OSError as error:
                    raise WorkFailedError(f"the file cannot be kept: {error.strerror or error}") from error
                yield path
        finally:
            self._one.release()

    async def _fill(self, request: Request, path: Path) -> None:
        most, size = LARGE_BODIES[request.url.path], 0
        stream = request.stream()
        with path.open("wb") as file:
            while True:
                try:
                    async with asyncio.timeout(BODY_S):
                        part = await anext(stream, None)
                except (TimeoutError, ClientDisconnect):
                    raise RefusedError(408, "too_slow", "The rest of this did not arrive: please try again") from None
                if part is None:
                    break
                size += len(part)
                if size > most:
                    raise too_large(most)
                await to_thread.run_sync(file.write, part)
