"""Writes a game of Coloretto for the simulated table: placed cards, taken rows, and players with habits.

Ann plays at once. Ben places a card and moves it to another row. Cem rests his hand on the table. Dora, or the last
seat, once puts a card on a full row, hears the foul, and moves the card.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from referee.engine.events import Event
from referee.errors import BadInputError
from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.start_options import JOKER, LAST_ROUND, PLUS2, ColorettoOptions
from referee.games.seating import AREA_MM, own_columns, people_at, ring_of, spot
from referee.scoring.seats import SeatRing
from simulation.art import BACK, FRONT
from simulation.script import Action, CardPose, Carry, Rest, Script, ScriptCard
from vision.deck import Deck

_Places = tuple[tuple[float, float], ...]  # mm; of the rows' own cards, the supply, and the last-round card
_FOUR_MM: _Places = ((235, 262), (711, 262), (235, 384), (711, 384), (575, 323), (575, 420))
_FIVE_MM: _Places = ((240, 232), (711, 232), (234, 323), (246, 414), (711, 414), (575, 323), (575, 420))
# Players are asked to leave a hand's breadth between rows without row cards.
_UNMARKED_MM: _Places = ((171, 255), (419, 255), (667, 255), (171, 391), (419, 391), (735, 391), (850, 391))
_STEP_MM = 69.0
_FIRST_S, _MOVE_S, _HESITATES_S, _RESTS_S, _LAST_S = 3.0, 3.4, 2.6, 2.0, 5.0
_FIRST_IN_AREA, _LAPS = 0.75, 0.2  # rows of cards from a player's edge; offset of each card from the last
_COLUMN = 0.96  # distance of columns, by `COLUMN_MM`
BEN, CEM, DORA = 1, 2, 3
_OUT_OF_THE_GAME_MM = (-200.0, 323.0)  # place of the third row after a round of two players
_LEFT_OUT = {2: 2, 3: 1}  # number of colours, by players


@dataclass(frozen=True)
class ColorettoPlan:
    """Parameters of a demonstration game: players, rounds before its end, options.

    foul: whether a player breaks a rule. settings: where they name no start cards or left-out colours, the seed does.
    """

    rounds: int = 3
    foul: bool = True
    players: int = 4
    settings: ColorettoOptions = field(default_factory=ColorettoOptions)


@dataclass(frozen=True)
class ColorettoGame:
    """A script, the game as it was played, and its truth: moves as events, fouls, and the cards that mark the rows.

    has_last_card: whether a card announces the last round; without one the players report it.
    """

    script: Script
    game: Coloretto
    moves: tuple[Event, ...]
    fouls: tuple[tuple[int, int], ...]  # seat and row
    has_row_cards: bool
    has_last_card: bool


@dataclass
class _DrawnColoretto:
    """State of the game while it is written."""

    ring: SeatRing
    game: Coloretto
    rng: random.Random
    has_row_cards: bool = True
    has_last_card: bool = True
    now_s: float = _FIRST_S
    actions: list[Action] = field(default_factory=list)
    moves: list[Event] = field(default_factory=list)
    fouls: list[tuple[int, int]] = field(default_factory=list)
    rows: list[list[str]] = field(init=False)  # keys of each row's cards
    columns: list[dict[str, int]] = field(init=False)  # of each area: the column of each kind of card
    lengths: list[Counter[int]] = field(init=False)  # number of cards in each column

    def __post_init__(self) -> None:
        self.rows = [[] for _ in self.game.rooms]
        self.columns = [{} for _ in range(self.game.players)]
        self.lengths = [Counter() for _ in range(self.game.players)]

    @property
    def places_mm(self) -> _Places:
        """Return the places of the rows, the supply and the last-round card."""
        return _FOUR_MM if self.game.players < 5 else _FIVE_MM if self.has_row_cards else _UNMARKED_MM

    @property
    def dora(self) -> int:
        """Return the seat that takes rows early and makes one foul."""
        return min(DORA, self.game.players - 1)

    def carry(self, seat: int, cards: Sequence[str], to: Sequence[CardPose], takes_s: float = 0.9) -> None:
        """Let a player carry cards to a place, beginning now."""
        self.actions.append(Carry(seat, tuple(cards), self.now_s, self.now_s + takes_s, tuple(to)))


def write_coloretto(deck: Deck, seed: int, plan: ColorettoPlan | None = None) -> ColorettoGame:
    """Return a game; the same seed and plan always give the same one.

    Raises:
        BadInputError: the deck lacks colours, a +2, a joker, or the cards to start with.
    """
    plan = plan or ColorettoPlan()
    players = plan.players
    rng, ring = random.Random(seed), ring_of(players)
    faces = _faces(deck)
    colours = [card for card in faces if card not in (PLUS2, JOKER)]
    wanted = plan.settings.start_cards
    needed = {card for hand in wanted for card in hand}
    if len(colours) < 2 or not {PLUS2, JOKER, *needed} <= set(faces):
        raise BadInputError("error.games.cards_of_are_not_all", deck=deck.name)
    started_with = max(players, 4)
    others = [card for card in colours if card not in needed]
    spare = max(0, min(len(others), len(colours) - started_with))
    left_out = plan.settings.left_out or rng.sample(others, min(_LEFT_OUT.get(players, 0), spare))
    colours = [card for card in colours if card not in left_out]
    last_face = next((face.id for face in deck.fronts if face.attributes.get("kind") == LAST_ROUND), None)
    enough = len(colours) >= started_with
    start = rng.sample(colours, started_with) if enough else rng.choices(colours, k=started_with)
    hands = wanted or tuple(tuple(start[seat::players]) if players == 2 else (start[seat],) for seat in range(players))
    out = Counter(card for hand in wanted for card in hand) if wanted else Counter(start)
    supply = [card for card in colours for _ in range(9 - out[card])] + [PLUS2] * 10 + [JOKER] * 3
    rng.shuffle(supply)
    game = Coloretto(players, replace(plan.settings, start_cards=hands, left_out=tuple(sorted(left_out))))
    rows = {face.attributes.get("room"): face.id for face in reversed(deck.fronts)}
    table = _DrawnColoretto(ring, game, rng, str(game.rooms[0]) in rows, last_face is not None)
    cards = [
        ScriptCard(f"row-{row}", rows[str(room)], _in_row(table, row, 0))
        for row, room in enumerate(game.rooms)
        if table.has_row_cards
    ]
    cards += [
        ScriptCard(f"start-{seat}-{card}", faces[card].pop(), _in_area(table, seat, card))
        for seat, hand in enumerate(hands)
        for card in hand
    ]
    every = [(f"card-{k}", card) for k, card in enumerate(supply)]
    face_of = {key: faces[card].pop() for key, card in every}
    pile = every.copy()
    for number in range(plan.rounds):
        if number == plan.rounds - 1:
            _draw_last_round(table)
        _play_round(table, pile, foul=plan.foul and not table.fouls)
    lowest = [ScriptCard(key, face_of[key], _supply(table)) for key, _ in pile[:4]]
    on_top = [ScriptCard(key, face_of[key], _supply(table)) for key, _ in reversed(every[len(pile) :])]
    last = [ScriptCard("last", face, _supply(table)) for face in (last_face,) if face is not None]
    script = Script(
        AREA_MM,
        (*cards, *lowest, *last, *on_top),
        people_at(ring),
        tuple(sorted(table.actions, key=_when)),
        table.now_s + _LAST_S,
    )
    return ColorettoGame(script, game, tuple(table.moves), tuple(table.fouls), table.has_row_cards, table.has_last_card)


def _play_round(table: _DrawnColoretto, pile: list[tuple[str, str]], *, foul: bool) -> None:
    game = table.game
    while True:
        seat = game.turn
        row = _row_to_take(table, seat)
        if row is not None:
            ended = len(game.taken) == game.players - 1
            _take(table, seat, row)
            if ended:
                break
        else:
            key, card = pile.pop()
            full = [r for r in _rows_with_space(game.players) if game.rows[r] and len(table.rows[r]) == game.rooms[r]]
            if foul and full and seat == table.dora:
                _lay_on_full(table, seat, full[0], key)
                foul = False
            _place(table, seat, key, card)
    _tidy(table)


def _rows_with_space(players: int) -> tuple[int, ...]:
    """Return the rows with space for an extra card: beside others it would touch a player's area or a pile."""
    return (0,) if players == 5 else (0, 2)


