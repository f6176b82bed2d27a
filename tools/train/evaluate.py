"""Measures the card finder on pictures with known truth: recall by visibility, hypotheses a card, false ones.

`python -m tools.train.evaluate FOLDER…`: a folder has rendered tables with marker cards (one JSON each), or
photographs without a scale (`labels.json` or `truth.json`). Never train on them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find.above import FlatView, TableView, area_in_sight
from vision.find.finder import CardFinder, CardHypotheses
from vision.find.network import CropNetwork, Network
from vision.find.unknown import find_unknown
from vision.markers import markers_in, table_if_shown
from vision.table import Table

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

CLASSES = ("90-100 %", "50-90 %", "20-50 %", "strips", "all else")  # of a card in sight
_PLAIN, _HALF, _LITTLE, _STRIP, _ELSE = range(5)
_LIMITS = ((4.0, 4.0), (8.0, 8.0))  # mm, degrees
_FALSE = (12.0, 15.0)  # farther from all cards than that a hypothesis is false
_MARKER_CARD = 1.36  # of the printed square
_PHOTO_SHORT_MM = 60.0  # photographs without a scale: a card's short side counts as this


@dataclass(frozen=True, eq=False)
class Truth:
    """A picture's cards: `corners_px` (n, 4, 2), `kinds` (n,) in CLASSES; `card_mm` where a scale is known."""

    name: str
    picture: NDArray[np.uint8]
    corners_px: Floats
    kinds: Numbers
    card_mm: tuple[float, float] | None


def _kind(card: dict[str, Any], cards: dict[int, dict[str, Any]]) -> int:
    share, over = float(card["visible_fraction"]), max(card["occluders"], key=card["occluders"].get, default="")
    if share >= 0.9:
        return _PLAIN
    above = cards.get(int(over[4:])) if over.startswith("card") else None
    turn = 90.0 if above is None else (above["rotation_table_deg"] - card["rotation_table_deg"] + 90) % 180 - 90
    if abs(turn) < 8 and 0.1 <= share < 0.5:
        return _STRIP
    return _HALF if share >= 0.5 else _LITTLE if share >= 0.2 else _ELSE


def truths_in(folder: Path) -> Iterator[Truth]:
    """Yield pictures of a folder with their truth."""
    for labels in (folder / "labels.json", folder / "truth.json"):
        if labels.exists():
            entries = json.loads(labels.read_text())
            for entry in entries.get("pictures") or entries["teach"] + entries["test"]:
                name = entry.get("image") or entry["file"]
                path = folder / name if (folder / name).exists() else folder / "pictures" / name
                corners = np.array([card["corners_px"] for card in entry["cards"]], np.float64).reshape(-1, 4, 2)
                yield Truth(path.stem, _read(path), corners, np.zeros(len(corners), np.intp), None)
            return
    for path in sorted(folder.glob("*.json")):
        entry = json.loads(path.read_text())
        cards = {card["index"]: card for card in entry["cards"]}
        corners = np.array([card["corners_px"] for card in cards.values()], np.float64).reshape(-1, 4, 2)
        card_mm = None
        if cards:
            mm = np.array([card["corners_mm"] for card in cards.values()])[..., :2]
            sides = np.median(np.linalg.norm(mm - np.roll(mm, -1, 1), axis=2), 0)
            card_mm = (float(sides[::2].mean()), float(sides[1::2].mean()))
        kinds = np.array([_kind(card, cards) for card in cards.values()], np.intp)
        yield Truth(path.stem, _read(path.with_suffix(".jpg")), corners, kinds, card_mm)


def _read(path: Path) -> NDArray[np.uint8]:
    return np.asarray(cv2.imread(str(path)), np.uint8)


