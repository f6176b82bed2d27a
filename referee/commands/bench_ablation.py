"""`ringmaster bench ablation` and `bench tune`: what each rule of the readers earns, and each value of a threshold."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from referee.bench.report import print_line
from referee.errors import BadInputError
from referee.output import complain
from referee.progress import along

if TYPE_CHECKING:
    from referee.bench.ablation import Earned, PictureSet

_SWEEP = (0.5, 0.7, 0.85, 1.2, 1.4, 2.0)  # times what it is
_HEAD = f"{'plain':>7}{'covered':>9}{'wrong':>7}{'unsaid':>8}{'false':>7}{'yardsticks':>12}"


def add_kinds(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add these benches to the others."""
    ablation = kinds.add_parser("ablation", help="read pictures without one rule at a time, and count")
    tune = kinds.add_parser("tune", help="read pictures with other values of one threshold, and count")
    tune.add_argument("threshold", metavar="NAME", help="where it stands: vision.marked.scoring.SURE")
    for parser in (ablation, tune):
        parser.add_argument(
            "folders",
            metavar="DIR",
            type=Path,
            nargs="+",
            help="pictures with truth files beside them, or decks with teach and test",
        )
        parser.add_argument(
            "--deck", default="confetti", help="what lies in pictures that are none of a deck to teach; none: any cards"
        )
        parser.add_argument(
            "--harder", action="store_true", help="also with a cast, too bright, dark, blurred, and by half of the deck"
        )
        parser.add_argument("--every", metavar="N", type=int, default=1, help="only every N-th picture")
        parser.add_argument("--json", action="store_true", help="a line a reading of all; the first one is as it is")
    ablation.add_argument("--rule", metavar="NAME", action="append", help="only without this one; may be repeated")
    tune.add_argument("--to", metavar="VALUE", type=float, action="append", help="such a value; may be repeated")
    ablation.set_defaults(bench=_ablation)
    tune.set_defaults(bench=_tune)


def _ablation(args: argparse.Namespace) -> int:
    from referee.bench.ablation import earned_without
    from referee.bench.rules import READERS, RULES

    unknown = sorted(set(args.rule or ()) - {rule.name for rule in RULES})
    if unknown:
        raise BadInputError(f"there is no rule {unknown[0]!r}: there are {', '.join(sorted({r.name for r in RULES}))}")
    sets = _sets(args)
    read_by = {reader: [some for some in sets if reader in some.readers] for reader in READERS}
    rules = [rule for rule in RULES if read_by[rule.reader] and rule.name in (args.rule or [rule.name])]
    if not rules:
        raise BadInputError("nothing in these pictures goes by that rule")
    whole: dict[str, Earned] = {}
    for rule in along(rules, len(rules)):
        own = read_by[rule.reader]
        if rule.reader not in whole:
            whole[rule.reader] = earned_without(own, None)
            _say_whole(args, READERS[rule.reader], whole[rule.reader], f"{'without':<28}{_HEAD}{'lines':>7}")
        earned = earned_without(own, rule)
        if args.json:
            print_line({"reader": rule.reader, "rule": rule.name, **earned.as_json(), "lines": rule.lines})
        else:
            print(f"{rule.name:<28}{_beside(earned, whole[rule.reader])}{rule.lines:>7}", flush=True)
    return 0


def _tune(args: argparse.Namespace) -> int:
    from referee.bench.ablation import earned_at, earned_without, threshold_now

    now = threshold_now(args.threshold)
    sets = _sets(args)
    whole = earned_without(sets, None)
    _say_whole(args, f"{args.threshold} = {now:g}", whole, f"{'value':<28}{_HEAD}")
    values = args.to or [now * times for times in _SWEEP]
    for value in along(values, len(values)):
        earned = earned_at(sets, args.threshold, value)
        if args.json:
            print_line({"value": value, **earned.as_json()})
        else:
            print(f"{value:<28g}{_beside(earned, whole)}", flush=True)
    return 0


def _sets(args: argparse.Namespace) -> list[PictureSet]:
    from referee.bench.ablation import made_harder, sets_in
    from referee.decks.finding import find_deck
    from vision.deck import Deck
    from vision.errors import VisionError

    if args.every < 1:
        raise BadInputError(f"--every must be at least 1, not {args.every}")
    deck = None if args.deck == "none" else find_deck(args.deck)
    if deck is not None and not isinstance(deck, Deck):
        raise BadInputError(f"marks do not tell the cards of {deck.name} apart: give a folder to teach it from")
    sets: list[PictureSet] = []
    for folder in args.folders:
        try:
            sets += sets_in(folder, deck)
        except VisionError as error:
            complain("bench", f"{folder}: {error}")
    if not sets:
        raise BadInputError("no picture is left to read")
    if args.harder:
        sets += list(made_harder(sets))
    return [replace(some, pictures=some.pictures[:: args.every]) for some in sets]


def _say_whole(args: argparse.Namespace, what: str, whole: Earned, head: str) -> None:
    if args.json:
        print_line({"all": what, **whole.as_json()})
        return
    print(
        f"{what}: {whole.plain} of {whole.plain_of} plain cards, {whole.covered} of {whole.covered_of} covered, "
        f"{whole.wrong} wrong, {whole.unsaid} unsaid, {whole.false} false, {whole.yardsticks} yardsticks a picture"
    )
    print(head)


def _beside(earned: Earned, whole: Earned) -> str:
    """By how much counts are other than those of all rules."""
    counts = f"{earned.plain - whole.plain:>+7}{earned.covered - whole.covered:>+9}"
    counts += f"{earned.wrong - whole.wrong:>+7}{earned.unsaid - whole.unsaid:>+8}{earned.false - whole.false:>+7}"
    return f"{counts}{earned.yardsticks - whole.yardsticks:>+12.1f}"
