"""Reads all cards of a known deck in one picture: marks, hypotheses, evidence, and a verdict with a margin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colour import Palette, fitted_palette, printed_palette
from vision.deck import Deck
from vision.errors import BadTableError
from vision.evidence import Evidence, Sampler, Templates, gather, look_at_lone, on_ground, templates_of
from vision.judge import SURE, Verdicts, judge
from vision.layouts import Hypotheses, Layouts, common_stretch, layouts_of, part_cards, size_candidates, whole_cards
from vision.lone_marks import find_lines, lone_mark_cards
from vision.markers import Marker, find_markers, table_from_markers
from vision.marks import Marks, WorkImage, find_marks, work_image
from vision.outline import corners_of, edge_steps, edge_support
from vision.reading import CardReading, Reading, UnclearCard
from vision.table import Table

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

_WHOLE_SLACK_MM = 1.6
_PART_SLACK_MM = 1.2
_MOST_STRETCH = 0.05
_LIKELY = 0.4 / 360  # per degree: a hue at random has 1 / 360


@dataclass(frozen=True, eq=False)
class SideModel:
    """All that is worked out once for one side of a deck."""

    layouts: Layouts
    templates: Templates
    palette: Palette
    colours: NDArray[np.intp]  # (n, 3) palette index of every face's marks


@dataclass(frozen=True, eq=False)
class _Measured:
    """Hypotheses with what the picture says of them; `edges` (n, 4): each side's support."""

    hypotheses: Hypotheses
    evidence: Evidence
    edges: Floats


@lru_cache(maxsize=4)
def side_models(deck: Deck) -> dict[str, SideModel]:
    """The models of both sides of a deck."""
    models = {}
    for side in deck.background:
        layouts, palette = layouts_of(deck, side), printed_palette(deck, side)
        colours = np.array([[palette.names.index(m.colour) for m in face.marks] for face in layouts.faces])
        models[side] = SideModel(layouts, templates_of(deck, layouts), palette, colours)
    return models


def table_in(image_bgr: Image) -> tuple[Table, tuple[Marker, ...]]:
    """The table as the marker cards in this picture show it.

    Raises:
        BadTableError: no marker card is in sight, or they do not lie on one table.
    """
    markers = find_markers(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY))
    if not markers:
        raise BadTableError("no marker card is in sight")
    return table_from_markers(markers, (image_bgr.shape[1], image_bgr.shape[0])), markers


def read(image_bgr: Image, deck: Deck, table: Table) -> Reading:
    """Read every card of `deck` in a picture (h, w, 3) uint8 BGR of `table`."""
    height, width = image_bgr.shape[:2]
    places = np.array([[0, 0], [width, 0], [width, height], [0, height], [width / 2, height / 2]], np.float64)
    scales = table.px_per_mm(places)
    work = work_image(image_bgr, float(scales[-1]))
    models = side_models(deck)
    marks = {
        side: find_marks(work, table, side, model.layouts.area_range_mm2, float(scales.max()) * work.scale)
        for side, model in models.items()
    }
    table = table.stretched(_stretch(models, marks))
    sampler = Sampler(work, table)
    verdicts = [
        verdict
        for side, model in models.items()
        for verdict in _SideReader(sampler, deck, model).read(work, table, marks[side].on(table))
    ]
    return _settled(verdicts, deck, table)


def _stretch(models: dict[str, SideModel], marks: dict[str, Marks]) -> float:
    """How much larger than printed the cards measure on this table."""
    stretches, residuals = [], []
    for side, model in models.items():
        every = np.ones(len(marks[side]), dtype=bool)
        found, stretch = whole_cards(model.layouts, marks[side], _WHOLE_SLACK_MM, every, _MOST_STRETCH)
        stretches.append(stretch)
        residuals.append(found.residual_mm)
    return common_stretch(np.concatenate(stretches), np.concatenate(residuals))


