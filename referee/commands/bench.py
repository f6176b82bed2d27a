"""`ringmaster bench`: how fast and how well cards are read."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from referee.arguments import seed
from referee.bench.figures import KEPT, PAGE, keep_figure
from referee.bench.report import print_line, print_measurements
from referee.commands import (
    bench_ablation,
    bench_blind,
    bench_club,
    bench_coloretto,
    bench_guard,
    bench_piccolino,
    bench_sets,
    bench_teach,
    bench_torn,
)
from referee.errors import BadInputError
from referee.output import complain
from referee.progress import along, at_work

SUMMARY = "measure how fast and how well Ringmaster reads"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `bench`."""
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    accuracy = kinds.add_parser("accuracy", help="read pictures whose truth is known, and count")
    accuracy.add_argument("folder", metavar="DIR", type=Path, help="pictures with truth files beside them")
    accuracy.add_argument("--deck", default="confetti", help="the deck on the pictures, or none for any deck")
    accuracy.add_argument("--only", metavar="TEXT", default="", help="only pictures whose name or scene has TEXT in it")
    accuracy.add_argument("--json", action="store_true", help="a line a picture and a last one with the sums")
    accuracy.add_argument("--failures", metavar="OUTDIR", type=Path, help="draw every failure into this folder")
    _add_keep(accuracy)
    accuracy.set_defaults(bench=_accuracy)
    hands = kinds.add_parser("hands", help="score tables whose truth is known, and count the hands that come out right")
    hands.add_argument("folder", metavar="DIR", type=Path, help="pictures with truth files beside them")
    hands.add_argument("--players", metavar="N", type=int, default=3, help="people round the table (default 3)")
    hands.add_argument("--deck", default="confetti", help="the deck on the pictures: Confetti's or Coloretto's")
    hands.add_argument("--json", action="store_true", help="a line a hand and a last one with the sums")
    _add_keep(hands)
    hands.set_defaults(bench=_hands)
    speed = kinds.add_parser("speed", help="time the reader against a yardstick on this machine")
    speed.add_argument("images", metavar="IMAGE", nargs="*", type=Path, help="pictures instead of the built-in ones")
    speed.add_argument("--runs", metavar="N", type=int, default=5, help="runs of each measurement (default 5)")
    speed.add_argument("--json", action="store_true", help="a line a measurement")
    _add_keep(speed)
    speed.set_defaults(bench=_speed)
    report = kinds.add_parser("report", help="write the page on accuracy from the figures that benches keep")
    report.add_argument("--figures", metavar="FILE", type=Path, default=KEPT, help=f"the figures (default {KEPT})")
    report.add_argument("-o", "--output", metavar="FILE", type=Path, default=PAGE, help=f"the page (default {PAGE})")
    report.set_defaults(bench=_report)
    timing = kinds.add_parser("time", help="how soon presses and frames are known")
    timing.add_argument("--camera", metavar="CAMERA", default="simulated", help="simulated (default), picamera2, usb:0")
    timing.add_argument("--pins", choices=("simulated", "gpio"), default="simulated", help="gpio: ring yourself")
    timing.add_argument("--presses", metavar="N", type=int, default=100, help="of the simulated bell (default 100)")
    timing.add_argument("--seconds", metavar="N", type=float, default=30.0, help="how long to listen to real lines")
    timing.add_argument("--json", action="store_true", help="a line a measurement")
    timing.set_defaults(bench=_time)
    memory = kinds.add_parser("memory", help="whether memory stays flat over an evening of simulated games")
    memory.add_argument("--minutes", metavar="N", type=float, default=30.0, help="of simulated play (default 30)")
    memory.add_argument("--json", action="store_true", help="a line a sample, and one with the slope")
    memory.set_defaults(bench=_memory)
    crash = kinds.add_parser("crash", help="kill the referee at random instants and hold its journal to its word")
    crash.add_argument("--kills", metavar="N", type=int, default=300, help="how often it is killed (default 300)")
    crash.add_argument("--forgetful", action="store_true", help="on storage that drops what was not synced")
    crash.add_argument("--seed", metavar="N", type=seed, default=1, help="of games, instants and lost writes")
    crash.add_argument("--json", action="store_true", help="the verdict as one JSON object")
    crash.set_defaults(bench=_crash)
    pages = kinds.add_parser("pages", help="what pages that watch cost the rulings")
    pages.add_argument("--pages", metavar="N", type=int, default=100, help="pages that watch (default 100)")
    pages.add_argument(
        "--stalled", metavar="N", type=int, default=20, help="of them, such as take nothing (default 20)"
    )
    pages.add_argument("--rings", metavar="N", type=int, default=200, help="rings with and without them (default 200)")
    pages.add_argument("--browsers", action="store_true", help="with two real browsers instead (needs Chromium)")
    pages.add_argument("--json", action="store_true", help="a line a measurement")
    pages.set_defaults(bench=_pages)
    verdict = kinds.add_parser("verdict", help="how soon a ring at Piccolino is ruled, and what watching costs")
    verdict.add_argument(
        "--turns", metavar="N", type=int, default=30, help="cards turned, two rings round each besides the players'"
    )
    verdict.add_argument("--json", action="store_true", help="a line a measurement")
    bench_piccolino.add_deck(verdict)
    verdict.set_defaults(bench=_verdict)
    rulings = kinds.add_parser("rulings", help="rule rings round each card of drawn games of Piccolino, and count")
    rulings.add_argument("--games", metavar="N", type=int, default=4, help="for two to five players in turn")
    rulings.add_argument("--turns", metavar="N", type=int, default=32, help="cards turned a game, eight rings each")
    rulings.add_argument("--seed", metavar="N", type=seed, default=1, help="another number plays other games")
    rulings.add_argument("--json", action="store_true", help="a line a ring that was not right, and the sums")
    bench_piccolino.add_deck(rulings)
    rulings.set_defaults(bench=_rulings)
    bench_piccolino.add_kinds(kinds)
    bench_torn.add_kind(kinds)
    bench_ablation.add_kinds(kinds)
    bench_sets.add_kinds(kinds)
    bench_blind.add_kinds(kinds)
    bench_teach.add_arguments(kinds.add_parser("teach", help="teach decks whose truth is known, read them, and count"))
    bench_guard.add_kinds(kinds)
    bench_club.add_kinds(kinds)
    bench_coloretto.add_kinds(kinds)