def _row_to_take(table: _DrawnColoretto, seat: int) -> int | None:
    """Return the row that a player takes, None to place a card: Dora takes early, the others when they must."""
    game, rng = table.game, table.rng
    rows = [row for row in range(len(game.rooms)) if game.verify_take(seat, row) is None]
    if not rows:
        return None
    best = max(rows, key=lambda row: len(table.rows[row]))
    open_rows = [row for row in range(len(game.rooms)) if game.verify_place(seat, row) is None]
    chance = {0: 0.0, 1: 0.0, 2: 0.5 if seat == table.dora else 0.2, 3: 0.6}[len(table.rows[best])]
    return best if not open_rows or rng.random() < chance else None


def _place(table: _DrawnColoretto, seat: int, key: str, card: str) -> None:
    game, rng = table.game, table.rng
    rows = [row for row in range(len(game.rooms)) if game.verify_place(seat, row) is None]
    row = rng.choice(rows)
    others = [one for one in rows if one != row]
    if seat == BEN and others and rng.random() < 0.25:
        # Placed, and moved to another row a little later.
        other = rng.choice(others)
        table.carry(seat, [key], [_in_row(table, other, len(table.rows[other]) + 1)])
        table.now_s += _HESITATES_S
    table.carry(seat, [key], [_in_row(table, row, len(table.rows[row]) + 1)])
    table.rows[row].append(key)
    game.place(seat, row, card)
    _note(table, "card_placed", seat, row, card)
    if seat == CEM and rng.random() < 0.5:
        where = _in_row(table, row, len(table.rows[row]))
        table.actions.append(Rest(seat, table.now_s + 0.9, table.now_s + 0.9 + _RESTS_S, (where.x_mm, where.y_mm)))
        table.now_s += _RESTS_S
    table.now_s += _MOVE_S


