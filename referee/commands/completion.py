"""`ringmaster completion SHELL`: prints a script with which a shell completes commands and options."""

from __future__ import annotations

import click

from referee.commands import COMMANDS, COMPLETE, ringmaster


@click.command(
    help=COMMANDS["completion"],
    epilog='In bash: eval "$(ringmaster completion bash)" at the end of ~/.bashrc. In zsh: eval "$(ringmaster '
    'completion zsh)" in ~/.zshrc, after compinit. '
    "In fish: ringmaster completion fish > ~/.config/fish/completions/ringmaster.fish",
)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")), metavar="SHELL", help="bash, zsh or fish")
def command(shell: str) -> int:
    """Print the script, which asks this program at each Tab."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ringmaster, {}, "ringmaster", COMPLETE).source(), nl=False)
    return 0
