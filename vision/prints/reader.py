"""Reads all cards of a deck of prints in one picture: proposes places, takes certain cards, says what is doubtful.

Proposals only say where to look. The one verifier says what a place shows and how much of it is explained; `layers`
takes cards from the top, and what lies under one that was taken is not held against the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Flags, Floats, Image
from vision.find.any_deck import CERTAIN, cards_without_size, confidences_of
from vision.find.unknown import Wanted
from vision.markers import markers_in, table_if_shown
from vision.prints.columns import Columns
from vision.prints.doubts import Doubts
from vision.prints.features import FeaturePlaces
from vision.prints.lamp_white import white_of
from vision.prints.layers import Layers, Proposes
from vision.prints.outlines import Panel, panel_of, panels_cards
from vision.prints.places import lies_flat, same_place
from vision.prints.print_deck import Print, PrintDeck
from vision.prints.proposals import WHOLE, Edges, edges_on, poses_on
from vision.prints.reflections import bleached_shares
from vision.prints.side_lines import DeckLines, lines_of
from vision.prints.straight import Covers, Pyramid
from vision.prints.verdict import (
    Verdict,
    confidence_of,
    worth,
)
from vision.prints.verifier import Verifier
from vision.quads import enlarged, shared_area
from vision.table import Table

_SHEET = 1.3  # a marker card by its square
_MOSTLY = 0.5  # of the area of a place that shows its whole outline
_TOUCH = 0.15  # of a place's area that may lie on what was found
_SOME_SIDES, _MOST_GLARING = 0.5, 100  # of all sides, of places that light may have wiped out; so many are asked
_MOST_LIT = 16  # places looked at in their own light
_MOST_STRANGERS = 20
_GLARE = 0.15  # of a card, from which light has wiped it out
_LEAST_SIDE_PX = 40


@dataclass(frozen=True, eq=False)
class PrintCard:
    """A card that was found.

    `face` is what it shows, the likeliest for an unclear one and None where there is none; `reason` is None for a
    certain card; `corners_px` (4, 2) clockwise from the face's top-left corner; `confidence` that the face is right,
    and not only what it means in the game.
    """

    face: Print | None
    confidence: float
    corners_px: Floats
    centre_mm: tuple[float, float] | None
    reason: str | None


@dataclass(frozen=True, eq=False)
class PrintReading:
    """All cards that were found in one picture: the certain ones, and the others."""

    cards: tuple[PrintCard, ...]
    unclear: tuple[PrintCard, ...]


class PrintReader:
    """Reads the cards of one deck of prints."""

    def __init__(self, deck: PrintDeck) -> None:
        self.deck = deck
        self.verifier = Verifier(deck)
        self._doubts = Doubts(deck)

    def read(self, image_bgr: Image, table: Table | None = None) -> PrintReading:
        """Read a picture (h, w, 3) uint8 BGR; without a table its markers give one, and without those the outlines.

        Raises:
            BadTableError: the picture is mirrored, as its markers show.
        """
        if min(image_bgr.shape[:2]) < _LEAST_SIDE_PX:
            return PrintReading((), ())
        markers = markers_in(image_bgr)
        if table is None:
            table = table_if_shown(tuple(markers), (image_bgr.shape[1], image_bgr.shape[0]))
        white = white_of(image_bgr, markers)
        taken = np.array([marker.corners_px for marker in markers]).reshape(-1, 4, 2)
        columns: Columns | None = None
        hidden: Proposes | None = None
        by_panels = np.zeros((0, 4, 2))
        if table is not None and self.deck.has_true_size:
            edges = edges_on(image_bgr, table, self.deck.card_mm)
            columns = Columns(edges, self.deck.card_mm, self._lines)
            poses, quads = poses_on(edges, self.deck.card_mm, taken)
            by_panels = self._by_panels(image_bgr, table)
            seen = np.concatenate([edges.coverage(by_panels).mean(axis=1), poses.seen.mean(axis=1)])
            quads = np.concatenate([by_panels, quads])
            hidden = partial(self._hidden_places, image_bgr, edges)
        else:
            wanted = Wanted(aspect=max(self.deck.card_mm) / min(self.deck.card_mm))
            hypotheses = cards_without_size(image_bgr, table, markers, wanted).hypotheses
            quads = hypotheses.corners_px
            # The first side is a shorter one, as the art's is if it stands upright.
            quads = quads if self.deck.card_mm[0] <= self.deck.card_mm[1] else np.roll(quads, 1, axis=1)
            # Of a place that is hardly seen, print must promise more.
            seen = np.where(confidences_of(hypotheses) >= CERTAIN, 1.0, 0.0)
        picture = Pyramid(image_bgr)
        covers = Covers(enlarged(taken, _SHEET))
        layers = Layers(self.verifier, picture, quads, seen, white, covers, columns, hidden)

        def is_certain(verdict: Verdict, cells: Flags, sides: float) -> bool:
            sure = self._doubts.is_certain(verdict, cells, sides, on_table=table is not None)
            return sure and self._lies_flat(verdict.quad, table)

        def lies_there(verdict: Verdict, cells: Flags, sides: float) -> bool:
            return self._doubts.lies_there(verdict, cells, sides) and self._lies_flat(verdict.quad, table)

        found = layers.taken(is_certain, lies_there)
        found, bare = self._on_cards(found, layers.covers, columns)
        cards = [self._card(verdict, None, table) for verdict in found]
        plain = quads[seen >= WHOLE]
        outlined = np.concatenate([by_panels, plain, quads[self._glaring(picture, quads, seen)]])
        cards += self._lit_cards(picture, layers, outlined, [card.corners_px for card in cards], white, table)
        unclear = [self._card(each, "covered", table) for each in bare]
        unclear += [self._card(each, self._doubts.of_nameless(each), table) for each in layers.nameless]
        unclear += self._unclear(layers.left, layers.covers, table)
        unclear += [self._nameless(quad, "covered", table) for quad in layers.outlined]
        lit = [card.corners_px for card in cards[len(found) :]]
        unclear = [card for card in unclear if not any(same_place(card.corners_px, quad) for quad in lit)]
        unclear += self._strangers(picture, plain, [card.corners_px for card in (*cards, *unclear)], table)
        return PrintReading(tuple(cards), tuple(unclear))

    def _on_cards(
        self, found: list[Verdict], covers: Covers, columns: Columns | None
    ) -> tuple[list[Verdict], list[Verdict]]:
        """Of what was taken the cards, and what may be bare table between others."""
        if columns is None:
            return found, []
        cards: list[Verdict] = []
        bare: list[Verdict] = []
        for verdict in found:
            place = covers.place_of(verdict.sheet)
            above, others = covers.quads[:place], np.delete(covers.quads, place, axis=0)
            cells = verdict.open_under(Covers(above))
            # What nothing lies on is no strip.
            own_sides = 1.0 if cells.all() else columns.own_sides(verdict.sheet, above, others)
            (bare if self._doubts.may_be_bare(verdict, cells, own_sides) else cards).append(verdict)
        return cards, bare

    def _lit_cards(
        self,
        picture: Pyramid,
        layers: Layers,
        plain: Floats,
        taken: list[Floats],
        white: Floats | None,
        table: Table | None,
    ) -> list[PrintCard]:
        """Cards that only their own light tells: the first look was in doubt, or saw none in a whole outline."""
        found: list[PrintCard] = []
        if not self.deck.is_complete:
            return found
        tried: list[Floats] = []
        for quad, covers, named in [*layers.in_doubt(), *((quad, None, None) for quad in plain)]:
            if len(tried) >= _MOST_LIT:
                break
            # What shows its whole outline lies on what it shares a place with.
            beneath = covers is None and any(shared_area(quad, other) >= _MOSTLY for other in taken)
            if beneath or any(same_place(quad, other) for other in [*tried, *taken]):
                continue
            tried.append(quad)
            light = self.verifier.white_on(picture, quad, white, covers)[0]
            verdict = self.verifier.lit.judge(picture, quad, light, covers)
            if verdict.is_certain(named) and self._lies_flat(verdict.quad, table):
                taken.append(verdict.quad)
                centre = None if table is None else table.centre_mm(verdict.quad)
                face = self.deck.faces[verdict.face]
                found.append(PrintCard(face, confidence_of(verdict.lead), verdict.quad, centre, None))
        return found

    def _by_panels(self, image_bgr: Image, table: Table) -> Floats:
        """(n, 4, 2) px, the cards of which a panel shows, whatever their own edges lie on."""
        if self._panel is None:
            return np.zeros((0, 4, 2))
        return panels_cards(image_bgr, table, self._panel, (0, 0, image_bgr.shape[1], image_bgr.shape[0]))

    def _hidden_places(self, image_bgr: Image, edges: Edges, taken: Floats) -> tuple[Floats, Floats]:
        """See `Proposes`: places by points of the print."""
        found = self._features.places(image_bgr, edges.table, taken)
        return found, edges.coverage(found).mean(axis=1)

    @cached_property
    def _panel(self) -> Panel | None:
        return panel_of(self.deck)

    @cached_property
    def _features(self) -> FeaturePlaces:
        return FeaturePlaces(self.deck)

    @cached_property
    def _lines(self) -> DeckLines:
        return lines_of(self.deck)

    @staticmethod
    def _glaring(picture: Pyramid, quads: Floats, seen: Floats) -> NDArray[np.intp]:
        """Which places (n, 4, 2) show some of their sides (n,), not all, and light that has wiped out what lies there.

        The best seen come first.
        """
        some = np.flatnonzero((seen >= _SOME_SIDES) & (seen < WHOLE))
        some = some[np.argsort(-seen[some], kind="stable")][:_MOST_GLARING]
        return some[bleached_shares(picture, quads[some]) >= _GLARE]

    def _strangers(self, picture: Pyramid, quads: Floats, taken: list[Floats], table: Table | None) -> list[PrintCard]:
        """What has a card's whole outline (n, 4, 2) and shows no face of the deck, where nothing else was found."""
        found: list[PrintCard] = []
        for quad, bleached in zip(quads, bleached_shares(picture, quads), strict=True):
            if len(found) < _MOST_STRANGERS and all(shared_area(quad, other) < _TOUCH for other in taken):
                taken.append(quad)
                found.append(self._nameless(quad, "glare" if bleached >= _GLARE else "no face fits", table))
        return found

    def _unclear(self, left: list[Verdict], covers: Covers, table: Table | None) -> list[PrintCard]:
        """What may be cards beside the certain ones, the likeliest first."""
        unclear: list[PrintCard] = []
        opened = [verdict.open_under(covers) for verdict in left]
        while left:
            best = int(np.argmax([worth(*pair) for pair in zip(left, opened, strict=True)]))
            verdict, reason = left[best], self._doubts.why(left[best], opened[best])
            kept = [k for k, other in enumerate(left) if k != best and not same_place(other.quad, verdict.quad)]
            left, opened = [left[k] for k in kept], [opened[k] for k in kept]
            if not reason:
                continue
            unclear.append(self._card(verdict, reason, table))
            covers = covers.and_(verdict.sheet)
            opened = [other.open_under(covers) for other in left]
        return unclear

    def _lies_flat(self, quad: Floats, table: Table | None) -> bool:
        return table is None or not self.deck.has_true_size or lies_flat(table, quad, self.deck.card_mm)

    @staticmethod
    def _nameless(quad: Floats, reason: str, table: Table | None) -> PrintCard:
        return PrintCard(None, 0.0, quad, None if table is None else table.centre_mm(quad), reason)

    def _card(self, verdict: Verdict, reason: str | None, table: Table | None) -> PrintCard:
        confidence = confidence_of(min(verdict.margin, verdict.lead))
        centre = None if table is None else table.centre_mm(verdict.quad)
        return PrintCard(self.deck.faces[verdict.face], confidence, verdict.quad, centre, reason)
