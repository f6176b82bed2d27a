"""Measures the card finder: a row of figures for each set of pictures and each pair of networks.

`--scenes`: rendered tables with marker cards, a JSON each; size and scale are known. The second pass gets the cards
that the first pass hit. `--photos`: pictures of a deck of unknown size, with `labels.json` or `truth.json`.
`--lessons`: folders of either kind, as a lesson with an unknown deck. `--drawn N`: synthetic tables, never trained on.
`FOLDER:0,2/3` takes the pictures whose number has the remainder 0 or 2 when divided by 3. The number is the last one in
a scene's name, or a photograph's place in its list. Never train on pictures used here.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar
from unittest.mock import patch

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.train.scenes import make_scene, numbered_deck, numbered_ground
from vision.find import any_deck, finder
from vision.find.above import FlatView, TableView, area_in_sight
from vision.find.finder import CardFinder
from vision.find.network import CropNetwork, Network
from vision.find.scale import FINE, SHORT_PX
from vision.image import Picture
from vision.markers import markers_in, table_if_shown
from vision.quads import enlarged
from vision.teaching.lesson_cards import TeachingPicture, laid_out

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]
Found = TypeVar("Found")

CLASSES = ("90-100 %", "50-90 %", "20-50 %", "strips", "all else")  # of a card in sight
_STRIP = 3
_LIMITS = ((4.0, 4.0), (8.0, 8.0), (12.0, 15.0))  # mm, degrees; beyond the last a hypothesis is false
_MARKER_CARD = 1.36  # of the printed square: paper reaches beyond the print
_SHORT_MM = 60.0  # a card's short side counts as this where no scale is known
_FAR_OFF = 1.8  # mm, 3 % of a card's width; corners farther off are counted as beyond
_ANY_CARD = [[0, 0], [63, 0], [63, 88]]
_DRAWN_SEED = 99  # of the world of synthetic tables; trainings have others
_SURE = (0.5, 0.7, 0.8)  # scores from which hypotheses on empty tables are counted


class Truth(NamedTuple):
    """A picture's cards: `corners_px` (n, 4, 2), `kinds` (n,) in CLASSES; `card_mm` where a scale is known."""

    picture: NDArray[np.uint8]
    corners_px: Floats
    kinds: Numbers
    card_mm: tuple[float, float]


def truths_in(name: str) -> Iterator[Truth]:
    """Yield pictures of `FOLDER:REMAINDERS/DIVISOR` with their truth."""
    path, _, part = name.partition(":")
    remainders, divisor = (part or "0/1").split("/")
    folder = Path(path)
    labels = [folder / file for file in ("labels.json", "truth.json") if (folder / file).exists()]
    if labels:
        content = json.loads(labels[0].read_text())
        entries = content.get("pictures") or content["teach"] + content["test"]
        listed = [(k, folder / (entry.get("image") or entry["file"]), entry) for k, entry in enumerate(entries)]
    else:
        scenes = sorted(folder.glob("*.json"))
        numbers = [int((re.findall(r"\d+", scene.stem) or [0])[-1]) for scene in scenes]
        contents = [json.loads(scene.read_text()) for scene in scenes]
        listed = list(zip(numbers, [scene.with_suffix(".jpg") for scene in scenes], contents, strict=True))
    for number, file, entry in listed:
        if str(number % int(divisor)) in remainders.split(","):
            picture = cv2.imread(str(file if file.exists() else folder / "pictures" / file.name))
            corners = np.array([card["corners_px"] for card in entry["cards"]], np.float64).reshape(-1, 4, 2)
            shares = np.array([card.get("visible_fraction", 1.0) for card in entry["cards"]])
            mm = np.array([card.get("corners_mm", _ANY_CARD)[:3] for card in entry["cards"]] or [_ANY_CARD])
            width, height = np.median(np.linalg.norm(np.diff(mm, axis=1), axis=2), axis=0)
            yield Truth(np.asarray(picture, np.uint8), corners, _kinds(corners, shares), (float(width), float(height)))


def _kinds(corners: Floats, shares: Floats) -> Numbers:
    """Return each card's class (n,); cards come from the bottom up. A strip has a near, parallel card above it."""
    kinds = np.array([0, 1, 2, 4])[np.digitize(-shares, (-0.9, -0.5, -0.2))]
    turns, sides = _short_sides(corners)
    for k in np.flatnonzero((shares >= 0.1) & (shares < 0.5)):
        near = np.linalg.norm(corners[k + 1 :].mean(1) - corners[k].mean(0), axis=1) < sides[k, 0]
        if (near & (_turned(turns[k + 1 :], turns[k], np.pi) < 8)).any():
            kinds[k] = _STRIP
    return np.asarray(kinds, np.intp)


