"""Reports files that made no sense and were set aside: at each start, until somebody has taken note of them."""

from __future__ import annotations

import time
from functools import reduce
from pathlib import Path

from hardware.problems import Health, HealthBoard, Problem
from referee.files import name_kept, set_aside_files
from referee.journal.journal import Journal
from referee.log import LOG
from referee.phrases import phrase
from referee.sayings import service as sayings

FILES = "files"
"""The device under which the page lists them."""


def report_set_aside(folder: Path, journal: Journal, health: HealthBoard) -> bool:
    """Report them, and give whether there is any that was not reported before."""
    found = set_aside_files(folder)
    known = next((one for one in health.troubles() if one.part == FILES), None)
    if not found:
        if known is not None:
            health.report(Problem(FILES, Health.OK, t_ns=time.monotonic_ns()))
        return False
    ((games,),) = journal.read("SELECT count(*) FROM games") or [(0,)]
    sentences = [sayings.set_aside(name_kept(path), path.name, games) for path in found]
    listed = reduce(lambda before, one: phrase("common.sentences", first=before, second=one), sentences)
    if not health.report(Problem(FILES, Health.POOR, listed, t_ns=time.monotonic_ns())):
        return False
    LOG.warning("%s", listed)
    return True
