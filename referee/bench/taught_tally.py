"""Sums up what became of the cards of taught decks, by deck, kind of scene and how much of a card can be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from referee.bench.accuracy import CLASSES
from referee.bench.teaching import OUTCOMES, UNTAUGHT, LessonVerdict, TaughtRead, TaughtVerdict

GROUPS = (*CLASSES[:3], UNTAUGHT)


def summary(deck: str, lesson: LessonVerdict | None, verdicts: Sequence[TaughtVerdict]) -> dict[str, Any]:
    """Count outcomes of one deck; without a lesson it is one that Ringmaster knows."""
    scenes = sorted({verdict.picture.scenario for verdict in verdicts})
    of_scene = {scene: [v for v in verdicts if v.picture.scenario == scene] for scene in scenes}
    rows = [
        {"scene": scene, "visible": group, **row}
        for scene, chosen in (*of_scene.items(), ("all", list(verdicts)))
        for group in GROUPS
        if sum((row := _counts(o for v in chosen for g, o, _, _ in v.cards if g == group)).values())
    ]
    return {
        "deck": deck,
        "lesson": lesson
        and {
            "cards": lesson.cards,
            "found": lesson.found,
            "learned_wrong": lesson.wrong,
            "faces": lesson.faces,
            "faces_learned": lesson.learned,
            "seconds": round(lesson.seconds, 1),
        },
        "pictures": len(verdicts),
        "rows": rows,
        "false": sum(len(verdict.false) for verdict in verdicts),
        "ms_median": round(float(np.median([verdict.ms for verdict in verdicts])), 1) if verdicts else None,
    }


def picture_line(deck: str, verdict: TaughtVerdict) -> dict[str, Any]:
    """One picture for programs: every card that was not read exactly."""
    return {
        "deck": deck,
        "picture": verdict.picture.path.name,
        "scene": verdict.picture.scenario,
        "ms": round(verdict.ms, 1),
        "failures": [
            {
                "face": card.face,
                "side": card.side,
                "visible": round(card.visible, 3),
                "outcome": outcome,
                "read": _read(read),
            }
            for _, outcome, card, read in verdict.cards
            if outcome != "exact"
        ],
        "false": [read.face for read in verdict.false],
    }


def table(total: dict[str, Any]) -> str:
    """Give one deck's counts for people."""
    lesson = total["lesson"]
    learned = lesson and (
        f": {lesson['found']} of {lesson['cards']} cards found to learn from, {lesson['learned_wrong']} "
        f"learned wrongly, {lesson['faces_learned']} of {lesson['faces']} faces, {lesson['seconds']} s"
    )
    lines = [
        total["deck"] + (learned or ""),
        f"{'scene':16}{'visible':12}{'cards':>7}"
        + "".join(f"{name:>9}" for name in OUTCOMES)
        + f"{'right %':>9}{'wrong %':>9}",
    ]
    for row in total["rows"]:
        count = sum(row[name] for name in OUTCOMES)
        shares = "".join(f"{100 * row[name] / count:9.2f}" for name in OUTCOMES[:2])
        counts = "".join(f"{row[name]:9}" for name in OUTCOMES)
        lines.append(f"{row['scene']:16}{row['visible']:12}{count:7}{counts}{shares}")
    lines.append(f"false cards: {total['false']} in {total['pictures']} pictures; a picture {total['ms_median']} ms")
    return "\n".join(lines)


def _counts(outcomes: Iterable[str]) -> dict[str, int]:
    counts = Counter(outcomes)
    return {outcome: counts[outcome] for outcome in OUTCOMES}


def _read(read: TaughtRead | None) -> dict[str, Any] | None:
    if read is None:
        return None
    return {"face": read.face, "confidence": round(read.confidence, 4), "reason": read.reason}
