"""Whether a damaged file of any kind ends in a sentence: never in a fault, a flood of memory, or an answer made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from referee.bench import torn_games, torn_logs, torn_pictures, torn_recordings
from referee.bench.children import Ended, end_of
from referee.bench.torn_trial import Trial

MOST_MB = 400.0
_LONGEST_S = 120.0
_MOST_LINES = 4  # of complaints: one for each part that had to be left out
_ENDS = frozenset({0, 1, 2})

Kind = Callable[[Path, int, int], Iterator[Trial]]

# What files there are: each gives trials, from a folder to write into, a seed, and how many are wanted.
KINDS: Mapping[str, Kind] = {
    "pictures": torn_pictures.trials,
    "recordings": torn_recordings.trials,
    "imports": torn_games.imports,
    "journals": torn_games.journals,
    "event-logs": torn_logs.trials,
}


@dataclass(frozen=True)
class Judged:
    """How one trial went: `faults` in words, none where all was well; `ends`, one a command."""

    trial: Trial
    faults: tuple[str, ...]
    ends: tuple[Ended, ...]


@dataclass
class Sums:
    """What the trials of one kind came to."""

    trials: int = 0
    answered: int = 0
    partly: int = 0
    refused: int = 0
    faults: int = 0
    peak_mb: float = 0.0
    processor_s: list[float] = field(default_factory=list)

    def add(self, judged: Judged) -> None:
        """Count one more."""
        self.trials += 1
        self.faults += bool(judged.faults)
        answered, said = all(end.status == 0 for end in judged.ends), any(end.stdout for end in judged.ends)
        self.answered += answered
        self.partly += said and not answered
        self.refused += not said and not answered
        self.peak_mb = max([self.peak_mb, *(end.peak_bytes / 1e6 for end in judged.ends)])
        self.processor_s.append(sum(end.processor_s for end in judged.ends))

    def as_json(self) -> dict[str, Any]:
        """Give the sums as a JSON object."""
        return {
            "trials": self.trials,
            "answered": self.answered,
            "partly": self.partly,
            "refused": self.refused,
            "faults": self.faults,
            "peak_mb": round(self.peak_mb, 1),
            "longest_s": round(max(self.processor_s, default=0.0), 2),
        }


def try_torn(kind: str, trials: int, seed: int) -> Iterator[Judged]:
    """Damage files of a kind so many times, give each to the command that reads it, and judge how that ends."""
    with TemporaryDirectory(prefix="ringmaster-torn-") as folder:
        for trial in KINDS[kind](Path(folder), seed, trials):
            ends = tuple(end_of(command, _LONGEST_S) for command in trial.commands)
            faults = [fault for end in ends for fault in faults_of(end)]
            told = trial.check([end.stdout for end in ends])
            yield Judged(trial, tuple([*faults, told] if told else faults), ends)


def faults_of(end: Ended) -> list[str]:
    """Say what was wrong with how a command ended; nothing where it answered, or refused in a line."""
    faults = []
    lines = end.stderr.splitlines()
    if end.status not in _ENDS:
        faults.append(f"ended with {end.status}")
    if "fault of its own" in end.stderr or "Traceback" in end.stderr:
        faults.append(f"a fault of its own: {lines[-1]}")
    if any(not line.startswith("ringmaster") for line in lines):
        faults.append(
            f"said something that is no complaint: {next(x for x in lines if not x.startswith('ringmaster'))}"
        )
    if end.status in _ENDS and bool(lines) != bool(end.status):
        faults.append("failed without a word" if end.status else f"complained, and called it done: {lines[0]}")
    if len(lines) > (_MOST_LINES if end.stdout else 1):
        faults.append(f"complained in {len(lines)} lines")
    if end.peak_bytes > MOST_MB * 1e6:
        faults.append(f"took {end.peak_bytes / 1e6:.0f} MB")
    return faults
