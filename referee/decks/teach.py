"""`ringmaster teach`: learns a deck, reports it, and stores it if every part is valid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from referee.decks.look_names import named_by_look
from referee.decks.store import DeckStore
from referee.errors import BadInputError
from referee.files import check_writable, write_whole
from referee.findings import meaning_of
from referee.games.registry import game_kind, may_show_marks
from referee.jsonlines import to_line
from referee.output import Output
from referee.phrases import phrase
from referee.state_folder import state_folder
from vision.deck import MARKS, PRINTS, Deck, Face
from vision.deck_file import pack_deck, unpack_deck
from vision.descriptions import LEAST_CARD_MM, MOST_CARD_MM
from vision.image import load_picture
from vision.reading import Card, Reading
from vision.teaching.lesson import learn as learn_deck
from vision.teaching.lesson_cards import CUT_OR_COVERED, TeachingPicture, laid_out
from vision.teaching.names import CardName, check_images, load_names
from vision.teaching.taught_prints import Lesson, odds_of, with_margins

_SIZE = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*[x×*]\s*(\d+(?:[.,]\d+)?)\s*", re.IGNORECASE)


def teach(
    name: str,
    images: Sequence[Path],
    *,
    game: str | None = None,
    names: Path | None = None,
    card_mm: str | None = None,
    output: Path | None = None,
    state: Path | None = None,
) -> Lesson:
    """Return the lesson of a new deck, which is stored, or written to the file `output`.

    Raises:
        BadInputError, VisionError, WorkFailedError: the lesson failed.
    """
    size = None if card_mm is None else card_size_of(card_mm)
    store = DeckStore(state_folder(state))
    if output is not None:
        check_writable(output, images)
    # The name is checked first: a lesson takes long.
    store.check_free(name, replace=output is not None)
    known = load_names(names) if names is not None else ()
    lesson = learn(name, images, names=known, game=game, card_mm=size)
    packed = pack_deck(lesson.deck)
    if output is not None:
        write_whole(output, packed)
    else:
        store.add(unpack_deck(packed, name))
    return lesson


def learn(
    name: str,
    paths: Sequence[Path],
    *,
    names: Sequence[CardName] = (),
    game: str | None = None,
    card_mm: tuple[float, float] | None = None,
) -> Lesson:
    """Learn a deck from pictures.

    Raises:
        BadInputError: two pictures have one name, or the deck does not fit the game.
        VisionError: the pictures or the names give no deck.
    """
    pictures = [TeachingPicture(path.name, partial(load_picture, path)) for path in paths]
    if names and len({picture.name for picture in pictures}) < len(pictures):
        raise BadInputError("error.decks.two_pictures_have_same_file")
    check_images(names, [picture.name for picture in pictures])
    laid, size = laid_out(pictures, card_mm)
    lesson = learn_deck(name, pictures, laid, size, names, game, may_show_marks=may_show_marks(game))
    lesson = named_by_look(lesson)
    if game is not None:
        game_kind(game).cards.check(lesson.deck)
    return with_margins(lesson, pictures)


def card_size_of(text: str) -> tuple[float, float]:
    """Return the size in a text such as "63x88", mm.

    Raises:
        BadInputError: it is no card's size.
    """
    found = _SIZE.fullmatch(text)
    if not found:
        raise BadInputError("error.card_mm_is_width_and", given=repr(text[:40]))
    width, height = (float(side.replace(",", ".")) for side in found.groups())
    if not all(LEAST_CARD_MM <= side <= MOST_CARD_MM for side in (width, height)):
        raise BadInputError("error.decks.no_card_measures_mm", width=f"{width:g}", height=f"{height:g}")
    return width, height


def print_lesson(lesson: Lesson, *, as_json: bool) -> None:
    """Print a lesson's result."""
    output = Output()
    for line in _lines(lesson) if as_json else report_of(lesson):
        (output.line if as_json else output.say)(line)
    output.flush()


