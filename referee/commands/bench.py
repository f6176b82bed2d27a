"""`ringmaster bench`: speed and accuracy of reading cards; `tools/bench` measures much more."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError
from referee.output import along


@click.group(help=COMMANDS["bench"], no_args_is_help=False)
def command() -> None:
    """Group the benchmarks."""


@command.command(help="read pictures whose truth is known, and count")
@click.argument("folder", metavar="DIR", type=options.FILE, help="pictures with truth files beside them")
@options.deck("the deck on the pictures, or none for any deck", default="confetti")
@click.option(
    "--only", metavar="TEXT", default="", show_default=False, help="only pictures whose name or scene has TEXT in it"
)
@options.as_json("a line a picture and a last one with the sums")
def accuracy(folder: Path, deck: str, only: str, as_json: bool) -> int:
    """Count right and wrong cards."""
    from referee.accuracy import OUTCOMES, judge, known_faces, load_truth, summary
    from referee.decks.lookup import find_deck
    from vision.image import load_image
    from vision.reading import reader_of

    pictures = [one for one in load_truth(folder) if only in one.path.name or only in one.scenario]
    if not pictures:
        raise BadInputError("error.commands.no_picture_in_has_in", folder=folder, part=repr(only))
    found = None if deck == "none" else find_deck(deck)
    reader, known = reader_of(found), known_faces(found)
    verdicts = []
    for picture in along(pictures, len(pictures), printing=as_json):
        verdict = judge(picture, reader.read(load_image(picture.path)), known)
        verdicts.append(verdict)
        if as_json:
            print(json.dumps(verdict.as_json()), flush=True)
    sums = summary(verdicts)
    if as_json:
        print(json.dumps({"summary": sums}))
        return 0
    print(f"{'cards':<18}" + "".join(f"{outcome:>9}" for outcome in OUTCOMES))
    for group, counts in sums["groups"].items():
        print(f"{group:<18}" + "".join(f"{counts[outcome]:>9}" for outcome in OUTCOMES))
    print(f"cards read where there is none: {sums['false']} in {sums['pictures']} pictures")
    return 0


@command.command(help="time the reader against a yardstick on this machine")
@click.argument("images", metavar="[IMAGE]...", nargs=-1, type=options.FILE, help="pictures instead of the drawn ones")
@click.option("--runs", metavar="N", type=int, default=5, help="runs of each measurement")
@options.as_json("a line a measurement")
def speed(images: tuple[Path, ...], runs: int, as_json: bool) -> int:
    """Print the measurements."""
    from referee.speed import measure_reading

    if runs < 1:
        raise BadInputError("error.commands.runs_must_be_at_least", runs=runs)
    for one in measure_reading(images, runs):
        if as_json:
            print(json.dumps({**asdict(one), "value": round(one.value, 3)}), flush=True)
        else:
            bound = "" if one.target is None else f"at most {one.target:g}"
            print(f"{one.name:<32}{one.value:>9.4g} {one.unit:<12}{bound:<14}{one.note}".rstrip(), flush=True)
    return 0
