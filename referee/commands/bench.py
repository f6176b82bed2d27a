"""`ringmaster bench`: how fast and how well cards are read."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.errors import BadInputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from referee.bench.truth import TruePicture

SUMMARY = "Measure how fast and how well Ringmaster reads."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `bench`."""
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    accuracy = kinds.add_parser("accuracy", help="read pictures whose truth is known, and count")
    accuracy.add_argument("folder", metavar="DIR", type=Path, help="pictures with truth files beside them")
    accuracy.add_argument("--deck", default="confetti", help="the deck on the pictures, or none for any deck")
    accuracy.add_argument("--only", metavar="TEXT", default="", help="only pictures whose name or scene has TEXT in it")
    accuracy.add_argument("--json", action="store_true", help="a line a picture and a last one with the sums")
    accuracy.add_argument("--failures", metavar="OUTDIR", type=Path, help="draw every failure into this folder")
    accuracy.set_defaults(bench=_accuracy)
    speed = kinds.add_parser("speed", help="time the reader against a yardstick on this machine")
    speed.add_argument("images", metavar="IMAGE", nargs="*", type=Path, help="pictures to read instead of drawn ones")
    speed.add_argument("--runs", metavar="N", type=int, default=5, help="runs of each measurement (default 5)")
    speed.add_argument("--json", action="store_true", help="a line a measurement")
    speed.set_defaults(bench=_speed)
    crash = kinds.add_parser("crash", help="kill the referee at random instants and hold its journal to its word")
    crash.add_argument("--kills", metavar="N", type=int, default=300, help="how often it is killed (default 300)")
    crash.add_argument("--forgetful", action="store_true", help="on storage that drops what was not synced")
    crash.add_argument("--seed", metavar="N", type=int, default=1, help="of games, instants and lost writes")
    crash.add_argument("--json", action="store_true", help="the verdict as one JSON object")
    crash.set_defaults(bench=_crash)
    pages = kinds.add_parser("pages", help="what pages that watch cost the rulings")
    pages.add_argument("--pages", metavar="N", type=int, default=100, help="pages that watch (default 100)")
    pages.add_argument(
        "--stalled", metavar="N", type=int, default=20, help="of them, such as take nothing (default 20)"
    )
    pages.add_argument("--rings", metavar="N", type=int, default=200, help="rings with and without them (default 200)")
    pages.add_argument("--json", action="store_true", help="a line a measurement")
    pages.set_defaults(bench=_pages)


def run(args: argparse.Namespace) -> int:
    """Run one bench."""
    status: int = args.bench(args)
    return status


def _accuracy(args: argparse.Namespace) -> int:
    from referee.bench.truth import load_truth

    pictures = [
        picture
        for picture in load_truth(args.folder)
        if args.only in picture.path.name or args.only in picture.scenario
    ]
    if not pictures:
        raise BadInputError(f"no picture in {args.folder} has {args.only!r} in its name or scene")
    return _find_all(args, pictures) if args.deck == "none" else _read_all(args, pictures)


def _read_all(args: argparse.Namespace, pictures: list[TruePicture]) -> int:
    from referee.bench import tally
    from referee.bench.accuracy import judge_pictures
    from referee.bench.failures import FailureBook
    from referee.bench.readers import read_picture
    from vision.deck import load_deck

    deck = load_deck(args.deck)
    book = FailureBook(args.failures, deck) if args.failures else None
    verdicts = []
    for image, verdict in judge_pictures(pictures, _load, read_picture, deck):
        verdicts.append(verdict)
        if book:
            book.add(image, verdict)
        if args.json:
            _print_line(tally.picture_line(verdict))
    total = tally.summary(verdicts)
    if args.json:
        _print_line({"summary": total})
    else:
        print(tally.table(total))
        if book:
            print(f"failures drawn: {book.close()}")
    if book and args.json:
        book.close()
    return 0


def _find_all(args: argparse.Namespace, pictures: list[TruePicture]) -> int:
    from time import perf_counter

    from referee.bench import finding
    from vision.unknown_deck import find_unknown_cards

    verdicts = []
    for picture in pictures:
        image = _load(picture)
        start = perf_counter()
        cards = [
            finding.FoundCard(card.corners_px, [(mark.colour, mark.centre_px) for mark in card.marks])
            for card in find_unknown_cards(image).cards
        ]
        ms = (perf_counter() - start) * 1000
        verdict = finding.judge_found(picture, cards, ms)
        verdicts.append(verdict)
        if args.failures:
            finding.draw_found(args.failures, image, verdict)
        if args.json:
            _print_line(finding.find_line(verdict))
    total = finding.find_summary(verdicts)
    if args.json:
        _print_line({"summary": total})
    else:
        print(finding.find_table(total))
    return 0


def _load(picture: TruePicture) -> NDArray[np.uint8]:
    import cv2
    import numpy as np

    image = cv2.imread(str(picture.path), cv2.IMREAD_COLOR)
    if image is None:
        raise BadInputError(f"{picture.path} is no picture that can be read")
    return np.asarray(image, dtype=np.uint8)


def _print_line(line: dict[str, Any]) -> None:
    print(json.dumps(line, ensure_ascii=False), flush=True)


def _speed(args: argparse.Namespace) -> int:
    from referee.bench.speed import measure_all, report_header, report_line

    if args.runs < 1:
        raise BadInputError(f"--runs must be at least 1, not {args.runs}")
    if not args.json:
        print(report_header())
    for measurement in measure_all(args.images, args.runs):
        if args.json:
            _print_line(measurement.as_json())
        else:
            print(report_line(measurement), flush=True)
    return 0


def _crash(args: argparse.Namespace) -> int:
    import tempfile

    from referee.bench.crash import crash_often

    if args.kills < 1:
        raise BadInputError(f"--kills must be at least 1, not {args.kills}")
    with tempfile.TemporaryDirectory(prefix="ringmaster-crash-") as folder:
        verdict = crash_often(args.kills, args.seed, forgetful=args.forgetful, folder=Path(folder))
    if args.json:
        _print_line(verdict.as_json())
    else:
        print(verdict.in_words())
    return 1 if verdict.faults else 0


def _pages(args: argparse.Namespace) -> int:
    from referee.bench.pages import Setting, measure_pages
    from referee.bench.speed import report_header, report_line

    if not 0 <= args.stalled < args.pages <= 200 or args.rings < 1:
        raise BadInputError("there can be 1 to 200 pages, not all of them stalled, and one ring or more")
    if not args.json:
        print(report_header())
    for measurement in measure_pages(Setting(args.pages, args.stalled, args.rings)):
        if args.json:
            _print_line(measurement.as_json())
        else:
            print(report_line(measurement), flush=True)
    return 0