def _lines(lesson: Lesson) -> list[str]:
    lines = [
        to_line(
            {
                "image": name,
                "cards": [
                    {"face": card.named.id, "new": card in new, "corners_px": _points(card)} for card in read.cards
                ],
                "unclear": [{"corners_px": _points(card), "reason": card.reason} for card in read.unclear],
            }
        )
        for name, read, new in _with_new(lesson)
    ]
    deck = lesson.deck
    summary: dict[str, Any] = {
        "deck": deck.name,
        "kind": deck.kind,
        "card_mm": list(deck.card_mm),
        "faces": [{"face": face.id, **_meaning(face), "seen": lesson.seen[face.id]} for face in deck.faces],
        "alike": [list(pair) for pair in deck.alike],
    }
    if deck.kind == PRINTS:
        summary["true_size"] = deck.has_true_size
    if lesson.nearest:
        one, two, off = lesson.nearest[0]
        summary["nearest"] = {"faces": [one, two], "difference": round(off, 3)}
    if lesson.margins is not None and lesson.margins.weakest is not None:
        face, rival, margin = lesson.margins.weakest
        summary["margins"] = {
            "judged": lesson.margins.judged,
            "sure": lesson.margins.certain,
            "weakest": {"face": face, "rival": rival, "log_odds": round(margin, 1)},
        }
    return [*lines, to_line(summary)]


def _meaning(face: Face) -> dict[str, Any]:
    return {"attributes": {}, "side": face.side, **meaning_of(face)} if face.marks else meaning_of(face)


def _with_new(lesson: Lesson) -> Iterator[tuple[str, Reading, list[Card]]]:
    """Yield each picture's name, its reading, and the cards whose face no picture showed before."""
    seen: set[str] = set()
    for name, read in lesson.pictures:
        new = []
        for card in read.cards:
            if card.named.id not in seen:
                new.append(card)
                seen.add(card.named.id)
        yield name, read, new


def report_of(lesson: Lesson) -> list[str]:
    """Return the report of a lesson, a line each."""
    deck = lesson.deck
    lines: list[str] = []
    for name, read, new in _with_new(lesson):
        counts = {"picture": name, "cards": len(read.cards), "new": len(new)}
        if read.unclear:
            lines.append(phrase("terminal.cards_of_them_new_unclear", unclear=len(read.unclear), **counts))
        else:
            lines.append(phrase("terminal.cards_of_them_new", **counts))
        cut = [card.centre_px for card in read.unclear if card.reason in CUT_OR_COVERED]
        if cut:
            at = "; ".join(f"{x:.0f}, {y:.0f} px" for x, y in cut)
            lines.append(
                f"  left out, as cards overlap or are cut off (at {at}): lay these apart and take another picture"
            )
    for printed in deck.faces:
        meant = f" ({', '.join(printed.attributes.values())})" if printed.attributes else ""
        lines.append(phrase("terminal.seen", n=lesson.seen[printed.id], face=f"{printed.id}{meant}"))
    sized = "terminal.faces_mm" if deck.has_true_size else "terminal.faces_mm_by_their_shape"
    sized = "terminal.faces_mm_ready" if deck.kind == MARKS else sized
    width, height = (f"{side:g}" for side in deck.card_mm)
    lines.append(phrase(sized, deck=deck.name, number=len(deck.fronts), width=width, height=height))
    lines += [phrase("terminal.and_look_alike_from_here", one=one, two=two) for one, two in deck.alike]
    return [*lines, *_readiness(lesson, deck)]


def _readiness(lesson: Lesson, deck: Deck) -> list[str]:
    """Return a sentence about the two most similar faces and their odds."""
    margins = lesson.margins
    if margins is None or margins.weakest is None:
        return []
    face, rival, margin = margins.weakest
    weakest = {"one": face, "two": rival, "odds": _to_one(odds_of(margin))}
    if margins.certain < margins.judged:
        doubtful = margins.judged - margins.certain
        return [phrase("terminal.not_ready_of_cards_that", number=margins.judged, unsure=doubtful, **weakest)]
    return [] if deck.alike else [phrase("terminal.ready_least_sure_to_be", **weakest)]


def _to_one(odds: float) -> str:
    if odds < 1:
        return phrase("terminal.less_than_even_odds")
    return phrase("terminal.about_to_1", number=f"{float(f'{odds:.1g}'):,.0f}".replace(",", " "))


def _points(card: Card) -> list[list[float]]:
    return [[round(x, 2), round(y, 2)] for x, y in card.corners_px.tolist()]
