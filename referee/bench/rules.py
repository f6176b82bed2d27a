"""The rules by which cards are found and told, one line each, in the order in which a picture meets them.

A run leaves one out by putting in its place what stands for "nothing was found" or "nothing speaks against it": the
readers know nothing of that, and a rule that is taken out takes its line here with it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from vision.marked import closer_look, corner_look
from vision.marked.layouts import no_cards

NONE, MARKED, PRINTS = "none", "marked", "prints"
READERS = {NONE: "cards of any deck", MARKED: "cards that marks tell apart", PRINTS: "cards of a deck of prints"}
"""Who reads, and what."""

_ROOT = "vision"


@dataclass(frozen=True)
class Rule:
    """A rule of one of the `READERS`.

    at: its name in the module that calls it. instead: what is put there. module: all of whose lines would go with it.
    """

    reader: str
    name: str
    at: str
    instead: Any
    module: str = ""

    @property
    def lines(self) -> int:
        """How many lines of code would go with it, at least."""
        if self.module:
            return _lines_of(import_module(f"{_ROOT}.{self.module}"))
        holder, last = holder_of(f"{_ROOT}.{self.at}")
        rule = getattr(holder, last)
        return _lines_of(inspect.unwrap(rule)) if callable(rule) else 1


def _lines_of(code: ModuleType | Callable[..., object]) -> int:
    return len(inspect.getsource(code).splitlines())


def _is(answer: object) -> Callable[..., Any]:
    """A stand-in that gives this whatever it is asked."""
    return lambda *_, **__: answer


def _given(which: int) -> Callable[..., Any]:
    """A stand-in that gives back what it was given at this place: nothing is changed."""
    return lambda *given, **_: given[which]


def _none_of(count: Callable[..., int]) -> Callable[..., Any]:
    """A stand-in that says no to each of so many things."""
    return lambda *given, **_: np.zeros(count(*given), bool)


def _weight(where: str, weights: dict[str, float]) -> Iterator[Rule]:
    return (Rule(MARKED, f"{where} {term}", f"marked.{where}._WEIGHTS", {**weights, term: 0.0}) for term in weights)


_NO_PLACES = _is(np.zeros((0, 4, 2)))

RULES = (
    Rule(NONE, "lone areas", "unknown.free_candidates.lone_areas", _NO_PLACES, "unknown.lone_areas"),
    Rule(NONE, "divided", "unknown.free_candidates.are_divided", _none_of(lambda _, f: len(f.quads)), "unknown.gaps"),
    Rule(
        NONE, "print on it", "unknown.find_cards.print_on_it", _none_of(lambda _, f: len(f.quads)), "unknown.card_alone"
    ),
    Rule(NONE, "leftovers", "unknown.find_cards.with_leftovers", _given(2)),
    Rule(NONE, "panels", "unknown.find_cards.are_panels", _is(False), "unknown.panels"),
    Rule(NONE, "marks", "unknown.find_cards.are_marks", _is(False)),
    Rule(NONE, "ruled sheets", "unknown.card_proofs.are_ruled", _none_of(lambda _, q: len(q)), "unknown.ruled_sheets"),
    Rule(
        NONE, "other looks", "unknown.card_proofs.look_otherwise", _none_of(lambda *a: len(a[3])), "unknown.other_side"
    ),
    Rule(NONE, "agree by chance", "unknown.card_proofs.agree_by_chance", _is(False)),
    Rule(NONE, "cards off the plane", "unknown.find_cards.with_those_off_plane", _given(1), "unknown.cards_off_plane"),
    Rule(MARKED, "common stretch", "marked.pipeline.common_stretch", _is(1.0)),
    Rule(MARKED, "lamp of the markers", "marked.side_reader.likelier", _given(0)),
    Rule(MARKED, "rims of whole cards", "marked.side_reader.unprinted", _none_of(lambda *a: len(a[3].hypotheses))),
    Rule(MARKED, "pattern of marks", "marked.side_marks.SideMarks.leave_pattern_out", _is(None)),
    Rule(MARKED, "arcs", "marked.side_reader.radii_of", _is(np.zeros(0)), "marked.cut_marks"),
    Rule(MARKED, "lone marks", "marked.side_reader.lone_mark_cards", lambda *_: no_cards(), "marked.lone_marks"),
    Rule(MARKED, "strays", "marked.side_reader.stray_marks", lambda *a: np.zeros(len(a[0])), "marked.foreign_marks"),
    *(
        Rule(
            MARKED,
            "judge " + name.strip("_").removesuffix("_term"),
            f"marked.scoring.{name}",
            lambda evidence, *_: np.zeros(len(evidence.hues_deg)),
        )
        for name in ("_ground_term", "_tint_term", "_open_term", "_absent")
    ),
    Rule(MARKED, "judge colour", "marked.scoring._colour_log_odds", lambda cards, *_: np.zeros((len(cards), 3))),
    Rule(MARKED, "judge edges", "marked.scoring._edge_term", lambda edges, *_: np.zeros(len(edges))),
    *_weight("closer_look", closer_look._WEIGHTS),
    Rule(
        MARKED,
        "look-alikes",
        "marked.side_reader.mistakable",
        _none_of(lambda *a: len(a[4].hypotheses)),
        "marked.look_alikes",
    ),
    Rule(MARKED, "pivots", "marked.side_reader.pivoted_cards", lambda *_: no_cards(), "marked.pose_search"),
    Rule(MARKED, "corners", "marked.side_reader.looked_into", _is(None), "marked.corner_look"),
    *_weight("corner_look", corner_look._WEIGHTS),
    Rule(MARKED, "borne out", "marked.refinement.borne_out", _given(0)),
    Rule(
        MARKED,
        "not refuted",
        "marked.refinement.not_refuted",
        lambda seen: seen.take(np.zeros(len(seen.hypotheses), bool)),
    ),
    Rule(
        MARKED,
        "open cards",
        "marked.side_reader.SideReader.judge_open",
        lambda reader, *_: reader._nothing(),
        "marked.rims",
    ),
    Rule(MARKED, "marks beside cards", "marked.pipeline.peeking_cards", _is([]), "marked.peeking"),
    Rule(MARKED, "ground beside cards", "marked.pipeline.peeking_ground", _is([]), "marked.peeking_ground"),
    Rule(MARKED, "table's pattern", "marked.table_pattern.TablePattern.holds", _is(False), "marked.table_pattern"),
    Rule(MARKED, "blank cards", "marked.pipeline.blank_cards", _is([]), "marked.blank_cards"),
    Rule(MARKED, "wiped cards", "marked.pipeline.wiped_cards", _is([]), "marked.wiped_cards"),
    Rule(PRINTS, "panels", "prints.reader.panels_cards", _NO_PLACES),
    Rule(PRINTS, "ground's white", "prints.ranking.Ranker.white_at", _is(None)),
    Rule(PRINTS, "waiting for neighbours", "prints.layers.Layers._waits", _is(False)),
    Rule(PRINTS, "even light", "prints.fitting._even", _given(1)),
    Rule(PRINTS, "small signs", "prints.verifier.Verifier._has_small_signs", _is(False)),
    Rule(PRINTS, "neighbouring paints", "prints.lit_look.LitLook.may_be_taken_for", _is(False)),
    Rule(PRINTS, "misprints", "prints.verifier.misprints", lambda fits, k, _: np.zeros(fits.seen[k].shape, bool)),
    Rule(PRINTS, "unexplained print", "prints.verifier.unexplained", _is(0.0)),
    Rule(
        PRINTS, "columns", "prints.columns.Columns.next_to", _is((np.zeros((0, 4, 2)), np.zeros(0))), "prints.columns"
    ),
    Rule(
        PRINTS, "strips by their edges", "prints.columns.Columns.stick_out", _none_of(lambda _, places, __: len(places))
    ),
    Rule(PRINTS, "settled places", "prints.layers.Layers._settle", _is(None)),
    Rule(PRINTS, "points of print", "prints.features.FeaturePlaces.places", _NO_PLACES, "prints.features"),
    Rule(PRINTS, "cards that stick out", "prints.layers.Layers._take_outlined", lambda _: []),
    Rule(PRINTS, "gloss on whole cards", "prints.doubts.Doubts._is_spoiled", _is(False)),
    Rule(PRINTS, "bare table in gaps", "prints.doubts.Doubts.may_be_bare", staticmethod(_is(False))),
    Rule(PRINTS, "own light", "prints.reader.PrintReader._lit_cards", lambda *_: [], "prints.lit_look"),
    Rule(PRINTS, "glaring places", "prints.reader.PrintReader._glaring", staticmethod(_is(np.zeros(0, np.intp)))),
)
"""All rules that can be left out."""


@contextmanager
def left_out(rule: Rule) -> Iterator[None]:
    """Leave a rule out as long as this goes on."""
    with replaced(f"{_ROOT}.{rule.at}", rule.instead):
        yield


@contextmanager
def replaced(name: str, value: object) -> Iterator[None]:
    """Put a value in the place of what a dotted name means, as long as this goes on."""
    holder, last = holder_of(name)
    before = inspect.getattr_static(holder, last)
    setattr(holder, last, value)
    try:
        yield
    finally:
        setattr(holder, last, before)


def holder_of(name: str) -> tuple[Any, str]:
    """Give the module or class that holds what a dotted name means, and its name there.

    Raises:
        LookupError: there is none.
    """
    *path, last = name.split(".")
    for count in range(len(path), 0, -1):
        try:
            holder: Any = import_module(".".join(path[:count]))
        except ModuleNotFoundError:
            continue
        for part in path[count:]:
            holder = getattr(holder, part, None)
        if hasattr(holder, last):
            return holder, last
        break
    raise LookupError(name)


def readers_modules() -> list[ModuleType]:
    """Give the modules of the readers that are in use."""
    return [module for name, module in sorted(sys.modules.items()) if name.split(".")[0] == _ROOT]


def forget() -> None:
    """Forget what the readers have worked out by the thresholds as they are."""
    for module in readers_modules():
        for value in vars(module).values():
            if callable(getattr(value, "cache_clear", None)):
                value.cache_clear()
