"""The page's address as a QR code: for phones that are to be shown where the page is."""

from __future__ import annotations

from functools import lru_cache

from reportlab.graphics.barcode.qrencoder import QRCode, QRErrorCorrectLevel

_MARGIN = 4
"""Modules of white that ISO/IEC 18004 asks for round a code."""


@lru_cache(maxsize=16)
def qr_svg(text: str) -> bytes:
    """Give a text as a QR code in SVG, black on white."""
    code = QRCode(None, QRErrorCorrectLevel.M)
    code.addData(text)
    code.make()
    dark: list[list[bool]] = code.modules
    count = len(dark)
    cells = "".join(
        f"M{column + _MARGIN} {row + _MARGIN}h1v1h-1z"
        for row in range(count)
        for column in range(count)
        if dark[row][column]
    )
    side = count + 2 * _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{side}v{side}H0z"/><path d="{cells}"/></svg>'
    ).encode()
