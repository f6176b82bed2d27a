"""The light step: the camera's exposure and colours, bleached places, and the most similar faces or colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from hardware.camera.exposure import CLIPPED, WHITE_HIGH, WHITE_LOW
from referee.errors import BadInputError
from referee.language import Language
from referee.sayings.colours import colour_name
from referee.setup import step
from referee.setup.seats import chosen_deck, chosen_palette
from referee.setup.step import Choice, Shape, State, Step, StepFinding, StepInput, Wish, camera_missing
from vision.arrays import Image, Points
from vision.channels import largest
from vision.deck import MARKS, Deck
from vision.errors import VisionError
from vision.marked.colour import NEUTRAL, hue_gap, hues_on, lamp_of, linear_rgb
from vision.markers import Marker, find_markers, table_from_markers, whites_of
from vision.read.confusable import ClosestPrints, UnderLamp

_GOOD_WHITE = np.full(3, 0.88)
_NEARER = 1.5
_PRINT_LEANS = 0.45  # of white's strongest channel: a weaker one separates colours badly
_SAME = 0.06


class LightPrints:
    """Names the most similar faces, with a cache.

    A look may not wait for the computation; it is repeated only when lamp or scale change.
    """

    def __init__(self) -> None:
        self._deck: tuple[str, UnderLamp] | None = None
        self._cached: tuple[Points, float, str] | None = None

    def in_words(self, deck: Deck, white: Points, px_per_mm: float, language: Language) -> str:
        """Return a sentence about the two most similar faces; "" for one face. white: of paper, (3,) RGB, 0..1."""
        if self._deck is None or self._deck[0] != deck.name:
            self._deck, self._cached = (deck.name, UnderLamp(deck)), None
        if self._cached is not None:
            before, scale, text = self._cached
            if np.abs(before - white).max() < _SAME and abs(scale / px_per_mm - 1) < _SAME:
                return text
        text = _said(deck, self._deck[1], white, px_per_mm, language)
        self._cached = white, px_per_mm, text
        return text


def _said(deck: Deck, lamp: UnderLamp, white: Points, px_per_mm: float, language: Language) -> str:
    seen = np.ascontiguousarray(white[::-1])
    closest = lamp.closest(seen, px_per_mm)
    if closest is None:
        return ""
    one, other = (
        face_in_words(face, deck.face(face).attributes, language) for face in sorted((closest.one, closest.other))
    )
    names = {"one": one, "other": other}
    if closest.is_enough:
        return language.text("setup.light.i_can_tell_all_cards", **names)
    if _is_distinguished(lamp, closest, _GOOD_WHITE, px_per_mm):
        if white.min() < _PRINT_LEANS * white.max():
            return language.text("setup.light.hard_to_tell_in_this_light_are", **names)
        return language.text("setup.light.hard_to_tell_in_this", **names)
    if _is_distinguished(lamp, closest, seen, px_per_mm * _NEARER):
        return language.text("setup.light.hard_to_tell_from_so", **names)
    return language.text("setup.light.hard_to_tell_in_any", **names)


def _is_distinguished(lamp: UnderLamp, closest: ClosestPrints, white: Points, px_per_mm: float) -> bool:
    return lamp.compared(closest.one, closest.other, white, px_per_mm).is_enough


def face_in_words(face: str, attributes: Mapping[str, str], language: Language) -> str:
    """Return a face's name for people; without words its id."""
    colour = attributes.get("colour")
    if colour and attributes.get("mood") in ("happy", "sad"):
        mood = language.text("page.mood_happy" if attributes["mood"] == "happy" else "page.mood_sad")
        return f"{colour_name(language, colour)}, {mood.lower()}"
    if "suit" in attributes and "rank" in attributes:
        return f"{attributes['rank']} {colour_name(language, attributes['suit'])}"
    if colour and attributes.get("kind") == "colour":
        return colour_name(language, colour)
    return face


_USUAL_WHITE, _USUAL_PX_PER_MM = np.full(3, 0.88), 1.2
_BLOCKS = (16, 9)
_BLEACHED_SHARE = 0.35  # of a block
_GLARE = 16.0  # levels above white paper
_NOISE_LEVELS = 2.0  # of a mark's colour, as a card shows it
_PRINT_DEG = 5.0  # variation of prints of one colour
_DRAWN = 200
_SURE, _WELL = 0.001, 0.02
_LEANS = 0.45  # of the lamp's strongest channel: a weaker one separates colours badly


