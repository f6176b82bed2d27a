"""Routes for backup, restore and report, for paired devices: games contain names."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as InPath
from starlette.background import BackgroundTask
from starlette.responses import StreamingResponse

from referee.match.referee import Referee
from referee.match.system import back_up, disputed, report, restore
from referee.web.auth import Auth
from referee.web.limits import RESTORE_PATH
from referee.web.responses import Json
from referee.web.uploads import ON_ITS_WAY, Uploads

_PART_BYTES = 1 << 18
RulingId = Annotated[str, InPath(pattern=r"^[0-9]{1,18}-[0-9]{1,18}-[0-9]{1,18}$")]
_MCAP: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}
_ZIP: dict[int | str, dict[str, Any]] = {200: {"content": {"application/zip": {}}}}


def routes(referee: Referee, auth: Auth, folder: Path, uploads: Uploads) -> APIRouter:
    """Return the routes. folder: place for temporary files."""
    router = APIRouter()
    one = CapacityLimiter(1)

    def on_its_way() -> Path:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=ON_ITS_WAY, suffix=".zip", delete=False) as file:
            return Path(file.name)

    @router.get("/api/backup.zip", responses=_ZIP)
    async def backup(request: Request, pictures: Annotated[bool, Query()] = True) -> Response:
        """Return all games, decks and settings as one file."""
        auth.paired_token(request)
        path = on_its_way()
        try:
            await to_thread.run_sync(lambda: back_up(referee, path, pictures=pictures), limiter=one)
            file = path.open("rb")
        finally:
            # The open file stays readable, and nothing remains after a power failure.
            path.unlink(missing_ok=True)
        named = f'attachment; filename="ringmaster-{time.strftime("%Y-%m-%d")}.zip"'
        headers = {"Content-Disposition": named, "Content-Length": str(os.fstat(file.fileno()).st_size)}
        parts = iter(lambda: file.read(_PART_BYTES), b"")
        return StreamingResponse(
            parts, media_type="application/zip", headers=headers, background=BackgroundTask(file.close)
        )

    @router.post(
        RESTORE_PATH,
        openapi_extra={"requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}},
    )
    async def restored(request: Request) -> Response:
        """Add the contents of a file that are missing here."""
        auth.demand_paired(request)
        async with uploads.taken(request) as path:
            return Json(await to_thread.run_sync(restore, referee, path, limiter=one))

    @router.get("/api/rulings/{ruling}/report.mcap", responses=_MCAP)
    async def disputed_ruling(request: Request, ruling: RulingId) -> Response:
        """Return a disputed ruling as a file to send: pictures around it, settings and version, but no names."""
        auth.paired_token(request)
        data = await to_thread.run_sync(disputed, referee, ruling, limiter=one)
        named = {"Content-Disposition": f'attachment; filename="ringmaster-{ruling}.mcap"'}
        return Response(data, media_type="application/octet-stream", headers=named)

    @router.get("/api/report.zip", responses=_ZIP)
    async def machine_report(request: Request) -> Response:
        """Return a report of the machine's state, for finding a fault."""
        auth.paired_token(request)
        data = await to_thread.run_sync(report, referee)
        named = {"Content-Disposition": 'attachment; filename="ringmaster-report.zip"'}
        return Response(data, media_type="application/zip", headers=named)

    return router
