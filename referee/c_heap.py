"""Keeps the memory of the C library in one heap."""

from __future__ import annotations

import ctypes

_M_ARENA_MAX = -8  # of glibc's <malloc.h>


def share_one_heap() -> None:
    """Let all threads that start from now on share one heap.

    With a heap for each thread, freed memory serves only its own thread, and memory grows through an evening. Other C
    libraries than glibc are left as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)
