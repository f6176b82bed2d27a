"""Queries of the club's database: tables, evenings, players, the league, disputes, and exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Engine, func, select

from referee.announcer import Announcer
from referee.club.league import Result, Standing, league
from referee.club.live import LiveTables
from referee.club.models import ClubEvent, ClubGame, ClubRuling, ClubSeat, ClubTable, Correction, Dispute
from referee.errors import BadInputError
from referee.language import Language
from referee.store.games import iso_time

_MOST_GAMES = 200
EXPORTS = ("tables", "games", "players", "league", "rulings", "disputes")
Rows = list[dict[str, Any]]


class Views:
    """Queries of the database. scale: the league's points for each place. Thread-safe."""

    def __init__(self, engine: Engine, live: LiveTables | None = None, scale: tuple[float, ...] = ()) -> None:
        self._engine, self._live, self._scale = engine, live or LiveTables(), scale

    def tables(self) -> Rows:
        """Return the club's tables by name, each with its state and its number of games."""
        count = select(ClubGame.table_id, func.count().label("games")).group_by(ClubGame.table_id).subquery()
        asked = select(ClubTable.id, ClubTable.name, ClubTable.seen_ms, func.coalesce(count.c.games, 0))
        asked = asked.outerjoin(count, count.c.table_id == ClubTable.id).where(ClubTable.out_ms.is_(None))
        with self._engine.connect() as connection:
            rows = connection.execute(asked.order_by(ClubTable.name, ClubTable.id)).all()
        return [
            {"id": one, "name": name, "seen": iso_time(seen_ms or None), "games": games, **self._live.of(one)}
            for one, name, seen_ms, games in rows
        ]

    def key_of(self, table: str) -> bytes | None:
        """Return the key of a member table; None for another."""
        with self._engine.connect() as connection:
            key = connection.scalar(select(ClubTable.key).where(ClubTable.id == table, ClubTable.out_ms.is_(None)))
        return None if key is None else bytes.fromhex(key)

    def evenings(self) -> Rows:
        """Return the evenings, the last one first: `{"evening", "games", "players", "tables", "disputes"}`."""
        seats = select(ClubGame.evening, func.count(func.distinct(ClubSeat.player))).join(
            ClubSeat, ClubSeat.game_uid == ClubGame.uid
        )
        games = select(
            ClubGame.evening, func.count(), func.count(ClubGame.ended_ms), func.count(func.distinct(ClubGame.table_id))
        ).group_by(ClubGame.evening)
        with self._engine.connect() as connection:
            players = {row[0]: row[1] for row in connection.execute(seats.group_by(ClubGame.evening))}
            rows = connection.execute(games.order_by(ClubGame.evening.desc())).all()
        return [
            {
                "evening": evening,
                "games": count,
                "finished": ended,
                "tables": tables,
                "players": players.get(evening, 0),
            }
            for evening, count, ended, tables in rows
        ]

    def games(self, evening: str | None = None, most: int | None = _MOST_GAMES) -> Rows:
        """Return games with their seats, the newest first."""
        asked = select(ClubGame, ClubTable.name).join(ClubTable, ClubTable.id == ClubGame.table_id)
        asked = asked if evening is None else asked.where(ClubGame.evening == evening)
        asked = asked.order_by(ClubGame.started_ms.desc(), ClubGame.uid).limit(most)
        uids = select(asked.subquery().c.uid)
        with self._engine.connect() as connection:
            rows = connection.execute(asked).all()
            seats = connection.execute(
                select(ClubSeat).where(ClubSeat.game_uid.in_(uids)).order_by(ClubSeat.seat)
            ).all()
        at: dict[str, Rows] = {}
        for seat in seats:
            at.setdefault(seat.game_uid, []).append({"name": seat.name, "points": seat.points, "place": seat.place})
        return [
            {
                "game": row.uid,
                "kind": row.kind,
                "table": row.name,
                "evening": row.evening,
                "started": iso_time(row.started_ms),
                "ended": iso_time(row.ended_ms),
                "seats": at.get(row.uid, []),
            }
            for row in rows
        ]

    def standings(self, since: str | None = None) -> list[Standing]:
        """Return the league of the finished games from an evening on; each player has the name used last."""
        asked = select(ClubGame.uid, ClubSeat.player, ClubSeat.name, ClubSeat.place).join(
            ClubSeat, ClubSeat.game_uid == ClubGame.uid
        )
        asked = asked.where(ClubGame.ended_ms.is_not(None), ClubSeat.place.is_not(None))
        asked = asked if since is None else asked.where(ClubGame.evening >= since)
        games: dict[str, list[tuple[str, int]]] = {}
        names: dict[str, str] = {}
        with self._engine.connect() as connection:
            for uid, player, name, place in connection.execute(
                asked.order_by(ClubGame.ended_ms, ClubGame.uid, ClubSeat.seat)
            ):
                games.setdefault(uid, []).append((player, int(place or 0)))
                names[player] = name
        found = league((Result(tuple(places)) for places in games.values()), self._scale)
        for one in found:
            one.player = names[one.player]
            one.against = {names[other]: met for other, met in one.against.items()}
        return found

    def league_rows(self, since: str | None = None) -> Rows:
        """Return the league as data for JSON."""
        return [
            {
                "player": one.player,
                "games": one.games,
                "wins": one.wins,
                "points": round(one.points, 2),
                "elo": round(one.elo),
                "against": one.against,
            }
            for one in self.standings(since)
        ]

    def players(self) -> Rows:
        """Return all players across tables, by number of games: `{"player", "games", "tables", "last"}`."""
        asked = select(
            ClubSeat.player,
            func.max(ClubSeat.name),
            func.count(),
            func.count(func.distinct(ClubGame.table_id)),
            func.max(ClubGame.evening),
        ).join(ClubGame, ClubGame.uid == ClubSeat.game_uid)
        with self._engine.connect() as connection:
            rows = connection.execute(
                asked.group_by(ClubSeat.player).order_by(func.count().desc(), ClubSeat.player)
            ).all()
        return [
            {"player": name, "games": games, "tables": tables, "last": last} for _, name, games, tables, last in rows
        ]

    def disputes(self, language: Language, most: int | None = _MOST_GAMES) -> Rows:
        """Return disputed and corrected events, the newest first, with valid and first (`before`) rulings in words."""
        disputed = select(Dispute.game_uid, Dispute.event).union(
            select(Correction.game_uid, Correction.event).where(Correction.event.is_not(None))
        )
        one = disputed.subquery()
        asked = (
            select(one.c.game_uid, one.c.event, ClubEvent.wall_ms, ClubGame.kind, ClubGame.table_id, ClubTable.name)
            .join(ClubEvent, (ClubEvent.game_uid == one.c.game_uid) & (ClubEvent.number == one.c.event))
            .join(ClubGame, ClubGame.uid == one.c.game_uid)
            .join(ClubTable, ClubTable.id == ClubGame.table_id)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(asked.order_by(ClubEvent.wall_ms.desc()).limit(most)).all()
            return [
                {
                    "game": uid,
                    "event": event,
                    "at": iso_time(wall_ms),
                    "kind": kind,
                    "table_id": table,
                    "table": name,
                    "text": self._said(connection, uid, event, kind, language),
                    "before": self._said(connection, uid, event, kind, language, first=True),
                }
                for uid, event, wall_ms, kind, table, name in rows
            ]

    def _said(
        self,
        connection: Any,  # noqa: ANN401 (SQLAlchemy's Connection)
        uid: str,
        event: int,
        kind: str,
        language: Language,
        *,
        first: bool = False,
    ) -> str:
        """Return the rulings on an event in words: the valid or the first ones."""
        holds = ClubRuling.since == 0 if first else ClubRuling.until.is_(None)
        asked = (
            select(ClubRuling.data)
            .where(ClubRuling.game_uid == uid, ClubRuling.event == event, holds)
            .order_by(ClubRuling.place)
        )
        names = connection.scalars(select(ClubSeat.name).where(ClubSeat.game_uid == uid).order_by(ClubSeat.seat)).all()
        return " ".join(filter(None, (said(kind, names, one, language) for one in connection.scalars(asked))))

    def export(self, what: str, language: Language) -> Rows:
        """Return rows for an export.

        Raises:
            BadInputError: the export is unknown.
        """
        match what:
            case "tables":
                return self.tables()
            case "games":
                return self.games(most=None)
            case "players":
                return self.players()
            case "league":
                return self.league_rows()
            case "disputes":
                return self.disputes(language, most=None)
            case "rulings":
                return self._rulings()
        raise BadInputError("error.club.there_is_to_export_not", list=", ".join(EXPORTS), what=ascii(what)[:40])

    def _rulings(self) -> Rows:
        asked = select(ClubRuling, ClubEvent.wall_ms).join(
            ClubEvent, (ClubEvent.game_uid == ClubRuling.game_uid) & (ClubEvent.number == ClubRuling.event)
        )
        order = (ClubEvent.wall_ms, ClubRuling.game_uid, ClubRuling.event, ClubRuling.place)
        with self._engine.connect() as connection:
            rows = connection.execute(asked.where(ClubRuling.until.is_(None)).order_by(*order)).all()
        return [{"game": row.game_uid, "event": row.event, "at": iso_time(row.wall_ms), **row.data} for row in rows]


def said(kind: str, players: Any, ruling: Mapping[str, Any], language: Language) -> str:  # noqa: ANN401 (names)
    """Return a ruling in words, "" for an unknown game."""
    try:
        return Announcer(kind, list(players), language).say(ruling)
    except (BadInputError, KeyError, TypeError, ValueError, IndexError):
        return ""
