"""Captures the output of C libraries on the standard error stream, which is not for people."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_STDERR = 2
# There is one stream: of two who put something else in its place the later would bring back the other's.
_one_at_a_time = Lock()


@contextmanager
def caught_from_libraries() -> Iterator[list[str]]:
    """Catch what is printed while this lasts, and give it as lines when done; one thread at a time may do so."""
    lines: list[str] = []
    with _one_at_a_time:
        try:
            saved = os.dup(_STDERR)
        except OSError:  # stderr is closed: nothing can be printed, nor caught
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