def _lay_on_full(table: _DrawnColoretto, seat: int, row: int, key: str) -> None:
    """Write a foul: a card on a full row, moved after the ruling."""
    table.carry(seat, [key], [_in_row(table, row, len(table.rows[row]) + 1)])
    table.fouls.append((seat, row))
    table.now_s += _MOVE_S


def _take(table: _DrawnColoretto, seat: int, row: int) -> None:
    game = table.game
    cards = list(game.rows[row] or ())
    to = [_in_area(table, seat, card) for card in cards]
    own = spot(table.ring, seat, 3.4 if seat % 2 else 4.2, 0.3, FRONT)
    mark = [f"row-{row}"] if table.has_row_cards else []
    table.carry(seat, [*table.rows[row], *mark], [*to, own][: len(to) + len(mark)], 1.2)
    table.rows[row] = []
    game.take(0, seat, row)
    _note(table, "row_taken", seat, row)
    table.now_s += _MOVE_S + 0.6


def _tidy(table: _DrawnColoretto) -> None:
    """Put all row cards back; with two players the third row leaves the game."""
    taken = [event for event in table.moves if event.kind == "row_taken"][-table.game.players :]
    for event in taken if table.has_row_cards else ():
        row = int(str(event.data["row"]))
        table.carry(int(str(event.data["seat"])), [f"row-{row}"], [_in_row(table, row, 0)])
        table.now_s += 1.1
    for left in table.rows:
        if left:
            table.carry(0, left, [CardPose(*_OUT_OF_THE_GAME_MM, 0.0, FRONT)] * len(left))
            left.clear()
            table.now_s += 1.1
    table.now_s += 1.0


def _draw_last_round(table: _DrawnColoretto) -> None:
    table.game.last = True
    if table.has_last_card:
        table.carry(table.game.turn, ["last"], [CardPose(*table.places_mm[-1], 90.0, FRONT)])
    table.moves.append(Event(round(table.now_s * 1e9), "last_round", {"event": "last_round"}))
    table.now_s += _MOVE_S


def _note(table: _DrawnColoretto, kind: str, seat: int, row: int, card: str | None = None) -> None:
    data: dict[str, object] = {"event": kind, "seat": seat, "row": row} | ({"card": card} if card else {})
    table.moves.append(Event(round(table.now_s * 1e9), kind, data))


def _in_row(table: _DrawnColoretto, row: int, at: int) -> CardPose:
    x, y = table.places_mm[row]
    return CardPose(
        x + at * _STEP_MM + table.rng.uniform(-2, 2), y + table.rng.uniform(-2, 2), table.rng.uniform(-3, 3), FRONT
    )


def _in_area(table: _DrawnColoretto, seat: int, card: str) -> CardPose:
    """Return the next place in the column of a card's kind; each card is a little below the one before it."""
    own = own_columns(table.ring, seat, _COLUMN, _FIRST_IN_AREA)
    columns, lengths = table.columns[seat], table.lengths[seat]
    if card not in columns:
        # With more kinds than columns, two kinds share a column.
        columns[card] = min(range(len(own)), key=lambda one: (lengths[one], one))
    column = columns[card]
    place = spot(table.ring, seat, _COLUMN * own[column], _FIRST_IN_AREA - _LAPS * lengths[column], FRONT)
    lengths[column] += 1
    turn = place.angle_deg + table.rng.uniform(-2, 2)
    return CardPose(place.x_mm + table.rng.uniform(-1, 1), place.y_mm + table.rng.uniform(-1, 1), turn, FRONT)


def _supply(table: _DrawnColoretto) -> CardPose:
    (x, y), rng = table.places_mm[-2], table.rng
    return CardPose(x + rng.uniform(-1, 1), y + rng.uniform(-1, 1), rng.uniform(-2, 2), BACK)


def _faces(deck: Deck) -> dict[str, list[str]]:
    """Return the faces of all cards of each kind, by the rules' name: one face repeated, or one for each card (E1)."""
    faces: dict[str, list[str]] = {}
    for face in deck.fronts:
        kind = face.attributes.get("kind")
        card = face.attributes.get("colour", "") if kind == "colour" else kind
        if card and kind in ("colour", PLUS2, JOKER):
            faces.setdefault(card, []).append(face.id)
    counts = {PLUS2: 10, JOKER: 3}
    return {card: [ids[k % len(ids)] for k in range(counts.get(card, 9))] for card, ids in faces.items()}


def _when(action: Action) -> float:
    if isinstance(action, Carry):
        return action.grasp_s
    return action.start_s if isinstance(action, Rest) else 0.0
