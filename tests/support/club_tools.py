"""A club at work, for tests, and a PostgreSQL of our own."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Engine

from referee.club.database import open_database
from referee.club.members import invite
from referee.club.service import ClubService
from referee.club.settings import ClubSettings
from referee.club.views import Views
from referee.language import Language
from tests.support.brokers import Mosquitto
from tests.support.databases import why_no_postgres
from tests.support.house_tools import PublishingTable
from tests.support.waiting import wait_for

needs_postgres = pytest.mark.skipif(why_no_postgres() is not None, reason=why_no_postgres() or "")


@dataclass
class ClubAtWork:
    service: ClubService
    engine: Engine

    @property
    def views(self) -> Views:
        return Views(self.engine, self.service.live)


@contextmanager
def club_at_work(folder: Path, broker: Mosquitto, url: str | None = None) -> Iterator[ClubAtWork]:
    folder.mkdir(exist_ok=True)
    engine = open_database(url or f"sqlite:///{folder}/club.sqlite")
    service = ClubService(ClubSettings(host="127.0.0.1", port=broker.port, name="Rook & Ring"), engine, 0.05)
    service.start()
    try:
        wait_for(lambda: service.status == "up")
        yield ClubAtWork(service, engine)
    finally:
        service.stop()
        engine.dispose()


def join(club: ClubAtWork, table: PublishingTable) -> None:
    table.publisher.change({"join": invite(club.engine)})
    wait_for(lambda: table.publisher.public(Language())["club"] == "Rook & Ring", "the club does not let it in")


def asked(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    """Return the status and the body of the club's answer."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
