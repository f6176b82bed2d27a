"""The benches of Piccolino: who rang, and whether a recording is ruled the same each time."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from referee.arguments import seed
from referee.bench.report import print_line
from referee.errors import BadInputError
from referee.progress import along


def add_kinds(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add these benches to the others."""
    ringers = kinds.add_parser("ringers", help="name who rang the one bell on drawn tables, and count")
    ringers.add_argument("--rings", metavar="N", type=int, default=240, help="for two to five players (default 240)")
    ringers.add_argument("--seed", metavar="N", type=seed, default=1, help="another number lets others ring")
    ringers.add_argument("--json", action="store_true", help="a line a ring that was not named right, and the sums")
    ringers.set_defaults(bench=_ringers)
    replay = kinds.add_parser("replay", help="judge a recording again and again, on one core and on two")
    replay.add_argument("recording", metavar="FILE", nargs="?", type=Path, help="an .mcap; none: a short drawn game")
    replay.add_argument("--times", metavar="N", type=int, default=100, help="on one core, and on two (default 100)")
    replay.add_argument("--json", action="store_true", help="a line each for one core and for two")
    replay.set_defaults(bench=_replay)


def add_deck(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that choose the clowns."""
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--unframed", action="store_true", help="clowns painted to the card's edge, taught beforehand")
    kind.add_argument("--deck", metavar="DECK", help="a taught deck; piccolino: the built-in one, read as those are")


def _ringers(args: argparse.Namespace) -> int:
    from referee.bench.ringers import name_ringers

    if args.rings < 1:
        raise BadInputError(f"--rings must be at least 1, not {args.rings}")
    tally: dict[str, Counter[str]] = {}
    for ring in along(name_ringers(args.rings, args.seed), args.rings):
        tally.setdefault(ring.kind, Counter())[ring.verdict] += 1
        if args.json and ring.verdict != "right":
            print_line({"kind": ring.kind, "players": ring.players, "seat": ring.seat, "named": ring.named})
    sums = {kind: {key: count[key] for key in ("right", "asked", "wrong")} for kind, count in sorted(tally.items())}
    if args.json:
        print_line({"summary": sums})
    else:
        for kind, count in sums.items():
            print(f"{kind:6}", ", ".join(f"{number} {key}" for key, number in count.items()))
    return 1 if any(count["wrong"] for count in tally.values()) else 0


def _replay(args: argparse.Namespace) -> int:
    from referee.bench.replay import record_short_game

    if args.times < 1:
        raise BadInputError(f"--times must be at least 1, not {args.times}")
    if args.recording is not None:
        return _replayed(args.recording, args)
    with tempfile.TemporaryDirectory(prefix="ringmaster-replay-") as folder:
        path = Path(folder) / "game.mcap"
        record_short_game(path)
        return _replayed(path, args)


def _replayed(path: Path, args: argparse.Namespace) -> int:
    from referee.bench.replay import replay_often

    outcomes: set[bytes] = set()
    for cores, found in replay_often(path, args.times):
        outcomes |= set(found)
        line: dict[str, Any] = {
            "cores": cores,
            "replays": found.total(),
            "rulings": max(outcome.count(b"\n") + 1 if outcome else 0 for outcome in found),
            "outcomes": len(found),
        }
        if args.json:
            print_line(line)
        else:
            print(", ".join(f"{value} {key}" for key, value in line.items()), flush=True)
    same = len(outcomes) == 1
    if not args.json:
        print("the same rulings each time, byte for byte" if same else "the rulings differ")
    return 0 if same else 1