def _short_sides(corners: Floats) -> tuple[Floats, Floats]:
    """Return turns (n,) in rad of the short sides of quads (n, 4, 2), and lengths (n, 2) of both pairs of sides.

    Each row of lengths is sorted.
    """
    sides = np.roll(corners, -1, 1) - corners
    lengths = np.linalg.norm(sides, axis=2).reshape(-1, 2, 2).mean(1)
    first = (lengths[:, 0] <= lengths[:, 1])[:, None]
    way = np.where(first, sides[:, 0] - sides[:, 2], sides[:, 1] - sides[:, 3])
    return np.arctan2(way[:, 1], way[:, 0]), np.sort(lengths, 1)


def offsets(truth: Floats, found: Floats) -> tuple[Floats, Floats]:
    """Return distances (n, m) and turns (n, m), in degrees, of quads found (m, 4, 2) from true ones (n, 4, 2)."""
    (turns, lengths), (way, _) = _short_sides(truth), _short_sides(found)
    square = len(truth) > 0 and float(np.median(lengths[:, 1] / np.maximum(lengths[:, 0], 1e-6))) < 1.05
    period = np.pi / 2 if square else np.pi
    turned = np.abs((turns[:, None] - way[None] + period / 2) % period - period / 2)
    return np.linalg.norm(truth.mean(1)[:, None] - found.mean(1)[None], axis=2), np.degrees(turned)


class Tally:
    """Counts over pictures."""

    def __init__(self) -> None:
        self.cards = np.zeros(len(CLASSES), np.intp)
        self.hits = np.zeros((len(_LIMITS), len(CLASSES)), np.intp)
        self.found = self.false = 0
        self.times: list[tuple[float, float]] = []  # seconds of a picture, and of a yardstick on it

    def __str__(self) -> str:
        shares = [
            f"{name}: {' / '.join(f'{100 * hits / count:.1f}' for hits in of_class)} of {count}"
            for name, count, of_class in zip(CLASSES, self.cards, self.hits.T, strict=True)
            if count
        ]
        pictures, (seconds, yardstick) = len(self.times), np.median(np.array(self.times), 0)
        rates = f"{self.found / max(1, self.cards.sum()):.2f} a card, {self.false / pictures:.2f} false a picture"
        cost = f"{1e3 * seconds:.0f} ms or {seconds / yardstick:.1f} yardsticks"
        return f"{pictures} pictures; {', '.join(shares)}; {rates}, {cost}"


@dataclass(frozen=True, eq=False)
class Result:
    """Hypotheses on a picture, which cards (n,) they hit within the wider limit, and which of them (m,) are false."""

    hypotheses: CardHypotheses
    hit: NDArray[np.bool_]
    false: NDArray[np.bool_]


def measure(truth: Truth, finder: CardFinder, tally: Tally, size_known: bool, peel: bool) -> Result:
    """Find cards on a picture and count; `peel` adds a second pass, as if a verifier had identified the hits."""
    table, corners, known = None, np.zeros((0, 2)), []
    if truth.card_mm is not None or not len(truth.kinds):
        markers = tuple(markers_in(truth.picture))
        table = table_if_shown(markers, (truth.picture.shape[1], truth.picture.shape[0]))
        corners = np.array([marker.corners_px for marker in markers]).reshape(-1, 2)
        # The reader knows where marker cards are; their paper reaches beyond the print.
        known = [(m := marker.corners_px.mean(0)) + _MARKER_CARD * (marker.corners_px - m) for marker in markers]
    view = None if table is None else TableView(truth.picture, table, area_in_sight(table, corners))
    card = truth.card_mm or (63.0, 88.0)
    if size_known and view is not None:
        finder.find(view, card, known)  # a camera's maps are made once
        started = time.process_time()
        found = finder.find(view, card, known)
    else:
        started = time.process_time()
        found = find_unknown(finder, view or FlatView(truth.picture), known).hypotheses
    looked = time.process_time()
    _yardstick(truth.picture)
    tally.times.append((looked - started, time.process_time() - looked))
    far, turned = _offsets_mm(truth, table, found)
    hits = ((far < _LIMITS[1][0]) & (turned < _LIMITS[1][1])).any(0)
    if peel and view is not None and hits.any():
        again = finder.find(view, card, [*known, *found.corners_px[hits]])
        found = CardHypotheses(
            np.concatenate([found.corners_px, again.corners_px]),
            np.concatenate([found.scores, again.scores]),
            np.concatenate([found.in_sight, again.in_sight]),
        )
        far, turned = _offsets_mm(truth, table, found)
    within = [((far < mm) & (turned < degrees)).any(1) for mm, degrees in _LIMITS]
    false = np.logical_not(((far < _FALSE[0]) & (turned < _FALSE[1])).any(0))
    tally.cards += np.bincount(truth.kinds, minlength=len(CLASSES))
    tally.hits += np.stack([np.bincount(truth.kinds[hit], minlength=len(CLASSES)) for hit in within])
    tally.found += len(found)
    tally.false += int(false.sum())
    return Result(found, np.asarray(within[1]), np.asarray(false))


