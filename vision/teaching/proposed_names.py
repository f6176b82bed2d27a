"""Proposes names for cards by their looks: a clown's colour and mood, the kind of a Coloretto card.

A doubtful attribute is left open; people confirm or complete the proposals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.arrays import Flags, Floats, Image, Singles
from vision.deck import Face
from vision.teaching.faces import aligned, turns_of

_OTHER = {"happy": "sad", "sad": "happy"}
_RARER, _CERTAINLY_RARER = 1.5, 2.5  # ratio of sightings: a deck has more happy clowns than sad ones
_ALIKE_IN_HOW_THEY_DIFFER = 0.45
_ONE_PAINT = 16.0  # degrees of hue
_SHEET, _RIM = 32, 3
_FULL, _PALE, _RAINBOW = 0.3, 0.12, 4  # shares of a card that are coloured; sixths of the hues

_SIDE = 96  # px of a card in the search for its paints
_CHROMA = 30.0  # less is skin, paper or grey
_NEAR = 25.0  # degrees of hue within one paint
_CLEAR = 1.6  # ratio to the next paint
_LEAST = 0.015  # of the card
_HUE_SHARE = 0.05  # of the card, for each of several hues
_GROUND = 14.0  # in Lab
_BLACK_L, _BLACK_CHROMA, _BLACK_SHARE = 25.0, 12.0, 0.12
_LIGHT_L = 65.0
# Upper ends of hue ranges in degrees; a hue above the last one is red again.
_HUES = (
    (43.0, "red"),
    (74.0, "orange"),
    (108.0, "yellow"),
    (172.0, "green"),
    (238.0, "turquoise"),
    (299.0, "blue"),
    (345.0, "purple"),
)


@dataclass(frozen=True)
class MainColours:
    """A picture's paints.

    `name`: the main paint, or None; `hue`: its hue in degrees; `is_clear`: no other paint is close to it in area;
    `hues`: the number of painted sixths of the hue circle; `coloured`: their share of the card; `is_light`: the rest is
    light.
    """

    name: str | None
    hue: float
    is_clear: bool
    hues: int
    coloured: float
    is_light: bool


@dataclass(frozen=True)
class Proposal:
    """Proposed name of a face; unknown attributes are left out. `is_certain`: every attribute is known."""

    attributes: Mapping[str, str]
    is_certain: bool


NOTHING = Proposal({}, False)


def proposed(game: str | None, faces: Sequence[Face]) -> list[Proposal]:
    """Return a proposal for each face, in the words of the game; `count` of a face is how often it was seen."""
    if game == "piccolino":
        return _clowns(faces)
    if game == "coloretto":
        return _animals(faces)
    return [NOTHING] * len(faces)


def _seen(face: Face) -> int:
    return face.count or 0


def _clowns(faces: Sequence[Face]) -> list[Proposal]:
    looks = [main_colours(face.art) for face in faces]
    colours = [face.attributes.get("colour") or look.name for face, look in zip(faces, looks, strict=True)]
    clear = [bool(face.attributes.get("colour")) or look.is_clear for face, look in zip(faces, looks, strict=True)]
    pairs: dict[str, list[int]] = defaultdict(list)
    for k, colour in enumerate(colours):
        if colour is not None:
            pairs[colour].append(k)
    found = [NOTHING if colour is None else Proposal({"colour": colour}, False) for colour in colours]
    couples = [(one, other) for one, other in (pair for pair in pairs.values() if len(pair) == 2)]
    for (one, other), (mood, certain) in zip(couples, _moods(faces, couples), strict=True):
        if mood is None:
            continue
        for k, own in ((one, mood), (other, _OTHER[mood])):
            is_clear = clear[one] and clear[other] and _of_one_paint(looks[one], looks[other])
            found[k] = Proposal({**found[k].attributes, "mood": own}, certain and is_clear)
    return found


def _of_one_paint(one: MainColours, other: MainColours) -> bool:
    return abs((one.hue - other.hue + 180) % 360 - 180) < _ONE_PAINT


def _moods(faces: Sequence[Face], couples: Sequence[tuple[int, int]]) -> list[tuple[str | None, bool]]:
    """Return the mood of the first of each couple of one colour, by people, by rarity (sad), or by other couples."""
    moods = [_mood_of(faces[one], faces[other]) for one, other in couples]
    known = [k for k, (mood, certain) in enumerate(moods) if mood is not None and certain]
    if not known or len(known) == len(moods):
        return moods
    ways = [_way(faces[one].art, faces[other].art) for one, other in couples]
    for k, (mood, certain) in enumerate(moods):
        if certain:
            continue
        like = [_correlation(ways[other], ways[k]) * (1 if moods[other][0] == "happy" else -1) for other in known]
        mean = float(np.mean(like))
        if abs(mean) > _ALIKE_IN_HOW_THEY_DIFFER:
            way = "happy" if mean > 0 else "sad"
            moods[k] = (way, mood in (None, way))
    return moods


def _mood_of(one: Face, other: Face) -> tuple[str | None, bool]:
    said, beside = one.attributes.get("mood"), other.attributes.get("mood")
    if said or beside:
        return said or _OTHER.get(beside or ""), True
    often = _seen(one) / max(_seen(other), 1)
    if max(often, 1 / often) < _RARER:
        return None, False
    return ("happy" if often > 1 else "sad"), max(often, 1 / often) >= _CERTAINLY_RARER


def _way(one: Image, other: Image) -> Singles:
    """Return the difference in brightness (h, w) of two cards of one colour."""
    card, beside = (np.asarray(art, np.float32) / np.float32(255) for art in (one, other))
    beside = aligned(card, beside, turns_of((one.shape[1], one.shape[0])))
    off = cv2.cvtColor(card, cv2.COLOR_BGR2GRAY) - cv2.cvtColor(np.clip(beside, 0, 1), cv2.COLOR_BGR2GRAY)
    sheet = cv2.resize(cv2.GaussianBlur(off, (0, 0), 2), (_SHEET, _SHEET), interpolation=cv2.INTER_AREA)
    return np.asarray(sheet[_RIM:-_RIM, _RIM:-_RIM], np.float32)


def _correlation(one: Singles, other: Singles) -> float:
    """Return the correlation of two such sheets in their best turn, from -1 to 1."""
    looks = []
    for turn in range(4):
        turned = np.rot90(other, turn)
        looks.append(float((one * turned).sum() / max(float(np.linalg.norm(one) * np.linalg.norm(turned)), 1e-6)))
    return max(looks, key=abs)


def _animals(faces: Sequence[Face]) -> list[Proposal]:
    found = [_kind(main_colours(face.art)) for face in faces]
    groups: dict[tuple[tuple[str, str], ...], list[int]] = defaultdict(list)
    for k, proposal in enumerate(found):
        if proposal.attributes:
            groups[tuple(proposal.attributes.items())].append(k)
    for alike in groups.values():
        # A row card may be as green as an animal, but a deck has more animals, and more "+2", than row cards.
        first, *others = sorted(alike, key=lambda k: -_seen(faces[k]))
        if others and _seen(faces[first]) < _RARER * _seen(faces[others[0]]):
            others.append(first)
        for k in others:
            found[k] = NOTHING
        if others and first not in others:
            found[first] = replace(found[first], is_certain=False)
    return found


def _kind(look: MainColours) -> Proposal:
    if look.hues >= _RAINBOW:
        return Proposal({"kind": "joker"}, True)
    if look.coloured < _PALE and look.is_light:
        return Proposal({"kind": "+2"}, False)
    if look.coloured > _FULL and look.name is not None:
        return Proposal({"kind": "colour", "colour": look.name}, look.is_clear)
    return NOTHING


def main_colours(art: Image) -> MainColours:
    """Return the paints of a rectified card under white light, (h, w, 3) uint8 BGR."""
    sheet = cv2.resize(art, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    lab = np.asarray(cv2.cvtColor(sheet, cv2.COLOR_BGR2LAB), np.float32)
    lab = lab[4:-4, 4:-4]
    chroma = np.hypot(lab[..., 1], lab[..., 2])
    hue = np.degrees(np.arctan2(lab[..., 2], lab[..., 1])) % 360
    painted = chroma > _CHROMA
    coloured = float(painted.mean())
    is_light = float(np.median(lab[..., 0])) > _LIGHT_L
    sixths, _ = np.histogram(hue[painted], bins=6, range=(0, 360))
    hues = int((sixths > _HUE_SHARE * painted.size).sum())
    own = painted & ~_ground(lab)
    if float(own.mean()) < _LEAST:
        own = painted
    black = float(((lab[..., 0] < _BLACK_L) & (chroma < _BLACK_CHROMA)).mean())
    if black > _BLACK_SHARE and float(own.mean()) < black:
        return MainColours("black", 0.0, False, hues, coloured, is_light)
    if float(own.mean()) < _LEAST:
        return MainColours(None, 0.0, False, hues, coloured, is_light)
    weight = np.where(own, chroma**2, 0)
    middle, most = _peak(hue, weight)
    near = np.abs((hue - middle + 180) % 360 - 180) < _NEAR
    _, next_ = _peak(hue, np.where(near, 0, weight))
    name = _name(np.average(lab[near & own], axis=0, weights=weight[near & own]))
    return MainColours(name, middle, most > _CLEAR * next_, hues, coloured, is_light)


def _peak(hue: Singles, weight: Singles) -> tuple[float, float]:
    """Return the hue, degrees, with the most weight nearby, and that weight."""
    amount, _ = np.histogram(hue, bins=36, range=(0, 360), weights=weight)
    around = amount + np.roll(amount, 1) + np.roll(amount, -1)
    best = int(np.argmax(around))
    return (best + 0.5) * 10, float(around[best])


def _ground(lab: Singles) -> Flags:
    """Return where the picture has a colour that surrounds it along its edge."""
    edge = np.concatenate([lab[:4].reshape(-1, 3), lab[:, :4].reshape(-1, 3), lab[:, -4:].reshape(-1, 3)])
    return np.asarray(np.linalg.norm(lab - np.median(edge, axis=0), axis=-1) < _GROUND)


def _name(lab: Floats) -> str:
    """Return the name of a paint in CIE Lab."""
    lightness, a, b = lab.tolist()
    chroma, hue = float(np.hypot(a, b)), float(np.degrees(np.arctan2(b, a)) % 360)
    name = next((name for end, name in _HUES if hue < end), "red")
    if name in ("orange", "red") and 35 < hue < 90 and lightness < 50 and chroma < 52:
        return "brown"
    # Light red is pink if its chroma is small for its lightness.
    if (name == "red" and lightness > 62 and chroma < 0.7 * lightness) or (hue > 330 and lightness > 50):
        return "pink"
    return name
