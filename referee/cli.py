"""The `ringmaster` command: finds the module of the one command asked for and imports nothing else.

Exit status: 0 done, 1 the work failed, 2 bad input or usage. Errors are one line on stderr, never a traceback
(set RINGMASTER_DEBUG=1 to see one).
"""

from __future__ import annotations

import argparse
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
from typing import NoReturn

from referee.output import complain

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
    "teach",
    "decks",
    "calibrate",
    "code",
    "mqtt",
    "club",
    "demo",
    "doctor",
    "completion",
    "bench",
)


# What a disk or a device that takes no more answers, whoever was writing to it.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


class Parser(argparse.ArgumentParser):
    """An argument parser that complains in one line, and says what may have been meant."""

    def error(self, message: str) -> NoReturn:
        """Print `message` and how to get help, and exit with status 2."""
        self.exit(2, f"{self.prog}: {message} (try {self.prog} --help)\n")

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Give the arguments; one that nothing takes is named, with one like it."""
        parsed, left = self.parse_known_args(args, namespace)
        if left:
            option = left[0].split("=")[0]
            self.error(f"nothing is known of {_shown(left[0])}{_meant(option, _options(self))}")
        return parsed

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse a word that is none of those that there are (argparse asks this of every word)."""
        if action.choices is None or value in action.choices:
            return
        words = [str(choice) for choice in action.choices]
        there_is = "" if (meant := _meant(str(value), words)) else f", there is {', '.join(words)}"
        raise argparse.ArgumentError(action, f"there is no {_shown(str(value))}{meant}{there_is}")


def _options(parser: argparse.ArgumentParser) -> list[str]:
    """Give the options of a parser and of those below it."""
    found: list[str] = []
    for action in parser._actions:
        found += action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                found += _options(below)
    return found


def _meant(word: str, words: Sequence[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, words, 1)
    return f"; did you mean {close[0]}?" if close else ""


def _shown(word: str) -> str:
    return ascii(word if len(word) <= 40 else word[:37] + "...")


class _Version(argparse.Action):
    """Says the version; looked up only when asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_given: object) -> None:
        """Print it, and exit with status 0."""
        from importlib.metadata import version

        print(f"ringmaster {version('ringmaster')}")
        parser.exit()


def _report_fault(kind: type[BaseException], fault: BaseException, _trace: TracebackType | None) -> None:
    sys.stderr.write(
        f"ringmaster: a fault of its own ({kind.__name__}: {' '.join(str(fault).split())[:200]}); "
        "please report it; RINGMASTER_DEBUG=1 shows where\n"
    )


def _parser(chosen: str | None) -> Parser:
    """Build the parser with the chosen command's arguments only; the others are imported just for the help page."""
    parser = Parser(prog="ringmaster", description="A referee for card games on a real table.")
    parser.add_argument("--version", action=_Version, help="say which version this is")
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


def all_commands() -> Parser:
    """Give the parser with the arguments of all commands, which takes the imports of all of them."""
    return _parser(None)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status."""
    _settle_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] in ([], ["help"]):
        # `help run` says what `run --help` says.
        arguments = [*arguments[1:2], "--help"]
    if not os.environ.get("RINGMASTER_DEBUG"):
        sys.excepthook = _report_fault
    # Before numpy comes: on matrices as small as ours its linear algebra's threads only wait, and burn the cores that
    # frames and rings need.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        args = _parser(arguments[0] if arguments else None).parse_args(arguments)
        with _speaking(getattr(args, "language", None)):
            return _answer(args)
    except KeyboardInterrupt:
        complain(arguments[0] if arguments else "", "stopped")
        return 130


@contextmanager
def _speaking(language: str | None) -> Iterator[None]:
    """Let all that is said be in a language; None: the system's, as the environment tells it."""
    before = os.environ.get("LANGUAGE")
    if language is not None:
        os.environ["LANGUAGE"] = language
    try:
        yield
    finally:
        if language is not None and before is None:
            del os.environ["LANGUAGE"]
        elif language is not None and before is not None:
            os.environ["LANGUAGE"] = before


def _answer(args: argparse.Namespace) -> int:
    from hardware.problems import HardwareError
    from referee.errors import RefereeError
    from vision.errors import VisionError

    try:
        status: int = args.run(args)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except (VisionError, RefereeError, HardwareError) as error:
        complain(args.command, str(error))
        return 2 if isinstance(error, ValueError) else 1
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing is lost, and there is nobody left to tell.
        _drop_output()
        return 1
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        _drop_output()
        complain(args.command, f"no more can be written: {os.strerror(error.errno)}")
        return 1


def _settle_streams() -> None:
    """Let names of files be printed whatever characters they hold, and complaints never stand among answers."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    if sys.stderr is None:
        # Closed by whoever started us; `print` would take standard output for it.
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - it stays open to the end


def _drop_output() -> None:
    """Let what is still to be written go nowhere, so that Python's own last flush cannot fail, too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
