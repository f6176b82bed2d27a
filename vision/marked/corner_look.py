"""A closer look at cards that may lie in corners: what shows of their contours, and who else claims the same print."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import Floats
from vision.deck import Deck
from vision.marked.closer_look import side_terms
from vision.marked.colour import LEAST_CHROMA, Palette
from vision.marked.contours import refined
from vision.marked.cornered import Cornered, cornered_cards
from vision.marked.corners import Corners
from vision.marked.layouts import Hypotheses, Layouts
from vision.marked.outline import corners_of
from vision.marked.sampler import Sampler
from vision.marked.scoring import LOOKED_AT, SURE, Verdicts, faces_of
from vision.marked.side_model import SideModel
from vision.marked.traces import CardColours, Traces, traces

_ENOUGH, _ENOUGH_OF_OTHERS = 0.6, 0.4  # of a rim
_CUT = 0.4  # of a rim beside something else than ground
_CLAIMED = 0.12  # of a rim: less is nobody's print
_MOST_STRAYS = 3.0
_COLOURED = 2.0  # log-odds of hues that rims have shown
_AGREED, _MOST_BORNE_OUT = 0.5, 4.0  # of the other look's log-odds: both see some of the same sides and rims
_SAME_MM = 6.0  # of each corner: two looks at one card
# Fitted on path-traced tables (1,800 poses, 457 of them true) and on the same without the faces that are there (4,600,
# all false), a fifth left out in turn: none of the false ones would be told, and 320 of 345 true ones of half a card.
# Where the faces that are there are in the deck, as they mostly are, false ones are seven times rarer: 2.0 are added.
_WEIGHTS = {
    "exact_corner": 1.7,
    "ends": 5.5,
    "void": -3.5,
    "bare": -4.2,
    "best_part": 15.7,
    "other_part": 15.7,
    "last_part": 7.9,
    "shown": 4.2,
    "strays": -1.4,
}
_BASE = -15.1 + 2.0


@dataclass(frozen=True, eq=False)
class Looked:
    """Cards `found` in corners, moved to where the picture shows their contours, and the `traces` of those."""

    found: Cornered
    traces: Traces


def looked_into(
    sampler: Sampler,
    deck: Deck,
    model: SideModel,
    corners: Corners,
    palette: Palette,
    white_rgb: Floats,
    known_mm: Floats,
    told: list[Verdicts],
) -> Looked | None:
    """Give the cards that may lie in the corners, moved to where the picture shows their contours; None if none may.

    There is one card of each face: those that are `told` are left out; see `cornered_cards`.
    """
    elsewhere = faces_of(told)
    left = np.array([face.id not in elsewhere for face in model.layouts.faces])
    found = cornered_cards(sampler, deck, model, corners, palette, white_rgb, known_mm, left)
    if not len(found.scores):
        return None
    cards, unseen = found.hypotheses, np.full((len(found.scores), 3, 2), np.nan)
    for _ in range(2):
        cards = refined(sampler, cards, deck, model.contours, model.layouts, unseen)
    rings = np.repeat(found.grounds[:, None], 3, axis=1)
    hues, least = palette.hues_deg[model.colours[cards.faces]], np.full(len(found.scores), LEAST_CHROMA)
    colours = CardColours(found.grounds, rings, hues, least)
    seen = traces(sampler, cards, deck, model.contours, model.layouts.side, colours, known_mm)
    return Looked(replace(found, hypotheses=cards), seen)


def judged_in_corners(layouts: Layouts, looked: Looked, strays: Floats) -> Verdicts:
    """Weigh how much of their contours shows, and how exactly it lies; those that claim the same print are rivals.

    `strays` (n,): see `stray_marks`.
    """
    found, seen = looked.found, looked.traces
    part = np.minimum(seen.rim_exact, seen.rim_seen + _CUT * seen.rim_cut)
    most = np.sort(part, axis=1)
    none = np.zeros(len(part))
    terms = {
        **dict.fromkeys(LOOKED_AT, none),
        **side_terms(seen),
        "bare": np.minimum(seen.rim_bare, found.bare).max(1, initial=0.0),
        "best_part": np.minimum(most[:, 2], _ENOUGH),
        "other_part": np.minimum(most[:, 1], _ENOUGH_OF_OTHERS),
        "last_part": np.minimum(most[:, 0], _ENOUGH_OF_OTHERS),
        "shown": found.scores,
        "strays": np.minimum(strays, _MOST_STRAYS),
    }
    total = _BASE + np.sum([weight * terms[name] for name, weight in _WEIGHTS.items()], axis=0)
    terms["colour"] = np.where(most[:, 2] > _CLAIMED, _COLOURED, 0.0)
    return Verdicts(layouts, found.hypotheses, _beside_rivals(layouts, found.hypotheses, part, total), terms)


def borne_out(cornered: Verdicts, again: Verdicts, deck: Deck) -> Verdicts:
    """Raise the log-odds of cards in corners that the closer look, too, would have in the same place.

    One goes by marks that were found and what lies about them, the other by a corner and all that shows from there.
    """
    own = corners_of(deck)
    some, others = cornered.hypotheses, again.hypotheses
    gap = np.linalg.norm(some.to_table(own)[:, None] - others.to_table(own), axis=-1).max(-1)
    same = (gap < _SAME_MM) & (some.faces[:, None] == others.faces)
    said = np.where(same, again.log_odds, -np.inf).max(1, initial=-np.inf)
    return replace(cornered, log_odds=cornered.log_odds + _AGREED * np.clip(said, 0.0, _MOST_BORNE_OUT))


def _beside_rivals(layouts: Layouts, cards: Hypotheses, part: Floats, odds: Floats) -> Floats:
    """Log-odds (n,) less those of the likeliest other face that claims the same print; `part` (n, 3): what shows."""
    places = cards.to_table(layouts.centres_mm[cards.faces])
    radii = np.sqrt(layouts.areas_mm2[cards.faces] / np.pi)
    claimed = part > _CLAIMED
    gap = np.linalg.norm(places[:, None, :, None] - places[None, :, None], axis=-1)
    shared = gap < np.maximum(radii[:, None, :, None], radii[None, :, None])
    shared &= claimed[:, None, :, None] & claimed[None, :, None]
    rivals = shared.any((2, 3)) & (cards.faces[:, None] != cards.faces)
    strongest = np.where(rivals, odds, -np.inf).max(1, initial=-np.inf)
    return np.asarray(np.minimum(odds, np.maximum(odds - strongest, -SURE)))