def _yardstick(picture: NDArray[np.uint8]) -> None:
    """Process a picture in the simplest way, so that times compare between machines: grey, Otsu, contours."""
    _, split = cv2.threshold(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    cv2.findContours(split, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)


def _offsets_mm(truth: Truth, table: Table | None, found: CardHypotheses) -> tuple[Floats, Floats]:
    if table is None:
        scale = _PHOTO_SHORT_MM / _short_sides(truth.corners_px)[1][:, 0].mean()
        return offsets(truth.corners_px * scale, found.corners_px * scale)
    return offsets(*(table.to_mm(px.reshape(-1, 2)).reshape(-1, 4, 2) for px in (truth.corners_px, found.corners_px)))


def overlay(truth: Truth, result: Result) -> NDArray[np.uint8]:
    """Return the picture with missed cards in red, others in blue, hypotheses in green, false ones in yellow."""
    image = truth.picture.copy()
    for corners, hit in zip(truth.corners_px, result.hit, strict=True):
        cv2.polylines(image, [corners.astype(np.int32)], True, (255, 80, 0) if hit else (0, 0, 255), 3)
    found = result.hypotheses
    for corners, score, false in zip(found.corners_px, found.scores, result.false, strict=True):
        colour = (0, 230, 230) if false else (0, 220, 0)
        cv2.polylines(image, [corners.astype(np.int32)], True, colour, 2)
        x, y = (int(v) for v in corners.mean(0))
        cv2.putText(image, f"{score:.2f}", (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.6, colour, 2)
    return image


def main() -> None:
    """Print a line for each folder; draw the worst pictures if a folder for them is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--networks", type=Path, help="folder of LiteRT files; the shipped ones without this")
    parser.add_argument("--part", default="0/1", help="k/n: every n-th picture from the k-th on")
    parser.add_argument("--size-unknown", action="store_true", help="as a lesson with a new deck")
    parser.add_argument("--peel", action="store_true", help="a second pass without the cards that were hit")
    parser.add_argument("--overlays", type=Path, help="folder for the 20 worst pictures")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    files = [options.networks / f"card_{name}.tflite" for name in ("finder", "crops")] if options.networks else []
    finder = CardFinder((Network(files[0]), CropNetwork(files[1])) if files else None)
    first, step = map(int, options.part.split("/"))
    drawn: list[tuple[int, str, Truth, Result]] = []
    for folder in options.folders:
        tally = Tally()
        for truth in islice(truths_in(folder), first, None, step):
            result = measure(truth, finder, tally, not options.size_unknown, options.peel)
            bad = int((~result.hit).sum() + 3 * (~result.hit & (truth.kinds < _LITTLE)).sum() + result.false.sum())
            drawn = sorted([*drawn, (bad, f"{folder.name}-{truth.name}", truth, result)], key=lambda one: -one[0])[:20]
        print(f"{folder.parent.name}/{folder.name}: {tally}", flush=True)
    if options.overlays:
        options.overlays.mkdir(parents=True, exist_ok=True)
        for bad, name, truth, result in drawn:
            cv2.imwrite(str(options.overlays / f"{bad:03d}-{name}.jpg"), overlay(truth, result))


if __name__ == "__main__":
    main()
