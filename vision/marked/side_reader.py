"""Scores the cards of one side of a deck in one picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.arrays import Flags, Floats
from vision.deck import Deck
from vision.marked.colour import fitted_palette, least_print, linear_of
from vision.marked.contour_terms import WORTH_A_LOOK, ground_levels, judged_again, worth_a_look
from vision.marked.contour_traces import CardColours, traces
from vision.marked.contours import MovedCards
from vision.marked.covered_marks import peeking_marks
from vision.marked.cut_marks import cut_marks, radii_of
from vision.marked.evidence import gather
from vision.marked.foreground import foreground_and_marks
from vision.marked.layouts import (
    Hypotheses,
    concatenated,
    no_cards,
    part_cards,
    posed,
    whole_cards,
)
from vision.marked.lone_marks import find_lines, lone_mark_cards, round_on_table
from vision.marked.marks import WorkImage
from vision.marked.outline import edge_steps, edge_support
from vision.marked.sampler import Sampler
from vision.marked.scoring import LOOKED_AT, Measured, Verdicts, joined, judge, likelier, renewed, shown_of
from vision.marked.side_marks import SideMarks
from vision.marked.side_model import SideModel
from vision.quads import within_quads
from vision.table_fit import FlatShape

_WHOLE_SLACK_MM = 1.6
_PART_SLACK_MM = 1.2
_UNEVEN = 0.02  # cards in a heap are nearer to the camera, and tilted
_UNEVEN_MM = 0.8  # an error of a mark's middle changes the scale of a small triangle by more
_MARK_SIGMA_PX = 0.5


class SideReader:
    """Scores the cards of one side of a deck in one picture."""

    def __init__(
        self, work: WorkImage, sampler: Sampler, deck: Deck, model: SideModel, px_per_mm: float, keep_out_px: Floats
    ) -> None:
        """Find the marks; `keep_out_px` (m, 4, 2): quads of other things, such as marker cards."""
        layouts = model.layouts
        self._work = work
        self._sampler = sampler
        self._deck = deck
        self._model = model
        self._known_mm = np.zeros((0, 4, 2))
        self._ground: Floats | None = None
        self._edges_shown = 1.0
        self._keep_out_px = keep_out_px
        self._moved = MovedCards(deck, model.contours, layouts)
        areas = layouts.area_range_mm2
        self._foreground, found = foreground_and_marks(work, sampler.table, layouts.side, areas, px_per_mm)
        self._marks = SideMarks(sampler, model, found.outside(keep_out_px))

    def whole_cards(self, reach: float) -> tuple[Hypotheses, Floats]:
        """Return the cards with three visible whole marks, and their scales (n,), within `reach` of the print."""
        return whole_cards(self._model.layouts, self._marks.found, _WHOLE_SLACK_MM, self._free_or_faint, reach)

    @property
    def side(self) -> str:
        """Return the side's name."""
        return self._model.layouts.side

    @property
    def _free_or_faint(self) -> Flags:
        """Return which marks (n,) may be a whole card's: two faint ones may fit by chance, three do not."""
        return self._marks.free | self._marks.looks.faint

    def judge_whole(self, sampler: Sampler, whole: Hypotheses, stretches: Floats, lamp: Floats) -> Verdicts:
        """Score the cards with three visible whole marks, and fit this picture's palette to them.

        `stretches` (n,): the scale of each against its print, on the table of the sampler; `lamp`: see `gather`.
        """
        self._sampler = sampler
        apart = np.sqrt((self._model.layouts.distances_mm[whole.faces] ** 2).mean(1))
        whole = whole.take(np.abs(stretches - 1) < np.maximum(_UNEVEN, _UNEVEN_MM / apart))
        self._marks.found = self._marks.found.on(sampler.table)
        if not len(whole):
            return self._nothing()
        measured = self._measured(posed(self._model.layouts, self._marks.found, whole.faces, whole.marks))
        lit: Measured | None = None
        # White ground shows the lamp itself.
        if self._model.layouts.side == "black":
            # Without the lamp, which may tint so much that no hue is as printed.
            own = self._sampler, measured.hypotheses, self._model.points_mm, "black", self._known_mm, lamp
            lit = replace(measured, evidence=gather(*own))

        def likeliest() -> Verdicts:
            return likelier(self._judged(measured), None if lit is None else self._judged(lit))

        judged = likeliest()
        together = judged.explaining(int(np.count_nonzero(self._free_or_faint)))
        if together.any():
            self._edges_shown = shown_of(measured.edges[together])
            judged = likeliest()
        sure = judged.sure
        if sure.any():
            self._ground = np.median(ground_levels(measured.evidence)[sure], axis=0)
            self._edges_shown = shown_of(measured.edges[sure])
            known = self._model.colours[measured.hypotheses.faces[sure]]
            hues = measured.evidence.hues_deg[sure]
            self._marks.learn(fitted_palette(self._model.palette, known.ravel(), hues.ravel()))
            judged = likeliest()
        return self._taken(judged.lying(together))

    def judge_part(self, known_mm: Floats) -> Verdicts:
        """Score the cards with two visible whole marks, beside the known cards (k, 4, 2) of both sides."""
        self._marks.leave_pattern_out()
        radii = radii_of(self._model.layouts)
        if len(radii):
            table = self._sampler.table
            known_px = np.concatenate([table.to_px(known_mm), self._keep_out_px])
            more, towards = cut_marks(
                self._work, table, self._foreground, known_px, self._ground, self._marks.found, self._marks.free, radii
            )
            if len(more):
                self._marks.add_arcs(self._sampler, more, towards)
                self._marks.leave_pattern_out()
        self._known_mm = known_mm
        likely = self._marks.likely(np.arange(len(self._marks)))
        found = part_cards(self._model.layouts, self._marks.found, _PART_SLACK_MM, self._marks.free, likely)
        return self._taken(self._judged(self._measured(found))) if len(found) else self._nothing()

    def judge_lone(self, known_mm: Floats) -> Verdicts:
        """Score the cards with one visible whole mark and a straight edge."""
        lone, marks = self._marks.unused, self._marks.found
        if self._model.layouts.all_round:
            round_ones = round_on_table(self._work, self._sampler.table, self._foreground, marks.centres_px[lone])
            lone = lone[round_ones | self._marks.are_arcs(lone)]
        self._known_mm = known_mm
        lines = find_lines(self._work, self._sampler.table, marks.centres_mm[lone])
        found = lone_mark_cards(self._deck, self._model.layouts, marks, lone, self._marks.likely(lone), lines)
        return self._taken(self._judged(self._measured(found))) if len(found) else self._nothing()

    @property
    def sees_pattern(self) -> bool:
        """Return whether the table has a pattern that looks like marks on this side's ground."""
        return self._marks.are_on_pattern

    def look_closer(self, verdicts: list[Verdicts], told: list[Verdicts], known_mm: Floats) -> Verdicts:
        """Score again the hypotheses that the first scores left open, beside the identified cards.

        `known_mm` (k, 4, 2): their corners.
        """
        own, told = ([v for v in some if v.layouts is self._model.layouts] for some in (verdicts, told))
        first = joined(own)
        marks, beside = first.hypotheses.marks, concatenated([verdict.hypotheses for verdict in told])
        parts = self._marks.parts_of(beside)
        first = worth_a_look(first.take(np.flatnonzero(~(parts[marks] & (marks >= 0)).any(1))))
        if not len(first.hypotheses):
            return first
        model, side, found = self._model, self._model.layouts.side, first.hypotheses
        seen_mm = np.where((found.marks >= 0)[..., None], self._marks.found.centres_mm[found.marks], np.nan)
        found = self._moved.of(self._sampler, found, seen_mm)
        evidence = gather(self._sampler, found, model.points_mm, side, known_mm)
        self._known_mm = known_mm
        first = renewed(replace(first, hypotheses=found), evidence)
        hues = self._marks.palette.hues_deg[model.colours[found.faces]]
        cut = self._marks.are_arcs(found.marks)
        # A mark found by an arc has its cover round it, so its own ring is used.
        rings = np.where(cut[..., None], self._marks.looks.rings[found.marks], evidence.rings)
        colours = CardColours(ground_levels(evidence), rings, hues, least_print(evidence.chroma, found.marks, side))
        seen = traces(self._sampler, found, self._deck, model.contours, side, colours, known_mm)
        return judged_again(first, seen)

    def _nothing(self) -> Verdicts:
        return Verdicts(self._model.layouts, no_cards(), np.zeros(0), dict.fromkeys(LOOKED_AT, np.zeros(0)))

    def pieces(self, whole: Verdicts) -> list[FlatShape]:
        """Return the marks of certain cards with three marks: pieces of known size on the table."""
        sure = whole.hypotheses.take(whole.sure)
        return [
            FlatShape(self._model.layouts.centres_mm[face], self._marks.found.centres_px[marks], _MARK_SIGMA_PX)
            for face, marks in zip(sure.faces, sure.marks, strict=True)
        ]

    def peeking(self, known_mm: Floats) -> list[Floats]:
        """Return places (2,) in mm of marks visible beside the known cards (n, 4, 2)."""
        marks = self._marks.found
        left = self._marks.looks.clear & ~within_quads(marks.centres_mm, known_mm)
        return peeking_marks(self._sampler, marks.take(left), known_mm)

    def _taken(self, verdicts: Verdicts) -> Verdicts:
        """Mark the marks of certain cards as explained, and return the verdicts worth another look."""
        self._marks.use(verdicts.hypotheses.marks[verdicts.sure].ravel())
        return verdicts.take(verdicts.log_odds >= WORTH_A_LOOK)

    def _measured(self, hypotheses: Hypotheses) -> Measured:
        """Measure the marks of all hypotheses, and the edges of those that edges could still save."""
        side = self._model.layouts.side
        evidence = gather(self._sampler, hypotheses, self._model.points_mm, side, self._known_mm)
        hopeful = self._judged(Measured(hypotheses, evidence, np.ones((len(hypotheses), 4)))).log_odds > 0
        hypotheses, evidence = hypotheses.take(hopeful), evidence.take(hopeful)
        steps, places = edge_steps(self._sampler, hypotheses, self._deck)
        return Measured(hypotheses, evidence, edge_support(steps, places))

    def _judged(self, measured: Measured) -> Verdicts:
        return judge(
            measured.hypotheses,
            measured.evidence,
            measured.edges,
            self._marks.palette,
            self._model.colours,
            self._model.layouts,
            None if self._ground is None else linear_of(self._ground),
            self._edges_shown,
        )
