"""Keeps the memory of the C library in one heap."""

from __future__ import annotations

import ctypes

_M_ARENA_MAX = -8  # of glibc's <malloc.h>


def share_one_heap() -> None:
    """Have all threads that start from now on share one heap.

    With a heap each, what a thread frees is of use to that thread alone, and an evening of pictures that several
    threads read leaves ever more of it behind. Other C libraries than glibc are left as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)
