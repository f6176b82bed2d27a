"""Draws what a taught deck looks like, and every card of it that was not read right."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.bench.accuracy import CLASSES
from referee.bench.teaching import TaughtVerdict
from referee.errors import WorkFailedError
from vision.deck import Deck
from vision.prints.print_deck import ART_PX_PER_MM, PrintDeck
from vision.render_face import face_image
from vision.teaching.taught_prints import Lesson

Image = NDArray[np.uint8]
_HEIGHT, _RIM_PX = 220, 30
_TRUE, _READ = (60, 200, 60), (60, 60, 230)
_IN_A_ROW = 12


def draw_faces(folder: Path, lesson: Lesson) -> None:
    """Draw all faces as they were learned into `faces.png`."""
    drawn = [_face(art, name) for name, art in _arts(lesson.deck).items()]
    width = max(tile.shape[1] for tile in drawn)
    tiles = [np.pad(tile, ((0, 0), (0, width - tile.shape[1]), (0, 0))) for tile in drawn]
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % _IN_A_ROW)
    rows = [np.hstack(tiles[k : k + _IN_A_ROW]) for k in range(0, len(tiles), _IN_A_ROW)]
    _save(folder / "faces.png", np.vstack(rows))


def draw_failures(folder: Path, image: Image, verdict: TaughtVerdict, deck: Deck | PrintDeck) -> None:
    """Draw each card that is wrong, or at least half visible and not read: true outline green, the read one red."""
    for number, (group, outcome, card, read) in enumerate(verdict.cards):
        if outcome == "exact" or (outcome != "wrong" and group == CLASSES[2]):
            continue
        outlines = [(card.corners_px, _TRUE)]
        if read is not None and len(read.corners_px) > 2:
            outlines.append((read.corners_px, _READ))
        arts = _arts(deck)
        named = [name for name in (card.face, None if read is None else read.face) if name in arts]
        parts = [_crop(image, outlines), *(_face(arts[name], name) for name in named if name)]
        as_read = "" if read is None or read.face is None else f"-as-{read.face}"
        why = "" if read is None or read.reason is None else f"-{read.reason.replace(' ', '-')}"
        stem = f"{verdict.picture.path.stem}-{number:02}-{outcome}-{card.face}-{card.side}{as_read}{why}"
        _save(folder / f"{stem.replace('/', '-')}.png", np.hstack(parts))
    for number, read in enumerate(verdict.false):
        _save(
            folder / f"{verdict.picture.path.stem}-{number:02}-false-{read.face}.png",
            _crop(image, [(read.corners_px, _READ)]),
        )


def _arts(deck: Deck | PrintDeck) -> dict[str, Image]:
    if isinstance(deck, Deck):
        return {face.id: face_image(deck, face, ART_PX_PER_MM) for face in deck.faces}
    return {face.id: face.art for face in deck.faces}


def _face(art: Image, name: str) -> Image:
    picture = cv2.resize(art, (max(1, round(art.shape[1] * (_HEIGHT - 20) / art.shape[0])), _HEIGHT - 20))
    framed = cv2.copyMakeBorder(picture, 20, 0, 4, 4, cv2.BORDER_CONSTANT, value=(160, 160, 160))
    cv2.putText(framed, name, (4, 14), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1, cv2.LINE_AA)
    return np.asarray(framed, np.uint8)


def _crop(image: Image, outlines: list[tuple[NDArray[np.float64], tuple[int, int, int]]]) -> Image:
    points = np.concatenate([outline for outline, _ in outlines])
    low = np.clip(np.floor(points.min(axis=0)).astype(int) - _RIM_PX, 0, np.array(image.shape[1::-1]) - 2)
    high = np.clip(np.ceil(points.max(axis=0)).astype(int) + _RIM_PX, low + 2, image.shape[1::-1])
    part = image[low[1] : high[1], low[0] : high[0]]
    scale = _HEIGHT / part.shape[0]
    drawn = cv2.resize(part, (max(1, round(part.shape[1] * scale)), _HEIGHT), interpolation=cv2.INTER_AREA)
    for outline, colour in outlines:
        cv2.polylines(drawn, [np.rint((outline - low) * scale * 16).astype(np.int32)], True, colour, 1, cv2.LINE_AA, 4)
    return np.asarray(drawn, np.uint8)


def _save(path: Path, picture: NDArray[np.uint8]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(cv2.imencode(".png", picture)[1].tobytes())
    except OSError as error:
        raise WorkFailedError(f"{path} cannot be written: {error.strerror or error}") from error
