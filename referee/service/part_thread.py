"""Threads of the running referee: one that fails is shown on the page and to the house, and begins again."""

from __future__ import annotations

import time
from collections.abc import Callable

from hardware.problems import Health, Problem
from hardware.supervised import SupervisedThread, nothing
from referee.phrases import phrase
from referee.sayings.service import PART

Report = Callable[[Problem], object]


def part_thread(
    name: str, work: Callable[[], None], report: Report, on_fault: Callable[[Exception], object] = nothing
) -> SupervisedThread:
    """Give a thread, not started, whose failures `report` gets as those of a device called "part NAME".

    on_fault: called as well, before the work begins again.
    """

    def failed(fault: Exception) -> None:
        why = phrase("service.part_of_ringmaster_failed_and", part=name)
        report(Problem(PART + name, Health.POOR, why, t_ns=time.monotonic_ns()))
        on_fault(fault)

    def well() -> None:
        report(Problem(PART + name, Health.OK, t_ns=time.monotonic_ns()))

    return SupervisedThread(name, work, failed, well)
