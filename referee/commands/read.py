"""`ringmaster read IMAGE…`: reads the cards in each picture."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError
from referee.findings import Found, found_in
from referee.jsonlines import to_line
from referee.language import Language, language_of
from referee.output import Output, along, complain
from referee.phrases import phrase
from vision.errors import VisionError

if TYPE_CHECKING:
    from vision.image import Picture
    from vision.markers import Marker
    from vision.profile import TableProfile
    from vision.table import Table


@click.command(
    help=COMMANDS["read"],
    epilog=f"{phrase('page.usable_cards')} With --deck none it finds cards of any deck, without names.",
)
@click.argument(
    "images",
    nargs=-1,
    required=True,
    metavar="IMAGE...",
    type=options.NAME_OF_FILE,
    help="pictures of a table: JPEG, PNG, WebP or HEIC",
)
@options.deck("the deck's name, or none for any deck", required=True)
@options.table()
@options.as_json("answer in JSON, one object a picture")
@options.language
@click.option("--picture", type=options.FILE, metavar="OUT", help="draw what was read into a copy of the one picture")
def command(images: tuple[str, ...], deck: str, table: Path | None, as_json: bool, picture: Path | None) -> int:
    """Read every picture; exit status 2 when one of them could not be read.

    Raises:
        BadInputError: an argument is invalid.
        VisionError: the deck or the table profile cannot be used.
    """
    from referee.scoring.evidence_picture import check_picture_path, write_picture
    from vision.image import load_picture
    from vision.profile import load_profile

    if picture is not None:
        if len(images) > 1:
            raise BadInputError("error.picture_takes_one_picture_at")
        check_picture_path(picture, [Path(images[0])])
    profile = None if table is None else load_profile(table)
    language = Language(language_of())
    read = _reader_of(deck, profile, language)
    output, status = Output(), 0
    for name in along(images, len(images)):
        try:
            loaded = load_picture(Path(name))
            start = perf_counter()
            found = read(loaded)
        except VisionError as error:
            complain("read", str(error))
            status = 2
            continue
        ms = round((perf_counter() - start) * 1000, 1)
        # A name that is not UTF-8 is printed with replacement characters.
        shown = os.fsencode(name).decode("utf-8", "replace")
        if as_json:
            line = {"image": shown, "deck": deck, "ms": ms, "cards": found.cards, "unclear": found.unclear}
            output.line(to_line(line))
        else:
            counts = {"cards": len(found.cards), "unclear": len(found.unclear)}
            output.line(language.text("cards.cards_unclear_ms", image=shown, ms=f"{ms:.0f}", **counts))
            for words in found.words:
                output.line(f"  {words}")
            if not found.cards and deck != "none":
                output.line(f"  {language.text('page.usable_cards')}")
        output.flush()
        if picture is not None:
            write_picture(picture, found.draw())
    return status


def _reader_of(name: str, profile: TableProfile | None, language: Language) -> Callable[[Picture], Found]:
    from referee.decks.lookup import find_deck
    from vision.reading import reader_of

    deck = None if name == "none" else find_deck(name)
    reader, known = reader_of(deck), None if deck is None else profile

    def read(picture: Picture) -> Found:
        return found_in(picture, reader.read(picture.image, *_table(picture, known)), deck, language)

    return read


def _table(picture: Picture, profile: TableProfile | None) -> tuple[Table | None, tuple[Marker, ...] | None]:
    """Return the profile's table, if the camera has not moved, and the picture's markers.

    Returns None for both without a profile: the reader then uses the picture's markers.
    """
    from vision.markers import unmirrored_markers
    from vision.profile_check import not_shown_to_stand, table_now

    if profile is None:
        return None, None
    sight = unmirrored_markers(picture.image)
    table, stand = table_now(profile, picture.image, sight)
    if stand.stands is None:
        complain("read", not_shown_to_stand(profile, stand))
    elif table is None:
        complain("read", phrase("error.camera_was_moved_since_table"))
    return table, sight.markers
