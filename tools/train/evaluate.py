"""Measures the card finder on pictures with known truth: recall by visibility, hypotheses a card, false ones.

`python -m tools.train.evaluate FOLDER…`: a folder has rendered tables with marker cards (one JSON each), or
photographs without a scale (`labels.json` or `truth.json`). Never train on them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.above import TableView, area_in_sight
from vision.find.finder import CardFinder, Hypotheses
from vision.find.network import Network
from vision.find.unknown import find_unknown
from vision.markers import markers_in, table_if_shown
from vision.table import Table

Floats = NDArray[np.float64]
CLASSES = (">= 90 %", "50-90 %", "20-50 %", "strips", "all else")
LIMITS = ((4.0, 4.0), (8.0, 8.0))  # mm, degrees
_FALSE = (12.0, 15.0)  # farther from all cards than that a hypothesis is false
_PHOTO_SHORT_MM = 60.0  # photographs without a scale: a card's short side counts as this


@dataclass(frozen=True, eq=False)
class Truth:
    """A picture's cards: `corners_px` (n, 4, 2), `kinds` (n,) number in CLASSES; `card_mm` if the table has a scale."""

    name: str
    picture: NDArray[np.uint8]
    corners_px: Floats
    kinds: NDArray[np.intp]
    card_mm: tuple[float, float] | None


def _kind(card: dict[str, Any], cards: dict[int, dict[str, Any]]) -> int:
    share = float(card["visible_fraction"])
    if share >= 0.9:
        return 0
    over = max(card["occluders"], key=card["occluders"].get, default="")
    above = cards.get(int(over[4:])) if over.startswith("card") else None
    if above is not None and 0.1 <= share < 0.5:
        turn = (above["rotation_table_deg"] - card["rotation_table_deg"] + 90) % 180 - 90
        if abs(turn) < 8:
            return 3
    return 1 if share >= 0.5 else 2 if share >= 0.2 else 4


def truths_in(folder: Path) -> Iterator[Truth]:
    """Pictures of a folder with their truth."""
    for name in ("labels.json", "truth.json"):
        if (folder / name).exists():
            yield from _photographs(folder, json.loads((folder / name).read_text()))
            return
    for path in sorted(folder.glob("*.json")):
        entry = json.loads(path.read_text())
        picture = cv2.imread(str(path.with_suffix(".jpg")))
        if picture is None or "cards" not in entry:
            continue
        cards = {card["index"]: card for card in entry["cards"]}
        corners = np.array([card["corners_px"] for card in cards.values()], np.float64).reshape(-1, 4, 2)
        card_mm = None
        if cards:
            mm = np.array([card["corners_mm"] for card in cards.values()])[..., :2]
            sides = np.sort(np.median(np.linalg.norm(mm - np.roll(mm, -1, 1), axis=2), 0).reshape(2, 2).mean(0))
            card_mm = (float(sides[0]), float(sides[1]))
        kinds = np.array([_kind(card, cards) for card in cards.values()], np.intp)
        yield Truth(path.stem, np.asarray(picture, np.uint8), corners, kinds, card_mm)


def _photographs(folder: Path, labels: dict[str, Any]) -> Iterator[Truth]:
    for entry in labels.get("pictures") or labels["teach"] + labels["test"]:
        name = entry.get("image") or entry["file"]
        path = next(p for p in (folder / name, folder / "pictures" / name) if p.exists())
        picture = np.asarray(cv2.imread(str(path)), np.uint8)
        corners = np.array([card["corners_px"] for card in entry["cards"]], np.float64).reshape(-1, 4, 2)
        yield Truth(path.stem, picture, corners, np.zeros(len(corners), np.intp), None)


