"""Trials in which not all that counts is to be seen: what is said for certain must be true all the same.

A kind of trial is a function that takes a `BlindSetting` and gives `Trial`s, and a line in `KINDS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal

Outcome = Literal["wrong", "unclear", "right"]
OUTCOMES: tuple[Outcome, ...] = ("wrong", "unclear", "right")


@dataclass(frozen=True)
class BlindSetting:
    """What is wanted of each kind.

    trials: how many, about. seed: another number draws others. folder: pictures with truth files beside them, for kinds
    that alter pictures; None: drawn ones.
    """

    trials: int = 40
    seed: int = 1
    folder: Path | None = None


@dataclass(frozen=True)
class Trial:
    """One trial. what: what was done and where, to find it again. said: what was told of it.

    outcome: `wrong`, something untrue, or something that nobody could know, was said for certain; `unclear`, it was
    said that this cannot be told; `right`, what is true was said for certain.
    """

    kind: str
    what: str
    outcome: Outcome
    said: str


Trials = Callable[[BlindSetting], Iterator[Trial]]

KINDS: dict[str, tuple[str, ...]] = {
    "wrong deck": ("referee.bench.blind_piccolino:wrong_deck", "referee.bench.blind_confetti:wrong_deck"),
    "wrong side": ("referee.bench.blind_piccolino:wrong_side", "referee.bench.blind_confetti:wrong_side"),
    "covered lens": ("referee.bench.blind_piccolino:covered", "referee.bench.blind_confetti:covered"),
    "half the table": ("referee.bench.blind_piccolino:half", "referee.bench.blind_confetti:half"),
    "frozen camera": ("referee.bench.blind_piccolino:frozen", "referee.bench.blind_confetti:frozen"),
    "old picture": ("referee.bench.blind_piccolino:old_picture", "referee.bench.blind_confetti:old_picture"),
    "recording ended": (
        "referee.bench.blind_piccolino:recording_ended",
        "referee.bench.blind_confetti:recording_ended",
    ),
    "no table": ("referee.bench.blind_piccolino:no_table", "referee.bench.blind_confetti:no_table"),
    "bumped camera": ("referee.bench.blind_bumps:bumps",),
    **{kind: (f"referee.bench.blind_spoiled:{kind}",) for kind in ("wipe", "dark", "bright", "blur", "cover", "move")},
}
"""Where the functions of each kind are found, as `module:function`; each gives `BlindSetting.trials` trials."""


def blind_trials(kinds: Sequence[str], setting: BlindSetting) -> Iterator[Trial]:
    """Go through the trials of some kinds, one after the other."""
    for kind in kinds:
        for name in KINDS[kind]:
            trials: Trials = resolve_name(name)
            yield from trials(setting)


def trial_line(trial: Trial) -> dict[str, Any]:
    """Give a trial as JSON."""
    return {"kind": trial.kind, "what": trial.what, "outcome": trial.outcome, "said": trial.said}


def blind_summary(trials: Iterable[Trial]) -> dict[str, dict[str, int]]:
    """Count the outcomes of each kind, and of all."""
    counts = Counter((trial.kind, trial.outcome) for trial in trials)
    kinds = dict.fromkeys(kind for kind, _ in counts)
    rows: dict[str, dict[str, int]] = {kind: {outcome: counts[kind, outcome] for outcome in OUTCOMES} for kind in kinds}
    rows["all"] = {outcome: sum(row[outcome] for row in rows.values()) for outcome in OUTCOMES}
    return rows


def blind_table(summary: dict[str, dict[str, int]]) -> str:
    """Give the counts for people."""
    lines = [f"{'trials':24}" + "".join(f"{outcome:>9}" for outcome in OUTCOMES)]
    lines += [f"{kind:24}" + "".join(f"{row[outcome]:9}" for outcome in OUTCOMES) for kind, row in summary.items()]
    return "\n".join(lines)
