"""The benches of the guard: mishaps amid play, and a whole evening from dusk to lamp light."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from referee.arguments import seed
from referee.bench.report import print_line, say
from referee.errors import BadInputError
from referee.progress import along


def add_kinds(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add these benches to the others."""
    guard = kinds.add_parser(
        "guard", help="how soon lamps, lenses and lost locks are noticed amid play, and at what cost"
    )
    guard.add_argument("--mishaps", metavar="N", type=int, default=140, help="of all kinds in turn (default 140)")
    guard.add_argument("--hours", metavar="N", type=float, default=0.2, help="of play without any (default 0.2)")
    guard.add_argument(
        "--games", metavar="N", type=int, default=0, help="of Piccolino with rings amid mishaps (default 0)"
    )
    guard.add_argument("--seed", metavar="N", type=seed, default=1, help="another number draws others")
    guard.add_argument("--json", action="store_true", help="a line a mishap and a last one with the sums")
    guard.set_defaults(bench=_guard)
    evening = kinds.add_parser("evening", help="play games from dusk to lamp light with a window in the picture")
    evening.add_argument("--evenings", metavar="N", type=int, default=2, help="of four games each (default 2)")
    evening.add_argument("--ignored", action="store_true", help="nobody heeds what the referee says of the light")
    evening.add_argument("--seed", metavar="N", type=seed, default=1, help="another number draws others")
    evening.add_argument("--json", action="store_true", help="a line a game and a last one with the sums")
    evening.set_defaults(bench=_evening)


def _guard(args: argparse.Namespace) -> int:
    from referee.bench.mishaps import EXPECTED, IN_TIME_S, Noticed, cause_mishaps, cost_a_frame, play_quietly
    from referee.bench.ring_mishaps import judge_amid_mishaps

    if min(args.mishaps, args.games) < 0 or not 0 <= args.hours <= 100:
        raise BadInputError("there can be no fewer than no mishaps and games, and up to a hundred hours of play")

    def in_time(one: Noticed) -> bool:
        named = one.told is not None and any(mishap.value == one.told for mishap in EXPECTED[one.kind])
        return named and one.after_s is not None and one.after_s <= IN_TIME_S

    rows: dict[str, Counter[str]] = {}
    for one in along(cause_mishaps(args.mishaps, args.seed), args.mishaps):
        verdict = "in time" if in_time(one) else "late" if one.told else "missed"
        rows.setdefault(one.kind, Counter())[verdict] += 1
        if args.json:
            print_line({"kind": one.kind, "what": one.what, "after_s": one.after_s, "told": one.told})
        elif verdict != "in time":
            say(f"{one.kind}, {one.what}: {one.told or 'nothing'}")
    played_s, alarms = 0.0, Counter[str]()
    for quiet in play_quietly(args.hours, args.seed + 1):
        played_s += quiet.seconds
        alarms.update(what for _, what in quiet.told)
    rulings: Counter[str] = Counter()
    for number in along(range(args.games), args.games):
        for one_ring in judge_amid_mishaps(2 + number % 4, 60, args.seed + number):
            rulings[one_ring.judged.verdict] += 1
            if one_ring.judged.verdict == "wrong":
                about = {"kind": one_ring.kind, "what": one_ring.what, "after_s": round(one_ring.after_s, 2)}
                print_line({**about, "offset_ms": one_ring.judged.offset_ms, **one_ring.judged.ruling})
    sums: dict[str, Any] = {
        kind: {key: row[key] for key in ("in time", "late", "missed")} for kind, row in rows.items()
    }
    hours = max(played_s / 3600, 1e-9)
    quiet_sums = {"hours": round(played_s / 3600, 3), "alarms": dict(alarms), "an_hour": sum(alarms.values()) / hours}
    summary = {
        "mishaps": sums,
        "play": quiet_sums,
        "rulings": {key: rulings[key] for key in ("right", "wrong", "unclear")},
        "yardsticks_a_frame": round(cost_a_frame(), 3),
    }
    if args.json:
        print_line({"summary": summary})
    else:
        for kind, row in sums.items():
            print(f"{kind:14}", ", ".join(f"{number} {key}" for key, number in row.items()))
        print(f"play           {quiet_sums['hours']} h, {sum(alarms.values())} false alarms {dict(alarms) or ''}")
        print("rulings       ", ", ".join(f"{rulings[key]} {key}" for key in ("right", "wrong", "unclear")))
        print(f"cost           {summary['yardsticks_a_frame']} yardsticks a frame")
    return 0


def _evening(args: argparse.Namespace) -> int:
    from dataclasses import asdict

    from referee.bench.evening import EveningSetting, evening_number, play_evening

    if args.evenings < 1:
        raise BadInputError(f"--evenings must be at least 1, not {args.evenings}")
    counts: Counter[str] = Counter()
    late: list[float] = []
    for number in along(range(args.evenings), args.evenings):
        setting: EveningSetting = evening_number(args.seed * 100 + number, heeded=not args.ignored)
        for game in play_evening(setting):
            counts.update(outcome for outcome, _ in game.outcomes)
            late += game.late_s
            if args.json:
                print_line({"evening": number, **asdict(game)})
                continue
            for outcome, said in game.outcomes:
                if outcome != "right":
                    say(f"evening {number}, {game.game} at {game.begun_s:.0f} s: {outcome}: {said}")
    summary = {key: counts[key] for key in ("right", "unclear", "wrong")}
    summary |= {
        "said_within_2_s": sum(one <= 2.0 for one in late),
        "said_later_or_never": sum(one > 2.0 for one in late),
    }
    print_line({"summary": summary}) if args.json else print(summary)
    return 1 if counts["wrong"] else 0
