"""Answers to refused requests: JSON for a script, a page with the right address for a person."""

from __future__ import annotations

import base64
import hashlib
import html
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Scope

from referee.errors import RingmasterError
from referee.language import Language
from referee.phrases import in_language
from referee.web.hosts import OwnNames, addresses

_STYLE = (
    "body{font:1.25rem/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto 0;padding:0 1rem}"
    "a{display:block;padding:.6rem 0;overflow-wrap:anywhere}"
)
_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'"
)


def refusal(scope: Scope, names: OwnNames, language: str, error: RingmasterError) -> Response:
    """Return the answer to a refused request: a page for a browser's navigation, else JSON."""
    accepted = Headers(scope=scope).get("accept", "")
    if scope["method"] != "GET" or "text/html" not in accepted:
        return JSONResponse(fault(error, Language(language)), error.status)
    words = Language(language)
    reason, here = in_language(error, words), words.text("page.page_is_here")
    server = scope.get("server") or (None, None)
    links = "".join(f'<a href="{html.escape(url)}">{html.escape(url)}</a>' for url in addresses(names, *server))
    page = (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8"><title>Ringmaster</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style>'
        f"<main><h1>Ringmaster</h1><p>{html.escape(reason)}</p><p>{html.escape(here)}</p>{links}</main>"
    )
    return HTMLResponse(page, error.status, {"Content-Security-Policy": _POLICY})


def fault(error: Exception, language: Language) -> dict[str, Any]:
    """Return an error in English, with key and values where the page can translate it, else in the language."""
    key, values = getattr(error, "key", ""), getattr(error, "values", {})
    if not key.startswith("fault."):
        return {"error": _capital(in_language(error, language))}
    return {"error": _capital(str(error)), "key": key.removeprefix("fault."), **({"values": values} if values else {})}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
