"""`ringmaster bench blind`: whether anything is said for certain that nobody could see."""

from __future__ import annotations

import argparse
from pathlib import Path

from referee.arguments import seed
from referee.bench.report import print_line, print_sums, say
from referee.errors import BadInputError
from referee.progress import along
from referee.words import list_of


def add_kinds(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this bench to the others."""
    blind = kinds.add_parser("blind", help="hide, swap and spoil what counts, and count what is said for certain")
    blind.add_argument("folder", metavar="DIR", nargs="?", type=Path, help="pictures with truth to alter; none: drawn")
    blind.add_argument("--kind", metavar="KIND", action="append", help="this kind of trial only; may be repeated")
    blind.add_argument("--trials", metavar="N", type=int, default=40, help="of each kind, about (default 40)")
    blind.add_argument("--seed", metavar="N", type=seed, default=1, help="another number draws other trials")
    blind.add_argument("--json", action="store_true", help="a line a trial and a last one with the sums")
    blind.set_defaults(bench=_blind)


def _blind(args: argparse.Namespace) -> int:
    from referee.bench import blind

    if args.trials < 1:
        raise BadInputError(f"--trials must be at least 1, not {args.trials}")
    for kind in args.kind or ():
        if kind not in blind.KINDS:
            raise BadInputError(f"there is no kind {kind!r}, only {list_of(list(blind.KINDS))}")
    trials = []
    setting = blind.BlindSetting(args.trials, args.seed, args.folder)
    kinds = args.kind or tuple(blind.KINDS)
    count = args.trials * sum(len(blind.KINDS[kind]) for kind in kinds)
    for trial in along(blind.blind_trials(kinds, setting), count):
        trials.append(trial)
        if args.json:
            print_line(blind.trial_line(trial))
        elif trial.outcome == "wrong":
            say(f"{trial.kind}, {trial.what}: {trial.said}")
    summary = blind.blind_summary(trials)
    print_sums(summary, blind.blind_table, as_json=args.json)
    return 1 if summary["all"]["wrong"] else 0
