"""`ringmaster club`: many tables, one league, on one computer of the club."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError, WorkFailedError
from referee.jsonlines import to_line
from referee.output import for_people
from referee.phrases import phrase

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from referee.club.settings import ClubSettings
    from referee.club.views import Views

_STOP_CHECK_S = 0.5


@click.group(help=COMMANDS["club"], no_args_is_help=False)
def command() -> None:
    """Check that the club's libraries are installed."""
    try:
        import alembic  # noqa: F401
        import sqlalchemy  # noqa: F401
    except ImportError as error:
        raise WorkFailedError("error.commands.club_needs_more_programs_make") from error


_STATE = options.state("where the club keeps settings and database", default="beside the games")
_JSON = options.as_json("answer in JSON, an object a line")


@command.command("set", help="set the club's name, its broker and its database")
@click.option("--name", help="the club's name")
@click.option("--broker", "host", metavar="NAME", help="the broker's computer")
@click.option(
    "--broker-port", "port", metavar="PORT", type=options.PORT, show_default="1883, TLS 8883", help="the broker's port"
)
@options.broker("the broker's user for the club")
@click.option("--database", metavar="URL", help="postgresql://user:password@computer/name; SQLite without it")
@click.option("--points", metavar="LIST", help="points for each place, such as 5,3,1 (none: see docs/club.md)")
@_STATE
def set_up(
    points: str | None,
    state: Path | None,
    **given: Any,  # noqa: ANN401 (name, host, port, user, password_file, tls, ca, database)
) -> int:
    """Store the given settings, and print them."""
    from referee.club.database import engine_of
    from referee.club.settings import load_club, save_club

    folder = _folder(state)
    wanted = options.broker_values(given) | ({} if points is None else {"scale": _scale(points)})
    settings = load_club(folder).changed(wanted)
    engine = engine_of(settings.address(folder))
    save_club(folder, settings)
    database = "SQLite" if engine.dialect.name == "sqlite" else "PostgreSQL"
    engine.dispose()
    about = {"name": settings.name, "host": settings.host, "port": settings.usual_port, "database": database}
    print(for_people(phrase("terminal.club_is_set" if settings.host else "terminal.club_has_no_broker", **about)))
    return 0


@command.command(help="take all tables in, and serve the club's page")
@options.host
@options.port(8090)
@_STATE
def run(host: str, port: int, state: Path | None) -> int:
    """Run until SIGTERM or Ctrl-C."""
    with _database(state) as (engine, settings):
        return _run(engine, settings, _folder(state), host, port)


@command.command("invite", help="give a code that lets one table in, for a week")
@_STATE
@_JSON
def invite_table(state: Path | None, as_json: bool) -> int:
    """Print a code that admits one table."""
    from referee.club.members import invite
    from referee.mqtt.client import shown_code

    with _database(state) as (engine, _):
        code = shown_code(invite(engine))
    print(to_line({"code": code}) if as_json else for_people(phrase("terminal.lets_one_table_in_within", code=code)))
    return 0


@command.command(help="list the tables that are in the club")
@_STATE
@_JSON
def tables(state: Path | None, as_json: bool) -> int:
    """Print a line a table."""
    with _views(state) as views:
        rows = [{key: row[key] for key in ("id", "name", "games", "seen")} for row in views.tables()]
    return _print(rows, as_json, phrase("terminal.no_table_is_in_club"))


@command.command(help="remove a table; its games stay")
@click.argument("table", metavar="TABLE", help="its name, or its id as `tables` lists it")
@_STATE
@_JSON
def out(table: str, state: Path | None, as_json: bool) -> int:
    """Remove a table."""
    from referee.club.members import put_out

    with _database(state) as (engine, _):
        name = put_out(engine, table)
    print(to_line({"out": name}) if as_json else for_people(phrase("terminal.is_out_its_games_stay", table=name)))
    return 0


