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

from referee.language import Language
from referee.match.system import BackupDesk
from referee.web.auth import Auth
from referee.web.limits import RESTORE_PATH
from referee.web.responses import Json
from referee.web.uploads import ON_ITS_WAY, Uploads

_PART_BYTES = 1 << 18
RulingId = Annotated[str, InPath(pattern=r"^[0-9]{1,18}-[0-9]{1,18}-[0-9]{1,18}$")]
_MCAP: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}
_ZIP: dict[int | str, dict[str, Any]] = {200: {"content": {"application/zip": {}}}}


def routes(auth: Auth, backup_desk: BackupDesk | None, folder: Path | None, uploads: Uploads) -> APIRouter:
    """Return the routes; without storage they answer 404. folder: place for temporary files."""
    router = APIRouter()
    one = CapacityLimiter(1)

    def on_its_way() -> Path:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=ON_ITS_WAY, suffix=".zip", delete=False) as file:
            return Path(file.name)

    @router.get("/api/backup.zip", responses=_ZIP)
    async def backup(request: Request, pictures: Annotated[bool, Query()] = True) -> Response:
        """Return all games, decks and settings as one file."""
        kept, path = auth.shown(request, backup_desk), on_its_way()
        try:
            await to_thread.run_sync(lambda: kept.back_up(path, pictures=pictures), limiter=one)
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
    async def restore(request: Request) -> Response:
        """Add the contents of a file that are missing here."""
        auth.demand_paired(request)
        kept = auth.shown(request, backup_desk)
        async with uploads.taken(request) as path:
            done = await to_thread.run_sync(kept.restore, path, limiter=one)
            left_out = done.left_out(Language(request.app.state.language()))
        return Json(
            {
                "games": done.games,
                "there": done.there,
                "decks": done.decks,
                "settings": done.settings,
                "table": done.table,
                "left_out": left_out,
            }
        )

    @router.get("/api/rulings/{ruling}/report.mcap", responses=_MCAP)
    async def disputed(request: Request, ruling: RulingId) -> Response:
        """Return a disputed ruling as a file to send: pictures around it, settings and version, but no names."""
        kept = auth.shown(request, backup_desk)
        data = await to_thread.run_sync(kept.disputed, ruling, limiter=one)
        named = {"Content-Disposition": f'attachment; filename="ringmaster-{ruling}.mcap"'}
        return Response(data, media_type="application/octet-stream", headers=named)

    @router.get("/api/report.zip", responses=_ZIP)
    async def report(request: Request) -> Response:
        """Return a report of the machine's state, for finding a fault."""
        data = await to_thread.run_sync(auth.shown(request, backup_desk).report)
        named = {"Content-Disposition": 'attachment; filename="ringmaster-report.zip"'}
        return Response(data, media_type="application/zip", headers=named)

    return router
