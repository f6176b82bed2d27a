"""The decks as the page lists them, with a small picture of every face."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import cv2

from referee.decks.lookup import find_deck
from referee.decks.store import DeckStore
from vision.deck import Deck, Face, deck_names
from vision.deck_file import fingerprint
from vision.render_face import face_image

_HEIGHT_PX = 132


@dataclass(frozen=True)
class _Listed:
    summary: dict[str, Any]
    deck: Deck | None


class DeckListing:
    """Lists the decks of a state folder; a deck is read again only after its file has changed."""

    def __init__(self, state: Path) -> None:
        self.store = DeckStore(state)
        self._lock = threading.Lock()
        self._known: dict[str, tuple[tuple[int, int], _Listed]] = {}

    def all(self) -> list[dict[str, Any]]:
        """Return the decks, built-in ones first.

        Each `{"deck", "game", "kind", "card_mm", "taught", "version", "faces": [{"face", "side", "attributes" or
        "marks"}], "alike": [[face, face]]}`, or `{"deck", "trouble": why}` where its file cannot be read.
        """
        built_in = [_built_in(name).summary for name in deck_names()]
        return built_in + [self._one(name).summary for name in self.store.names()]

    def face(self, name: str, number: int) -> bytes | None:
        """Return a small picture of a face, a PNG, by its place in the list; None beyond the list."""
        listed = _built_in(name) if name in deck_names() else self._kept(name)
        if listed is None or listed.deck is None or not 0 <= number < len(listed.deck.faces):
            return None
        return _small(listed.deck, number)

    def _kept(self, name: str) -> _Listed | None:
        return self._one(name) if name in self.store.names() else None

    def _one(self, name: str) -> _Listed:
        stamp = self.store.stamp(name)
        with self._lock:
            before = self._known.get(name)
        if before is not None and before[0] == stamp:
            return before[1]
        kept = self.store.one(name)
        if kept.deck is None:
            listed = _Listed({"deck": name, "taught": True, "trouble": kept.trouble}, None)
        else:
            listed = _Listed({**summary_of(kept.deck), "taught": True, "version": fingerprint(kept.deck)}, kept.deck)
        with self._lock:
            self._known[name] = (stamp, listed)
        return listed


def summary_of(deck: Deck) -> dict[str, Any]:
    """Return a deck's description for the page."""
    width, height = deck.card_mm
    return {
        "deck": deck.name,
        "game": deck.game,
        "kind": deck.kind,
        "card_mm": [round(width, 1), round(height, 1)],
        "faces": [_face(face) for face in deck.faces],
        "alike": [list(pair) for pair in deck.alike],
    }


def _face(face: Face) -> dict[str, Any]:
    told = {"marks": [mark.colour for mark in face.marks]} if face.marks else {"attributes": dict(face.attributes)}
    return {"face": face.id, "side": face.side, **told}


@cache
def _built_in(name: str) -> _Listed:
    deck = find_deck(name)
    return _Listed({**summary_of(deck), "taught": False, "version": ""}, deck)


def _small(deck: Deck, number: int) -> bytes:
    small = face_image(deck, deck.faces[number], _HEIGHT_PX / deck.card_mm[1])
    return bytes(cv2.imencode(".png", small)[1].tobytes())
