"""Memory as the C library hands it out: kept together, and given back."""

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


def give_back() -> None:
    """Give the system back what is free, as far as the C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
