"""The bench of damaged files."""

from __future__ import annotations

import argparse

from referee.arguments import seed
from referee.bench.report import print_line, say
from referee.errors import BadInputError
from referee.progress import along


def add_kind(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this bench to the others."""
    torn = kinds.add_parser("torn", help="damage files at random and hold each command to a sentence about them")
    torn.add_argument("kinds", metavar="KIND", nargs="*", help="pictures, recordings, … (default: all kinds)")
    torn.add_argument("--trials", metavar="N", type=int, default=250, help="of each kind (default 250)")
    torn.add_argument("--seed", metavar="N", type=seed, default=1, help="another number damages in other ways")
    torn.add_argument("--json", action="store_true", help="a line a fault, and one with the sums")
    torn.set_defaults(bench=_torn)


def _torn(args: argparse.Namespace) -> int:
    from referee.bench.torn import KINDS, MOST_MB, Sums, try_torn

    unknown = [kind for kind in args.kinds if kind not in KINDS]
    if unknown:
        raise BadInputError(f"there are no files of the kind {ascii(unknown[0])[:40]}, but {', '.join(KINDS)}")
    if args.trials < 1:
        raise BadInputError(f"--trials must be at least 1, not {args.trials}")
    sums = {kind: Sums() for kind in args.kinds or KINDS}
    for kind, count in sums.items():
        for number, judged in enumerate(along(try_torn(kind, args.trials, args.seed), args.trials)):
            count.add(judged)
            for fault in judged.faults:
                line = {"kind": kind, "trial": number, "what": judged.trial.what, "fault": fault}
                if args.json:
                    print_line(line)
                else:
                    say(f"{kind} {number}, {judged.trial.what}: {fault}")
    if args.json:
        print_line({"summary": {kind: count.as_json() for kind, count in sums.items()}})
    else:
        for kind, count in sums.items():
            print(
                f"{kind}: {count.trials} files, {count.answered} answered, {count.partly} in part, "
                f"{count.refused} refused in a line, {count.faults} faults, "
                f"at most {count.peak_mb:.0f} MB (target {MOST_MB:.0f})"
            )
    return 1 if any(count.faults for count in sums.values()) else 0