@dataclass(frozen=True)
class Closest:
    """The two most similar colours of a deck under a lamp, and the rate at which they are confused."""

    one: str
    other: str
    mistaken: float


class LightStep(Step):
    """The light step: judges the light and the colours under it."""

    name = "light"
    title_key, ask_key = "setup.light.light", "setup.light.switch_on_light_that_you"

    def __init__(self) -> None:
        self._prints = LightPrints()

    def begin(self, seen: StepInput) -> Wish:
        """Let the camera set itself to this light."""
        return Wish(settle=True)

    def look(self, seen: StepInput) -> StepFinding:
        """Judge the light."""
        if seen.settling:
            return StepFinding(State.WAIT, seen.language.text("guard.one_moment_camera_sets_itself"))
        if seen.image is None:
            return camera_missing(seen)
        language = seen.language
        whites = whites_of(seen.image, find_markers_or_none(seen.image))
        bleached = bleached_blocks(seen.image, whites)
        shapes = tuple(Shape(box, "bad") for box in bleached)
        again = (Choice(language.text("setup.light.set_camera_to_this_light"), {"settle": True}),)
        colours = self._closest(seen, whites)
        more = tuple(text for text in (colours, *seen.notes) if text)
        if bleached:
            middle = np.mean([np.mean(box, axis=0) for box in bleached], axis=0)
            where = step.area(float(middle[0]), float(middle[1]), language)
            text = language.text("setup.light.lamp_dazzles_put_no_cards", where=where)
            return StepFinding(State.MEND, text, more, None, shapes, again)
        white = float(np.median(whites.max(axis=1))) if len(whites) else None
        if white is not None and white < WHITE_LOW * 0.6:
            text = language.text("setup.light.it_is_dark_one_more")
            return StepFinding(State.MEND, text, more, white / WHITE_HIGH, shapes, again)
        bar = None if white is None else min(1.0, white / WHITE_HIGH)
        state = State.MEND if seen.notes else State.GOOD
        return StepFinding(state, language.text("setup.light.light_is_good"), more, bar, shapes, again)

    def answer(self, seen: StepInput, answer: Mapping[str, object]) -> Wish:
        """Set the camera again."""
        if answer.get("settle"):
            return Wish(settle=True)
        raise BadInputError("error.setup.that_is_no_answer_here")

    def _closest(self, seen: StepInput, whites: Points) -> str:
        """Return a sentence about the most similar cards of the chosen deck under this lamp."""
        deck = chosen_deck(seen)
        if deck is None or deck.kind == MARKS:
            return colours_in_words(seen, whites)
        white = np.median(whites, axis=0) / 255 if len(whites) else _USUAL_WHITE
        return self._prints.in_words(deck, np.maximum(white, 0.08), _px_per_mm(seen), seen.language)


def _px_per_mm(seen: StepInput) -> float:
    """Return the scale of the table in the middle of the picture."""
    width, height = seen.size_px
    try:
        if seen.profile is not None:
            table = seen.profile.table_for((width, height))
        else:
            table = table_from_markers(find_markers_or_none(seen.image), (width, height))  # type: ignore[arg-type]
        return float(table.px_per_mm(np.array([[width / 2, height / 2]]))[0])
    except VisionError:
        return _USUAL_PX_PER_MM


def find_markers_or_none(image: Image) -> tuple[Marker, ...]:
    """Return the marker cards of a picture; none if it shows no table."""
    try:
        return find_markers(image)
    except VisionError:
        return ()


