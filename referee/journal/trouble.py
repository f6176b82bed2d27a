"""Why a disk takes nothing."""

from __future__ import annotations

from enum import Enum

# What SQLite calls a full disk, and one that cannot be written to.
_FULL, _READ_ONLY = 13, 8


class Trouble(Enum):
    """Why nothing can be kept at the moment."""

    FULL = "full"
    READ_ONLY = "read_only"
    FAILS = "fails"
    DAMAGED = "damaged"
    """The file is damaged, and the disk does not take a mended one."""


def trouble_of(error: Exception) -> Trouble:
    """Give why, by what SQLite says."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return {_FULL: Trouble.FULL, _READ_ONLY: Trouble.READ_ONLY}.get(code, Trouble.FAILS)
