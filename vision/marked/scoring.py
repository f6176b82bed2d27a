"""Scores each hypothetical card by a log-odds sum of its evidence, so that every term can be read and debated."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.marked.colour import Palette
from vision.marked.evidence import BLEACH_SPREAD_DEG, Evidence
from vision.marked.layouts import Hypotheses, Layouts, concatenated
from vision.marked.sample_points import RING

SURE = 4.5  # log-odds above which a card is announced; `assign.py` decides, beside its rivals and doubts
# Prior log-odds by the number of marks found: three in the right places seldom meet by chance, two often do.
_PRIOR = np.array([-np.inf, -4.7, 0.5, 3.8])
_RESIDUAL_MM = 0.35
_EDGELESS = 0.45
_FEWEST, _MOST_MARKS = 3, 0.75  # cards, and of the visible marks, that are proof of each other
_MOSTLY_HIDDEN = 0.35
_OPEN = {"white": 0.6, "black": 0.5}
# A logarithm: cards read by two marks stay within 0.44, 99 of 100 read by one within 0.58.
_TINT, _TINT_WEIGHT = 0.45, 10.0
_DIM = 0.005  # of linear light: below, levels are too coarse to have a tint
_COLOUR_WEIGHT = np.array([1.0, 1.5, 1.0, 1.0])  # a single mark was not chosen for its distance to another one


@dataclass(frozen=True, eq=False)
class Measured:
    """Hypotheses with their evidence; `edges` (n, 4): each side's support."""

    hypotheses: Hypotheses
    evidence: Evidence
    edges: Floats


