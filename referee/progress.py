"""A bar on the terminal for what takes more than two seconds; in a pipe, or without a terminal, nothing."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

AFTER_S = 2.0
_WIDTH = 24
_drawn = 0
Item = TypeVar("Item")


def along(items: Iterable[Item], count: int, clock: Callable[[], float] = time.monotonic) -> Iterator[Item]:
    """Hand the items on, and show meanwhile how many of `count` are done and about how long the rest will take.

    Whatever is printed between has to `wipe` first.
    """
    if count < 2 or sys.stderr is None or not sys.stderr.isatty():
        yield from items
        return
    began = clock()
    try:
        for done, item in enumerate(items):
            took_s = clock() - began
            if done and took_s >= AFTER_S:
                _draw(min(done, count), count, took_s / done * max(count - done, 0))
            yield item
    finally:
        wipe()


@contextmanager
def at_work(every_s: float = 1.0) -> Iterator[None]:
    """Show meanwhile for how long it has been at work, where nothing else shows how far it is."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    over, began = threading.Event(), time.monotonic()

    def tick() -> None:
        while not over.wait(every_s):
            took_s = time.monotonic() - began
            if took_s >= AFTER_S and not _drawn:
                # The line is left at its beginning: whatever is printed next replaces it.
                print(f"\r[{took_s:.0f} s]\r", end="", file=sys.stderr, flush=True)

    thread = threading.Thread(target=tick, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        print("\r          \r", end="", file=sys.stderr, flush=True)


def wipe() -> None:
    """Take the bar away, if there is one, so that something else can be printed in its line."""
    global _drawn
    if _drawn:
        width, _drawn = _drawn, 0
        print("\r" + " " * width + "\r", end="", file=sys.stderr, flush=True)


def _draw(done: int, count: int, left_s: float) -> None:
    global _drawn
    wipe()
    full = _WIDTH * done // count
    left = f"{left_s:.0f} s" if left_s < 100 else f"{left_s / 60:.0f} min"
    bar = f"[{'#' * full}{'.' * (_WIDTH - full)}] {done} of {count}, {left} left"
    print(f"\r{bar}", end="", file=sys.stderr, flush=True)
    _drawn = len(bar)
