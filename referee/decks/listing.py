"""The decks as the page lists them, with a small picture of every face."""

from __future__ import annotations

from typing import Any

import cv2

from referee.decks.store import DeckStore, KeptDeck
from vision.deck import Deck, Face, deck_names, load_deck
from vision.deck_file import fingerprint
from vision.render_face import face_image

_HEIGHT_PX = 132


def listed(store: DeckStore) -> list[dict[str, Any]]:
    """Return the decks, built-in ones first.

    Each `{"deck", "game", "kind", "card_mm", "taught", "version", "faces": [{"face", "side", "attributes" or
    "marks"}], "alike": [[face, face]]}`, or `{"deck", "trouble": why}` where its file cannot be read.
    """
    built_in = [{**_summary(load_deck(name)), "taught": False, "version": ""} for name in deck_names()]
    return built_in + [_of_family(kept) for kept in store.all()]


def face_picture(store: DeckStore, name: str, number: int) -> bytes | None:
    """Return a small picture of a face, a PNG, by its place in the list; None beyond the list."""
    deck = load_deck(name) if name in deck_names() else store.one(name).deck
    if deck is None or not 0 <= number < len(deck.faces):
        return None
    small = face_image(deck, deck.faces[number], _HEIGHT_PX / deck.card_mm[1])
    return bytes(cv2.imencode(".png", small)[1].tobytes())


def _of_family(kept: KeptDeck) -> dict[str, Any]:
    if kept.deck is None:
        return {"deck": kept.name, "taught": True, "trouble": kept.trouble}
    return {**_summary(kept.deck), "taught": True, "version": fingerprint(kept.deck)}


def _summary(deck: Deck) -> dict[str, Any]:
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
    meaning = {"marks": [mark.colour for mark in face.marks]} if face.marks else {"attributes": dict(face.attributes)}
    return {"face": face.id, "side": face.side, **meaning}
