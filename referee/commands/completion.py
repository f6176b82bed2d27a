"""`ringmaster completion SHELL`: a script with which a shell completes the words of all commands."""

from __future__ import annotations

import argparse

SHELLS = ("bash", "zsh", "fish")
SUMMARY = "print a script with which bash, zsh or fish completes commands and options"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = (
        'In bash and zsh: eval "$(ringmaster completion bash)" (or zsh) at the end of ~/.bashrc or ~/.zshrc. In fish: '
        "ringmaster completion fish > ~/.config/fish/completions/ringmaster.fish"
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    from referee.cli import all_commands
    from referee.completion import script

    print(script(all_commands(), args.shell), end="")
    return 0
