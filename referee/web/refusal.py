"""What is answered to whoever is not let through: data to a script, and a page with the right address to a person."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Scope

from referee.web.hosts import OwnNames, addresses
from referee.web.words import words_in

_STYLE = (
    "body{font:1.25rem/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto 0;padding:0 1rem}"
    "a{display:block;padding:.6rem 0;overflow-wrap:anywhere}"
)
_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'"
)


def refusal(scope: Scope, names: OwnNames, language: str, status: int, data: Mapping[str, Any]) -> Response:
    """Give the answer to a request that is not let through.

    data: `{"error": a sentence in English, "key": of the page's words}`. A browser that was to show a page shows one.
    """
    accepted = Headers(scope=scope).get("accept", "")
    if scope["method"] != "GET" or "text/html" not in accepted:
        return JSONResponse(dict(data), status)
    words = words_in(language)
    reason = words.get(f"fault_{data['key']}", str(data["error"]))
    server = scope.get("server") or (None, None)
    links = "".join(f'<a href="{html.escape(url)}">{html.escape(url)}</a>' for url in addresses(names, *server))
    page = (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8"><title>Ringmaster</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style>'
        f"<main><h1>Ringmaster</h1><p>{html.escape(reason)}</p><p>{html.escape(words['page_is_here'])}</p>{links}</main>"
    )
    return HTMLResponse(page, status, {"Content-Security-Policy": _POLICY})
