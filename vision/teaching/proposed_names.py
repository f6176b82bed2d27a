"""Names that cards can be given by what they show: a clown's colour and mood, a Coloretto card's kind.

Names are proposals: a doubtful attribute is left open, and people confirm the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from vision.arrays import Image, Singles
from vision.teaching.main_colours import MainColours, main_colours
from vision.teaching.same_print import best_turn, laid_on, small

_OTHER = {"happy": "sad", "sad": "happy"}
_RARER, _SURELY_RARER = 1.5, 2.5  # times as often seen: of a happy clown there are more cards
_ALIKE_IN_HOW_THEY_DIFFER = 0.45
_ONE_PAINT = 16.0  # degrees of hue
_SHEET, _RIM = 32, 3
_FULL, _PALE, _RAINBOW = 0.3, 0.12, 4  # shares of a card that are coloured; hues


@dataclass(frozen=True, eq=False)
class SeenFace:
    """A face of a lesson: its picture (h, w, 3) uint8 BGR, how often it was seen, and what people said of it."""

    art: Image
    seen: int
    said: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Proposal:
    """Proposed name of a face; unknown attributes are left out. `sure`: every attribute is known."""

    attributes: Mapping[str, str]
    sure: bool


NOTHING = Proposal({}, False)


def proposed(game: str | None, faces: Sequence[SeenFace]) -> list[Proposal]:
    """A proposal for each face, in the words of the game."""
    if game == "piccolino":
        return _clowns(faces)
    if game == "coloretto":
        return _animals(faces)
    return [NOTHING] * len(faces)


def _clowns(faces: Sequence[SeenFace]) -> list[Proposal]:
    looks = [main_colours(face.art) for face in faces]
    colours = [face.said.get("colour") or look.name for face, look in zip(faces, looks, strict=True)]
    plain = [bool(face.said.get("colour")) or look.is_plain for face, look in zip(faces, looks, strict=True)]
    pairs: dict[str, list[int]] = defaultdict(list)
    for k, colour in enumerate(colours):
        if colour is not None:
            pairs[colour].append(k)
    found = [NOTHING if colour is None else Proposal({"colour": colour}, False) for colour in colours]
    couples = [(one, other) for one, other in (pair for pair in pairs.values() if len(pair) == 2)]
    for (one, other), (mood, sure) in zip(couples, _moods(faces, couples), strict=True):
        if mood is None:
            continue
        for k, own in ((one, mood), (other, _OTHER[mood])):
            is_plain = plain[one] and plain[other] and _of_one_paint(looks[one], looks[other])
            found[k] = Proposal({**found[k].attributes, "mood": own}, sure and is_plain)
    return found


def _of_one_paint(one: MainColours, other: MainColours) -> bool:
    return abs((one.hue - other.hue + 180) % 360 - 180) < _ONE_PAINT


def _moods(faces: Sequence[SeenFace], couples: Sequence[tuple[int, int]]) -> list[tuple[str | None, bool]]:
    """The mood of the first of each couple of one colour: as was said, as the rarer is sad, or as others differ."""
    told = [_mood_of(faces[one], faces[other]) for one, other in couples]
    known = [k for k, (mood, sure) in enumerate(told) if mood is not None and sure]
    if not known or len(known) == len(told):
        return told
    ways = [_way(faces[one].art, faces[other].art) for one, other in couples]
    for k, (mood, sure) in enumerate(told):
        if sure:
            continue
        like = [_correlation(ways[other], ways[k]) * (1 if told[other][0] == "happy" else -1) for other in known]
        mean = float(np.mean(like))
        if abs(mean) > _ALIKE_IN_HOW_THEY_DIFFER:
            way = "happy" if mean > 0 else "sad"
            told[k] = (way, mood in (None, way))
    return told


def _mood_of(one: SeenFace, other: SeenFace) -> tuple[str | None, bool]:
    said, beside = one.said.get("mood"), other.said.get("mood")
    if said or beside:
        return said or _OTHER.get(beside or ""), True
    often = one.seen / max(other.seen, 1)
    if max(often, 1 / often) < _RARER:
        return None, False
    return ("happy" if often > 1 else "sad"), max(often, 1 / often) >= _SURELY_RARER


def _way(one: Image, other: Image) -> Singles:
    """In what (h, w) two cards of one colour differ, in brightness."""
    sheets = [np.asarray(art, np.float32) / np.float32(255) for art in (one, other)]
    turns = (0, 1, 2, 3) if one.shape[0] == one.shape[1] else (0, 2)
    lying = laid_on(sheets[0], sheets[1], best_turn(small(sheets[0]), small(sheets[1]), turns)[1])
    off = cv2.cvtColor(sheets[0], cv2.COLOR_BGR2GRAY) - cv2.cvtColor(np.clip(lying, 0, 1), cv2.COLOR_BGR2GRAY)
    sheet = cv2.resize(cv2.GaussianBlur(off, (0, 0), 2), (_SHEET, _SHEET), interpolation=cv2.INTER_AREA)
    return np.asarray(sheet[_RIM:-_RIM, _RIM:-_RIM], np.float32)


def _correlation(one: Singles, other: Singles) -> float:
    """Return the correlation of two such sheets in their best turn, from -1 to 1."""
    looks = []
    for turn in range(4):
        turned = np.rot90(other, turn)
        looks.append(float((one * turned).sum() / max(float(np.linalg.norm(one) * np.linalg.norm(turned)), 1e-6)))
    return max(looks, key=abs)


def _animals(faces: Sequence[SeenFace]) -> list[Proposal]:
    found = [_kind(main_colours(face.art)) for face in faces]
    groups: dict[tuple[tuple[str, str], ...], list[int]] = defaultdict(list)
    for k, proposal in enumerate(found):
        if proposal.attributes:
            groups[tuple(proposal.attributes.items())].append(k)
    for alike in groups.values():
        # A row card may be as green as an animal: of animals, as of "+2", there are more cards.
        first, *others = sorted(alike, key=lambda k: -faces[k].seen)
        if others and faces[first].seen < _RARER * faces[others[0]].seen:
            others.append(first)
        for k in others:
            found[k] = NOTHING
        if others and first not in others:
            found[first] = replace(found[first], sure=False)
    return found


def _kind(look: MainColours) -> Proposal:
    if look.hues >= _RAINBOW:
        return Proposal({"kind": "joker"}, True)
    if look.coloured < _PALE and look.is_light:
        return Proposal({"kind": "+2"}, False)
    if look.coloured > _FULL and look.name is not None:
        return Proposal({"kind": "colour", "colour": look.name}, look.is_plain)
    return NOTHING
