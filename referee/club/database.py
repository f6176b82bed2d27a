"""Opens the club's database, SQLite for a small club or PostgreSQL, and upgrades its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from hardware.problems import one_line
from referee.errors import BadInputError, WorkFailedError

MIGRATIONS = Path(__file__).parent / "migrations"
_DRIVERS = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}


def engine_of(url: str) -> Engine:
    """Return the engine for a database, which is not opened yet.

    Raises:
        BadInputError: it is no database's address.
    """
    try:
        address = make_url(url)
        address = address.set(drivername=_DRIVERS.get(address.drivername, address.drivername))
        engine = create_engine(address, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise BadInputError("error.club.database_is_sqlite_path_club") from error
    if engine.dialect.name not in ("sqlite", "postgresql"):
        raise BadInputError("error.club.clubs_database_is_sqlite_or")
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _settle_sqlite)
    return engine


def open_database(url: str) -> Engine:
    """Open a database, and make or upgrade its tables.

    Raises:
        BadInputError: it is no database's address.
        WorkFailedError: it cannot be reached, or a newer Ringmaster has written it.
    """
    engine = engine_of(url)
    try:
        upgrade(engine)
    except SQLAlchemyError as error:
        engine.dispose()
        raise WorkFailedError("error.club.clubs_database_cannot_be_used", why=driver_text(error)) from error
    except CommandError as error:
        engine.dispose()
        raise WorkFailedError("error.club.clubs_database_was_written_by") from error
    return engine


def upgrade(engine: Engine) -> None:
    """Upgrade the tables."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _settle_sqlite(connection: Any, _record: object) -> None:  # noqa: ANN401 (the driver's own)
    """Set pragmas for commits that survive a power failure: a table deletes acknowledged messages."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
        connection.execute(f"PRAGMA {pragma}")


def driver_text(error: Exception) -> str:
    """Return the driver's own text of a database's error, in one line."""
    return one_line(getattr(error, "orig", None) or error)
