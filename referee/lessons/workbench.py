"""A process of its own for what takes seconds, at a low priority: no game that is being played waits for it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from typing import ParamSpec, TypeVar

from referee.errors import WorkFailedError

_NICE = 10
_TRIES = 2
T = TypeVar("T")
P = ParamSpec("P")
MakeExecutor = Callable[[], Executor]


def own_process() -> Executor:
    """Give a process of its own, started when the first work comes."""
    # A fork of a process with threads and a camera would inherit their locks.
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"), initializer=_settle)


def _settle() -> None:
    os.nice(_NICE)
    # Ctrl-C reaches the whole group of processes: this one ends when the referee tells it to.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Workbench:
    """Runs one piece of work at a time elsewhere; its process is there only as long as a lesson needs it."""

    def __init__(self, make: MakeExecutor = own_process) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._executor: Executor | None = None

    def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do a piece of work and give what came of it, with its own errors.

        Raises:
            WorkFailedError: the process died of it, twice.
        """
        for _ in range(_TRIES):
            with self._lock:
                self._executor = self._executor or self._make()
                executor = self._executor
            try:
                return executor.submit(work, *args, **kwargs).result()
            except BrokenExecutor:
                # The machine was short of memory, most likely: once more, with a new process.
                self._drop(executor)
        raise WorkFailedError("this picture was too much for the machine: please try again")

    def rest(self) -> None:
        """End the process until there is work again."""
        with self._lock:
            executor = self._executor
        if executor is not None:
            self._drop(executor)

    def _drop(self, executor: Executor) -> None:
        with self._lock:
            if self._executor is executor:
                self._executor = None
        executor.shutdown(wait=False, cancel_futures=True)
