"""A deck as one file, `NAME.deck`: a ZIP with `deck.json` and, for a deck of prints, `faces/ID.png`.

Files come from other people: no member is written to a disk under its own name, and unpacked sizes are checked before
anything is unpacked.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image
from vision.deck import CIRCLE, MARKS, SIZES, Deck, Face, PrintedMark, marked_face
from vision.descriptions import card_size, number, paint, text, why_broken
from vision.errors import BadDeckError
from vision.image import FlawedFileError, header_of

Deck = Deck

SUFFIX = ".deck"
GAMES = ("confetti", "piccolino", "coloretto")
MOST_BYTES = 32 * 2**20
_MOST_DESCRIPTION, _MOST_PICTURE = 4 * 2**20, 4 * 2**20
_MOST_FACES, _MOST_ATTRIBUTES, _MOST_OF_A_FACE = 1000, 12, 1000
_LEAST_ART_PX, _MOST_ART_PX = 8, 2000  # of a side
_MOST_PIXELS = 60_000_000  # of all faces
_ART_BYTES = 48_000  # of a face: 60 faces must fit into 3 MB
_DESCRIPTION = "deck.json"
_UNZIPPED_AT = (1980, 1, 1, 0, 0, 0)  # a constant, so that one deck always gives one file
_TORN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError)
_BROKEN = (KeyError, TypeError, AttributeError, OverflowError, RecursionError, ValueError)


def read_deck_file(path: Path) -> Deck:
    """Return the deck in a file.

    Raises:
        BadDeckError: the file is missing, torn, too large or not a deck, or has impossible content.
    """
    try:
        if not path.is_file():
            raise BadDeckError("error.there_is_no_deck_file", "there is no deck file {path}", path=path)
        if path.stat().st_size > MOST_BYTES:
            raise BadDeckError("error.deck.is_larger_than_any_deck", "{path} is larger than any deck", path=path)
        data = path.read_bytes()
    except OSError as error:
        raise BadDeckError(
            "error.deck.deck_file_cannot_be_read",
            "the deck file {path} cannot be read: {why}",
            path=path,
            why=error.strerror or error,
        ) from error
    return unpack_deck(data, str(path))


def unpack_deck(data: bytes, called: str) -> Deck:
    """Return the deck in a deck file's bytes; `called` is the file's name in error messages.

    Raises:
        BadDeckError: the bytes are torn or not a deck, or have impossible content.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            entries = _entries(file)
            description = json.loads(_content(file, entries, _DESCRIPTION, _MOST_DESCRIPTION).decode("utf-8"))
            if not isinstance(description, dict):
                raise ValueError("its description is none")
            if description.get("kind") == MARKS:
                return _deck_of_marks(description)
            return _deck_of_prints(description, lambda name: _content(file, entries, name, _MOST_PICTURE))
    except _TORN as error:
        raise BadDeckError("error.is_torn_or_is_no", "{path} is torn, or is no deck file", path=called) from error
    except BadDeckError as error:
        raise BadDeckError(
            "error.deck.is_no_sound_deck_file", "{path} is no sound deck file: {why}", path=called, why=error
        ) from error
    except _BROKEN as error:
        raise BadDeckError(
            "error.deck.is_no_sound_deck_file",
            "{path} is no sound deck file: {why}",
            path=called,
            why=why_broken(error),
        ) from error


def pack_deck(deck: Deck) -> bytes:
    """Return a deck as the bytes of a deck file; the same deck always gives the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:

        def add(name: str, data: bytes) -> None:
            info = zipfile.ZipInfo(name, _UNZIPPED_AT)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            file.writestr(info, data)

        add(_DESCRIPTION, json.dumps(_description(deck), ensure_ascii=False, indent=1).encode())
        for face in _with_art(deck):
            add(_art_name(face.id), _as_png(face.art))
    return packed.getvalue()


@lru_cache(maxsize=16)
def fingerprint(deck: Deck) -> str:
    """Return a fingerprint of twelve characters of a deck's version, independent of its name."""
    digest = hashlib.sha256()
    digest.update(json.dumps({**_description(deck), "deck": ""}, sort_keys=True).encode())
    for face in _with_art(deck):
        digest.update(np.ascontiguousarray(face.art).tobytes())
    return digest.hexdigest()[:12]


def renamed(deck: Deck, name: str) -> Deck:
    """Return the same deck under another name."""
    return replace(deck, name=name)


