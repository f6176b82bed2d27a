"""Sums up verdicts on pictures: as JSON, and as a table for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from referee.bench.accuracy import CLASSES, OUTCOMES, CardVerdict, PictureVerdict

# What is promised for each class of cards: at least so much exact, at most so much wrong, in percent.
TARGETS = {">=0.90": (99.5, 0.1), "0.50-0.90": (85.0, 0.5)}
_ATTRIBUTES = ("size", "colour", "shape")


def picture_line(verdict: PictureVerdict) -> dict[str, Any]:
    """One picture as a JSON object: counts by class, and every card that was not read exactly."""
    return {
        "picture": verdict.picture.path.name,
        "scenario": verdict.picture.scenario,
        "ms": round(verdict.ms, 1),
        "cards": [row for group in CLASSES if (row := _row({"group": group}, _of_group(verdict.cards, group)))],
        "false": [read.face.id for read in verdict.false],
        "doubled": [read.face.id for read in verdict.doubled],
        "false_unclear": len(verdict.false_unclear),
        "failures": [_failure(card) for card in verdict.cards if card.outcome != "exact"],
    }


def _failure(card: CardVerdict) -> dict[str, Any]:
    best = card.unclear.best if card.unclear else None
    return {
        "face": card.card.face,
        "side": card.card.side,
        "visible": round(card.card.visible, 3),
        "group": card.group,
        "outcome": card.outcome,
        "read": card.read.face.id if card.read else None,
        "read_side": card.read.face.side if card.read else None,
        "confidence": round(card.read.confidence, 4) if card.read else None,
        "reason": card.unclear.reason if card.unclear else None,
        "best": best[0].id if best else None,
        "centre_px": [round(float(value), 1) for value in card.card.corners_px.mean(axis=0)],
    }


def summary(verdicts: Sequence[PictureVerdict]) -> dict[str, Any]:
    """Sum up all pictures as a JSON object."""
    cards = [(verdict.picture.scenario, card) for verdict in verdicts for card in verdict.cards]
    kinds = sorted({(scenario, card.card.side) for scenario, card in cards})
    rows = [
        _row({"scenario": scenario, "side": side, "group": group}, chosen)
        for scenario, side in kinds
        for group in CLASSES
        if (chosen := [c for s, c in cards if (s, c.card.side, c.group) == (scenario, side, group)])
    ]
    every = [card for _, card in cards]
    times = [verdict.ms for verdict in verdicts]
    return {
        "pictures": len(verdicts),
        "ms_median": round(float(np.median(times)), 1) if times else None,
        "ms_max": round(max(times), 1) if times else None,
        "rows": rows,
        "total": [row for group in CLASSES if (row := _row({"group": group}, _of_group(every, group)))],
        "false": sum(len(verdict.false) for verdict in verdicts),
        "doubled": sum(len(verdict.doubled) for verdict in verdicts),
        "false_unclear": sum(len(verdict.false_unclear) for verdict in verdicts),
        "unclear_best_right": sum(_best_is_right(card) for card in every),
        "marks": _marks(every),
        "confusions": _confusions(every),
        "corners": _corners(every),
        "faces": _faces(every),
    }


def _of_group(cards: Iterable[CardVerdict], group: str) -> list[CardVerdict]:
    return [card for card in cards if card.group == group]


def _row(keys: dict[str, Any], cards: Sequence[CardVerdict]) -> dict[str, Any]:
    """Count outcomes; an empty object for no cards."""
    if not cards:
        return {}
    counts = Counter(card.outcome for card in cards)
    return {**keys, "cards": len(cards), **{outcome: counts[outcome] for outcome in OUTCOMES}}


def _best_is_right(card: CardVerdict) -> bool:
    best = card.unclear.best if card.unclear else None
    return best is not None and (best[0].id, best[0].side) == (card.card.face, card.card.side)


def _marks(cards: Sequence[CardVerdict]) -> dict[str, Any]:
    """Attributes read right, of the marks (half visible or more) on cards that were read, bleached ones apart."""
    marks = [mark for card in cards if card.group != "bleached" for mark in card.marks]
    found = [mark for mark in marks if mark.read is not None]
    right = {name: sum(getattr(mark.read, name) == getattr(mark.true, name) for mark in found) for name in _ATTRIBUTES}
    return {"of": len(marks), "in_place": len(found), **right}


def _confusions(cards: Sequence[CardVerdict]) -> list[dict[str, Any]]:
    pairs = Counter(
        (card.card.side, mark.true.colour, mark.read.colour)
        for card in cards
        for mark in card.marks
        if mark.read is not None and mark.read.colour != mark.true.colour
    )
    return [{"side": side, "true": true, "read": read, "marks": n} for (side, true, read), n in pairs.most_common()]


def _corners(cards: Sequence[CardVerdict]) -> dict[str, float] | None:
    """Give the corners' errors of exact readings of cards that are at least 0.90 visible."""
    exact = [card for card in cards if card.group == CLASSES[0]]
    px = [card.corner_errors_px for card in exact if card.corner_errors_px is not None]
    mm = [card.corner_errors_mm for card in exact if card.corner_errors_mm is not None]
    if not px:
        return None
    values = {"px": np.concatenate(px), "mm": np.concatenate(mm)}
    return {
        f"{name}_{unit}": round(float(np.percentile(errors, percent)), 2)
        for unit, errors in values.items()
        for name, percent in (("median", 50), ("p95", 95), ("max", 100))
    }


