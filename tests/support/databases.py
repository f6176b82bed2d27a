"""A PostgreSQL of our own, as Debian has it: made in a folder, on the loopback, and gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from referee.errors import WorkFailedError
from tests.support.brokers import free_port

_USER = "postgres"
_QUICK = ("-c", "shared_buffers=32MB", "-c", "max_connections=20", "-c", "listen_addresses=127.0.0.1")


@cache
def why_no_postgres() -> str | None:
    """Return in a sentence why no PostgreSQL can be started here, None if one can."""
    if _programs() is None:
        return "needs a PostgreSQL to write to: sudo apt-get install postgresql"
    if os.geteuid() == 0 and _USER not in {user.pw_name for user in pwd.getpwall()}:
        return "PostgreSQL does not run as root, and there is no user postgres: run the tests as another user"
    return None


@contextmanager
def postgres_at_work() -> Iterator[str]:
    """Return the address of an empty database, which is gone in the end; WorkFailedError if none can be started."""
    why, programs = why_no_postgres(), _programs()
    if why is not None:
        raise WorkFailedError(why)
    data, port = Path(tempfile.mkdtemp(prefix="ringmaster-postgres-")), free_port()
    if os.geteuid() == 0:
        shutil.chown(data, _USER)
    options = " ".join([*_QUICK, "-p", str(port), "-k", str(data)])
    control = [f"{programs}/pg_ctl", "-D", str(data)]
    try:
        _run(
            [f"{programs}/initdb", "--auth=trust", f"--username={_USER}", "--encoding=UTF8", "--no-sync", *control[1:]]
        )
        _run([*control, "-w", "-l", f"{data}/log", "-o", options, "start"])
        try:
            yield f"postgresql://{_USER}@127.0.0.1:{port}/{_USER}"
        finally:
            _run([*control, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(data, ignore_errors=True)


def _run(command: Sequence[str]) -> None:
    who = _USER if os.geteuid() == 0 else None
    nothing = subprocess.DEVNULL
    done = subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, cwd="/", user=who, group=who)
    if done.returncode:
        raise WorkFailedError(f"PostgreSQL's {Path(command[0]).name} has failed")


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parent.parent.name)
    here = found[-1] if found else shutil.which("initdb")
    return Path(here).parent if here else None
