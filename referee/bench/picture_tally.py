"""Sums up verdicts on pictures of decks of pictures: by visibility, attribute, face and circumstances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from referee.bench.accuracy import CLASSES, OUTCOMES
from referee.bench.pictures import PicturesVerdict, true_face
from referee.bench.truth import TrueCard
from vision.pictured.picture_deck import PictureDeck, PictureFace
from vision.pictured.picture_reader import PictureCard


def summary(verdicts: Sequence[PicturesVerdict], deck: PictureDeck) -> dict[str, Any]:
    """Count outcomes by how much of a card can be seen; those that are open to see by what they show, and where.

    Attributes are counted each for itself: a card read with the right colour and the wrong mood is one right colour.
    """
    cards = [(group, outcome) for verdict in verdicts for group, outcome, _, _ in verdict.cards]
    plain = [
        (verdict, outcome, card, read)
        for verdict in verdicts
        for group, outcome, card, read in verdict.cards
        if group == CLASSES[0]
    ]
    shown = ((name, value, o) for _, outcome, card, read in plain for name, value, o in _of(deck, card, outcome, read))
    scenes = (
        (name, value, outcome)
        for verdict, outcome, _, _ in plain
        for name, value in {"scene": verdict.picture.scenario, **verdict.picture.circumstances}.items()
    )
    return {
        "pictures": len(verdicts),
        "cards": {group: _counts(outcome for g, outcome in cards if g == group) for group in CLASSES},
        "attributes": _by_name(shown),
        "circumstances": _by_name(scenes),
        "false": sum(len(verdict.false) for verdict in verdicts),
    }


def picture_line(verdict: PicturesVerdict) -> dict[str, Any]:
    """One picture for programs."""
    return {"image": verdict.picture.path.name, **_counts(outcome for _, outcome, _, _ in verdict.cards)}


def table(total: Mapping[str, Any]) -> str:
    """Give the counts as a table for people."""
    lines = [f"{total['pictures']} pictures", *_rows("visible", total["cards"])]
    for kind in ("attributes", "circumstances"):
        for name, rows in total[kind].items():
            lines += ["", *_rows(f"{name}, {CLASSES[0]}", rows)]
    return "\n".join([*lines, "", f"false cards: {total['false']}"])


def _of(deck: PictureDeck, card: TrueCard, outcome: str, read: PictureCard | None) -> Iterator[tuple[str, str, str]]:
    """What a card shows, as attribute, true value, and what became of it."""
    told = None if read is None or read.reason is not None else _shown(read.face)
    for name, value in _shown(deck.by_id.get(true_face(card) or "")).items():
        yield name, value, outcome if told is None else "exact" if told.get(name) == value else "wrong"


def _shown(face: PictureFace | None) -> dict[str, str]:
    """Everything that a face says, or, for None, a back."""
    return {"side": "back", "face": "back"} if face is None else {"side": "front", "face": face.id, **face.attributes}


def _by_name(entries: Iterable[tuple[str, str, str]]) -> dict[str, dict[str, dict[str, int]]]:
    found: dict[str, dict[str, list[str]]] = {}
    for name, value, outcome in entries:
        found.setdefault(name, {}).setdefault(value, []).append(outcome)
    return {name: {value: _counts(rows[value]) for value in sorted(rows)} for name, rows in found.items()}


def _counts(outcomes: Iterable[str]) -> dict[str, int]:
    counts = Counter(outcomes)
    return {outcome: counts[outcome] for outcome in OUTCOMES}


def _rows(title: str, rows: Mapping[str, Mapping[str, int]]) -> list[str]:
    head = f"{title:20}" + "".join(f"{name:>9}" for name in OUTCOMES)
    return [head, *(f"{name:20}" + "".join(f"{row[outcome]:9}" for outcome in OUTCOMES) for name, row in rows.items())]
