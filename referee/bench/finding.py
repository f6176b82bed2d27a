"""Judges cards found without a deck (`--deck none`): corners within 3 % of the card's width, and the marks' colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.bench.accuracy import CLASSES, HIDDEN, visibility_class
from referee.bench.match import corner_distances, match_outlines, overlap, width_px
from referee.bench.truth import TrueCard, TruePicture
from referee.errors import WorkFailedError

Image = NDArray[np.uint8]
CORNER_TOLERANCE = 0.03
_ON_CARD = 0.5
_MARK_SEEN = 0.5


@dataclass(frozen=True, eq=False)
class FoundCard:
    """A card of any deck: its corners, (4, 2) clockwise, and its marks as (colour's name, centre (x, y)).

    `marks` is None if the finder does not read marks.
    """

    corners_px: NDArray[np.float64]
    marks: Sequence[tuple[str, Sequence[float] | NDArray[np.float64]]] | None = None


@dataclass(frozen=True, eq=False)
class FindVerdict:
    """What became of one picture.

    `outcomes` holds for each true card its visibility class and `found` (corners within 3 % of the card's width),
    `loose` (a card found on it, but with worse corners) or `missed`; `false` are the corners, (4, 2), of found cards
    that lie on no true card or on one that is found already; `colours_right` of `colours_of` marks on found cards have
    the right colour.
    """

    picture: TruePicture
    ms: float
    outcomes: tuple[tuple[TrueCard, str, str], ...]
    false: tuple[NDArray[np.float64], ...]
    colours_right: int
    colours_of: int


def judge_found(picture: TruePicture, found: Sequence[FoundCard], ms: float) -> FindVerdict:
    """Judge the cards found in one picture; a card found on a barely visible true one is not false."""
    cards = [card for card in picture.cards if card.visible >= HIDDEN]
    pairs = match_outlines([card.corners_px for card in found], [card.corners_px for card in cards])
    pairs = {i: j for i, j in pairs.items() if overlap(found[i].corners_px, cards[j].corners_px) >= _ON_CARD}
    outcome_of = {
        j: "found"
        if float(corner_distances(found[i].corners_px, cards[j].corners_px).max())
        <= CORNER_TOLERANCE * width_px(cards[j].corners_px)
        else "loose"
        for i, j in pairs.items()
    }
    colours = [_colours(found[i], cards[j]) for i, j in pairs.items()]
    return FindVerdict(
        picture=picture,
        ms=ms,
        outcomes=tuple(
            (card, visibility_class(card.visible), outcome_of.get(j, "missed")) for j, card in enumerate(cards)
        ),
        false=tuple(card.corners_px for i, card in enumerate(found) if i not in pairs),
        colours_right=sum(right for right, _ in colours),
        colours_of=sum(of for _, of in colours),
    )


def _colours(found: FoundCard, card: TrueCard) -> tuple[int, int]:
    """Count marks with the right colour, and marks judged: the found ones of a one-colour card, else the true ones.

    Of true marks those at least half visible are judged, by what was found within a tenth of the card's width.
    """
    if found.marks is None:
        return 0, 0
    if card.colour is not None:
        return sum(colour == card.colour for colour, _ in found.marks), len(found.marks)
    reach = width_px(card.corners_px) / 10
    seen = [true for true in card.marks if true.visible >= _MARK_SEEN]
    right = sum(
        any(
            colour == true.colour and float(np.linalg.norm(np.asarray(centre) - true.centre_px)) <= reach
            for colour, centre in found.marks
        )
        for true in seen
    )
    return right, len(seen)


def find_line(verdict: FindVerdict) -> dict[str, Any]:
    """One picture as a JSON object."""
    return {
        "picture": verdict.picture.path.name,
        "scenario": verdict.picture.scenario,
        "ms": round(verdict.ms, 1),
        "cards": _counts(verdict.outcomes),
        "false": [np.round(corners, 1).tolist() for corners in verdict.false],
        "colours_right": verdict.colours_right,
        "colours_of": verdict.colours_of,
    }


def _counts(outcomes: Sequence[tuple[TrueCard, str, str]]) -> list[dict[str, Any]]:
    rows = []
    for group in CLASSES:
        results = [outcome for _, kind, outcome in outcomes if kind == group]
        if results:
            counts = {outcome: results.count(outcome) for outcome in ("found", "loose", "missed")}
            rows.append({"group": group, "cards": len(results), **counts})
    return rows


def find_summary(verdicts: Sequence[FindVerdict]) -> dict[str, Any]:
    """Sum up all pictures as a JSON object; `false_share` is that of all found cards."""
    outcomes = [outcome for verdict in verdicts for outcome in verdict.outcomes]
    false = sum(len(verdict.false) for verdict in verdicts)
    reported = false + sum(outcome != "missed" for _, _, outcome in outcomes)
    times = [verdict.ms for verdict in verdicts]
    rows = [
        {"scenario": kind, **row}
        for kind in sorted({verdict.picture.scenario for verdict in verdicts})
        for row in _counts([o for verdict in verdicts if verdict.picture.scenario == kind for o in verdict.outcomes])
    ]
    return {
        "pictures": len(verdicts),
        "ms_median": round(float(np.median(times)), 1) if times else None,
        "ms_max": round(max(times), 1) if times else None,
        "rows": rows,
        "total": _counts(outcomes),
        "false": false,
        "false_share": round(false / reported, 4) if reported else 0.0,
        "colours_right": sum(verdict.colours_right for verdict in verdicts),
        "colours_of": sum(verdict.colours_of for verdict in verdicts),
    }


def find_table(total: dict[str, Any]) -> str:
    """Write the summary for people."""
    lines = [f"{'scene':<32}{'visible':<11}{'cards':>6}{'found':>7}{'loose':>7}{'missed':>8}{'found %':>9}"]
    lines += [_row(row["scenario"], row) for row in total["rows"]]
    lines.append("-" * len(lines[0]))
    lines += [_row("all", row) for row in total["total"]]
    colours = f"{total['colours_right']} of {total['colours_of']}"
    lines += [
        "",
        f"found: corners within {CORNER_TOLERANCE:.0%} of the card's width (target 97 % of fully visible cards)",
        f"false cards: {total['false']}, {100 * total['false_share']:.2f} % of all found (target at most 1 %)",
        f"marks on found cards with the right colour: {colours if total['colours_of'] else 'not read'}",
        f"time a picture: median {total['ms_median']} ms, longest {total['ms_max']} ms",
    ]
    return "\n".join(lines)


def _row(scenario: str, row: dict[str, Any]) -> str:
    counts = f"{row['cards']:>6}{row['found']:>7}{row['loose']:>7}{row['missed']:>8}"
    return f"{scenario:<32}{row['group']:<11}{counts}{100 * row['found'] / row['cards']:>9.2f}"


def draw_found(folder: Path, image: Image, verdict: FindVerdict) -> None:
    """Draw the picture with missed cards red, loose ones orange and false ones magenta, if it has any.

    Raises:
        WorkFailedError: the folder cannot be written.
    """
    wrong = [(card.corners_px, outcome) for card, _, outcome in verdict.outcomes if outcome != "found"]
    wrong += [(corners, "false") for corners in verdict.false]
    if not wrong:
        return
    colours = {"missed": (40, 40, 230), "loose": (0, 150, 255), "false": (230, 40, 230)}
    drawn = image.copy()
    for corners, outcome in wrong:
        line = np.rint(corners * 16).astype(np.int32)
        cv2.polylines(drawn, [line], True, colours[outcome], 2, cv2.LINE_AA, shift=4)
        x, y = (int(value) for value in corners.mean(axis=0))
        cv2.putText(drawn, outcome, (x - 30, y), cv2.FONT_HERSHEY_SIMPLEX, 0.6, colours[outcome], 2, cv2.LINE_AA)
    path = folder / f"{verdict.picture.path.stem}-found.jpg"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(cv2.imencode(".jpg", drawn)[1].tobytes())
    except OSError as error:
        raise WorkFailedError(f"{path} cannot be written: {error.strerror or error}") from error
