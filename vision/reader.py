"""Reads all cards of a known deck in one picture: marks, hypotheses, evidence, and a verdict with a margin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colour import Palette, fitted_palette, printed_palette
from vision.deck import Deck, Face
from vision.errors import BadTableError
from vision.evidence import Evidence, Sampler, Templates, gather, look_at, templates_of
from vision.judge import SURE, Verdicts, judge
from vision.layouts import Hypotheses, Layouts, common_stretch, layouts_of, part_cards, posed, size_candidates, whole_cards
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
_UNEVEN = 0.02  # cards in a heap lie nearer to the camera, and aslant
_SAME_PLACE_MM = 12.0
_NO_RIVAL = -20.0
_WORTH_SAYING = 1.5  # log-odds from which a card that cannot be told is mentioned
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
    sampler = Sampler(work, table)
    most = float(scales.max()) * work.scale
    readers = [_SideReader(work, sampler, deck, model, most) for model in side_models(deck).values()]
    whole = [reader.whole_cards() for reader in readers]
    stretch = common_stretch(
        np.concatenate([stretches for _, stretches in whole]), np.concatenate([found.residual_mm for found, _ in whole])
    )
    table = table.stretched(stretch)
    sampler = Sampler(work, table)
    verdicts = [
        verdict
        for reader, (found, stretches) in zip(readers, whole, strict=True)
        for verdict in reader.read(sampler, found.take(np.abs(stretches / stretch - 1) < _UNEVEN))
    ]
    return _settled(verdicts, deck, table)


class _SideReader:
    """Judges the cards of one side of a deck in one picture."""

    def __init__(self, work: WorkImage, sampler: Sampler, deck: Deck, model: SideModel, px_per_mm: float) -> None:
        layouts = model.layouts
        self._work = work
        self._sampler = sampler
        self._deck = deck
        self._model = model
        self._palette = model.palette
        self._known_mm = np.zeros((0, 4, 2))
        self._marks = find_marks(work, sampler.table, layouts.side, layouts.area_range_mm2, px_per_mm)
        chosen = np.flatnonzero(size_candidates(layouts, self._marks).any(1))
        look = look_at(sampler, self._marks, chosen, layouts.side)
        self._free = np.zeros(len(self._marks), dtype=bool)
        self._free[chosen[look.stands_out]] = True
        self._plain = np.zeros(len(self._marks), dtype=bool)
        self._plain[chosen[look.plain]] = True
        self._hues, self._spread = np.zeros(len(self._marks)), np.full(len(self._marks), 180.0)
        self._hues[chosen], self._spread[chosen] = look.hues_deg, look.spread_deg

    def whole_cards(self) -> tuple[Hypotheses, Floats]:
        """Cards with three whole marks in sight, and how much larger than printed each measures."""
        return whole_cards(self._model.layouts, self._marks, _WHOLE_SLACK_MM, self._free, _MOST_STRETCH)

    def read(self, sampler: Sampler, whole: Hypotheses) -> list[Verdicts]:
        """Judge the cards with three whole marks in sight, then those with two, then with one and a straight edge."""
        layouts, colours = self._model.layouts, self._model.colours
        self._sampler = sampler
        self._marks = marks = self._marks.on(sampler.table)
        measured = self._measured(posed(layouts, marks, whole.faces, whole.marks))
        sure = self._judged(measured).sure
        if sure.any():
            known = colours[measured.hypotheses.faces[sure]]
            self._palette = fitted_palette(self._model.palette, known.ravel(), measured.evidence.hues_deg[sure].ravel())
        verdicts = [self._judged(measured)]
        self._take(verdicts[-1])
        likely = (self._palette.likelihood(self._hues, self._spread) > _LIKELY)[:, colours]
        verdicts.append(self._judged(self._measured(part_cards(layouts, marks, _PART_SLACK_MM, self._free, likely))))
        self._take(verdicts[-1])
        lone = np.flatnonzero(self._free & self._plain)
        if len(lone):
            lines = find_lines(self._work, sampler.table, marks.centres_mm[lone])
            found = lone_mark_cards(self._deck, layouts, marks, lone, likely[lone], lines)
            verdicts.append(self._judged(self._measured(found)))
        return verdicts

    def _take(self, verdicts: Verdicts) -> None:
        sure = verdicts.hypotheses.take(verdicts.sure)
        used = sure.marks.ravel()
        self._free[used[used >= 0]] = False
        self._known_mm = np.concatenate([self._known_mm, sure.to_table(corners_of(self._deck))])

    def _measured(self, hypotheses: Hypotheses) -> _Measured:
        """Look at the marks of all, and at the edges of those that edges could still save."""
        side = self._model.layouts.side
        evidence = gather(self._sampler, hypotheses, self._model.templates, side, self._known_mm)
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


@dataclass(frozen=True, eq=False)
class _Claim:
    """A hypothesis on its way to a verdict."""

    odds: float
    face: Face
    marks: frozenset[tuple[str, int]]
    corners_mm: Floats
    centre_mm: Floats

    def excludes(self, other: _Claim) -> bool:
        """Whether both cannot be: they share a mark, or lie so close that neither would show half of its face."""
        return bool(self.marks & other.marks) or float(np.abs(self.centre_mm - other.centre_mm).max()) < _SAME_PLACE_MM


def _claims(verdicts: list[Verdicts], deck: Deck) -> list[_Claim]:
    """All hypotheses worth a word, the best first."""
    claims = []
    for verdict in verdicts:
        chosen = np.flatnonzero(verdict.log_odds > _WORTH_SAYING)
        hypotheses = verdict.hypotheses.take(chosen)
        corners = hypotheses.to_table(corners_of(deck))
        for k, odds in enumerate(verdict.log_odds[chosen]):
            face = verdict.layouts.faces[hypotheses.faces[k]]
            marks = frozenset((face.side, int(m)) for m in hypotheses.marks[k] if m >= 0)
            claims.append(_Claim(float(odds), face, marks, corners[k], corners[k].mean(0)))
    return sorted(claims, key=lambda claim: -claim.odds)


def _settled(verdicts: list[Verdicts], deck: Deck, table: Table) -> Reading:
    """Choose the best of the hypotheses that exclude each other: a mark belongs to one card, a card lies once."""
    claims = _claims(verdicts, deck)
    chosen: list[_Claim] = []
    cards: list[CardReading] = []
    unclear: list[UnclearCard] = []
    used: set[str] = set()
    for rank, claim in enumerate(claims):
        if any(claim.excludes(other) for other in chosen):
            continue
        rivals = (c for c in claims[rank + 1 :] if c.face.id not in used and c.face is not claim.face)
        margin = claim.odds - next((c.odds for c in rivals if claim.excludes(c)), _NO_RIVAL)
        odds = min(claim.odds, margin)
        confidence = float(1 / (1 + np.exp(-odds)))
        chosen.append(claim)
        corners_px = table.to_px(claim.corners_mm)
        centre_mm = (float(claim.centre_mm[0]), float(claim.centre_mm[1]))
        if odds > SURE and claim.face.id not in used:
            used.add(claim.face.id)
            cards.append(CardReading(claim.face, confidence, corners_px, centre_mm))
        else:
            reason = "same card twice" if claim.face.id in used else "covered"
            x, y = corners_px.mean(0)
            unclear.append(
                UnclearCard(corners_px, (float(x), float(y)), centre_mm, reason, (claim.face, confidence))
            )
    return Reading(tuple(cards), tuple(unclear))
