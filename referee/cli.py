"""The `ringmaster` command: finds the module of the one command asked for and imports nothing else.

Exit status: 0 done, 1 the work failed, 2 bad input or usage. Errors are one line on stderr, never a traceback
(set RINGMASTER_DEBUG=1 to see one).
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from keyword import iskeyword
from types import TracebackType
from typing import NoReturn

COMMANDS = (
    "run",
    "read",
    "score",
    "replay",
    "record",
    "history",
    "export",
    "import",
    "print",
    "demo",
    "doctor",
    "bench",
)


class Parser(argparse.ArgumentParser):
    """An argument parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        """Print `message` and how to get help, and exit with status 2."""
        self.exit(2, f"{self.prog}: {message} (try {self.prog} --help)\n")


def _report_fault(kind: type[BaseException], fault: BaseException, _trace: TracebackType | None) -> None:
    sys.stderr.write(
        f"ringmaster: a fault of its own ({kind.__name__}: {' '.join(str(fault).split())[:200]}); "
        "please report it; RINGMASTER_DEBUG=1 shows where\n"
    )


def _parser(chosen: str | None) -> Parser:
    """Build the parser with the chosen command's arguments only; the others are imported just for the help page."""
    parser = Parser(prog="ringmaster", description="A referee for card games on a real table.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        if chosen in COMMANDS and name != chosen:
            commands.add_parser(name)
            continue
        module = importlib.import_module(f"referee.commands.{name}{'_' if iskeyword(name) else ''}")
        command = commands.add_parser(name, help=module.SUMMARY, description=module.SUMMARY)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not os.environ.get("RINGMASTER_DEBUG"):
        sys.excepthook = _report_fault
    # Before numpy comes: on matrices as small as ours its linear algebra's threads only wait, and burn the cores that
    # frames and rings need.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    args = _parser(arguments[0] if arguments else None).parse_args(arguments)
    from hardware.errors import HardwareError
    from referee.errors import RefereeError
    from vision.errors import VisionError

    try:
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except (VisionError, RefereeError, HardwareError) as error:
        print(f"ringmaster {args.command}: {error}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing is lost, and there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print(f"ringmaster {args.command}: stopped", file=sys.stderr)
        return 130
