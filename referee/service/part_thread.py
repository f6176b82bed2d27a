"""Threads of the running referee: one that fails is shown on the page and to the house, and begins again."""

from __future__ import annotations

import time
from collections.abc import Callable

from hardware.problems import DeviceHealth, Health
from hardware.supervised import SupervisedThread, nothing
from referee.sayings.service import PART

Report = Callable[[DeviceHealth], object]


def part_thread(
    name: str, work: Callable[[], None], report: Report, on_fault: Callable[[Exception], object] = nothing
) -> SupervisedThread:
    """Give a thread, not started, whose failures `report` gets as those of a device called "part NAME".

    on_fault: called as well, before the work begins again.
    """

    def failed(fault: Exception) -> None:
        why = " ".join(f"{type(fault).__name__}: {fault}".split())[:200]
        report(DeviceHealth(time.monotonic_ns(), PART + name, Health.POOR, why))
        on_fault(fault)

    def well() -> None:
        report(DeviceHealth(time.monotonic_ns(), PART + name, Health.OK))

    return SupervisedThread(name, work, failed, well)
