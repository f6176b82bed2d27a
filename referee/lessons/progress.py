"""Progress of a lesson: faces seen of those announced, faces missing, and their names."""

from __future__ import annotations

from typing import Any

from referee.games.registry import game_kind
from referee.lessons.draft import BACK, Draft, Group, is_whole


def missing(draft: Draft) -> str | None:
    """The key of the sentence that says what is missing before the deck can be used, None where nothing is."""
    fronts = draft.fronts
    if not fronts:
        return "lesson_nothing_seen"
    if draft.kind == "marks" or draft.game is None:
        return None
    cards = game_kind(draft.game).cards
    if not cards.marked and any(not is_whole(draft.game, group.attributes) for group in fronts):
        return "lesson_unnamed"
    return cards.missing([group.attributes for group in fronts])


def tally(draft: Draft) -> dict[str, Any]:
    """Return what was seen so far, and of how much: `seen`, `of` (0 where nobody said), and counts by the game."""
    of_game = None if draft.game is None or draft.kind == "marks" else game_kind(draft.game).cards.tally
    if of_game is None:
        return {"seen": len(draft.fronts), "of": draft.expected}
    return of_game([group.said or group.proposed for group in draft.fronts], draft.expected)


def face_names(draft: Draft) -> dict[int, str]:
    """Return what each group's face is called in the deck, by the group's id."""
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
    if game is None or not is_whole(game, said):
        return None
    return game_kind(game).cards.face_name(said)
