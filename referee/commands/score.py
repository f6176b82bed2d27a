"""`ringmaster score GAME`: scores hands from standard input, or from a picture of the table."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError, WorkFailedError
from referee.games.kind import ScoreAsked, ScoreImage, Scoring
from referee.games.registry import GAMES
from referee.jsonlines import Line, batches, parse_object, to_line
from referee.language import Language, language_of
from referee.output import Output, complain, for_people
from referee.phrases import phrase

DEFAULT_LIMIT = 6
SIDES = ("brown", "grey")
_OF_PICTURES = ("deck", "side", "table", "picture")


@click.command(help=COMMANDS["score"])
@click.argument("game", metavar="GAME", shell_complete=options.games_from, help="confetti or coloretto")
@options.as_json("answer in JSON, one object a line")
@options.language
@click.option(
    "--overlimit",
    type=click.Choice(("separate", "once")),
    default="separate",
    help="Confetti: charge a card that is unused and above the limit twice or once, where a hand does not say",
)
@click.option(
    "--limit",
    type=int,
    default=DEFAULT_LIMIT,
    metavar="N",
    help="Confetti: the most cards in this round, where a hand does not say",
)
@click.option(
    "--scoring",
    type=click.Choice(SIDES),
    show_default="brown",
    help="Coloretto: the side of the summary card that counts, where a hand does not say",
)
@click.option("--image", type=options.FILE, metavar="PICTURE", help="a picture of the table, instead of hands")
@click.option("--players", type=int, metavar="N", help="with --image: how many seats there are round the table")
@options.deck("with --image: the deck on the table", show_default="the game's own")
@click.option(
    "--side",
    type=click.Choice(("white", "black")),
    show_default="the one that most cards show",
    help="with --image: the side that is played",
)
@click.option(
    "--table",
    type=options.NAME_OF_FILE,
    metavar="PROFILE",
    help="with --image: the table's profile, instead of its markers",
)
@click.option(
    "--picture", type=options.FILE, metavar="OUT", help="with --image: draw the score into a copy of the picture"
)
def command(
    game: str,
    image: Path | None,
    players: int | None,
    table: str | None,
    scoring: str | None,
    **given: Any,  # noqa: ANN401
) -> int:
    """Score hands or a picture; exit status 2 when a line could not be scored.

    Raises:
        BadInputError: there is no such game, or an argument is invalid.
    """
    if given["limit"] < 0:
        raise BadInputError("error.limit_must_be_at_least")
    kind = _scoring(game)
    if game == "coloretto" and table in SIDES:
        # `--table brown` is the older form of `--scoring brown`.
        scoring, table = scoring or table, None
    if game != "coloretto" and scoring is not None:
        raise BadInputError("error.scoring_is_for_coloretto_which")
    asked = ScoreAsked(scoring=scoring, table=table, **given)
    module = import_module(kind.module)
    if image is not None:
        return _score_image(module.score_image, game, asked, image, _checked(players, kind, image, asked.picture))
    for name, value in (("players", players), *((name, getattr(asked, name)) for name in _OF_PICTURES)):
        if value is not None:
            raise BadInputError("error.goes_with_picture_of_table", option=name)
    scorer = module.scorer(asked)
    if sys.stdin is None:
        raise BadInputError("error.commands.there_is_no_standard_input")
    if sys.stdin.isatty():
        print(for_people(phrase("terminal.type_hand_as_json_and")), file=sys.stderr)
    return _score_lines(scorer)


def _scoring(game: str) -> Scoring:
    scored = {name: kind.scoring for name, kind in GAMES.items() if kind.scoring is not None}
    if game not in scored:
        raise BadInputError("error.hands_of_cannot_be_scored", game=ascii(game)[:40], list=", ".join(scored))
    return scored[game]


def _checked(players: int | None, scoring: Scoring, image: Path, picture: Path | None) -> int:
    """Return the number of players, after checking it and the output's path."""
    if players is None:
        raise BadInputError("error.say_how_many_players_sit")
    if not 1 <= players <= scoring.most_players:
        raise BadInputError("error.players_must_be_from_1", most=scoring.most_players, given=players)
    if picture is not None:
        from referee.scoring.evidence_picture import check_picture_path

        check_picture_path(picture, [image])
    return players


def _score_image(score: ScoreImage, game: str, asked: ScoreAsked, image: Path, players: int) -> int:
    """Score a picture; exit status 2 when a seat's hand could not be scored."""
    from referee.decks.game_deck import check_plays
    from referee.decks.lookup import find_deck
    from referee.scoring.evidence_picture import write_picture
    from vision.image import load_picture
    from vision.profile import load_profile

    deck = find_deck(game if asked.deck is None else asked.deck)
    check_plays(deck, game)
    profile = None if asked.table is None else load_profile(Path(asked.table))
    result = score(asked, load_picture(image), deck, profile, players)
    output, language = Output(), Language(language_of())
    for hand in result.sharing.seats if asked.as_json else ():
        if hand.seat not in result.faults:
            output.line(to_line(result.as_json(hand)))
    for seat, sentence in () if asked.as_json else result.sentences(language):
        if seat not in result.faults:
            output.line(sentence)
    output.flush()
    for remark in result.remarks:
        complain("score", remark)
    for seat, fault in result.faults.items():
        complain("score", phrase("error.seat", number=seat if asked.as_json else seat + 1, why=fault))
    if asked.picture is not None:
        write_picture(asked.picture, result.drawn(language))
        if not asked.as_json:
            print(for_people(phrase("terminal.drawn_in", path=asked.picture)))
    return 2 if result.faults else 0


def _score_lines(scorer: Callable[[dict[str, object]], str]) -> int:
    output, status, number = Output(), 0, 0
    for batch in _arriving():
        for line in batch:
            number += 1
            if line is not None and not line.strip():
                continue
            try:
                output.line(scorer(parse_object(line)))
            except BadInputError as error:
                output.flush()
                complain("score", phrase("error.line", number=number, why=error))
                status = 2
        output.flush()
    return status


def _arriving() -> Iterator[list[Line]]:
    lines = batches(lambda: os.read(sys.stdin.fileno(), 1 << 16))
    while True:
        try:
            batch = next(lines, None)
        except OSError as error:
            raise WorkFailedError(
                "error.commands.standard_input_cannot_be_read", why=error.strerror or error
            ) from error
        if batch is None:
            return
        yield batch
