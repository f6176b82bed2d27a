"""`ringmaster bench`: how fast and how well cards are read; `tools/bench` of the sources measures much more."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from referee.errors import BadInputError
from referee.progress import along, at_work, wipe

SUMMARY = "measure how fast and how well Ringmaster reads"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `bench`."""
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    accuracy = kinds.add_parser("accuracy", help="read pictures whose truth is known, and count")
    accuracy.add_argument("folder", metavar="DIR", type=Path, help="pictures with truth files beside them")
    accuracy.add_argument("--deck", default="confetti", help="the deck on the pictures, or none for any deck")
    accuracy.add_argument("--only", metavar="TEXT", default="", help="only pictures whose name or scene has TEXT in it")
    accuracy.add_argument("--json", action="store_true", help="a line a picture and a last one with the sums")
    accuracy.set_defaults(bench=_accuracy)
    speed = kinds.add_parser("speed", help="time the reader against a yardstick on this machine")
    speed.add_argument("images", metavar="IMAGE", nargs="*", type=Path, help="pictures instead of the drawn ones")
    speed.add_argument("--runs", metavar="N", type=int, default=5, help="runs of each measurement (default 5)")
    speed.add_argument("--json", action="store_true", help="a line a measurement")
    speed.set_defaults(bench=_speed)


def run(args: argparse.Namespace) -> int:
    """Run one bench."""
    with at_work():
        status: int = args.bench(args)
    return status


def _accuracy(args: argparse.Namespace) -> int:
    from referee.accuracy import OUTCOMES, judge, load_truth, reader_of, summary
    from referee.decks.finding import find_deck
    from vision.image import load_image

    pictures = [one for one in load_truth(args.folder) if args.only in one.path.name or args.only in one.scenario]
    if not pictures:
        raise BadInputError(f"no picture in {args.folder} has {args.only!r} in its name or scene")
    read, known = reader_of(None if args.deck == "none" else find_deck(args.deck))
    verdicts = []
    for picture in along(pictures, len(pictures)):
        verdict = judge(picture, read(load_image(picture.path)), known)
        verdicts.append(verdict)
        if args.json:
            print(json.dumps(verdict.as_json()), flush=True)
    wipe()
    sums = summary(verdicts)
    if args.json:
        print(json.dumps({"summary": sums}))
        return 0
    print(f"{'cards':<18}" + "".join(f"{outcome:>9}" for outcome in OUTCOMES))
    for group, counts in sums["groups"].items():
        print(f"{group:<18}" + "".join(f"{counts[outcome]:>9}" for outcome in OUTCOMES))
    print(f"cards read where there is none: {sums['false']} in {sums['pictures']} pictures")
    return 0


def _speed(args: argparse.Namespace) -> int:
    from referee.speed import measure_reading

    if args.runs < 1:
        raise BadInputError(f"--runs must be at least 1, not {args.runs}")
    for one in measure_reading(args.images, args.runs):
        if args.json:
            print(json.dumps({**asdict(one), "value": round(one.value, 3)}), flush=True)
        else:
            bound = "" if one.target is None else f"at most {one.target:g}"
            print(f"{one.name:<32}{one.value:>9.4g} {one.unit:<12}{bound:<14}{one.note}".rstrip(), flush=True)
    return 0