def deck_name(value: object) -> str:
    """Return a valid name for a deck.

    Raises:
        ValueError: the value is not one.
    """
    name = text(value, "deck")
    if name != name.strip() or name[0] in ".-" or "\\" in name or name.lower().endswith((SUFFIX, ".json")):
        raise ValueError("a deck's name is a short text without slashes that begins with a letter or a number")
    return name


def _entries(file: zipfile.ZipFile) -> Mapping[str, zipfile.ZipInfo]:
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in file.infolist():
        name = info.filename
        if name.startswith(("/", "\\")) or ":" in name or ".." in name.replace("\\", "/").split("/"):
            raise ValueError("it holds a file that would leave its folder")
        if name in entries:
            raise ValueError("it holds one file twice")
        entries[name] = info
        if len(entries) > 2 * _MOST_FACES:
            raise ValueError("it holds more files than any deck")
    if sum(info.file_size for info in entries.values()) > 4 * MOST_BYTES:
        raise ValueError("it would unpack to more than any deck")
    return entries


def _content(file: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], name: str, most: int) -> bytes:
    if name not in entries:
        raise ValueError(f"{name} is not in it")
    with file.open(entries[name]) as entry:
        # A member's stated size may be false.
        data = entry.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{name} in it is larger than in any deck")
    return data


def _with_art(deck: Deck) -> list[Face]:
    """Return the faces whose art is part of the file: marks are described."""
    return [face for face in deck.faces if not face.marks]


def _description(deck: Deck) -> dict[str, Any]:
    if deck.kind == MARKS:
        return {"kind": deck.kind, "game": deck.game, **_described(deck)}
    return {
        "kind": deck.kind,
        "deck": deck.name,
        "game": deck.game,
        "card_mm": list(deck.card_mm),
        "true_size": deck.has_true_size,
        "corner_radius_mm": deck.corner_radius_mm,
        "alike": [list(pair) for pair in deck.alike],
        "faces": [
            {"face": face.id, "side": face.side, "attributes": dict(face.attributes), "count": face.count}
            for face in deck.faces
        ],
    }


def parse_deck(data: dict[str, Any]) -> Deck:
    """Return the deck of marks that a description is of.

    Raises:
        KeyError, TypeError, AttributeError, OverflowError, ValueError: the description is broken.
    """
    width, height = card_size(data["card_mm"])
    background = {text(side, "background"): paint(ground, "background") for side, ground in data["background"].items()}
    palette = {
        side: {text(colour, "palette"): paint(tone, "palette") for colour, tone in data["palette"][side].items()}
        for side in background
    }
    outlines = {text(shape, "shapes"): _outline(points) for shape, points in data["shapes"].items()}
    deck = Deck(
        name=text(data["deck"], "deck"),
        card_mm=(width, height),
        corner_radius_mm=number(data["corner_radius_mm"], "corner_radius_mm", 0, min(width, height) / 2),
        faces=(),
        game="confetti",
        background=background,
        palette=palette,
        outlines=outlines,
    )
    # Of a taught deck only those sides are known that lay in sight.
    faces = tuple(_marked(deck, side, card) for side in background for card in data["cards"] if side in card)
    if not faces:
        raise ValueError("it has no cards")
    if len({(face.side, face.id) for face in faces}) < len(faces):
        raise ValueError("every card needs an id of its own")
    return replace(deck, faces=faces)


def _described(deck: Deck) -> dict[str, Any]:
    cards: dict[str, dict[str, Any]] = {}
    for face in deck.faces:
        cards.setdefault(face.id, {"id": face.id})[face.side] = [asdict(mark) for mark in face.marks]
    return {
        "deck": deck.name,
        "card_mm": list(deck.card_mm),
        "corner_radius_mm": deck.corner_radius_mm,
        "background": dict(deck.background),
        "palette": {side: dict(paints) for side, paints in deck.palette.items()},
        "shapes": {shape: outline.tolist() for shape, outline in deck.outlines.items()},
        "cards": list(cards.values()),
    }


def _outline(points: object) -> NDArray[np.float64]:
    outline = np.asarray(points, dtype=np.float64)
    if outline.ndim != 2 or outline.shape[0] < 3 or outline.shape[1] != 2 or not (np.abs(outline) <= 1.5).all():
        raise ValueError("a shape must be three points or more, x and y, in a circle of radius 1")
    return outline


def _marked(deck: Deck, side: str, card: dict[str, Any]) -> Face:
    """Return one side of a card as a deck describes it; of the deck all but its faces is known."""
    marks = sorted((_mark(deck, side, mark) for mark in card[side]), key=lambda mark: SIZES.index(mark.size))
    if tuple(mark.size for mark in marks) != SIZES:
        raise ValueError("every side of a card needs a small, a medium and a big mark")
    return marked_face(text(card["id"], "id"), side, tuple(marks))


