"""Names a lesson's faces by their look, if all are recognised beyond doubt."""

from __future__ import annotations

from dataclasses import replace

from referee.games.registry import game_kind
from vision.deck import MARKS
from vision.teaching.proposed_names import proposed
from vision.teaching.taught_prints import Lesson


def named_by_look(lesson: Lesson) -> Lesson:
    """Return the lesson with its unnamed faces named, if all of them can be; else unchanged."""
    deck = lesson.deck
    if deck.kind == MARKS or deck.game is None:
        return lesson
    face_name = game_kind(deck.game).cards.face_name
    found = proposed(deck.game, [replace(face, count=lesson.seen[face.id]) for face in deck.fronts])
    proposals = {face.id: proposal for face, proposal in zip(deck.fronts, found, strict=True) if not face.attributes}
    if not all(proposal.is_certain for proposal in proposals.values()):
        return lesson
    faces = [
        replace(face, id=face_name(given.attributes), attributes=given.attributes)
        if (given := proposals.get(face.id))
        else face
        for face in deck.faces
    ]
    return lesson if len({face.id for face in faces}) < len(faces) else lesson.with_faces(faces)
