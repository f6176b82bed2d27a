"""Writes the messages of a table into the rows of its games; existing rows stay: tables may repeat messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, update
from sqlalchemy.dialects import postgresql, sqlite

from referee.club.messages import ClubCorrection, Disputed, EventJudged, GameBegun, message_in
from referee.club.models import Base, ClubEvent, ClubGame, ClubRuling, ClubSeat, Correction, Dispute
from referee.errors import BadInputError
from referee.names import distinct_names, folded
from referee.store.history import evening_of

Values = Mapping[str, Any]


class Recorder:
    """Gathers messages in the caller's transaction; consecutive events become one insert. now_ms: their arrival."""

    def __init__(self, connection: Connection, now_ms: int) -> None:
        self._connection, self._now_ms = connection, now_ms
        self._is_sqlite = connection.dialect.name == "sqlite"
        self._events: list[Values] = []
        self._rulings: list[Values] = []
        self._to_settle: set[str] = set()
        self._owners: dict[str, str | None] = {}

    def take(self, table: str, data: Values) -> None:
        """Take a message's data.

        Raises:
            BadInputError: it is invalid, or belongs to another table's game; nothing was written.
        """
        message = message_in(data)
        match message:
            case GameBegun():
                if self._owner(message.game) not in (None, table):
                    raise BadInputError("error.club.game_belongs_to_another_table", game=message.game)
                self._game(table, message)
            case EventJudged():
                self._demand_own(table, message.game)
                self._event(message)
            case ClubCorrection():
                self._demand_own(table, message.game)
                self._correction(message)
            case Disputed():
                self._demand_own(table, message.game)
                self._write()
                row = {"game_uid": message.game, "event": message.event, "noted_ms": self._now_ms}
                self._add(Dispute, [row])

    def finish(self) -> None:
        """Write the waiting rows, and the results."""
        self._write()
        for uid in self._to_settle:
            settle_result(self._connection, uid)

    def _owner(self, uid: str) -> str | None:
        """Return the table of a game; None for an unknown game."""
        if self._owners.get(uid) is None:
            self._owners[uid] = self._connection.scalar(select(ClubGame.table_id).where(ClubGame.uid == uid))
        return self._owners[uid]

    def _demand_own(self, table: str, uid: str) -> None:
        owner = self._owner(uid)
        if owner is None:
            raise BadInputError("error.club.game_is_not_here", game=uid)
        if owner != table:
            raise BadInputError("error.club.game_belongs_to_another_table", game=uid)

    def _game(self, table: str, message: GameBegun) -> None:
        row = {
            "uid": message.game,
            "table_id": table,
            "kind": message.header.game,
            "options": message.header.options,
            "started_ms": message.started_ms,
            "evening": evening_of(message.started_ms),
        }
        seats = [
            {"game_uid": message.game, "seat": seat, "name": name, "player": folded(name)}
            for seat, name in enumerate(distinct_names(message.header.players))
        ]
        self._add(ClubGame, [row])
        self._add(ClubSeat, seats)

    def _event(self, message: EventJudged) -> None:
        uid, number = message.game, message.number
        rulings = [_ruling(uid, number, place, 0, one) for place, one in enumerate(message.rulings)]
        self._events.append(
            {
                "game_uid": uid,
                "number": number,
                "wall_ms": message.wall_ms,
                "received_ms": self._now_ms,
                "data": message.event,
                "refused": int(message.refused),
            }
        )
        self._rulings += rulings
        if any(one["kind"] == "end" for one in rulings):
            self._to_settle.add(uid)

    def _correction(self, message: ClubCorrection) -> None:
        self._write()
        uid, number = message.game, message.number
        row = message.model_dump(include={"wall_ms", "event", "data", "undoes"})
        new = [_ruling(uid, event, place, number, one) for event, place, one in message.new]
        if not self._add(Correction, [{"game_uid": uid, "number": number, **row}]):
            return
        for event, place in message.gone:
            at = (
                ClubRuling.game_uid == uid,
                ClubRuling.event == event,
                ClubRuling.place == place,
                ClubRuling.until.is_(None),
            )
            self._connection.execute(update(ClubRuling).where(*at, ClubRuling.since < number).values(until=number))
        self._add(ClubRuling, new)
        self._to_settle.add(uid)

    def _write(self) -> None:
        self._add(ClubEvent, self._events)
        self._add(ClubRuling, self._rulings)
        self._events, self._rulings = [], []

    def _add(self, kind: type[Base], rows: Sequence[Values]) -> int:
        """Add the rows that are missing, and return their number."""
        if not rows:
            return 0
        statement = (
            sqlite.insert(kind).on_conflict_do_nothing()
            if self._is_sqlite
            else postgresql.insert(kind).on_conflict_do_nothing()
        )
        return self._connection.execute(statement, list(rows)).rowcount


def _ruling(uid: str, event: int, place: int, since: int, data: Values) -> Values:
    key = {"game_uid": uid, "event": event, "place": place, "since": since}
    return {**key, "kind": data["ruling"], "data": dict(data)}


def settle_result(connection: Connection, uid: str) -> None:
    """Write each seat's points and place by the `end` ruling in force; both are None without one."""
    asked = select(ClubRuling.data, ClubEvent.wall_ms).join(
        ClubEvent, (ClubEvent.game_uid == ClubRuling.game_uid) & (ClubEvent.number == ClubRuling.event)
    )
    holds = (ClubRuling.game_uid == uid, ClubRuling.kind == "end", ClubRuling.until.is_(None))
    end = connection.execute(asked.where(*holds).order_by(ClubRuling.event.desc())).first()
    connection.execute(update(ClubGame).where(ClubGame.uid == uid).values(ended_ms=None if end is None else end[1]))
    count = len(connection.execute(select(ClubSeat.seat).where(ClubSeat.game_uid == uid)).all())
    for seat, (points, place) in enumerate(results(None if end is None else end[0], count)):
        at = (ClubSeat.game_uid == uid, ClubSeat.seat == seat)
        connection.execute(update(ClubSeat).where(*at).values(points=points, place=place))


def results(end: Values | None, seats: int) -> list[tuple[int | None, int | None]]:
    """Return points and place of each seat by the ruling that ended a game: winners first, then by points.

    In Piccolino cards are the points.
    """
    if end is None:
        return [(None, None)] * seats
    # Older versions did not check rows before writing them.
    points, won = end.get("points") or end.get("cards"), end.get("winners")
    if not isinstance(points, list) or len(points) != seats or not all(type(one) is int for one in points):
        points = [0] * seats
    winners = {seat for seat in won if type(seat) is int} if isinstance(won, list) else set()
    keys = [(seat not in winners, -points[seat] if seat not in winners else 0) for seat in range(seats)]
    return [(points[seat], 1 + sum(other < keys[seat] for other in keys)) for seat in range(seats)]