def _faces(cards: Sequence[CardVerdict]) -> list[dict[str, Any]]:
    """List faces that failed where half of them or more could be seen, worst first."""
    seen = [card for card in cards if card.group in CLASSES[:2]]
    of = Counter((card.card.side, card.card.face) for card in seen)
    failed = Counter((card.card.side, card.card.face) for card in seen if card.outcome != "exact")
    return [{"face": f, "side": s, "failed": n, "of": of[s, f]} for (s, f), n in failed.most_common()]


def table(total: dict[str, Any]) -> str:
    """Write the summary for people."""
    header = f"{'scene':<16}{'side':<8}{'visible':<11}{'cards':>6}{'exact':>7}{'wrong':>7}{'unclear':>9}{'missed':>8}"
    lines = [header + f"{'exact %':>9}{'wrong %':>9}"]
    lines += [_line(row["scenario"], row["side"], row) for row in total["rows"]]
    lines.append("-" * len(lines[0]))
    lines += [_line("all", "", row) for row in total["total"]]
    lines.append("")
    lines += [_target_line(row) for row in total["total"] if row["group"] in TARGETS]
    lines.append(
        f"false cards: {total['false']} in {total['pictures']} pictures (target 0); second readings of a card: "
        f"{total['doubled']}; unclear where no card lies: {total['false_unclear']}"
    )
    lines.append(f"unclear cards whose best guess is right: {total['unclear_best_right']}")
    lines += _mark_lines(total)
    if total["corners"]:
        corners = total["corners"]
        lines.append(
            f"corners of exact cards >=0.90: median {corners['median_mm']} mm ({corners['median_px']} px), "
            f"95th percentile {corners['p95_mm']} mm ({corners['p95_px']} px)"
        )
    if total["faces"]:
        worst = ", ".join(f"{row['face']} {row['side']} {row['failed']}/{row['of']}" for row in total["faces"][:12])
        lines.append(f"faces that failed, half visible or more: {worst}")
    lines.append(f"time a picture: median {total['ms_median']} ms, longest {total['ms_max']} ms")
    return "\n".join(lines)


def _line(scenario: str, side: str, row: dict[str, Any]) -> str:
    counts = f"{row['cards']:>6}{row['exact']:>7}{row['wrong']:>7}{row['unclear']:>9}{row['missed']:>8}"
    share = f"{100 * row['exact'] / row['cards']:>9.2f}{100 * row['wrong'] / row['cards']:>9.2f}"
    return f"{scenario:<16}{side:<8}{row['group']:<11}{counts}{share}"


def _target_line(row: dict[str, Any]) -> str:
    exact, wrong = (100 * row[key] / row["cards"] for key in ("exact", "wrong"))
    least, most = TARGETS[row["group"]]
    met = "met" if exact >= least and wrong <= most else "NOT met"
    return (
        f"cards {row['group']} visible: exact {exact:.2f} % (target at least {least} %), "
        f"wrong {wrong:.2f} % (at most {most} %): {met}"
    )


def _mark_lines(total: dict[str, Any]) -> list[str]:
    marks = total["marks"]
    if not marks["of"]:
        return []
    shares = ", ".join(f"{name} {marks[name]} right" for name in _ATTRIBUTES)
    lines = [f"marks on cards that were read: {marks['of']}, in their place {marks['in_place']}, {shares}"]
    if total["confusions"]:
        pairs = ", ".join(f"{row['true']} as {row['read']} {row['marks']}" for row in total["confusions"][:8])
        lines.append(f"colours confused: {pairs}")
    return lines
