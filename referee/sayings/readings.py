"""What a correction made of a reading, in a few words: "Ben: red, happy → red, sad"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from referee.language import Language
from referee.sayings.colours import colour_name
from referee.sayings.service import rang


def changed_reading(
    kind: str, was: Mapping[str, Any], now: Mapping[str, Any] | None, players: Sequence[str], language: Language
) -> str:
    """Give what was changed from what to what; now: None if it never happened. "" for what has no words."""
    before, after = dict(was), None if now is None else {**was, **now}
    if kind == "hand" and after is not None:
        gone, come = _cards(before), _cards(after)
        texts = _hand_text(gone - come, language), _hand_text(come - gone, language)
    else:
        texts = _text(kind, before, players, language), "" if after is None else _text(kind, after, players, language)
    if not texts[0] and not texts[1]:
        return ""
    change = f"{texts[0] or '–'} → {texts[1] or '–'}"
    seat = before.get("seat")
    named = kind not in ("bell", "ringer") and isinstance(seat, int) and 0 <= seat < len(players)
    return f"{players[int(str(seat))]}: {change}" if named else change


def _text(kind: str, data: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    if kind in ("card_shown", "card_read"):
        mood = language.text_in("page", "Happy") if data.get("mood") == "happy" else language.text_in("page", "Sad")
        return f"{colour_name(language, str(data.get('colour')))}, {mood.lower()}"
    if kind == "hand":
        return _hand_text(_cards(data), language)
    seat = data.get("seat")
    if kind in ("bell", "ringer") and (seat is None or (isinstance(seat, int) and 0 <= seat < len(players))):
        return rang(players, seat, language)
    return ""


def _cards(data: Mapping[str, Any]) -> Counter[tuple[str, ...]]:
    cards = data.get("cards")
    return Counter(tuple(map(str, card)) for card in cards if isinstance(card, list | tuple)) if cards else Counter()


def _hand_text(cards: Counter[tuple[str, ...]], language: Language) -> str:
    return "; ".join(", ".join(colour_name(language, one) for one in card) for card in cards.elements())