def _centres_and_turns(corners: Floats) -> tuple[Floats, Floats, float]:
    """Centres (n, 2), turns (n,) of the short sides in rad, and the mean short side of quads (n, 4, 2)."""
    sides = np.roll(corners, -1, 1) - corners
    lengths = np.linalg.norm(sides, axis=2)
    first, second = lengths[:, ::2].mean(1), lengths[:, 1::2].mean(1)
    way = np.where((first <= second)[:, None], sides[:, 0] - sides[:, 2], sides[:, 1] - sides[:, 3])
    return (
        corners.mean(1),
        np.arctan2(way[:, 1], way[:, 0]),
        float(np.minimum(first, second).mean()) if len(first) else 1.0,
    )


def offsets(truth: Floats, found: Floats) -> tuple[Floats, Floats]:
    """Distances (n, m) in units and turns (n, m) in degrees of quads found (m, 4, 2) from true ones (n, 4, 2)."""
    centres, turns, _ = _centres_and_turns(truth)
    at, way, _ = _centres_and_turns(found)
    sides = np.linalg.norm(truth - np.roll(truth, -1, 1), axis=2).reshape(-1, 2, 2).mean(1)
    square = bool(len(sides)) and float(np.median(sides.max(1) / np.maximum(sides.min(1), 1e-6))) < 1.05
    period = np.pi / 2 if square else np.pi
    apart = np.abs((turns[:, None] - way[None] + period / 2) % period - period / 2)
    return np.linalg.norm(centres[:, None] - at[None], axis=2), np.degrees(apart)


@dataclass
class Tally:
    """Counts over pictures."""

    cards: NDArray[np.intp] = field(default_factory=lambda: np.zeros(len(CLASSES), np.intp))
    hits: NDArray[np.intp] = field(default_factory=lambda: np.zeros((len(LIMITS), len(CLASSES)), np.intp))
    pictures: int = 0
    found: int = 0
    false: int = 0
    seconds: float = 0.0

    def report(self) -> str:
        """One line of figures."""
        shares = [f"{name}: " + " / ".join(f"{100 * self.hits[k, i] / self.cards[i]:.1f}" for k in range(len(LIMITS)))
                  + f" ({self.cards[i]})" for i, name in enumerate(CLASSES) if self.cards[i]]  # fmt: skip
        cards = max(1, int(self.cards.sum()))
        return (
            f"{self.pictures} pictures, recall at 4 mm 4° / 8 mm 8°: {', '.join(shares)}; "
            f"{self.found / cards:.2f} hypotheses a card, {self.false / max(1, self.pictures):.2f} false a picture, "
            f"{1e3 * self.seconds / max(1, self.pictures):.0f} ms a picture"
        )


def _to_mm(truth: Truth, table: Table | None, corners: Floats) -> Floats:
    if table is not None:
        return table.to_mm(corners.reshape(-1, 2)).reshape(-1, 4, 2)
    return corners * (_PHOTO_SHORT_MM / _centres_and_turns(truth.corners_px)[2])


@dataclass(frozen=True, eq=False)
class Result:
    """Hypotheses on a picture, which cards (n,) they hit within the wider limit, and which of them (m,) are false."""

    hypotheses: Hypotheses
    hit: NDArray[np.bool_]
    false: NDArray[np.bool_]


