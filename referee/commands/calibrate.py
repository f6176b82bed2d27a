"""`ringmaster calibrate`: sets a table up, step by step, and saves the result in the state folder of `run`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError
from referee.files import check_writable, write_whole
from referee.output import for_people
from referee.phrases import phrase

if TYPE_CHECKING:
    from referee.match.devices import Parts

STEPS = ("camera", "table", "seats", "light", "bell", "sandtimer", "lamp", "deck", "check")
_PATIENCE_S = 60.0


@click.command(
    help=COMMANDS["calibrate"],
    epilog="What is found is kept in the state folder, step by step. Where nobody types, each step waits for a while "
    "and ends by itself. With pictures, `table` surveys the table in them and writes its profile to a file instead.",
)
@click.argument(
    "step",
    type=click.Choice(STEPS),
    metavar="[STEP]",
    required=False,
    help=f"{', '.join(STEPS)} (none: all, one after the other)",
)
@click.argument(
    "images",
    nargs=-1,
    type=options.NAME_OF_FILE,
    metavar="[IMAGE]...",
    help="for `table`: pictures with marker cards in sight; the camera must not move between them, nor later",
)
@options.output("FILE.json", "the profile to write, with pictures")
@click.option(
    "--reach",
    metavar="MM",
    type=float,
    show_default="180",
    help="how far from the edge a player's cards may lie, in millimetres, with pictures",
)
@options.state("where games and settings are kept")
@options.camera()
@click.option("--simulated", is_flag=True, help="try it on a simulated table")
@click.option("--wait", metavar="S", type=float, default=_PATIENCE_S, help="seconds that a step waits")
@options.language
def command(
    step: str | None,
    images: tuple[str, ...],
    output: Path | None,
    reach: float | None,
    state: Path | None,
    camera: str | None,
    simulated: bool,
    wait: float,
) -> int:
    """Guide through the steps; exit status 1 if something is missing or wrong.

    Raises:
        BadInputError: an argument is invalid.
        VisionError: a picture cannot be read, or the pictures do not show one table.
        WorkFailedError: another referee is running, or the disk is full.
    """
    if images or output is not None or reach is not None:
        return _survey(step, images, output, reach)
    if not (math.isfinite(wait) and wait > 0):
        raise BadInputError("error.commands.wait_takes_seconds_not", wait=f"{wait:g}")
    from hardware.camera.camera import parse_spec
    from referee.c_heap import share_one_heap
    from referee.match.referee import running
    from referee.setup.terminal import Terminal, keys_of_people
    from referee.state_folder import SIMULATED, state_folder

    share_one_heap()
    if camera is not None:
        if simulated:
            raise BadInputError("error.commands.camera_is_for_real_table")
        parse_spec(camera)
    folder = state_folder(state)
    if simulated:
        folder /= SIMULATED
    with running(folder, replace(_parts(camera, simulated), resumes=False)) as referee:
        terminal = Terminal(referee.walk, referee.language, keys_of_people(), wait)
        well = terminal.lead(STEPS if step is None else [step])
    return 0 if well else 1


def _parts(camera: str | None, simulated: bool) -> Parts:
    if simulated:
        from hardware.speaker import NullSpeaker
        from referee.demo.idle import simulated_devices, simulated_parts

        parts = simulated_parts(simulated_devices(setting_up=True))
        return replace(parts, speaker=lambda settings, on_health: NullSpeaker())
    from referee.match.devices import Parts, TableDevices

    return Parts(lambda settings: TableDevices(settings, camera))


def _survey(step: str | None, images: Sequence[str], output: Path | None, reach: float | None) -> int:
    """Write the profile of a table in pictures.

    Raises:
        BadInputError: an argument is invalid, or the marker cards do not show the seats.
        VisionError: a picture cannot be read, or the pictures do not show one table.
    """
    from calibration.survey import survey
    from referee.setup.measured_table import profile_of
    from vision.image import load_picture
    from vision.profile import REACH_MM, profile_text

    if step != "table" or not images or output is None:
        raise BadInputError("error.commands.pictures_o_and_reach_go")
    reach = REACH_MM if reach is None else reach
    if not 20 <= reach <= 2000:
        raise BadInputError("error.commands.reach_must_be_from_20", reach=f"{reach:g}")
    check_writable(output, map(Path, images))
    found = survey((name, load_picture(Path(name)).image) for name in images)
    write_whole(output, profile_text(profile_of(found, reach)).encode())
    result = phrase(
        "terminal.surveyed_by_marker_cards_lengths",
        path=output,
        list=tuple(marker.id for marker in found.markers),
        percent=f"{100 * found.table.scale_error:.1f}",
        same=output,
    )
    print(for_people(result))
    return 0
