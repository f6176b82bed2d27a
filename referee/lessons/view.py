"""View of a lesson for the page: data for JSON, places as shares of a picture's size."""

from __future__ import annotations

from typing import Any

from referee.lessons.draft import Draft, Group, LessonPicture, Points, is_whole
from referee.lessons.progress import missing, tally
from vision.teaching.lesson_cards import CUT_OR_COVERED


def draft_view(draft: Draft) -> dict[str, Any]:
    """Return the lesson.

    `{"name", "game", "expected", "kind", "groups": [{"id", "said", "proposed", "back", "cards": [names]}], "shot": the
    last picture, or null, "pictures": how many, "test", "measured", "tally", "missing": the key of a sentence, or
    null, "proposals": how many groups can be named as proposed}`. A picture is `{"number", "state", "outlines":
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
