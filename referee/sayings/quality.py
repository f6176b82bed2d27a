"""Sentences about the accuracy at this table."""

from __future__ import annotations

from referee.language import Language


def cards_corrected(cards: int, corrected: int, per_hundred: tuple[float, float], language: Language) -> str:
    """Return the number of corrected cards; per_hundred: its confidence interval."""
    low, high = (language.decimal(figure) for figure in per_hundred)
    if not corrected:
        return language.text("quality.nobody_had_to_correct_any", cards=cards)
    if corrected == 1:
        return language.text("quality.of_last_cards_one_was", cards=cards, low=low, high=high)
    return language.text("quality.of_last_cards_were_corrected", cards=cards, corrected=corrected, low=low, high=high)


def challenged(number: int, language: Language) -> str:
    """Return the number of challenged rulings."""
    return language.count("quality.one_ruling_was_challenged", number)