def measure(truth: Truth, finder: CardFinder, tally: Tally, size_known: bool, peel: bool) -> Result:
    """Find cards on a picture and count."""
    table, near = None, None
    if truth.card_mm is not None or not len(truth.kinds):
        markers = markers_in(truth.picture)
        table = table_if_shown(tuple(markers), (truth.picture.shape[1], truth.picture.shape[0]))
        near = np.array([marker.corners_px for marker in markers]).reshape(-1, 2)
    started = time.process_time()
    if table is not None:
        view = TableView(truth.picture, table, area_in_sight(table, near))
        card = truth.card_mm or (63.0, 88.0)
        found = finder.find(view, card) if size_known else find_unknown(finder, truth.picture, view).hypotheses
    else:
        found = find_unknown(finder, truth.picture).hypotheses
    tally.seconds += time.process_time() - started
    true_mm, found_mm = _to_mm(truth, table, truth.corners_px), _to_mm(truth, table, found.corners_px)
    far, turned = offsets(true_mm, found_mm)
    near_enough = (far < LIMITS[1][0]) & (turned < LIMITS[1][1])
    if peel and table is not None and near_enough.any():  # as if a verifier had identified the hits
        again = finder.find(view, card, list(found.corners_px[near_enough.any(0)]))
        found = Hypotheses(*(np.concatenate(parts) for parts in zip(
            (found.corners_px, found.scores, found.in_sight), (again.corners_px, again.scores, again.in_sight),
            strict=True)))  # fmt: skip
        found_mm = _to_mm(truth, table, found.corners_px)
        far, turned = offsets(true_mm, found_mm)
    for k, (most_mm, most_degrees) in enumerate(LIMITS):
        hit = ((far < most_mm) & (turned < most_degrees)).any(1)
        tally.hits[k] += np.bincount(truth.kinds[hit], minlength=len(CLASSES))
    false = ~((far < _FALSE[0]) & (turned < _FALSE[1])).any(0)
    tally.cards += np.bincount(truth.kinds, minlength=len(CLASSES))
    tally.pictures += 1
    tally.found += len(found)
    tally.false += int(false.sum())
    return Result(found, hit, false)


def overlay(truth: Truth, result: Result) -> NDArray[np.uint8]:
    """The picture with missed cards in red, others in blue, hypotheses in green, false ones in yellow."""
    image = truth.picture.copy()
    for corners, hit in zip(truth.corners_px, result.hit, strict=True):
        cv2.polylines(image, [np.int32(corners)], True, (255, 80, 0) if hit else (0, 0, 255), 3)
    found = result.hypotheses
    for corners, score, false in zip(found.corners_px, found.scores, result.false, strict=True):
        colour = (0, 230, 230) if false else (0, 220, 0)
        cv2.polylines(image, [np.int32(corners)], True, colour, 2)
        at = corners.mean(0).astype(int)
        cv2.putText(image, f"{score:.2f}", (int(at[0]), int(at[1])), cv2.FONT_HERSHEY_SIMPLEX, 0.6, colour, 2)
    return image


def main() -> None:
    """Print a line for each folder and one for all; draw the worst pictures if a folder for them is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--network", type=Path, help="LiteRT file; the shipped one without this")
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--part", default="0/1", help="k/n: every n-th picture from the k-th on")
    parser.add_argument("--size-unknown", action="store_true", help="as a lesson with a new deck")
    parser.add_argument("--peel", action="store_true", help="a second pass without the cards that were hit")
    parser.add_argument("--overlays", type=Path, help="folder for the worst pictures")
    parser.add_argument("--worst", type=int, default=20)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    finder = CardFinder(Network(options.network) if options.network else None)
    first, step = map(int, options.part.split("/"))
    total, drawn = Tally(), []
    for folder in options.folders:
        tally = Tally()
        chosen = [truth for truth in truths_in(folder) if options.only in truth.name][first::step]
        for truth in chosen:
            result = measure(truth, finder, tally, not options.size_unknown, options.peel)
            bad = int((~result.hit & (truth.kinds < 2)).sum()) * 3 + int((~result.hit).sum()) + int(result.false.sum())
            drawn.append((bad, f"{folder.name}-{truth.name}", truth, result))
            drawn = sorted(drawn, key=lambda one: -one[0])[: options.worst]
        print(f"{folder.name}: {tally.report()}", flush=True)
        for name in ("cards", "hits", "pictures", "found", "false", "seconds"):
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    if len(options.folders) > 1:
        print(f"all: {total.report()}")
    if options.overlays:
        options.overlays.mkdir(parents=True, exist_ok=True)
        for bad, name, truth, result in drawn:
            cv2.imwrite(str(options.overlays / f"{bad:03d}-{name}.jpg"), overlay(truth, result))


if __name__ == "__main__":
    main()
