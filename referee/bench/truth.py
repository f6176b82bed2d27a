"""What really lies in a picture: truth files beside pictures.

Two formats are understood. A rendered scene has `NAME.json` of its own with `image`, `scenario`, `up` (the side of the
deck that is called `front`) and `cards[]` (`id`, `side`, `corners_px` TL TR BR BL, `visible_fraction`, `marks[]`),
perhaps with `light` and `table`, each with its `kind`, and `hands[]`. A folder of photographs has one `truth.json` with
`pictures[]` (`image`, `tags`, `cards[]` with `corners_px`), all fully visible and of no known deck. Pixels: the
centre of the top-left pixel is (0, 0).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.errors import BadInputError
from vision.deck import CIRCLE


@dataclass(frozen=True, eq=False)
class TrueMark:
    """A mark on a card in the picture; `centre_px` is (2,), `visible` the fraction that can be seen."""

    size: str
    colour: str
    shape: str
    diameter_mm: float
    centre_px: NDArray[np.float64]
    visible: float


@dataclass(frozen=True, eq=False)
class TrueCard:
    """A card in the picture.

    `face` is None for cards of no known deck; `corners_px` is (4, 2), clockwise from the face's top-left corner;
    `visible` is the fraction of the card that can be seen; `colour` is that of all its marks where the truth says no
    more about them.
    """

    face: str | None
    side: str
    corners_px: NDArray[np.float64]
    visible: float
    marks: tuple[TrueMark, ...]
    colour: str | None = None


@dataclass(frozen=True, eq=False)
class TruePicture:
    """A picture and what lies in it.

    `scenario` is the kind of scene; `circumstances` say more of it where the truth does: the kind of `lamp` and
    `table`, and whether there are `hands`.
    """

    path: Path
    scenario: str
    cards: tuple[TrueCard, ...]
    circumstances: Mapping[str, str] = field(default_factory=dict)


def load_truth(folder: Path) -> list[TruePicture]:
    """Load the truth about all pictures of a folder, in the order of their names.

    Raises:
        BadInputError: there is no such folder, no picture with truth in it, or a truth file is broken.
    """
    if not folder.is_dir():
        raise BadInputError(f"there is no folder {folder}")
    pictures: list[TruePicture] = []
    for file in sorted(folder.glob("*.json")):
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            if isinstance(data, dict) and "pictures" in data:
                pictures += [_photograph(folder, picture) for picture in data["pictures"]]
            elif isinstance(data, dict) and "cards" in data and "image" in data:
                pictures.append(parse_scene(data, folder))
        except OSError as error:
            raise BadInputError(f"{file} cannot be read: {error.strerror or error}") from error
        except (KeyError, TypeError, ValueError) as error:
            raise BadInputError(f"the truth in {file} is broken: {type(error).__name__} {error}") from error
    missing = [picture.path for picture in pictures if not picture.path.is_file()]
    if missing:
        raise BadInputError(f"the picture {missing[0]} is missing beside its truth")
    if not pictures:
        raise BadInputError(f"{folder} holds no pictures with truth files beside them")
    return pictures


def parse_scene(data: dict[str, Any], folder: Path = Path()) -> TruePicture:
    """Understand the truth of one scene.

    Raises:
        KeyError, TypeError, ValueError: the truth is broken.
    """
    up = data.get("up") or _side_up(data["cards"])
    down = {"white": "black", "black": "white"}.get(up, "back")
    cards = []
    for card in data["cards"]:
        marks = tuple(
            TrueMark(
                size=mark["size"],
                colour=mark["colour"],
                shape=mark.get("shape", CIRCLE),
                diameter_mm=float(mark["diameter_mm"]),
                centre_px=np.array(mark["center_px"], dtype=np.float64),
                visible=float(mark["visible_fraction"]),
            )
            for mark in card.get("marks", ())
        )
        side = up if card["side"] == "front" else down
        cards.append(TrueCard(card["id"], side, _corners(card), float(card["visible_fraction"]), marks))
    scenario = str(data.get("scenario", "scene"))
    return TruePicture(folder / data["image"], scenario, tuple(cards), _circumstances(data))


def _circumstances(data: dict[str, Any]) -> dict[str, str]:
    found = {
        name: str(data[key]["kind"])
        for name, key in (("lamp", "light"), ("table", "table"))
        if "kind" in data.get(key, {})
    }
    return {**found, "hands": "yes" if data["hands"] else "no"} if "hands" in data else found


def _photograph(folder: Path, data: dict[str, Any]) -> TruePicture:
    cards = tuple(TrueCard(None, "unknown", _corners(card), 1.0, (), card.get("colour")) for card in data["cards"])
    return TruePicture(folder / data["image"], " ".join(["photograph", *sorted(data.get("tags", ()))]), cards)


def _corners(card: dict[str, Any]) -> NDArray[np.float64]:
    corners = np.array(card["corners_px"], dtype=np.float64)
    if corners.shape != (4, 2):
        raise ValueError(f"a card has corners of shape {corners.shape}, expected (4, 2)")
    return corners


def _side_up(cards: list[Any]) -> str:
    """The side that was put up, where the truth does not name it: the white one shows circles only."""
    shapes = {mark.get("shape") for card in cards if card["side"] == "front" for mark in card.get("marks") or []}
    if not shapes - {None}:
        return "front"
    return "white" if shapes == {CIRCLE} else "black"