class _SideReader:
    """Judges the cards of one side of a deck in one picture."""

    def __init__(self, sampler: Sampler, deck: Deck, model: SideModel) -> None:
        self._sampler = sampler
        self._deck = deck
        self._model = model
        self._palette = model.palette

    def read(self, work: WorkImage, table: Table, marks: Marks) -> list[Verdicts]:
        """First the cards with three whole marks in sight, then those with two, then with one and a straight edge."""
        layouts, colours = self._model.layouts, self._model.colours
        free = size_candidates(layouts, marks).any(1)
        free[free] = on_ground(self._sampler, marks, np.flatnonzero(free), layouts.side)
        whole = self._measured(whole_cards(layouts, marks, _WHOLE_SLACK_MM, free)[0])
        sure = self._judged(whole).sure
        if sure.any():
            found = whole.hypotheses.faces[sure]
            self._palette = fitted_palette(
                self._model.palette, colours[found].ravel(), whole.evidence.hues_deg[sure].ravel()
            )
        verdicts = [self._judged(whole)]
        self._take(free, verdicts[-1])
        left = np.flatnonzero(free)
        look = look_at_lone(self._sampler, marks, left, layouts.side)
        likely = np.zeros((len(marks), *colours.shape), dtype=bool)
        likely[left] = (self._palette.likelihood(look.hues_deg, look.spread_deg) > _LIKELY)[:, colours]
        verdicts.append(self._judged(self._measured(part_cards(layouts, marks, _PART_SLACK_MM, free, likely))))
        self._take(free, verdicts[-1])
        lone = left[look.plain & free[left]]
        if len(lone):
            lines = find_lines(work, table, marks.centres_mm[lone])
            found = lone_mark_cards(self._deck, layouts, marks, lone, likely[lone], lines)
            verdicts.append(self._judged(self._measured(found)))
        return verdicts

    def _take(self, free: NDArray[np.bool_], verdicts: Verdicts) -> None:
        used = verdicts.hypotheses.marks[verdicts.sure].ravel()
        free[used[used >= 0]] = False

    def _measured(self, hypotheses: Hypotheses) -> _Measured:
        """Look at the marks of all, and at the edges of those that edges could still save."""
        side = self._model.layouts.side
        evidence = gather(self._sampler, hypotheses, self._model.templates, side)
        best = self._judged(_Measured(hypotheses, evidence, np.ones((len(hypotheses), 4)))).log_odds
        hopeful = best > 0
        hypotheses, evidence = hypotheses.take(hopeful), evidence.take(hopeful)
        steps, places = edge_steps(self._sampler, hypotheses, self._deck)
        return _Measured(hypotheses, evidence, edge_support(steps, places))

    def _judged(self, measured: _Measured) -> Verdicts:
        return judge(
            measured.hypotheses,
            measured.evidence,
            measured.edges,
            self._palette,
            self._model.colours,
            self._model.layouts,
        )


def _settled(verdicts: list[Verdicts], deck: Deck, table: Table) -> Reading:
    """Choose the best of the hypotheses that exclude each other: a mark belongs to one card, a card lies once."""
    ranked = sorted(
        ((float(odds), v, k) for v in verdicts for k, odds in enumerate(v.log_odds)), key=lambda item: -item[0]
    )
    taken: dict[str, set[int]] = {verdict.layouts.side: set() for verdict in verdicts}
    used: set[str] = set()
    cards: list[CardReading] = []
    unclear: list[UnclearCard] = []
    for rank, (odds, verdict, k) in enumerate(ranked):
        if odds < 0:
            break
        side = verdict.layouts.side
        face = verdict.layouts.faces[verdict.hypotheses.faces[k]]
        marks = {int(m) for m in verdict.hypotheses.marks[k] if m >= 0}
        if marks & taken[side]:
            continue
        margin = odds - _rival(ranked[rank + 1 :], verdict, marks, taken[side], used, face.id)
        corners = verdict.hypotheses.take(np.array([k])).to_table(corners_of(deck))[0]
        centre = (float(corners[:, 0].mean()), float(corners[:, 1].mean()))
        confidence = float(1 / (1 + np.exp(-min(odds, margin))))
        corners_px = table.to_px(corners)
        taken[side] |= marks
        if min(odds, margin) > SURE and face.id not in used:
            used.add(face.id)
            cards.append(CardReading(face, confidence, corners_px, centre))
        else:
            reason = "same card twice" if face.id in used else "covered"
            middle = corners_px.mean(0)
            unclear.append(
                UnclearCard(corners_px, (float(middle[0]), float(middle[1])), centre, reason, (face, confidence))
            )
    return Reading(tuple(cards), tuple(unclear))


def _rival(
    others: list[tuple[float, Verdicts, int]],
    verdict: Verdicts,
    marks: set[int],
    taken: set[int],
    used: set[str],
    face_id: str,
) -> float:
    """Log-odds of the next best face that these marks could be."""
    for odds, other, k in others:
        if other.layouts is verdict.layouts:
            shared = {int(m) for m in other.hypotheses.marks[k] if m >= 0}
            rival = other.layouts.faces[other.hypotheses.faces[k]].id
            if shared & marks and not shared & taken and rival != face_id and rival not in used:
                return odds
    return -20.0
