"""The page's address as a QR code."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO, StringIO

import segno


def qr_lines(text: str) -> list[str]:
    """Return a text as a QR code for a terminal, two rows a line, always black on white."""
    into = StringIO()
    segno.make_qr(text, error="m").terminal(into, compact=True)
    # segno draws the white modules.
    return [f"\x1b[97;40m{line}\x1b[0m" for line in into.getvalue().splitlines()]


@lru_cache(maxsize=16)
def qr_svg(text: str) -> bytes:
    """Return a text as a QR code in SVG, black on white."""
    into = BytesIO()
    segno.make_qr(text, error="m").save(into, kind="svg", xmldecl=False, omitsize=True, light="#fff")
    return into.getvalue()
