"""Samples a camera's view of a table of Coloretto twice a second, with hands in it and wrong readings."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from referee.games.coloretto.score import PALETTES
from referee.games.coloretto.watching.looks import Spot, TableLook
from tools.bench.coloretto_table import MS, CardsOnTable

EVERY_NS = 500 * MS
_UNSEEN = -1
Readings = dict[tuple[int, str], str | None]


@dataclass(frozen=True)
class Sight:
    """Rates of faults, a look or a card.

    arms_seen: an arm over the table is detected, and nothing is read.
    arms_unseen, arms_lost, arms_wrong: an arm over the rows is not detected, its owner is unknown, or a neighbour's.
    covered: a row or an area is hidden, and known to be.
    overlooked: a card is missed in one look, without a sign of it.
    unread, wrong: of cards in rows, until somebody moves them.
    strips_unread, strips_hidden, strips_wrong: the same of cards in areas, which overlap.
    mended_s: time after which somebody straightens an unread card in a row. row_cards: rows have cards of their own.
    """

    arms_seen: float = 0.9
    arms_unseen: float = 0.03
    arms_lost: float = 0.15
    arms_wrong: float = 0.01
    covered: float = 0.02
    overlooked: float = 0.002
    unread: float = 0.005
    wrong: float = 0.001
    strips_unread: float = 0.015
    strips_hidden: float = 0.015
    strips_wrong: float = 0.002
    mended_s: float = 8.0
    row_cards: bool = True


SIGHT = Sight()


@dataclass
class ColorettoSampler:
    """Reads one table; the first `apart` cards never overlap others."""

    sight: Sight
    luck: random.Random
    colours: tuple[str, ...] = PALETTES[0]
    apart: int = 0
    arms_luck: random.Random = field(default_factory=lambda: random.Random(0))
    readings: Readings = field(default_factory=dict)  # of each card at each kind of place; None: unread, "": hidden
    _since: dict[tuple[int, str], int] = field(default_factory=dict)
    _over: dict[int, int | None] = field(default_factory=dict)  # seat of each arm, and the one it is taken for
    _came: set[int | None] = field(default_factory=set)

    def watch(self, table: CardsOnTable) -> None:
        """Follow the arms, which are detected between two looks, too."""
        luck, sight, players = self.arms_luck, self.sight, len(table.areas)
        self._over = {seat: who for seat, who in self._over.items() if seat in table.arms}
        for seat in sorted(table.arms - self._over.keys()):
            neighbour = (seat + luck.choice((1, players - 1))) % players
            kinds = (seat, neighbour, None, _UNSEEN)
            shares = (sight.arms_wrong, sight.arms_lost, sight.arms_unseen)
            self._over[seat] = luck.choices(kinds, (1 - sum(shares), *shares))[0]
        self._came |= {who for who in self._over.values() if who != _UNSEEN}

    def look(self, t_ns: int, table: CardsOnTable) -> TableLook | None:
        """Return the present look; None where an arm prevents it."""
        luck, sight = self.luck, self.sight
        under_arm = bool(table.arms)
        if under_arm and luck.random() < sight.arms_seen:
            return None
        seen_rows: list[list[int]] = [[] for _ in table.rows]
        for row, cards in enumerate(table.rows):
            for card in cards:
                seen_rows[table.astray.get(card, row)].append(card)
        rows = [self._spot(cards, "row", t_ns, table, under_arm=under_arm) for cards in seen_rows]
        areas = [self._spot(cards, "area", t_ns, table, under_arm=under_arm) for cards in table.areas]
        marked = tuple(
            replace(spot, marked=there if sight.row_cards else None)
            for spot, there in zip(rows, table.marked, strict=True)
        )
        came, self._came = self._came, {who for who in self._over.values() if who != _UNSEEN}
        arms = None if None in came else frozenset(seat for seat in came if seat is not None)
        return TableLook(t_ns, marked, tuple(areas), table.last_round, arms)

    def _spot(self, cards: list[int], where: str, t_ns: int, table: CardsOnTable, *, under_arm: bool) -> Spot:
        luck, sight = self.luck, self.sight
        covered = luck.random() < (0.5 if under_arm else sight.covered)
        missed = 0.4 if covered else sight.overlooked
        seen, unread = [], 0
        for card in cards:
            reading = self._reading(card, where, t_ns, table.name[card])
            if reading == "" or luck.random() < missed:
                continue
            if reading is None:
                unread += 1
            else:
                seen.append(reading)
        return Spot(tuple(sorted(seen)), unread, covered)

    def _reading(self, card: int, where: str, t_ns: int, name: str) -> str | None:
        key, luck, sight = (card, where), self.luck, self.sight
        if key not in self.readings:
            chance = luck.random()
            # Everybody's first cards are separate.
            in_row = where == "row" or card < self.apart
            wrong = sight.wrong if in_row else sight.strips_wrong
            unread = sight.unread if in_row else sight.strips_unread
            others = [one for one in self.colours if one != name]
            self.readings[key] = name
            if chance < wrong:
                self.readings[key] = luck.choice(others)
            elif chance < wrong + unread:
                self.readings[key] = None
            elif not in_row and chance < wrong + unread + sight.strips_hidden:
                self.readings[key] = ""
            self._since[key] = t_ns
        if (
            (where == "row" or card < self.apart)
            and self.readings[key] is None
            and t_ns - self._since[key] > sight.mended_s * 1e9
        ):
            self.readings[key] = name
        return self.readings[key]
