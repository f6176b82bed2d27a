"""How good it is at this table, in plain words."""

from __future__ import annotations

from referee.language import Language


def cards_corrected(cards: int, corrected: int, per_hundred: tuple[float, float], language: Language) -> str:
    """Say how many cards were corrected; per_hundred: between which figures that may be in the long run."""
    low, high = (language.decimal(figure) for figure in per_hundred)
    if not corrected:
        return language.text(
            "Nobody had to correct any of the last {cards} cards.",
            cards=cards,
        )
    if corrected == 1:
        return language.text(
            "Of the last {cards} cards one was corrected: in the long run {low} to {high} of 100.",
            cards=cards,
            low=low,
            high=high,
        )
    return language.text(
        "Of the last {cards} cards {corrected} were corrected: in the long run {low} to {high} of 100.",
        cards=cards,
        corrected=corrected,
        low=low,
        high=high,
    )


def challenged(number: int, language: Language) -> str:
    """Say how many rulings were challenged."""
    return language.count("One ruling was challenged.", "{n} rulings were challenged.", number)
