"""The `ringmaster` command: one click group, which imports the module of the requested command only.

Exit status: 0 done, 1 the work failed, 2 bad input or usage, 130 stopped. Errors are one line on stderr;
RINGMASTER_DEBUG=1 adds the traceback.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from keyword import iskeyword
from pathlib import Path
from types import TracebackType

import click

from hardware.problems import HardwareError
from referee.errors import RingmasterError
from referee.output import complain, error_line
from referee.phrases import phrase
from vision.errors import VisionError

COMMANDS = {
    "run": "referee the game on the table, with a page for every phone",
    "read": "read the cards in pictures of a table",
    "score": "score hands given as JSON, one a line on standard input, or from a picture of the table",
    "replay": "judge a recorded game again and print its rulings",
    "record": "record the table into a file that can be replayed",
    "history": "list the games that were played, delete one, or forget a player",
    "export": "write the games that were played into a file",
    "import": "take games from an export into the journal",
    "print": "make a PDF of a deck or of the marker cards, to print and cut",
    "teach": "learn a deck of cards that you have, from pictures in which they lie apart",
    "decks": "list the decks, and show, send, load, rename or remove those that you taught",
    "calibrate": "set the table up: camera, table, seats, light, bell, sandtimer, cards",
    "code": "print the code that pairs a phone",
    "mqtt": "report the table's events to a house (Home Assistant) and a club",
    "club": "gather many tables into one club: a page of all tables, evenings, players, a league",
    "demo": "play a game on a simulated table, with the referee and its page",
    "doctor": "check camera, pins, speech, clock and permissions, and say what to do about each",
    "completion": "print a script with which bash, zsh or fish completes commands and options",
    "bench": "measure how fast and how well Ringmaster reads",
}
"""The summary of each command; the object `command` of the module with that name is the command."""

# Errors of a disk or a device that is full.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
_PROGRAM = "ringmaster"
COMPLETE = "_RINGMASTER_COMPLETE"
"""The environment variable with which a shell requests completions, as click names it."""


class _Commands(click.Group):
    """Holds the summaries of all commands, and imports a command that runs or is completed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments begin with, from its own module."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else loaded(name), rest


def loaded(name: str) -> click.Command:
    """Return a command of `COMMANDS` with all its options."""
    module = importlib.import_module(f"{__name__}.{name}{'_' if iskeyword(name) else ''}")
    command: click.Command = module.command
    return command


_version = click.version_option(package_name=_PROGRAM, message="%(prog)s %(version)s", help="say which version this is")
ringmaster = _version(
    _Commands(
        _PROGRAM,
        commands=[click.Command(name, short_help=summary) for name, summary in COMMANDS.items()],
        help="A referee for card games on a real table.",
        no_args_is_help=False,
        context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    )
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    _settle_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] in ([], ["help"]):
        # `help run` prints the same as `run --help`.
        arguments = [*arguments[1:], "--help"]
    if not os.environ.get("RINGMASTER_DEBUG"):
        sys.excepthook = _report_fault
    if COMPLETE in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(ringmaster, {}, _PROGRAM, COMPLETE, os.environ[COMPLETE])
    with _language_kept():
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    name = arguments[0]
    try:
        with ringmaster.make_context(_PROGRAM, arguments) as context:
            status: int = ringmaster.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        # The parser does not name the command whose value is missing.
        command = f"{_PROGRAM} {name}" if name in COMMANDS else _PROGRAM
        path = error.ctx.command_path if error.ctx else command
        error_line(path, f"{' '.join(error.format_message().split())} (try {path} --help)")
        return 2
    except KeyboardInterrupt:
        complain(name, phrase("error.stopped"))
        return 130
    except (VisionError, RingmasterError, HardwareError) as error:
        complain(name, error)
        return 2 if isinstance(error, ValueError) else 1
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): nothing is lost, and nobody reads an error.
        _drop_output()
        return 1
    except PermissionError as error:
        complain(name, phrase("error.cannot_be_used", path=error.filename, why=error.strerror))
        return 1
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        _drop_output()
        complain(name, phrase("error.no_more_can_be_written", why=os.strerror(error.errno)))
        return 1


def _report_fault(kind: type[BaseException], fault: BaseException, _trace: TracebackType | None) -> None:
    sys.stderr.write(
        f"ringmaster: a fault of its own ({kind.__name__}: {' '.join(str(fault).split())[:200]}); "
        "please report it; RINGMASTER_DEBUG=1 shows where\n"
    )


@contextmanager
def _language_kept() -> Iterator[None]:
    """Restore the environment's language afterwards: `--language` sets it for one command."""
    before = os.environ.get("LANGUAGE")
    try:
        yield
    finally:
        os.environ.pop("LANGUAGE", None)
        if before is not None:
            os.environ["LANGUAGE"] = before


def _settle_streams() -> None:
    """Allow any character in printed file names, and keep errors out of standard output."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    if sys.stderr is None:
        # The caller closed it; `print` would then use standard output.
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - it stays open to the end


def _drop_output() -> None:
    """Discard further output: Python's own last flush must not fail as well."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