# The terms that a closer look uses again. `there`: 1 where a card is certain to be there, whatever face it may show.
LOOKED_AT = ("colour", "open", "layout", "there")


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Hypotheses of one side with their `log_odds` (n,) of being a card that is there, and the terms of that sum."""

    layouts: Layouts
    hypotheses: Hypotheses
    log_odds: Floats
    terms: dict[str, Floats]

    @property
    def sure(self) -> NDArray[np.bool_]:
        """Return whether (n,) the log-odds are enough to announce each card."""
        return self.log_odds > SURE

    @property
    def face_ids(self) -> set[str]:
        """Return the ids of their faces."""
        return {self.layouts.faces[face].id for face in self.hypotheses.faces}

    def take(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> Verdicts:
        """Return the chosen verdicts."""
        terms = {name: values[which] for name, values in self.terms.items()}
        return Verdicts(self.layouts, self.hypotheses.take(which), self.log_odds[which], terms)

    def explaining(self, marks: int) -> NDArray[np.bool_]:
        """Return cards (n,) with three whole marks, likely without their edges, that together explain most marks.

        `marks`: the number of marks. Return no card where they leave more to be explained: dots of a cloth make a card
        here or there by chance.
        """
        likely = np.flatnonzero(self.log_odds > self.terms["edges"])
        used, faces, chosen = set[int](), set[int](), np.zeros(len(self.hypotheses), bool)
        for k in likely[np.argsort(self.hypotheses.residual_mm[likely], kind="stable")].tolist():
            own, face = self.hypotheses.marks[k].tolist(), int(self.hypotheses.faces[k])
            if face not in faces and used.isdisjoint(own):
                used, faces = used.union(own), {*faces, face}
                chosen[k] = True
        return chosen & (len(faces) >= _FEWEST and len(used) >= _MOST_MARKS * marks)

    def lying(self, which: NDArray[np.bool_]) -> Verdicts:
        """Return the same verdicts; the chosen ones (n,) are known to be there and never dropped."""
        terms = {**self.terms, "there": which.astype(np.float64)}
        return replace(self, log_odds=np.where(which, np.maximum(self.log_odds, 0.0), self.log_odds), terms=terms)

    def lowered(self, which: NDArray[np.bool_] | bool = True) -> Verdicts:
        """Return the same verdicts; the chosen ones, (n,) or all, are no longer certain."""
        return replace(self, log_odds=np.where(which, np.minimum(self.log_odds, SURE - 0.5), self.log_odds))


def faces_of(verdicts: list[Verdicts]) -> set[str]:
    """Return the ids of the faces of several verdicts."""
    return set[str]().union(*(verdict.face_ids for verdict in verdicts))


def joined(verdicts: list[Verdicts]) -> Verdicts:
    """Return several verdicts on one side as one."""
    terms = {name: np.concatenate([v.terms[name] for v in verdicts]) for name in LOOKED_AT}
    found = concatenated([v.hypotheses for v in verdicts])
    return Verdicts(verdicts[0].layouts, found, np.concatenate([v.log_odds for v in verdicts]), terms)


def likelier(one: Verdicts, other: Verdicts | None) -> Verdicts:
    """Return the likelier of two verdicts on each hypothesis; the first where there is no other."""
    if other is None:
        return one
    better = other.log_odds > one.log_odds
    terms = {name: np.where(better, other.terms[name], values) for name, values in one.terms.items()}
    return replace(one, log_odds=np.maximum(one.log_odds, other.log_odds), terms=terms)


def judge(
    hypotheses: Hypotheses,
    evidence: Evidence,
    edges: Floats,
    palette: Palette,
    colours: NDArray[np.intp],
    layouts: Layouts,
    ground_rgb: Floats | None = None,
    edges_shown: float = 1.0,
) -> Verdicts:
    """Sum up the evidence.

    `edges` (n, 4): each side's support; `colours` (faces, 3): palette index of every face's marks; `ground_rgb` (3,):
    linear, the ground of this side's cards in this picture, None while unknown; `edges_shown`: see `shown_of`.

    Full support all round (`edges` of ones) gives the most that a hypothesis can still reach.
    """
    seen = hypotheses.marks >= 0
    count = seen.sum(1)
    terms = {
        "prior": _PRIOR[count],
        "layout": 1.2 - 0.5 * (hypotheses.residual_mm / _RESIDUAL_MM) ** 2,
        "colour": (_colour_log_odds(hypotheses, evidence, palette, colours) * seen).sum(1) * _COLOUR_WEIGHT[count],
        "edges": _edge_term(edges, count, edges_shown),
        "ground": _ground_term(evidence, seen, layouts.side),
        "tint": _tint_term(evidence, ground_rgb, layouts.side),
        "open": _open_term(evidence, count, layouts.side),
        "absent": -6.0 * _absent(evidence, seen) * edges.mean(1),
        "there": np.zeros(len(count)),
    }
    total = np.sum(list(terms.values()), axis=0) if len(hypotheses) else np.zeros(0)
    return Verdicts(layouts, hypotheses, total, terms)


def renewed(first: Verdicts, evidence: Evidence) -> Verdicts:
    """Return the same verdicts with a new term where it depends on the cards known by now."""
    count = (first.hypotheses.marks >= 0).sum(1)
    opened = _open_term(evidence, count, first.layouts.side)
    change = opened - first.terms["open"]
    return replace(first, log_odds=first.log_odds + change, terms={**first.terms, "open": opened})


def _colour_log_odds(hypotheses: Hypotheses, evidence: Evidence, palette: Palette, colours: NDArray[np.intp]) -> Floats:
    """Return the log ratio (n, 3) of each mark's hue under the face's colour to any hue at all."""
    spread = evidence.hue_spread_deg + BLEACH_SPREAD_DEG * evidence.clipping
    density = palette.likelihood(evidence.hues_deg.ravel(), spread.ravel()).reshape(-1, 3, len(palette.names))
    return np.asarray(np.log(360 * np.take_along_axis(density, colours[hypotheses.faces][..., None], 2)[..., 0]))


def shown_of(edges: Floats) -> float:
    """Return the visible share of an open edge in this picture, 0 to 1, by sides (n, 4) of cards with three marks.

    A black card's edge on a black table is not visible. A few cards may be on top of others, so one card with visible
    edges is added to them.
    """
    return float((_best_two(edges).sum() / 2 + 1) / (len(edges) + 1))


def _best_two(edges: Floats) -> Floats:
    return np.asarray(np.sort(edges, axis=1)[:, 2:].sum(1))


def _edge_term(edges: Floats, count: NDArray[np.intp], shown: float) -> Floats:
    """Return the term of the two best sides: the others may be covered."""
    best = _best_two(edges)
    # Coins or a cloth's dots may be like marks, but a card has an edge somewhere. Of 3,298 cards read by three marks
    # only four show none, and their log-odds are high enough.
    edgeless = np.where(best < _EDGELESS * shown, -4.0 * shown, 0.0)
    return np.asarray(np.where(count == 3, 2.0 * (best - 0.5), 7.0 * (best - 0.8 * shown)) + edgeless)


def _ground_term(evidence: Evidence, seen: NDArray[np.bool_], side: str) -> Floats:
    rings = evidence.plain[:, : 3 * RING].reshape(-1, 3, RING).mean(2)
    plain = (rings * seen).sum(1) / np.maximum(seen.sum(1), 1)
    if side == "white":
        return np.asarray(4.0 * (plain - 0.7))
    # A reflection lifts a black ground unevenly, so unlike ground is weaker evidence there. But it is grey, and wood is
    # not.
    light = evidence.ground_rgb + 0.004
    grey = light.min(1) / light.max(1)
    doubt = 3.0 * np.clip((0.5 - grey) / 0.3, 0, 1) + 1.5 * np.clip(light.max(1) / 0.3 - 0.5, 0, 1)
    return np.asarray((plain - 0.6) - np.where(seen.all(1), 0.0, doubt))


def _tint_term(evidence: Evidence, ground_rgb: Floats | None, side: str) -> Floats:
    """Return the penalty of another tint: all cards are under the same lamps, and shadows hardly tint white.

    Counters are on wood, too.
    """
    if ground_rgb is None or side == "black":
        return np.zeros(len(evidence.ground_rgb))
    off = np.log((evidence.ground_rgb + _DIM) / (ground_rgb + _DIM))
    return np.asarray(-_TINT_WEIGHT * np.maximum(off.max(1) - off.min(1) - _TINT, 0))


def _open_term(evidence: Evidence, count: NDArray[np.intp], side: str) -> Floats:
    """Return the term of a covered card's open ground; a card with one mark has little else to show."""
    plain = np.where(np.isnan(evidence.open_plain), 0.5, evidence.open_plain)
    weight = np.array([0.0, 4.0, 2.0, 0.0])[count] * (1.0 if side == "white" else 0.7)
    # A card mostly under known ones shows too little to be certain.
    hidden = np.where((evidence.open_share < _MOSTLY_HIDDEN) & (count < 3), -4.0, 0.0)
    return np.asarray(weight * (plain - _OPEN[side]) + hidden)


def _absent(evidence: Evidence, seen: NDArray[np.bool_]) -> Floats:
    """Return how clearly the ground is visible at the place of an unseen mark."""
    plain = np.where(seen, 0.0, evidence.mark_plain.mean(2)).max(1)
    return np.asarray(np.maximum(plain - 0.4, 0.0))
