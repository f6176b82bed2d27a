"""The page's address as a QR code: for phones that are to be shown where the page is."""

from __future__ import annotations

from functools import lru_cache

from reportlab.graphics.barcode.qrencoder import QRCode, QRErrorCorrectLevel

_MARGIN = 4
"""Modules of white that ISO/IEC 18004 asks for round a code."""


_HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def _modules(text: str) -> list[list[bool]]:
    """Give which modules of a text's QR code are dark, row by row."""
    code = QRCode(None, QRErrorCorrectLevel.M)
    code.addData(text)
    code.make()
    dark: list[list[bool]] = code.modules
    return dark


def qr_lines(text: str) -> list[str]:
    """Give a text as a QR code for a terminal, two rows a line; black on white whatever the terminal's colours."""
    dark = _modules(text)
    count = len(dark)

    def is_dark(row: int, column: int) -> bool:
        return 0 <= row < count and 0 <= column < count and dark[row][column]

    columns = range(-_MARGIN, count + _MARGIN)
    return [
        "\x1b[30;107m"
        + "".join(_HALVES[is_dark(row, column), is_dark(row + 1, column)] for column in columns)
        + "\x1b[0m"
        for row in range(-_MARGIN, count + _MARGIN, 2)
    ]


@lru_cache(maxsize=16)
def qr_svg(text: str) -> bytes:
    """Give a text as a QR code in SVG, black on white."""
    dark = _modules(text)
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
