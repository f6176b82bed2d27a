"""How far a lesson has come: what is seen of what people said there is, what is missing, and what faces are called."""

from __future__ import annotations

from typing import Any

from referee.decks.look_names import face_name
from referee.lessons.draft import BACK, MOODS, Draft, Group, is_whole


def missing(draft: Draft) -> str | None:
    """The key of the sentence that says what is missing before the deck can be used, None where nothing is."""
    fronts = draft.fronts
    if not fronts:
        return "lesson_nothing_seen"
    if draft.kind == "marks":
        return None
    if draft.game == "confetti":
        return "lesson_no_marks"
    if draft.game is None:
        return None
    if any(not is_whole(draft.game, group.attributes) for group in fronts):
        return "lesson_unnamed"
    if draft.game == "piccolino":
        colours = {mood: {g.attributes["colour"] for g in fronts if g.attributes["mood"] == mood} for mood in MOODS}
        if not colours["happy"]:
            return "lesson_no_happy"
        if not colours["sad"]:
            return "lesson_no_sad"
        return "lesson_one_colour" if len(colours["happy"]) < 2 else None
    kinds = [group.attributes["kind"] for group in fronts]
    for kind, key in (("+2", "lesson_no_plus2"), ("joker", "lesson_no_joker")):
        if kind not in kinds:
            return key
    return "lesson_one_colour" if kinds.count("colour") < 2 else None


def tally(draft: Draft) -> dict[str, Any]:
    """Give what was seen so far, and of how much: `seen`, `of` (0 where nobody said), and counts by the game."""
    fronts = draft.fronts
    meanings = [group.said or group.proposed for group in fronts]
    if draft.kind != "marks" and draft.game == "piccolino":
        of = {mood: {m.get("colour") for m in meanings if m.get("mood") == mood} for mood in MOODS}
        open_ = sum(1 for meaning in meanings if "mood" not in meaning)
        happy, sad = len(of["happy"]), len(of["sad"])
        return {"seen": happy + sad + open_, "of": 2 * draft.expected, "happy": happy, "sad": sad, "open": open_}
    if draft.kind != "marks" and draft.game == "coloretto":
        colours = {meaning.get("colour") for meaning in meanings if meaning.get("kind") == "colour"}
        kinds = {meaning.get("kind") for meaning in meanings}
        more = [kind for kind in ("+2", "joker") if kind in kinds]
        seen = len(colours) + len(more)
        of_all = draft.expected + 2 if draft.expected else 0
        return {"seen": seen, "of": of_all, "colours": len(colours), "kinds": more}
    return {"seen": len(fronts), "of": draft.expected}


def face_names(draft: Draft) -> dict[int, str]:
    """Give what each group's face is called in the deck, by the group's id."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    number = 0
    for group in draft.groups:
        name = _name(draft.game, group)
        if name is None:
            number += 1
            name = f"face-{number:02}"
        plain, again = name, 1
        while name in taken:
            again += 1
            name = f"{plain}-{again}"
        taken.add(name)
        names[group.id] = name
    return names


def _name(game: str | None, group: Group) -> str | None:
    if group.is_back:
        return BACK
    said = group.said
    if not is_whole(game, said):
        return None
    return face_name(game, said)