def _mark(deck: Deck, side: str, data: dict[str, Any]) -> PrintedMark:
    width, height = deck.card_mm
    mark = PrintedMark(
        **{
            **data,
            "x_mm": number(data["x_mm"], "x_mm", 0, width),
            "y_mm": number(data["y_mm"], "y_mm", 0, height),
            "diameter_mm": number(data["diameter_mm"], "diameter_mm", 1, max(width, height)),
            "rotation_deg": number(data["rotation_deg"], "rotation_deg", -360, 360),
        }
    )
    if mark.size not in SIZES or mark.colour not in deck.palette[side] or mark.shape not in (CIRCLE, *deck.outlines):
        raise ValueError("a mark has a size, a colour or a shape that is not described")
    return mark


def _deck_of_marks(data: dict[str, Any]) -> Deck:
    deck_name(data["deck"])
    if len(data["cards"]) > _MOST_FACES:
        raise ValueError("it has more cards than any deck")
    return parse_deck(data)


def _deck_of_prints(data: dict[str, Any], content: Callable[[str], bytes]) -> Deck:
    width, height = card_size(data["card_mm"])
    if data["game"] not in (None, *GAMES):
        raise ValueError('"game" must be one that Ringmaster knows')
    if not isinstance(data["faces"], list) or not 0 < len(data["faces"]) <= _MOST_FACES:
        raise ValueError(f'"faces" must be one to {_MOST_FACES}')
    if not isinstance(data["true_size"], bool):
        raise ValueError('"true_size" must be true or false')
    described_faces = [_face(face) for face in data["faces"]]
    ids = {face.id for face in described_faces}
    if len(ids) < len(described_faces):
        raise ValueError("every face needs a name of its own")
    faces, pixels = [], 0
    for face in described_faces:
        faces.append(replace(face, art=_picture(content(_art_name(face.id)), face.id)))
        pixels += faces[-1].art.shape[0] * faces[-1].art.shape[1]
        if pixels > _MOST_PIXELS:
            raise ValueError("its pictures are larger than in any deck")
    alike = tuple((text(one, "alike"), text(other, "alike")) for one, other in data["alike"])
    if not {face for pair in alike for face in pair} <= ids:
        raise ValueError('"alike" names a face that is not there')
    return Deck(
        name=deck_name(data["deck"]),
        card_mm=(width, height),
        faces=tuple(faces),
        game=data["game"],
        corner_radius_mm=number(data["corner_radius_mm"], "corner_radius_mm", 0, min(width, height) / 2),
        alike=alike,
        has_true_size=data["true_size"],
    )


def _face(data: dict[str, Any]) -> Face:
    name, side = text(data["face"], "face"), data["side"]
    if side not in ("front", "back"):
        raise ValueError('"side" must be front or back')
    if len(data["attributes"]) > _MOST_ATTRIBUTES:
        raise ValueError('"attributes" are too many')
    attributes = {text(key, "attributes"): text(value, "attributes") for key, value in data["attributes"].items()}
    count = None if data["count"] is None else int(number(data["count"], "count", 0, _MOST_OF_A_FACE))
    return Face(name, side, attributes, count=count)


def _art_name(face_id: str) -> str:
    return f"faces/{face_id}.png"


def _picture(data: bytes, face_id: str) -> Image:
    try:
        header = header_of(data)
    except FlawedFileError as error:
        raise ValueError(f"the picture of {face_id} {error}") from error
    # Checked before decoding: a small file can unpack to a picture of any size.
    if not _LEAST_ART_PX <= min(header.width, header.height) <= max(header.width, header.height) <= _MOST_ART_PX:
        raise ValueError(f"the picture of {face_id} has no size of a card")
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise ValueError(f"the picture of {face_id} is damaged") from error
    if image is None:
        raise ValueError(f"the picture of {face_id} is damaged")
    return np.asarray(image, np.uint8)


def _as_png(art: Image) -> bytes:
    """Return a PNG of at most `_ART_BYTES`; the lowest bits, mostly a camera's noise, are dropped first."""
    data = b""
    for bits in range(4):
        step = 1 << bits
        coarse = np.minimum((art.astype(np.int16) + step // 2) // step * step, 255).astype(np.uint8)
        data = cv2.imencode(".png", coarse, [cv2.IMWRITE_PNG_COMPRESSION, 9])[1].tobytes()
        if len(data) <= _ART_BYTES:
            break
    return data
