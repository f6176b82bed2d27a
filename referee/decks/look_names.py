"""Names a lesson's faces by their look, if all are recognised beyond doubt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from referee.games.registry import game_kind
from vision.deck import MARKS
from vision.teaching.proposed_names import proposed
from vision.teaching.taught_prints import Lesson, renamed_faces


def named_by_look(lesson: Lesson) -> Lesson:
    """Return the lesson with its unnamed faces named, if all of them can be; else unchanged."""
    deck = lesson.deck
    if deck.kind == MARKS or deck.game is None:
        return lesson
    fronts, face_name = deck.fronts, game_kind(deck.game).cards.face_name
    found = proposed(deck.game, [replace(face, count=lesson.seen[face.id]) for face in fronts])
    names: dict[str, tuple[str, Mapping[str, str]]] = {}
    for face, proposal in zip(fronts, found, strict=True):
        if face.attributes:
            continue
        if not proposal.sure:
            return lesson
        names[face.id] = face_name(proposal.attributes), proposal.attributes
    taken = [face.id for face in deck.faces if face.id not in names] + [name for name, _ in names.values()]
    return lesson if len(set(taken)) < len(taken) else renamed_faces(lesson, names)
