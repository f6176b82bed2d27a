"""`ringmaster bench ablation DIR...`: what each look of the finder for cards of any deck earns, and what it costs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from referee.bench.report import print_line
from referee.errors import BadInputError
from referee.progress import along
from vision.unknown.looks import Look

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from referee.bench.truth import TruePicture


def add_kind(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this bench to the others."""
    ablation = kinds.add_parser("ablation", help="find cards of any deck without one look at a time, and count")
    ablation.add_argument("folders", metavar="DIR", type=Path, nargs="+", help="pictures with truth files beside them")
    ablation.add_argument("--every", metavar="N", type=int, default=1, help="only every N-th picture")
    ablation.add_argument(
        "--look", choices=[look.value for look in Look], action="append", help="only without this one"
    )
    ablation.add_argument("--json", action="store_true", help="a line a look; the first one is with all of them")
    ablation.set_defaults(bench=_ablation)


def _ablation(args: argparse.Namespace) -> int:
    from referee.bench.ablation import Earned, left_out
    from referee.bench.truth import load_truth

    if args.every < 1:
        raise BadInputError(f"--every must be at least 1, not {args.every}")
    pictures = [picture for folder in args.folders for picture in load_truth(folder)][:: args.every]
    looks = [Look(name) for name in args.look or [look.value for look in Look]]
    whole: Earned | None = None
    for one in along(left_out(pictures, _load, looks), 1 + len(looks)):
        whole = whole or one
        if args.json:
            print_line(one.as_json())
        elif one.look is None:
            print(
                f"all looks: {one.plain} of {one.plain_of} plain cards, {one.covered} of {one.covered_of} covered, "
                f"{one.false} false, {one.yardsticks} yardsticks a picture"
            )
            print(f"{'without':<20}{'plain':>7}{'covered':>9}{'false':>7}{'yardsticks':>12}{'lines':>7}")
        else:
            lost = f"{one.plain - whole.plain:>+7}{one.covered - whole.covered:>+9}{one.false - whole.false:>+7}"
            print(f"{one.look.value:<20}{lost}{one.yardsticks - whole.yardsticks:>+12.1f}{one.lines:>7}", flush=True)
    return 0


def _load(picture: TruePicture) -> NDArray[np.uint8]:
    from vision.image import load_image

    return load_image(picture.path)
