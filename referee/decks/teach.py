"""`ringmaster teach`: learns a deck, says what was learned, and keeps it only when all of it is sound."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.decks.look_names import named_by_look
from referee.decks.store import DeckStore
from referee.errors import BadInputError
from referee.files import check_writable, write_whole
from referee.games.registry import game_kind, may_show_marks
from referee.journal.folder import state_folder
from referee.jsonlines import to_line
from referee.output import Output
from vision.deck import Deck
from vision.descriptions import LEAST_CARD_MM, MOST_CARD_MM
from vision.image import load_picture
from vision.read.print_deck import PrintDeck, attributes_told
from vision.taught.deck_file import pack_deck, unpack_deck
from vision.teaching.lay_apart import CUT_OR_COVERED, CardSize, LaidCards
from vision.teaching.lesson import TeachingPicture, laid_out, learn_prints
from vision.teaching.margins import odds_of, with_margins
from vision.teaching.mark_lesson import learn_marks, shows_marks
from vision.teaching.names import CardName, check_images, load_names
from vision.teaching.taught_prints import LearnedPicture, Lesson

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
    """Give the lesson of a deck that was learned and is kept, or is in the file `output`.

    Raises:
        BadInputError, VisionError, WorkFailedError: as the command says.
    """
    size = None if card_mm is None else card_size_of(card_mm)
    store = DeckStore(state_folder(state))
    if output is not None:
        check_writable(output, images)
    # Nobody waits for a lesson that cannot be kept.
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
        raise BadInputError("two pictures have the same file name: nobody can tell which of them a name speaks of")
    check_images(names, [picture.name for picture in pictures])
    laid, size = laid_out(pictures, card_mm)
    lesson = named_by_look(learn_either(name, pictures, laid, size, names, game))
    if isinstance(lesson.deck, PrintDeck) and game is not None:
        game_kind(game).cards.check(lesson.deck)
    return with_margins(lesson, pictures)


def learn_either(
    name: str,
    pictures: Sequence[TeachingPicture],
    laid: Sequence[LaidCards],
    size: CardSize,
    names: Sequence[CardName] = (),
    game: str | None = None,
) -> Lesson:
    """Learn a deck of the kind that its cards show.

    Raises:
        VisionError: the pictures or the names give no deck.
    """
    if may_show_marks(game) and shows_marks(pictures, laid, size):
        return learn_marks(name, pictures, laid, size, names)
    return learn_prints(name, pictures, laid, size, names, game)


def card_size_of(text: str) -> tuple[float, float]:
    """Understand WxH in mm.

    Raises:
        BadInputError: it is no card's size.
    """
    found = _SIZE.fullmatch(text)
    if not found:
        raise BadInputError(f"--card-mm is a width and a height in mm, for example 63x88, not {text[:40]!r}")
    width, height = (float(side.replace(",", ".")) for side in found.groups())
    if not all(LEAST_CARD_MM <= side <= MOST_CARD_MM for side in (width, height)):
        raise BadInputError(f"no card measures {width:g} × {height:g} mm")
    return width, height


def tell(lesson: Lesson, *, as_json: bool) -> None:
    """Print what was learned."""
    output = Output()
    for line in _lines(lesson) if as_json else told_of(lesson):
        (output.line if as_json else output.say)(line)
    output.flush()


def _lines(lesson: Lesson) -> list[str]:
    lines = [to_line(_picture(picture)) for picture in lesson.pictures]
    deck = lesson.deck
    if isinstance(deck, Deck):
        marks = [
            {
                "face": face.id,
                "attributes": {},
                "side": face.side,
                "marks": [{"size": mark.size, "colour": mark.colour, "shape": mark.shape} for mark in face.marks],
                "seen": lesson.seen[face.id],
            }
            for face in deck.faces
        ]
        told: dict[str, Any] = {
            "deck": deck.name,
            "kind": "marks",
            "card_mm": list(deck.card_mm),
            "faces": marks,
            "alike": [],
        }
        return [*lines, to_line(told)]
    summary: dict[str, Any] = {
        "deck": deck.name,
        "kind": "prints",
        "card_mm": list(deck.card_mm),
        "faces": [
            {"face": face.id, "attributes": attributes_told(face.attributes), "seen": lesson.seen[face.id]}
            for face in deck.faces
        ],
        "alike": [list(pair) for pair in deck.alike],
        "true_size": deck.has_true_size,
    }
    if lesson.nearest:
        one, two, off = lesson.nearest[0]
        summary["nearest"] = {"faces": [one, two], "difference": round(off, 3)}
    if lesson.margins is not None and lesson.margins.weakest is not None:
        face, rival, margin = lesson.margins.weakest
        summary["margins"] = {
            "judged": lesson.margins.judged,
            "sure": lesson.margins.sure,
            "weakest": {"face": face, "rival": rival, "log_odds": round(margin, 1)},
        }
    return [*lines, to_line(summary)]


def _picture(picture: LearnedPicture) -> dict[str, Any]:
    return {
        "image": picture.name,
        "cards": [
            {"face": card.face, "new": card.is_new, "corners_px": _points(card.quad_px)} for card in picture.cards
        ],
        "unclear": [{"corners_px": _points(quad), "reason": reason} for quad, reason in picture.unclear],
    }


def told_of(lesson: Lesson) -> list[str]:
    """Give what people are told of a lesson, a line each."""
    deck = lesson.deck
    lines = []
    for picture in lesson.pictures:
        new = sum(card.is_new for card in picture.cards)
        unclear = f", {len(picture.unclear)} unclear" if picture.unclear else ""
        lines.append(f"{picture.name}: {len(picture.cards)} cards, {new} of them new{unclear}")
        cut = [quad.mean(axis=0) for quad, reason in picture.unclear if reason in CUT_OR_COVERED]
        if cut:
            at = "; ".join(f"{x:.0f}, {y:.0f} px" for x, y in cut)
            lines.append(
                f"  left out, as cards overlap or are cut off (at {at}): lay these apart and take another picture"
            )
    if isinstance(deck, Deck):
        for face in deck.faces:
            marks = ", ".join(f"{mark.size} {mark.colour}" for mark in face.marks)
            lines.append(f"  {face.id}, {face.side} side: {marks}")
        return [*lines, f"{deck.name}: {len(deck.faces)} faces, {deck.card_mm[0]:g} × {deck.card_mm[1]:g} mm; ready"]
    for printed in deck.faces:
        told = f" ({', '.join(printed.attributes.values())})" if printed.attributes else ""
        lines.append(f"  {printed.id}{told}, seen {_times(lesson.seen[printed.id])}")
    measured = "" if deck.has_true_size else ", by their shape only"
    lines.append(f"{deck.name}: {len(deck.fronts)} faces, {deck.card_mm[0]:g} × {deck.card_mm[1]:g} mm{measured}")
    lines += [f"{one} and {two} look alike from here: lay the cards nearer to the camera" for one, two in deck.alike]
    return [*lines, *_readiness(lesson, deck)]


def _readiness(lesson: Lesson, deck: PrintDeck) -> list[str]:
    """How surely the faces that are nearest to each other are told apart."""
    margins = lesson.margins
    if margins is None or margins.weakest is None:
        return []
    face, rival, margin = margins.weakest
    weakest = f"{face} from {rival}, by {_to_one(odds_of(margin))}"
    if margins.sure < margins.judged:
        unsure = margins.judged - margins.sure
        return [
            f"not ready: of {margins.judged} cards that look most like others {unsure} could be mistaken, most easily "
            f"{weakest}: take more pictures of these, nearer to the camera"
        ]
    return [] if deck.alike else [f"ready; least sure to be told apart is {weakest}"]


def _to_one(odds: float) -> str:
    return "less than even odds" if odds < 1 else f"about {float(f'{odds:.1g}'):,.0f} to 1".replace(",", " ")


def _points(points: NDArray[np.float64]) -> list[list[float]]:
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
