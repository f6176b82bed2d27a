"""Captures the output of C libraries on standard error, which is not meant for people."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_STDERR = 2
# The stream is global: of two threads that replace it, the later would restore the other's replacement.
_one_at_a_time = Lock()


@contextmanager
def caught_from_libraries() -> Iterator[list[str]]:
    """Capture standard error in this block; its lines are in the list afterwards. One thread at a time may do so."""
    lines: list[str] = []
    with _one_at_a_time:
        try:
            saved = os.dup(_STDERR)
        except OSError:  # stderr is closed: nothing can be printed or captured
            yield lines
            return
        try:
            with tempfile.TemporaryFile() as caught:
                os.dup2(caught.fileno(), _STDERR)
                try:
                    yield lines
                finally:
                    os.dup2(saved, _STDERR)
                    caught.seek(0)
                    lines += caught.read().decode("utf-8", "replace").splitlines()
        finally:
            os.close(saved)