def _add_keep(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep", metavar="SET", help=f"keep the figure in {KEPT} as that of this set")


def run(args: argparse.Namespace) -> int:
    """Run one bench."""
    with at_work():
        status: int = args.bench(args)
    return status


def _accuracy(args: argparse.Namespace) -> int:
    from referee.commands import bench_accuracy

    return bench_accuracy.run(args)


def _hands(args: argparse.Namespace) -> int:
    from referee.commands import bench_accuracy

    return bench_accuracy.run_hands(args)


def _speed(args: argparse.Namespace) -> int:
    from referee.bench.measurement import Measurement
    from referee.bench.speed import measure_all

    if args.runs < 1:
        raise BadInputError(f"--runs must be at least 1, not {args.runs}")
    measured = []

    def each() -> Iterator[Measurement]:
        for one in measure_all(args.images, args.runs):
            measured.append(one)
            yield one

    print_measurements(each(), as_json=args.json)
    for one in measured if args.keep else ():
        if one.value is not None and one.target is not None:
            figure = f"{one.value:.4g} {one.unit}"
            keep_figure("Speed", f"{args.keep}: {one.name}", figure, "ringmaster bench speed", met=one.met)
    return 1 if any(one.is_bound and not one.met for one in measured) else 0


def _report(args: argparse.Namespace) -> int:
    from referee.bench.figures import MOST_LINES, load_figures

    page = load_figures(args.figures).page()
    args.output.write_text(page, encoding="utf-8")
    lines = page.count("\n")
    print(f"{args.output}: {lines} lines")
    if lines > MOST_LINES:
        complain("bench", f"the page has more than {MOST_LINES} lines, which nobody reads: let figures or failures go")
    return 1 if lines > MOST_LINES else 0


def _crash(args: argparse.Namespace) -> int:
    import tempfile

    from referee.bench.crash import crash_often

    if args.kills < 1:
        raise BadInputError(f"--kills must be at least 1, not {args.kills}")
    with tempfile.TemporaryDirectory(prefix="ringmaster-crash-") as folder:
        verdict = crash_often(args.kills, args.seed, forgetful=args.forgetful, folder=Path(folder))
    if args.json:
        print_line(verdict.as_json())
    else:
        print(verdict.in_words())
    return 1 if verdict.faults else 0


def _pages(args: argparse.Namespace) -> int:
    from referee.bench.pages import Setting, measure_pages

    if not 0 <= args.stalled < args.pages <= 200 or args.rings < 1:
        raise BadInputError("there can be 1 to 200 pages, not all of them stalled, and one ring or more")
    if args.browsers:
        from referee.bench.browsers import measure_browsers

        found = measure_browsers(args.rings)
    else:
        found = measure_pages(Setting(args.pages, args.stalled, args.rings))
    print_measurements(found, as_json=args.json)
    return 0


def _time(args: argparse.Namespace) -> int:
    from hardware.camera.camera import parse_spec
    from referee.bench.time import SIMULATED, TimeSetup, measure_time, measurements

    if args.presses < 1 or not 0 < args.seconds < 3600:
        raise BadInputError("at least one press, and between nothing and an hour, can be listened to")
    if args.camera != SIMULATED:
        parse_spec(args.camera)
    setup = TimeSetup(args.camera, args.pins, args.presses, args.seconds)
    delays = measure_time(setup)
    print_measurements(measurements(delays, setup.size), as_json=args.json)
    for trouble in dict.fromkeys(delays.troubles):
        complain("bench", trouble)
    return 0 if delays.pressed and delays.frames else 1


def _memory(args: argparse.Namespace) -> int:
    from referee.bench.memory import MOST_MB_IN_TEN_MINUTES, evening, slope_mb_in_ten_minutes

    if not 0 < args.minutes <= 24 * 60:
        raise BadInputError(f"an evening does not have {args.minutes} minutes")
    samples = []
    for sample in evening(args.minutes):
        samples.append(sample)
        if args.json:
            print_line({"minutes": round(sample.minutes, 1), "resident_mb": round(sample.resident_mb, 2)})
        else:
            print(f"{sample.minutes:6.1f} min {sample.resident_mb:8.1f} MB", flush=True)
    slope = slope_mb_in_ten_minutes(samples)
    met = None if slope is None else slope <= MOST_MB_IN_TEN_MINUTES
    if args.json:
        print_line({"slope_mb_in_ten_minutes": slope, "target": MOST_MB_IN_TEN_MINUTES, "met": met})
    elif slope is None:
        print("too short an evening to tell whether memory grows")
    else:
        verdict = "met" if met else "NOT met"
        print(f"memory grows by {slope:.2f} MB in ten minutes (at most {MOST_MB_IN_TEN_MINUTES:g}: {verdict})")
    return 0


def _verdict(args: argparse.Namespace) -> int:
    from referee.bench.clown_decks import chosen_decks
    from referee.bench.verdict import measure_verdict

    if args.turns < 5:
        raise BadInputError(f"--turns must be at least 5, for more than the first round, not {args.turns}")
    print_measurements(measure_verdict(args.turns, decks=chosen_decks(args)), as_json=args.json)
    return 0


def _rulings(args: argparse.Namespace) -> int:
    from collections import Counter

    from referee.bench.clown_decks import chosen_decks
    from referee.bench.rulings import judge_rulings

    if args.games < 1 or args.turns < 1:
        raise BadInputError("--games and --turns must be at least 1")
    decks = chosen_decks(args)
    tally: Counter[str] = Counter()
    for number in along(range(args.games), args.games):
        players, seed = 2 + number % 4, args.seed + number
        for judged in judge_rulings(players, args.turns, seed, decks=decks):
            tally[judged.verdict] += 1
            tally["valid"] += bool(judged.ruling.get("valid"))
            if judged.verdict != "right":
                game = {"players": players, "seed": seed, "offset_ms": judged.offset_ms}
                print_line({"verdict": judged.verdict, **game, **judged.ruling})
    sums = {key: tally[key] for key in ("right", "wrong", "unclear", "valid")}
    print(json.dumps({"summary": sums}) if args.json else ", ".join(f"{count} {key}" for key, count in sums.items()))
    return 1 if tally["wrong"] else 0
