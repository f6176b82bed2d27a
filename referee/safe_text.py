"""Makes outside text harmless on a terminal and in a spreadsheet. Pure."""

from __future__ import annotations

import re
import unicodedata

# Control characters except the tab and the end of a line; marks of direction; other ends of lines; lone surrogates;
# the byte order mark.
_HARMFUL = re.compile(
    "\r(?!\n|$)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def harmless(text: str) -> str:
    r"""Return a text without characters that control a terminal or turn a line: they are spelled out (`\u202e`).

    A line of JSON keeps its meaning: such characters occur in its strings only.
    """
    return _HARMFUL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def spreadsheet_cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula, also with a wide first sign (`＝`)."""
    first = unicodedata.normalize("NFKC", text.lstrip()[:1])
    return harmless(f"'{text}" if text.startswith(_FORMULA) or first.startswith(_FORMULA) else text)
