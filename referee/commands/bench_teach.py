"""`ringmaster bench teach DIR`: decks are taught from some pictures, others are read, and what was read is counted."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from referee.bench.report import print_line, print_sums
from referee.output import complain
from referee.progress import along

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from referee.bench.taught_decks import DeckToTeach
    from referee.bench.truth import TruePicture


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `bench teach`."""
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="a deck with teach and test, or a folder of such decks"
    )
    parser.add_argument(
        "--only", metavar="TEXT", default="", help="only test pictures with TEXT in their name or scene"
    )
    parser.add_argument("--half", action="store_true", help="teach from every second picture only")
    parser.add_argument("--strangers", action="store_true", help="forget every second face before reading")
    parser.add_argument("--others", metavar="DIR", type=Path, help="read the test pictures of this other deck, too")
    parser.add_argument("--lesson", action="store_true", help="only teach, and read nothing")
    parser.add_argument("--json", action="store_true", help="a line a picture, and one a deck with the sums")
    parser.add_argument("--failures", metavar="OUTDIR", type=Path, help="draw every failure into this folder")
    parser.set_defaults(bench=run)


def run(args: argparse.Namespace) -> int:
    """Teach, read and count; exit status 1 where a deck could not be taught.

    Raises:
        BadInputError: there are no decks, or a truth is broken.
    """
    from referee.bench.taught_decks import decks_in
    from vision.errors import VisionError

    decks = decks_in(args.folder)
    others = [picture for deck in decks_in(args.others) for picture in deck.test] if args.others else []
    status = 0
    for deck in decks:
        try:
            _one(args, deck, others)
        except VisionError as error:
            complain("bench", f"{deck.name}: {error}")
            status = 1
    return status


def _one(args: argparse.Namespace, deck: DeckToTeach, others: Sequence[TruePicture]) -> None:
    from referee.bench import taught_failures, taught_tally, teaching
    from referee.bench.readers import reader_of
    from referee.decks.teach import learn_either

    lesson_pictures = teaching.half_of(deck.teach) if args.half else deck.teach
    lesson, verdict = teaching.teach(deck, lesson_pictures, learn_either)
    if args.failures:
        taught_failures.draw_faces(args.failures / deck.name, lesson)
    if args.strangers:
        lesson = teaching.but_every_second_face(lesson)
    taught = teaching.taught_faces(lesson.deck)
    verdicts = []
    if not args.lesson:
        chosen = [p for p in deck.test if args.only in p.path.name or args.only in p.scenario]
        strange = [_strange(picture) for picture in others]
        pictures = [*chosen, *strange]
        for image, judged in along(teaching.judge(pictures, _load, reader_of(lesson.deck), taught), len(pictures)):
            verdicts.append(judged)
            if args.failures:
                taught_failures.draw_failures(args.failures / deck.name, image, judged, lesson.deck)
            if args.json:
                print_line(taught_tally.picture_line(deck.name, judged))
    print_sums(taught_tally.summary(deck.name, verdict, verdicts), taught_tally.table, as_json=args.json)


def _strange(picture: TruePicture) -> TruePicture:
    """A picture of another deck: whatever its faces are called, none of them was taught."""
    from dataclasses import replace

    cards = tuple(replace(card, face=f"another deck's {card.face}") for card in picture.cards)
    return replace(picture, scenario="another deck", cards=cards)


def _load(picture: TruePicture) -> NDArray[np.uint8]:
    from vision.image import load_image

    return load_image(picture.path)
