"""A process of its own: it gives answers and errors, and what kills it is told, not waited for."""

from __future__ import annotations

import os
import threading
import time

import pytest

from referee.errors import WorkFailedError
from referee.lessons.workbench import Workbench
from vision.errors import BadLessonError


def own_number(add: int) -> int:
    return os.getpid() + add


def complain() -> None:
    raise BadLessonError("no cards")


def stumble() -> None:
    raise ZeroDivisionError


def die() -> None:
    os._exit(1)


def test_work_is_done_elsewhere_with_its_errors_and_a_dead_process_is_told() -> None:
    bench = Workbench()
    try:
        there = bench.run(own_number, 0)
        assert there != os.getpid()
        assert bench.run(own_number, 1) == there + 1
        with pytest.raises(BadLessonError, match="no cards"):
            bench.run(complain)
        with pytest.raises(WorkFailedError, match="ZeroDivisionError"):
            bench.run(stumble)
        with pytest.raises(WorkFailedError):
            bench.run(die)
        assert bench.run(own_number, 0) not in (there, os.getpid())
    finally:
        bench.rest()


def test_who_ends_it_waits_for_nothing() -> None:
    bench = Workbench()
    bench.run(own_number, 0)
    faults: list[Exception] = []

    def work() -> None:
        try:
            bench.run(time.sleep, 600)
        except WorkFailedError as error:
            faults.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.1)
    bench.rest()
    thread.join(60)
    assert len(faults) == 1
