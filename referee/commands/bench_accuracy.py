"""`ringmaster bench accuracy DIR`: pictures whose truth is known are read, and what was read is counted."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from referee.bench.figures import in_words, keep_figure
from referee.bench.picture_sets import contents_of
from referee.bench.report import print_line, print_sums, say
from referee.errors import BadInputError
from referee.output import complain
from referee.progress import along
from referee.words import list_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from referee.bench.truth import TruePicture
    from vision.prints.print_deck import PrintDeck


def run(args: argparse.Namespace) -> int:
    """Read the pictures and count.

    Raises:
        BadInputError: there are no such pictures, or one cannot be read.
    """
    from referee.bench.truth import load_truth

    pictures = [
        picture
        for picture in load_truth(args.folder)
        if args.only in picture.path.name or args.only in picture.scenario
    ]
    if not pictures:
        raise BadInputError(f"no picture in {args.folder} has {args.only!r} in its name or scene")
    return _find_all(args, pictures) if args.deck == "none" else _read_all(args, pictures)


def run_hands(args: argparse.Namespace) -> int:
    """Score the pictures, and count the hands that come out right.

    Raises:
        BadInputError: there are no such pictures, one cannot be read, or so many people sit at no table.
    """
    from referee.bench import hands
    from referee.bench.truth import load_truth
    from referee.decks.finding import find_deck
    from referee.games.coloretto.table_score import card_of, read_areas
    from referee.scoring.seated_reading import SeatedReading
    from referee.scoring.seats import MOST_PLAYERS
    from referee.scoring.unseen_cards import read_to_score
    from vision.errors import VisionError
    from vision.prints.print_deck import PrintDeck

    if not 1 <= args.players <= MOST_PLAYERS:
        raise BadInputError(f"--players must be 1 to {MOST_PLAYERS}, not {args.players}")
    deck, verdicts = find_deck(args.deck), []
    if isinstance(deck, PrintDeck) and deck.game == "piccolino":
        raise BadInputError(f"nobody has a hand of {deck.name}")

    def seated_in(image: NDArray[np.uint8]) -> SeatedReading:
        if isinstance(deck, PrintDeck):
            return read_areas(image, deck, None, args.players)[0]
        return read_to_score(image, deck, None, args.players)

    def counts_as(face: str) -> str:
        return (card_of(deck, face) if isinstance(deck, PrintDeck) and face in deck.by_id else None) or face

    pictures = load_truth(args.folder)
    for picture in along(pictures, len(pictures)):
        try:
            seated = seated_in(_load(picture))
        except (BadInputError, VisionError) as error:
            complain("bench", f"{picture.path.name}: not scored: {error}")
            continue
        for verdict in hands.judge_hands(picture, seated, counts_as):
            verdicts.append(verdict)
            if args.json:
                print_line(hands.hand_line(verdict))
            elif verdict.outcome != "right":
                say(
                    f"{verdict.picture}, seat {verdict.seat}: {verdict.outcome}, {verdict.sight};"
                    f" missed {list_of(verdict.missed) or 'none'}, too many {list_of(verdict.extra) or 'none'}"
                )
    _print_and_keep(args, hands.hand_summary(verdicts), hands.hand_table)
    return 0


def _read_all(args: argparse.Namespace, pictures: list[TruePicture]) -> int:
    from referee.bench import tally
    from referee.bench.accuracy import judge_pictures
    from referee.bench.failures import FailureBook
    from referee.bench.readers import read_picture
    from referee.decks.finding import find_deck
    from vision.prints.print_deck import PrintDeck

    deck = find_deck(args.deck)
    if isinstance(deck, PrintDeck):
        return _read_prints(args, pictures, deck)
    book = FailureBook(args.failures, deck) if args.failures else None
    verdicts = []
    for image, verdict in judge_pictures(along(pictures, len(pictures)), _load, read_picture, deck):
        verdicts.append(verdict)
        if book:
            book.add(image, verdict)
        if args.json:
            print_line(tally.picture_line(verdict))
    _print_and_keep(args, tally.summary(verdicts), tally.table)
    if book:
        drawn = book.close()
        if not args.json:
            print(f"failures drawn: {drawn}")
    return 0


def _read_prints(args: argparse.Namespace, pictures: list[TruePicture], deck: PrintDeck) -> int:
    from referee.bench import taught_failures, taught_tally, teaching
    from referee.bench.readers import reader_of

    verdicts = []
    known = frozenset(face.id for face in deck.fronts)
    named = [teaching.by_face(picture) for picture in pictures]
    for image, verdict in teaching.judge(list(along(named, len(named))), _load, reader_of(deck), known):
        verdicts.append(verdict)
        if args.failures:
            taught_failures.draw_failures(args.failures, image, verdict, deck)
        if args.json:
            print_line(taught_tally.picture_line(deck.name, verdict))
    _print_and_keep(args, taught_tally.summary(deck.name, None, verdicts), taught_tally.table)
    return 0


def _find_all(args: argparse.Namespace, pictures: list[TruePicture]) -> int:
    from time import perf_counter

    from referee.bench import finding
    from vision.unknown.unknown_deck import find_unknown_cards

    verdicts = []
    for picture in along(pictures, len(pictures)):
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
            print_line(finding.find_line(verdict))
    _print_and_keep(args, finding.find_summary(verdicts), finding.find_table)
    return 0


def _print_and_keep(args: argparse.Namespace, total: dict[str, Any], table: Callable[[dict[str, Any]], str]) -> None:
    print_sums(total, table, as_json=args.json)
    if args.keep:
        hands = args.what == "hands"
        sections = {"none": "Any deck", "piccolino": "Piccolino", "coloretto": "Coloretto", "everdeck": "Coloretto"}
        about = sections.get(args.deck, "Whole hands" if hands else "Confetti")
        more = f" --players {args.players} --deck {args.deck}" if hands else f" --deck {args.deck}"
        repeat = f"ringmaster bench {args.what} DIR{more}"
        keep_figure(about, args.keep, in_words(total), repeat, on=str(contents_of(args.folder)))


def _load(picture: TruePicture) -> NDArray[np.uint8]:
    import cv2
    import numpy as np

    image = cv2.imread(str(picture.path), cv2.IMREAD_COLOR)
    if image is None:
        raise BadInputError(f"{picture.path} is no picture that can be read")
    return np.asarray(image, dtype=np.uint8)
