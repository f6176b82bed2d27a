"""Shared parts of the benchmarks: a row of the gate's table, and a command line made from a signature."""

from __future__ import annotations

import argparse
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from referee.errors import BadInputError


@dataclass(frozen=True)
class Row:
    """Counts of one set: `n` cases; some may be neither right, unclear nor wrong, such as a missed card.

    p50, p99: percentiles of one case's time, in `unit`; None without times.
    """

    n: int
    right: int
    unclear: int
    wrong: int
    p50: float | None = None
    p99: float | None = None
    unit: str = ""


def timed(times: Iterable[float], unit: str) -> dict[str, Any]:
    """Return the fields of a `Row` that hold times; empty without times."""
    values = list(times)
    if not values:
        return {}
    return {"p50": float(np.percentile(values, 50)), "p99": float(np.percentile(values, 99)), "unit": unit}


def say(line: Mapping[str, Any]) -> None:
    """Print a case that was not right, as a line of JSON."""
    print(json.dumps(line, ensure_ascii=False, default=str), flush=True)


def command(measure: Callable[..., Row]) -> None:
    """Run a benchmark from the command line: parameters with defaults are options, the others are arguments."""
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=inspect.getdoc(measure))
    for name, parameter in inspect.signature(measure).parameters.items():
        if parameter.default is inspect.Parameter.empty:
            parser.add_argument(name, metavar=name.upper(), type=Path)
        elif isinstance(parameter.default, bool):
            parser.add_argument(f"--{name}", action="store_true")
        else:
            parser.add_argument(f"--{name}", type=type(parameter.default), default=parameter.default)
    try:
        row = measure(**vars(parser.parse_args()))
    except BadInputError as error:
        sys.exit(f"{parser.prog}: {error}")
    say(asdict(row))
    sys.exit(1 if row.wrong else 0)
