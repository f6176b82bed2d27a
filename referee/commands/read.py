"""`ringmaster read IMAGE…`: reads the cards in each picture."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError
from referee.findings import Found, millimetres, points_of, prints_found
from referee.jsonlines import to_line
from referee.language import Language, language_of
from referee.output import Output, along, complain
from referee.phrases import phrase
from referee.sayings.cards import (
    say_any_card,
    say_face,
    say_marked,
    say_unread,
)
from vision.errors import VisionError

if TYPE_CHECKING:
    from vision.deck import Deck
    from vision.image import Picture
    from vision.markers import Marker
    from vision.profile import TableProfile
    from vision.reading import CardReading, Reading, UnclearCard
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
    from vision.read.print_deck import PrintDeck

    if name == "none":
        return lambda picture: _any_deck(picture, language)
    deck = find_deck(name)
    if isinstance(deck, PrintDeck):
        from vision.read.reader import CardReader

        prints = CardReader(deck)
        return lambda picture: prints_found(picture, prints, _table(picture, profile)[0], language)
    return lambda picture: _known_deck(picture, deck, profile, language)


def _table(picture: Picture, profile: TableProfile | None) -> tuple[Table | None, tuple[Marker, ...] | None]:
    """Return the profile's table, if the camera has not moved, and the picture's markers.

    Returns None for both without a profile: the reader then uses the picture's markers.
    """
    from vision.camera_moved import not_shown_to_stand, table_now
    from vision.markers import unmirrored_markers

    if profile is None:
        return None, None
    sight = unmirrored_markers(picture.image)
    table, stand = table_now(profile, picture.image, sight)
    if stand.stands is None:
        complain("read", not_shown_to_stand(profile, stand))
    elif table is None:
        complain("read", phrase("error.camera_was_moved_since_table"))
    return table, sight.markers


def _known_deck(picture: Picture, deck: Deck, profile: TableProfile | None, language: Language) -> Found:
    from referee.scoring.evidence_picture import draw_reading
    from vision.marked.reader import read_picture

    table, markers = _table(picture, profile)
    reading, _ = read_picture(picture.image, deck, table, markers)
    return Found(
        [_card(card, picture) for card in reading.cards],
        [_unclear(card, picture) for card in reading.unclear],
        _words(reading, language),
        lambda: draw_reading(picture.image, reading, language),
    )


def _card(card: CardReading, picture: Picture) -> dict[str, Any]:
    return {
        "face": card.face.id,
        "side": card.face.side,
        "confidence": round(card.confidence, 4),
        "marks": [{"size": mark.size, "colour": mark.colour, "shape": mark.shape} for mark in card.face.marks],
        "corners_px": points_of(picture.to_file(card.corners_px)),
        "centre_mm": millimetres(card.centre_mm),
        "seat": None,
    }


def _unclear(card: UnclearCard, picture: Picture) -> dict[str, Any]:
    best = None if card.best is None else {"face": card.best[0].id, "confidence": round(card.best[1], 4)}
    return {
        "corners_px": points_of(picture.to_file(card.corners_px)),
        "centre_mm": millimetres(card.centre_mm),
        "reason": card.reason,
        "best": best,
    }


def _words(reading: Reading, language: Language) -> list[str]:
    words = []
    for card in reading.cards:
        marks = [(mark.size, mark.colour, mark.shape) for mark in card.face.marks]
        named = say_marked(card.face.id, card.face.side, marks, language)
        words.append(say_face(named, card.confidence, language))
    for unclear in reading.unclear:
        likely = say_face(unclear.best[0].id, unclear.best[1], language) if unclear.best else ""
        words.append(say_unread(unclear.reason, unclear.centre_px, likely, language))
    return words


def _any_deck(picture: Picture, language: Language) -> Found:
    from referee.scoring.evidence_picture import draw_outlines
    from vision.find.any_deck import find_any_cards

    found = find_any_cards(picture.image)
    cards: list[dict[str, Any]] = []
    unclear: list[dict[str, Any]] = []
    words = []
    for card in found:
        x, y = points_of(picture.to_file(card.centre_px[None]))[0]
        placed = {"corners_px": points_of(picture.to_file(card.corners_px)), "centre_px": [x, y]}
        if card.reason is None:
            cards.append({**placed, "confidence": round(card.confidence, 4)})
            words.append(say_any_card((x, y), card.confidence, language))
        else:
            unclear.append({**placed, "reason": card.reason, "best": None})
            words.append(say_unread(card.reason, (x, y), "", language))
    outlines = [card.corners_px for card in found if card.reason is None]
    return Found(cards, unclear, words, lambda: draw_outlines(picture.image, outlines))
