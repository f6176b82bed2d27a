"""What shells are told of the commands, made from the commands' own parsers: where a word is wanted, which there are.

bash and zsh run the same function (zsh's own bashcompinit); where it knows no word, they complete names of files.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field

_BASH = """_ringmaster() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at= known= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$at ${COMP_WORDS[i]}" in
            %(places)s) at="$at ${COMP_WORDS[i]}" ;;
        esac
    done
    case "$at $prev" in
%(values)s
        *)
            case "$at/$cur" in
%(words)s
            esac ;;
    esac
    COMPREPLY=($(compgen -W "$known" -- "$cur"))
}
complete -o default -F _ringmaster ringmaster
"""
_ZSH = "autoload -Uz compinit bashcompinit\n(( $+functions[compdef] )) || compinit\nbashcompinit\n"
_FISH = """function __ringmaster_at
    set -l at
    for word in (commandline -opc)[2..]
        contains -- "$at $word" %(places)s; and set at "$at $word"
    end
    test "$at" = "$argv[1]"
end
"""


@dataclass
class _Option:
    names: list[str]
    help: str
    takes: bool
    values: list[str]


@dataclass
class _Place:
    """A command, or one below it. path: " bench speed", "" for ringmaster itself. words: each with its summary."""

    path: str
    words: dict[str, str] = field(default_factory=dict)
    options: list[_Option] = field(default_factory=list)


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Give the script for a shell: "bash", "zsh" or "fish"."""
    places = list(_places(parser, ""))
    if shell == "fish":
        return _fish(places)
    return (_ZSH if shell == "zsh" else "") + _bash(places)


def _places(parser: argparse.ArgumentParser, path: str) -> Iterator[_Place]:
    place = _Place(path)
    below: list[_Place] = []
    for action in parser._actions:
        told = " ".join((action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%").split())
        choices = [str(choice) for choice in action.choices or ()]
        if isinstance(action, argparse._SubParsersAction):
            place.words |= {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, command in action.choices.items():
                below += _places(command, f"{path} {name}")
        elif not action.option_strings:
            place.words |= dict.fromkeys(choices, "")
        elif action.help is not argparse.SUPPRESS:
            place.options.append(_Option(list(action.option_strings), told, action.nargs != 0, choices))
    yield place
    yield from below


def _bash(places: list[_Place]) -> str:
    values, words = [], []
    for place in places:
        for option in place.options:
            if option.takes:
                names = "|".join(f'"{place.path} {name}"' for name in option.names)
                values.append(f'        {names}) known="{" ".join(option.values)}" ;;')
        names = " ".join(name for option in place.options for name in option.names)
        words.append(f'                "{place.path}/"-*) known="{names}" ;;')
        words.append(f'                "{place.path}/"*) known="{" ".join(place.words)}" ;;')
    known = "|".join(f'"{place.path}"' for place in places if place.path)
    return _BASH % {"places": known, "values": "\n".join(values), "words": "\n".join(words)}


def _fish(places: list[_Place]) -> str:
    lines = []
    for place in places:
        start = f"complete -c ringmaster -n {_quoted(f'__ringmaster_at {_quoted(place.path)}')}"
        alone = "" if place.path else " -f"
        lines += [f"{start}{alone} -a {_quoted(word)} -d {_quoted(told)}" for word, told in place.words.items()]
        for option in place.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            takes = f" -x -a {_quoted(' '.join(option.values))}" if option.values else " -r" if option.takes else ""
            lines.append(f"{start} {names}{takes} -d {_quoted(option.help)}")
    known = " ".join(_quoted(place.path) for place in places if place.path)
    return _FISH % {"places": known} + "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
