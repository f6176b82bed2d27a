"""Reports files that made no sense and were set aside: at each start, until somebody has taken note of them."""

from __future__ import annotations

import time
from pathlib import Path

from hardware.problems import DeviceHealth, Health, HealthBoard
from referee.files import name_kept, set_aside_files
from referee.journal.journal import Journal
from referee.language import Language
from referee.log import LOG
from referee.sayings import service as sayings

FILES = "files"
"""The device under which the page lists them."""


def report_set_aside(folder: Path, journal: Journal, health: HealthBoard, language: Language) -> bool:
    """Report them, and give whether there is any that was not reported before."""
    found = set_aside_files(folder)
    known = next((one for one in health.troubles() if one.device == FILES), None)
    if not found:
        if known is not None:
            health.report(DeviceHealth(time.monotonic_ns(), FILES, Health.OK))
        return False
    ((games,),) = journal.read("SELECT count(*) FROM games") or [(0,)]
    listed = " ".join(sayings.set_aside(name_kept(path), path.name, games, language) for path in found)
    if not health.report(DeviceHealth(time.monotonic_ns(), FILES, Health.POOR, listed)):
        return False
    LOG.warning("%s", listed)
    return True