def _turned(one: Floats, other: Floats, period: float) -> Floats:
    return np.asarray(np.degrees(np.abs((one - other + period / 2) % period - period / 2)))


def _short_sides(corners: Floats) -> tuple[Floats, Floats]:
    """Return turns (n,) in rad of the short sides of quads (n, 4, 2), and sorted lengths (n, 2) of both pairs."""
    sides = np.roll(corners, -1, 1) - corners
    lengths = np.linalg.norm(sides, axis=2).reshape(-1, 2, 2).mean(1)
    first = (lengths[:, 0] <= lengths[:, 1])[:, None]
    way = np.where(first, sides[:, 0] - sides[:, 2], sides[:, 1] - sides[:, 3])
    return np.arctan2(way[:, 1], way[:, 0]), np.sort(lengths, 1)


class Tally:
    """Counts over pictures."""

    def __init__(self) -> None:
        self.cards, self.hits = np.zeros(len(CLASSES), np.intp), np.zeros((2, len(CLASSES)), np.intp)
        self.found = self.false = 0
        self.off: list[float] = []  # mm, the farthest corner of each card that was hit
        self.times: list[tuple[float, float]] = []  # seconds of a picture, and of a yardstick on it

    def add(self, kinds: Numbers, true: Floats, found: Floats) -> NDArray[np.bool_]:
        """Compare quads `found` (m, 4, 2) with true ones (n, 4, 2), mm; count by class; return which (m,) hit."""
        (turns, lengths), (way, _) = _short_sides(true), _short_sides(found)
        square = len(true) > 0 and float(np.median(lengths[:, 1] / np.maximum(lengths[:, 0], 1e-6))) < 1.05
        turned = _turned(turns[:, None], way[None], np.pi / 2 if square else np.pi)
        far = np.linalg.norm(true.mean(1)[:, None] - found.mean(1)[None], axis=2)
        near = [(far < mm) & (turned < degrees) for mm, degrees in _LIMITS]
        self.cards += np.bincount(kinds, minlength=len(CLASSES))
        self.hits += np.stack([np.bincount(kinds[hit.any(1)], minlength=len(CLASSES)) for hit in near[:2]])
        self.found += len(found)
        self.false += int((~near[2].any(0)).sum())
        ways = np.stack([np.roll(found, way, 1) for way in range(4)])[:, None]
        off = np.linalg.norm(ways - true[None, :, None], axis=-1).max(-1).min(0)
        self.off += off.min(1, initial=np.inf)[near[0].any(1)].tolist()
        return np.asarray(near[1].any(0))

    def timed(self, picture: NDArray[np.uint8], find: Callable[[], Found]) -> Found:
        """Return the result of `find`; add its time, and that of a yardstick (grey, Otsu, contours)."""
        started = time.process_time()
        found = find()
        looked = time.process_time()
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        _, split = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
        cv2.findContours(split, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        self.times.append((looked - started, time.process_time() - looked))
        return found

    def __str__(self) -> str:
        rows = zip(CLASSES, self.cards, *100 * self.hits / np.maximum(self.cards, 1), strict=True)
        shares = ", ".join(f"{name}: {near:.1f} / {close:.1f} of {count}" for name, count, near, close in rows if count)
        pictures, (seconds, yardstick) = len(self.times), np.median(np.array(self.times), 0)
        rates = f"{self.found / max(1, self.cards.sum()):.2f} a card, {self.false / pictures:.2f} false a picture"
        beyond = sum(off > _FAR_OFF for off in self.off)
        corners = f"corners {np.median(self.off):.2f} mm off, {beyond} beyond {_FAR_OFF}"
        cost = f"{1e3 * seconds:.0f} ms or {seconds / yardstick:.0f} yardsticks"
        return f"{pictures} pictures; {shares}; {rates}; {corners}; {cost}"


def scene_rows(truths: Iterable[Truth]) -> dict[str, object]:
    """Return tallies of cards of known size: of one pass, and with a second pass below the cards already hit."""
    first, second, cards = Tally(), Tally(), CardFinder()
    for truth in truths:
        markers = tuple(markers_in(truth.picture))
        table = table_if_shown(markers, (truth.picture.shape[1], truth.picture.shape[0]))
        assert table is not None
        corners = np.array([marker.corners_px for marker in markers])
        known = list(enlarged(corners, _MARKER_CARD))
        view = TableView(truth.picture, table, area_in_sight(table, corners.reshape(-1, 2)))
        find = partial(cards.find, view, truth.card_mm)
        find(known)  # a camera's maps are made once
        found = first.timed(truth.picture, partial(find, known)).corners_px
        true_mm, found_mm = (table.to_mm(px) for px in (truth.corners_px, found))
        hit = first.add(truth.kinds, true_mm, found_mm)
        again = second.timed(truth.picture, partial(find, [*known, *found[hit]])).corners_px
        again_mm = table.to_mm(again)
        second.add(truth.kinds, true_mm, np.concatenate([found_mm, again_mm]))
    return {"first pass": first, "second pass": second}


def photo_rows(truths: Iterable[Truth]) -> dict[str, object]:
    """Return the tally of cards of unknown size."""
    tally = Tally()
    for truth in truths:
        cards = tally.timed(truth.picture, partial(any_deck.find_any_cards, truth.picture))
        _add(tally, truth, np.array([card.corners_px for card in cards]))
    return {"any deck": tally}


def lesson_rows(truths: Iterable[Truth]) -> dict[str, object]:
    """Return the tally of a lesson over all pictures; its time counts as that of one picture."""
    tally, all_truths = Tally(), list(truths)
    pictures = [TeachingPicture("", partial(Picture, truth.picture, 1)) for truth in all_truths]
    laid, _ = tally.timed(all_truths[0].picture, partial(laid_out, pictures, None))
    for truth, look in zip(all_truths, laid, strict=True):
        _add(tally, truth, look.quads_px)
    return {f"lesson of {len(all_truths)}": tally}


def _add(tally: Tally, truth: Truth, found: Floats) -> None:
    scale = _SHORT_MM / _short_sides(truth.corners_px)[1][:, 0].mean()
    tally.add(truth.kinds, truth.corners_px * scale, found.reshape(-1, 4, 2) * scale)


def drawn_rows(number: int) -> dict[str, object]:
    """Return what is found on synthetic tables, and how many hypotheses are likely on a table without cards."""
    g, tally, empty = np.random.default_rng(_DRAWN_SEED), Tally(), list[Floats]()
    while len(tally.times) < number:
        index = int(g.integers(0, 10_000))
        scene = make_scene(g, [numbered_deck(_DRAWN_SEED, index)], [numbered_ground(_DRAWN_SEED, index)])
        size = (FINE * SHORT_PX, FINE * SHORT_PX * float(scene.aspect))
        found = tally.timed(scene.image, partial(CardFinder().find, FlatView(scene.image), size))
        shown = np.flatnonzero(scene.shares > 0)
        if not len(shown):
            tally.times.pop()
            empty.append(found.scores)
            continue
        true = scene.quads[shown].astype(np.float64)
        found_mm = (found.corners_px + 0.5) * _SHORT_MM / (FINE * SHORT_PX)
        tally.add(_kinds(true, scene.shares[shown].astype(np.float64)), true * _SHORT_MM / SHORT_PX, found_mm)
    rates = [f"{sum((some >= score).sum() for some in empty) / max(1, len(empty)):.2f} from {score}" for score in _SURE]
    return {"drawn": tally, f"{len(empty)} empty tables, hypotheses on each": ", ".join(rates)}


def main() -> None:
    """Print the rows of each pair of networks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = {"scenes": scene_rows, "photos": photo_rows, "lessons": lesson_rows}
    for kind in kinds:
        parser.add_argument(f"--{kind}", nargs="+", default=[], metavar="FOLDER")
    parser.add_argument("--drawn", type=int, metavar="N")
    parser.add_argument("--networks", type=Path, nargs="+", default=[Path("vision/models")], metavar="FOLDER")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    for networks in options.networks:
        pair = Network(networks / "card_finder.tflite"), CropNetwork(networks / "card_crops.tflite")
        sets = [
            (name, partial(rows, truths_in(name))) for kind, rows in kinds.items() for name in getattr(options, kind)
        ]
        with patch.object(finder, "shipped_networks", return_value=pair):
            for name, measured in [*sets, *([("", partial(drawn_rows, options.drawn))] if options.drawn else [])]:
                for what, figures in measured().items():
                    print(f"{networks} {name} {what}: {figures}", flush=True)


if __name__ == "__main__":
    main()
