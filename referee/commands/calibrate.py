"""`ringmaster calibrate`: sets a table up, step by step, and keeps what it finds where `run` takes it from."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from referee.arguments import add_language
from referee.errors import BadInputError
from referee.files import check_writable, write_whole
from referee.output import for_people

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from referee.service.parts import Parts

SUMMARY = "set the table up: camera, table, seats, light, bell, sandtimer, cards"
STEPS = ("camera", "table", "seats", "light", "bell", "sandtimer", "lamp", "deck", "check")
_PATIENCE_S = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `calibrate`."""
    parser.epilog = (
        "What is found is kept in the state folder, step by step. Where nobody types, each step waits for a while and "
        "ends by itself. With pictures, `table` surveys the table in them and writes its profile to a file instead."
    )
    parser.add_argument(
        "step", nargs="?", metavar="STEP", choices=STEPS, help=f"{', '.join(STEPS)} (none: all, one after the other)"
    )
    parser.add_argument(
        "images",
        nargs="*",
        metavar="IMAGE",
        help="for `table`: pictures with marker cards in sight; the camera must not move between them, nor later",
    )
    parser.add_argument("-o", "--output", metavar="FILE.json", type=Path, help="the profile to write, with pictures")
    parser.add_argument(
        "--reach",
        metavar="MM",
        type=float,
        help="how far from the edge a player's cards may lie, in millimetres (default 180), with pictures",
    )
    parser.add_argument("--state", metavar="DIR", type=Path, help="where games and settings are kept")
    parser.add_argument("--camera", metavar="CAMERA", help="picamera2, usb:0, a folder, a video or a recording")
    parser.add_argument("--simulated", action="store_true", help="try it on a simulated table")
    parser.add_argument(
        "--wait", metavar="S", type=float, default=_PATIENCE_S, help="seconds that a step waits (default 60)"
    )
    add_language(parser)


def run(args: argparse.Namespace) -> int:
    """Lead through the steps; exit status 1 if something is missing or to be mended.

    Raises:
        BadInputError: an argument makes no sense.
        VisionError: a picture cannot be read, or the pictures show no one table.
        WorkFailedError: another referee is at work, or the disk takes nothing.
    """
    if args.images or args.output is not None or args.reach is not None:
        return _survey(args)
    if not (math.isfinite(args.wait) and args.wait > 0):
        raise BadInputError(f"--wait takes seconds, not {args.wait:g}")
    from hardware.camera.camera import parse_spec
    from referee.c_heap import share_one_heap
    from referee.journal.folder import SIMULATED, state_folder
    from referee.service.service import running
    from referee.setup.terminal import Terminal, keys_of_people

    share_one_heap()
    if args.camera is not None:
        if args.simulated:
            raise BadInputError("--camera is for the real table; --simulated draws its own")
        parse_spec(args.camera)
    folder = state_folder(args.state)
    if args.simulated:
        folder /= SIMULATED
    with running(folder, replace(_parts(args), resumes=False)) as service:
        terminal = Terminal(service.desk.opened_walk(), service.controller.language, keys_of_people(), args.wait)
        well = terminal.lead(STEPS if args.step is None else [args.step])
    return 0 if well else 1


def _parts(args: argparse.Namespace) -> Parts:
    if args.simulated:
        from hardware.speaker import NullSpeaker
        from referee.demo.idle import simulated_devices, simulated_parts

        parts = simulated_parts(simulated_devices(setting_up=True))
        return replace(parts, speaker=lambda settings, on_health: NullSpeaker())
    from referee.service.devices import TableDevices
    from referee.service.parts import Parts

    camera: str | None = args.camera
    return Parts(lambda settings: TableDevices(settings, camera))


def _survey(args: argparse.Namespace) -> int:
    """Write the profile of a table in pictures.

    Raises:
        BadInputError: an argument makes no sense, or the marker cards do not show where people sit.
        VisionError: a picture cannot be read, or the pictures show no one table.
    """
    from calibration.survey import survey
    from referee.measured_table import profile_of
    from referee.words import list_of
    from vision.profile import REACH_MM, profile_text

    if args.step != "table" or not args.images or args.output is None:
        raise BadInputError("pictures, -o and --reach go together: ringmaster calibrate table IMAGE... -o FILE.json")
    reach = REACH_MM if args.reach is None else args.reach
    if not 20 <= reach <= 2000:
        raise BadInputError(f"--reach must be from 20 to 2000 mm, not {reach:g}")
    check_writable(args.output, map(Path, args.images))
    found = survey(_pictures(args.images))
    write_whole(args.output, profile_text(profile_of(found, reach)).encode())
    ids = list_of([str(marker.id) for marker in found.markers])
    told = (
        f"{args.output}: surveyed by marker cards {ids}; lengths on the table are right to about "
        f"{100 * found.table.scale_error:.1f} %. Say --table {args.output} from now on, "
        "and leave the marker cards where they are: they show that the camera still stands."
    )
    print(for_people(told))
    return 0


def _pictures(names: list[str]) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    from vision.image import load_picture

    for name in names:
        yield name, load_picture(Path(name)).image
