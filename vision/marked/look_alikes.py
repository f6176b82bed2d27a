"""Whether another face could lie where a card was told by one mark or two: then it is a guess, and not said aloud."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.deck import Deck
from vision.marked.closer_look import rims_of
from vision.marked.evidence import gather
from vision.marked.layouts import Hypotheses, Layouts, concatenated, no_cards, shape_fits
from vision.marked.sampler import Sampler
from vision.marked.scoring import SURE, Verdicts
from vision.marked.side_marks import SideMarks
from vision.marked.side_model import SideModel
from vision.marked.traces import Traces
from vision.quads import distance_to_outlines
from vision.table import turned

# How far a mark's middle may be off where all of it shows, where it follows from an arc, and where a card cuts it.
_WHOLE_MM, _ARC_MM, _CUT_MM = 1.0, 1.6, 3.0
_BESIDE, _CUT = 1.2, 0.93  # a card's outline by a mark's radius
_MOST_OF_RIM, _MUCH_OF_RIM, _MOST_OF_ENDS = 0.72, 0.65, 0.75
_SPILT = 0.2  # of a mark's rim
_BARE = 0.5  # of a mark's place where the card's ground shows, so that the mark is not there
_HALF_TURN = np.array([0.0, np.pi])


def mistakable(
    sampler: Sampler,
    deck: Deck,
    model: SideModel,
    marks: SideMarks,
    verdicts: Verdicts,
    seen: Traces,
    known_mm: Floats,
    elsewhere: set[str],
) -> NDArray[np.bool_]:
    """Which of the cards that would be told (n,) could as well be another face, whose other marks are hidden.

    `seen`: what shows of the cards beside the known ones (k, 4, 2). There is one card of each face: those that lie
    `elsewhere` (their ids) are out of the question.
    """
    layouts, sure = model.layouts, np.flatnonzero(verdicts.sure)
    found = verdicts.hypotheses.take(sure)
    centres, areas = (some[found.marks] for some in (marks.found.centres_mm, marks.found.areas_mm2))
    shown = _shown_by_cards(centres.reshape(-1, 2), areas.ravel(), known_mm).reshape(found.marks.shape)
    arcs = marks.are_arcs(found.marks)
    likely = marks.likely(found.marks.ravel()).reshape(*found.marks.shape, *model.colours.shape)
    left = np.array([face.id not in elsewhere for face in layouts.faces])
    likely = likely.diagonal(0, 1, 3) & left[:, None]
    # An arc says where the middle of its mark is, whatever covers the rest.
    cut = np.where(arcs, np.nan, shown)
    seen_mm = np.where((found.marks >= 0)[..., None], centres, np.nan)
    alike, of = _look_alikes(layouts, deck.card_mm, found, seen_mm, cut, likely)
    fits = shape_fits(layouts, marks.found, alike.faces, alike.marks)
    alike, of = alike.take(fits), of[fits]
    doubtful = np.zeros(len(verdicts.hypotheses), bool)
    doubtful[sure[of[_not_bare(sampler, model, alike, known_mm)]]] = True
    ends, rims, spilt = verdicts.terms["ends"][sure], rims_of(seen)[sure], seen.rim_spilt[sure]
    doubtful[sure[may_be_larger(found, shown, arcs, rims, spilt, ends)]] = True
    doubtful |= same_pair_as(verdicts)
    return doubtful | _rivals_of(verdicts, doubtful)


def _shown_by_cards(centres_mm: Floats, areas_mm2: Floats, known_mm: Floats) -> Floats:
    """How near the outline of a known card (k, 4, 2) lies to marks with centres (n, 2) and areas (n,), by their radius.

    Less than 1 (n,) is a mark that the card covers in part.
    """
    near = distance_to_outlines(centres_mm, known_mm).min(axis=1, initial=np.inf)
    return np.asarray(near / np.sqrt(areas_mm2 / np.pi))


def may_be_larger(
    found: Hypotheses, shown: Floats, arcs: NDArray[np.bool_], rims: Floats, spilt: Floats, ends: Floats
) -> NDArray[np.bool_]:
    """Which cards (n,) are told by marks that are covered in part and may be what shows of larger ones.

    That may have the area of a smaller mark, but not its outline, and too little of it is seen: `rims` (n, 3). A little
    less is asked of one of two marks where most of the card's open sides end where they should; `ends` (n,): that
    share. Known by `arcs` (n, 3), it may have nearly the smaller one's radius, but its colour goes on beyond the rim:
    `spilt` (n, 3), the share of that.
    """
    marks = found.marks >= 0
    trusted = (marks.sum(1) > 1) & (ends > _MOST_OF_ENDS)
    least = np.where(trusted, _MUCH_OF_RIM, _MOST_OF_RIM)[:, None]
    return np.asarray((marks & (shown < _CUT) & np.where(arcs, spilt > _SPILT, rims < least)).any(1))


def _look_alikes(
    layouts: Layouts,
    card_mm: tuple[float, float],
    found: Hypotheses,
    seen_mm: Floats,
    shown: Floats,
    likely: NDArray[np.bool_],
) -> tuple[Hypotheses, NDArray[np.intp]]:
    """Other faces that would have their marks where those of the cards `found` (n,) are seen, and the same outline.

    `seen_mm` (n, 3, 2) are the marks, nan for unseen; `shown` (n, 3): see `_shown_by_cards`, nan for an arc; `likely`
    (n, faces, 3): whether their colours may be those of each face. Also gives the card (m,) that each of them is like.
    Only cards told by one mark or two have any.
    """
    whole = np.array(card_mm)
    marks = found.marks >= 0
    parts, of = [no_cards()], [np.zeros(0, np.intp)]
    for k in np.flatnonzero(marks.sum(1) < 3):
        slots = np.flatnonzero(marks[k])
        slack = np.where(shown[k, slots] < _BESIDE, _CUT_MM, _WHOLE_MM)
        slack[np.isnan(shown[k, slots])] = _ARC_MM
        own = layouts.centres_mm[found.faces[k]]
        for flip in (0, 1):
            places = whole - layouts.centres_mm if flip else layouts.centres_mm
            off = places[:, slots] - own[slots]  # the outline may lie as far off as the marks' middles
            shift = off.mean(1)
            near = (np.linalg.norm(off, axis=2) < 2 * slack).all(1) & (np.linalg.norm(shift, axis=1) < slack.max())
            near &= (np.linalg.norm(off - shift[:, None], axis=2) < slack).all(1) & likely[k][:, slots].all(1)
            near[found.faces[k]] = False
            faces = np.flatnonzero(near)
            turn = np.full(len(faces), found.turn[k] + _HALF_TURN[flip])
            middle = seen_mm[k, slots].mean(0)
            at = turned(layouts.centres_mm[faces][:, slots].mean(1), turn)
            seen = np.repeat(found.marks[k : k + 1], len(faces), axis=0)
            parts.append(Hypotheses(faces, seen, turn, middle - at, np.zeros(len(faces))))
            of.append(np.full(len(faces), k))
    return concatenated(parts), np.concatenate(of)


def _not_bare(sampler: Sampler, model: SideModel, alike: Hypotheses, known_mm: Floats) -> NDArray[np.bool_]:
    """Which cards (n,) have no bare ground where a mark of theirs was not found, beside the known ones (k, 4, 2)."""
    evidence = gather(sampler, alike, model.points_mm, model.layouts.side, known_mm)
    bare = np.where(alike.marks >= 0, 0.0, evidence.mark_plain.mean(2)).max(axis=1, initial=0.0)
    return np.asarray(bare < _BARE)


def same_pair_as(verdicts: Verdicts) -> NDArray[np.bool_]:
    """Which cards (n,) are told by two marks that another face has just so, elsewhere about them, and is as likely.

    Ground where its third mark should be does not speak against the other one: in a heap that may be another card's,
    so that only what shows of the sides tells the two from each other.
    """
    found = verdicts.hypotheses
    marks = np.sort(found.marks, axis=1)
    pair = (found.marks >= 0).sum(1) == 2
    same = (marks[:, None] == marks).all(2) & pair & (found.faces[:, None] != found.faces)
    likely = verdicts.terms["first"] > SURE
    near = verdicts.log_odds[:, None] - (verdicts.log_odds - verdicts.terms["bared"]) < SURE
    return np.asarray((same & likely & near).any(1))


def _rivals_of(verdicts: Verdicts, doubtful: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which cards (n,) a `doubtful` one (n,) rivals: it has the same mark, and they are not surely likelier.

    If a card could as well be another one, the other one could as well be that card.
    """
    marks = verdicts.hypotheses.marks
    shared = ((marks[:, None, :, None] == marks[:, None, :]) & (marks >= 0)[:, None, :, None]).any((2, 3))
    near = verdicts.log_odds[:, None] - verdicts.log_odds < SURE
    return np.asarray((shared & near & doubtful).any(1))
