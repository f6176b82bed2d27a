"""Draws what went wrong: the place in the picture, and the faces as they should look and as they were read."""

from __future__ import annotations

import html
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.bench.accuracy import CLASSES, CardVerdict, PictureVerdict
from referee.errors import WorkFailedError
from vision.deck import Deck, Face
from vision.render_face import face_image

Image = NDArray[np.uint8]
_TRUE = (60, 200, 60)
_READ = (60, 60, 230)
_HEIGHT = 360


class FailureBook:
    """A folder of pictures of failures with an `index.html` that lists them.

    Drawn are cards that were read wrongly, and those at least half visible or bleached that were unclear or missed,
    with the true outline green and the read one red, and every card read where none lies.

    Raises:
        WorkFailedError: the folder cannot be written.
    """

    def __init__(self, folder: Path, deck: Deck) -> None:
        self._folder = folder
        self._deck = deck
        self._entries: list[tuple[str, str]] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WorkFailedError(f"the folder {folder} cannot be made: {error.strerror or error}") from error

    def add(self, image: Image, verdict: PictureVerdict) -> None:
        """Draw the failures of one picture."""
        stem = verdict.picture.path.stem
        for number, card in enumerate(verdict.cards):
            if card.outcome == "exact" or (card.outcome != "wrong" and card.group == CLASSES[2]):
                continue
            title = f"{stem}: {card.outcome}, {card.card.face} {card.card.side}, {card.card.visible:.2f} visible"
            self._write(f"{stem}-{number:02}-{card.outcome}.png", title + _told(card), self._draw_card(image, card))
        for kind, reads in (("false", verdict.false), ("doubled", verdict.doubled)):
            for number, read in enumerate(reads):
                shown = np.hstack([_crop(image, None, read.corners_px), self._face(read.face)])
                title = f"{stem}: {kind}, read {read.face.id} {read.face.side} {read.confidence:.3f}"
                self._write(f"{stem}-{number:02}-{kind}.png", title, np.asarray(shown, dtype=np.uint8))

    def close(self) -> Path:
        """Write the list and give its path."""
        rows = "\n".join(
            f'<figure><figcaption>{html.escape(title)}</figcaption><img src="{html.escape(name)}"></figure>'
            for name, title in self._entries
        )
        index = self._folder / "index.html"
        head = "<!doctype html><meta charset=utf-8><title>Failures</title>"
        self._save(index, f"{head}\n<p>{len(self._entries)} failures</p>\n{rows}\n".encode())
        return index

    def _draw_card(self, image: Image, card: CardVerdict) -> Image:
        read = card.read.corners_px if card.read else (card.unclear.corners_px if card.unclear else None)
        parts = [_crop(image, card.card.corners_px, read)]
        true = self._deck.by_id.get((card.card.side, card.card.face or ""))
        guess = card.read.face if card.read else (card.unclear.best[0] if card.unclear and card.unclear.best else None)
        parts += [self._face(face) for face in (true, guess) if face is not None]
        return np.asarray(np.hstack(parts), dtype=np.uint8)

    def _face(self, face: Face) -> Image:
        picture = face_image(self._deck, face, (_HEIGHT - 20) / self._deck.card_mm[1])
        framed = cv2.copyMakeBorder(picture, 20, 0, 4, 4, cv2.BORDER_CONSTANT, value=(160, 160, 160))
        framed = cv2.resize(framed, (framed.shape[1], _HEIGHT), interpolation=cv2.INTER_AREA)
        cv2.putText(
            framed, f"{face.id} {face.side}", (6, 15), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 1, cv2.LINE_AA
        )
        return np.asarray(framed, dtype=np.uint8)

    def _write(self, name: str, title: str, picture: Image) -> None:
        self._save(self._folder / name, cv2.imencode(".png", picture)[1].tobytes())
        self._entries.append((name, title))

    def _save(self, path: Path, data: bytes) -> None:
        try:
            path.write_bytes(data)
        except OSError as error:
            raise WorkFailedError(f"{path} cannot be written: {error.strerror or error}") from error


def _told(card: CardVerdict) -> str:
    if card.read:
        return f", read {card.read.face.id} {card.read.face.side} {card.read.confidence:.3f}"
    if card.unclear:
        best = f", best {card.unclear.best[0].id} {card.unclear.best[1]:.3f}" if card.unclear.best else ""
        return f", {card.unclear.reason}{best}"
    return ""


def _crop(image: Image, true: NDArray[np.float64] | None, read: NDArray[np.float64] | None) -> Image:
    """Cut out what is round the outlines, (k, 2) each, and draw them; always `_HEIGHT` pixels high."""
    outlines = [(outline, colour) for outline, colour in ((true, _TRUE), (read, _READ)) if outline is not None]
    points = np.concatenate([outline for outline, _ in outlines])
    low = np.clip(np.floor(points.min(axis=0)).astype(int) - 25, 0, np.array(image.shape[1::-1]) - 2)
    high = np.clip(np.ceil(points.max(axis=0)).astype(int) + 25, low + 2, image.shape[1::-1])
    part = image[low[1] : high[1], low[0] : high[0]]
    scale = _HEIGHT / part.shape[0]
    drawn = cv2.resize(part, (max(1, round(part.shape[1] * scale)), _HEIGHT), interpolation=cv2.INTER_AREA)
    for outline, colour in outlines:
        if len(outline):
            line = np.rint(((outline - low) * scale) * 16).astype(np.int32)
            cv2.polylines(drawn, [line], True, colour, 1, cv2.LINE_AA, shift=4)
            cv2.circle(drawn, (int(line[0][0]), int(line[0][1])), 4 * 16, colour, 1, cv2.LINE_AA, shift=4)
    return np.asarray(drawn, dtype=np.uint8)
