"""Which cards can be used: one sentence, for the commands, the page and the README alike."""

from __future__ import annotations

from referee.language import mark_in

USABLE_CARDS = mark_in(
    "page",
    "Ringmaster referees with the Confetti and Piccolino cards that it prints itself; other decks can be taught, and "
    "are read but not yet refereed; in Coloretto the moves are told on the page.",
)
