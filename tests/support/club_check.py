"""Whether a club has just what a table's journal has: every event, ruling and correction, once and in order."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, select

from referee.club.models import ClubEvent, ClubRuling, Correction
from referee.engine.log import GameLog
from referee.store.games import games, kept_game
from referee.store.store import Store


def faults_against(engine: Engine, journal: Store) -> list[str]:
    """Return what differs in the club, a few words each; none if all is the same."""
    found: list[str] = []
    with engine.connect() as connection:
        for row in games(journal.read):
            for name, here, there in _pairs(connection, kept_game(journal.read, row)):
                if here != there:
                    found.append(f"{name} of game {row.uid}: {len(there)} in the club, {len(here)} at the table")
            asked = select(ClubEvent.received_ms).where(ClubEvent.game_uid == row.uid).order_by(ClubEvent.number)
            times = list(connection.scalars(asked))
            if times != sorted(times):
                found.append(f"events of game {row.uid} came out of order")
    return found


def _pairs(connection: Connection, log: GameLog) -> list[tuple[str, list[Any], list[Any]]]:
    uid = log.row.uid
    events = (
        select(ClubEvent.number, ClubEvent.data, ClubEvent.refused)
        .where(ClubEvent.game_uid == uid)
        .order_by(ClubEvent.number)
    )
    rulings = select(ClubRuling.event, ClubRuling.place, ClubRuling.since, ClubRuling.until, ClubRuling.data)
    rulings = rulings.where(ClubRuling.game_uid == uid).order_by(ClubRuling.event, ClubRuling.place, ClubRuling.since)
    corrections = select(Correction.number, Correction.event, Correction.undoes)
    corrections = corrections.where(Correction.game_uid == uid).order_by(Correction.number)
    here = [(one.number, one.event.kind, one.event.t_ns, one.refused) for one in log.records.values()]
    there = [(n, data["event"], data["t_ns"], bool(refused)) for n, data, refused in connection.execute(events)]
    ruled = [(one.event, one.place, one.since, one.until, dict(one.data)) for one in log.ruled()]
    corrected = [(one.number, one.event, one.undoes) for one in log.corrections]
    return [
        ("events", here, there),
        ("rulings", ruled, [tuple(one) for one in connection.execute(rulings)]),
        ("corrections", corrected, [tuple(one) for one in connection.execute(corrections)]),
    ]
