"""Names that a lesson's faces get without anybody saying them: only where what they show leaves no doubt at all."""

from __future__ import annotations

from collections.abc import Mapping

from vision.prints.print_deck import PrintDeck
from vision.teaching.proposed_names import SeenFace, proposed
from vision.teaching.taught_prints import Lesson, renamed_faces


def face_name(game: str | None, attributes: Mapping[str, str]) -> str:
    """Give what a face is called by what it means in its game."""
    if game == "piccolino":
        return f"{attributes['colour']}-{attributes['mood']}"
    if attributes["kind"] == "colour":
        return attributes["colour"]
    return "-".join(attributes["kind"].split() + ([attributes["room"]] if "room" in attributes else []))


def named_by_look(lesson: Lesson) -> Lesson:
    """Name the faces that nobody named, where all of them are plain; else leave them as they are."""
    deck = lesson.deck
    if not isinstance(deck, PrintDeck) or deck.game is None:
        return lesson
    fronts = deck.fronts
    found = proposed(deck.game, [SeenFace(face.art, lesson.seen[face.id], face.attributes) for face in fronts])
    names: dict[str, tuple[str, Mapping[str, str]]] = {}
    for face, proposal in zip(fronts, found, strict=True):
        if face.attributes:
            continue
        if not proposal.sure:
            return lesson
        names[face.id] = face_name(deck.game, proposal.attributes), proposal.attributes
    taken = [face.id for face in deck.faces if face.id not in names] + [name for name, _ in names.values()]
    return lesson if len(set(taken)) < len(taken) else renamed_faces(lesson, names)