def bleached_blocks(image: Image, whites: Points) -> list[tuple[tuple[float, float], ...]]:
    """Return the boxes, corners as fractions of the picture's size, in which a white card would be bleached.

    whites (n, 3): levels of the marker cards' white. A box is bleached if the table is clipped there. It is also
    bleached if it is brighter than white paper: only a lamp's reflection is.
    """
    columns, rows = _BLOCKS
    brightest = largest(image)
    clipped = cv2.resize((brightest >= CLIPPED).astype(np.float32), _BLOCKS, interpolation=cv2.INTER_AREA)
    small = cv2.resize(brightest, (10 * columns, 10 * rows), interpolation=cv2.INTER_AREA)
    blocks = small.reshape(rows, 10, columns, 10).transpose(0, 2, 1, 3).reshape(rows, columns, -1)
    # By the level that three quarters of a block exceed: grain, and a white thing's edge, are no glare.
    low = np.quantile(blocks, 0.25, axis=2)
    dazzled = clipped > _BLEACHED_SHARE
    if len(whites):
        dazzled |= low > float(np.median(whites.max(axis=1))) + _GLARE
    count, _, boxes, _ = cv2.connectedComponentsWithStats(dazzled.astype(np.uint8), connectivity=8)
    found: list[tuple[tuple[float, float], ...]] = []
    for left, top, width, height, _ in boxes[1:count].tolist():
        x, y, right, bottom = left / columns, top / rows, (left + width) / columns, (top + height) / rows
        found.append(((x, y), (right, y), (right, bottom), (x, bottom)))
    return found


def closest_colours(palette: Mapping[str, str], ground: str, lamp: Points, white: float, side: str) -> Closest | None:
    """Return the two colours of a palette (`#rrggbb` each) that are confused most easily under a lamp (3,).

    white: level of the cards' background, 0 to 255. Marks are drawn with noise; the reader's code computes their hues.
    """
    names = list(palette)
    if len(names) < 2:
        return None
    random = np.random.default_rng(1)
    light = lamp * (white / 255) ** 2.2
    bare = _levels(linear_rgb(ground) * light)
    hues, spreads = [], []
    for name in names:
        seen = _levels(linear_rgb(palette[name]) * light) + random.normal(0, _NOISE_LEVELS, (_DRAWN, 3))
        found = hues_on(np.clip(seen, 0, 255), np.broadcast_to(bare, (_DRAWN, 3)), side)
        found = found[~np.isnan(found)]
        if len(found) < _DRAWN // 2:
            # Grey, or identified by its lightness.
            hues.append(math.nan)
            spreads.append(math.nan)
            continue
        middle = float(np.degrees(np.angle(np.exp(1j * np.radians(found)).mean())))
        hues.append(middle)
        spreads.append(math.hypot(float(np.std(hue_gap(found, np.full(len(found), middle)))), _PRINT_DEG))
    return _most_alike(names, hues, spreads)


def colours_in_words(seen: StepInput, whites: Points) -> str:
    """Return a sentence about the two most similar colours of the chosen deck under this lamp; "" if unknown."""
    found = chosen_palette(seen)
    if found is None:
        return ""
    palette, ground, side = found
    lamp = lamp_of(whites) if len(whites) else NEUTRAL
    white = float(np.median(whites.max(axis=1))) if len(whites) else 225.0
    closest = closest_colours(palette, ground, lamp, max(white, 20.0), side)
    if closest is None:
        return ""
    language = seen.language
    names = {"one": colour_name(language, closest.one), "other": colour_name(language, closest.other)}
    if closest.mistaken < _SURE:
        return language.text("setup.light.i_can_tell_all_colours", **names)
    if closest.mistaken < _WELL:
        return language.text("setup.light.closest_come_and_they_are", **names)
    if lamp.min() < _LEANS:
        return language.text("setup.light.hard_to_tell_in_this_light_are", **names)
    return language.text("setup.light.hard_to_tell_in_this", **names)


def _most_alike(names: Sequence[str], hues: Sequence[float], spreads: Sequence[float]) -> Closest | None:
    best: Closest | None = None
    for i, one in enumerate(names):
        for k in range(i):
            gap = abs(float(hue_gap(np.array(hues[i]), np.array(hues[k]))))
            if math.isnan(gap):
                continue
            # The chance that noise carries a hue over half the gap.
            mistaken = 0.5 * math.erfc(gap / (spreads[i] + spreads[k]) / math.sqrt(2))
            if best is None or mistaken > best.mistaken:
                best = Closest(names[k], one, mistaken)
    return best


def _levels(light: Points) -> Points:
    return np.asarray(255 * np.clip(light, 0, 1) ** (1 / 2.2))
