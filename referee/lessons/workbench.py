"""A process with low priority for slow work, so that no running game waits for it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, ParamSpec, TypeVar

from referee.errors import RingmasterError, WorkFailedError
from vision.errors import VisionError

_NICE = 10
_TRIES = 2
_LOOK_S = 0.5
T = TypeVar("T")
P = ParamSpec("P")
_Helper = tuple[SpawnProcess, Connection]


class Workbench:
    """Runs one job at a time in its process, which exists only while a lesson needs it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._helper: _Helper | None = None

    def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a job, or raise its error; one at a time.

        Raises:
            WorkFailedError: the process died twice, or was ended.
        """
        for _ in range(_TRIES):
            with self._lock:
                helper = self._helper = self._helper or _started()
            try:
                return _answer(helper, work, args, kwargs)  # type: ignore[no-any-return]
            except (EOFError, OSError):
                with self._lock:
                    ended = self._helper is not helper
                if ended:
                    break
                # Most likely memory was short: a new process tries it once more.
                self.rest()
        raise WorkFailedError("error.lessons.this_was_too_much_for")

    def rest(self) -> None:
        """End the process, even in the middle of a job, until the next one."""
        with self._lock:
            helper, self._helper = self._helper, None
        if helper is not None:
            helper[0].kill()
            helper[0].join()
            helper[1].close()


def _started() -> _Helper:
    # A fork of a process with threads and a camera would inherit their locks.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), name="ringmaster-lesson", daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _answer(helper: _Helper, work: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:  # noqa: ANN401
    process, line = helper
    line.send((work, args, kwargs))
    while not line.poll(_LOOK_S):
        if not process.is_alive():
            raise EOFError
    is_good, answer = line.recv()
    if not is_good:
        raise answer
    return answer


def _serve(line: Connection) -> None:
    """Run jobs until the pipe closes (in the job process)."""
    # Ctrl-C reaches the whole process group: this process ends when the referee does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.nice(_NICE)
    while True:
        try:
            work, args, kwargs = line.recv()
        except EOFError:
            return
        answer: tuple[bool, Any]
        try:
            answer = True, work(*args, **kwargs)
        except (RingmasterError, VisionError) as error:
            answer = False, error
        except Exception as error:  # a fault of ours must not end the lesson
            answer = False, WorkFailedError("error.lessons.fault_of_its_own", name=type(error).__name__)
        line.send(answer)
