"""`ringmaster bench club` and `bench telling`: what others are told, and what that costs."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from referee.arguments import seed
from referee.bench.report import print_line, print_measurements
from referee.errors import BadInputError, WorkFailedError

if TYPE_CHECKING:
    from referee.bench.club import ClubVerdict


def add_kinds(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add both kinds of bench."""
    club = kinds.add_parser("club", help="kill tables that tell a club, or let many tell at once, and count losses")
    club.add_argument("--kills", metavar="N", type=int, default=100, help="how often a table is killed (default 100)")
    club.add_argument("--tables", metavar="N", type=int, help="let so many tables play at once instead")
    club.add_argument("--minutes", metavar="N", type=float, default=10.0, help="for how long (default 10)")
    club.add_argument("--pace", metavar="S", type=float, default=1.0, help="an event a table in S seconds (default 1)")
    club.add_argument("--outage", metavar="S", type=float, default=0.0, help="stop the broker for S seconds meanwhile")
    club.add_argument("--postgres", action="store_true", help="write to a PostgreSQL of its own (default: SQLite)")
    club.add_argument("--seed", metavar="N", type=seed, default=1, help="of games and instants")
    club.add_argument("--json", action="store_true", help="the verdict as one JSON object")
    club.set_defaults(bench=_club)
    telling = kinds.add_parser("telling", help="how soon a ring is an event in a house, and what bad brokers cost")
    telling.add_argument("--rings", metavar="N", type=int, default=100, help="rings with each broker (default 100)")
    telling.add_argument("--presses", metavar="N", type=int, default=100, help="of the simulated bell (default 100)")
    telling.add_argument("--json", action="store_true", help="a line a measurement")
    telling.set_defaults(bench=_telling)


def _club(args: argparse.Namespace) -> int:
    try:
        from referee.bench.club import ClubVerdict, kill_tables
        from referee.bench.club_load import Load, measure_load
    except ImportError as error:
        raise WorkFailedError(
            "the club needs more programs: make install OPTIONS='--extras club', or the package of make deb"
        ) from error
    if args.kills < 1 or (args.tables is not None and not 1 <= args.tables <= 200):
        raise BadInputError("there can be one kill or more, and 1 to 200 tables")
    if not (0 < args.minutes <= 600 and 0.05 <= args.pace <= 60 and 0 <= args.outage < 60 * args.minutes):
        raise BadInputError("minutes, pace and outage must be positive, and the outage shorter than the whole")
    with _room(postgres=args.postgres) as (folder, url):
        if args.tables is None:
            verdict: ClubVerdict = kill_tables(args.kills, args.seed, folder, url)
        else:
            verdict = ClubVerdict()
            load = Load(args.tables, args.minutes, args.pace, url, args.outage)
            print_measurements(measure_load(load, folder, verdict), as_json=args.json)
    if args.json:
        print_line(verdict.as_json())
    else:
        print(verdict.in_words())
    return 1 if verdict.faults else 0


@contextmanager
def _room(*, postgres: bool) -> Iterator[tuple[Path, str | None]]:
    """Give a folder for the trial, and the address of a database if it is not to be SQLite."""
    from referee.bench.databases import postgres_at_work

    with tempfile.TemporaryDirectory(prefix="ringmaster-club-") as name:
        folder = Path(name)
        if not postgres:
            yield folder, None
            return
        with postgres_at_work() as url:
            yield folder, url


def _telling(args: argparse.Namespace) -> int:
    from referee.bench.telling import measure_telling

    if args.rings < 1 or args.presses < 1:
        raise BadInputError("there must be one ring and one press at least")
    print_measurements(measure_telling(args.rings, args.presses), as_json=args.json)
    return 0
