"""`ringmaster club`: many tables, one league, on one computer of the club."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.arguments import port
from referee.errors import BadInputError, WorkFailedError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from referee.club.settings import ClubSettings

SUMMARY = "gather many tables into one club: a page of all tables, evenings, players, a league"
_STOP_CHECK_S = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    _add_set(kinds.add_parser("set", help="set the club's name, its broker and its database"))
    runs = kinds.add_parser("run", help="take all tables in, and serve the club's page")
    runs.add_argument("--host", default="", help="address to serve the page at (default: all of this machine)")
    runs.add_argument("--port", type=port, default=8090, help="port of the page (default 8090)")
    kinds.add_parser("invite", help="give a code that lets one table in, for a week")
    kinds.add_parser("tables", help="list the tables that are in the club")
    out = kinds.add_parser("out", help="put a table out; its games stay")
    out.add_argument("table", metavar="TABLE", help="its name, or its id as `tables` lists it")
    standings = kinds.add_parser("league", help="the league table")
    standings.add_argument("--since", metavar="DATE", help="only from this evening on, such as 2026-09-01")
    export = kinds.add_parser("export", help="write what is there as CSV or JSON")
    export.add_argument("rows", metavar="WHAT", help="tables, games, players, league, rulings or disputes")
    export.add_argument("--format", choices=("csv", "json"), default="csv", help="csv (default) or json")
    export.add_argument("-o", "--output", metavar="FILE", type=Path, help="write there instead of standard output")
    for kind in kinds.choices.values():
        kind.add_argument("--state", metavar="DIR", type=Path, help="where the club keeps its own")
        kind.add_argument("--json", action="store_true", help="answer in JSON, an object a line")


def _add_set(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", help="the club's name")
    parser.add_argument("--broker", metavar="NAME", help="the broker's computer")
    parser.add_argument("--broker-port", metavar="PORT", type=port, help="the broker's port (default 1883, TLS 8883)")
    parser.add_argument("--user", metavar="NAME", help="the broker's user for the club")
    parser.add_argument("--password-file", metavar="FILE", type=Path, help="a file whose first line is the password")
    parser.add_argument("--tls", choices=("yes", "no"), help="whether the line is encrypted")
    parser.add_argument("--ca", metavar="FILE.pem", type=Path, help="certificate of the authority, if it is your own")
    parser.add_argument("--database", metavar="URL", help="postgresql://user:password@computer/name; SQLite without it")
    parser.add_argument(
        "--points", metavar="LIST", help="points for each place, such as 5,3,1 (none: see docs/club.md)"
    )


def run(args: argparse.Namespace) -> int:
    """Do what was asked for.

    Raises:
        BadInputError: it cannot be.
        WorkFailedError: the club's programs are not installed, or the database cannot be had.
    """
    try:
        import alembic  # noqa: F401
        import sqlalchemy  # noqa: F401
    except ImportError as error:
        raise WorkFailedError(
            "the club needs more programs: make install OPTIONS='--extras club', or the package of make deb"
        ) from error
    from referee.club.settings import load_club

    folder = _folder(args.state)
    settings = load_club(folder)
    if args.what == "set":
        return _set(folder, settings, args)
    with _database(folder, settings) as engine:
        if args.what == "run":
            return _run(engine, settings, args)
        return _asked(engine, settings, args)


def _set(folder: Path, settings: ClubSettings, args: argparse.Namespace) -> int:
    from referee.club.settings import save_club
    from referee.commands.mqtt import text_of

    given = {"name": args.name, "host": args.broker, "port": args.broker_port, "user": args.user}
    wanted: dict[str, Any] = {name: value for name, value in (given | {"database": args.database}).items() if value}
    if args.tls is not None:
        wanted["tls"] = args.tls == "yes"
    if args.password_file is not None:
        wanted["password"] = text_of(args.password_file).partition("\n")[0].strip("\r")
    if args.ca is not None:
        wanted["ca"] = text_of(args.ca)
    if args.points is not None:
        wanted["scale"] = _scale(args.points)
    settings = settings.changed(wanted)
    save_club(folder, settings)
    broker = f"{settings.host}, port {settings.usual_port}" if settings.host else "none yet (--broker NAME)"
    print(f"{settings.name}: broker {broker}; database {'PostgreSQL' if settings.database else 'SQLite'}.")
    return 0


def _run(engine: Engine, settings: ClubSettings, args: argparse.Namespace) -> int:
    from referee.c_heap import share_one_heap
    from referee.club.service import ClubService
    from referee.club.web import create_club_app
    from referee.log import begin_log
    from referee.web.server import PageServer

    share_one_heap()
    begin_log("warning")
    if not settings.host:
        raise BadInputError("say which computer the broker runs on: ringmaster club set --broker NAME")
    service = ClubService(settings, engine, folder=_folder(args.state))
    server = PageServer(create_club_app(service, engine, settings), args.host, args.port)
    stop = threading.Event()
    before = [(one, signal.signal(one, lambda *_: stop.set())) for one in (signal.SIGTERM, signal.SIGINT)]
    try:
        server.start()
        service.start()
        print(f"The club's page is at http://localhost:{server.port}/", flush=True)
        while not stop.wait(_STOP_CHECK_S):
            pass
    finally:
        server.stop()
        service.stop()
        for number, handler in before:
            signal.signal(number, handler)
    return 0


def _asked(engine: Engine, settings: ClubSettings, args: argparse.Namespace) -> int:
    from referee.club.members import invite, put_out
    from referee.club.views import Views
    from referee.jsonlines import to_line
    from referee.mqtt.client import shown_code

    views = Views(engine, scale=settings.scale)
    match args.what:
        case "invite":
            code = shown_code(invite(engine))
            print(to_line({"code": code}) if args.json else f"{code} lets one table in, within a week.")
        case "out":
            name = put_out(engine, args.table)
            print(to_line({"out": name}) if args.json else f"{name} is out; its games stay.")
        case "tables":
            rows = [{key: row[key] for key in ("id", "name", "games", "seen")} for row in views.tables()]
            _print(rows, args.json, "no table is in the club yet: ringmaster club invite")
        case "league":
            rows = [{key: row[key] for key in row if key != "against" or args.json} for row in _league(views, args)]
            _print(rows, args.json, "no game is over yet")
        case "export":
            _export(views, args)
    return 0


def _league(views: Any, args: argparse.Namespace) -> list[dict[str, Any]]:  # noqa: ANN401 (Views)
    from datetime import date

    try:
        since = None if args.since is None else date.fromisoformat(args.since).isoformat()
    except ValueError:
        raise BadInputError(f"a date is like 2026-09-01, not {ascii(args.since)[:40]}") from None
    rows: list[dict[str, Any]] = views.league_rows(since)
    return rows


def _export(views: Any, args: argparse.Namespace) -> None:  # noqa: ANN401 (Views)
    from referee.club.files import as_csv, as_json
    from referee.files import check_writable, write_whole
    from referee.language import Language, language_of

    if args.output is not None:
        check_writable(args.output)
    rows = views.export(args.rows, Language(language_of()))
    text = as_json(rows) if args.json or args.format == "json" else as_csv(rows)
    if args.output is None:
        print(text, end="")
    else:
        write_whole(args.output, text.encode())


def _print(rows: list[dict[str, Any]], as_json: bool, nothing: str) -> None:
    """Print rows, for people in columns."""
    from referee.jsonlines import to_line
    from referee.safe_text import harmless

    if as_json:
        for row in rows:
            print(to_line(row))
        return
    if not rows:
        print(nothing)
        return
    lines = [
        list(rows[0]),
        *([harmless("" if value is None else str(value)) for value in row.values()] for row in rows),
    ]
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _scale(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(one) for one in text.split(",") if one.strip())
    except ValueError:
        raise BadInputError(f"points are numbers with commas between, such as 5,3,1, not {ascii(text)[:40]}") from None


def _folder(given: Path | None) -> Path:
    from referee.journal.folder import state_folder

    return given if given is not None else state_folder() / "club"


@contextmanager
def _database(folder: Path, settings: ClubSettings) -> Iterator[Engine]:
    from referee.club.database import open_database

    if not settings.database:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o750)
        except OSError as error:
            raise WorkFailedError(f"the folder {folder} cannot be made: {error.strerror}") from error
    engine = open_database(settings.address(folder))
    try:
        yield engine
    finally:
        engine.dispose()
