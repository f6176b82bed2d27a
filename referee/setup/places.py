"""Words for places in the picture, as people at the table see it on the page."""

from __future__ import annotations

from collections.abc import Sequence

from referee.language import Language, mark
from referee.setup.finding import Points

_CORNERS = (
    mark("near the top left corner"),
    mark("near the top right corner"),
    mark("near the bottom left corner"),
    mark("near the bottom right corner"),
)
_AREAS = (
    mark("at the top left"),
    mark("at the top"),
    mark("at the top right"),
    mark("on the left"),
    mark("in the middle"),
    mark("on the right"),
    mark("at the bottom left"),
    mark("at the bottom"),
    mark("at the bottom right"),
)
_SIDES = (mark("left edge"), mark("right edge"), mark("top edge"), mark("bottom edge"))


def corners_without(points: Points, size_px: tuple[int, int]) -> list[int]:
    """Give the picture's quarters, 0 to 3 as `corner` names them, in which none of the points (n, 2) px lies."""
    quarters = {int(x > size_px[0] / 2) + 2 * int(y > size_px[1] / 2) for x, y in points}
    return [quarter for quarter in range(4) if quarter not in quarters]


def corner(number: int, language: Language) -> str:
    """Give "near the top left corner" and so on."""
    return language.text(_CORNERS[number])


def area(x: float, y: float, language: Language) -> str:
    """Give "at the top left" and so on for a point in shares of the picture."""
    column, row = (min(2, max(0, int(3 * share))) for share in (x, y))
    return language.text(_AREAS[3 * row + column])


def sides_cut(corners: Points, size_px: tuple[int, int], slack: float = 0.01) -> list[int]:
    """Give the picture's sides (left, right, top, bottom: 0 to 3) beyond which some of the points (n, 2) px lie."""
    width, height = size_px
    x, y = corners[:, 0] / width, corners[:, 1] / height
    beyond = (x.min() < -slack, x.max() > 1 + slack, y.min() < -slack, y.max() > 1 + slack)
    return [side for side, out in enumerate(beyond) if out]


def sides(numbers: Sequence[int], language: Language) -> str:
    """Give "left edge and top edge"."""
    return language.list_of([language.text(_SIDES[number]) for number in numbers])
