"""`ringmaster score GAME --image PICTURE`: every player's score from a picture of the table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from referee.decks.finding import find_marked_deck, find_print_deck
from referee.decks.game_deck import check_plays
from referee.errors import BadInputError
from referee.evidence_picture import check_picture_path, write_picture
from referee.jsonlines import to_line
from referee.language import Language, language_of
from referee.output import Output, complain, for_people
from referee.seats import MOST_PLAYERS
from vision.image import load_picture
from vision.profile import TableProfile, load_profile

if TYPE_CHECKING:
    from referee.table_score import TableScore


def run(args: argparse.Namespace) -> int:
    """Score the picture; exit status 2 when a seat's hand could not be scored.

    Raises:
        BadInputError: an argument makes no sense, or too few markers are in sight.
        VisionError: the picture, the deck or the table profile cannot be used.
    """
    most = {"confetti": MOST_PLAYERS, "coloretto": 5}.get(args.game)
    if most is None:
        raise BadInputError(
            f"hands of {ascii(args.game)[:40]} cannot be scored from a picture, only those of confetti and coloretto"
        )
    if args.players is None:
        raise BadInputError("say how many players sit round the table, for example --players 3")
    if not 1 <= args.players <= most:
        raise BadInputError(f"--players must be from 1 to {most}, not {args.players}")
    if args.picture is not None:
        check_picture_path(args.picture, [args.image])
    return _score_confetti(args) if args.game == "confetti" else _score_coloretto(args)


def _score_confetti(args: argparse.Namespace) -> int:
    from referee.games.confetti.score import Overlimit
    from referee.table_score import score_picture

    deck = find_marked_deck("confetti" if args.deck is None else args.deck)
    profile = _profile(args.profile or (None if args.table is None else Path(args.table)))
    picture = load_picture(args.image)
    result = score_picture(
        picture, deck, profile, args.players, args.limit, side=args.side, overlimit=Overlimit(args.overlimit)
    )
    language = Language(language_of())
    _print(result, language, as_json=args.json)
    if args.picture is not None:
        write_picture(args.picture, result.drawn(picture, deck, language))
        if not args.json:
            print(for_people(f"Drawn in {args.picture}"))
    return 2 if result.faults else 0


def _score_coloretto(args: argparse.Namespace) -> int:
    from referee.coloretto_table import score_coloretto_picture
    from referee.games.coloretto.score import Table

    sides = [table.value for table in Table]
    if args.table is not None and args.table not in sides:
        raise BadInputError(f"--table says which side of the summary card counts: {' or '.join(sides)}")
    if args.side is not None:
        raise BadInputError("--side goes with Confetti: cards of Coloretto have one side")
    deck = find_print_deck("coloretto" if args.deck is None else args.deck)
    check_plays(deck, "coloretto")
    picture, profile = load_picture(args.image), _profile(args.profile)
    table = Table(args.table or Table.BROWN.value)
    result = score_coloretto_picture(picture, deck, profile, args.players, table)
    output, language = Output(), Language(language_of())
    for hand, (_, sentence) in zip(result.sharing.seats, result.sentences(language), strict=True):
        output.line(to_line(result.as_json(hand)) if args.json else sentence)
    output.flush()
    for remark in result.remarks:
        complain("score", remark)
    if args.picture is not None:
        write_picture(args.picture, result.drawn(picture.image, language))
        if not args.json:
            print(for_people(f"Drawn in {args.picture}"))
    return 0


def _profile(path: Path | None) -> TableProfile | None:
    return None if path is None else load_profile(path)


def _print(result: TableScore, language: Language, *, as_json: bool) -> None:
    output = Output()
    if as_json:
        for hand in result.sharing.seats:
            if hand.seat in result.scores:
                output.line(to_line(result.as_json(hand)))
    else:
        for seat, sentence in result.sentences(language):
            if seat not in result.faults:
                output.line(sentence)
    output.flush()
    for remark in result.remarks:
        complain("score", remark)
    for seat, fault in result.faults.items():
        complain("score", f"seat {seat if as_json else seat + 1}: {fault}")
