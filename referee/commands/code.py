"""`ringmaster code`: prints the pairing code at the machine itself."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from referee.commands import COMMANDS, options
from referee.errors import WorkFailedError


@click.command(help=COMMANDS["code"])
@options.state("where the running referee keeps its games")
@options.as_json()
def command(state: Path | None, as_json: bool) -> int:
    """Ask the running referee, and print its code.

    Raises:
        WorkFailedError: no referee runs, or it belongs to another user.
    """
    from referee.jsonlines import to_line
    from referee.language import Language, language_of
    from referee.state_folder import INSTALLED, SIMULATED, as_typed, state_folder
    from referee.web.pairing_socket import ask_at_door
    from referee.web.qr import qr_lines

    folders = [state] if state is not None else [state_folder(), INSTALLED]
    locked: Path | None = None
    for folder in (place for one in folders for place in (one, one / SIMULATED)):
        try:
            answer = ask_at_door(folder)
        except PermissionError:
            locked = folder
            continue
        if answer is not None:
            code, left_s, address = answer
            if as_json:
                print(to_line({"code": code, "valid_s": left_s}))
                return 0
            language = Language(language_of())
            print(language.text("service.code_is_type_it_on", code=f"{code[:3]} {code[3:]}", seconds=left_s))
            if address and sys.stdout.isatty():
                scan = language.text("service.or_point_phones_camera_here")
                print(scan, *qr_lines(f"{address}#pair={code}"), sep="\n")
            return 0
    if locked is not None:
        again = as_typed("code", locked, as_root=True)
        raise WorkFailedError("error.commands.only_referees_own_user_and", again=again)
    start = "sudo systemctl start ringmaster" if INSTALLED.is_dir() else as_typed("run")
    raise WorkFailedError("error.commands.no_referee_runs_here_start", start=start)
