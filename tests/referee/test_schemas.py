"""All commands: their JSON is as `docs/schemas/` says, their page is whole, and a shell completes them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete

from referee.commands import COMMANDS, COMPLETE, main, ringmaster
from referee.schemas import SCHEMAS, schema_text
from tools.command_page import commands_page
from vision.deck import deck_names

TESTS = Path(__file__).parents[1]
SCHEMA_FILES = TESTS.parent / "docs" / "schemas"
MUG = TESTS / "data" / "scenes" / "white-seats-mug.jpg"
GAMES = sorted(path for path in (TESTS / "games").glob("*.jsonl") if ".expected" not in path.suffixes)

Capture = pytest.CaptureFixture[str]


def keys_of(schema: dict[str, Any]) -> list[tuple[list[str], list[str]]]:
    """The keys of an answer and of all that is in it, and which of them are always there."""
    parts = [schema, *(schema.get("$defs", {})[name] for name in sorted(schema.get("$defs", {})))]
    return [(sorted(part.get("properties", ())), sorted(part.get("required", ()))) for part in parts]


def hold(name: str, out: str, least: int = 1) -> list[dict[str, Any]]:
    """Hold each line to a schema."""
    lines = out.splitlines()
    assert len(lines) >= least
    for line in lines:
        SCHEMAS[name].validate_json(line)
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_files_say_what_the_types_say(name: str) -> None:
    """By their keys: how the library words the rest goes with its version."""
    kept, now = json.loads((SCHEMA_FILES / f"{name}.json").read_text(encoding="utf-8")), json.loads(schema_text(name))
    assert keys_of(kept) == keys_of(now), "make commands writes the schemas"
    assert {path.stem for path in SCHEMA_FILES.glob("*.json")} == set(SCHEMAS)


def test_a_picture_is_read_as_the_schema_says_whatever_the_deck(capfd: Capture) -> None:
    for deck in ("confetti", "none"):
        assert main(["read", str(MUG), "--deck", deck, "--json"]) == 0
        (line,) = hold("read", capfd.readouterr().out)
        assert line["deck"] == deck


def test_rulings_of_every_recorded_game_are_as_the_schema_says(capfd: Capture) -> None:
    for game in GAMES:
        assert main(["replay", str(game), "--json"]) in (0, 2)
        for ruling in hold("replay", capfd.readouterr().out):
            if ruling["ruling"] == "hand":
                score = {key: ruling[key] for key in SCHEMAS["score-confetti"].json_schema()["properties"]}
                SCHEMAS["score-confetti"].validate_python(score)


def test_decks_and_their_faces_are_as_the_schemas_say(tmp_path: Path, capfd: Capture) -> None:
    assert main(["decks", "--json", "--state", str(tmp_path)]) == 0
    hold("decks", capfd.readouterr().out, len(deck_names()))
    for deck in deck_names():
        assert main(["decks", "show", deck, "--json", "--state", str(tmp_path)]) == 0
        hold("decks-show", capfd.readouterr().out)


def test_every_command_comes_on_the_page_and_no_option_stays_that_is_gone() -> None:
    kept, made = (SCHEMA_FILES.parent / "commands.md").read_text(encoding="utf-8"), commands_page()
    assert all(f"`ringmaster {name}`" in made for name in COMMANDS)
    named = re.compile(r"(--[a-z-]+)")
    assert set(named.findall(kept)) <= set(named.findall(made))
    assert len(named.findall(kept)) > 60


TYPED = (
    (["hist"], ["history"]),
    (["run", "--log"], ["--log-level"]),
    (["run", "--log-level", "d"], ["debug"]),
    (["bench", "sp"], ["speed"]),
    (["read", "--deck", "bench", "--ta"], ["--table"]),
    (["read", "--deck", "ever"], ["everdeck"]),
    (["decks", "--json", "sh"], ["show"]),
    (["run", "--camera", "us"], ["usb:0"]),
    (["export", "--format", "j"], ["jsonl"]),
    (["score", "co"], ["confetti", "coloretto"]),
    (["help", "hist"], ["history"]),
)


@pytest.mark.parametrize(("words", "offered"), TYPED)
def test_a_shell_offers_the_words_that_the_place_takes(words: list[str], offered: list[str]) -> None:
    asked = ShellComplete(ringmaster, {}, "ringmaster", COMPLETE).get_completions(words[:-1], words[-1])
    assert [one.value for one in asked] == offered


def test_a_shell_offers_files_where_a_file_is_wanted() -> None:
    for words in (["read"], ["export", "-o"], ["read", "--deck", "./ours"]):
        begun = words.pop() if words[-1].startswith("./") else ""
        (one,) = ShellComplete(ringmaster, {}, "ringmaster", COMPLETE).get_completions(words, begun)
        assert one.type == "file"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_read_its_completion_and_bash_asks_the_program(shell: str, tmp_path: Path, capfd: Capture) -> None:
    assert main(["completion", shell]) == 0
    text = capfd.readouterr().out
    if shell == "bash":
        program = tmp_path / "ringmaster"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m ringmaster "$@"\n')
        program.chmod(0o755)
        ask = f"COMP_WORDS=(ringmaster histo); COMP_CWORD=1; _ringmaster_completion {program}; echo ${{COMPREPLY[*]}}"
        done = subprocess.run(["bash", "-c", f"{text}\n{ask}"], capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("history\n", "")
        return
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, "-n"], input=text, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
