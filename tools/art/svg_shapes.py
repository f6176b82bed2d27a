"""A small SVG writer with the shapes of card art, lengths in mm; equal input gives equal text."""

from __future__ import annotations

from collections.abc import Sequence

from vision.render_face import bgr


def mixed(colour: str, other: str, share: float) -> str:
    """Return `colour` with `share` of another colour, both `#rrggbb`."""
    parts = zip(bgr(colour)[::-1], bgr(other)[::-1], strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in parts)


class Svg:
    """A drawing of one card, `size_mm` (width, height); later shapes cover earlier ones."""

    def __init__(self, size_mm: tuple[float, float]) -> None:
        self._size = size_mm
        self._shapes: list[str] = []

    def rect(self, box: tuple[float, float, float, float], fill: str, radius: float = 0.0) -> None:
        """Fill a box (x, y, width, height) with round corners."""
        x, y, width, height = box
        rounded = f' rx="{_n(radius)}" ry="{_n(radius)}"' if radius else ""
        self._add(f'rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"{rounded}', fill, None, 0)

    def circle(
        self, at: tuple[float, float, float], fill: str | None, line: str | None = None, width: float = 0.0
    ) -> None:
        """Draw a circle (x, y, radius), filled, with a line, or both."""
        self._add(f'circle cx="{_n(at[0])}" cy="{_n(at[1])}" r="{_n(at[2])}"', fill, line, width)

    def ellipse(
        self,
        at: tuple[float, float],
        radii: tuple[float, float],
        fill: str | None,
        line: str | None = None,
        width: float = 0.0,
    ) -> None:
        """Draw an upright ellipse."""
        shape = f'ellipse cx="{_n(at[0])}" cy="{_n(at[1])}" rx="{_n(radii[0])}" ry="{_n(radii[1])}"'
        self._add(shape, fill, line, width)

    def polygon(
        self, points: Sequence[tuple[float, float]], fill: str | None, line: str | None = None, width: float = 0.0
    ) -> None:
        """Draw a closed polygon."""
        self._add(f'polygon points="{" ".join(f"{_n(x)},{_n(y)}" for x, y in points)}"', fill, line, width)

    def path(self, d: str, fill: str | None, line: str | None = None, width: float = 0.0) -> None:
        """Draw a path given in SVG's own language."""
        tidy = " ".join(_n(float(word.strip(","))) if _is_number(word) else word for word in d.split())
        self._add(f'path d="{tidy}"', fill, line, width)

    def words(self, at: tuple[float, float], text: str, size: float, fill: str, *, turned: bool = False) -> None:
        """Write bold letters of `size` mm, their base line's middle at (x, y); `turned`: upside down."""
        x, y = at
        turn = f' transform="rotate(180 {_n(x)} {_n(y)})"' if turned else ""
        place = f'x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" text-anchor="middle"'
        self._shapes.append(
            f'  <text {place} font-family="Helvetica" font-weight="bold" fill="{fill}"{turn}>{text}</text>'
        )

    def text(self) -> str:
        """Return the whole file."""
        width, height = (_n(side) for side in self._size)
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm"'
        return "\n".join([f'{head} viewBox="0 0 {width} {height}">', *self._shapes, "</svg>", ""])

    def _add(self, shape: str, fill: str | None, line: str | None, width: float) -> None:
        stroke = f' stroke="{line}" stroke-width="{_n(width)}" stroke-linejoin="round"' if line else ""
        self._shapes.append(f'  <{shape} fill="{fill or "none"}"{stroke}/>')


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if "." in f"{value:.2f}" else f"{value:.2f}"


def _is_number(word: str) -> bool:
    return word.strip(",").lstrip("-").replace(".", "", 1).isdigit()
