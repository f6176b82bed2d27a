"""How benches print what they found: JSON a line, or lines for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from referee.progress import wipe

if TYPE_CHECKING:
    from referee.bench.measurement import Measurement


def print_line(line: dict[str, Any]) -> None:
    """Print a line of JSON at once."""
    say(json.dumps(line, ensure_ascii=False))


def say(line: str) -> None:
    """Print a line for people at once, beside whatever shows how far the bench is."""
    wipe()
    print(line, flush=True)


def print_sums(total: dict[str, Any], table: Callable[[dict[str, Any]], str], *, as_json: bool) -> None:
    """Print a bench's sums, for people as a table."""
    if as_json:
        print_line({"summary": total})
    else:
        print(table(total))


def print_measurements(measurements: Iterable[Measurement], *, as_json: bool) -> None:
    """Print each as soon as it is there, for people below a header."""
    from referee.bench.measurement import report_header, report_line

    if not as_json:
        print(report_header())
    for measurement in measurements:
        if as_json:
            print_line(measurement.as_json())
        else:
            print(report_line(measurement), flush=True)
