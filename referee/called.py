"""Forms commands to be typed on this machine: by name where Ringmaster is installed, by path in a checkout."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from referee.state_folder import INSTALLED, SIMULATED, state_folder

_ROOT = Path(__file__).parents[1]


def called(command: str, folder: Path | None = None, *, as_root: bool = False) -> str:
    """Return a command to be typed here.

    folder: the state folder of the command. as_root: whether the folder is another user's.
    """
    program = Path(sys.prefix) / "bin" / "ringmaster"
    if (_ROOT / "pyproject.toml").exists() and program.is_relative_to(_ROOT):
        name = str(program.relative_to(_ROOT))
    else:
        name = "ringmaster" if shutil.which("ringmaster") else str(program)
    sudo = "sudo " if as_root or folder == INSTALLED else ""
    return f"{sudo}{name} {command}{'' if folder is None else _state(folder)}"


def _state(folder: Path) -> str:
    """Return the option that names a folder, "" for a default folder."""
    if folder.name == SIMULATED:
        folder = folder.parent
    return "" if folder in (INSTALLED, state_folder(environment={})) else f" --state {folder}"
