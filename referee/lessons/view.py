"""View of a lesson for the page: its progress, and data for JSON with places as shares of a picture's size."""

from __future__ import annotations

from typing import Any

from referee.games.registry import game_kind
from referee.lessons.draft import BACK, Draft, Group, LessonPicture, Points, is_whole
from vision.teaching.lesson_cards import CUT_OR_COVERED


def draft_view(draft: Draft) -> dict[str, Any]:
    """Return the lesson's data.

    `{"name", "game", "expected", "kind", "groups": [{"id", "said", "proposed", "back", "cards": [names]}], "shot": last
    picture or null, "pictures": their number, "test", "measured", "tally", "missing": key of a sentence or null,
    "proposals": number of groups with an unconfirmed proposal}`. A picture is `{"number", "state", "outlines":
    [{"corners", "group", "card"}], "unclear": [{"corners", "reason": "touch" or "odd"}]}`.
    """
    shots = [shot for shot in draft.shots if shot.state != "test"]
    return {
        "name": draft.name,
        "game": draft.game,
        "expected": draft.expected,
        "kind": draft.kind,
        "groups": [_group(group) for group in draft.groups],
        "shot": _shot(draft, shots[-1]) if shots else None,
        "pictures": len(shots),
        "test": _test(draft),
        "measured": None if draft.measured is None else draft.measured.model_dump(),
        "tally": tally(draft),
        "missing": missing(draft),
        "proposals": sum(is_whole(draft.game, g.proposed) and not g.said and not g.is_back for g in draft.groups),
    }


def _group(group: Group) -> dict[str, Any]:
    cards = [example.name for example in group.examples]
    return {"id": group.id, "said": group.said, "proposed": group.proposed, "back": group.is_back, "cards": cards}


def _shot(draft: Draft, shot: LessonPicture) -> dict[str, Any]:
    of = {example.name: group.id for group in draft.groups for example in group.examples}
    outlines = []
    for place, corners in enumerate(shot.cards):
        name = f"{shot.number}-{place}"
        outlines.append({"corners": _shares(corners, shot.size_px), "group": of.get(name), "card": name})
    unclear = [
        {"corners": _shares(one.corners, shot.size_px), "reason": "touch" if one.reason in CUT_OR_COVERED else "odd"}
        for one in shot.unclear
    ]
    return {"number": shot.number, "state": shot.state, "outlines": outlines, "unclear": unclear}


def _test(draft: Draft) -> dict[str, Any] | None:
    if draft.test is None:
        return None
    size_px = draft.shot(draft.test.picture).size_px
    readings = [
        {**reading.model_dump(), "corners": _shares(reading.corners, size_px)} for reading in draft.test.readings
    ]
    return {"picture": draft.test.picture, "readings": readings}


def _shares(corners: Points, size_px: tuple[int, int]) -> list[list[float]]:
    width, height = max(size_px[0], 1), max(size_px[1], 1)
    return [[round(x / width, 4), round(y / height, 4)] for x, y in corners]


def missing(draft: Draft) -> str | None:
    """Return the key of the sentence about a missing part of the deck, or None for a complete deck."""
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
    """Return the progress: `seen`, `of` (0 if unknown), and counts by the game."""
    of_game = None if draft.game is None or draft.kind == "marks" else game_kind(draft.game).cards.tally
    if of_game is None:
        return {"seen": len(draft.fronts), "of": draft.expected}
    return of_game([group.said or group.proposed for group in draft.fronts], draft.expected)


def face_names(draft: Draft) -> dict[int, str]:
    """Return the name of each group's face in the deck, by the group's id."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    number = 0
    for group in draft.groups:
        name = _name(draft.game, group)
        if name is None:
            number += 1
            name = f"face-{number:02}"
        first, again = name, 1
        while name in taken:
            again += 1
            name = f"{first}-{again}"
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