@command.command(help="the league table")
@click.option("--since", metavar="DATE", help="only from this evening on, such as 2026-09-01")
@_STATE
@_JSON
def league(since: str | None, state: Path | None, as_json: bool) -> int:
    """Print a line a player."""
    from datetime import date

    with _views(state) as views:
        try:
            begin = None if since is None else date.fromisoformat(since).isoformat()
        except ValueError:
            raise BadInputError("error.commands.date_is_like_2026_09", since=ascii(since)[:40]) from None
        rows = [{key: row[key] for key in row if key != "against" or as_json} for row in views.league_rows(begin)]
    return _print(rows, as_json, phrase("terminal.no_game_is_over_yet"))


@command.command(help="write tables, games or the league as CSV or JSON")
@click.argument("what", metavar="WHAT", help="tables, games, players, league, rulings or disputes")
@click.option("--format", "kind", type=click.Choice(("csv", "json")), default="csv", help="how it is written")
@options.output("FILE", "the file to write", show_default="standard output")
@_STATE
@_JSON
def export(what: str, kind: str, output: Path | None, state: Path | None, as_json: bool) -> int:
    """Write an export."""
    from referee.club.files import as_csv
    from referee.club.files import as_json as in_json
    from referee.files import check_writable, write_whole
    from referee.language import Language, language_of

    with _views(state) as views:
        if output is not None:
            check_writable(output)
        rows = views.export(what, Language(language_of()))
    text = in_json(rows) if as_json or kind == "json" else as_csv(rows)
    if output is None:
        print(text, end="")
    else:
        write_whole(output, text.encode())
    return 0


def _run(engine: Engine, settings: ClubSettings, folder: Path, host: str, port: int) -> int:
    from referee.c_heap import share_one_heap
    from referee.club.service import ClubService
    from referee.club.web import create_club_app
    from referee.log import begin_log
    from referee.web.server import PageServer

    share_one_heap()
    begin_log("warning")
    if not settings.host:
        raise BadInputError("error.commands.say_which_computer_broker_runs")
    service = ClubService(settings, engine, folder=folder)
    server = PageServer(create_club_app(service, engine, settings), host, port)
    stop = threading.Event()
    before = [(one, signal.signal(one, lambda *_: stop.set())) for one in (signal.SIGTERM, signal.SIGINT)]
    try:
        server.start()
        service.start()
        address = f"http://localhost:{server.port}/"
        print(for_people(phrase("terminal.clubs_page_is_at", address=address)), flush=True)
        while not stop.wait(_STOP_CHECK_S):
            pass
    finally:
        server.stop()
        service.stop()
        for number, handler in before:
            signal.signal(number, handler)
    return 0


def _print(rows: Sequence[Mapping[str, Any]], as_json: bool, nothing: str) -> int:
    """Print rows, as JSON or in columns."""
    from referee.safe_text import harmless

    if as_json:
        for row in rows:
            print(to_line(dict(row)))
        return 0
    if not rows:
        print(for_people(nothing))
        return 0
    lines = [
        list(rows[0]),
        *([harmless("" if value is None else str(value)) for value in row.values()] for row in rows),
    ]
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    return 0


def _scale(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(one) for one in text.split(",") if one.strip())
    except ValueError:
        raise BadInputError("error.commands.points_are_numbers_with_commas", text=ascii(text)[:40]) from None


def _folder(given: Path | None) -> Path:
    from referee.state_folder import state_folder

    return given if given is not None else state_folder() / "club"


@contextmanager
def _database(state: Path | None) -> Iterator[tuple[Engine, ClubSettings]]:
    from referee.club.database import open_database
    from referee.club.settings import load_club

    folder = _folder(state)
    settings = load_club(folder)
    if not settings.database:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o750)
        except OSError as error:
            raise WorkFailedError("error.club.folder_cannot_be_made", folder=folder, why=error.strerror) from error
    engine = open_database(settings.address(folder))
    try:
        yield engine, settings
    finally:
        engine.dispose()


@contextmanager
def _views(state: Path | None) -> Iterator[Views]:
    from referee.club.views import Views

    with _database(state) as (engine, settings):
        yield Views(engine, scale=settings.scale)
