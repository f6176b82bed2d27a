"""How Ringmaster's commands are called on this computer."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def called_here() -> tuple[str, Path | None]:
    """Give how the command is called from this folder, and the folder it is in where a shell does not find it."""
    script = Path(sys.argv[0])
    found = shutil.which("ringmaster")
    if script.name != "ringmaster" or (found is not None and Path(found).resolve() == script.resolve()):
        return "ringmaster", None
    near = os.path.relpath(script)
    path = near if not near.startswith(os.pardir) else str(script.absolute())
    return path, Path(path).parent
