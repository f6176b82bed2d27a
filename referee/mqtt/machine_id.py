"""Identity of this computer: it survives a new installation, and a copied SD card does not carry it."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

_SOURCES = ("sys/firmware/devicetree/base/serial-number", "etc/machine-id")
"""Files of the serial number of a Raspberry Pi's board, and of the installed system's id elsewhere."""
LENGTH = 8


def own_name(folder: Path, root: Path = Path("/")) -> str:
    """Return a name for data of this computer in a folder, 8 hexadecimal digits; "" on one without a number."""
    for source in _SOURCES:
        with suppress(OSError):
            number = (root / source).read_bytes().strip(b"\0\n ")
            if number:
                # Hashed: the number itself is confidential (man 5 machine-id).
                seed = b"ringmaster " + number + b" " + str(folder.resolve()).encode(errors="surrogateescape")
                return hashlib.sha256(seed).hexdigest()[:LENGTH]
    return ""
