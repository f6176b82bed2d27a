"""What a bench measured, beside what is promised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """One measured value with its target, which is an upper bound, or a lower one if `more_is_better`.

    `value` is None if the work failed; then `note` says why. A miss of a bound is a failure, of other targets a figure.
    """

    name: str
    value: float | None
    unit: str
    target: float | None = None
    more_is_better: bool = False
    note: str = ""
    is_bound: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the target is met, None without one."""
        if self.target is None:
            return None
        if self.value is None:
            return False
        return self.value >= self.target if self.more_is_better else self.value <= self.target

    def as_json(self) -> dict[str, Any]:
        """Give the measurement as a JSON object."""
        value = None if self.value is None else round(self.value, 3)
        return {
            "name": self.name,
            "value": value,
            "unit": self.unit,
            "target": self.target,
            "met": self.met,
            "note": self.note,
        }


def report_header() -> str:
    """Give the head of the table for people."""
    return f"{'':<46}{'measured':>12} {'unit':<12}{'target':>10}  "


def report_line(one: Measurement) -> str:
    """Give one measurement as a line for people."""
    value = "failed" if one.value is None else f"{one.value:.4g}" if one.value < 1000 else f"{one.value:,.0f}"
    bound = "" if one.target is None else f"{'>=' if one.more_is_better else '<='} {one.target:,g}"
    verdict = {True: "met", False: "NOT met", None: ""}[one.met]
    return f"{one.name:<46}{value:>12} {one.unit:<12}{bound:>10}  {verdict:<8}{one.note}".rstrip()
