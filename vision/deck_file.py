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
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.arrays import Image
from vision.deck import Deck, described, parse_deck
from vision.descriptions import card_size, number, text, why_broken
from vision.errors import BadDeckError
from vision.image import FlawedFileError, header_of
from vision.read.print_deck import Print, PrintDeck

TaughtDeck = Deck | PrintDeck

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


def read_deck_file(path: Path) -> TaughtDeck:
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


def unpack_deck(data: bytes, called: str) -> TaughtDeck:
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
            if description.get("kind") == "marks":
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


def pack_deck(deck: TaughtDeck) -> bytes:
    """Return a deck as the bytes of a deck file; the same deck always gives the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:

        def add(name: str, data: bytes) -> None:
            info = zipfile.ZipInfo(name, _UNZIPPED_AT)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            file.writestr(info, data)

        add(_DESCRIPTION, json.dumps(_description(deck), ensure_ascii=False, indent=1).encode())
        if isinstance(deck, PrintDeck):
            for face in deck.faces:
                add(_art_name(face.id), _as_png(face.art))
    return packed.getvalue()


def fingerprint(deck: TaughtDeck) -> str:
    """Return a fingerprint of twelve characters of a deck's version, independent of its name."""
    digest = hashlib.sha256()
    digest.update(json.dumps({**_description(deck), "deck": ""}, sort_keys=True).encode())
    if isinstance(deck, PrintDeck):
        for face in deck.faces:
            digest.update(np.ascontiguousarray(face.art).tobytes())
    return digest.hexdigest()[:12]


def renamed(deck: TaughtDeck, name: str) -> TaughtDeck:
    """Return the same deck under another name."""
    return replace(deck, name=name)


def game_of(deck: TaughtDeck) -> str | None:
    """Return the game that a deck is for, None for any."""
    return "confetti" if isinstance(deck, Deck) else deck.game


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


def _description(deck: TaughtDeck) -> dict[str, Any]:
    if isinstance(deck, Deck):
        return {"kind": "marks", "game": "confetti", **described(deck)}
    return {
        "kind": "prints",
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


def _deck_of_marks(data: dict[str, Any]) -> Deck:
    deck_name(data["deck"])
    if len(data["cards"]) > _MOST_FACES:
        raise ValueError("it has more cards than any deck")
    return parse_deck(data)


def _deck_of_prints(data: dict[str, Any], content: Callable[[str], bytes]) -> PrintDeck:
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
    return PrintDeck(
        name=deck_name(data["deck"]),
        card_mm=(width, height),
        faces=tuple(faces),
        game=data["game"],
        corner_radius_mm=number(data["corner_radius_mm"], "corner_radius_mm", 0, min(width, height) / 2),
        alike=alike,
        has_true_size=data["true_size"],
    )


def _face(data: dict[str, Any]) -> Print:
    name, side = text(data["face"], "face"), data["side"]
    if side not in ("front", "back"):
        raise ValueError('"side" must be front or back')
    if len(data["attributes"]) > _MOST_ATTRIBUTES:
        raise ValueError('"attributes" are too many')
    attributes = {text(key, "attributes"): text(value, "attributes") for key, value in data["attributes"].items()}
    count = None if data["count"] is None else int(number(data["count"], "count", 0, _MOST_OF_A_FACE))
    return Print(name, side, attributes, np.zeros((0, 0, 3), np.uint8), count)


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
