"""`ringmaster score confetti --image PICTURE`: every player's score from a picture of the table."""

from __future__ import annotations

import argparse

from referee.decks.finding import find_marked_deck
from referee.errors import BadInputError
from referee.evidence_picture import check_picture_path, write_picture
from referee.games.confetti_hand import Overlimit
from referee.jsonlines import to_line
from referee.output import Output, complain
from referee.seats import MOST_PLAYERS
from referee.table_score import TableScore, score_picture
from vision.image import load_picture
from vision.profile import load_profile


def run(args: argparse.Namespace) -> int:
    """Score the picture; exit status 2 when a seat's hand could not be scored.

    Raises:
        BadInputError: an argument makes no sense, or too few markers are in sight.
        VisionError: the picture, the deck or the table profile cannot be used.
    """
    if args.game != "confetti":
        raise BadInputError(f"hands of {ascii(args.game)[:40]} cannot be scored from a picture, only those of confetti")
    if args.players is None:
        raise BadInputError("say how many players sit round the table, for example --players 3")
    if not 1 <= args.players <= MOST_PLAYERS:
        raise BadInputError(f"--players must be from 1 to {MOST_PLAYERS}, not {args.players}")
    if args.picture is not None:
        check_picture_path(args.picture, [args.image])
    deck = find_marked_deck("confetti" if args.deck is None else args.deck)
    profile = None if args.table is None else load_profile(args.table)
    picture = load_picture(args.image)
    result = score_picture(
        picture, deck, profile, args.players, args.limit, side=args.side, overlimit=Overlimit(args.overlimit)
    )
    _print(result, as_json=args.json)
    if args.picture is not None:
        write_picture(args.picture, result.drawn(picture, deck))
        if not args.json:
            print(f"Drawn in {args.picture}")
    return 2 if result.faults else 0


def _print(result: TableScore, *, as_json: bool) -> None:
    output = Output()
    if as_json:
        for hand in result.sharing.seats:
            if hand.seat in result.scores:
                output.line(to_line(result.as_json(hand)))
    else:
        for seat, sentence in result.sentences():
            if seat not in result.faults:
                output.line(sentence)
    output.flush()
    for remark in result.remarks:
        complain("score", remark)
    for seat, fault in result.faults.items():
        complain("score", f"seat {seat if as_json else seat + 1}: {fault}")
